"""What can a number of the prose be bound to? Every value that the course can cite.

Measurements with each row of keys, ratios of two rows that differ in one key, quantities,
constants, and what is known of device, compiler and cited sources.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from build_tools.claims.exact import read_constant, read_fact
from build_tools.claims.model import Course
from build_tools.claims.names import Names, read_record_names
from build_tools.claims.scope import CourseScope
from build_tools.evidence.loaded import Measurement
from build_tools.quantity.expression import ExpressionError, evaluate_expression
from build_tools.quantity.value import (
    Dimensions,
    Number,
    OperationError,
    Several,
    Value,
)
from build_tools.source.facts import select_fact
from build_tools.source.model import Program

MOST_RATIOS = 2000
"""Ratios of one measurement that are looked at; a table of a thousand rows has too many."""

PLAIN, OF_DEVICE, RATIO = 0, 1, 2
"""How far an expression is from one name: a value of its own, one of many facts, two values."""


@dataclass(frozen=True)
class Citable:
    """An expression and what it comes to."""

    target: str
    """The expression, or ``given:KEY`` for a cited fact."""
    program: str
    """The program it is of; empty for what is the course's own."""
    dimensions: Dimensions
    low: float
    """The shown value in base units; the least of several."""
    high: float
    unit: str = ""
    """As its column or declaration writes it."""
    cost: int = PLAIN
    group: str = ""
    """Of those with the same group only one is worth offering: each program knows the device."""


def list_citables(course: Course) -> Iterator[Citable]:
    """Every number and every several numbers that a link can cite as they stand."""
    for citable in _list_all(course):
        if is_linkable(citable.target):
            yield citable


def _list_all(course: Course) -> Iterator[Citable]:
    yield from _list_facts(course)
    yield from _list_course_quantities(course)
    for program in course.programs.values():
        yield from _list_constants(program)
        yield from _list_program_quantities(course, program)
        record = course.shelves[program.name].shown_record
        if record is None:
            continue
        for measurement in record.shown.measurements.values():
            yield from _list_measured(program, measurement)
        for what in ("device", "compiler", "check"):
            names = read_record_names(what, program.name, record)
            if isinstance(names, Names):
                yield from _list_names(f"{program.name}.{what}", program.name, names.values, what)


def is_linkable(target: str) -> bool:
    """Whether a link can hold the target as it stands."""
    return not any(character in target for character in "|$\\\n")


def _single(
    target: str, program: str, number: Number, cost: int = PLAIN, unit: str = "", group: str = ""
) -> Citable:
    value = float(number.shown)
    return Citable(target, program, number.dimensions, value, value, unit, cost, group)


def _list_facts(course: Course) -> Iterator[Citable]:
    for fact in course.facts.values():
        chosen = select_fact(fact, course.settings.reference_gpu)
        if chosen is None:
            continue
        try:
            yield _single(f"given:{fact.key}", "", read_fact(chosen), unit=chosen.unit)
        except OperationError:
            continue  # The fact's own finding says so.


def _list_course_quantities(course: Course) -> Iterator[Citable]:
    for name, rule in course.quantities.items():
        yield from _list_value(name, "", _try(course, name), rule.unit)


def _list_program_quantities(course: Course, program: Program) -> Iterator[Citable]:
    for name, rule in program.declaration.quantities.items():
        target = f"{program.name}.{name}"
        yield from _list_value(target, program.name, _try(course, target), rule.unit)


def _try(course: Course, target: str) -> Value | None:
    try:
        return evaluate_expression(target, CourseScope(course))
    except (ExpressionError, OperationError):
        return None  # It is told where the quantity stands.


def _list_value(
    target: str, program: str, value: Value | None, unit: str = ""
) -> Iterator[Citable]:
    """A number, or several: each by its keys or its place, and all of them."""
    if isinstance(value, Number):
        yield _single(target, program, value, unit=unit)
    if not isinstance(value, Several):
        return
    numbers = [item for item in value.items if isinstance(item, Number)]
    if not numbers or len(numbers) != len(value.items):
        return
    for index, number in enumerate(numbers):
        keys = write_keys(value.labels[index]) if value.labels else f"[{index}]"
        if keys:
            yield _single(target + keys, program, number, unit=unit)
    shown = [float(number.shown) for number in numbers]
    yield Citable(target, program, numbers[0].dimensions, min(shown), max(shown), unit)


def write_keys(keys: tuple[str | None, ...]) -> str:
    """Keys as an expression writes them; empty when one of them cannot be written."""
    parts = []
    for key in keys:
        if key is None:
            parts.append(":")
        elif '"' not in key:
            parts.append(f'"{key}"')
        elif "'" not in key:
            parts.append(f"'{key}'")
        else:
            return ""
    return f"[{', '.join(parts)}]"


