"""What is fresh, stale, missing, waived, unused and orphaned in the course, and how old is it?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from build_tools.claims.chain import FindingLine
from build_tools.claims.conditions import compare_with_record, describe_changed
from build_tools.claims.evidence_chain import (
    Inquiry,
    count_days,
    list_findings,
    name_outcome,
)
from build_tools.claims.model import ClaimKind, Course, ProofKind
from build_tools.claims.number_rules import list_looser
from build_tools.claims.survey import Surveyed, list_origins, list_verdicts
from build_tools.claims.unused import check_unused
from build_tools.diagnostics.finding import Kind, Place
from build_tools.evidence.loaded import LoadedRecord, State
from build_tools.evidence.part_digest import list_asked_parts
from build_tools.evidence.parts import describe_part_change, find_newest
from build_tools.evidence.pool import select_pool
from build_tools.source.model import Program
from build_tools.source.settings import SETTINGS_PATH
from build_tools.source.toml_text import read_toml


@dataclass(frozen=True)
class Reason:
    """One thing that made a program's evidence stale, or that is missing."""

    what: str
    """``token``, ``Build``, ``Run``, ``runs``, ``requires``, ``include``, ``code``, ``record`` or,
    where the evidence is fresh and the reader's check is not, ``check``."""
    path: str
    line: int
    column: int
    detail: str
    """What it was and is."""


@dataclass(frozen=True)
class RecordStatus:
    """A record in the list of its program."""

    path: str
    date: str
    """UTC."""
    age_days: int
    """Whole days up to today, UTC."""
    device: str
    driver: str
    processes: int
    state: State
    is_reference: bool
    """Whether it was made on the device the course speaks of."""
    is_shown: bool
    is_pooled: bool
    """Whether it belongs to the newest pool."""
    claims: tuple[str, ...]
    """``PATH:LINE:COLUMN`` of the claims whose value it is part of."""


@dataclass(frozen=True)
class PartStatus:
    """A part that a program asks for."""

    part: str
    """``counters``, ``sanitizers``, ``mutants`` or ``listings``."""
    state: str
    """``fresh``, ``stale``, ``missing``, or ``could not check`` where a tool refused."""
    path: str
    """Of the newest one's JSON; empty when there is none."""
    date: str
    """UTC; empty when there is none."""
    detail: str
    """What changed since, or why the tool refused."""


@dataclass(frozen=True)
class ProgramStatus:
    """A program and its evidence."""

    name: str
    path: str
    state: str
    """``fresh``, ``stale`` or ``missing``."""
    reasons: tuple[Reason, ...]
    """Why it, or its reader's check, is not fresh."""
    records: tuple[RecordStatus, ...]
    """Of the reference device newest first, then of others."""
    parts: tuple[PartStatus, ...] = ()
    """Those that it asks for, of the reference device."""


@dataclass(frozen=True)
class ClaimCount:
    """How many claims of a kind there are, and how they were judged."""

    kind: str
    """``measured``, ``exact``, ``cited``, ``stated``, or ``none`` where there is no value."""
    agrees: int
    findings: int
    unchecked: int
    """Claims that could not be checked."""


@dataclass(frozen=True)
class Waiver:
    """Something that is switched off, or let pass."""

    what: str
    path: str
    line: int
    detail: str
    """What is not checked because of it."""


@dataclass(frozen=True)
class FindingCount:
    """Findings of sources and evidence, by their kind."""

    kind: str
    count: int


@dataclass(frozen=True)
class CourseStatus:
    """The state of the whole course."""

    format: Literal[1] = field(default=1, kw_only=True)
    reference_gpu: str
    date: str
    """Today's, UTC: ages are counted up to it."""
    pages: int
    programs: tuple[ProgramStatus, ...]
    claims: tuple[ClaimCount, ...]
    waived: tuple[Waiver, ...]
    unused: tuple[FindingLine, ...]
    """Regions no page shows, facts and quantities nothing cites."""
    orphans: tuple[FindingLine, ...]
    """Files of the evidence folder that belong to nothing."""
    findings: tuple[FindingCount, ...]
    """Of sources and evidence; `course check` tells each, and those of pages."""


