"""What does an expression come to, and what can be cited?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from build_tools.claims.figure import Figure, read_figure
from build_tools.claims.model import Course
from build_tools.claims.names import read_device_names
from build_tools.claims.pasted import read_pasted
from build_tools.claims.proof import build_proof, list_numbers
from build_tools.claims.scope import RECORD_NAMES, CourseScope, ProgramScope
from build_tools.quantity.expression import ExpressionError, evaluate_expression
from build_tools.quantity.format import format_plain
from build_tools.quantity.value import Number, OperationError, Value, describe_value


@dataclass(frozen=True)
class RecordLine:
    """A record in a list."""

    path: str
    """Of its JSON, from the root."""
    device: str
    driver: str
    processes: int
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
    """``source``, ``name`` (a measurement, a key or a quantity), ``device``, ``kernel``, or
    ``quantity`` for one of the course."""
    name: str
    """As a claim writes it."""
    keys: tuple[str, ...] = ()
    """What its keys are called, when it needs some."""
    figure: Figure | None = None
    """Its value; null when it needs keys, or has none."""


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
class ProgramListing:
    """A program, its regions, and the names in it."""

    name: str
    path: str
    record: str
    """The shown record's short name; empty when no record is fresh."""
    regions: tuple[RegionLine, ...]
    names: tuple[CitableName, ...]


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
        build_proof(course, expression, value).kind.value,
        tuple(list_records(course, expression, value)),
    )


def list_records(course: Course, expression: str, value: Value) -> Iterator[RecordLine]:
    """The records a value rests on, newest first."""
    paths = {
        origin for number in list_numbers(value) for s in number.series for origin in s.origins
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
    )


def _list_names(course: Course, program: str) -> Iterator[CitableName]:
    for name in course.programs[program].constants:
        yield _preview(course, "source", f"{program}.source.{name}")
    record = course.shelves[program].shown_record
    for name in ProgramScope(course, course.programs[program]).list_names():
        if name in RECORD_NAMES:
            continue
        measured = record.shown.measurements.get(name) if record else None
        yield _preview(course, "name", f"{program}.{name}", measured.key_names if measured else ())
    if record is not None:
        for name in read_device_names(record):
            yield _preview(course, "device", f"{program}.device.{name}")
        for kernel in record.record.build.kernels:
            yield CitableName("kernel", f'{program}.compiler["{kernel}"].registers')


def _preview(course: Course, kind: str, name: str, keys: tuple[str, ...] = ()) -> CitableName:
    """A name with its value, where it has one without keys."""
    try:
        value = evaluate_expression(name, CourseScope(course))
    except (ExpressionError, OperationError):
        return CitableName(kind, name, keys)
    return CitableName(kind, name, keys, read_figure(value))