def _list_constants(program: Program) -> Iterator[Citable]:
    for name, constant in program.constants.items():
        try:
            value = read_constant(constant)
        except OperationError:
            continue
        yield from _list_value(f"{program.name}.source.{name}", program.name, value)


def _list_names(
    target: str, program: str, values: Mapping[str, object], what: str
) -> Iterator[Citable]:
    """What is known of a device, of kernels, of the reader's check."""
    for name, value in values.items():
        if isinstance(value, Names):
            yield from _list_names(f'{target}["{name}"]', program, value.values, "")
        elif isinstance(value, Number):
            group = f"{what}.{name}" if what == "device" else ""
            yield _single(f"{target}.{name}", program, value, OF_DEVICE, group=group)


def _name(program: Program, measurement: Measurement) -> str:
    """How an expression names a measurement: with its table where there are several."""
    several = len(program.declaration.tables) > 1
    table = f"{measurement.table}." if several and measurement.table else ""
    return f"{program.name}.{table}{measurement.name}"


def _list_measured(program: Program, measurement: Measurement) -> Iterator[Citable]:
    """Each row, each slice with one key open or given, and the ratios of two rows."""
    name = _name(program, measurement)
    dimensions, unit = measurement.unit.dimensions, measurement.unit_text
    rows = {keys: float(reading.value) for keys, reading in measurement.readings.items()}
    for keys, value in rows.items():
        written = write_keys(keys) if keys else ""
        if written or not keys:
            yield Citable(name + written, program.name, dimensions, value, value, unit)
    for pattern, values in _group_slices(rows).items():
        written = write_keys(pattern)
        if written and len(values) > 1:
            low, high = min(values), max(values)
            yield Citable(name + written, program.name, dimensions, low, high, unit)
    for above, below in _pair_rows(rows):
        first, second = write_keys(above), write_keys(below)
        if first and second and rows[below]:
            value = rows[above] / rows[below]
            target = f"{name}{first} / {name}{second}"
            yield Citable(target, program.name, (), value, value, cost=RATIO)


Row = tuple[str, ...]


def _group_slices(rows: Mapping[Row, float]) -> dict[tuple[str | None, ...], list[float]]:
    """The values of each slice: all rows, and those that share one key."""
    groups: dict[tuple[str | None, ...], list[float]] = {}
    for keys, value in rows.items():
        if not keys:
            continue
        open_ = (None,) * len(keys)
        groups.setdefault(open_, []).append(value)
        if len(keys) > 1:
            for index, key in enumerate(keys):
                groups.setdefault((*open_[:index], key, *open_[index + 1 :]), []).append(value)
    return groups


def _pair_rows(rows: Mapping[Row, float]) -> Iterator[tuple[Row, Row]]:
    """Rows that differ in one key, both ways round; no more than MOST_RATIOS."""
    groups: dict[tuple[int, Row], list[Row]] = {}
    for keys in rows:
        for index in range(len(keys)):
            groups.setdefault((index, keys[:index] + keys[index + 1 :]), []).append(keys)
    count = 0
    for group in groups.values():
        for above in group:
            for below in group:
                if above is below:
                    continue
                if count == MOST_RATIOS:
                    return
                count += 1
                yield above, below


def fold_key(text: str) -> str:
    """A key as texts are compared with it: ``512 × 512`` is ``512x512``."""
    return text.lower().replace("×", "x").replace(" ", "")


def list_keys(course: Course) -> Iterator[tuple[str, Citable]]:
    """Keys that a text can be bound to, each folded."""
    for program in course.programs.values():
        record = course.shelves[program.name].shown_record
        if record is not None:
            yield from _list_keys(program, record.shown.measurements)


def _list_keys(
    program: Program, measurements: Mapping[str, Measurement]
) -> Iterator[tuple[str, Citable]]:
    seen = set()
    several = len(program.declaration.tables) > 1
    columns = {
        (
            table.name,
            column.name,
        ): f"{program.name}.{table.name + '.' if several else ''}{column.name}"
        for table in program.declaration.tables
        for column in table.columns
        if column.is_key
    }
    for measurement in measurements.values():
        for keys in measurement.readings:
            for column, key in zip(measurement.key_names, keys, strict=True):
                name = columns.get((measurement.table, column))
                written = write_keys((key,))
                if name and written and (name, key) not in seen:
                    seen.add((name, key))
                    yield fold_key(key), Citable(name + written, program.name, (), 0.0, 0.0)


def find_constant(program: Program, value: Fraction) -> str:
    """The target of a constant of this value; empty when there is none."""
    for name, constant in program.constants.items():
        if constant.value == value:
            return f"{program.name}.source.{name}"
    return ""
