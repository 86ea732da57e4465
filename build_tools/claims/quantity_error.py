"""Which named quantity has no value, and where does its expression go wrong?"""

from __future__ import annotations

from dataclasses import replace

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.quantity.expression import ExpressionError
from build_tools.quantity.value import (
    OperationError,
)
from build_tools.source.model import QuantityRule


class QuantityError(OperationError):
    """A named quantity has no value; ``rule`` is the innermost that is at fault."""

    def __init__(self, rule: QuantityRule, message: str, advice: str, column: int) -> None:
        super().__init__(message, advice)
        self.rule = rule
        self.column = column
        """Where in the rule's expression; -1 where its unit is at fault."""
        self.circle: frozenset[str] = frozenset()
        """The qualified names of the quantities that rest on each other."""


def report_quantity(error: QuantityError) -> Finding:
    """One finding at the quantity that is at fault, however many rest on it."""
    rule = error.rule
    if error.column < 0:
        return Finding(
            Kind.EXPRESSION,
            rule.unit_place,
            f'`unit = "{rule.unit}"` of `{rule.name}`',
            str(error),
            error.advice,
            length=len(rule.unit) + 2,
        )
    place = replace(rule.origin, column=rule.origin.column + error.column)
    return Finding(
        Kind.EXPRESSION,
        place,
        f"`{rule.name} = {rule.expression}`",
        str(error),
        error.advice,
        length=max(1, len(rule.expression) - error.column),
    )


def find_quantity_fault(error: ExpressionError) -> Finding | None:
    """The finding at a named quantity without a value that an expression rests on, or None."""
    cause = error.__cause__
    return report_quantity(cause) if isinstance(cause, QuantityError) else None
