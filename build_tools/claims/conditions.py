"""What would make a record stale, and which of it is so now?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from build_tools.claims.model import Course
from build_tools.diagnostics.finding import Place
from build_tools.evidence.model import Record
from build_tools.evidence.reader import compute_reader_digest
from build_tools.source.changes import Change
from build_tools.source.model import Program, slugify_device


@dataclass(frozen=True)
class Condition:
    """One thing on which a record's freshness hangs."""

    what: str
    """What would make the record, or its reader's check, stale."""
    so: bool
    """Whether it is so now."""
    path: str
    """Where the thing stands now."""
    line: int
    column: int
    detail: str = ""
    """What it was and is, where it is so and known."""


def describe_changed(change: Change) -> str:
    """What a change was and is: ``was `a` and is `b```."""
    was, now = (_quote(text) for text in (change.was, change.now))
    if change.what == "include":
        return f"{now} is new" if change.now else f"{was} is gone"
    if change.what == "code":
        return "which token changed is not known: no revision of it was found"
    if not change.was:
        return f"{now} is new"
    return f"was {was} and is {now}" if change.now else f"{was} is gone"


def _quote(text: str) -> str:
    shown = text if len(text) <= 80 else text[:80] + "…"
    return "the end of a line" if text == "\n" else f"`{shown}`"


def compare_with_record(record: Record, program: Program) -> tuple[Change, ...]:
    """What the record itself tells of how the program's code differs from what it was made from.

    A changed token is beyond it: then one change of the kind ``code`` says so.
    """
    header = program.header
    required = program.declaration.requires_compute_capability
    command = " ".join(record.processes[0].command) if record.processes else ""
    changes = []
    for what, place, was, now in (
        ("Build", header.build_place, record.build.stated_command, header.build),
        ("Run", header.run_place, command, header.run),
        (
            "requires",
            Place(program.declaration.path),
            record.requirements.get("compute_capability", ""),
            required,
        ),
    ):
        if " ".join(was.split()) != " ".join(now.split()):
            changes.append(Change(what, place, was, now))
    return tuple(changes) or (Change("code", Place(program.path), "", ""),)


def list_conditions(
    course: Course, program: Program, record: Record, changes: Sequence[Change]
) -> tuple[Condition, ...]:
    """All that the record's freshness hangs on, in the order of the reader's interest.

    ``changes`` are those of a stale record; none for a fresh one.
    """
    header, declared = program.header, Place(program.declaration.path)
    wanted: list[tuple[str, str, Place]] = [
        ("token", f"another token in {path}", Place(path))
        for path in (program.path, *program.includes)
    ]
    wanted += [
        ("include", "another list of files that it includes", Place(program.path)),
        ("Build", "another Build command", header.build_place),
        ("Run", "another Run command", header.run_place),
        ("runs", "other arguments of a further run", declared),
        ("requires", "another requirement", declared),
    ]
    conditions = []
    for what, text, place in wanted:
        told = ("token", "code") if what == "token" else (what,)
        found = [
            change
            for change in changes
            if change.what in told and (what != "token" or change.place.path == place.path)
        ]
        conditions.append(_build(text, found, place))
    slug = slugify_device(record.device.model)
    if slug == course.settings.reference_slug:
        conditions.append(Condition("another reference device", False, "course.toml", 1, 1))
    if record.reader_check is not None and program.check_path:
        conditions.append(
            Condition(
                "another check.py, or another token in a region that readers copy "
                "(the reader's check alone)",
                _is_check_stale(course.root, program, record.reader_check.digest),
                program.check_path,
                1,
                1,
            )
        )
    return tuple(conditions)


def _build(text: str, found: Sequence[Change], place: Place) -> Condition:
    if not found:
        return Condition(text, False, place.path, place.line, place.column)
    at = found[0].place
    detail = "; ".join(describe_changed(change) for change in found)
    return Condition(text, True, at.path, at.line, at.column, detail)


def _is_check_stale(root: Path, program: Program, digest: str) -> bool:
    try:
        return compute_reader_digest(root, program) != digest
    except OSError:
        return True
