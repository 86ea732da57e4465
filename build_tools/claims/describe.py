"""What does an expression come to, and what can be cited?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from build_tools.claims.deciding import describe_deciding
from build_tools.claims.figure import Figure, FigureKind, read_figure
from build_tools.claims.measured import format_keys
from build_tools.claims.model import Course
from build_tools.claims.names import Names, read_check_names, read_compiler_names, read_device_names
from build_tools.claims.parts import list_part_names
from build_tools.claims.pasted import read_pasted
from build_tools.claims.proof import build_proof, list_numbers
from build_tools.claims.scope import RECORD_NAMES, CourseScope, ProgramScope
from build_tools.claims.windows import list_window_names
from build_tools.quantity.expression import ExpressionError, evaluate_expression
from build_tools.quantity.format import format_plain
from build_tools.quantity.value import (
    Number,
    OperationError,
    Truth,
    Value,
    describe_value,
)
from build_tools.source.model import Program


@dataclass(frozen=True)
class RecordLine:
    """A record in a list."""

    path: str
    """Of its JSON, from the root."""
    device: str
    driver: str
    processes: int
    """0 for a part, which rests on none."""
    date: str
    """UTC."""


@dataclass(frozen=True)
class Evaluation:
    """What one expression comes to."""

    format: Literal[1] = field(default=1, kw_only=True)
    expression: str
    figure: Figure | None = None
    """Null when there is no value; ``error``, ``advice`` and ``column`` then say why."""
    exactly: str = ""
    """The number in base units, to twelve places that count."""
    about: str = ""
    """What kind of thing the value is, in words."""
    deciding: str = ""
    """Which cases make a statement false, or leave it open, and what was measured there."""
    proof: str = ""
    """What stands behind it: ``measured``, ``exact`` or ``cited``."""
    records: tuple[RecordLine, ...] = ()
    """The records it rests on, newest first."""
    error: str = ""
    advice: str = ""
    column: int = 0
    """Where in the expression the error is, from 1; 0 when there is none."""


@dataclass(frozen=True)
class CitableName:
    """A name that a claim can cite."""

    kind: str
    """``source``, ``name`` (a measurement, a key or a quantity), ``part`` (counters, sanitizers,
    mutants, listings), ``device``, ``kernel``, ``check``, ``choice`` (of a GPU or a record, behind
    which the program's names follow), or ``quantity`` for one of the course."""
    name: str
    """As a claim writes it."""
    keys: tuple[str, ...] = ()
    """What its keys are called, when it needs some."""
    figure: Figure | None = None
    """Its value; null when it needs keys, or has none."""
    rows: tuple[Figure, ...] = ()
    """Its value at each row of its keys, when it needs some."""


@dataclass(frozen=True)
class RegionLine:
    """A region in a list."""

    reference: str
    """``program#region``."""
    first: int
    """Its first line in the program."""
    last: int
    kind: str
    """``kernel`` or ``host``."""
    needs: tuple[str, ...]
    """The regions a reader copies with it."""


@dataclass(frozen=True)
class ExerciseLine:
    """An exercise in a list."""

    reference: str
    """``program#exercise``, as a block names it."""
    line: int
    """Where its first solution is marked in the program."""
    regions: tuple[str, ...]
    """The regions that hold it, the shortest first."""


@dataclass(frozen=True)
class ProgramListing:
    """A program, its regions, and the names in it."""

    name: str
    path: str
    record: str
    """The shown record's short name; empty when no record is fresh."""
    regions: tuple[RegionLine, ...]
    names: tuple[CitableName, ...]
    exercises: tuple[ExerciseLine, ...] = ()


@dataclass(frozen=True)
class FactLine:
    """A cited fact."""

    key: str
    value: str
    unit: str
    source: str
    gpu: str = ""
    """The model it is true of; empty when it is true of all."""


@dataclass(frozen=True)
class Listing:
    """All that pages can show and cite."""

    format: Literal[1] = field(default=1, kw_only=True)
    programs: tuple[ProgramListing, ...]
    quantities: tuple[CitableName, ...]
    """The course's own."""
    facts: tuple[FactLine, ...]


def evaluate_report(course: Course, expression: str) -> Evaluation:
    """What an expression, or a link's, comes to, or why it comes to nothing."""
    pasted = read_pasted(expression)
    if pasted is not None and not pasted.expression:
        error = "`stated:` cites nothing: it is an example, a choice or a definition"
        return Evaluation(expression, error=error, advice="ask for an expression", column=1)
    expression = pasted.expression if pasted is not None else expression
    try:
        value = evaluate_expression(expression, CourseScope(course))
    except ExpressionError as error:
        return Evaluation(
            expression, error=error.message, advice=error.advice, column=error.column + 1
        )
    return Evaluation(
        expression,
        read_figure(value),
        format_plain(value.shown, 12) if isinstance(value, Number) else "",
        describe_value(value),
        describe_deciding(course, expression, value)
        if isinstance(value, Truth) and value.value is not True
        else "",
        build_proof(course, expression, value).kind.value,
        tuple(list_records(course, expression, value)),
    )


def list_records(course: Course, expression: str, value: Value) -> Iterator[RecordLine]:
    """The records a value rests on, newest first."""
    paths = {
        origin.partition("#")[0]
        for number in list_numbers(value)
        for s in number.series
        for origin in s.origins
    }
    named = build_proof(course, expression, value).record
    if named and not paths:
        paths = {f"{named}.json"}
    for shelf in course.shelves.values():
        for loaded in shelf.fresh:
            if loaded.path in paths:
                record = loaded.record
                yield RecordLine(
                    loaded.path,
                    record.device.model,
                    record.device.driver,
                    len(record.processes),
                    record.started[:10],
                )
        for part in shelf.parts:
            if part.path in paths:
                device = part.part.device
                yield RecordLine(part.path, device.model, device.driver, 0, part.part.started[:10])


def list_course(course: Course) -> Listing:
    """Each program with its regions and citable names, and the facts."""
    facts = (variant for fact in course.facts.values() for variant in (fact, *fact.variants))
    return Listing(
        tuple(_list_program(course, name) for name in course.programs),
        tuple(_preview(course, "quantity", name) for name in course.quantities),
        tuple(FactLine(f.key, f.value, f.unit, f.source, f.gpu) for f in facts if f.value),
    )


def _list_program(course: Course, name: str) -> ProgramListing:
    program = course.programs[name]
    record = course.shelves[name].shown_record
    regions = tuple(
        RegionLine(r.reference, r.first, r.last, r.kind, r.needs) for r in program.regions.values()
    )
    return ProgramListing(
        name,
        program.path,
        record.identity if record else "",
        regions,
        tuple(_list_names(course, name)),
        tuple(
            ExerciseLine(f"{name}#{e.name}", e.place.line, e.regions)
            for e in program.exercises.values()
        ),
    )


def _list_names(course: Course, name: str) -> Iterator[CitableName]:
    program = course.programs[name]
    for constant in program.constants:
        yield _preview(course, "source", f"{name}.source.{constant}")
    record = course.shelves[name].shown_record
    measurements = record.shown.measurements if record else {}
    for written, bare in _list_measured(course, program):
        measured = measurements.get(bare)
        keys = measured.key_names if measured else ()
        yield _preview(course, "name", f"{name}.{written}", keys)
    for part in list_part_names(program, course.shelves[name]):
        yield _preview(course, "part", f"{name}.{part}")
    if record is not None:
        for fact in read_device_names(record):
            yield _preview(course, "device", f"{name}.device.{fact}")
        for kernel, facts in read_compiler_names(record).items():
            for fact in facts.values if isinstance(facts, Names) else ():
                owner = f"{name}.compiler{format_keys((kernel,))}"
                yield _preview(course, "kernel", f"{owner}.{fact}")
        yield from (
            _preview(course, "check", f"{name}.check.{n}") for n in read_check_names(record)
        )
        yield from (_preview(course, "window", f"{name}.{n}") for n in list_window_names(record))
    for choice in _list_choices(course, name):
        yield CitableName("choice", f"{name}.{choice}")


def _list_measured(course: Course, program: Program) -> Iterator[tuple[str, str]]:
    """Measurements, keys and quantities, as written behind the program, and as they are called."""
    tables = program.declaration.tables
    columns = [(table.name, column.name) for table in tables for column in table.columns]
    for table, column in columns:
        yield (f"{table}.{column}" if len(tables) > 1 else column), column
    for name in ProgramScope(course, program).list_names():
        if name not in RECORD_NAMES and name not in {column for _, column in columns}:
            yield name, name


def _list_choices(course: Course, name: str) -> Iterator[str]:
    """The GPUs and records whose values can be asked for apart."""
    shelf = course.shelves[name]
    devices = {course.settings.reference_slug: shelf, **course.other_shelves.get(name, {})}
    for slug, other in devices.items():
        if other.fresh:
            yield f"on{format_keys((slug,))}"
    for record in shelf.fresh:
        yield f"records{format_keys((record.identity,))}"


def _preview(course: Course, kind: str, name: str, keys: tuple[str, ...] = ()) -> CitableName:
    """A name with its value, or with that of each row of its keys."""
    for expression in (name, f"{name}[:]"):
        try:
            value = evaluate_expression(expression, CourseScope(course))
        except (ExpressionError, OperationError):
            continue
        figure = read_figure(value)
        if expression == name:
            return CitableName(kind, name, keys, figure, _list_rows(figure))
        return CitableName(kind, name, keys, None, _list_rows(figure))
    return CitableName(kind, name, keys)


def _list_rows(figure: Figure) -> tuple[Figure, ...]:
    """The items of a slice, each with its keys; of key columns the keys themselves."""
    items = [
        replace(item, keys=item.keys or (item.shown,)) if item.kind is FigureKind.TEXT else item
        for item in figure.items
    ]
    return tuple(item for item in items if item.keys)
