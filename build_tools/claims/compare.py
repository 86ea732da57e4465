"""How do two records of a program differ: values, circumstances, and the claims that move?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from build_tools.claims.check import judge_scan
from build_tools.claims.circumstances import CircumstanceDiff, compare_circumstances
from build_tools.claims.clocks import read_clocks
from build_tools.claims.figure import Figure, read_figure
from build_tools.claims.isolate import isolate_record
from build_tools.claims.measured import format_keys
from build_tools.claims.model import Course
from build_tools.claims.movement import name_nearest
from build_tools.claims.moves import Move, judge_move
from build_tools.claims.scope import ProgramScope
from build_tools.claims.survey import Surveyed, list_origins
from build_tools.evidence.loaded import LoadedRecord, State
from build_tools.evidence.model import Record
from build_tools.quantity.expression import ExpressionError, evaluate_expression
from build_tools.quantity.spread import Interval
from build_tools.quantity.units import parse_unit
from build_tools.quantity.value import Number, Series, Several, Value


@dataclass(frozen=True)
class ValueDiff:
    """A measurement or a quantity in both records."""

    name: str
    """As program.toml would write it, keys included."""
    before: Figure | None
    """Null where the first record has none."""
    after: Figure | None
    ratio: float | None
    """The second record's value over the first's; null where that says nothing."""
    move: Move
    why: str = ""
    """Why it is ambiguous, or between which clocks a time moved."""


@dataclass(frozen=True)
class LiteralMove:
    """A claim whose nearest literal is another one by the second record."""

    path: str
    line: int
    column: int
    text: str
    before: str
    """The nearest literal by the first record alone, in the author's style."""
    after: str
    stands: bool
    """Whether the claim agrees with the course's records as they are now."""


@dataclass(frozen=True)
class RecordDiff:
    """Two records compared."""

    program: str
    before: str
    """The path of the first record's JSON; at a revision, as it was there."""
    after: str
    before_state: State
    """Against the program as it is now."""
    after_state: State
    before_revision: str = ""
    """The commit the first record was read from; empty for the tree's."""
    after_revision: str = ""
    circumstances: tuple[CircumstanceDiff, ...] = ()
    values: tuple[ValueDiff, ...] = ()
    moved: tuple[LiteralMove, ...] = ()
    held: int = 0
    """Claims that rest on the program and whose nearest literal stays."""


@dataclass(frozen=True)
class Comparison:
    """The answer to `course diff`."""

    format: Literal[1] = field(default=1, kw_only=True)
    records: tuple[RecordDiff, ...] = ()
    """One for two records; for a revision one a program whose shown record is another."""
    unchanged: tuple[str, ...] = ()
    """For a revision, the programs whose shown record is the same."""
    error: str = ""
    """Why the two are not compared."""
    advice: str = ""


def compare_records(
    course: Course,
    pages: Sequence[Surveyed],
    before: LoadedRecord,
    after: LoadedRecord,
    revisions: tuple[str, str] = ("", ""),
) -> RecordDiff:
    """How the second record differs from the first.

    Claims are judged by each record alone, with the constants and quantities of today.
    """
    moved, held = _judge_both(course, pages, before, after)
    return RecordDiff(
        after.record.program,
        before.path,
        after.path,
        _find_state(course, before),
        _find_state(course, after),
        *revisions,
        tuple(compare_circumstances(before.record, after.record)),
        tuple(_compare_values(course, before, after)),
        tuple(moved),
        held,
    )


def _find_state(course: Course, loaded: LoadedRecord) -> State:
    program = course.programs.get(loaded.record.program)
    is_fresh = program is not None and program.code_digest == loaded.record.code_digest
    return State.FRESH if is_fresh else State.STALE


def _compare_values(
    course: Course, before: LoadedRecord, after: LoadedRecord
) -> Iterator[ValueDiff]:
    """Measurement by measurement, then quantity by quantity."""
    old, new = read_numbers(before), read_numbers(after)
    processes = min(len(before.record.processes), len(after.record.processes))
    for name in dict.fromkeys([*new, *old]):
        yield _compare_pair(name, old.get(name), new.get(name), processes)
    program = course.programs.get(after.record.program)
    for rule in program.declaration.quantities.values() if program else ():
        pair = [_evaluate_in(course, record, rule.name) for record in (before, after)]
        for name in dict.fromkeys([*pair[1], *pair[0]]):
            yield _compare_pair(name, pair[0].get(name), pair[1].get(name), processes)


