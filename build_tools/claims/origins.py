"""From which line of which file was a value read?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from build_tools.claims.measured import matches
from build_tools.claims.model import Course
from build_tools.claims.scope import ProgramScope
from build_tools.claims.windows import WINDOW_FIELDS
from build_tools.evidence.compiler import locate_kernel
from build_tools.evidence.loaded import LoadedRecord
from build_tools.evidence.readme import show_controls
from build_tools.evidence.record import place_value
from build_tools.quantity.operations import Key
from build_tools.source.facts import select_fact


@dataclass(frozen=True)
class Origin:
    """A line of a file of the course from which a value was read."""

    path: str
    line: int
    text: str
    """The line's text, control bytes visible; of a process that is not shown, the value only."""
    process: int = 0
    """Which process printed it, from 1; 0 where it is no transcript."""
    keys: tuple[str, ...] = ()
    """The keys of the value, in a transcript."""


def find_fact(course: Course, key: str, scope: ProgramScope | None) -> Iterator[Origin]:
    """Where a cited fact stands: that of the GPU a program's quantity speaks of, if any."""
    fact = course.facts.get(key)
    if fact is None:
        return
    record = scope.measured.shelf.shown_record if scope else None
    gpu = record.record.device.model if record else course.settings.reference_gpu
    fact = select_fact(fact, gpu) or fact
    yield Origin(fact.place.path, fact.place.line, f"{fact.quote} ({fact.source})")


def find_readings(record: LoadedRecord, name: str, keys: tuple[Key, ...]) -> Iterator[Origin]:
    """The lines of a measurement: the shown process's, then all other processes'."""
    measurement = record.shown.measurements[name]
    wanted = keys
    if keys == (None,):
        wanted = (None,) * len(measurement.key_names)
    rows = [row for row in measurement.readings if matches(row, wanted)]
    lines = record.shown_text.split("\n")
    shown = record.record.shown
    path = record.record.processes[shown].stdout.path
    for row in rows:
        line = measurement.readings[row].line
        yield Origin(path, line, show_controls(lines[line - 1]).strip(), shown + 1, row)
    for index, transcript in enumerate(record.transcripts):
        if index == shown or name not in transcript.measurements:
            continue
        path = record.record.processes[index].stdout.path
        for row in rows:
            reading = transcript.measurements[name].readings.get(row)
            if reading is not None:
                yield Origin(path, reading.line, reading.text, index + 1, row)


def find_key(
    record: LoadedRecord, table: str, header: str, keys: tuple[Key, ...]
) -> Iterator[Origin]:
    """The first line of the shown transcript's table with each key."""
    read = record.shown.tables[table]
    column = read.columns.index(header)
    process = record.record.processes[record.record.shown]
    lines = record.shown_text.split("\n")
    told: set[str] = set()
    for row, line in zip(read.rows, read.lines, strict=True):
        if row[column] in told or (None not in keys and row[column] not in keys):
            continue
        told.add(row[column])
        text = show_controls(lines[line - 1]).strip()
        yield Origin(process.stdout.path, line, text, record.record.shown + 1, (row[column],))


def find_in_record(
    root: Path, record: LoadedRecord, what: str, names: Sequence[str]
) -> Iterator[Origin]:
    """Where the compiler's report and the record's JSON hold what a name says.

    ``what`` is ``device``, ``compiler`` or ``check``, ``names`` what follows it.
    """
    where: tuple[str, ...] = (what, *names)
    if what == "check":
        where = ("reader_check", *names)
    elif what == "compiler":
        where = ("build", "kernels", *(name for name in names if name != "spill_bytes"))
        line = locate_kernel(record.report_text, names[0])
        if record.record.build.report is not None and line:
            text = record.report_text.split("\n")[line - 1]
            yield Origin(record.record.build.report.path, line, show_controls(text).strip())
    text = _read_text(root / record.path)
    place = place_value(text, record.path, *where)
    yield Origin(record.path, place.line, text.split("\n")[place.line - 1].strip())


def find_in_window(
    root: Path, record: LoadedRecord, window: str, names: Sequence[object]
) -> Iterator[Origin]:
    """The line of the record's JSON that holds what the shown process's timed windows read."""
    field = WINDOW_FIELDS[str(names[0])][0] if names else ""
    text = _read_text(root / record.path)
    where = ("processes", record.record.shown, "windows", window, field)
    place = place_value(text, record.path, *where)
    yield Origin(record.path, place.line, text.split("\n")[place.line - 1].strip())


@lru_cache(maxsize=4)
def _read_text(path: Path) -> str:
    """A record's JSON; it was read and found good before."""
    return path.read_bytes().decode("utf-8", "replace")
