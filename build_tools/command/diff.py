"""Which two records does a question name, and how is their difference printed?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from build_tools.claims.compare import (
    Comparison,
    RecordDiff,
    ValueDiff,
    compare_records,
    explain_refusal,
    list_shown,
)
from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.claims.moves import Move
from build_tools.claims.survey import Surveyed
from build_tools.command.revision import RevisionError, open_revision, resolve_revision
from build_tools.diagnostics.finding import suggest_names
from build_tools.evidence.find_record import find_record_paths, open_record, suggest_records
from build_tools.evidence.loaded import LoadedRecord


@dataclass(frozen=True)
class Side:
    """What one side of a comparison names: a record, or what the course showed at a revision."""

    text: str
    record: LoadedRecord | None = None
    shown: dict[str, LoadedRecord] | None = None
    """By program, where a revision was named alone."""
    revision: str = ""
    """The commit; empty for the tree."""


class SideError(Exception):
    """A side names nothing that can be compared."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.advice = advice


def compare_sides(
    course: Course,
    pages: Sequence[Surveyed],
    before: str,
    after: str | None,
    *,
    across_devices: bool = False,
    across_programs: bool = False,
) -> Comparison:
    """What `course diff BEFORE AFTER` answers; without AFTER the course's shown records."""
    try:
        first = read_side(course, before)
        second = read_side(course, after) if after is not None else _show_now(course, first)
        pairs, unchanged = _pair_sides(first, second)
    except SideError as error:
        return Comparison(error=str(error), advice=error.advice)
    diffs = []
    for old, new in pairs:
        refusal, advice = explain_refusal(
            old.record,
            new.record,
            across_devices=across_devices,
            across_programs=across_programs,
        )
        if refusal:
            return Comparison(error=refusal, advice=advice)
        revisions = first.revision, second.revision
        diffs.append(compare_records(course, pages, old, new, revisions))
    return Comparison(tuple(diffs), unchanged)


def read_side(course: Course, text: str) -> Side:
    """What a text names. Raises SideError.

    ``run-DATE``, ``PROGRAM@run-DATE``, a path of a record's file, ``PROGRAM`` for its shown
    record, ``PROGRAM@REVISION`` and ``REVISION`` for what was shown at a commit.
    """
    paths = find_record_paths(course.root, course.programs, text)
    if len(paths) > 1:
        message = f"`{text}` names {len(paths)} records: {', '.join(paths)}"
        raise SideError(message, f"name one by its path, or as PROGRAM@{text}")
    if paths:
        return Side(text, _open(course, paths[0]))
    near = suggest_records(course.root, course.programs, text)
    if near is not None:
        raise SideError(f"there is no record `{text}`", near)
    if text in course.programs:
        return Side(text, _take_shown(list_shown(course), text, ""))
    program, separator, name = text.partition("@")
    if separator and program in course.programs:
        shown, revision = _read_revision(course, name)
        return Side(text, _take_shown(shown, program, name), None, revision)
    shown, revision = _read_revision(course, text)
    return Side(text, None, shown, revision)


def _open(course: Course, path: str) -> LoadedRecord:
    loaded, findings = open_record(course.root, course.programs, path)
    if loaded is None or findings:
        first = findings[0]
        message = f"{first.place}: the record is not as it was measured: {first.true}"
        raise SideError(message, first.advice)
    return loaded


def _take_shown(shown: dict[str, LoadedRecord], program: str, revision: str) -> LoadedRecord:
    if program in shown:
        return shown[program]
    at = f" at `{revision}`" if revision else ""
    raise SideError(
        f"`{program}` has no fresh record{at}",
        f"name one of its records, as `{program}@run-DATE`; `course history {program}` lists them",
    )


def _read_revision(course: Course, name: str) -> tuple[dict[str, LoadedRecord], str]:
    """The records that the course showed at a revision, and its commit."""
    known = [*course.programs, "HEAD"]
    try:
        revision = resolve_revision(course.root, name)
        if revision is None:
            raise SideError(
                f"`{name}` is no record, no program and no revision",
                f"{suggest_names(name, known)}; a record is named by its path, run-DATE or "
                "PROGRAM@run-DATE",
            )
        with open_revision(course.root, revision) as folder:
            return list_shown(load_course(Path(folder))), revision
    except RevisionError as error:
        raise SideError(
            f"`{name}` is no record and no program, and as a revision it cannot be read: {error}",
            f"{suggest_names(name, known)}; a record is named by its path, run-DATE or "
            "PROGRAM@run-DATE",
        ) from None


