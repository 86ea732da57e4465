"""Does a printed number hold against a value? The rules of rounding, drift and precision.

A plain literal holds when (a) it is the rounding of the value of some fresh record, (b) its
rounding interval meets the newest pool's band, and (c) for a measured value it is within five
percent of the value it is the rounding of, and of some value of the band. It is over-precise when the interquartile range
over the processes of the record it was taken from exceeds two units of its last digit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from build_tools.diagnostics.finding import Kind
from build_tools.quantity.format import format_band, format_number, format_plain
from build_tools.quantity.numeral import Notation, Numeral
from build_tools.quantity.printed import Printed
from build_tools.quantity.spread import Interval
from build_tools.quantity.units import (
    SYMBOLS,
    Unit,
    choose_unit,
    format_dimensions,
)
from build_tools.quantity.value import Number, Series, Several, Text, Truth, Value, describe_value
from build_tools.quantity.vocabulary import Form, Hedge

RELATIVE_LIMIT = Fraction(1, 20)
"""A measured value may lie this far from the printed number at most."""


@dataclass(frozen=True)
class Judgement:
    """Why a text does not hold: ``true`` says what is the case, ``advice`` what to do."""

    kind: Kind
    true: str
    advice: str
    checked: bool = True
    nearest: str = ""
    """A text in the author's own style that would hold; see quantity.nearest."""


def judge_value(printed: Printed, value: Value) -> Judgement | None:
    """None when the text holds against the value, else why not."""
    match value:
        case Number():
            return _judge_single(printed, value)
        case Several():
            return _judge_several(printed, value)
        case Text():
            return _judge_text(printed, value)
        case Truth():
            return Judgement(
                Kind.TYPE,
                "the expression is a statement that is true or false, not a number",
                "write the statement in words, or bind the number to a number",
            )
    raise AssertionError(value)


def _judge_text(printed: Printed, value: Text) -> Judgement | None:
    """A shape against a key such as ``611x613x617``."""
    sides = value.value.lower().replace("×", "x").split("x")
    if printed.form is Form.SHAPE and [str(s) for s in printed.shape] == [s.strip() for s in sides]:
        return None
    return Judgement(Kind.DRIFT, f"the key is `{value.value}`", f"write `{value.value}`")


def _judge_several(printed: Printed, value: Several) -> Judgement | None:
    if printed.form is Form.SHAPE:
        return _judge_shape(printed, value)
    numbers = [item for item in value.items if isinstance(item, Number)]
    if not numbers or len(numbers) != len(value.items):
        return Judgement(
            Kind.TYPE,
            f"the expression is {describe_value(value)}, not all of them numbers",
            "bind the text to numbers",
        )
    if printed.high is None:
        for number in numbers:
            judgement = _judge_single(printed, number)
            if judgement:
                return judgement
        return None
    for number in numbers:
        mismatch = _check_unit(printed, number)
        if mismatch:
            return mismatch
    low = min(numbers, key=lambda n: n.shown)
    high = max(numbers, key=lambda n: n.shown)
    wrong = _judge_numeral(printed, printed.low, low) or _judge_numeral(printed, printed.high, high)
    if wrong is None or wrong.kind is not Kind.DRIFT:
        return wrong
    return Judgement(
        Kind.DRIFT,
        f"from {_tell(printed, low)} to {_tell(printed, high)}: {wrong.true}",
        _FIND_OUT,
    )


def _judge_shape(printed: Printed, value: Several) -> Judgement | None:
    sides = [i.shown for i in value.items if isinstance(i, Number) and not i.series]
    if len(sides) == len(value.items) and sides == [Fraction(s) for s in printed.shape]:
        return None
    true = " x ".join(format_plain(s) for s in sides) or describe_value(value)
    return Judgement(Kind.DRIFT, f"the shape is {true}", f"write `{true}`")


def _judge_single(printed: Printed, number: Number) -> Judgement | None:
    if printed.form is Form.SHAPE:
        return Judgement(
            Kind.TYPE,
            f"the expression is one number, {format_number(number)}, and the text is a shape",
            "bind a shape to its sides, as in `(kTile, kTile)`, or write the number",
        )
    mismatch = _check_unit(printed, number)
    if mismatch:
        return mismatch
    if printed.high is not None:
        return _judge_range(printed, printed.high, number)
    return _judge_numeral(printed, printed.low, number)


