"""Which names does an expression cite, what is each worth, and where was that read?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from build_tools.claims.measured import format_keys
from build_tools.claims.model import Course
from build_tools.claims.origins import (
    Origin,
    find_fact,
    find_in_record,
    find_in_window,
    find_key,
    find_readings,
)
from build_tools.claims.part_origins import find_in_part
from build_tools.claims.parts import PART_NAMES
from build_tools.claims.scope import CourseScope, ProgramScope
from build_tools.quantity.expression import Namespace, evaluate_expression
from build_tools.quantity.operations import Key
from build_tools.quantity.value import Number, Several, Text, Truth, Value
from build_tools.source.model import Program

Step = str | tuple[Key, ...]
"""One step of a name: an attribute, or keys in brackets."""


class CitedKind(StrEnum):
    """What a name of an expression stands for."""

    MEASUREMENT = "measurement"
    QUANTITY = "quantity"
    KEY = "key"
    CONSTANT = "constant"
    DEVICE = "device"
    COMPILER = "compiler"
    CHECK = "check"
    WINDOW = "window"
    COUNTER = "counter"
    SANITIZER = "sanitizer"
    MUTANT = "mutant"
    LISTING = "listing"
    FACT = "fact"


_PART_KINDS = {
    "counters": CitedKind.COUNTER,
    "sanitizer": CitedKind.SANITIZER,
    "mutants": CitedKind.MUTANT,
    "listing": CitedKind.LISTING,
}


@dataclass(frozen=True)
class Cited:
    """A name that an expression cites, with its value."""

    name: str
    """As a claim would write it."""
    kind: CitedKind
    value: Value
    program: str = ""
    """Whose name it is; empty for a fact and for a quantity of the course."""
    depth: int = 0
    """0 in the expression itself, 1 in that of a quantity it cites, and so on."""
    expression: str = ""
    """That of a quantity."""
    origins: tuple[Origin, ...] = ()
    """The shown line of each value first; then those of the other processes."""


@dataclass(frozen=True)
class _Seen:
    """A looked-up name: whose it is, its steps from there, and what it is worth."""

    name: str
    owner: ProgramScope | None
    steps: tuple[Step, ...]
    value: Value


def trace_expression(course: Course, expression: str) -> tuple[Cited, ...]:
    """The names that an expression cites, each once, those of a quantity behind it.

    Raises ExpressionError when the expression has no value.
    """
    return tuple(_trace(course, expression, None, "", (0, set())))


def _trace(
    course: Course,
    expression: str,
    local: ProgramScope | None,
    prefix: str,
    told: tuple[int, set[tuple[str, tuple[Origin, ...]]]],
) -> Iterator[Cited]:
    """``local`` and ``prefix`` are the program whose quantity has the expression, and its name."""
    depth, names = told
    traced = _Traced(local.enter(()) if local else CourseScope(course), local, prefix)
    evaluate_expression(expression, traced)
    for seen in traced.seen:
        found = _describe(course, seen, local, depth)
        identity = (found.name, found.origins[:1])  # a fact is another on another GPU
        if identity in names:
            continue
        names.add(identity)
        yield found
        if found.kind is CitedKind.QUANTITY:
            inner = seen.name.rpartition(".")[0]
            yield from _trace(course, found.expression, seen.owner, inner, (depth + 1, names))


@dataclass(frozen=True)
class _Traced:
    """A namespace that notes what is looked up in it, and in what it leads to."""

    inner: Namespace
    owner: ProgramScope | None = None
    """The program whose names these are."""
    name: str = ""
    """What has been written so far."""
    steps: tuple[Step, ...] = ()
    """What has been written since the owner's name."""
    seen: list[_Seen] = field(default_factory=list)

    def get_attribute(self, name: str) -> Value | Namespace:
        found = self.inner.get_attribute(name)
        if self.owner is not None and not self.steps and not _is_own(self.owner, name):
            outside = _Traced(self.inner, None, "", (), self.seen)
            return outside.follow(found, name, name)
        return self.follow(found, name, f"{self.name}.{name}" if self.name else name)

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        return self.follow(self.inner.get_item(keys), keys, self.name + format_keys(keys))

    def describe(self) -> str:
        return self.inner.describe()

    def follow(self, found: Value | Namespace, step: Step, name: str) -> Value | Namespace:
        """Note a value, or trace on."""
        steps = (*self.steps, step)
        if isinstance(found, (Number, Truth, Text, Several)):
            self.seen.append(_Seen(name, self.owner, steps, found))
            return found
        if isinstance(found, ProgramScope):
            return _Traced(found, found, name, (), self.seen)
        return _Traced(found, self.owner, name, steps, self.seen)


