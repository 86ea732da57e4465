"""How does each row of a measurement lie to one of them? Ratios, bands and verdicts."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from build_tools.claims.floor import count_within, find_percentile, leave_out, list_pairs
from build_tools.claims.measured import ALIKE_KEYS, Measured, MeasurementScope
from build_tools.diagnostics.finding import suggest_names
from build_tools.evidence.loaded import Measurement, Shelf
from build_tools.quantity.comparison import find_time_power
from build_tools.quantity.judge import find_thin_series
from build_tools.quantity.operations import apply_binary
from build_tools.quantity.ranking import rank_numbers
from build_tools.quantity.spread import MINIMUM_PROCESSES
from build_tools.quantity.value import (
    Number,
    OperationError,
    Word,
    make_exact,
)
from build_tools.source.model import Program


@dataclass(frozen=True)
class ComparedRow:
    """One row beside the one that it is compared with."""

    keys: tuple[str, ...]
    printed: str
    """The value's digits in the shown run."""
    ratio: Number | None
    """The value over the reference's; None for the reference itself."""
    word: Word | None
    """None for the reference, and where too few processes say nothing."""


@dataclass(frozen=True)
class Compared:
    """All rows of a measurement, each against that of its own case which has one key."""

    measurement: Measurement
    column: str
    """The key column that holds what is compared."""
    against: str
    """Its key of the rows that the others are compared with."""
    rows: tuple[ComparedRow, ...]
    left_out: int
    """Rows of cases that have no such row."""
    floor: float | None
    """The log ratio that most pairs of the same kernel stay below; None where there is none."""
    pairs: int
    within: int
    """How many of the pairs lie within the floor."""


def compare_rows(program: Program, shelf: Shelf, options: Mapping[str, str]) -> Compared:
    """What the block ``comparison`` shows of the records on a shelf.

    Raises OperationError for options that name nothing, NoEvidenceError without a fresh record.
    """
    measured = Measured(program, shelf)
    record = measured.newest()
    known = record.shown.measurements
    name = _choose_measurement(known, options.get("measurement", ""))
    column = _choose_column(program, known[name], options.get("of", ""))
    scope = MeasurementScope(measured, known[name])
    against = _choose_key(known[name], column, options.get("against", ""))
    at = known[name].key_names.index(column)
    rows = [_compare_row(scope, row, at, against) for row in known[name].readings]
    pairs = list_pairs(program, record, name)
    return Compared(
        known[name],
        column,
        against,
        tuple(row for row in rows if row is not None),
        rows.count(None),
        float(find_percentile([pair.ratio for pair in pairs])) if pairs else None,
        len(pairs),
        count_within(len(pairs)),
    )


def list_comparable(measurements: Mapping[str, Measurement]) -> list[str]:
    """The measurements that a verdict can be given on: times with keys first, then such rates."""
    powers = {
        name: find_time_power(make_exact(1, found.unit.dimensions))
        for name, found in measurements.items()
        if found.key_names
    }
    return [name for power in (1, -1) for name, its in powers.items() if its == power]


def _choose_measurement(known: Mapping[str, Measurement], asked: str) -> str:
    comparable = list_comparable(known)
    if asked in comparable:
        return asked
    if asked in known:
        raise OperationError(
            f"`{asked}` is no time and no rate with keys", suggest_names(asked, comparable)
        )
    if asked:
        raise OperationError(f"there is no measurement `{asked}`", suggest_names(asked, comparable))
    if not comparable:
        raise OperationError(
            "the program measures no time and no rate with keys", "declare a table of some"
        )
    return comparable[0]


def _choose_column(program: Program, measurement: Measurement, asked: str) -> str:
    names = measurement.key_names
    if asked:
        if asked in names:
            return asked
        what = f"`{measurement.name}` has no key column `{asked}`"
        raise OperationError(what, suggest_names(asked, names))
    timed_twice = [rule.column for rule in program.declaration.parts.again.values()]
    usual = [name for name in names if name in timed_twice]
    if len(names) == 1 or len(usual) == 1:
        return names[0] if len(names) == 1 else usual[0]
    listed = " or ".join(f"`of: {name}`" for name in names)
    raise OperationError(f"`{measurement.name}` has several key columns", f"name one: {listed}")


def _choose_key(measurement: Measurement, column: str, asked: str) -> str:
    at = measurement.key_names.index(column)
    keys = list(dict.fromkeys(row[at] for row in measurement.readings))
    if not asked:
        listed = " or ".join(f"`against: {key}`" for key in keys[:3])
        raise OperationError("it says not what to compare with", f"name a {column}: {listed}")
    if asked not in keys:
        what = f"`{column}` has no key `{asked}`"
        raise OperationError(what, suggest_names(asked, keys, ALIKE_KEYS))
    return asked


def _compare_row(
    scope: MeasurementScope, row: Sequence[str], at: int, against: str
) -> ComparedRow | None:
    """None for a row of a case that has no row to compare with."""
    keys = tuple(row)
    printed = scope.measurement.readings[keys].text
    if keys[at] == against:
        return ComparedRow(keys, printed, None, None)
    reference = (*leave_out(keys, at)[:at], against, *leave_out(keys, at)[at:])
    if reference not in scope.measurement.readings:
        return None
    mine, its = scope.collect(keys), scope.collect(reference)
    is_thin = any(find_thin_series(number, MINIMUM_PROCESSES) for number in (mine, its))
    ratio = None
    if its.shown:
        ratio = apply_binary(ast.Div(), mine, its)
    return ComparedRow(
        keys,
        printed,
        ratio if isinstance(ratio, Number) else None,
        None if is_thin else rank_numbers(mine, its),
    )
