"""Which texts could stand in the place of one that does not hold, the likeliest first?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

from build_tools.quantity.hedging import propose_hedged
from build_tools.quantity.judge import find_widest
from build_tools.quantity.numeral import Notation, UnreadableError
from build_tools.quantity.printed import Printed, parse_printed
from build_tools.quantity.spelling import (
    is_far,
    keep_digits,
    list_steps,
    make_decimal,
    make_hedged,
    propose_exact,
    propose_words,
    read_in_better_unit,
    write_range,
    write_single,
)
from build_tools.quantity.spread import Interval
from build_tools.quantity.style import (
    Rounding,
    find_magnitude,
    replace_folded,
    round_value,
)
from build_tools.quantity.units import list_readable_units
from build_tools.quantity.value import Number, Several, Text, Truth, Value
from build_tools.quantity.vocabulary import (
    Form,
    Hedge,
)


def propose_texts(printed: Printed, value: Value) -> Iterator[str]:
    """Texts in the author's style for a value, changed as little as can be; none for a truth."""
    match value:
        case Number():
            yield from _propose_number(printed, value)
        case Several():
            yield from _propose_several(printed, value)
        case Text():
            yield from _propose_key(printed, value)
        case Truth():
            return


def _propose_key(printed: Printed, key: Text) -> Iterator[str]:
    """A key such as ``611x613x617``, spaced as the author spaces a shape."""
    joiner = re.search(r"(?<=\d)\s?[x×]\s?(?=\d)", printed.folded.text)
    if joiner:
        sides = re.split(r"\s?[x×]\s?", key.value)
        yield replace_folded(printed, 0, len(printed.folded.text), joiner[0].join(sides))
    yield key.value


def _propose_several(printed: Printed, several: Several) -> Iterator[str]:
    numbers = [item for item in several.items if isinstance(item, Number)]
    if not numbers or len(numbers) != len(several.items):
        return
    whole = [n.shown for n in numbers if n.exact is not None and n.shown.denominator == 1]
    sides = [str(side.numerator) for side in whole] if len(whole) == len(numbers) else []
    if printed.form is Form.SHAPE:
        joiner = re.search(r"(?<=\d)\s?[x×]\s?(?=\d)", printed.folded.text)
        if sides:
            spaced = (joiner[0] if joiner else " x ").join(sides)
            yield replace_folded(printed, 0, len(printed.folded.text), spaced)
        return
    low = min(numbers, key=lambda n: n.shown)
    high = max(numbers, key=lambda n: n.shown)
    if printed.high is None:
        yield from islice(_propose_number(printed, low), 20)
    ends = Interval(low.shown / printed.factor, high.shown / printed.factor)
    for step in list_steps(printed.low.unit, ends.high, 1):
        yield write_range(printed, ends, step, Rounding.NEAREST, Rounding.NEAREST)
    if sides:
        yield " x ".join(sides)


def _propose_number(printed: Printed, number: Number) -> Iterator[str]:
    if printed.form is Form.SHAPE:
        yield from _propose_unit(make_decimal(printed), number)
    elif printed.unit.dimensions != number.dimensions:
        yield from _propose_unit(printed, number)
    elif printed.high is not None and number.exact is not None:
        single = replace_folded(printed, printed.low.start, printed.high.end, printed.low.text)
        yield from _propose_number(parse_printed(single), number)
    elif printed.high is not None:
        yield from _propose_range(printed, number)
    elif printed.hedge is not Hedge.NONE:
        yield from propose_hedged(printed, number)
    else:
        yield from keep_digits(printed, number)
        yield from _propose_plain(printed, number)


def _propose_plain(printed: Printed, number: Number) -> Iterator[str]:
    """The value with the author's digits, then more, then fewer, then about."""
    scaled = number.shown / printed.factor
    if printed.low.notation is Notation.WORD:
        yield from propose_words(printed, scaled)
        printed = make_decimal(printed)
        scaled = number.shown / printed.factor
    if printed.low.notation in (Notation.POWER, Notation.FRACTION):
        yield from propose_exact(printed, scaled)
    if printed.low.notation is Notation.SCIENTIFIC:
        # The same digits of the mantissa, whatever the power.
        digits = find_magnitude(printed.low.value) - find_magnitude(printed.low.unit)
        step = Fraction(10) ** (find_magnitude(scaled) - digits)
        yield write_single(printed, scaled, step, Rounding.NEAREST)
    unit = printed.low.unit or Fraction(1)
    for reading in read_in_better_unit(printed, number):
        better = number.shown / reading.factor
        for step in list_steps(reading.low.unit, better, 1):
            yield write_single(reading, better, step, Rounding.NEAREST)
    if is_far(printed, number) and number.exact is not None and scaled.denominator == 1:
        # 1.056 for 1,056: the point was meant for a comma.
        yield write_single(printed, scaled, Fraction(1), Rounding.NEAREST)
    for step in list_steps(unit, scaled, 1):
        yield write_single(printed, scaled, step, Rounding.NEAREST)
    about = make_hedged(printed, "about ")
    if about is not None and printed.form is not Form.COUNT:
        # Digits that say too much and cannot go: a rounder number that says it is one.
        powers = range(1, max(1, find_magnitude(scaled) - find_magnitude(unit)) + 1)
        spread = number.find_quartile_range(Interval(number.shown, number.shown)) / printed.factor
        steps = [unit * 10**power for power in powers]
        steps.sort(key=lambda step: (2 * step < spread, step))
        for step in (*steps, unit, unit / 10):
            yield write_single(about, scaled, step, Rounding.NEAREST)


def _propose_range(printed: Printed, number: Number) -> Iterator[str]:
    """A range that holds the band and is not much wider than it."""
    band = number.band or Interval(number.shown, number.shown)
    ends = Interval(band.low / printed.factor, band.high / printed.factor)
    widest = find_widest(ends)
    for step in list_steps(printed.low.unit, ends.high, 1):
        low = round_value(ends.low, step, Rounding.DOWN)
        high = round_value(ends.high, step, Rounding.UP)
        if low < high and high - low <= widest:
            yield write_range(printed, ends, step, Rounding.DOWN, Rounding.UP)


def _propose_unit(printed: Printed, number: Number) -> Iterator[str]:
    """The number with a unit of the value's dimensions, in the one that keeps the digits first."""
    end = (printed.high or printed.low).end
    tails = [f" {text}" for text in list_readable_units(number.shown, number.dimensions)]
    if not number.dimensions:
        tails = ["", "×"] if number.exact is not None else ["×", ""]
    readings = []
    for tail in tails:
        text = replace_folded(printed, end, len(printed.folded.text), tail)
        try:
            readings.append(parse_printed(text))
        except UnreadableError:
            continue
    yield from (reading.text for reading in readings)
    for reading in readings:
        if reading.unit.dimensions == number.dimensions and reading.form is not Form.SHAPE:
            yield from islice(_propose_number(reading, number), 20)
