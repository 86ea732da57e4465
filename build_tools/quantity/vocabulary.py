"""Which words and signs does the grammar of printed numbers know?"""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction


class Form(StrEnum):
    """What kind of number a text is."""

    NUMBER = "number"
    FACTOR = "factor"
    PERCENT = "percent"
    COUNT = "count"
    """An exact integer: ``16-way``, ``128-bit``."""
    SHAPE = "shape"


class Hedge(StrEnum):
    """How far a text stands by its number."""

    NONE = ""
    ABOUT = "about"
    NEARLY = "nearly"
    JUST_OVER = "just over"
    OVER = "over"
    AT_LEAST = "at least"
    UNDER = "under"
    AT_MOST = "at most"


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
    "~": Hedge.ABOUT,
    "≈": Hedge.ABOUT,
    "nearly": Hedge.NEARLY,
    "almost": Hedge.NEARLY,
    "just under": Hedge.NEARLY,
    "just over": Hedge.JUST_OVER,
    "over": Hedge.OVER,
    "more than": Hedge.OVER,
    ">": Hedge.OVER,
    "at least": Hedge.AT_LEAST,
    "≥": Hedge.AT_LEAST,
    "under": Hedge.UNDER,
    "less than": Hedge.UNDER,
    "<": Hedge.UNDER,
    "up to": Hedge.AT_MOST,
    "at most": Hedge.AT_MOST,
    "≤": Hedge.AT_MOST,
}
