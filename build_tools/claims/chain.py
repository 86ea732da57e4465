"""Why does a claim hold: what stands between its sentence and a program's run?

The values of ``course why``. Each holds plain texts and numbers, so that text and JSON are made
of the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from build_tools.claims.conditions import Condition
from build_tools.claims.figure import Figure
from build_tools.claims.find_subject import Match, SubjectKind
from build_tools.claims.model import ClaimKind
from build_tools.claims.origins import Origin
from build_tools.claims.trace import CitedKind


@dataclass(frozen=True)
class FindingLine:
    """A finding, as ``course check`` tells it."""

    kind: str
    path: str
    line: int
    column: int
    stated: str
    true: str
    advice: str
    checked: bool


@dataclass(frozen=True)
class Sentence:
    """A claim where it stands."""

    path: str
    line: int
    column: int
    kind: ClaimKind
    text: str
    """The link's words."""
    target: str
    """What it cites."""
    sentence: str
    """The sentence around it, links by their words."""
    outcome: str
    """``agrees``, ``finding`` or ``could not check``."""
    findings: tuple[FindingLine, ...] = ()


@dataclass(frozen=True)
class NameLine:
    """A name that the expression cites, with its value and where it was read."""

    name: str
    kind: CitedKind
    depth: int
    """0 in the expression itself, 1 in that of a quantity it cites, and so on."""
    program: str
    figure: Figure
    expression: str
    """That of a quantity; else empty."""
    origins: tuple[Origin, ...]
    """The shown process's line for each value, or a line of source; then the other processes'."""


@dataclass(frozen=True)
class DeviceLine:
    """The device a record was made on."""

    model: str
    compute_capability: str
    driver: str
    memory_bytes: int
    power_limit_watts: float


@dataclass(frozen=True)
class BuildLine:
    """How the program was compiled."""

    command: str
    """As executed."""
    stated_command: str
    """As the header said."""
    arch_replaced: str
    nvcc: str
    cuda: str
    machine_code_digest: str
    report: str
    """The path of what the compiler printed; empty when it was not kept."""


@dataclass(frozen=True)
class CheckLine:
    """The reader's check of a record."""

    outcome: str
    """``passed``, ``failed``, ``could not check`` or ``none``."""
    is_stale: bool = False
    seeds: tuple[int, ...] = ()
    regions: tuple[str, ...] = ()
    """Those it passed for."""
    cupy: str = ""
    nvrtc: str = ""
    said: str = ""
    """Why it failed or could not be run."""


@dataclass(frozen=True)
class RecordChain:
    """A record, with all that it holds about how its values came to be."""

    path: str
    program: str
    state: str
    """``fresh`` or ``stale``."""
    is_reference: bool
    """Whether it was made on the device the course speaks of."""
    is_shown: bool
    """Whether pages show its transcript."""
    is_pooled: bool
    """Whether it belongs to the newest pool, whose band counts."""
    started: str
    """UTC."""
    age_days: int
    """Whole days from the record's to today's date, UTC; below zero for a date to come."""
    processes: int
    shown_process: int
    """Which process is shown, from 1: the one nearest to the medians."""
    transcript: str
    """The path of what it printed."""
    run: str
    """The command that was run."""
    device: DeviceLine
    build: BuildLine
    code_digest: str
    code_digest_now: str
    """The program's as it is now; empty when there is no such program."""
    check: CheckLine
    conditions: tuple[Condition, ...]
    """What would make it stale, each with whether it is so now."""
    findings: tuple[FindingLine, ...] = ()
    """What is wrong with the record itself."""


@dataclass(frozen=True)
class RegionChain:
    """A region, and where pages show it."""

    reference: str
    path: str
    first: int
    last: int
    kind: str
    needs: tuple[str, ...]
    shown_at: tuple[str, ...]
    """``PATH:LINE:COLUMN`` of the blocks that show it."""


@dataclass(frozen=True)
class ProgramChain:
    """A program: its code, its regions, its records, and the claims that cite it."""

    name: str
    path: str
    state: str
    """``fresh``, ``stale`` or ``missing``."""
    build: str
    run: str
    code_digest: str
    regions: tuple[RegionChain, ...]
    records: tuple[str, ...]
    """The paths of its records of the reference device, newest first."""
    claims: tuple[str, ...]
    """``PATH:LINE:COLUMN`` of the claims that cite it."""


@dataclass(frozen=True)
class Chain:
    """The answer to one question."""

    format: Literal[1] = field(default=1, kw_only=True)
    query: str
    subject: SubjectKind
    sentences: tuple[Sentence, ...] = ()
    """The claims asked about; more than one when they cite the same."""
    expression: str = ""
    figure: Figure | None = None
    """What the expression comes to; null when it has no value."""
    proof: str = ""
    """``measured``, ``exact``, ``cited`` or ``stated``."""
    names: tuple[NameLine, ...] = ()
    programs: tuple[ProgramChain, ...] = ()
    records: tuple[RecordChain, ...] = ()
    """Those the value rests on: the shown one first, then from new to old."""
    matches: tuple[Match, ...] = ()
    """The several things the question may mean."""
    error: str = ""
    advice: str = ""