def _show_now(course: Course, first: Side) -> Side:
    """The tree's shown records, for what the first side names."""
    shown = list_shown(course)
    if first.record is None:
        return Side("the tree", None, shown)
    return Side("the tree", _take_shown(shown, first.record.record.program, ""))


def _pair_sides(
    first: Side, second: Side
) -> tuple[list[tuple[LoadedRecord, LoadedRecord]], tuple[str, ...]]:
    """The pairs of records to compare, and the programs whose record is the same."""
    if first.shown is not None and second.shown is not None:
        both = [name for name in second.shown if name in first.shown]
        if not both:
            message = f"no program has a fresh record both at `{first.text}` and at `{second.text}`"
            raise SideError(message, "name two records, as PROGRAM@run-DATE")
        pairs = [(first.shown[name], second.shown[name]) for name in both]
        same = tuple(old.record.program for old, new in pairs if _is_same(old, new))
        return [pair for pair in pairs if not _is_same(*pair)], same
    old, new = first.record, second.record
    if old is None and new is not None:
        old = _take_shown(first.shown or {}, new.record.program, first.text)
    if new is None and old is not None:
        new = _take_shown(second.shown or {}, old.record.program, second.text)
    if old is None or new is None:  # pragma: no cover - one side has one of the two
        raise AssertionError(first, second)
    if _is_same(old, new):
        raise SideError(f"both sides are the record {new.path}", "name two different ones")
    return [(old, new)], ()


def _is_same(old: LoadedRecord, new: LoadedRecord) -> bool:
    return old.path == new.path and old.record.seals == new.record.seals


def describe_comparison(answer: Comparison, everything: bool = False) -> Iterator[str]:
    """A comparison in lines; ``everything`` adds the values that are the same."""
    if answer.error:
        yield answer.error
        yield f"    do: {answer.advice}"
        return
    for index, diff in enumerate(answer.records):
        if index:
            yield ""
        yield from _describe_diff(diff, everything)
    if answer.unchanged:
        yield f"the same record is shown: {', '.join(answer.unchanged)}"


def _label(label: str, text: str) -> str:
    return f"{label:<11}{text}"


def _describe_diff(diff: RecordDiff, everything: bool) -> Iterator[str]:
    yield diff.program
    for label, path, state, revision in (
        ("  before", diff.before, diff.before_state, diff.before_revision),
        ("  after", diff.after, diff.after_state, diff.after_revision),
    ):
        at = f", at {revision[:12]}" if revision else ""
        yield _label(label, f"{path}  ({state}{at})")
    for index, change in enumerate(diff.circumstances):
        label = "  changed" if index == 0 else ""
        yield _label(label, f"{change.what}: {change.before or '—'} → {change.after or '—'}")
    if not diff.circumstances:
        yield _label("  changed", "nothing but the values")
    counts = {move: sum(value.move is move for value in diff.values) for move in Move}
    told = "; ".join(f"{count} {move}" for move, count in counts.items() if count)
    yield _label("  values", told or "none")
    listed = [value for value in diff.values if everything or value.move is not Move.SAME]
    width = max((len(value.name) for value in listed), default=0)
    moves = max((len(value.move) for value in listed), default=0)
    for value in listed:
        yield f"    {_say_value(value, width, moves)}"
    if diff.moved or diff.held:
        yield _label("  claims", f"{len(diff.moved)} moved, {diff.held} held")
    else:
        yield _label("  claims", "none rests on these values")
    for moved in diff.moved:
        stands = "it stands" if moved.stands else "it does not hold now"
        yield (
            f"    {moved.path}:{moved.line}:{moved.column}: [{moved.text}] "
            f"{moved.before or 'no value'} → {moved.after or 'no value'}; {stands}"
        )


def _say_value(value: ValueDiff, width: int, moves: int) -> str:
    sides = []
    for figure in (value.before, value.after):
        shown = figure.shown if figure else "—"
        sides.append(f"{shown} ({figure.band})" if figure and figure.band else shown)
    ratio = f"  ×{value.ratio:.4g}" if value.ratio is not None else ""
    why = f" ({value.why})" if value.why else ""
    return f"{value.name:<{width}}  {value.move:<{moves}}  {sides[0]} → {sides[1]}{ratio}{why}"
