"""Where does a campaign stand, and what does it want of each program?"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from build_tools.diagnostics.finding import Finding
from build_tools.evidence.home import RUN
from build_tools.evidence.loaded import LoadedRecord
from build_tools.evidence.model import Device
from build_tools.evidence.part_model import PartKind
from build_tools.measure.ledger import Ledger
from build_tools.source.model import Program, Settings

Progress = Callable[[str], object]


def say_in_turn(progress: Progress) -> Progress:
    """The same for several threads: one line at a time."""
    lock = threading.Lock()

    def say(line: str) -> None:
        with lock:
            progress(line)

    return say


@dataclass(frozen=True)
class Repeats:
    """How many processes are run of each program for a record."""

    least: int
    """Those that are run in any case."""
    most: int
    """Where it stops, whatever the criteria say."""


FindUnmet = Callable[[Program, LoadedRecord], Sequence[str]]
"""Which criteria would a record of the processes so far not meet? In words."""


@dataclass(frozen=True)
class Front:
    """What a campaign tells and asks whoever started it."""

    progress: Progress
    before_measuring: Callable[[], object] = lambda: None
    """Called once, before any evidence is written, and not when there is nothing to measure."""
    find_unmet: FindUnmet = lambda _, __: ()
    """While it finds something, more processes are run, up to the limit."""


@dataclass(frozen=True)
class Ground:
    """The tree, the device, where evidence goes, who is told, and where time went."""

    root: Path
    settings: Settings
    device: Device
    bundle: Path | None
    progress: Progress
    find_unmet: FindUnmet = lambda _, __: ()
    ledger: Ledger = field(default_factory=Ledger)
    campaign: str = field(default_factory=lambda: secrets.token_hex(6))
    """Told in all that is measured here, on one card and in one go; it says nothing of the card."""
    found: list[Finding] = field(default_factory=list)
    """What was found so far, which an interrupt must not lose."""

    def note_findings(self, findings: Sequence[Finding]) -> None:
        """Keep them, and say each in a line at once: the end may be minutes away."""
        self.found.extend(findings)
        for finding in findings:
            self.progress(f"{finding.place}: {finding.kind}: {finding.stated}: {finding.true}")

    @property
    def is_reference(self) -> bool:
        return self.device.model == self.settings.reference_gpu

    @property
    def arch(self) -> str:
        """The architecture to compile for: ``sm_90``."""
        return f"sm_{self.device.compute_capability.replace('.', '')}"


ALL_PARTS = frozenset({RUN, *(kind.value for kind in PartKind)})
"""What can be measured of a program: its runs, ``run``, and each part."""


@dataclass(frozen=True)
class Extent:
    """How much a campaign measures."""

    force: bool = False
    """Whether what is fresh is measured once more."""
    parts: frozenset[str] = ALL_PARTS
    """Those of ``ALL_PARTS`` that are looked at."""
    timings: bool = False
    """Whether it says at its end where the time went."""


WHAT_IS_STALE = Extent()
"""What is stale or missing, of runs and parts alike."""


@dataclass(frozen=True)
class Want:
    """What of a program is to be measured."""

    program: Program
    run: bool
    """Whether it is run and timed for a new record."""
    kinds: tuple[PartKind, ...] = ()
