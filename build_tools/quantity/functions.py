"""Which functions does the language of expressions have, and what does each make of its values?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Function:
    """A function: what it comes to, and an expression that uses it.

    The examples are of a program that measures ``time`` with the keys ``rows`` and ``columns``.
    """

    meaning: str
    example: str


FUNCTIONS: Mapping[str, Function] = {
    "min": Function("The smallest of its values, or of a slice.", "min(time[:])"),
    "max": Function("The largest of its values, or of a slice.", "max(time[:]) / min(time[:])"),
    "sum": Function("The sum of its values, or of a slice.", "sum(time[:])"),
    "round": Function("A bare, exact number as a whole one; a half goes up.", "round(5 / 2)"),
    "ceil": Function("The least whole number not below a bare, exact number.", "ceil(617 / 16)"),
    "floor": Function(
        "The largest whole number not above a bare, exact number.", "floor(617 / 16)"
    ),
    "log2": Function(
        "The logarithm to base two of a bare number; exact for a power.", "log2(4096)"
    ),
    "sqrt": Function("The square root; a unit must have an even power.", "sqrt(1024)"),
    "abs": Function("The value without its sign.", 'abs(time["rows"] - time["columns"])'),
    "all": Function("Whether all of its statements are true.", "all(time[:] < 2 * max(time[:]))"),
    "any": Function("Whether any of its statements is true.", "any(time[:] < max(time[:]) / 2)"),
    "len": Function("How many values a slice has.", "len(time[:])"),
    "same": Function(
        "Whether two values agree: exact ones when they are equal, measured ones when their bands "
        "meet and reach over no more than a twentieth of the value; wider ones are ambiguous.",
        'same(time["rows"], min(time[:]))',
    ),
    "because": Function(
        "Whether a cause may be named: three statements, all of them true. First what is observed, "
        "then what a hardware counter says of it, then a control that would have failed if the "
        "cause were another.",
        'because(time["columns"] > time["rows"], rate["rows"] > rate["columns"], '
        'same(time["rows"], min(time[:])))',
    ),
    "verdict": Function(
        "Whether a time or a rate is `faster` or `slower` than another, the `same`, or "
        "`ambiguous`.",
        'verdict(time["rows"], time["columns"])',
    ),
}
"""The functions by name; an expression knows no others."""
