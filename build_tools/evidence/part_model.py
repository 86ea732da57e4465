"""What does a part hold? The types of the JSON of counters, sanitizers, listings and mutants.

A part is evidence of its own beside a program's records, fresh or stale alone. Like a record it
names its raw files, and what is derived from them is derived again on every reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import msgspec

from build_tools.evidence.loaded import State
from build_tools.evidence.model import (
    Build,
    Device,
    File,
    ReaderCheck,
)

if TYPE_CHECKING:
    from build_tools.evidence.counts import Counts


class PartKind(StrEnum):
    """The parts there are, by the word that their files begin with."""

    COUNTERS = "counters"
    SANITIZERS = "sanitizers"
    MUTANTS = "mutants"
    LISTINGS = "listings"
    CHECK = "check"
    """The reader's check, made again without a new record."""


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every part says: of which code, what was asked, where, when and with what."""

    format: int
    """The version of this form."""
    part: str
    """``counters``, ``sanitizers``, ``mutants``, ``listings`` or ``check``."""
    program: str
    """The program's name."""
    started: str
    """UTC, ``2026-12-01T09:30:00Z``."""
    code_digest: str
    """Of the program's code, as a record has it."""
    digest: str
    """SHA-256 over the code digest and ``asked``: what the part's freshness hangs on."""
    asked: dict[str, Any]
    """What program.toml asked for, texts of regions and check.py by their digests."""
    course: str
    """The version of these tools."""
    python: str
    """The version of Python that measured."""
    device: Device
    """Where it was made."""
    build: Build
    """How the program was compiled."""
    tools: dict[str, str]
    """The version of each tool, in its own words."""
    could_not_check: str = ""
    """Why there is nothing in it, in the tool's own words; empty when there is."""
    refusal: File | None = None
    """All that the tool said then."""
    seals: dict[str, str]
    """For each other field, the SHA-256 of its canonical JSON: an edit is named by field."""
    campaign: str | msgspec.UnsetType = msgspec.UNSET
    """Twelve random hex digits: what has the same was measured on one card, in one go."""


