"""Do a process's raw samples come to the medians that it printed?

A program that offers its samples writes them as comma-separated text: a header, then a line a
sample with the keys of its row and its value. The median of each row's samples, rounded as the
transcript prints it, is what the transcript has to say there.
"""

from __future__ import annotations

import csv
import io
import re
import statistics
from collections.abc import Mapping
from fractions import Fraction

from build_tools.diagnostics.finding import Finding, Kind, Place, suggest_names
from build_tools.evidence.loaded import Measurement, Transcript
from build_tools.evidence.printed import describe_keys, read_printed
from build_tools.quantity.spread import compute_median
from build_tools.quantity.units import parse_unit
from build_tools.source.part_rules import SamplesRule

_PLAIN = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,12})?", re.ASCII)
_SURELY = 0.99
"""Of what the last printed digit leaves open: closer to its end floats might err."""

Samples = Mapping[tuple[str, ...], tuple[Fraction, ...]]
"""The values of each row by its keys, base units, in the order of the file."""


def read_samples(
    text: str, rule: SamplesRule, key_names: tuple[str, ...], path: str
) -> tuple[Samples, list[Finding]]:
    """The samples of a file with these contents, and what is wrong with it."""
    rows = list(csv.reader(io.StringIO(text)))
    header = [cell.strip() for cell in rows[0]] if rows else []
    missing = [name for name in (*key_names, rule.value) if name not in header]
    if missing:
        stated = f"a column `{missing[0]}`"
        true = f"the file's header is `{', '.join(header)}`" if header else "the file is empty"
        return {}, [
            Finding(Kind.TRANSCRIPT, Place(path), stated, true, suggest_names(missing[0], header))
        ]
    factor = parse_unit(rule.unit).factor
    columns = [header.index(name) for name in key_names]
    column = header.index(rule.value)
    samples: dict[tuple[str, ...], list[Fraction]] = {}
    for number, row in enumerate(rows[1:], start=2):
        printed = read_printed(row[column]) if len(row) == len(header) else None
        if printed is None:
            true = (
                f"`{row[column]}` is no plain number"
                if len(row) == len(header)
                else f"it has {len(row)} of {len(header)} columns"
            )
            advice = "have the program write a whole line a sample, each with a plain number"
            place = Place(path, number)
            return {}, [Finding(Kind.TRANSCRIPT, place, "a raw sample", true, advice)]
        keys = tuple(row[index].strip() for index in columns)
        samples.setdefault(keys, []).append(printed.value * factor)
    return {keys: tuple(values) for keys, values in samples.items()}, []


def check_samples(text: str, rule: SamplesRule, transcript: Transcript, path: str) -> list[Finding]:
    """Whether the samples come to what the same process printed; ``path`` is the file's."""
    measurement = transcript.measurements.get(rule.of)
    if measurement is None:
        return []  # said already, of the transcript
    if _agrees_surely(text, rule, measurement):
        return []
    samples, findings = read_samples(text, rule, measurement.key_names, path)
    if findings:
        return findings
    advice = "have the program print the median of the samples that it writes"
    for keys, reading in measurement.readings.items():
        what = f"`{rule.of}` for {describe_keys(measurement.key_names, keys)}"
        values = samples.get(keys, ())
        if not values:
            true = "the file holds no sample of it"
            findings.append(Finding(Kind.TRANSCRIPT, Place(path), what, true, advice))
            continue
        median = compute_median(values)
        if abs(median - reading.value) > reading.half:
            factor = measurement.unit.factor
            stated = f"{what} is `{reading.text}`, in line {reading.line} of the transcript"
            true = f"the median of its {len(values)} samples is {float(median / factor):.10g}"
            findings.append(Finding(Kind.TRANSCRIPT, Place(path), stated, true, advice))
    return findings


def _agrees_surely(text: str, rule: SamplesRule, measurement: Measurement) -> bool:
    """Whether all medians lie well within what is printed, by floats, which are quick.

    Whatever is doubtful, in form or in value, is left to exact numbers.
    """
    rows = list(csv.reader(io.StringIO(text)))
    header = [cell.strip() for cell in rows[0]] if rows else []
    if not {*measurement.key_names, rule.value} <= set(header):
        return False
    columns = [header.index(name) for name in measurement.key_names]
    column = header.index(rule.value)
    factor = float(parse_unit(rule.unit).factor)
    samples: dict[tuple[str, ...], list[float]] = {}
    for row in rows[1:]:
        if len(row) != len(header) or _PLAIN.fullmatch(row[column]) is None:
            return False
        keys = tuple(row[index].strip() for index in columns)
        samples.setdefault(keys, []).append(float(row[column]) * factor)
    return all(
        keys in samples
        and abs(statistics.median(samples[keys]) - float(reading.value))
        < _SURELY * float(reading.half)
        for keys, reading in measurement.readings.items()
    )
