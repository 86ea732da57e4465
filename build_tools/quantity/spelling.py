"""How is a text changed as little as can be? Its digits, how many of them, its unit, its word.

Each function makes candidates from the author's text; whether they hold is the judge's to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

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
from build_tools.quantity.value import Number
from build_tools.quantity.vocabulary import (
    MULTIPLES,
    NUMBER_WORDS,
    SHARES,
    Form,
)

_FEWEST_DIGITS = 3
"""Where the author's digits do not reach the value, so many that count are tried."""


_FAR = 3
"""Powers of ten between a text and its value from which on another prefix is what was meant."""


def is_far(printed: Printed, number: Number) -> bool:
    """Whether the text is powers of ten away from the value."""
    if printed.low.value == 0 or number.shown == 0:
        return False
    distance = find_magnitude(number.shown / printed.factor) - find_magnitude(printed.low.value)
    return abs(distance) >= _FAR


def read_in_better_unit(printed: Printed, number: Number) -> Iterator[Printed]:
    """The text with the unit the value reads best in, where it is far from the author's."""
    if printed.unit_text and is_far(printed, number):
        start = printed.folded.text.index(printed.unit_text, printed.low.end)
        for unit in list_readable_units(number.shown, number.dimensions)[:1]:
            yield parse_printed(replace_folded(printed, start, len(printed.folded.text), unit))


_SIGN = re.compile(r"\s?(?:%|×|x$)|\s(?:percent|times)$")


def keep_digits(printed: Printed, number: Number) -> Iterator[str]:
    """The author's digits with another unit: ``228 KiB`` for ``228 KB``, ``10 %`` for ``10×``."""
    start, end = (printed.high or printed.low).end, len(printed.folded.text)
    if printed.unit_text:
        start = printed.folded.text.index(printed.unit_text, start)
        for unit in list_other_units(printed.unit_text, number.dimensions):
            yield replace_folded(printed, start, end, unit)
    elif sign := _SIGN.search(printed.folded.text, start):
        percent = "%" in sign[0] or "percent" in sign[0]
        yield replace_folded(printed, sign.start(), sign.end(), "×" if percent else " %")


def list_steps(unit: Fraction, value: Fraction, most: int) -> list[Fraction]:
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


def write_single(printed: Printed, value: Fraction, step: Fraction, rounding: Rounding) -> str:
    """The author's text with another number in the place of its one; empty for a bare zero."""
    rounded = round_value(value, step, rounding)
    if rounded == 0 and value != 0:
        return ""
    numeral = printed.low
    new = write_numeral(numeral, rounded, step, read_original(printed, numeral))
    return replace_folded(printed, numeral.start, numeral.end, new)


def write_range(
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


def propose_exact(printed: Printed, value: Fraction) -> Iterator[str]:
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


def propose_words(printed: Printed, value: Fraction) -> Iterator[str]:
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


def make_decimal(printed: Printed) -> Printed:
    """The author's text with digits where words or a shape stand, to be changed further."""
    if printed.form is Form.SHAPE:
        return parse_printed("1")
    numeral = printed.low
    suffix = _SUFFIX.search(numeral.text.lower())
    ending = suffix[1] if suffix else "×" if printed.form is Form.FACTOR else ""
    return parse_printed(replace_folded(printed, numeral.start, numeral.end, "1" + ending))


def make_hedged(printed: Printed, words: str) -> Printed | None:
    """The author's text with a hedge before its number."""
    try:
        return parse_printed(replace_folded(printed, printed.low.start, printed.low.start, words))
    except UnreadableError:
        return None
