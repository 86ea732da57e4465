"""What does an expression come to, and what can be cited? As lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from build_tools.claims.model import Course
from build_tools.claims.proof import build_proof, describe_band, describe_shown, list_numbers
from build_tools.claims.scope import CourseScope, ProgramScope
from build_tools.quantity.expression import ExpressionError, evaluate_expression
from build_tools.quantity.format import format_number, format_plain
from build_tools.quantity.units import Unit, format_dimensions
from build_tools.quantity.value import (
    Number,
    OperationError,
    Several,
    Text,
    Truth,
    Value,
    describe_value,
)


def describe_expression(course: Course, expression: str) -> tuple[list[str], int]:
    """The value of an expression in lines, and a status: 2 when it has none, else 0."""
    try:
        value = evaluate_expression(expression, CourseScope(course))
    except ExpressionError as error:
        pointer = " " * error.column + "^"
        return [
            expression,
            pointer,
            f"no value: {error.message}",
            f"do: {error.advice}",
        ], 2
    lines = [f"value:   {describe_shown(value)}"]
    match value:
        case Number():
            lines.append(f"exactly: {format_plain(value.shown, 12)} in base units")
            lines.append(f"unit:    {_describe_unit(value)}")
        case Several():
            lines = [f"values:  {len(value.items)}"]
            labels = value.labels or ((),) * len(value.items)
            for label, item in zip(labels, value.items, strict=True):
                band = describe_band(item)
                where = f"[{', '.join(label)}] " if label else ""
                lines.append(
                    f"  {where}{describe_shown(item)}" + (f"  band {band}" if band else "")
                )
        case Truth() | Text():
            lines.append(f"kind:    {describe_value(value)}")
    band = describe_band(value)
    if band and isinstance(value, Number):
        lines.append(f"band:    {band} (the next process, 95 %)")
    return lines + list(_describe_origin(course, expression, value)), 0


def _describe_unit(number: Number) -> str:
    return format_dimensions(Unit(number.shown, number.dimensions))


def _describe_origin(course: Course, expression: str, value: Value) -> Iterator[str]:
    """The records a value rests on, newest first."""
    proof = build_proof(course, expression, value)
    yield f"kind:    {proof.kind.value}"
    paths = {
        origin for number in list_numbers(value) for s in number.series for origin in s.origins
    }
    for shelf in course.shelves.values():
        for record in shelf.fresh:
            if record.path in paths:
                device = record.record.device
                yield (
                    f"from:    {record.path} ({device.model}, driver {device.driver}, "
                    f"{len(record.record.processes)} processes, {record.record.started[:10]})"
                )
    if proof.record and not paths:
        yield f"from:    {proof.record}.json ({proof.device}, {proof.date})"


def describe_course(course: Course) -> Iterator[str]:
    """Each program with its regions and citable names, and the facts."""
    for program in course.programs.values():
        record = course.shelves[program.name].shown_record
        state = f"record {record.identity}" if record else "no fresh record"
        yield f"{program.name}  {program.path}  ({state})"
        for region in program.regions.values():
            needs = f", needs {' '.join(region.needs)}" if region.needs else ""
            yield (
                f"  region  {region.reference}  lines {region.first}-{region.last}  "
                f"{region.kind}{needs}"
            )
        scope = ProgramScope(course, program)
        for name in program.constants:
            yield f"  source  {program.name}.source.{name}{_preview(course, program.name, 'source.' + name)}"
        for name in scope.list_names():
            if name in ("source", "device", "compiler", "check"):
                continue
            keys = ""
            if record is not None and name in record.shown.measurements:
                key_names = record.shown.measurements[name].key_names
                keys = f"[{', '.join(key_names)}]" if key_names else ""
            yield f"  name    {program.name}.{name}{keys}{_preview(course, program.name, name)}"
        if record is not None:
            for name in record.record.device.__struct_fields__:
                yield f"  device  {program.name}.device.{name}{_preview(course, program.name, 'device.' + name)}"
            for kernel in record.record.build.kernels:
                yield f'  kernel  {program.name}.compiler["{kernel}"].registers'
    for fact in course.facts.values():
        yield f"given:{fact.key}  {fact.value} {fact.unit}  ({fact.source})"


def _preview(course: Course, program: str, name: str) -> str:
    """`` = value`` where the name has one without keys, else nothing."""
    try:
        value = evaluate_expression(f"{program}.{name}", CourseScope(course))
    except (ExpressionError, OperationError):
        return ""
    if isinstance(value, Number):
        return f" = {format_number(value)}"
    return f" = {describe_shown(value)}"
