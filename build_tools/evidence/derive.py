"""Which values do the transcripts of several processes come to, and which process is shown?"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.evidence.loaded import Measurement, Reading, Transcript
from build_tools.evidence.model import Samples
from build_tools.evidence.printed import describe_keys
from build_tools.quantity.spread import compute_band, compute_median, find_shown


def derive_measurements(transcripts: Sequence[Transcript]) -> tuple[Samples, ...]:
    """One entry a measurement and key that every process printed, sorted; base units."""
    entries = []
    for (name, keys), readings in sorted(_collect_readings(transcripts).items()):
        if len(readings) != len(transcripts):
            continue
        values = [reading.value for reading in readings]
        band = compute_band(values, max(reading.half for reading in readings))
        entries.append(
            Samples(
                name=name,
                keys=keys,
                unit=transcripts[0].measurements[name].unit_text,
                samples=tuple(float(value) for value in values),
                median=float(compute_median(values)),
                band_low=float(band.low),
                band_high=float(band.high),
            )
        )
    return tuple(entries)


def choose_shown(transcripts: Sequence[Transcript]) -> int:
    """The process with the smallest sum of |x - median| / median; ties to the first."""
    rows: list[list[Fraction]] = [
        [reading.value for reading in readings]
        for _, readings in sorted(_collect_readings(transcripts).items())
        if len(readings) == len(transcripts)
    ]
    return find_shown(rows)


def check_agreement(transcripts: Sequence[Transcript], paths: Sequence[str]) -> list[Finding]:
    """Whether every process printed the same measurements with the same keys."""
    expected: dict[tuple[str, tuple[str, ...]], int] = {}
    for index, transcript in enumerate(transcripts):
        for key in _list_keys(transcript):
            expected.setdefault(key, index)
    findings = []
    for transcript, path in zip(transcripts, paths, strict=True):
        present = set(_list_keys(transcript))
        for (name, keys), first in sorted(expected.items()):
            if (name, keys) in present:
                continue
            names = transcripts[first].measurements[name].key_names
            other = transcripts[first].measurements[name].readings[keys]
            findings.append(
                Finding(
                    Kind.TRANSCRIPT,
                    Place(path),
                    f"a value `{name}` for {describe_keys(names, keys)}, "
                    f"as {paths[first]}:{other.line} has",
                    "this process printed none",
                    "have the program print the same values in every process",
                )
            )
    return findings


def _collect_readings(
    transcripts: Sequence[Transcript],
) -> dict[tuple[str, tuple[str, ...]], list[Reading]]:
    collected: dict[tuple[str, tuple[str, ...]], list[Reading]] = {}
    for transcript in transcripts:
        for name, measurement in transcript.measurements.items():
            for keys, reading in measurement.readings.items():
                collected.setdefault((name, keys), []).append(reading)
    return collected


def _list_keys(transcript: Transcript) -> list[tuple[str, tuple[str, ...]]]:
    measurements: list[Measurement] = list(transcript.measurements.values())
    return [(m.name, keys) for m in measurements for keys in m.readings]
