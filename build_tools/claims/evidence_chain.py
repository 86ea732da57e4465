"""What stands behind a program or a record: code, regions, build, run, device, check?"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from build_tools.claims.chain import (
    BuildLine,
    CheckLine,
    DeviceLine,
    FindingLine,
    ProgramChain,
    RecordChain,
    RegionChain,
)
from build_tools.claims.conditions import compare_with_record, list_conditions
from build_tools.claims.exercises import find_shown
from build_tools.claims.model import ClaimKind, Course
from build_tools.claims.survey import Surveyed, list_verdicts
from build_tools.diagnostics.finding import Finding, sort_findings
from build_tools.evidence.loaded import LoadedRecord, State
from build_tools.evidence.model import ReaderCheck
from build_tools.evidence.pool import select_pool
from build_tools.source.changes import Change
from build_tools.source.model import Program


@dataclass(frozen=True)
class Inquiry:
    """All that a question is answered from."""

    course: Course
    pages: Sequence[Surveyed]
    changes: Mapping[str, tuple[Change, ...]]
    """By record path, what is known to have changed since a stale record."""
    today: dt.date
    """UTC."""


def list_findings(findings: Iterable[Finding]) -> tuple[FindingLine, ...]:
    """Findings as answers hold them."""
    return tuple(
        FindingLine(
            f.kind.value,
            f.place.path,
            f.place.line,
            f.place.column,
            f.stated,
            f.true,
            f.advice,
            f.checked,
        )
        for f in findings
    )


def name_outcome(findings: Iterable[Finding]) -> str:
    """What the findings of one claim come to."""
    listed = list(findings)
    if any(not finding.checked for finding in listed):
        return "could not check"
    return "finding" if listed else "agrees"


def describe_program(inquiry: Inquiry, program: Program) -> ProgramChain:
    """A program with its regions, records and claims."""
    shelf = inquiry.course.shelves[program.name]
    state = "fresh" if shelf.fresh else "stale" if shelf.records else "missing"
    shown_at: dict[str, list[str]] = {}
    for page in inquiry.pages:
        for directive in page.scan.directives:
            exercise = find_shown(inquiry.course, directive)
            if directive.name == "snippet" or exercise is not None:
                shown = exercise.reference if exercise else directive.argument
                shown_at.setdefault(shown, []).append(str(directive.place))
    named = re.compile(rf"\b{program.name}\b")
    return ProgramChain(
        program.name,
        program.path,
        state,
        program.header.build,
        program.header.run,
        program.code_digest,
        tuple(
            RegionChain(
                r.reference,
                program.path,
                r.first,
                r.last,
                r.kind,
                r.needs,
                tuple(shown_at.get(r.reference, ())),
            )
            for r in program.regions.values()
        ),
        tuple(record.path for record in shelf.records),
        tuple(
            str(verdict.claim.place)
            for verdict in list_verdicts(inquiry.pages)
            if verdict.claim.kind is ClaimKind.CLAIM and named.search(verdict.claim.target)
        ),
    )


def describe_record(
    inquiry: Inquiry, loaded: LoadedRecord, findings: Sequence[Finding] = ()
) -> RecordChain:
    """A record with its device, build, run, check, and what its freshness hangs on.

    ``findings`` are those of the record beyond what the course knows of it.
    """
    course, record = inquiry.course, loaded.record
    program = course.programs.get(record.program)
    shelf = course.shelves.get(record.program)
    pool = select_pool(shelf) if shelf else ()
    stem = loaded.path.removesuffix(".json")
    own = (loaded.path, f"{stem}.txt", f"{stem}/")
    known = [f for f in course.findings if f.place.path.startswith(own)]
    findings = sort_findings([*known, *findings])
    changes: Sequence[Change] = ()
    if loaded.state is State.STALE and program is not None:
        changes = inquiry.changes.get(loaded.path) or compare_with_record(record, program)
    shown = record.processes[record.shown]
    judged = msgspec.structs.replace(record, reader_check=loaded.reader_check)
    conditions = list_conditions(course, program, judged, changes) if program else ()
    stale_check = any(c.so and c.path.endswith("check.py") for c in conditions)
    return RecordChain(
        loaded.path,
        record.program,
        loaded.state.value,
        record.device.model == course.settings.reference_gpu,
        shelf is not None
        and shelf.shown_record is not None
        and shelf.shown_record.path == loaded.path,
        loaded.path in {r.path for r in pool},
        record.started,
        count_days(record.started, inquiry.today),
        len(record.processes),
        record.shown + 1,
        shown.stdout.path,
        " ".join(shown.command),
        DeviceLine(
            record.device.model,
            record.device.compute_capability,
            record.device.driver,
            record.device.memory_bytes,
            record.device.power_limit_watts,
        ),
        BuildLine(
            " ".join(record.build.command),
            record.build.stated_command,
            record.build.arch_replaced,
            record.build.nvcc,
            record.build.cuda,
            record.build.machine_code_digest,
            record.build.report.path if record.build.report else "",
        ),
        record.code_digest,
        program.code_digest if program else "",
        _describe_check(loaded.reader_check, stale_check),
        conditions,
        list_findings(findings),
    )


def count_days(started: str, today: dt.date) -> int:
    """Whole days from a record's date to today's; 0 when its date is none."""
    try:
        return (today - dt.date.fromisoformat(started[:10])).days
    except ValueError:
        return 0


def _describe_check(check: ReaderCheck | None, is_stale: bool) -> CheckLine:
    if check is None:
        return CheckLine("none")
    outcome = "passed" if check.passed else "failed"
    if check.could_not_check:
        outcome = "could not check"
    failed = [v for v in check.regions if not v.passed]
    return CheckLine(
        outcome,
        is_stale,
        check.seeds,
        tuple(v.region for v in check.regions if v.passed),
        check.cupy,
        check.nvrtc,
        check.could_not_check or "; ".join(f"{v.region}: {v.said}" for v in failed),
    )