def compute_status(inquiry: Inquiry) -> CourseStatus:
    """The state of the course, from one reading of it."""
    course = inquiry.course
    used: dict[str, list[str]] = {}
    for verdict in list_verdicts(inquiry.pages):
        for origin in list_origins(verdict):
            used.setdefault(origin, []).append(str(verdict.claim.place))
    unused = check_unused(course, (page.scan for page in inquiry.pages))
    return CourseStatus(
        course.settings.reference_gpu,
        inquiry.today.isoformat(),
        len(inquiry.pages),
        tuple(_describe_program(inquiry, program, used) for program in course.programs.values()),
        _count_claims(inquiry.pages),
        (*list_waivers(course), *_list_page_waivers(course, inquiry.pages)),
        (*list_findings(unused), *_list_unused_quantities(course, inquiry.pages)),
        list_findings(f for f in course.findings if f.kind is Kind.ORPHAN),
        _count_findings(course),
    )


def _describe_program(
    inquiry: Inquiry, program: Program, used: dict[str, list[str]]
) -> ProgramStatus:
    course = inquiry.course
    shelf = course.shelves[program.name]
    pool = {record.path for record in select_pool(shelf)}
    others = course.other_shelves.get(program.name, {})
    state = "fresh" if shelf.fresh else "stale" if shelf.records else "missing"

    def describe(loaded: LoadedRecord, is_reference: bool) -> RecordStatus:
        record = loaded.record
        return RecordStatus(
            loaded.path,
            record.started[:10],
            count_days(record.started, inquiry.today),
            record.device.model,
            record.device.driver,
            len(record.processes),
            loaded.state,
            is_reference,
            shelf.shown_record is not None and loaded.path == shelf.shown_record.path,
            loaded.path in pool,
            tuple(used.get(loaded.path, ())),
        )

    return ProgramStatus(
        program.name,
        program.path,
        state,
        tuple(_list_reasons(inquiry, program)),
        (
            *(describe(record, True) for record in shelf.records),
            *(describe(record, False) for other in others.values() for record in other.records),
        ),
        tuple(_list_parts(course, program)),
    )


def _list_parts(course: Course, program: Program) -> Iterator[PartStatus]:
    """Each part that the program asks for, by its newest one."""
    shelf = course.shelves[program.name]
    for kind in list_asked_parts(program):
        fresh = find_newest(shelf, kind)
        newest = fresh or next((part for part in shelf.parts if part.kind is kind), None)
        if newest is None:
            yield PartStatus(kind.value, "missing", "", "", "")
            continue
        state, detail = "fresh", newest.part.could_not_check
        if fresh is None:
            state = "stale"
            detail = describe_part_change(course.root, program, newest.part)
        elif detail:
            state = "could not check"
        yield PartStatus(kind.value, state, newest.path, newest.part.started[:10], detail)


def _list_reasons(inquiry: Inquiry, program: Program) -> Iterator[Reason]:
    """Why a program has no fresh record of the reference device, or no reader's check."""
    course = inquiry.course
    shelf = course.shelves[program.name]
    if shelf.fresh:
        for finding in course.findings:
            place = finding.place
            if finding.kind in (Kind.STALE, Kind.CHECK) and place.path == program.check_path:
                yield Reason("check", place.path, place.line, place.column, finding.true)
        return
    if shelf.records:
        newest = shelf.records[0]
        changes = inquiry.changes.get(newest.path) or compare_with_record(newest.record, program)
        for change in changes:
            place = change.place
            detail = describe_changed(change)
            yield Reason(change.what, place.path, place.line, place.column, detail)
        return
    place = program.header.verified.place if program.header.verified else Place(program.path)
    models = sorted(
        {
            r.record.device.model
            for o in course.other_shelves[program.name].values()
            for r in o.records
        }
    )
    model = course.settings.reference_gpu
    detail = f"no record of an {model}"
    if models:
        detail += f", only of {', '.join(models)}"
    yield Reason("record", place.path, place.line, place.column, detail)


