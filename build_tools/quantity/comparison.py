"""Which of two numbers is larger, and are they the same? By bands where one was measured."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, auto
from fractions import Fraction

from build_tools.quantity.clocks import Clocks, describe_clocks, differ
from build_tools.quantity.roots import ROOT_BITS
from build_tools.quantity.spread import Interval
from build_tools.quantity.value import Number, Series, Truth, require_same_dimensions


class Order(Enum):
    """How one number lies to another."""

    BELOW = auto()
    ABOVE = auto()
    LEVEL = auto()
    """The same, or as near as the spread and the same kernel timed twice can tell."""
    OPEN = auto()


def order_numbers(left: Number, right: Number) -> tuple[Order, str]:
    """How ``left`` lies to ``right``, and why.

    Exact things are exact. What was measured lies apart where the bands do not meet, and differs
    by more than the same kernel timed twice; times and rates of two records, whose clocks
    differ, must lie apart in clock cycles as well.
    """
    if left.exact is not None and right.exact is not None:
        if are_equal(left.exact, right.exact):
            return Order.LEVEL, "they are equal"
        return (Order.BELOW if left.exact < right.exact else Order.ABOVE), "they are exact"
    mine, yours = find_band(left), find_band(right)
    near = "the same kernel timed twice"
    if mine.meets(yours):
        return _order_overlapping(left, right, near)
    if _is_within_floor(left, right):
        return Order.LEVEL, f"they differ by no more than {near}"
    order = Order.BELOW if mine.high < yours.low else Order.ABOVE
    clocks = find_other_clocks(left, right)
    if clocks is not None:
        told = f"their clocks differ, {describe_clocks(*clocks, 'and')}, and in cycles it"
        first, second = count_cycles(left), count_cycles(right)
        if first is None or second is None:
            return Order.OPEN, f"{told} cannot be told"
        if order_numbers(first, second)[0] is not order:
            return Order.OPEN, f"{told} is not so"
        return order, "the bands do not meet, nor do they in clock cycles"
    return order, "the bands do not meet"


def _order_overlapping(left: Number, right: Number, near: str) -> tuple[Order, str]:
    """How two numbers lie whose bands meet."""
    if _is_within_floor(left, right):
        return Order.LEVEL, f"the bands overlap, and so do those of {near}"
    if not (find_band(left).holds(right.shown) and find_band(right).holds(left.shown)):
        return Order.OPEN, "the bands overlap, and one value lies outside of the other's"
    wide = explain_width(left, right)
    if wide:
        return Order.OPEN, wide
    return Order.LEVEL, "the bands overlap, and each holds the other's value"


_HOLDS = {"<": Order.BELOW, "<=": Order.BELOW, ">": Order.ABOVE, ">=": Order.ABOVE}


def compare_numbers(left: Number, right: Number, symbol: str) -> Truth:
    """``left symbol right`` for ``<  <=  >  >=``; neither true nor false where that is open.

    Of what was measured, *level* decides nothing either: the next run may turn it around.
    """
    require_same_dimensions(left, right, symbol)
    measured = tuple(n for n in (left, right) if n.exact is None)
    moved = is_any_moved(left, right)
    order, reason = order_numbers(left, right)
    if not measured:
        level = order is Order.LEVEL
        return Truth(order is _HOLDS[symbol] or (level and "=" in symbol), is_moved=moved)
    if order in (Order.LEVEL, Order.OPEN):
        overlap = find_band(left).meets(find_band(right))
        return Truth(None, "the bands overlap" if overlap else reason, measured, is_moved=moved)
    return Truth(order is _HOLDS[symbol], "", measured, is_moved=moved)


def is_any_moved(*numbers: Number) -> bool:
    """Whether a name moves any of them."""
    return any(number.is_moved for number in numbers)


def find_band(number: Number) -> Interval:
    """A number's band; that of an exact one is a point."""
    return number.band or Interval(number.shown, number.shown)


def _is_within_floor(left: Number, right: Number) -> bool:
    """Whether the two differ by no more than what sets apart the same thing measured twice."""
    floors = [n.series[0].floor if n.exact is None else Fraction(0) for n in (left, right)]
    return any(floors) and abs(left.shown - right.shown) <= sum(floors)


