"""What do the names in an expression mean? Programs, their measurements, constants and device."""

from __future__ import annotations

import re
from dataclasses import dataclass

from build_tools.claims.model import Course
from build_tools.claims.names import Names, miss_name, read_record_names
from build_tools.diagnostics.finding import suggest_names
from build_tools.evidence.model import LoadedRecord, Measurement
from build_tools.evidence.pool import select_pool
from build_tools.quantity.expression import ExpressionError, Namespace, evaluate_expression
from build_tools.quantity.numeral import UnreadableError
from build_tools.quantity.operations import Key
from build_tools.quantity.printed import parse_printed
from build_tools.quantity.units import UnitError, parse_unit
from build_tools.quantity.value import (
    Number,
    OperationError,
    Series,
    Several,
    Text,
    Value,
    attach_unit,
    describe_value,
    make_exact,
)
from build_tools.source.model import Constant, Fact, Program, QuantityRule

LATER = frozenset({"counters", "sanitizer"})
"""Names kept for what records do not hold yet."""


class NoEvidenceError(OperationError):
    """The expression rests on a program that has no fresh record."""

    def __init__(self, program: str) -> None:
        super().__init__(
            f"`{program}` has no fresh record", f"run `course run {program}` on the reference GPU"
        )
        self.program = program


@dataclass(frozen=True)
class CourseScope:
    """The names of the course: its programs, and ``given`` for cited facts."""

    course: Course

    def get_attribute(self, name: str) -> Value | Namespace:
        if name in self.course.programs:
            return ProgramScope(self.course, self.course.programs[name])
        if name == "given":
            return Names("given", {k: read_fact(f) for k, f in self.course.facts.items()})
        raise OperationError(
            f"there is no program `{name}`", suggest_names(name, self.course.programs)
        )

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        raise OperationError(f"the course has no keys {keys}", "start with a program's name")

    def describe(self) -> str:
        return "the course"


@dataclass(frozen=True)
class ProgramScope:
    """The names of one program. ``pending`` are the quantities being evaluated, for cycles."""

    course: Course
    program: Program
    pending: tuple[str, ...] = ()
    local: bool = False
    """Whether names of the course are found too, as in a quantity of program.toml."""

    def get_attribute(self, name: str) -> Value | Namespace:
        program = self.program
        if name == "source":
            return _SourceScope(program)
        if name in program.declaration.quantities:
            return self.evaluate_quantity(program.declaration.quantities[name])
        if name in ("device", "compiler", "check"):
            return read_record_names(name, program.name, self.newest())
        if name in LATER:
            raise OperationError(f"records hold no {name} yet", "use a measurement")
        table = next((t for t in program.declaration.tables if t.name == name), None)
        if table is not None:
            return TableScope(self, table.name)
        return self.find_measured(name, None)

    def find_measured(self, name: str, table: str | None) -> Value | Namespace:
        """A measurement or a key column by its name, in one table or anywhere."""
        declaration = self.program.declaration
        for rule in declaration.tables:
            if table not in (None, rule.name):
                continue
            for column in rule.columns:
                if column.name != name:
                    continue
                if table is None and len(declaration.tables) > 1:
                    raise OperationError(
                        f"`{self.program.name}` has several tables",
                        f"write `{self.program.name}.{rule.name}.{name}`",
                    )
                if column.is_key:
                    return KeyScope(self, rule.name, name)
                return self.measure(name)
        known = self.list_names()
        if table is None and name in known:
            return self.measure(name)
        if self.local and table is None:
            if name == "given" or name in self.course.programs:
                return CourseScope(self.course).get_attribute(name)
            known += ["given", *self.course.programs]
        raise miss_name(name, f"`{self.program.name}`", known)

    def list_names(self) -> list[str]:
        """Every name of the program that a claim may use."""
        declaration = self.program.declaration
        names = [c.name for t in declaration.tables for c in t.columns]
        names += list(declaration.quantities)
        record = self.course.shelves[self.program.name].shown_record
        if record is not None:
            names += list(record.shown.measurements)
        else:
            names += [n for rule in declaration.lines for n in list_line_fields(rule.pattern)]
        return [*dict.fromkeys(names), "source", "device", "compiler", "check"]

    def newest(self) -> LoadedRecord:
        """The newest fresh record of the reference device. Raises NoEvidenceError."""
        record = self.course.shelves[self.program.name].shown_record
        if record is None:
            raise NoEvidenceError(self.program.name)
        return record

    def measure(self, name: str) -> Value | Namespace:
        """The measurement, or its one number when it has no keys."""
        shown = self.newest().shown.measurements.get(name)
        if shown is None:
            raise OperationError(
                f"the record of `{self.program.name}` has no `{name}`",
                f"run `course run {self.program.name}`",
            )
        scope = MeasurementScope(self, shown)
        return scope if shown.key_names else scope.collect(())

    def evaluate_quantity(self, rule: QuantityRule) -> Value:
        """A named quantity's value, with its unit."""
        if rule.name in self.pending:
            chain = " → ".join((*self.pending, rule.name))
            raise OperationError(f"quantities go round in a circle: {chain}", "break the circle")
        inner = ProgramScope(self.course, self.program, (*self.pending, rule.name), True)
        try:
            value = evaluate_expression(rule.expression, inner)
            return apply_unit(value, rule.unit)
        except ExpressionError as error:
            cause = error.__cause__
            if isinstance(cause, NoEvidenceError):
                raise cause from None
            raise OperationError(f"quantity `{rule.name}`: {error.message}", error.advice) from None

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        raise OperationError(
            f"`{self.program.name}` has no keys {keys}", "name a measurement before the brackets"
        )

    def describe(self) -> str:
        return f"the program `{self.program.name}`"


