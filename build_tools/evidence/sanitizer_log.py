"""What does a tool of compute-sanitizer say: how many errors, or why it cannot tell?"""

from __future__ import annotations

import re
from dataclasses import dataclass

FOUND_STATUS = 86
"""The exit status that the tools are asked to end with when they find something."""

_SUMMARY = re.compile(r"=+ ERROR SUMMARY: (?P<errors>\d+) errors?\s*$")
_RACES = re.compile(
    r"=+ RACECHECK SUMMARY: (?P<hazards>\d+) hazards? displayed "
    r"\((?P<errors>\d+) errors?, (?P<warnings>\d+) warnings?\)\s*$"
)
_PREFIX = re.compile(r"=========\s?")
_BANNER = re.compile(r"COMPUTE-SANITIZER\s*$")


@dataclass(frozen=True)
class SanitizerVerdict:
    """A tool's word on one execution."""

    errors: int
    warnings: int
    passed: bool
    could_not_check: str
    """Why there is no verdict, in the tool's own words; empty when there is one."""
    said: str
    """The first thing it found, or its summary."""


def read_sanitizer_log(text: str, exit_status: int, cut: str = "") -> SanitizerVerdict:
    """The verdict of one execution: its summary line, which must stand there once, and its end.

    Nothing found and a failing program is no pass: the program's own check has failed then.
    """
    lines = [line.rstrip() for line in text.split("\n")]
    told = [_PREFIX.sub("", line, count=1) for line in lines if _PREFIX.match(line)]
    told = [line.strip() for line in told if line.strip() and not _BANNER.match(line.strip())]
    summaries = [m for line in lines if (m := _SUMMARY.match(line) or _RACES.match(line))]
    if len(summaries) != 1:
        how = "it printed no summary" if not summaries else "it printed several summaries"
        ended = f"; {cut}" if cut else f"; it ended with exit status {exit_status}"
        words = " ".join(told[:4])[:400]
        return SanitizerVerdict(0, 0, False, f"{words or how}{ended if not words else ''}", "")
    found = summaries[0].groupdict()
    errors, warnings = int(found["errors"]), int(found.get("warnings") or 0)
    summary = _PREFIX.sub("", summaries[0][0], count=1).strip()
    if errors or warnings:
        return SanitizerVerdict(errors, warnings, False, "", _find_first(told) or summary)
    if cut:
        return SanitizerVerdict(0, 0, False, cut, "")
    if exit_status != 0:
        said = f"{summary}, and the program ended with exit status {exit_status}"
        return SanitizerVerdict(0, 0, False, "", said)
    return SanitizerVerdict(0, 0, True, "", summary)


def _find_first(told: list[str]) -> str:
    """The first complaint, as the tool words it."""
    for line in told:
        if not line.startswith(("ERROR SUMMARY", "RACECHECK SUMMARY", "Error: process didn")):
            return line[:300]
    return ""
