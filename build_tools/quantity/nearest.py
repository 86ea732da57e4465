"""Which text, in the author's own style, would be true of a value?

Candidates are made from the author's text by changing as little as can be (the digits, then how
many of them, then unit or form), and the first that the judge agrees with is the answer: what is
proposed always holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice

from build_tools.diagnostics.finding import Kind
from build_tools.quantity.fold import fold_text
from build_tools.quantity.judge import Judgement, find_widest, judge_value
from build_tools.quantity.numeral import Notation, UnreadableError
from build_tools.quantity.printed import Printed, parse_printed
from build_tools.quantity.spread import Interval
from build_tools.quantity.style import (
    Rounding,
    find_magnitude,
    read_original,
    replace_folded,
    round_value,
    write_numeral,
)
from build_tools.quantity.units import list_other_units, list_readable_units
from build_tools.quantity.value import Number, Several, Text, Truth, Value
from build_tools.quantity.vocabulary import (
    MULTIPLES,
    NUMBER_WORDS,
    SHARES,
    Form,
    Hedge,
)

_MOST_CANDIDATES = 200
_FEWEST_DIGITS = 3
"""Where the author's digits do not reach the value, so many that count are tried."""


def holds_text(text: str, value: Value) -> bool:
    """Whether a text holds against a value that is no statement; unreadable texts do not."""
    if isinstance(value, Text) and fold_text(text) == value.value:
        return True
    try:
        return judge_value(parse_printed(text), value) is None
    except UnreadableError:
        return False


def explain_value(printed: Printed, value: Value) -> Judgement | None:
    """None when the text holds against the value, else why not and the nearest that would."""
    judgement = judge_value(printed, value)
    if judgement is None:
        return None
    nearest = find_nearest(printed, value)
    if not nearest:
        return judgement
    advice = {
        Kind.DRIFT: f"write `{nearest}`{_list_older(printed, value, nearest)}, or find out what "
        "changed",
        Kind.OVER_PRECISE: f"write `{nearest}`, with fewer digits",
        Kind.LOOSE: f"write `{nearest}`, a bound nearer the value",
    }.get(judgement.kind, f"write `{nearest}`, or {judgement.advice}")
    return replace(judgement, nearest=nearest, advice=advice)


def _list_older(printed: Printed, value: Value, nearest: str) -> str:
    """What older fresh records would have said in the same style, when something else."""
    if not isinstance(value, Number) or printed.high is not None or printed.hedge:
        return ""
    older = (replace(value, series=(series,)) for series in value.series[1:])
    texts = {find_nearest(printed, number) for number in islice(older, 8)} - {nearest, ""}
    return f" (older records: {', '.join(sorted(texts))})" if texts else ""


def find_nearest(printed: Printed, value: Value) -> str:
    """The nearest text that holds; empty when there is none."""
    return _take_first(_propose(printed, value), value)


def find_readable(error: UnreadableError, value: Value) -> str:
    """A readable text for one that is not, where its remedy is known; it holds for ``value``."""
    if not error.remedy:
        return ""
    if holds_text(error.remedy, value):
        return error.remedy
    try:
        return find_nearest(parse_printed(error.remedy), value)
    except UnreadableError:
        return ""


def _take_first(candidates: Iterator[str], value: Value) -> str:
    tried = dict.fromkeys(islice(candidates, _MOST_CANDIDATES))
    return next((text for text in tried if holds_text(text, value)), "")


def _propose(printed: Printed, value: Value) -> Iterator[str]:
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
    for step in _list_steps(printed.low.unit, ends.high, 1):
        yield _write_range(printed, ends, step, Rounding.NEAREST, Rounding.NEAREST)
    if sides:
        yield " x ".join(sides)


def _write_range(
    printed: Printed, ends: Interval, step: Fraction, down: Rounding, up: Rounding
) -> str:
    """The author's text with a range in it; a single number grows into one."""
    low, high = printed.low, printed.high or printed.low
    texts = [
        write_numeral(low, round_value(ends.low, step, down), step, read_original(printed, low)),
        write_numeral(high, round_value(ends.high, step, up), step, read_original(printed, high)),
    ]
    between = printed.folded.text[low.end : high.start] if printed.high else "–"
    if between == "-" and texts[1].startswith(("-", "−")):
        between = " to "
    return replace_folded(printed, low.start, high.end, between.join(texts))


def _propose_number(printed: Printed, number: Number) -> Iterator[str]:
    if printed.form is Form.SHAPE:
        yield from _propose_unit(_make_decimal(printed), number)
    elif printed.unit.dimensions != number.dimensions:
        yield from _propose_unit(printed, number)
    elif printed.high is not None and number.exact is not None:
        single = replace_folded(printed, printed.low.start, printed.high.end, printed.low.text)
        yield from _propose_number(parse_printed(single), number)
    elif printed.high is not None:
        yield from _propose_range(printed, number)
    elif printed.hedge is not Hedge.NONE:
        yield from _propose_hedged(printed, number)
    else:
        yield from _propose_same_digits(printed, number)
        yield from _propose_plain(printed, number)


