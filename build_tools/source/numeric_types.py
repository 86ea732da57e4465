"""Which numeric types has C++, and what number does a literal write?

Integers have their types' widths. Floating-point numbers are exact fractions, as the source
prints them: ``0.1f`` is a tenth, not the nearest float.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from build_tools.source.tokens import Token


class UnreadableError(ValueError):
    """An expression beyond what is read; the message says why, as a phrase."""


@dataclass(frozen=True)
class CType:
    """An arithmetic type; ``bits`` is 0 for floating point and 1 for ``bool``."""

    name: str
    bits: int
    is_signed: bool = True

    @property
    def is_float(self) -> bool:
        return self.bits == 0


FLOAT = CType("a floating-point number", 0)
BOOL = CType("bool", 1, is_signed=False)
INT = CType("int", 32)
UNSIGNED = CType("unsigned int", 32, is_signed=False)
LONG = CType("long", 64)
UNSIGNED_LONG = CType("unsigned long", 64, is_signed=False)

_NAMED_TYPES = {
    "size_t": UNSIGNED_LONG,
    "ptrdiff_t": LONG,
    "intptr_t": LONG,
    "uintptr_t": UNSIGNED_LONG,
    **{f"int{b}_t": CType(f"int{b}_t", b) for b in (8, 16, 32, 64)},
    **{f"uint{b}_t": CType(f"uint{b}_t", b, is_signed=False) for b in (8, 16, 32, 64)},
}
_BUILT_IN = frozenset(
    {"signed", "unsigned", "char", "short", "int", "long", "float", "double", "bool"}
)
_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)([uUlLzZ]*)")
_DECIMAL = re.compile(r"(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d+))?[fFlL]?")
_HEXADECIMAL = re.compile(r"(0[xX][0-9a-fA-F.]+[pP][+-]?\d+)[fFlL]?")
_LARGEST_EXPONENT = 400
_LARGEST_BITS = 4096
_LONGEST_LITERAL = 1000
"""Characters; what is longer is no number of a program, and takes long to read."""


@dataclass(frozen=True)
class Number:
    """A value and its type."""

    value: Fraction
    type: CType


@dataclass(frozen=True)
class Array:
    """The values of an array, all of one type."""

    values: tuple[Fraction, ...]
    type: CType


Known = Mapping[str, "Number | Array | str"]
"""Constants by name; a text is why a constant has no value."""


def convert(number: Number, wanted: CType) -> Number:
    """The number as another type, as an initialization converts it. Raises UnreadableError."""
    value = number.value
    if wanted.is_float:
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > _LARGEST_BITS:
            raise UnreadableError("the value is too large")
        return Number(value, wanted)
    if wanted.bits == 1:
        return Number(Fraction(value != 0), wanted)
    whole = abs(value.numerator) // value.denominator * (1 if value >= 0 else -1)
    if not wanted.is_signed:
        return Number(Fraction(whole % 2**wanted.bits), wanted)
    if not -(2 ** (wanted.bits - 1)) <= whole < 2 ** (wanted.bits - 1):
        raise UnreadableError(f"the value does not fit {wanted.name}")
    return Number(Fraction(whole), wanted)


def read_type(tokens: Sequence[Token], start: int = 0) -> tuple[CType | None, int]:
    """The arithmetic type that begins at a token, and where it ends; None for another type."""
    position = start
    while position < len(tokens) and tokens[position].text in ("const", "constexpr", "std", "::"):
        position += 1
    if position < len(tokens) and tokens[position].text in _NAMED_TYPES:
        return _NAMED_TYPES[tokens[position].text], position + 1
    words = []
    while position < len(tokens) and tokens[position].text in _BUILT_IN:
        words.append(tokens[position].text)
        position += 1
    if not words:
        return None, start
    return _combine_words(words), position


def _combine_words(words: list[str]) -> CType:
    if "float" in words or "double" in words:
        return FLOAT
    if "bool" in words:
        return BOOL
    bits = 8 if "char" in words else 16 if "short" in words else 64 if "long" in words else 32
    signed = "unsigned" not in words
    return CType(" ".join(words), bits, is_signed=signed)


def read_literal(text: str) -> Number:
    """A number as written, with its suffix and digit separators. Raises UnreadableError."""
    if len(text) > _LONGEST_LITERAL:
        raise UnreadableError(f"`{text[:20]}…` has {len(text)} characters, more than is read")
    plain = text.replace("'", "")
    if match := _INTEGER.fullmatch(plain):
        return _read_integer(match[1], match[2].lower())
    if match := _DECIMAL.fullmatch(plain):
        exponent = int(match[2] or 0)
        if abs(exponent) > _LARGEST_EXPONENT:
            raise UnreadableError(f"`{text}` is too large or too small")
        return convert(Number(Fraction(match[1]) * Fraction(10) ** exponent, FLOAT), FLOAT)
    if match := _HEXADECIMAL.fullmatch(plain):
        try:
            return Number(Fraction(float.fromhex(match[1])), FLOAT)
        except (ValueError, OverflowError):
            raise UnreadableError(f"`{text}` is too large") from None
    raise UnreadableError(f"`{text}` is no number that is read")


def _read_integer(digits: str, suffix: str) -> Number:
    is_octal = digits[0] == "0" and digits.isdigit()
    if is_octal and not re.fullmatch(r"[0-7]+", digits):
        raise UnreadableError(f"`{digits}` is no octal number")
    value = int(digits, 8) if is_octal else int(digits, 0)
    types = [INT, UNSIGNED, LONG, UNSIGNED_LONG]
    if "u" in suffix:
        types = [UNSIGNED, UNSIGNED_LONG]
    elif not is_octal and digits.isdigit():
        types = [INT, LONG]
    if "l" in suffix or "z" in suffix:
        types = [t for t in types if t.bits == LONG.bits]
    for wanted in types:
        if value < 2 ** (wanted.bits - wanted.is_signed):
            return Number(Fraction(value), wanted)
    raise UnreadableError(f"`{digits}` does not fit 64 bits")