def list_line_fields(pattern: str) -> list[str]:
    """The names of a line pattern's fields: ``{speedup:g}`` gives ``speedup``."""
    return re.findall(r"\{([a-z][a-z0-9_]*)[:}]", pattern)


def apply_unit(value: Value, unit_text: str) -> Value:
    """Give a bare value the unit, or require that it has its dimensions already."""
    if not unit_text:
        return value
    unit = parse_unit(unit_text)
    match value:
        case Number() if value.dimensions == unit.dimensions:
            return value
        case Number() if not value.dimensions:
            return attach_unit(value, unit)
        case Several():
            return Several(tuple(apply_unit(i, unit_text) for i in value.items), value.labels)
    raise OperationError(
        f"the value is {describe_value(value)}, declared in {unit_text}",
        "change the unit or the expression",
    )


@dataclass(frozen=True)
class _SourceScope:
    """A program's constants."""

    program: Program

    def get_attribute(self, name: str) -> Value | Namespace:
        constant = self.program.constants.get(name)
        if constant is None:
            raise miss_name(name, f"`{self.program.name}.source`", self.program.constants)
        return read_constant(constant)

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        raise OperationError(f"`source` has no keys {keys}", "write `source.name`")

    def describe(self) -> str:
        return f"the constants of `{self.program.name}`"


def read_constant(constant: Constant) -> Value:
    """A constant's value. Raises OperationError when its initializer is beyond what is read."""
    if constant.value is None:
        raise OperationError(
            f"the value of `{constant.name}` is not read: {constant.reason}",
            "use a constant with a plain initializer",
        )
    if isinstance(constant.value, tuple):
        return Several(tuple(make_exact(v) for v in constant.value))
    return make_exact(constant.value)


def read_fact(fact: Fact) -> Number:
    """A cited fact as an exact number that says it is cited."""
    try:
        printed = parse_printed(f"{fact.value} {fact.unit}".strip())
    except (UnreadableError, UnitError) as error:
        raise OperationError(f"the fact `{fact.key}` is not read: {error}", "mend it") from None
    return Number(printed.unit.dimensions, printed.low.value * printed.factor, cited=True)


@dataclass(frozen=True)
class TableScope:
    """One of several tables of a program."""

    program: ProgramScope
    table: str

    def get_attribute(self, name: str) -> Value | Namespace:
        return self.program.find_measured(name, self.table)

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        raise OperationError(f"the table `{self.table}` has no keys {keys}", "name a column first")

    def describe(self) -> str:
        return f"the table `{self.table}`"


