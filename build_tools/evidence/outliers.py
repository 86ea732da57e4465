"""Which processes of a record stand apart from the others? They are kept, and named.

A value stands apart beyond three interquartile ranges of the quartiles, Tukey's far outliers; and
it must differ from the median by more than the printed digits leave open, since values that are
all the same have no range. Nothing is left out for it: the band grows by such a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from build_tools.quantity.spread import compute_median, compute_quartiles

_FAR = 3
"""Interquartile ranges beyond the quartiles."""
_LEAST = 4
"""Values; fewer have no quartiles to speak of."""


def find_outliers(values: Sequence[Fraction], half: Fraction = Fraction(0)) -> tuple[int, ...]:
    """Indexes of the values that stand apart; ``half`` is half a unit of the last digit."""
    if len(values) < _LEAST:
        return ()
    low, high = compute_quartiles(values)
    median = compute_median(values)
    reach = _FAR * (high - low)
    return tuple(
        index
        for index, value in enumerate(values)
        if not low - reach <= value <= high + reach and abs(value - median) > 2 * half
    )