def find_time_power(number: Number) -> int:
    """1 for a time, -1 for a rate, and 0 for all else."""
    power = dict(number.dimensions).get("s", 0)
    return power if abs(power) == 1 else 0


def find_other_clocks(left: Number, right: Number) -> tuple[Clocks, Clocks] | None:
    """The clocks of two times or rates that one GPU ran at two clocks; else None.

    Within the same timed windows of one record the clock cancels out: a process has one for all
    that it timed in them, so a ratio of its times is the same in cycles.
    """
    if not (find_time_power(left) and left.series and right.series):
        return None
    shares_record = {s.origins for s in left.series} & {s.origins for s in right.series}
    for mine in _list_pooled(left):
        for yours in _list_pooled(right):
            if mine.clocks is None or yours.clocks is None:
                continue
            is_same_window = mine.clocks.window == yours.clocks.window
            if not (shares_record and is_same_window) and differ(mine.clocks, yours.clocks):
                return mine.clocks, yours.clocks
    return None


def _list_pooled(number: Number) -> list[Series]:
    return [s for s in number.series if s.pooled] or [number.series[0]]


def count_cycles(number: Number) -> Number | None:
    """A time as clock cycles, or a rate as one a cycle, process by process; None without clocks."""
    power = find_time_power(number)
    series = [_count_series(one, power) for one in _list_pooled(number)]
    known = tuple(one for one in series if one is not None)
    if not power or len(known) < len(series):
        return None
    dimensions = tuple((name, p) for name, p in number.dimensions if name != "s")
    return replace(number, dimensions=dimensions, series=known)


def _count_series(series: Series, power: int) -> Series | None:
    clocks = series.clocks
    if clocks is None or len(clocks.hertz) != len(series.samples):
        return None
    middle = clocks.median**power
    return replace(
        series,
        shown=series.shown * clocks.shown**power,
        samples=tuple(x * hz**power for x, hz in zip(series.samples, clocks.hertz, strict=True)),
        half=series.half * middle,
        floor=series.floor * middle,
        clocks=None,
    )


_ROOT_DENOMINATOR = 150


def are_equal(left: Fraction, right: Fraction) -> bool:
    """Whether two exact values are the same, or as near as roots and logarithms can tell."""
    if left == right:
        return True
    if max(left.denominator.bit_length(), right.denominator.bit_length()) < _ROOT_DENOMINATOR:
        return False
    return abs(left - right) < Fraction(max(abs(left), abs(right)), 2 ** (ROOT_BITS - 40))


def compare_equal(left: Number, right: Number) -> Truth:
    """``same(left, right)``: equal when exact; when measured, bands that meet and are narrow.

    Neither true nor false where the bands meet and are too wide to show it.
    """
    require_same_dimensions(left, right, "same")
    measured = tuple(n for n in (left, right) if n.exact is None)
    if not measured:
        return Truth(are_equal(left.shown, right.shown), is_moved=is_any_moved(left, right))
    moved = is_any_moved(left, right)
    if _is_within_floor(left, right):
        return Truth(True, "", measured, is_moved=moved)
    if not find_band(left).meets(find_band(right)):
        return Truth(False, "", measured, is_moved=moved)
    wide = explain_width(left, right)
    return Truth(None if wide else True, wide, measured, is_moved=moved)


SAME_WITHIN = Fraction(1, 20)
"""The share of the value that the bands of two things may reach over to be called the same."""


def explain_width(left: Number, right: Number) -> str:
    """Why bands that meet say too little to call two things the same; empty when they do not.

    The coarser a measurement, the sooner its band meets another: so that is not enough.
    """
    mine, yours = find_band(left), find_band(right)
    reach = max(mine.high, yours.high) - min(mine.low, yours.low)
    value = max(abs(left.shown), abs(right.shown))
    if reach <= SAME_WITHIN * value:
        return ""
    share = f"{float(100 * reach / value):.2g} %" if value else "more than all"
    return (
        f"the bands meet, but reach over {share} of the value: "
        f"what is the same lies within {float(100 * SAME_WITHIN):g} %"
    )
