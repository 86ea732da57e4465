"""Which processes of a record stand apart from the others? They are kept, and named.

A value stands apart beyond three interquartile ranges of the quartiles, Tukey's far outliers; and
it must differ from the median by more than the printed digits leave open, since values that are
all the same have no range. Nothing is left out for it: the band grows by such a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from build_tools.evidence.loaded import Transcript
from build_tools.evidence.printed import describe_keys
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


@dataclass(frozen=True)
class Apart:
    """A process that stands apart, and in which values: the measurement's name and keys."""

    process: int
    """Its index, from 0."""
    values: tuple[tuple[str, tuple[str, ...]], ...]


def list_apart(transcripts: Sequence[Transcript]) -> tuple[Apart, ...]:
    """The processes that stand apart in any value that all of them printed, in their order."""
    found: dict[int, list[tuple[str, tuple[str, ...]]]] = {}
    first = transcripts[0].measurements if transcripts else {}
    for name, measurement in first.items():
        for keys in measurement.readings:
            readings = [
                t.measurements[name].readings[keys]
                for t in transcripts
                if name in t.measurements and keys in t.measurements[name].readings
            ]
            if len(readings) != len(transcripts):
                continue
            half = max(reading.half for reading in readings)
            for index in find_outliers([reading.value for reading in readings], half):
                found.setdefault(index, []).append((name, keys))
    return tuple(Apart(index, tuple(values)) for index, values in sorted(found.items()))


def describe_apart(transcripts: Sequence[Transcript]) -> list[str]:
    """A line for each process that stands apart: in how many values, and the first of them."""
    lines = []
    for apart in list_apart(transcripts):
        name, keys = apart.values[0]
        what = describe_keys(transcripts[0].measurements[name].key_names, keys)
        count = len(apart.values)
        more = f"{count} values, first `{name}`" if count > 1 else f"`{name}`"
        lines.append(f"process {apart.process + 1} stands apart in {more} for {what}; it is kept")
    return lines