def _check_unit(printed: Printed, number: Number) -> Judgement | None:
    """Whether text and value speak of the same dimension."""
    if printed.unit.dimensions == number.dimensions:
        return None
    wanted = choose_unit(number.shown, Unit(Fraction(1), number.dimensions))
    remedy = (
        f"write the number with its unit, as `{format_number(number)}`"
        if wanted.text
        else "write the number without a unit; words for what is counted go after the link"
    )
    dimensions = format_dimensions(Unit(Fraction(1), number.dimensions))
    true = f"the value is in {dimensions}" if number.dimensions else "the value is a bare number"
    stated = f"the text in `{printed.unit_text}`" if printed.unit_text else "the text has no unit"
    return Judgement(Kind.UNIT, f"{true}, {stated}", remedy)


def _judge_range(printed: Printed, upper: Numeral, number: Number) -> Judgement | None:
    """A range bound to one value holds the value's band."""
    low = printed.low.value * printed.factor
    high = upper.value * printed.factor
    band = number.band or Interval(number.shown, number.shown)
    if low <= band.low and band.high <= high:
        return _judge_width(printed, high - low, band, number)
    return Judgement(
        Kind.DRIFT,
        f"{_tell(printed, number)} is not within the range",
        "write a range that holds the band, or the number itself",
    )


def find_widest(band: Interval) -> Fraction:
    """How wide a range around a band may be and still say something."""
    return 3 * (band.high - band.low) + max(abs(band.low), abs(band.high)) / 10


def _judge_width(
    printed: Printed, width: Fraction, band: Interval, number: Number
) -> Judgement | None:
    """Whether a range that holds the band says anything."""
    if number.exact is not None:
        return Judgement(
            Kind.LOOSE,
            f"the value is exactly {_tell(printed, number)}, and a range says less",
            "write the number itself",
        )
    if width <= find_widest(band):
        return None
    return Judgement(
        Kind.LOOSE,
        f"{_tell(printed, number)}: the range is far wider than the band, and says nothing",
        "write a range nearer the band",
    )


def _judge_numeral(printed: Printed, numeral: Numeral, number: Number) -> Judgement | None:
    exact = number.exact
    values = [exact] if exact is not None else [s.shown for s in number.series]
    if printed.hedge is not Hedge.NONE:
        return _judge_hedged(printed, numeral, number, values)
    stated = numeral.value * printed.factor
    reach = numeral.unit * printed.factor / 2
    if printed.form is Form.COUNT or numeral.unit == 0:
        reach = _exact_reach(printed, numeral, stated, number)
    rounding = Interval(stated - reach, stated + reach)
    resting = [value for value in values if rounding.holds(value)]
    if not resting:
        return _report_other(printed, numeral, number)
    band = number.band
    if band is None:
        return None
    if not rounding.meets(band):
        return _report_drift(printed, numeral, number, "has drifted: the newest band is beyond it")
    near = Interval(*sorted((stated / (1 + RELATIVE_LIMIT), stated / (1 - RELATIVE_LIMIT))))
    if not any(near.holds(value) for value in resting) or not near.meets(band):
        return _report_drift(printed, numeral, number, "is more than 5 % away")
    if numeral.unit and number.find_quartile_range(rounding) > 2 * numeral.unit * printed.factor:
        return Judgement(
            Kind.OVER_PRECISE,
            f"{_tell(printed, number)}: half of the processes lie more than "
            "two units of the last digit apart",
            "write one digit less",
        )
    return None


def _exact_reach(printed: Printed, numeral: Numeral, stated: Fraction, number: Number) -> Fraction:
    """How far a fraction, a power or a count may lie from the value.

    A third may stand for a constant that a source writes as ``0.3333333f``.
    """
    if printed.form is Form.COUNT:
        return Fraction(0)
    if number.exact is not None:
        power = printed.low.notation is Notation.POWER
        return Fraction(0) if power else abs(stated) * Fraction(1, 10**6)
    return find_fraction_reach(numeral, stated)


_LARGEST_TERM = 10
"""Above or below the line of a fraction, up to which it is a round way to speak."""


def find_fraction_reach(numeral: Numeral, stated: Fraction) -> Fraction:
    """How far a measured value may lie from ``1/3``, ``2^24`` or a word for a number.

    Five percent where the terms are small; ``156/100`` says as much as ``1.56``, and is the
    rounding of the value to hundredths.
    """
    limit = abs(stated) * RELATIVE_LIMIT
    terms = [int(term) for term in re.findall(r"\d+", numeral.text, re.ASCII)]
    fraction = numeral.notation is Notation.FRACTION and len(terms) == 2
    if numeral.notation is Notation.POWER and int(terms[0]) > _LARGEST_TERM:
        return min(limit, abs(stated / numeral.value) / 2)
    if not fraction or max(terms) <= _LARGEST_TERM:
        return limit
    return min(limit, abs(stated / numeral.value) / terms[1] / 2)


