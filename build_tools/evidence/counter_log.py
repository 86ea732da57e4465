"""What did the profiler write: which launches, which counters, in how many passes?

The log of ``ncu --csv --page raw --print-units base`` holds notes, lines that begin with ``==``,
and one table: a header, a line of units, and a line a launch. Beside what was asked for it has
some hundreds of columns about device and launch, whose cells may be words. A metric that the
profiler does not know it leaves out without a note.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction

from build_tools.evidence.printed import read_printed
from build_tools.quantity.units import ONE, Unit, UnitError, multiply_units, parse_unit

KERNEL = "Kernel Name"
PASSES = "profiler__replayer_passes"
"""The column that says how often a launch was replayed."""

_ERROR = re.compile(r"==ERROR==\s*(?P<said>.*)")
_PASSES = re.compile(r"==PROF== Profiling .*?- (?P<passes>\d+) pass(?:es)?\s*$")
"""Where some versions say it as well, on a terminal."""
_UNITS = {
    "byte": "B",
    "ns": "ns",
    "nsecond": "ns",
    "us": "us",
    "usecond": "us",
    "ms": "ms",
    "msecond": "ms",
    "s": "s",
    "second": "s",
    "hz": "Hz",
    "%": "%",
}
"""The profiler's units that are more than a noun, and what they are here."""
_PREFIXES = {"K": "K", "M": "M", "G": "G", "T": "T"}


@dataclass(frozen=True)
class Count:
    """One value as printed: exact, in base units of the profiler's own unit."""

    value: Fraction
    half: Fraction
    """The half-width its last digit leaves open; zero for a whole number, which is counted."""
    text: str
    line: int
    """The log's line, from 1."""


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel: its counters by metric; None where the profiler says ``n/a``."""

    kernel: str
    counts: Mapping[str, Count | None]
    line: int


@dataclass(frozen=True)
class CounterLog:
    """A log as read."""

    units: Mapping[str, str]
    """By metric, as printed."""
    launches: tuple[Launch, ...]
    passes: int
    """The most passes of any launch; 0 when it is not told."""
    errors: tuple[str, ...]
    """What the profiler complains of, in its own words."""


class LogError(ValueError):
    """A log is not what the profiler writes; ``line`` is where, from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def list_errors(text: str) -> tuple[str, ...]:
    """What the profiler complains of, in its own words."""
    return tuple(
        match["said"].strip() for line in text.split("\n") if (match := _ERROR.match(line))
    )


def read_counter_log(text: str, metrics: Collection[str]) -> CounterLog:
    """The launches of a log with these metrics, as far as it has them; none without a table.

    What other columns hold is not looked at. Raises LogError.
    """
    lines = text.split("\n")
    notes = [int(match["passes"]) for line in lines if (match := _PASSES.match(line))]
    errors = list_errors(text)
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        return CounterLog({}, (), max(notes, default=0), errors)
    header = _split(lines[start], start + 1)
    if KERNEL not in header:
        raise LogError(f"the table has no column `{KERNEL}`", start + 1)
    wanted = [name for name in header if name in metrics]
    if len(set(wanted)) != len(wanted):
        raise LogError("two columns have one name", start + 1)
    if start + 1 >= len(lines):
        raise LogError("the table ends after its header", start + 1)
    units = _split(lines[start + 1], start + 2)
    if len(units) != len(header) or units[0]:
        raise LogError("the line below the header does not hold the units", start + 2)
    launches = []
    for number, line in enumerate(lines[start + 2 :], start + 3):
        if not line.strip() or line.startswith("=="):
            continue
        cells = _split(line, number)
        if len(cells) != len(header):
            true = f"the line has {len(cells)} cells and the header {len(header)}"
            raise LogError(true, number)
        row = dict(zip(header, cells, strict=True))
        counts = {name: _read_count(row[name], name, number) for name in wanted}
        launches.append(Launch(_name_kernel(row[KERNEL]), counts, number))
        passes = _read_count(row[PASSES], PASSES, number) if PASSES in row else None
        notes += [int(passes.value)] if passes is not None else []
    told = dict(zip(header, units, strict=True))
    return CounterLog(
        {name: told[name] for name in wanted}, tuple(launches), max(notes, default=0), errors
    )


def _name_kernel(cell: str) -> str:
    """The plain name, also of ``void scale<float>(float *, int)``, as it is printed unasked."""
    name = cell.partition("(")[0].partition("<")[0]
    return name.rpartition(" ")[2].rpartition("::")[2]


def _split(line: str, number: int) -> list[str]:
    try:
        (cells,) = csv.reader(io.StringIO(line), strict=True)
    except (csv.Error, ValueError):
        raise LogError("the line is not one of a CSV table", number) from None
    return [cell.strip() for cell in cells]


def _read_count(cell: str, metric: str, line: int) -> Count | None:
    if cell.lower() in ("n/a", "nan", "", "no data"):
        return None
    printed = read_printed(cell)
    if printed is None:
        raise LogError(f"`{cell}` of `{metric}` is no number", line)
    is_whole = "." not in cell and "e" not in cell.lower()
    return Count(printed.value, Fraction(0) if is_whole else printed.half, cell, line)


def read_profiler_unit(text: str) -> Unit | None:
    """A unit of the profiler that is more than a noun; None for what is only counted.

    ``Gbyte/second`` is GB/s, ``%`` a hundredth; ``sector`` and ``inst`` count.
    """
    if not text:
        return None
    unit = ONE
    for index, word in enumerate(text.split("/")):
        name = _translate(word.strip())
        if name is None:
            return None
        unit = multiply_units(unit, name, 1) if index == 0 else _divide(unit, name)
    return unit


def _divide(above: Unit, below: Unit) -> Unit:
    inverse = Unit(1 / below.factor, tuple((name, -power) for name, power in below.dimensions))
    return multiply_units(above, inverse)


def _translate(word: str) -> Unit | None:
    known = _UNITS.get(word)
    if known is None and word[:1] in _PREFIXES and word[1:] in ("byte", "hz"):
        known = word[0] + _UNITS[word[1:]]
    try:
        return parse_unit(known) if known else None
    except UnitError:  # pragma: no cover - every text of the table is a unit
        return None
