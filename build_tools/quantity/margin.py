"""How far is a text that holds from being false?

The margin of a text is the share by which what was measured may fall, and the share by which it
may rise, before the text no longer holds. All of it is scaled alike: the shown values of every
fresh record, and the band with its width. So a margin of 2 % says that the text stays while a
new driver makes everything up to 2 % slower; one below the band's own half-width says that the
next record may well end it.

The rules are those of ``quantity.judge``, solved for the scale. The rule of over-precision is
left out: it speaks of digits, not of the value. Exact values have no margin, for nothing moves
them but the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from build_tools.quantity.comparison import SAME_WITHIN
from build_tools.quantity.judge import RELATIVE_LIMIT, find_fraction_reach, find_widest
from build_tools.quantity.numeral import Numeral
from build_tools.quantity.printed import Printed
from build_tools.quantity.spread import Interval
from build_tools.quantity.value import Number, Several, Value
from build_tools.quantity.vocabulary import Form, Hedge


@dataclass(frozen=True)
class Margin:
    """Shares of the measured value, from 0; None where no fall, or no rise, makes the text false."""

    fall: Fraction | None
    rise: Fraction | None

    @property
    def nearest(self) -> Fraction | None:
        """The smaller of the two, negative for a fall; None where nothing makes the text false."""
        if self.fall is not None and (self.rise is None or self.fall <= self.rise):
            return -self.fall
        return self.rise


@dataclass(frozen=True)
class _Scales:
    """The factors, above zero, for which something holds; no upper end where there is none."""

    low: Fraction
    high: Fraction | None

    def meet(self, other: _Scales) -> _Scales:
        ends = [end for end in (self.high, other.high) if end is not None]
        return _Scales(max(self.low, other.low), min(ends) if ends else None)


_ALL = _Scales(Fraction(0), None)


def compute_margin(printed: Printed, value: Value) -> Margin | None:
    """The margin of a text against the value it is bound to.

    None for what has none: an exact value, a shape, a measured zero, a text that does not hold.
    """
    numbers = [value] if isinstance(value, Number) else _list_items(value)
    if not numbers or printed.form is Form.SHAPE:
        return None
    if all(number.exact is not None for number in numbers):
        return None
    if isinstance(value, Several) and printed.high is not None:
        least = min(numbers, key=lambda number: number.shown)
        most = max(numbers, key=lambda number: number.shown)
        found = [(printed.low, least), (printed.high, most)]
        parts = [_solve_numeral(printed, numeral, number) for numeral, number in found]
    elif printed.high is not None:
        parts = [_solve_range(printed, printed.high, number) for number in numbers]
    else:
        parts = [_solve_numeral(printed, printed.low, number) for number in numbers]
    return _compose_margin(parts)


def compute_comparison_margin(pairs: Sequence[tuple[Number, Number]]) -> Margin | None:
    """The margin of ``a > b`` for all pairs (a, b): by how much every a may fall together.

    None when nothing is measured, or one pair does not hold.
    """
    return _compose_margin(_solve_above(above, below) for above, below in _pick_measured(pairs))


def compute_sameness_margin(pairs: Sequence[tuple[Number, Number]]) -> Margin | None:
    """The margin of ``same(a, b)`` for all pairs: by how much every a may fall or rise together."""
    return _compose_margin(
        _meet_all(_solve_meeting(_read_band(right), _read_band(left)), _solve_narrow(left, right))
        for left, right in _pick_measured(pairs)
    )


def _pick_measured(pairs: Sequence[tuple[Number, Number]]) -> list[tuple[Number, Number]]:
    return [(a, b) for a, b in pairs if a.exact is None or b.exact is None]


def _list_items(value: Value) -> list[Number]:
    items = value.items if isinstance(value, Several) else ()
    numbers = [item for item in items if isinstance(item, Number)]
    return numbers if len(numbers) == len(items) else []


def _compose_margin(parts: Iterable[_Scales | None]) -> Margin | None:
    """The margin where all parts hold; None when there is none, or one has no answer."""
    scales = _ALL
    some = False
    for part in parts:
        if part is None:
            return None
        some = True
        scales = scales.meet(part)
    if not some or scales.low > 1 or (scales.high is not None and scales.high < 1):
        return None
    fall = 1 - scales.low if scales.low > 0 else None
    return Margin(fall, None if scales.high is None else scales.high - 1)


def _read_band(number: Number) -> Interval:
    return number.band or Interval(number.shown, number.shown)


def _solve_range(printed: Printed, upper: Numeral, number: Number) -> _Scales | None:
    """The scales for which a range holds the whole band, and is not far wider."""
    low, high = printed.low.value * printed.factor, upper.value * printed.factor
    band = _read_band(number)
    if number.exact is not None:
        return _ALL
    return _meet_all(
        _solve_least(band.low, low),
        _solve_most(band.high, high),
        _solve_least(find_widest(band), high - low),
    )


def _solve_numeral(printed: Printed, numeral: Numeral, number: Number) -> _Scales | None:
    if number.exact is not None:
        return _ALL  # Of several items the others move; this one does not.
    values, band = [series.shown for series in number.series], _read_band(number)
    stated = numeral.value * printed.factor
    hedge = printed.hedge
    if hedge is Hedge.NONE:
        rounding, near = _find_rounding(printed, numeral, stated), _find_near(stated)
        both = _intersect(rounding, near)
        return _meet_all(
            _solve_any(values, both), _solve_meeting(rounding, band), _solve_meeting(near, band)
        )
    if hedge in (Hedge.ABOUT, Hedge.NEARLY, Hedge.JUST_OVER):
        within = _find_hedged(printed, numeral, stated)
        return _meet_all(_solve_any(values, within), _solve_meeting(within, band))
    return _solve_bound(hedge in (Hedge.OVER, Hedge.AT_LEAST), stated, values[0], band)


def _solve_bound(above: bool, stated: Fraction, shown: Fraction, band: Interval) -> _Scales | None:
    """The scales for which a bound is reached and is not loose."""
    if above:
        tight = _solve_most(shown, 2 * stated) if stated > 0 or shown > 0 else _ALL
        return _meet_all(_solve_least(band.low, stated), tight)
    tight = _solve_least(shown, stated / 2) if stated > 0 else _ALL
    return _meet_all(_solve_most(band.high, stated), tight)


def _find_rounding(printed: Printed, numeral: Numeral, stated: Fraction) -> Interval:
    """The values that a plain number is the rounding of."""
    reach = numeral.unit * printed.factor / 2
    if printed.form is Form.COUNT:
        reach = Fraction(0)
    elif numeral.unit == 0:
        reach = find_fraction_reach(numeral, stated)
    return Interval(stated - reach, stated + reach)


def _find_near(stated: Fraction) -> Interval:
    """The values that are not too far from a number, however few digits it has."""
    ends = sorted((stated / (1 + RELATIVE_LIMIT), stated / (1 - RELATIVE_LIMIT)))
    return Interval(ends[0], ends[1])


def _find_hedged(printed: Printed, numeral: Numeral, stated: Fraction) -> Interval:
    """The values that ``about``, ``nearly`` and ``just over`` stand for."""
    reach = abs(stated) / 10
    if printed.hedge is Hedge.ABOUT and numeral.round_unit:
        reach = min(reach, numeral.round_unit * printed.factor)
    low = stated if printed.hedge is Hedge.JUST_OVER else stated - reach
    return Interval(low, stated if printed.hedge is Hedge.NEARLY else stated + reach)


def _intersect(left: Interval, right: Interval) -> Interval:
    """What two intervals have in common; both hold the number they were made for."""
    return Interval(max(left.low, right.low), min(left.high, right.high))


def _meet_all(*parts: _Scales | None) -> _Scales | None:
    scales = _ALL
    for part in parts:
        if part is None:
            return None
        scales = scales.meet(part)
    return scales


def _solve_least(value: Fraction, least: Fraction) -> _Scales | None:
    """The scales for which a value is at least ``least``."""
    if value > 0:
        return _Scales(max(least / value, Fraction(0)), None)
    if value == 0:
        return _ALL if least <= 0 else None
    return _Scales(Fraction(0), least / value) if least < 0 else None


def _solve_most(value: Fraction, most: Fraction) -> _Scales | None:
    """The scales for which a value is at most ``most``."""
    return _solve_least(-value, -most)


def _solve_any(values: Sequence[Fraction], within: Interval) -> _Scales | None:
    """The scales, without a gap, for which one value or another lies within.

    Where one of them has left the interval another may have come into it.
    """
    if values and max(values) < 0:
        return _solve_any([-value for value in values], Interval(-within.high, -within.low))
    if within.high <= 0 or not values or min(values) <= 0:
        return None
    low = max(within.low, Fraction(0))
    spans = sorted((low / value, within.high / value) for value in values)
    joined = spans[0]
    for span in spans[1:]:
        if span[0] <= joined[1]:
            joined = (joined[0], max(joined[1], span[1]))
        elif joined[1] < 1:
            joined = span
    return _Scales(*joined)


def _solve_meeting(within: Interval, band: Interval) -> _Scales | None:
    """The scales for which the band meets an interval."""
    return _meet_all(_solve_least(band.high, within.low), _solve_most(band.low, within.high))


def _solve_narrow(left: Number, right: Number) -> _Scales | None:
    """The scales of ``left`` for which both bands together reach over little of the value.

    The larger of the two values counts, so it is enough that either allows the reach.
    """
    mine, yours = _read_band(left), _read_band(right)
    share, value = SAME_WITHIN * abs(left.shown), SAME_WITHIN * abs(right.shown)
    by_mine = _meet_all(
        _solve_most(mine.high - mine.low - share, Fraction(0)),
        _solve_most(mine.high - share, yours.low),
        _solve_least(mine.low + share, yours.high),
        _solve_least(share, yours.high - yours.low),
    )
    by_yours = _meet_all(
        _solve_most(mine.high - mine.low, value),
        _solve_most(mine.high, value + yours.low),
        _solve_least(mine.low, yours.high - value),
        _ALL if yours.high - yours.low <= value else None,
    )
    return _join(by_mine, by_yours)


def _join(first: _Scales | None, second: _Scales | None) -> _Scales | None:
    """What either allows, without a gap around 1."""
    around = [s for s in (first, second) if s is not None and _holds_one(s)]
    if not around:
        return None
    highs = [s.high for s in around]
    high = None if None in highs else max(h for h in highs if h is not None)
    return _Scales(min(s.low for s in around), high)


def _holds_one(scales: _Scales) -> bool:
    return scales.low <= 1 and (scales.high is None or scales.high >= 1)


def _solve_above(above: Number, below: Number) -> _Scales | None:
    """The scales of ``above`` for which its band lies beyond that of ``below``."""
    floor = _read_band(below).high
    return _solve_least(_read_band(above).low, floor) if floor > 0 else None
