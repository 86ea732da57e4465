"""Which numbers could a hedge or a bound stand before?"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from build_tools.quantity.numeral import Notation
from build_tools.quantity.printed import Printed, parse_printed
from build_tools.quantity.spelling import (
    is_far,
    keep_digits,
    list_steps,
    make_decimal,
    propose_exact,
    propose_words,
    read_in_better_unit,
    write_single,
)
from build_tools.quantity.spread import Interval
from build_tools.quantity.style import (
    Rounding,
    replace_folded,
    round_value,
)
from build_tools.quantity.value import Number
from build_tools.quantity.vocabulary import (
    Hedge,
)

_OPPOSITES = {Hedge.NEARLY: "just over ", Hedge.JUST_OVER: "nearly "}


def propose_hedged(printed: Printed, number: Number) -> Iterator[str]:
    """The hedge kept, and a number that it is true of."""
    if is_far(printed, number) and printed.low.notation is not Notation.WORD:
        yield from keep_digits(printed, number)
    for reading in read_in_better_unit(printed, number):
        yield from _propose_bounds(reading, number)
    if printed.hedge in _OPPOSITES:
        if number.exact is not None:
            # What is exact and round needs no hedge.
            plain = replace_folded(printed, 0, printed.low.start, "")
            for step in list_steps(printed.low.unit, number.shown / printed.factor, 0)[:1]:
                if (number.shown / printed.factor / step).denominator == 1:
                    yield write_single(
                        parse_printed(plain), number.shown / printed.factor, step, Rounding.NEAREST
                    )
        opposite = _OPPOSITES[printed.hedge]
        if printed.folded.text[:1].isupper():
            opposite = opposite.capitalize()
        turned = parse_printed(replace_folded(printed, 0, printed.low.start, opposite))
        yield turned.text
        for one, other in zip(
            _propose_bounds(printed, number), _propose_bounds(turned, number), strict=False
        ):
            yield from (one, other)
    yield from _propose_bounds(printed, number)


def _propose_bounds(printed: Printed, number: Number) -> Iterator[str]:
    """Numbers that the hedge is true of, near ones before rounder ones that say little."""
    band = number.band or Interval(number.shown, number.shown)
    low, high = band.low / printed.factor, band.high / printed.factor
    scaled = number.shown / printed.factor
    target, rounding = {
        Hedge.ABOUT: (scaled, Rounding.NEAREST),
        Hedge.NEARLY: (scaled, Rounding.ABOVE),
        Hedge.JUST_OVER: (scaled, Rounding.BELOW),
        Hedge.OVER: (low, Rounding.BELOW),
        Hedge.AT_LEAST: (low, Rounding.DOWN),
        Hedge.UNDER: (high, Rounding.ABOVE),
        Hedge.AT_MOST: (high, Rounding.UP),
    }[printed.hedge]
    if printed.low.notation is Notation.WORD:
        yield from propose_words(printed, target)
        printed = make_decimal(printed)
    if printed.low.notation in (Notation.POWER, Notation.FRACTION):
        yield from propose_exact(printed, target)
    round_unit = printed.low.round_unit or printed.low.unit or Fraction(1)
    steps = list_steps(round_unit, target, 0)
    steps.sort(
        key=lambda step: (
            abs(round_value(target, step, rounding) - target) * 10 > abs(target),
            -step,
        )
    )
    for step in steps:
        yield write_single(printed, target, step, rounding)
