"""How far apart does a program find the same kernel, timed twice?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from build_tools.evidence.model import LoadedRecord, Measurement, Transcript
from build_tools.source.model import Program
from build_tools.source.part_rules import AgainRule

PERCENTILE = 0.95
"""The share of all pairs that lies within the floor."""


def compute_floor(program: Program, record: LoadedRecord, name: str) -> Fraction:
    """The floor of a measurement in a record: the 95th percentile of its pairs' log ratios.

    A pair is two rows of one process under the two keys that program.toml declares to be the
    same kernel. Zero where no pair has this measurement.
    """
    ratios = sorted(ratio for ratio in list_pair_ratios(program, record, name))
    if not ratios:
        return Fraction(0)
    index = math.ceil(PERCENTILE * len(ratios)) - 1
    return Fraction(ratios[index])


def list_pair_ratios(program: Program, record: LoadedRecord, name: str) -> Iterator[float]:
    """|log ratio| of each pair, in the order of processes and rows."""
    for rule in program.declaration.parts.again.values():
        for transcript in record.transcripts:
            yield from _list_ratios(transcript, rule, name)


def _list_ratios(transcript: Transcript, rule: AgainRule, name: str) -> Iterator[float]:
    measurement: Measurement | None = transcript.measurements.get(name)
    if measurement is None or rule.column not in measurement.key_names:
        return
    column = measurement.key_names.index(rule.column)
    for keys, reading in measurement.readings.items():
        if keys[column] != rule.first:
            continue
        other = measurement.readings.get((*keys[:column], rule.again, *keys[column + 1 :]))
        if other is not None and reading.value > 0 and other.value > 0:
            yield abs(math.log(float(other.value / reading.value)))
