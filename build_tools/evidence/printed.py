"""What does a number printed by a program say, and to which digit?

Only plain decimal notation counts: an optional sign, digits with commas in groups of three or
none, a fraction, an exponent, a percent sign. Everything else is no number here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.evidence.layout import Cell
from build_tools.evidence.loaded import Reading
from build_tools.quantity.units import Unit

_NUMBER = re.compile(
    r"(?P<sign>[+-]?)"
    r"(?P<whole>\d{1,3}(?:,\d{3})+|\d+)"
    r"(?:\.(?P<part>\d+))?"
    r"(?:[eE](?P<exponent>[+-]?\d{1,3}))?"
    r"(?P<percent>%?)",
    re.ASCII,
)
_NOT_FINITE = re.compile(r"[+-]?(?:nan(?:\(.*\))?|inf(?:inity)?)", re.ASCII | re.IGNORECASE)
_DIGITS_AT_MOST = 40
_EXPONENT_AT_MOST = 300

MISSING_MARKS = frozenset({"-", "–", "—", "n/a"})
"""What a value's cell may hold, beside nothing at all, when there is no value."""


@dataclass(frozen=True)
class Printed:
    """A printed number, exact; ``half`` is half a unit of its last printed digit."""

    value: Fraction
    half: Fraction


def read_printed(text: str) -> Printed | None:
    """The number that ``text`` is, surrounding spaces aside; None when it is no plain number."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    whole = match["whole"].replace(",", "")
    part = match["part"] or ""
    exponent = int(match["exponent"] or "0")
    if len(whole) + len(part) > _DIGITS_AT_MOST or abs(exponent) > _EXPONENT_AT_MOST:
        return None
    last = exponent - len(part) - (2 if match["percent"] else 0)
    digits = int(f"{match['sign'] or ''}{whole}{part}")
    if last >= 0:
        return Printed(Fraction(digits * 10**last), Fraction(10**last, 2))
    return Printed(Fraction(digits, 10**-last), Fraction(1, 2 * 10**-last))


def is_not_finite(text: str) -> bool:
    """Whether ``text`` is a NaN or an infinity as C and C++ print them."""
    return _NOT_FINITE.fullmatch(text.strip()) is not None


def read_value(cell: Cell, unit: Unit, place: Place) -> Reading | Finding:
    """The cell's number in base units, or what is wrong with it."""
    printed = read_printed(cell.text)
    if printed is not None:
        return Reading(
            printed.value * unit.factor, printed.half * unit.factor, cell.text, place.line
        )
    if is_not_finite(cell.text):
        return Finding(
            Kind.TRANSCRIPT,
            place,
            f"`{cell.text}`",
            "a value that is not finite measures nothing",
            "find out why the program prints it; leave the cell empty where there is no value",
        )
    return Finding(
        Kind.TRANSCRIPT,
        place,
        f"`{cell.text}`",
        "this is no number",
        "print a plain decimal number, or leave the cell empty where there is no value",
    )


def describe_keys(names: Sequence[str], keys: Sequence[str]) -> str:
    """``case 512x512x512, kernel tiled``; what has no keys is the whole run."""
    if not names:
        return "the whole run"
    return ", ".join(f"{name} `{key}`" for name, key in zip(names, keys, strict=True))