_SIGN = re.compile(r"\s?(?:%|×|x$)|\s(?:percent|times)$")


def _propose_same_digits(printed: Printed, number: Number) -> Iterator[str]:
    """The author's digits with another unit: ``228 KiB`` for ``228 KB``, ``10 %`` for ``10×``."""
    start, end = (printed.high or printed.low).end, len(printed.folded.text)
    if printed.unit_text:
        start = printed.folded.text.index(printed.unit_text, start)
        for unit in list_other_units(printed.unit_text, number.dimensions):
            yield replace_folded(printed, start, end, unit)
    elif sign := _SIGN.search(printed.folded.text, start):
        percent = "%" in sign[0] or "percent" in sign[0]
        yield replace_folded(printed, sign.start(), sign.end(), "×" if percent else " %")


def _propose_plain(printed: Printed, number: Number) -> Iterator[str]:
    """The value with the author's digits, then more, then fewer, then about."""
    scaled = number.shown / printed.factor
    if printed.low.notation is Notation.WORD:
        yield from _propose_words(printed, scaled)
        printed = _make_decimal(printed)
        scaled = number.shown / printed.factor
    if printed.low.notation in (Notation.POWER, Notation.FRACTION):
        yield from _propose_exact(printed, scaled)
    if printed.low.notation is Notation.SCIENTIFIC:
        # The same digits of the mantissa, whatever the power.
        digits = find_magnitude(printed.low.value) - find_magnitude(printed.low.unit)
        step = Fraction(10) ** (find_magnitude(scaled) - digits)
        yield _write_single(printed, scaled, step, Rounding.NEAREST)
    unit = printed.low.unit or Fraction(1)
    for reading in _read_in_better_unit(printed, number):
        better = number.shown / reading.factor
        for step in _list_steps(reading.low.unit, better, 1):
            yield _write_single(reading, better, step, Rounding.NEAREST)
    if _is_far(printed, number) and number.exact is not None and scaled.denominator == 1:
        # 1.056 for 1,056: the point was meant for a comma.
        yield _write_single(printed, scaled, Fraction(1), Rounding.NEAREST)
    for step in _list_steps(unit, scaled, 1):
        yield _write_single(printed, scaled, step, Rounding.NEAREST)
    about = _make_hedged(printed, "about ")
    if about is not None and printed.form is not Form.COUNT:
        # Digits that say too much and cannot go: a rounder number that says it is one.
        powers = range(1, max(1, find_magnitude(scaled) - find_magnitude(unit)) + 1)
        spread = number.find_quartile_range(Interval(number.shown, number.shown)) / printed.factor
        steps = [unit * 10**power for power in powers]
        steps.sort(key=lambda step: (2 * step < spread, step))
        for step in (*steps, unit, unit / 10):
            yield _write_single(about, scaled, step, Rounding.NEAREST)


_FAR = 3
"""Powers of ten between a text and its value from which on another prefix is what was meant."""


def _is_far(printed: Printed, number: Number) -> bool:
    """Whether the text is powers of ten away from the value."""
    if printed.low.value == 0 or number.shown == 0:
        return False
    distance = find_magnitude(number.shown / printed.factor) - find_magnitude(printed.low.value)
    return abs(distance) >= _FAR


def _read_in_better_unit(printed: Printed, number: Number) -> Iterator[Printed]:
    """The text with the unit the value reads best in, where it is far from the author's."""
    if printed.unit_text and _is_far(printed, number):
        start = printed.folded.text.index(printed.unit_text, printed.low.end)
        for unit in list_readable_units(number.shown, number.dimensions)[:1]:
            yield parse_printed(replace_folded(printed, start, len(printed.folded.text), unit))


def _list_steps(unit: Fraction, value: Fraction, most: int) -> list[Fraction]:
    """Steps to round to: the author's, finer ones as far as the value needs, coarser ones.

    ``most`` is the coarsest step that digits can show without zeros that mean nothing.
    """
    unit = unit or Fraction(1)
    needed = Fraction(10) ** (find_magnitude(value) - _FEWEST_DIGITS)
    steps = [unit]
    while steps[-1] > needed:
        steps.append(steps[-1] / 10)
    coarser = unit * 10
    while coarser <= most:
        steps.append(coarser)
        coarser *= 10
    return steps


def _write_single(printed: Printed, value: Fraction, step: Fraction, rounding: Rounding) -> str:
    """The author's text with another number in the place of its one; empty for a bare zero."""
    rounded = round_value(value, step, rounding)
    if rounded == 0 and value != 0:
        return ""
    numeral = printed.low
    new = write_numeral(numeral, rounded, step, read_original(printed, numeral))
    return replace_folded(printed, numeral.start, numeral.end, new)


