"""Which of two numbers is larger, and are they the same? By bands where one was measured."""

from __future__ import annotations

from fractions import Fraction

from build_tools.quantity.roots import ROOT_BITS
from build_tools.quantity.spread import Interval
from build_tools.quantity.value import Number, Truth, require_same_dimensions


def compare_numbers(left: Number, right: Number, symbol: str) -> Truth:
    """``left symbol right`` for ``<  <=  >  >=``: by bands when either side is measured.

    True only when the bands do not overlap, false when they do not the other way, else None. It
    is None too where the two differ by no more than the same kernel timed twice, and where times
    of two records differ in clock cycles otherwise.
    """
    require_same_dimensions(left, right, symbol)
    measured = tuple(n for n in (left, right) if n.exact is None)
    moved = _is_any_moved(left, right)
    if not measured:
        a, b = left.shown, right.shown
        equal = are_equal(a, b)
        outcome = {
            "<": a < b and not equal,
            "<=": a < b or equal,
            ">": a > b and not equal,
            ">=": a > b or equal,
        }[symbol]
        return Truth(outcome, is_moved=moved)
    by_bands = _compare_bands(_find_band(left), _find_band(right), symbol)
    if by_bands is None:
        return Truth(None, "the bands overlap", measured, is_moved=moved)
    if _is_within_floor(left, right):
        reason = "they differ by no more than the same kernel timed twice"
        return Truth(None, reason, measured, is_moved=moved)
    cycles = _compare_cycles(left, right, symbol)
    if cycles is not None and cycles is not by_bands:
        reason = "their clocks differ, and in cycles it is not so"
        return Truth(None, reason, measured, is_moved=moved)
    return Truth(by_bands, "", measured, is_moved=moved)


def _is_any_moved(*numbers: Number) -> bool:
    return any(number.is_moved for number in numbers)


def _find_band(number: Number) -> Interval:
    return number.band or Interval(number.shown, number.shown)


def _compare_bands(left: Interval, right: Interval, symbol: str) -> bool | None:
    """Whether ``left symbol right`` holds for bands that do not overlap; None where they do."""
    first, second = (right, left) if symbol in ("<", "<=") else (left, right)
    # Now the question is whether `first` lies above `second`.
    if first.low > second.high:
        return True
    return False if first.high < second.low else None


def _is_within_floor(left: Number, right: Number) -> bool:
    """Whether the two differ by no more than what sets apart the same thing measured twice."""
    floors = [n.series[0].floor if n.exact is None else Fraction(0) for n in (left, right)]
    return any(floors) and abs(left.shown - right.shown) <= sum(floors)


CLOCKS_APART = Fraction(1, 100)
"""From this relative difference of their clocks on, times of two records are compared in cycles."""


def _compare_cycles(left: Number, right: Number, symbol: str) -> bool | None:
    """The comparison in clock cycles, where two times or rates rest on clocks that differ.

    None where it says nothing: within one record, without clocks, or for other dimensions.
    """
    powers = {power for name, power in left.dimensions if name == "s"}
    if left.exact is not None or right.exact is not None or powers not in ({1}, {-1}):
        return None
    mine, yours = left.series[0], right.series[0]
    if mine.origins == yours.origins or mine.clock is None or yours.clock is None:
        return None
    if abs(mine.clock - yours.clock) <= CLOCKS_APART * max(mine.clock, yours.clock):
        return None
    power = powers.pop()
    scaled = [
        Interval(band.low * clock**power, band.high * clock**power)
        for band, clock in ((_find_band(left), mine.clock), (_find_band(right), yours.clock))
    ]
    return _compare_bands(scaled[0], scaled[1], symbol)


_ROOT_DENOMINATOR = 150


def are_equal(left: Fraction, right: Fraction) -> bool:
    """Whether two exact values are the same, or as near as roots and logarithms can tell."""
    if left == right:
        return True
    if max(left.denominator.bit_length(), right.denominator.bit_length()) < _ROOT_DENOMINATOR:
        return False
    return abs(left - right) < Fraction(max(abs(left), abs(right)), 2 ** (ROOT_BITS - 40))


def compare_equal(left: Number, right: Number) -> Truth:
    """``same(left, right)``: equal when exact; when measured, as near as bands or the floor allow."""
    require_same_dimensions(left, right, "same")
    measured = tuple(n for n in (left, right) if n.exact is None)
    if not measured:
        return Truth(are_equal(left.shown, right.shown), is_moved=_is_any_moved(left, right))
    same = _find_band(left).meets(_find_band(right)) or _is_within_floor(left, right)
    return Truth(same, "", measured, is_moved=_is_any_moved(left, right))
