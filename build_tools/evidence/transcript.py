"""What does a transcript measure? Its declared tables and lines, read to exact values.

Everything declared must be there and everything there must be declared: columns, keys, numbers
of rows. A control byte in a line that measures is a finding, and nothing is passed over in
silence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.evidence.lines import (
    LineMatch,
    LinePattern,
    compile_patterns,
    match_line,
    report_unmatched,
)
from build_tools.evidence.loaded import (
    Measurement,
    Reading,
    Transcript,
    TranscriptTable,
)
from build_tools.evidence.printed import describe_keys, read_value
from build_tools.evidence.raw_tables import find_tables
from build_tools.evidence.tables import pair_tables, read_table
from build_tools.source.model import Declaration

_CONTROLS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Escape sequences, and control characters other than tab."""


def decode_transcript(data: bytes) -> str:
    r"""A stream's bytes as text: what is no UTF-8 shows as ``\xff``, all else as it came."""
    return data.decode("utf-8", "backslashreplace")


def read_transcript(
    text: str, declaration: Declaration, path: str
) -> tuple[Transcript, list[Finding]]:
    """The transcript's tables and measurements, and what is wrong with it.

    ``path`` is the transcript's, from the root; each finding is placed in it. Values are exact
    and in base units.
    """
    findings: list[Finding] = []
    lines = text.split("\n")
    readable = [_CONTROLS.sub("", line) for line in lines]
    patterns = compile_patterns(declaration.lines)
    matches = [
        [m for number, line in enumerate(readable, 1) if (m := match_line(pattern, line, number))]
        for pattern in patterns
    ]
    taken = {match.line for found in matches for match in found}
    raw_tables = find_tables(readable, taken)

    tables: dict[str, TranscriptTable] = {}
    measurements: dict[str, Measurement] = {}
    pairs, unpaired = pair_tables(raw_tables, declaration, path)
    findings += unpaired
    for raw, rule in pairs:
        table, measured, wrong = read_table(raw, rule, path)
        tables[rule.name] = table
        measurements.update((m.name, m) for m in measured)
        findings += wrong
    for pattern, found in zip(patterns, matches, strict=True):
        if not found:
            findings.append(report_unmatched(pattern, readable, path))
        read, wrong = _read_matches(pattern, found, path)
        measurements.update((m.name, m) for m in read)
        findings += wrong
    used = taken | {n for table in tables.values() for n in table.lines}
    used |= {n for raw in raw_tables for n in (raw.number, raw.number + 1)}
    findings += _report_controls(lines, used, path)
    return Transcript(tables, measurements), findings


def _report_controls(lines: Sequence[str], used: set[int], path: str) -> list[Finding]:
    """A finding for each line that measures and holds a control byte."""
    findings = []
    for number in sorted(used):
        match = _CONTROLS.search(lines[number - 1])
        if match:
            findings.append(
                Finding(
                    Kind.TRANSCRIPT,
                    Place(path, number, match.start() + 1),
                    "a line that is read as evidence",
                    f"it holds the control byte 0x{ord(match[0][0]):02x}",
                    "have the program print plain text when its output is no terminal",
                )
            )
    return findings


def _read_matches(
    pattern: LinePattern, matches: Sequence[LineMatch], path: str
) -> tuple[list[Measurement], list[Finding]]:
    """A pattern's measurements, one a typed field, with the lines' keys."""
    findings: list[Finding] = []
    readings: list[dict[tuple[str, ...], Reading]] = [{} for _ in pattern.values]
    first_lines: dict[tuple[str, ...], int] = {}
    for match in matches:
        if match.keys in first_lines:
            findings.append(
                Finding(
                    Kind.TRANSCRIPT,
                    Place(path, match.line),
                    f"`{pattern.rule.name}` for {describe_keys(pattern.keys, match.keys)}",
                    f"line {first_lines[match.keys]} says it already",
                    "print each line once, or give the pattern a field that tells them apart",
                )
            )
            continue
        first_lines[match.keys] = match.line
        for field, cell, read in zip(pattern.values, match.values, readings, strict=True):
            value = read_value(cell, field.unit, Place(path, match.line, cell.start + 1))
            if isinstance(value, Finding):
                findings.append(value)
            else:
                read[match.keys] = value
    return [
        Measurement(field.name, pattern.keys, field.unit, field.unit_text, "", read)
        for field, read in zip(pattern.values, readings, strict=True)
    ], findings