def read_numbers(loaded: LoadedRecord) -> dict[str, Number]:
    """A record's measurements by name and keys, from its transcripts.

    Where those cannot be read, for want of a declaration, as the record's JSON has them.
    """
    numbers: dict[str, Number] = {}
    origins = frozenset({loaded.path})
    if not loaded.transcripts:
        for entry in loaded.record.measurements:
            band = Interval(Fraction(entry.band_low), Fraction(entry.band_high))
            value = Fraction(entry.samples[loaded.record.shown])
            series = Series(origins, value, (), Fraction(0), True, band)
            dimensions = parse_unit(entry.unit).dimensions
            numbers[_name(entry.name, entry.keys)] = Number(dimensions, None, (series,))
        return numbers
    for measurement in loaded.shown.measurements.values():
        for keys, shown in measurement.readings.items():
            readings = [
                t.measurements[measurement.name].readings.get(keys)
                for t in loaded.transcripts
                if measurement.name in t.measurements
            ]
            samples = tuple(r.value for r in readings if r is not None)
            if len(samples) == len(loaded.transcripts):
                clocks = read_clocks(loaded.record, keys)
                series = Series(origins, shown.value, samples, shown.half, clocks=clocks)
                dimensions = measurement.unit.dimensions
                numbers[_name(measurement.name, keys)] = Number(dimensions, None, (series,))
    return numbers


def _name(name: str, keys: tuple[str, ...]) -> str:
    return name + (format_keys(keys) if keys else "")


def _evaluate_in(course: Course, record: LoadedRecord, name: str) -> dict[str, Number]:
    """A quantity's numbers in one record, by name and keys; none when it has no value there."""
    program = course.programs.get(record.record.program)
    if program is None or not record.transcripts:
        return {}
    try:
        scope = ProgramScope(isolate_record(course, record), program, (), True)
        value = evaluate_expression(name, scope)
    except ExpressionError:
        return {}
    return dict(_list_numbers(name, value))


def _list_numbers(name: str, value: Value) -> Iterator[tuple[str, Number]]:
    match value:
        case Number():
            yield name, value
        case Several():
            labels = value.labels or tuple((str(i),) for i in range(len(value.items)))
            for label, item in zip(labels, value.items, strict=True):
                if isinstance(item, Number):
                    yield _name(name, label), item


def _compare_pair(
    name: str, before: Number | None, after: Number | None, processes: int
) -> ValueDiff:
    old = read_figure(before) if before is not None else None
    new = read_figure(after) if after is not None else None
    if before is None or after is None:
        return ValueDiff(name, old, new, None, Move.NEW if before is None else Move.GONE)
    if before.dimensions != after.dimensions:
        return ValueDiff(name, old, new, None, Move.UNLIKE)
    ratio = float(after.shown / before.shown) if before.shown else None
    move, why = judge_move(before, after, processes)
    return ValueDiff(name, old, new, ratio, move, why)


def _judge_both(
    course: Course, pages: Sequence[Surveyed], before: LoadedRecord, after: LoadedRecord
) -> tuple[list[LiteralMove], int]:
    """The claims whose nearest literal differs between the two, and how many do not."""
    program = after.record.program
    if program not in course.programs or before.record.program != program:
        return [], 0
    if not before.transcripts or not after.transcripts:
        return [], 0
    first, second = (isolate_record(course, record) for record in (before, after))
    moved: list[LiteralMove] = []
    held = 0
    for page in pages:
        judged = (judge_scan(alone, page.scan) for alone in (first, second))
        for old, new, now in zip(*judged, page.verdicts, strict=True):
            if after.path not in list_origins(new):
                continue
            was, is_now = name_nearest(old) or "", name_nearest(new) or ""
            if was == is_now:
                held += 1
                continue
            claim = now.claim
            moved.append(
                LiteralMove(
                    claim.place.path,
                    claim.place.line,
                    claim.place.column,
                    claim.text,
                    was,
                    is_now,
                    not now.findings,
                )
            )
    return moved, held


def explain_refusal(
    before: Record, after: Record, *, across_devices: bool, across_programs: bool
) -> tuple[str, str]:
    """Why two records are not compared, and what to do; two empty texts when they are."""
    if before.program != after.program and not across_programs:
        return (
            f"the records are of two programs, `{before.program}` and `{after.program}`",
            "name records of one program, or say --across-programs",
        )
    if before.device.model != after.device.model and not across_devices:
        return (
            f"the records are of two devices, {before.device.model} and {after.device.model}",
            "name records of one device, or say --across-devices",
        )
    return "", ""


def list_shown(course: Course) -> dict[str, LoadedRecord]:
    """The shown record of each program that has one."""
    return {
        name: shelf.shown_record
        for name, shelf in course.shelves.items()
        if shelf.shown_record is not None
    }
