"""How far is a claim that holds from being false?

A number is asked by its text, a statement by the comparisons it is made of: what ``and`` or
``all`` joins is as near to being false as the nearest of its parts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from build_tools.claims.model import ClaimKind, Course, Verdict
from build_tools.claims.scope import CourseScope
from build_tools.quantity.expression import ExpressionError, evaluate_expression
from build_tools.quantity.margin import (
    Margin,
    compute_comparison_margin,
    compute_margin,
    compute_sameness_margin,
)
from build_tools.quantity.numeral import UnreadableError
from build_tools.quantity.printed import parse_printed
from build_tools.quantity.value import Number, Several, Truth, Value

_Pairs = list[tuple[Number, Number]]


def find_margin(course: Course, verdict: Verdict) -> Margin | None:
    """The margin of a claim; None for one that does not hold, is exact, or is no such statement."""
    value = verdict.value
    if value is None or verdict.findings or verdict.claim.kind is not ClaimKind.CLAIM:
        return None
    if isinstance(value, Truth):
        if not value.measured or value.value is not True:
            return None
        tree = ast.parse(verdict.claim.target.strip(), mode="eval")
        return _find_statement_margin(course, verdict.claim.target.strip(), tree.body)
    try:
        return compute_margin(parse_printed(verdict.claim.text), value)
    except UnreadableError:
        return None  # A key, shown as it is.


def _find_statement_margin(course: Course, text: str, node: ast.expr) -> Margin | None:
    """The margin of a part of a statement that is true."""
    match node:
        case (
            ast.BoolOp(op=ast.And(), values=parts)
            | ast.Call(func=ast.Name(id="because"), args=parts)
        ):
            found = [_find_statement_margin(course, text, part) for part in parts]
            margins = [margin for margin in found if margin is not None]
            return join_margins(margins) if len(margins) == len(found) else None
        case ast.Call(func=ast.Name(id="all"), args=[inner]):
            return _find_statement_margin(course, text, inner)
        case ast.Call(func=ast.Name(id="same"), args=[left, right]):
            pairs = _list_pairs(course, text, left, right)
            return compute_sameness_margin(pairs) if pairs else None
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            above, below = (right, left) if isinstance(op, (ast.Lt, ast.LtE)) else (left, right)
            pairs = _list_pairs(course, text, above, below)
            return compute_comparison_margin(pairs) if pairs else None
    return None


def join_margins(margins: list[Margin]) -> Margin:
    """The margin of what holds only while all of these hold."""
    falls = [margin.fall for margin in margins if margin.fall is not None]
    rises = [margin.rise for margin in margins if margin.rise is not None]
    return Margin(min(falls, default=None), min(rises, default=None))


def _list_pairs(course: Course, text: str, left: ast.expr, right: ast.expr) -> _Pairs:
    """The numbers on either side of a comparison, pair by pair; none where they do not pair."""
    sides = []
    for node in (left, right):
        segment = ast.get_source_segment(text, node) or ""
        try:
            sides.append(list(_list_items(evaluate_expression(segment, CourseScope(course)))))
        except ExpressionError:
            return []
    first, second = sides
    if len(first) == 1:
        first *= len(second)
    if len(second) == 1:
        second *= len(first)
    return list(zip(first, second, strict=True)) if len(first) == len(second) else []


def _list_items(value: Value) -> Iterator[Number]:
    match value:
        case Number():
            yield value
        case Several():
            for item in value.items:
                yield from _list_items(item)
