"""How is a value printed? For messages, and in the style of an author's own text."""

from __future__ import annotations

import re
from fractions import Fraction

from build_tools.quantity.printed import Numeral, Printed
from build_tools.quantity.units import Unit, choose_unit
from build_tools.quantity.value import Number


def format_like(printed: Printed, value: Fraction, numeral: Numeral | None = None) -> str:
    """``value`` (base units) as a text in the style of ``printed``: same digits, same unit."""
    numeral = numeral or printed.low
    scaled = value / printed.factor
    if numeral.unit == 0:
        return f"{float(scaled):.4g}{printed.tail}"
    steps = scaled / numeral.unit
    rounded = int(steps + Fraction(1, 2)) if steps >= 0 else -int(-steps + Fraction(1, 2))
    nearest = rounded * numeral.unit
    if re.search(r"e|10", numeral.text[1:]) and numeral.unit.denominator > 10**6:
        return f"{float(nearest):.{numeral.decimals}e}{printed.tail}"
    text = f"{float(nearest):.{numeral.decimals}f}"
    if "," in numeral.text or abs(nearest) >= 10000:
        text = f"{float(nearest):,.{numeral.decimals}f}"
    return text.replace("-", "−") + (printed.tail if numeral.text != printed.text else "")


def format_plain(value: Fraction, digits: int = 5) -> str:
    """A bare number for messages: whole numbers whole, others to ``digits`` places that count."""
    if value.denominator == 1 and abs(value) < 10**15:
        return f"{value.numerator:,}"
    return f"{float(value):.{digits}g}"


def format_number(number: Number, digits: int = 5) -> str:
    """A number in the unit in which it reads best."""
    unit = choose_unit(number.shown, Unit(Fraction(1), number.dimensions))
    text = format_plain(number.shown / unit.factor, digits)
    return f"{text} {unit.text}".strip()


def format_band(number: Number, digits: int = 4) -> str:
    """``1.62 to 1.66``, in the unit of format_number; empty for an exact number."""
    band = number.band
    if band is None:
        return ""
    unit = choose_unit(number.shown, Unit(Fraction(1), number.dimensions))
    low, high = (format_plain(e / unit.factor, digits) for e in (band.low, band.high))
    return f"{low} to {high} {unit.text}".strip()
