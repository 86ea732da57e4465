"""Which quantities does a program declare, by which formulas, and what do they come to?"""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from build_tools.claims.model import Course, Directive
from build_tools.claims.names import NoEvidenceError
from build_tools.claims.proof import describe_shown, list_numbers
from build_tools.claims.scope import CourseScope
from build_tools.pages.lookup import Absence, find_program
from build_tools.pages.template import fill_template
from build_tools.quantity.expression import ExpressionError, evaluate_expression
from build_tools.quantity.format import choose_number_unit, format_number
from build_tools.quantity.units import parse_unit
from build_tools.quantity.value import (
    Number,
    OperationError,
)
from build_tools.source.model import Program, QuantityRule

MOST_VALUES = 4
"""Of several values so many are told; of more the ends."""


@dataclass(frozen=True)
class QuantityRow:
    """A quantity as it is listed."""

    name: str
    formula: str
    value: str
    unit: str
    is_number: bool
    sort: str = ""
    """The value in base units."""


def render_quantities(course: Course, directive: Directive, identity: str) -> Markup | Absence:
    """The quantities of ``directive``'s program, one a row, each with an anchor."""
    program = find_program(course, directive.argument)
    if isinstance(program, Absence):
        return program
    rows = [_compose_row(course, program, q) for q in program.declaration.quantities.values()]
    return fill_template(
        "quantities", directive=directive, identity=identity, program=program, rows=rows
    )


def _compose_row(course: Course, program: Program, rule: QuantityRule) -> QuantityRow:
    formula = " ".join(rule.expression.split())
    try:
        value = evaluate_expression(f"{program.name}.{rule.name}", CourseScope(course))
    except (ExpressionError, NoEvidenceError, OperationError) as error:
        return QuantityRow(rule.name, formula, f"no value: {error}", rule.unit, is_number=False)
    numbers = list_numbers(value)
    if isinstance(value, Number):
        unit = parse_unit(rule.unit) if rule.unit else choose_number_unit(value)
        told = format_number(value, unit=unit).removesuffix(unit.text).strip()
        return QuantityRow(rule.name, formula, told, unit.text, True, str(float(value.shown)))
    if len(numbers) > MOST_VALUES and len({n.dimensions for n in numbers}) == 1:
        ends = min(numbers, key=_read_shown), max(numbers, key=_read_shown)
        told = f"{len(numbers)} values, {' to '.join(map(format_number, ends))}"
        return QuantityRow(rule.name, formula, told, rule.unit, is_number=False)
    return QuantityRow(rule.name, formula, describe_shown(value), rule.unit, is_number=False)


def _read_shown(number: Number) -> float:
    return float(number.shown)