def _judge_hedged(
    printed: Printed, numeral: Numeral, number: Number, values: list[Fraction]
) -> Judgement | None:
    stated = numeral.value * printed.factor
    band = number.band or Interval(number.shown, number.shown)
    tenth = abs(stated) / 10
    hedge = printed.hedge
    if hedge in (Hedge.ABOUT, Hedge.NEARLY, Hedge.JUST_OVER):
        reach = tenth
        if hedge is Hedge.ABOUT and numeral.round_unit:
            reach = min(tenth, numeral.round_unit * printed.factor)
        low = stated if hedge is Hedge.JUST_OVER else stated - reach
        high = stated if hedge is Hedge.NEARLY else stated + reach
        within = Interval(low, high)
        open_end = stated if hedge is not Hedge.ABOUT else None
        if any(within.holds(v) and v != open_end for v in values) and within.meets(band):
            return None
        return _report_drift(printed, numeral, number, f"is not {hedge.value} that")
    strict = hedge in (Hedge.OVER, Hedge.UNDER)
    above = hedge in (Hedge.OVER, Hedge.AT_LEAST)
    end = band.low if above else band.high
    reached = (
        (end > stated if strict else end >= stated)
        if above
        else (end < stated if strict else end <= stated)
    )
    if not reached:
        return _report_drift(printed, numeral, number, f"is not surely {hedge.value} that")
    far = number.shown >= 2 * stated if above else number.shown <= stated / 2
    if far and (stated > 0 or (above and number.shown > 0)):
        return Judgement(
            Kind.LOOSE,
            f"{_tell(printed, number)}: the bound is off by a factor of two "
            "or more, and says nothing",
            "write a bound nearer the value",
        )
    return None


_FIND_OUT = "change the text, or find out what changed"


def _report_other(printed: Printed, numeral: Numeral, number: Number) -> Judgement:
    """A number that the value does not round to; where nothing is rounded, that is not said."""
    told = _tell(printed, number)
    rounds = numeral.unit and told != format_number(number, 15, choose_told_unit(printed, number))
    if number.exact is None or rounds:
        return _report_drift(printed, numeral, number, "does not round to it")
    stated = printed.text if printed.high is None else numeral.text
    return _compose_drift(printed, numeral, number, f"it is {told}, not {stated}")


def _report_drift(printed: Printed, numeral: Numeral, number: Number, how: str) -> Judgement:
    return _compose_drift(printed, numeral, number, f"{_tell(printed, number)} {how}")


def _compose_drift(printed: Printed, numeral: Numeral, number: Number, true: str) -> Judgement:
    prefix = _find_other_prefix(printed, numeral, number)
    if prefix:
        true += f"; in {prefix} it would agree"
    return Judgement(Kind.DRIFT, true, _FIND_OUT)


_TWINS = (("KB", "KiB"), ("MB", "MiB"), ("GB", "GiB"), ("TB", "TiB"))


def _find_other_prefix(printed: Printed, numeral: Numeral, number: Number) -> str:
    """The number with the prefix of the other kind, where it would agree; else empty."""
    for pair in _TWINS:
        for mine, other in (pair, pair[::-1]):
            if printed.unit_text.startswith(mine) and mine in SYMBOLS:
                factor = SYMBOLS[other].factor / SYMBOLS[mine].factor * printed.factor
                if abs(numeral.value * factor - number.shown) <= numeral.unit * factor / 2:
                    return f"{numeral.text} {printed.unit_text.replace(mine, other, 1)}"
    return ""


def _tell(printed: Printed, number: Number) -> str:
    """A value with its band, in the author's own unit where the two speak of the same."""
    unit = choose_told_unit(printed, number)
    band = format_band(number, unit=unit)
    return format_number(number, unit=unit) + (f" (band {band})" if band else "")


def choose_told_unit(printed: Printed, number: Number) -> Unit | None:
    """The author's own unit, or None where text and value speak of different things."""
    if printed.form is Form.PERCENT and not number.dimensions:
        return Unit(printed.multiplier, (), "%")
    if printed.unit_text and printed.unit.dimensions == number.dimensions:
        return replace(printed.unit, text=printed.unit_text)
    return None


def find_thin_series(number: Number, minimum: int) -> Series | None:
    """The newest series, when it rests on fewer processes than a band needs; else None."""
    if number.exact is None and number.series[0].samples:
        newest = number.series[0]
        return newest if len(newest.samples) < min(minimum, newest.enough) else None
    return None
