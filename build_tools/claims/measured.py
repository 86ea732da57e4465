"""What do names mean that stand for what was measured? Tables, keys and measurements."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from build_tools.claims.clocks import read_clocks
from build_tools.claims.floor import compute_floor
from build_tools.claims.names import NoEvidenceError, miss_name
from build_tools.diagnostics.finding import suggest_names
from build_tools.evidence.loaded import LoadedRecord, Measurement, Shelf
from build_tools.evidence.pool import select_pool
from build_tools.quantity.expression import Namespace
from build_tools.quantity.operations import Key
from build_tools.quantity.value import (
    Number,
    OperationError,
    Series,
    Several,
    Text,
    Value,
)
from build_tools.source.model import Program

SUGGESTED_ITEMS = 3
"""How many values are named to someone who named none."""

ALIKE_KEYS = 0.85
"""What makes one key a slip of the pen for another: sizes look alike, and none is meant for one."""


def list_line_fields(pattern: str) -> list[str]:
    """The names of a line pattern's fields: ``{speedup:g}`` gives ``speedup``."""
    return re.findall(r"\{([a-z][a-z0-9_]*)[:}]", pattern)


@dataclass(frozen=True)
class Measured:
    """What a program's records measured; ``shelf`` holds those that are spoken of."""

    program: Program
    shelf: Shelf

    def newest(self) -> LoadedRecord:
        """The newest fresh record. Raises NoEvidenceError."""
        record = self.shelf.shown_record
        if record is None:
            raise NoEvidenceError(self.program.name)
        return record

    def list_names(self) -> list[str]:
        """Every name that was, or is declared to be, measured."""
        declaration = self.program.declaration
        names = [c.name for t in declaration.tables for c in t.columns]
        record = self.shelf.shown_record
        if record is not None:
            names += list(record.shown.measurements)
        else:
            names += [n for rule in declaration.lines for n in list_line_fields(rule.pattern)]
        return list(dict.fromkeys(names))

    def find(self, name: str, table: str | None = None) -> Value | Namespace | None:
        """A measurement or a key column by its name, in one table or anywhere; else None."""
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
                return KeyScope(self, rule.name, name) if column.is_key else self.measure(name)
        if table is None and name in self.list_names():
            return self.measure(name)
        return None

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


@dataclass(frozen=True)
class TableScope:
    """One of several tables of a program."""

    measured: Measured
    table: str

    def get_attribute(self, name: str) -> Value | Namespace:
        found = self.measured.find(name, self.table)
        if found is not None:
            return found
        rule = next(t for t in self.measured.program.declaration.tables if t.name == self.table)
        raise miss_name(name, f"the table `{self.table}`", [c.name for c in rule.columns])

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        raise OperationError(f"the table `{self.table}` has no keys {keys}", "name a column first")

    def describe(self) -> str:
        return f"the table `{self.table}`"


@dataclass(frozen=True)
class KeyScope:
    """A key column: ``case["512x512x512"]`` is that key, once it is known to be one."""

    measured: Measured
    table: str
    column: str

    def keys(self) -> list[str]:
        """The column's distinct keys, in the transcript's order."""
        table = self.measured.newest().shown.tables[self.table]
        rule = next(t for t in self.measured.program.declaration.tables if t.name == self.table)
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
            f"`{self.column}` has no key {format_keys(keys)}",
            suggest_names(str(keys[0]), known, ALIKE_KEYS),
        )

    def describe(self) -> str:
        return "a column of keys"

    def guide(self, written: str) -> str:
        """Its keys, as they are written."""
        return suggest_items(f"{written}{format_keys((key,))}" for key in self.keys())


@dataclass(frozen=True)
class MeasurementScope:
    """A measurement with keys, in every fresh record."""

    measured: Measured
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
        shelf = self.measured.shelf
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
            # Each of two values that are compared brings half of what sets the same kernel apart.
            name = self.measurement.name
            floor = compute_floor(self.measured.program, record, name, row) / 2
            series.append(
                Series(
                    frozenset({record.path}),
                    shown.value,
                    values,
                    shown.half,
                    record.path in pool,
                    floor=abs(shown.value) * floor,
                    clocks=read_clocks(record.record, row),
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
                    suggest_names(key, known, ALIKE_KEYS),
                )
        return OperationError(
            f"`{self.measurement.name}` has no row {format_keys(keys)}", "see the transcript"
        )

    def describe(self) -> str:
        return f"the measurement `{self.measurement.name}`"

    def guide(self, written: str) -> str:
        """Its rows, as they are written."""
        rows = (f"{written}{format_keys(row)}" for row in self.measurement.readings)
        return f"{suggest_items(rows)}, or `{written}[:]` for all of them"


def matches(row: tuple[str, ...], keys: tuple[Key, ...]) -> bool:
    """Whether a row has the keys that are given."""
    return all(key is None or key == part for part, key in zip(row, keys, strict=True))


def suggest_items(written: Iterable[str]) -> str:
    """``write `a` or `b``` for the first of these."""
    named = [f"`{text}`" for text in written]
    more = ", …" if len(named) > SUGGESTED_ITEMS else ""
    return "write " + " or ".join(named[:SUGGESTED_ITEMS]) + more


def format_keys(keys: tuple[Key, ...]) -> str:
    """Keys as an expression writes them."""
    return "[" + ", ".join(":" if key is None else f'"{key}"' for key in keys) + "]"
