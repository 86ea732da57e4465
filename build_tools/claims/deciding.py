"""Which cases make a statement false, or leave it open? By their keys, with what was measured."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from build_tools.claims.measured import format_keys
from build_tools.claims.model import Course
from build_tools.claims.scope import CourseScope
from build_tools.quantity.expression import ExpressionError, evaluate_expression
from build_tools.quantity.format import format_band, format_number
from build_tools.quantity.units import Unit
from build_tools.quantity.value import Number, Several, Truth

MOST_TOLD = 4
"""How many cases, or values, are told of one statement."""

_Case = tuple[str, Truth]
"""Where it is so, ``at ["small"]`` or a part of the expression; empty for the whole."""


def describe_deciding(course: Course, expression: str, truth: Truth) -> str:
    """What decides a statement that is not true, in words; empty where nothing was measured.

    Of ``all(…)``, ``any(…)`` and ``because(…)`` and of parts joined with ``and`` or ``or``, only those that came
    out as the whole did: ``at ["small"]: 0.915 (band 0.91 to 0.92)``.
    """
    cases = list(_list_cases(course, expression, truth))
    told = []
    for where, case in cases[:MOST_TOLD]:
        values = ", ".join(tell_number(number) for number in case.measured[:MOST_TOLD])
        told.append(": ".join(text for text in (where, values) if text))
    more = len(cases) - MOST_TOLD
    said = "; ".join(text for text in told if text)
    return said + (f"; and {more} more" if said and more > 0 else "")


def tell_number(number: Number, unit: Unit | None = None) -> str:
    """A value with its band, in this unit or in that in which it reads best."""
    band = format_band(number, unit=unit)
    return format_number(number, unit=unit) + (f" (band {band})" if band else "")


def _list_cases(course: Course, expression: str, truth: Truth) -> Iterator[_Case]:
    """The cases of an expression that came out as the whole of it; itself when it has none."""
    found: list[_Case] = []
    for part in _split(expression):
        try:
            value = evaluate_expression(part, CourseScope(course))
        except ExpressionError:
            return  # A part that has no value by itself tells nothing.
        if isinstance(value, Several):
            found += _list_items(value, truth)
        elif isinstance(value, Truth) and value.value is truth.value:
            if _split(part) != [part]:
                found += _list_cases(course, part, value)
            else:
                found.append(("" if part == expression else f"`{part}`", value))
    yield from found or [("", truth)]


def _list_items(value: Several, truth: Truth) -> Iterator[_Case]:
    """Those of several truths that came out as the whole did, by their keys."""
    labels = value.labels or ((),) * len(value.items)
    for item, label in zip(value.items, labels, strict=True):
        if isinstance(item, Truth) and item.value is truth.value:
            yield (f"at {format_keys(label)}" if label else ""), item


def _split(expression: str) -> list[str]:
    """What ``all(…)``, ``any(…)``, ``because(…)``, ``and`` and ``or`` join, as written; else the whole."""
    body = ast.parse(expression.strip(), mode="eval").body
    parts: list[ast.expr] = []
    match body:
        case ast.Call(func=ast.Name(id="all" | "any" | "because"), args=arguments):
            parts = arguments
        case ast.BoolOp(values=values):
            parts = values
    texts = [ast.get_source_segment(expression.strip(), part) or "" for part in parts]
    return texts if texts and all(texts) else [expression]
