"""Which values that the course can cite lie between two others? All of them, by their size.

Only shown values stand in the index; whether a text holds against one is judged afterwards.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass, field

from build_tools.claims.exact import read_fact
from build_tools.claims.list_citables import RATIO, Citable, list_citables, list_keys
from build_tools.claims.model import Course
from build_tools.claims.scope import CourseScope
from build_tools.quantity.expression import ExpressionError, evaluate_expression
from build_tools.quantity.value import (
    Dimensions,
    OperationError,
    Value,
)
from build_tools.source.facts import select_fact


@dataclass
class _Shelf:
    """Citables of one dimension, by their values."""

    citables: list[Citable]
    values: list[float]


@dataclass
class CitableIndex:
    """Everything citable of a course; made once, when the first unbound number is found."""

    course: Course
    numbers: dict[Dimensions, _Shelf]
    ratios: _Shelf
    slices: dict[Dimensions, list[Citable]]
    texts: dict[str, list[Citable]]
    """Keys such as ``512x512x512``, folded."""
    values: dict[str, Value | None] = field(default_factory=dict)

    def find_numbers(self, dimensions: Dimensions, low: float, high: float) -> Iterator[Citable]:
        """Single values between two others, ends included."""
        yield from _slice(self.numbers.get(dimensions), low, high)

    def find_ratios(self, low: float, high: float) -> Iterator[Citable]:
        """Ratios of two rows between two values."""
        yield from _slice(self.ratios, low, high)

    def evaluate(self, target: str) -> Value | None:
        """What a target comes to with all its records and bands; None when it has no value."""
        if target not in self.values:
            self.values[target] = _evaluate(self.course, target)
        return self.values[target]


def _slice(shelf: _Shelf | None, low: float, high: float) -> list[Citable]:
    if shelf is None:
        return []
    first = bisect.bisect_left(shelf.values, low)
    return shelf.citables[first : bisect.bisect_right(shelf.values, high)]


def _evaluate(course: Course, target: str) -> Value | None:
    key = target.removeprefix("given:")
    if key != target:
        fact = select_fact(course.facts[key], course.settings.reference_gpu)
        return read_fact(fact) if fact else None
    known = course.evaluated.get(target)
    if known is not None:
        return known[0]
    try:
        return evaluate_expression(target, CourseScope(course))
    except (ExpressionError, OperationError):
        return None


def index_citables(course: Course) -> CitableIndex:
    """The index of a course, made on first use and kept with it."""
    if not course.index:
        course.index.append(_build(course))
    return course.index[0]


def _build(course: Course) -> CitableIndex:
    found = list(list_citables(course))
    texts: dict[str, list[Citable]] = {}
    for text, citable in list_keys(course):
        texts.setdefault(text, []).append(citable)
    single = [citable for citable in found if citable.low == citable.high]
    numbers: dict[Dimensions, list[Citable]] = {}
    for citable in single:
        if citable.cost != RATIO:
            numbers.setdefault(citable.dimensions, []).append(citable)
    slices: dict[Dimensions, list[Citable]] = {}
    for citable in found:
        if citable.low != citable.high:
            slices.setdefault(citable.dimensions, []).append(citable)
    return CitableIndex(
        course,
        {dimensions: _shelve(listed) for dimensions, listed in numbers.items()},
        _shelve([citable for citable in single if citable.cost == RATIO]),
        slices,
        texts,
    )


def _shelve(citables: list[Citable]) -> _Shelf:
    ordered = sorted(citables, key=lambda citable: citable.low)
    return _Shelf(ordered, [citable.low for citable in ordered])