def _count_claims(pages: Sequence[Surveyed]) -> tuple[ClaimCount, ...]:
    counts = {kind.value: [0, 0, 0] for kind in ProofKind} | {"none": [0, 0, 0]}
    columns = {"agrees": 0, "finding": 1, "could not check": 2}
    for verdict in list_verdicts(pages):
        kind = verdict.proof.kind.value if verdict.proof else "none"
        counts[kind][columns[name_outcome(verdict.findings)]] += 1
    return tuple(ClaimCount(kind, *numbers) for kind, numbers in counts.items() if any(numbers))


def list_waivers(course: Course) -> Iterator[Waiver]:
    """What course.toml switches off or lets pass."""
    settings = course.settings
    found = [
        (
            "findings",
            settings.findings == "warn",
            "a build with findings makes a site all the same",
        ),
        ("unbound", settings.unbound == "off", "no number of the prose has to be bound"),
        ("unbound", settings.unbound == "units", "a number without a unit need not be bound"),
        ("patterns_off", bool(settings.patterns_off), "numbers of these patterns must be bound"),
    ]
    toml, _ = read_toml(course.root, SETTINGS_PATH, Kind.SETTINGS)
    for key, holds, detail in found:
        if holds:
            place = toml.place_key("course", key) if toml else Place(SETTINGS_PATH)
            value = getattr(settings, key)
            stated = f'"{value}"' if isinstance(value, str) else ", ".join(sorted(value))
            yield Waiver(f"{key} = {stated}", place.path, place.line, detail)


def _list_page_waivers(course: Course, pages: Sequence[Surveyed]) -> Iterator[Waiver]:
    """Patterns that the course added, pages with a looser rule than its own, and drafts."""
    scans = [page.scan for page in pages]
    for rule in list_looser(course, scans):
        yield Waiver(rule.rule, rule.place.path, rule.place.line, rule.detail)
    for scan in scans:
        draft = scan.options.draft
        if draft is not None:
            detail = "a build leaves it out, with the programs that only it names"
            yield Waiver("draft: true", draft.path, draft.line, detail)


def _list_unused_quantities(course: Course, pages: Sequence[Surveyed]) -> Iterator[FindingLine]:
    """Quantities of programs that no page and no other quantity uses."""
    claims = [c.target for page in pages for c in page.scan.claims if c.kind is ClaimKind.CLAIM]
    outside = " ".join([*claims, *(rule.expression for rule in course.quantities.values())])
    for program in course.programs.values():
        rules = program.declaration.quantities
        others = " ".join(
            rule.expression
            for other in course.programs.values()
            if other is not program
            for rule in other.declaration.quantities.values()
        )
        for rule in rules.values():
            inside = " ".join(r.expression for r in rules.values() if r is not rule)
            inside = " ".join([inside, *program.declaration.parts.formulas])
            qualified = rf"\b{program.name}\b\S*\.{rule.name}\b"
            if re.search(qualified, f"{outside} {others} {inside}"):
                continue
            if re.search(rf"(?<![.\w]){rule.name}\b", inside):
                continue
            yield FindingLine(
                Kind.UNUSED.value,
                rule.place.path,
                rule.place.line,
                rule.place.column,
                f"quantity `{rule.name}`",
                "no page and no other quantity uses it",
                f"cite it with `claim:{program.name}.{rule.name}`, or remove it",
                True,
            )


def _count_findings(course: Course) -> tuple[FindingCount, ...]:
    counts: dict[str, int] = {}
    for finding in course.findings:
        counts[finding.kind.value] = counts.get(finding.kind.value, 0) + 1
    return tuple(FindingCount(kind, count) for kind, count in sorted(counts.items()))
