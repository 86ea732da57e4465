"""How is a value printed in messages and proofs?"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from build_tools.quantity.units import NOUNS, Unit, choose_unit, parse_unit
from build_tools.quantity.value import Number


def format_plain(value: Fraction, digits: int = 5) -> str:
    """A bare number for messages: whole numbers whole, others to ``digits`` places that count.

    One notation: what is rounded has commas like what is whole, until nobody could read it.
    """
    if value.denominator == 1 and abs(value) < _LARGEST_WRITTEN:
        return f"{value.numerator:,}"
    power = find_far_power(value)
    if power:
        return f"{float(value / Fraction(10) ** power):.{digits}g}e{power:+}"
    text = f"{float(value):.{digits}g}"
    return f"{round(float(text)):,}" if "e+" in text and abs(value) < _LARGEST_WRITTEN else text


_LARGEST_WRITTEN = 10**15


def find_far_power(value: Fraction) -> int:
    """About the power of ten of a value that no float holds; 0 for all others."""
    bits = value.numerator.bit_length() - value.denominator.bit_length()
    return bits * 3 // 10 if value and abs(bits) > _FLOAT_BITS else 0


_FLOAT_BITS = 1000


def choose_number_unit(number: Number) -> Unit:
    """The unit in which a number reads best.

    A size that is exact, as a memory's is, reads in KiB or MiB where it is whole there and not
    too large a number; what was measured reads in powers of ten.
    """
    unit = Unit(Fraction(1), number.dimensions)
    chosen = choose_unit(number.shown, unit)
    if number.exact is not None and number.dimensions == _BYTES:
        binary = _choose_binary(number.exact)
        if binary is not None and not _reads_as_well(number.exact, chosen, binary):
            return binary
    return replace(chosen, text="µs") if chosen.text == "us" else chosen


_BYTES = (("B", 1),)
_BINARY = ("TiB", "GiB", "MiB", "KiB")
_LARGEST_WHOLE = 2**20


def _choose_binary(size: Fraction) -> Unit | None:
    """The largest unit by powers of two that holds the size a whole number of times, not too many."""
    units = [parse_unit(text) for text in _BINARY]
    unit = next((u for u in units if size and (size / u.factor).denominator == 1), None)
    return unit if unit and abs(size / unit.factor) < _LARGEST_WHOLE else None


def _reads_as_well(size: Fraction, decimal: Unit, binary: Unit) -> bool:
    """Whether the size is whole in powers of ten too, with no more digits: ``80 GB``."""
    by_ten, by_two = size / decimal.factor, size / binary.factor
    return by_ten.denominator == 1 and abs(by_ten) <= abs(by_two)


def format_number(number: Number, digits: int = 5, unit: Unit | None = None) -> str:
    """A number in ``unit``, or in the unit in which it reads best."""
    chosen = unit or choose_number_unit(number)
    text = format_plain(number.shown / chosen.factor, digits)
    return f"{text} {chosen.text}".strip()


def format_band(number: Number, digits: int = 4, unit: Unit | None = None) -> str:
    """``1.62 to 1.66``, in the unit of format_number.

    Empty for an exact number, for what was counted, and where both ends read as the number does:
    then nothing varies that the digits could show.
    """
    band = number.band
    if band is None or _is_counted(number):
        return ""
    chosen = unit or choose_number_unit(number)
    low, high = (format_plain(e / chosen.factor, digits) for e in (band.low, band.high))
    if low == high == format_plain(number.shown / chosen.factor, digits):
        return ""
    return f"{low} to {high} {chosen.text}".strip()


def _is_counted(number: Number) -> bool:
    """Whether this is a whole number, printed as one, of bare things, and the same every time."""
    return all(name in NOUNS for name, _ in number.dimensions) and all(
        series.joined is None
        and series.half == Fraction(1, 2)
        and series.shown.denominator == 1
        and set(series.samples) == {series.shown}
        for series in number.series
    )
