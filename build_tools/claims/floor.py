"""How far apart does a program find the same kernel, timed twice?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from build_tools.evidence.loaded import LoadedRecord, Measurement, Transcript
from build_tools.source.model import Program
from build_tools.source.part_rules import AgainRule

PERCENTILE = 0.95
"""The share of all pairs that lies within the floor."""

Row = tuple[str, ...]
"""The keys of a row."""


@dataclass(frozen=True)
class Pair:
    """Two rows of one process that are of the same kernel."""

    case: Row
    """The keys that both rows have."""
    keys: tuple[str, str]
    """The keys that tell them apart: of the first row, and of the second."""
    rows: tuple[Row, Row]
    process: int
    """From 0."""
    ratio: float
    """|log ratio| of their values."""
    column: int
    """Where in a row the keys stand that tell them apart."""


def compute_floor(
    program: Program, record: LoadedRecord, name: str, row: Row | None = None
) -> Fraction:
    """The floor of a measurement in a record: the 95th percentile of its pairs' log ratios.

    A pair is two rows of one process under two keys that program.toml declares to be the same
    kernel. With ``row`` those pairs count that tell most of it: of its own kernel, or else of its
    case, or else all. Zero where no pair has this measurement.
    """
    pairs = list_pairs(program, record, name)
    chosen = pairs if row is None else choose_pairs(pairs, row)
    return find_percentile([pair.ratio for pair in chosen])


def find_percentile(ratios: Sequence[float]) -> Fraction:
    """The smallest of the ratios that no more than the rest of ``PERCENTILE`` exceed."""
    if not ratios:
        return Fraction(0)
    return Fraction(sorted(ratios)[count_within(len(ratios)) - 1])


def count_within(count: int) -> int:
    """How many of so many pairs lie within the floor."""
    return math.ceil(PERCENTILE * count)


def choose_pairs(pairs: Sequence[Pair], row: Row) -> Sequence[Pair]:
    """The pairs that tell most of a row: of its own kernel, or of its case, or else all."""
    own = [pair for pair in pairs if row in pair.rows]
    return own or [pair for pair in pairs if leave_out(row, pair.column) == pair.case] or pairs


def leave_out(row: Row, column: int) -> Row:
    """A row's keys without that of one column."""
    return row[:column] + row[column + 1 :]


def list_pairs(program: Program, record: LoadedRecord, name: str) -> list[Pair]:
    """Every pair of a measurement: by declaration, then by process, then as printed."""
    return [
        pair
        for rule in program.declaration.parts.again.values()
        for process, transcript in enumerate(record.transcripts)
        for pair in _list_pairs(transcript, process, rule, name)
    ]


def list_unprinted(program: Program, record: LoadedRecord) -> list[tuple[AgainRule, str, str]]:
    """The declared pairs of which the shown run prints no two rows that differ in them alone."""
    printed = {
        pair.keys
        for rule in program.declaration.parts.again.values()
        for name in record.shown.measurements
        for pair in _list_pairs(record.shown, 0, rule, name)
    }
    return [
        (rule, *keys)
        for rule in program.declaration.parts.again.values()
        for keys in rule.pairs
        if keys not in printed
    ]


def _list_pairs(transcript: Transcript, process: int, rule: AgainRule, name: str) -> Iterator[Pair]:
    measurement: Measurement | None = transcript.measurements.get(name)
    if measurement is None or rule.column not in measurement.key_names:
        return
    column = measurement.key_names.index(rule.column)
    partners = dict(rule.pairs)
    for row, reading in measurement.readings.items():
        again = partners.get(row[column])
        if again is None:
            continue
        other = (*row[:column], again, *row[column + 1 :])
        found = measurement.readings.get(other)
        if found is None or reading.value <= 0 or found.value <= 0:
            continue
        ratio = abs(math.log(float(found.value / reading.value)))
        keys = (row[column], again)
        yield Pair(leave_out(row, column), keys, (row, other), process, ratio, column)
