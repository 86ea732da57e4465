"""How is a value printed in messages and proofs?"""

from __future__ import annotations

from fractions import Fraction

from build_tools.quantity.units import Unit, choose_unit
from build_tools.quantity.value import Number


def format_plain(value: Fraction, digits: int = 5) -> str:
    """A bare number for messages: whole numbers whole, others to ``digits`` places that count."""
    if value.denominator == 1 and abs(value) < 10**15:
        return f"{value.numerator:,}"
    return f"{float(value):.{digits}g}"


def format_number(number: Number, digits: int = 5, unit: Unit | None = None) -> str:
    """A number in ``unit``, or in the unit in which it reads best."""
    chosen = unit or choose_unit(number.shown, Unit(Fraction(1), number.dimensions))
    text = format_plain(number.shown / chosen.factor, digits)
    return f"{text} {chosen.text}".strip()


def format_band(number: Number, digits: int = 4, unit: Unit | None = None) -> str:
    """``1.62 to 1.66``, in the unit of format_number; empty for an exact number."""
    band = number.band
    if band is None:
        return ""
    chosen = unit or choose_unit(number.shown, Unit(Fraction(1), number.dimensions))
    low, high = (format_plain(e / chosen.factor, digits) for e in (band.low, band.high))
    return f"{low} to {high} {chosen.text}".strip()