class ProfilerRun(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The program once under the profiler."""

    command: tuple[str, ...]
    """Whole, paths of the build folder left out."""
    log: File
    """What the profiler wrote: its notes and a CSV of one launch a row."""
    exit_status: int
    """Zero, or it counts nothing."""
    seconds: float
    """How long it took."""
    passes: int = 0
    """How often each launch was replayed, at most; derived."""


class CounterValues(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One counter of one kernel over its launches, derived."""

    kernel: str
    """The kernel's name."""
    counter: str
    """The name that program.toml gives it."""
    unit: str
    """The unit that program.toml gives it."""
    samples: tuple[float, ...]
    """Base units, in the order of the launches."""
    median: float
    """Of the samples, in base units."""
    band_low: float
    """The lower end of the band of the next launch, in base units."""
    band_high: float
    """The upper end of it."""


class CounterSession(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One declared session: its runs under the profiler, and what they counted."""

    name: str
    """The session's name."""
    caches: str
    """``hot`` or ``cold``."""
    runs: tuple[ProfilerRun, ...]
    """The program under the profiler, as often as the metrics need."""
    values: tuple[CounterValues, ...] = ()
    """What was counted, by kernel and counter."""


class Counters(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the profiler counted, apart from all timing."""

    sessions: tuple[CounterSession, ...] = ()
    """One for each that program.toml declares."""


class SanitizerRun(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The program, or a mutant of it, once under one tool."""

    tool: str
    """``memcheck``, ``racecheck``, ``initcheck`` or ``synccheck``."""
    mutant: str
    """Empty for the program itself."""
    command: tuple[str, ...]
    """Whole, paths of the build folder left out."""
    log: File
    """What the tool wrote."""
    output: File
    """What the program printed meanwhile."""
    exit_status: int
    """The tool's."""
    seconds: float
    """How long it took."""
    cut: str = ""
    """Why it was killed; empty when it ended by itself."""
    errors: int = 0
    """By the tool's own summary, derived."""
    warnings: int = 0
    """Likewise."""
    passed: bool = False
    """Whether the tool came to its end and found nothing, derived."""
    could_not_check: str = ""
    """Why the tool came to no verdict, in its own words, derived."""


class Sanitizers(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The program under compute-sanitizer, and the mutants that prove its tools."""

    line_info: bool = False
    """Whether the binary had source lines; its machine code is the build's all the same."""
    runs: tuple[SanitizerRun, ...] = ()
    """The program and the mutants, each under its tools."""


class MutantTrial(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one check said of a mutant, or of the program itself."""

    by: str
    """``the program's check``, ``the reader's check``, or a sanitizer's tool."""
    command: tuple[str, ...]
    """Whole, paths of the build folder left out."""
    log: File
    """All that it printed."""
    exit_status: int
    """The check's."""
    seconds: float
    """How long it took."""
    cut: str = ""
    """Why it was killed; empty when it ended by itself."""
    outcome: str = ""
    """``accepts``, ``rejects`` or ``could not check``, derived."""
    said: str = ""
    """The words that show it, derived."""


class MutantOutcome(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mutant and the checks it went through, up to the first that rejects it."""

    name: str
    """The mutant's name."""
    trials: tuple[MutantTrial, ...]
    """The checks, in the order in which they were asked."""
    caught: bool = False
    """Whether one of them rejects it, derived."""
    caught_by: str = ""
    """The check that rejects it, empty when none does; derived."""


class Mutants(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which check rejects which mutant."""

    sound: tuple[MutantTrial, ...] = ()
    """The program itself under the same commands: it must be accepted."""
    mutants: tuple[MutantOutcome, ...] = ()
    """Each mutant that program.toml declares."""


class KernelListing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kernel's machine code in numbers, derived."""

    kernel: str
    """The kernel's name in the source."""
    function: str
    """The name in the machine code."""
    instructions: int
    """How many it has, padding left out."""
    opcodes: dict[str, int]
    """How many instructions have each opcode, suffixes and all; padding left out."""


class RegionListing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The machine code of a region's kernels."""

    region: str
    """The region's name."""
    functions: dict[str, str]
    """The name in the machine code of each kernel."""
    kernels: tuple[KernelListing, ...] = ()
    """Each kernel in numbers."""


class Listings(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """SASS and PTX of regions."""

    sass: File | None = None
    """What cuobjdump wrote of the binary."""
    lines: File | None = None
    """What nvdisasm wrote with source lines; none where that build's machine code differs."""
    ptx: File | None = None
    """What cuobjdump wrote of the virtual machine code; with lines as ``lines`` has them."""
    anchors: dict[str, int] = {}
    """For each source line in ``lines`` or ``ptx``, which token of the program it begins with, from 0."""
    regions: tuple[RegionListing, ...] = ()
    """Those that program.toml declares."""


class Check(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The reader's check of a program whose record has another one, or none that counts."""

    check: ReaderCheck | None = None
    """What it said; null where it could not be made."""


PART_TYPES: Mapping[PartKind, type[Part]] = {
    PartKind.COUNTERS: Counters,
    PartKind.SANITIZERS: Sanitizers,
    PartKind.MUTANTS: Mutants,
    PartKind.LISTINGS: Listings,
    PartKind.CHECK: Check,
}


@dataclass(frozen=True)
class LoadedPart:
    """A part read, with its raw files."""

    part: Part
    path: str
    """Of the JSON, from the project's root."""
    state: State
    texts: Mapping[str, str] = field(default_factory=dict)
    """What its files hold, by path; of a fresh part only."""
    counts: dict[str, Counts] = field(init=False, default_factory=dict, repr=False, compare=False)
    """What was counted in each session, once it is asked for."""
    shown_launches: dict[str, int] = field(
        init=False, default_factory=dict, repr=False, compare=False
    )
    """Index of the shown launch of each session, once it is asked for."""

    @property
    def kind(self) -> PartKind:
        return PartKind(self.part.part)

    @property
    def identity(self) -> str:
        """Its short name: ``counters-2026-12-01``."""
        return self.path.rsplit("/", 1)[-1].removesuffix(".json")
