"""Which number do digits write, and how many of them count?"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


class UnreadableError(ValueError):
    """A text that is not one printed number; ``advice`` says how to write it.

    ``remedy`` is the whole text as it would be read, where one change makes it so.
    """

    def __init__(self, message: str, advice: str, remedy: str = "") -> None:
        super().__init__(message)
        self.advice = advice
        self.remedy = remedy


class Notation(StrEnum):
    """How a number is written."""

    DECIMAL = "decimal"
    """``1,638.4``"""
    SCIENTIFIC = "scientific"
    """``3.7e-03`` or ``3.7×10⁻³``"""
    POWER = "power"
    """``2^24`` or ``2²⁴``: exact"""
    FRACTION = "fraction"
    """``1/16``: exact"""
    WORD = "word"
    """``twice``, ``a third``, ``sixteen``"""


@dataclass(frozen=True)
class Numeral:
    """One number as written, before scale and unit.

    ``unit`` is one unit of the last digit, zero where the number is exact (``1/16``, ``2^24``,
    ``a third``); ``round_unit`` one unit of the last digit that is not zero. ``start`` and ``end``
    are offsets in the folded text.
    """

    value: Fraction
    unit: Fraction
    round_unit: Fraction
    text: str
    decimals: int = 0
    notation: Notation = Notation.DECIMAL
    start: int = 0
    end: int = 0


_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_RAISED_DIGITS = r"[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+"
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)"
NUMERAL = re.compile(
    rf"(?P<sign>[-+])?(?:"
    rf"(?P<base>\d+)(?:\^(?P<caret>-?\d+)|(?P<raised>{_RAISED_DIGITS}))"
    rf"|(?P<above>\d+)/(?P<below>\d+)(?![\d.])"
    rf"|(?P<whole>{_DIGITS})(?:\.(?P<part>\d+))?"
    rf"(?P<power>e(?P<exponent>[-+]?\d+)"
    rf"|\s?[×x]\s?10(?:\^(?P<tens>-?\d+)|(?P<raisedtens>{_RAISED_DIGITS})))?"
    rf")(?![\d.,]*\d)",
    re.ASCII,
)
"""One number in digits; ASCII digits only, since the text is folded."""

LONGEST_NUMERAL = 60
"""Digits of a number, at most: a longer one is no number of this world."""


LARGEST_EXPONENT = 200
"""Of ten; with all digits and the largest unit the number is still below 1e300, and prints."""
LARGEST_POWER = 660
"""Powers of two that the like of ``2^24`` may reach, for the same reason."""


def take_numeral(folded: str, position: int, text: str) -> Numeral:
    """The number that stands at ``position`` of a folded text.

    ``text`` is the whole text, for messages. Raises UnreadableError.
    """
    match = NUMERAL.match(folded, position)
    if match is None:
        raise UnreadableError(
            f"`{text}` does not start with a number",
            "write one number with its unit, such as `1.6×`, `26.4 ms` or `16 x 16`; "
            "a statement needs an expression that is true or false",
        )
    if len(match[0]) > LONGEST_NUMERAL:
        raise UnreadableError(
            f"a number of {len(match[0])} digits is not read", "write a number of this world"
        )
    sign = -1 if match["sign"] == "-" else 1
    if match["base"]:
        return _make_power(match, sign, text)
    if match["above"]:
        if int(match["below"]) == 0:
            raise UnreadableError(f"`{text}` divides by zero", "write the number meant")
        value = sign * Fraction(int(match["above"]), int(match["below"]))
        return _make_exact(match, value, Notation.FRACTION)
    return _make_decimal(match, sign, text)


def _make_exact(match: re.Match[str], value: Fraction, notation: Notation) -> Numeral:
    return Numeral(
        value, Fraction(0), abs(value), match[0], 0, notation, match.start(), match.end()
    )


def _make_power(match: re.Match[str], sign: int, text: str) -> Numeral:
    """``2^24``: exact."""
    exponent = _bound_exponent(
        match["caret"] or match["raised"].translate(_RAISED), text, LARGEST_POWER
    )
    base = int(match["base"])
    if base == 0 and exponent < 0:
        raise UnreadableError(f"`{text}` divides by zero", "write the number meant")
    if (base - 1).bit_length() * abs(exponent) > LARGEST_POWER:
        raise UnreadableError(f"`{text}` has too many digits", "write a number of this world")
    return _make_exact(match, sign * Fraction(base) ** exponent, Notation.POWER)


def _bound_exponent(digits: str, text: str, largest: int = LARGEST_EXPONENT) -> int:
    exponent = int(digits)
    if abs(exponent) > largest:
        raise UnreadableError(
            f"`{text}` has an exponent of {exponent}", "write a number of this world"
        )
    return exponent


def _make_decimal(match: re.Match[str], sign: int, text: str) -> Numeral:
    """A decimal number, with or without a power of ten."""
    part = match["part"] or ""
    written = match["exponent"] or match["tens"] or (match["raisedtens"] or "0").translate(_RAISED)
    power = Fraction(10) ** _bound_exponent(written, text)
    digits = match["whole"].replace(",", "") + part
    unit = power / Fraction(10) ** len(part)
    zeros = len(digits) - len(digits.rstrip("0")) if digits.strip("0") else 0
    return Numeral(
        sign * int(digits) * unit,
        unit,
        unit * 10**zeros,
        match[0],
        len(part),
        Notation.SCIENTIFIC if match["power"] else Notation.DECIMAL,
        match.start(),
        match.end(),
    )


_Remedy = Callable[[re.Match[str]], str]

_MISTAKES: tuple[tuple[re.Pattern[str], str, _Remedy], ...] = (
    (
        re.compile(r"(?<!\d)\d{1,3}(?: \d{3})+(?!\d)", re.ASCII),
        "spaces group its digits",
        lambda m: m[0].replace(" ", ","),
    ),
    (
        re.compile(r"(?<![\d.])\.\d+", re.ASCII),
        "no digit stands before the point",
        lambda m: "0" + m[0],
    ),
    (re.compile(r"\d+\.(?!\d)", re.ASCII), "no digit stands after the point", lambda m: m[0][:-1]),
    (
        re.compile(r"(?<![\d.,])(?<!e)(?<!e[-+])0+(?=\d)\d*", re.ASCII),
        "it starts with a zero",
        lambda m: str(int(m[0])),
    ),
    (
        re.compile(r"0[xX][0-9a-fA-F]+", re.ASCII),
        "it is hexadecimal",
        lambda m: str(int(m[0], 16)),
    ),
    (
        re.compile(r"\d+(?:,\d+)+", re.ASCII),
        "commas group three digits",
        lambda m: f"{int(m[0].replace(',', '')):,}",
    ),
)
_WELL_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+", re.ASCII)


def reject_known_mistakes(folded: str) -> None:
    """Raise UnreadableError for numbers people write that are not read, with the form that is."""
    for pattern, what, remedy in _MISTAKES:
        for match in pattern.finditer(folded):
            if _WELL_GROUPED.fullmatch(match[0]):
                continue
            if len(match[0]) > LONGEST_NUMERAL:
                raise UnreadableError(
                    f"a number of {len(match[0])} digits is not read",
                    "write a number of this world",
                )
            right = remedy(match)
            raise UnreadableError(
                f"`{match[0]}` is not read: {what}",
                f"write `{right}`",
                folded[: match.start()] + right + folded[match.end() :],
            )
