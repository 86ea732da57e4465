"""What are a square root and a logarithm, to more digits than a printed number may have?

A double has about sixteen digits, and its expansion goes on behind them: taken for exact, it would
prove digits that are not those of the root.
"""

from __future__ import annotations

import math
from fractions import Fraction

ROOT_BITS = 220
"""Bits to which a root or a logarithm is worked out: more digits than a printed number may have."""


def take_exact_root(value: Fraction) -> Fraction:
    """The square root of what is not negative: exact where there is one, else to ROOT_BITS bits."""
    above, below = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if above**2 == value.numerator and below**2 == value.denominator:
        return Fraction(above, below)
    # Scaled by a power of four, so that the whole part of the root has the bits wanted.
    size = value.numerator.bit_length() - value.denominator.bit_length()
    shift = ROOT_BITS - size // 2
    scaled = value * Fraction(4) ** shift
    return math.isqrt(int(scaled)) / Fraction(2) ** shift


def take_logarithm(value: Fraction) -> Fraction:
    """The logarithm to base two of what is above zero, to ROOT_BITS bits behind the point.

    One bit of the result a squaring: each doubles what the logarithm still is.
    """
    whole = value.numerator.bit_length() - value.denominator.bit_length()
    rest = value / Fraction(2) ** whole
    if rest < 1:
        rest, whole = rest * 2, whole - 1
    precision = 2 * ROOT_BITS
    fixed = int(rest * 2**precision)
    bits = 0
    for _ in range(ROOT_BITS):
        fixed = fixed * fixed >> precision
        bits <<= 1
        if fixed >> (precision + 1):
            fixed >>= 1
            bits |= 1
    return whole + Fraction(bits, 2**ROOT_BITS)