def _propose_exact(printed: Printed, value: Fraction) -> Iterator[str]:
    """Another power of the same base, another fraction."""
    numeral = printed.low
    if numeral.notation is Notation.FRACTION and value.denominator > 1:
        new = f"{value.numerator}/{value.denominator}"
        if len(new) <= 8:
            yield replace_folded(printed, numeral.start, numeral.end, new)
        return
    match = re.fullmatch(r"(\d+)(\^?)(.+)", numeral.text, re.ASCII)
    if match is None or int(match[1]) < 2 or value <= 0:
        return
    base, exponent = int(match[1]), 0
    rest = value if value >= 1 else 1 / value
    while rest >= base and exponent < 400:
        rest /= base
        exponent += 1
    exponent = exponent if value >= 1 else -exponent
    raised = str(exponent).translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))
    power = f"^{exponent}" if match[2] else raised
    yield replace_folded(printed, numeral.start, numeral.end, match[1] + power)


_SUFFIX = re.compile(r"(-?fold| times|-way|-bit)$")


def _propose_words(printed: Printed, value: Fraction) -> Iterator[str]:
    """Another word of the same kind."""
    numeral = printed.low
    suffix = _SUFFIX.search(numeral.text.lower())
    ending = suffix[1] if suffix else ""
    rounded = int(round_value(value, Fraction(1), Rounding.NEAREST))
    words = []
    if printed.form is Form.FACTOR and not ending:
        shares = sorted(SHARES, key=lambda word: abs(SHARES[word] - value))
        words += [word for word in shares if abs(SHARES[word] - value) * 10 < SHARES[word]][:2]
        words += [word for word, amount in MULTIPLES.items() if amount == rounded == 2]
        ending = " times"
    if 0 < rounded < len(NUMBER_WORDS):
        words.append(NUMBER_WORDS[rounded] + ending)
    for word in words:
        spelled = word.capitalize() if numeral.text[:1].isupper() else word
        yield replace_folded(printed, numeral.start, numeral.end, spelled)


def _make_decimal(printed: Printed) -> Printed:
    """The author's text with digits where words or a shape stand, to be changed further."""
    if printed.form is Form.SHAPE:
        return parse_printed("1")
    numeral = printed.low
    suffix = _SUFFIX.search(numeral.text.lower())
    ending = suffix[1] if suffix else "×" if printed.form is Form.FACTOR else ""
    return parse_printed(replace_folded(printed, numeral.start, numeral.end, "1" + ending))


def _make_hedged(printed: Printed, words: str) -> Printed | None:
    """The author's text with a hedge before its number."""
    try:
        return parse_printed(replace_folded(printed, printed.low.start, printed.low.start, words))
    except UnreadableError:
        return None


_OPPOSITES = {Hedge.NEARLY: "just over ", Hedge.JUST_OVER: "nearly "}


def _propose_hedged(printed: Printed, number: Number) -> Iterator[str]:
    """The hedge kept, and a number that it is true of."""
    if _is_far(printed, number) and printed.low.notation is not Notation.WORD:
        yield from _propose_same_digits(printed, number)
    for reading in _read_in_better_unit(printed, number):
        yield from _propose_bounds(reading, number)
    if printed.hedge in _OPPOSITES:
        if number.exact is not None:
            # What is exact and round needs no hedge.
            plain = replace_folded(printed, 0, printed.low.start, "")
            for step in _list_steps(printed.low.unit, number.shown / printed.factor, 0)[:1]:
                if (number.shown / printed.factor / step).denominator == 1:
                    yield _write_single(
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
        yield from _propose_words(printed, target)
        printed = _make_decimal(printed)
    if printed.low.notation in (Notation.POWER, Notation.FRACTION):
        yield from _propose_exact(printed, target)
    round_unit = printed.low.round_unit or printed.low.unit or Fraction(1)
    steps = _list_steps(round_unit, target, 0)
    steps.sort(
        key=lambda step: (
            abs(round_value(target, step, rounding) - target) * 10 > abs(target),
            -step,
        )
    )
    for step in steps:
        yield _write_single(printed, target, step, rounding)


def _propose_range(printed: Printed, number: Number) -> Iterator[str]:
    """A range that holds the band and is not much wider than it."""
    band = number.band or Interval(number.shown, number.shown)
    ends = Interval(band.low / printed.factor, band.high / printed.factor)
    widest = find_widest(ends)
    for step in _list_steps(printed.low.unit, ends.high, 1):
        low = round_value(ends.low, step, Rounding.DOWN)
        high = round_value(ends.high, step, Rounding.UP)
        if low < high and high - low <= widest:
            yield _write_range(printed, ends, step, Rounding.DOWN, Rounding.UP)


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