def _is_own(owner: ProgramScope, name: str) -> bool:
    """Whether a name within a program's quantity is the program's, and not the course's."""
    tables = [table.name for table in owner.program.declaration.tables]
    return name in owner.list_names() or name in tables


def _describe(course: Course, seen: _Seen, local: ProgramScope | None, depth: int) -> Cited:
    """What a looked-up name is, the expression of a quantity, and the lines it was read from."""
    owner, steps = seen.owner, seen.steps
    if owner is None:
        rule = course.quantities.get(str(steps[0]))
        if rule is not None:
            origin = Origin(rule.place.path, rule.place.line, f"{rule.name} = {rule.expression}")
            kind, expression = CitedKind.QUANTITY, rule.expression
            return Cited(seen.name, kind, seen.value, "", depth, expression, (origin,))
        origins = tuple(find_fact(course, _take_name(steps, -1), local))
        return Cited(seen.name, CitedKind.FACT, seen.value, "", depth, "", origins)
    kind, expression, origins = _read_name(course, owner, steps)
    return Cited(seen.name, kind, seen.value, owner.program.name, depth, expression, origins)


def _read_name(
    course: Course, owner: ProgramScope, steps: tuple[Step, ...]
) -> tuple[CitedKind, str, tuple[Origin, ...]]:
    program = owner.program
    first = str(steps[0])
    if first == "source":
        constant = program.constants[_take_name(steps, 1)]
        line = program.text.split("\n")[constant.place.line - 1]
        origin = Origin(constant.place.path, constant.place.line, line.strip())
        return CitedKind.CONSTANT, "", (origin,)
    rule = program.declaration.quantities.get(first)
    if rule is not None:
        origin = Origin(rule.place.path, rule.place.line, f"{rule.name} = {rule.expression}")
        return CitedKind.QUANTITY, rule.expression, (origin,)
    if first in PART_NAMES:
        origins = find_in_part(program, owner.measured.shelf, first, steps[1:])
        return _PART_KINDS[first], "", tuple(origins)
    record = owner.newest()
    if first == "windows":
        where = find_in_window(course.root, record, _take_name(steps, 1), steps[2:])
        return CitedKind.WINDOW, "", tuple(where)
    if first in ("device", "compiler", "check"):
        names = [_take_name(steps, index) for index in range(1, len(steps))]
        return CitedKind(first), "", tuple(find_in_record(course.root, record, first, names))
    if len(steps) > 1 and isinstance(steps[1], str):  # the first was a table's name
        first = steps[1]
    keys = steps[-1] if isinstance(steps[-1], tuple) else ()
    column = _find_key_column(program, first)
    if column is not None:
        return CitedKind.KEY, "", tuple(find_key(record, *column, keys))
    return CitedKind.MEASUREMENT, "", tuple(find_readings(record, first, keys))


def _find_key_column(program: Program, name: str) -> tuple[str, str] | None:
    """The table and header of a key column by its name; None for what is none."""
    for table in program.declaration.tables:
        for column in table.columns:
            if column.name == name and column.is_key:
                return table.name, column.header
    return None


def _take_name(steps: tuple[Step, ...], index: int) -> str:
    """A name given as ``.name`` or as ``["name"]``."""
    step = steps[index]
    return step if isinstance(step, str) else (step[0] or "")
