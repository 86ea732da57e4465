"""Which characters of a prose text are digits in other clothes? Each becomes a plain one.

Raised and lowered digits that begin a number, digits in circles, fractions and Roman numerals of
one character are numbers to a reader. A folded text has the length of the original, so offsets in
one are offsets in the other.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import cache

_SMALL = "\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089"
_LAST = 0x20000
"""Behind it Unicode has ideographs alone."""
_ANY = "9"
"""Stands for a numeral of one character that is no digit, such as a half: no pattern of 0 and 1."""


def _write_class() -> str:
    """The ranges of Unicode's other numbers and of its letters that are numbers."""
    ranges: list[list[int]] = []
    small = re.compile(f"[{_SMALL}]")
    for character in filter(str.isnumeric, map(chr, range(0x80, _LAST))):
        if unicodedata.category(character) not in ("No", "Nl") or small.match(character):
            continue
        code = ord(character)
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


@cache
def _compile_other() -> re.Pattern[str]:
    """Small digits that begin a number, and numerals of one character.

    Behind a letter or a digit small digits are an exponent or an index, behind a sentence a note.
    """
    return re.compile(rf"(?<![\w)\]}}⁻⁺₋₊.,;:!?\"'”’*`])[{_SMALL}]+|[{_write_class()}]+")


_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_BETWEEN = ".,\u00a0\u2009\u202f\u2013\u2212×%µ\u00b7"
"""What references write within a number, or before its unit."""
_EMPHASIS = re.compile(r"(?<![^\W_])_{1,3}(?=[^\s_])|(?<=[^\s_])_{1,3}(?![^\W_])")
_TIMES = re.compile(r"(?<!\w)x(?=\d+(?:\.\d+)?\s(?:as|faster|slower|more|fewer|less)\b)")
_REFERENCES = re.compile(
    # With the digits before it: ``4&#50;`` is one number.
    r"[\d.,]{0,20}(?:&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{1,30}\d{0,4});[\d.,]{0,20})+"
)


def fold_digits(text: str) -> str:
    """The text with every digit a plain one, at its place."""
    if not _NOT_ASCII.search(text):
        return text
    return _compile_other().sub(lambda match: "".join(map(_fold, match[0])), text)


def _fold(character: str) -> str:
    digit = unicodedata.digit(character, None)
    return _ANY if digit is None else str(digit)


def fold_marks(text: str) -> str:
    """The text with the underscores of emphasis as stars, and a factor's ``x`` as ``×``.

    They would join a number to letters and make a name of it.
    """
    if "x" in text:
        text = _TIMES.sub("×", text)
    return text if "_" not in text else _EMPHASIS.sub(lambda match: "*" * len(match[0]), text)


def resolve_references(text: str) -> str:
    """The text with references to the characters of numbers resolved, against what follows."""
    if "&" not in text:
        return text
    return _REFERENCES.sub(_resolve, text)


def _resolve(match: re.Match[str]) -> str:
    shown = html.unescape(match[0])
    if not any(character.isnumeric() for character in shown):
        return match[0]
    # Beside references to other things, digits are no part of them.
    if not all(character.isnumeric() or character in _BETWEEN for character in shown):
        return match[0]
    return shown.rjust(len(match[0]))
