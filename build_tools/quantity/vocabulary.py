"""Which words and signs does the grammar of printed numbers know?"""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction


class Form(StrEnum):
    """What kind of number a text is."""

    NUMBER = "number"
    """A bare number, or one with a unit: ``1,024``, ``26.4 ms``."""
    FACTOR = "factor"
    """How many times: ``1.6×``, ``1.6x``, ``16-fold``, ``3 times``, ``twice``, ``a third``."""
    PERCENT = "percent"
    """A share, the value times a hundred: ``40 %``, ``40 percent``."""
    COUNT = "count"
    """An exact integer: ``16-way``, ``128-bit``."""
    SHAPE = "shape"
    """Sides, never a product: ``16 x 16``, ``4×4×2``; bound to a tuple or a key."""


class Hedge(StrEnum):
    """How far a text stands by its number."""

    NONE = ""
    ABOUT = "about"
    """The value is within one unit of the last digit that is not zero, and within a tenth."""
    NEARLY = "nearly"
    """The value is below the number, by a tenth of it at most."""
    JUST_OVER = "just over"
    """The value is above the number, by a tenth of it at most."""
    OVER = "over"
    """The whole band is above the number, and the value below twice the number."""
    AT_LEAST = "at least"
    """The whole band is above the number or reaches it, and the value is below its double."""
    UNDER = "under"
    """The whole band is below the number, and the value above half of the number."""
    AT_MOST = "at most"
    """The whole band is below the number or reaches it, and the value is above its half."""


NUMBER_WORDS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
)
"""Each number to twenty at its own index."""

WORD_VALUES = {word: Fraction(n) for n, word in enumerate(NUMBER_WORDS)}

SHARES = {
    "half": Fraction(1, 2),
    "a half": Fraction(1, 2),
    "one half": Fraction(1, 2),
    "a third": Fraction(1, 3),
    "one third": Fraction(1, 3),
    "two thirds": Fraction(2, 3),
    "a quarter": Fraction(1, 4),
    "one quarter": Fraction(1, 4),
    "three quarters": Fraction(3, 4),
    "a fifth": Fraction(1, 5),
    "a tenth": Fraction(1, 10),
}

MULTIPLES = {"twice": Fraction(2), "double": Fraction(2), "thrice": Fraction(3)}

SCALE_WORDS = {
    "thousand": Fraction(10**3),
    "million": Fraction(10**6),
    "billion": Fraction(10**9),
    "trillion": Fraction(10**12),
}

HEDGES = {
    "about": Hedge.ABOUT,
    "around": Hedge.ABOUT,
    "roughly": Hedge.ABOUT,
    "some": Hedge.ABOUT,
    "approximately": Hedge.ABOUT,
    "close to": Hedge.ABOUT,
    "~": Hedge.ABOUT,
    "≈": Hedge.ABOUT,
    "nearly": Hedge.NEARLY,
    "almost": Hedge.NEARLY,
    "just under": Hedge.NEARLY,
    "just over": Hedge.JUST_OVER,
    "over": Hedge.OVER,
    "above": Hedge.OVER,
    "more than": Hedge.OVER,
    "greater than": Hedge.OVER,
    ">": Hedge.OVER,
    "at least": Hedge.AT_LEAST,
    "no less than": Hedge.AT_LEAST,
    "no fewer than": Hedge.AT_LEAST,
    "not less than": Hedge.AT_LEAST,
    "≥": Hedge.AT_LEAST,
    "under": Hedge.UNDER,
    "below": Hedge.UNDER,
    "less than": Hedge.UNDER,
    "fewer than": Hedge.UNDER,
    "<": Hedge.UNDER,
    "up to": Hedge.AT_MOST,
    "at most": Hedge.AT_MOST,
    "no more than": Hedge.AT_MOST,
    "not more than": Hedge.AT_MOST,
    "≤": Hedge.AT_MOST,
}
