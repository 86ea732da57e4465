"""Which number does a literal of an expression write?"""

from __future__ import annotations

import re
from fractions import Fraction

from build_tools.quantity.value import (
    OperationError,
)

LARGEST_EXPONENT = 300
"""Of ten, in a literal: a larger one is no number of this world."""

_EXPONENT = re.compile(r"[eE][-+]?(\d+)")


def read_decimal(text: str) -> Fraction:
    """A literal with a point or an exponent, exactly as written: ``0.1`` is one tenth.

    Raises OperationError for an exponent beyond LARGEST_EXPONENT, before any power is taken.
    """
    plain = text.replace("_", "")
    exponent = _EXPONENT.search(plain)
    if exponent and (len(exponent[1]) > 9 or int(exponent[1]) > LARGEST_EXPONENT):
        raise OperationError(
            f"`{text}` has an exponent beyond {LARGEST_EXPONENT}", "write a number of this world"
        )
    return Fraction(plain)
