"""What is a record once it is read? Exact fractions, taken from the raw transcripts.

The transcripts are the evidence; what the record's JSON says of them was compared on reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

from build_tools.evidence.model import ReaderCheck, Record
from build_tools.quantity.units import Unit

if TYPE_CHECKING:
    from build_tools.evidence.part_model import LoadedPart


@dataclass(frozen=True)
class Reading:
    """One printed value: exact, in base units, with the half-width its last digit leaves open."""

    value: Fraction
    half: Fraction
    text: str
    line: int
    """The transcript's line, from 1."""


@dataclass(frozen=True)
class Measurement:
    """A named value with a unit and keys, from one transcript."""

    name: str
    key_names: tuple[str, ...]
    unit: Unit
    unit_text: str
    table: str
    """The declared table it was read from, or empty for a line."""
    readings: Mapping[tuple[str, ...], Reading]


@dataclass(frozen=True)
class TranscriptTable:
    """A transcript's table as read: header cells, and rows of cells as printed."""

    name: str
    columns: tuple[str, ...]
    """Header texts in the transcript's order."""
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    """The transcript's line of each row."""
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Transcript:
    """A transcript read by a program's declaration."""

    tables: Mapping[str, TranscriptTable]
    measurements: Mapping[str, Measurement]


class State(StrEnum):
    """Whether a record belongs to the program's code as it is now."""

    FRESH = "fresh"
    STALE = "stale"


@dataclass(frozen=True)
class LoadedRecord:
    """A record read, with its transcripts read again: the values here come from raw text."""

    record: Record
    path: str
    """Of the JSON, from the project's root."""
    state: State
    transcripts: tuple[Transcript, ...]
    """One a process, in the order of ``record.processes``."""
    shown_text: str
    """The shown run's transcript, decoded; control bytes as they came."""

    report_text: str = ""
    """What the compiler printed, decoded."""
    later_check: ReaderCheck | None = None
    """The reader's check as it was made again since, where the record's own is stale."""

    @property
    def reader_check(self) -> ReaderCheck | None:
        """The reader's check that counts."""
        return self.later_check or self.record.reader_check

    @property
    def identity(self) -> str:
        """The record's short name: ``run-2026-12-01``."""
        return self.path.rsplit("/", 1)[-1].removesuffix(".json")

    @property
    def shown(self) -> Transcript:
        return self.transcripts[self.record.shown]


@dataclass(frozen=True)
class Shelf:
    """A program's records of the reference device that could be read, newest first."""

    program: str
    records: tuple[LoadedRecord, ...]
    parts: tuple[LoadedPart, ...] = ()
    """Counters, sanitizers, mutants and listings, those of a kind newest first."""

    @property
    def fresh(self) -> tuple[LoadedRecord, ...]:
        return tuple(r for r in self.records if r.state is State.FRESH)

    @property
    def shown_record(self) -> LoadedRecord | None:
        """The newest fresh record, or None."""
        fresh = self.fresh
        return fresh[0] if fresh else None
