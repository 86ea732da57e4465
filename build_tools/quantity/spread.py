"""How far may the next run lie from those seen? Bands over processes, and their arithmetic.

The band is the prediction interval for one more process, median ± t(0.975, n-1)·s·√(1 + 1/n),
widened by what the printed digits leave open.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

MINIMUM_PROCESSES = 10
"""Below this many processes a band says too little to judge a printed number by."""


@dataclass(frozen=True)
class Interval:
    """A closed interval, ``low`` not above ``high``."""

    low: Fraction
    high: Fraction

    def meets(self, other: Interval) -> bool:
        """Whether the two have a point in common."""
        return self.low <= other.high and other.low <= self.high

    def holds(self, value: Fraction) -> bool:
        """Whether ``value`` lies within, ends included."""
        return self.low <= value <= self.high


def unite_intervals(intervals: Sequence[Interval]) -> Interval:
    """The smallest interval that holds all of them; there must be at least one."""
    return Interval(min(i.low for i in intervals), max(i.high for i in intervals))


def _sort(samples: Sequence[Fraction]) -> list[Fraction]:
    """The samples in order, compared as whole numbers over one denominator."""
    scale = math.lcm(*(x.denominator for x in samples))
    return sorted(samples, key=lambda x: x.numerator * (scale // x.denominator))


def compute_median(samples: Sequence[Fraction]) -> Fraction:
    """The middle value, or the mean of the two middle ones."""
    ordered = _sort(samples)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def compute_quartile_range(samples: Sequence[Fraction]) -> Fraction:
    """The interquartile range."""
    low, high = compute_quartiles(samples)
    return high - low


def compute_quartiles(samples: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """First and third quartile, interpolated linearly between order statistics."""
    ordered = _sort(samples)

    def quantile(share: Fraction) -> Fraction:
        position = share * (len(ordered) - 1)
        below = int(position)
        above = min(below + 1, len(ordered) - 1)
        return ordered[below] + (ordered[above] - ordered[below]) * (position - below)

    return quantile(Fraction(1, 4)), quantile(Fraction(3, 4))


def compute_deviation(samples: Sequence[Fraction]) -> Fraction:
    """The sample standard deviation, with n - 1."""
    # Over one denominator, so that the sums are of whole numbers: exact, and fast.
    scale = math.lcm(*(x.denominator for x in samples))
    scaled = [x.numerator * (scale // x.denominator) for x in samples]
    count = len(scaled)
    squares = count * sum(x * x for x in scaled) - sum(scaled) ** 2
    return take_root(Fraction(squares, count * (count - 1) * scale * scale))


def take_root(value: Fraction) -> Fraction:
    """The square root to double precision, exact for squares of fractions of small integers.

    Scaled by a power of four first, so that values far from 1 keep their digits.
    """
    if value == 0:
        return Fraction(0)
    shift = (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    scaled = value / Fraction(4) ** shift
    return Fraction(math.sqrt(scaled)) * Fraction(2) ** shift


@lru_cache(maxsize=256)
def compute_student_quantile(freedom: int, probability: float = 0.975) -> float:
    """The quantile of Student's t for a whole number of degrees of freedom, at least one.

    The distribution function has a closed form as a finite sum in θ = atan(t / √freedom)
    (Abramowitz and Stegun, 26.7.3 and 26.7.4), inverted by bisection.
    """

    def inside(t: float) -> float:
        """The probability of -t to t."""
        theta = math.atan(t / math.sqrt(freedom))
        square = math.cos(theta) ** 2
        if freedom % 2:
            term, total = math.cos(theta), 0.0
            for k in range(1, freedom - 1, 2):
                total += term
                term *= square * (k + 1) / (k + 2)
            return 2 / math.pi * (theta + math.sin(theta) * total)
        term, total = 1.0, 0.0
        for k in range(0, freedom, 2):
            total += term
            term *= square * (k + 1) / (k + 2)
        return math.sin(theta) * total

    low, high = 0.0, 1.0
    wanted = 2 * probability - 1
    while inside(high) < wanted:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        if inside(middle) < wanted:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def compute_band(samples: Sequence[Fraction], half: Fraction) -> Interval:
    """The interval for the next process, widened by ``half`` on either side.

    ``half`` is half a unit of the last printed digit, in the samples' unit. One sample alone
    says nothing of spread: its band is the printed resolution.
    """
    median = compute_median(samples)
    count = len(samples)
    reach = half
    if count > 1:
        quantile = Fraction(compute_student_quantile(count - 1))
        reach += quantile * compute_deviation(samples) * take_root(1 + Fraction(1, count))
    return Interval(median - reach, median + reach)


def find_shown(rows: Sequence[Sequence[Fraction]]) -> int:
    """Which process is shown: the smallest sum of |x - median| / median; ties to the first.

    ``rows`` holds one sequence a measurement, each with one value a process, in order. A
    measurement whose median is zero counts its plain distance.
    """
    if not rows:
        return 0
    totals = [Fraction(0)] * len(rows[0])
    for row in rows:
        # Over one denominator: twice the values are whole numbers, and so is their median.
        common = math.lcm(*(value.denominator for value in row))
        scaled = [2 * value.numerator * (common // value.denominator) for value in row]
        ordered = sorted(scaled)
        median = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) // 2
        scale = abs(median) or 2 * common
        for index, value in enumerate(scaled):
            totals[index] += Fraction(abs(value - median), scale)
    return totals.index(min(totals))
