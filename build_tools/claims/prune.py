"""Which records may go, and why does each other stay?

A record stays that pages show, that belongs to the newest pool, that is named by a header, a
README or a page, or that a literal rests on: one that would no longer hold without it. Of the
others the newest may be kept by number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from build_tools.claims.check import check_quantities, judge_scan
from build_tools.claims.isolate import leave_out
from build_tools.claims.model import Course
from build_tools.claims.page_text import read_page
from build_tools.claims.survey import Surveyed, list_origins
from build_tools.evidence.model import LoadedRecord, State
from build_tools.evidence.pool import select_pool
from build_tools.evidence.readme import readme_path
from build_tools.evidence.shelf import EVIDENCE
from build_tools.evidence.verify import list_files, stays_beside


@dataclass(frozen=True)
class Fate:
    """What becomes of a record, and why."""

    path: str
    """Of its JSON."""
    program: str
    date: str
    """UTC."""
    state: State
    goes: bool
    reasons: tuple[str, ...]
    """Why it stays, or why it may go."""
    files: tuple[str, ...]
    """Its files, the JSON first."""


@dataclass(frozen=True)
class Pruning:
    """What becomes of the records of the reference device."""

    format: Literal[1] = field(default=1, kw_only=True)
    fates: tuple[Fate, ...] = ()
    """By program, newest first."""
    others: int = 0
    """Records of other devices, which all stay."""
    refusals: tuple[str, ...] = ()
    """Why nothing may be removed, unless told."""
    removed: bool = False
    """Whether what goes is gone."""


def plan_pruning(
    course: Course, pages: Sequence[Surveyed], keep: int, programs: Iterable[str] = ()
) -> tuple[Fate, ...]:
    """The fate of each record of the reference device, of all programs or of those named.

    ``keep`` is how many records of each program stay, whatever they are, the newest first.
    """
    fates: list[Fate] = []
    named = _find_named(course, pages)
    for name in list(programs) or list(course.programs):
        fates += _plan_program(course, pages, name, keep, named)
    return tuple(fates)


def _plan_program(
    course: Course,
    pages: Sequence[Surveyed],
    name: str,
    keep: int,
    named: Callable[[str], tuple[str, ...]],
) -> Iterator[Fate]:
    shelf = course.shelves[name]
    shown = shelf.shown_record
    pool = {record.path for record in select_pool(shelf)}
    stays: dict[str, list[str]] = {}
    candidates: list[LoadedRecord] = []
    for index, record in enumerate(shelf.records):
        reasons = []
        if shown is not None and record.path == shown.path:
            reasons.append("pages show it")
        elif record.path in pool:
            reasons.append("it is fresh and in the newest pool")
        reasons += [f"{place} names it" for place in named(record.path)]
        if index < keep:
            reasons.append(f"it is among the newest {keep}" if keep > 1 else "it is the newest")
        stays[record.path] = reasons
        if not reasons:
            candidates.append(record)
    gone: list[str] = []
    for record in reversed(candidates):  # the oldest first
        resting = list(_find_resting(course, pages, name, [*gone, record.path]))
        if resting:
            stays[record.path] = [f"{what} rests on it" for what in resting[:3]]
        else:
            gone.append(record.path)
    for record in shelf.records:
        goes = record.path in gone
        yield Fate(
            record.path,
            name,
            record.record.started[:10],
            record.state,
            goes,
            (_say_why(record),) if goes else tuple(stays[record.path]),
            tuple(list_record_files(record)),
        )


def _say_why(record: LoadedRecord) -> str:
    if record.state is State.STALE:
        return "it is stale"
    return "it is out of the newest pool, and no literal rests on it"


def list_record_files(record: LoadedRecord) -> Iterator[str]:
    """The paths of a record's files that stand beside it, the JSON first."""
    yield record.path
    for file in list_files(record.record).values():
        if stays_beside(file.path, record.path):
            yield file.path


def _find_resting(
    course: Course, pages: Sequence[Surveyed], program: str, gone: Sequence[str]
) -> Iterator[str]:
    """The claims and quantities that agree now, and would not without these records."""
    without = leave_out(course, program, gone)
    for page in pages:
        affected = [
            verdict
            for verdict in page.verdicts
            if not verdict.findings and not list_origins(verdict).isdisjoint(gone)
        ]
        if affected:
            judged = {v.claim.number: v for v in judge_scan(without, page.scan)}
            for verdict in affected:
                if judged[verdict.claim.number].findings:
                    yield f"{verdict.claim.place} `{verdict.claim.text}`"
    before = {finding.place for finding in check_quantities(course)}
    for finding in check_quantities(without):
        if finding.place not in before:
            yield f"{finding.place} {finding.stated}"


def _find_named(course: Course, pages: Sequence[Surveyed]) -> Callable[[str], tuple[str, ...]]:
    """Where headers, READMEs and pages name a record, by the path of its JSON."""
    texts: dict[str, str] = {page.scan.path: page.scan.text for page in pages}
    for program in course.programs.values():
        texts[program.path] = program.text
        text, _ = read_page(course.root, readme_path(program))
        texts[readme_path(program)] = text or ""
    evidence = re.compile(rf"{EVIDENCE}/[\w.-]+/[\w.-]+/run-\d{{4}}-\d\d-\d\d(?:-\d+)?")
    places: dict[str, list[str]] = {}
    for path, text in texts.items():
        for match in evidence.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            place = f"{path}:{line}"
            if place not in places.setdefault(match[0], []):
                places[match[0]].append(place)

    def find(path: str) -> tuple[str, ...]:
        return tuple(places.get(path.removesuffix(".json"), ())[:3])

    return find


def count_others(course: Course) -> int:
    """How many records of other devices there are."""
    return sum(
        len(shelf.records) for others in course.other_shelves.values() for shelf in others.values()
    )
