"""Which processes stand apart: named, and never for what the printed digits leave open."""

from __future__ import annotations

from fractions import Fraction

import pytest

from build_tools.evidence.outliers import find_outliers


@pytest.mark.parametrize(
    ("values", "half", "outliers"),
    [
        ((10, 11, 12, 13, 14, 15, 16, 17), 0, ()),
        ((10, 11, 12, 13, 14, 15, 16, 40), 0, (7,)),
        ((1, 111, 112, 113, 114, 115, 116, 300), 0, (0, 7)),
        ((5, 5, 5, 5, 5, 5, 5, 5), 0, ()),
        ((5, 5, 5, 5, 5, 5, 5, 6), 0, (7,)),
        # A last digit that flips is no outlier, however steady all others are.
        ((5, 5, 5, 5, 5, 5, 5, 6), "0.5", ()),
        ((5, 5, 5, 5, 5, 5, 5, 7), "0.5", (7,)),
        ((1, 100, 1000), 0, ()),
        ((), 0, ()),
        # Two modes are noise, not outliers.
        ((10, 10, 10, 10, 20, 20, 20, 20), 0, ()),
    ],
)
def test_what_stands_apart(
    values: tuple[int, ...], half: int | str, outliers: tuple[int, ...]
) -> None:
    assert find_outliers([Fraction(v) for v in values], Fraction(half)) == outliers