@dataclass(frozen=True)
class KeyScope:
    """A key column: ``case["512x512x512"]`` is that key, once it is known to be one."""

    program: ProgramScope
    table: str
    column: str

    def keys(self) -> list[str]:
        """The column's distinct keys, in the transcript's order."""
        table = self.program.newest().shown.tables[self.table]
        rule = next(t for t in self.program.program.declaration.tables if t.name == self.table)
        header = next(c.header for c in rule.columns if c.name == self.column)
        index = table.columns.index(header)
        return list(dict.fromkeys(row[index] for row in table.rows))

    def get_attribute(self, name: str) -> Value | Namespace:
        raise OperationError(f"keys have no `{name}`", "end the expression there")

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        known = self.keys()
        if keys == (None,):
            return Several(tuple(Text(key) for key in known))
        if len(keys) == 1 and keys[0] in known:
            return Text(keys[0] or "")
        raise OperationError(
            f"`{self.column}` has no key {format_keys(keys)}", suggest_names(str(keys[0]), known)
        )

    def describe(self) -> str:
        return f"the keys of column `{self.column}`"


@dataclass(frozen=True)
class MeasurementScope:
    """A measurement with keys, in every fresh record."""

    program: ProgramScope
    measurement: Measurement

    def get_attribute(self, name: str) -> Value | Namespace:
        raise OperationError(
            f"`{self.measurement.name}` has no `{name}`", "give its keys in brackets"
        )

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        names = self.measurement.key_names
        if keys == (None,) and len(names) > 1:
            keys = (None,) * len(names)
        if len(keys) != len(names):
            raise OperationError(
                f"`{self.measurement.name}` has the keys {', '.join(names)}: {len(names)} are "
                f"needed, {len(keys)} given",
                f"write `{self.measurement.name}[{', '.join(f'<{n}>' for n in names)}]`",
            )
        if None not in keys:
            return self.collect(tuple(key or "" for key in keys))
        rows = [row for row in self.measurement.readings if matches(row, keys)]
        if not rows:
            raise self.no_row(keys)
        labels = tuple(
            tuple(part for part, key in zip(row, keys, strict=True) if key is None) for row in rows
        )
        return Several(tuple(self.collect(row) for row in rows), labels)

    def collect(self, row: tuple[str, ...]) -> Number:
        """The number at these keys, over all fresh records. Raises OperationError."""
        if row not in self.measurement.readings:
            raise self.no_row(row)
        shelf = self.program.course.shelves[self.program.program.name]
        pool = {record.path for record in select_pool(shelf)}
        series = []
        for record in shelf.fresh:
            readings = [
                t.measurements[self.measurement.name].readings.get(row)
                for t in record.transcripts
                if self.measurement.name in t.measurements
            ]
            samples = [r for r in readings if r is not None]
            if len(samples) != len(record.transcripts):
                continue
            shown = samples[record.record.shown]
            values = tuple(r.value for r in samples)
            series.append(
                Series(
                    frozenset({record.path}), shown.value, values, shown.half, record.path in pool
                )
            )
        return Number(self.measurement.unit.dimensions, None, tuple(series))

    def no_row(self, keys: tuple[Key, ...]) -> OperationError:
        """The error for keys that no row has, with near matches for the first that differs."""
        rows = list(self.measurement.readings)
        for index, key in enumerate(keys):
            known = sorted({row[index] for row in rows})
            if key is not None and key not in known:
                return OperationError(
                    f'`{self.measurement.name}` has no {self.measurement.key_names[index]} "{key}"',
                    suggest_names(key, known),
                )
        return OperationError(
            f"`{self.measurement.name}` has no row {format_keys(keys)}", "see the transcript"
        )

    def describe(self) -> str:
        return f"the measurement `{self.measurement.name}`"


def matches(row: tuple[str, ...], keys: tuple[Key, ...]) -> bool:
    """Whether a row has the keys that are given."""
    return all(key is None or key == part for part, key in zip(row, keys, strict=True))


def format_keys(keys: tuple[Key, ...]) -> str:
    """Keys as an expression writes them."""
    return "[" + ", ".join(":" if key is None else f'"{key}"' for key in keys) + "]"
