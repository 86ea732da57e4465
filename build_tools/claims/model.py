"""What is a course once read, a page once scanned, a claim once judged? The claims stage's values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from build_tools.claims.memo import Memo
from build_tools.diagnostics.finding import Finding, Place
from build_tools.evidence.loaded import Shelf
from build_tools.quantity.value import Value
from build_tools.source.model import Fact, Program, QuantityRule, Settings

if TYPE_CHECKING:
    from build_tools.claims.citable import CitableIndex


@dataclass(frozen=True)
class Course:
    """Everything a page can speak of: programs, records, facts, and what is wrong with them."""

    root: Path
    settings: Settings
    programs: Mapping[str, Program]
    facts: Mapping[str, Fact]
    shelves: Mapping[str, Shelf]
    findings: tuple[Finding, ...] = ()
    """Of source and evidence, not of pages."""
    quantities: Mapping[str, QuantityRule] = field(default_factory=dict)
    """The course's own, by name; a program's are in its declaration."""
    other_shelves: Mapping[str, Mapping[str, Shelf]] = field(default_factory=dict)
    """By program, then by the GPU's folder name: records of devices the course does not speak of."""
    left_out: frozenset[str] = frozenset()
    """Drafts that a build leaves out, by their paths from the root."""
    evaluated: dict[str, tuple[Value, Proof]] = field(
        init=False, default_factory=dict, repr=False, compare=False
    )
    """What expressions came to, so that checking and rendering evaluate each of them once."""
    memo: Memo = field(init=False, default_factory=Memo, repr=False, compare=False)
    """What follows from the course and was asked before."""
    index: list[CitableIndex] = field(init=False, default_factory=list, repr=False, compare=False)
    """Everything that can be cited, once something has looked for it; empty before."""

    @cached_property
    def faults(self) -> Mapping[str, tuple[Finding, ...]]:
        """What is wrong with sources and evidence, by the path of the file that is at fault."""
        faults: dict[str, tuple[Finding, ...]] = {}
        for finding in self.findings:
            path = finding.place.path
            faults[path] = (*faults.get(path, ()), finding)
        return faults


class ClaimKind(StrEnum):
    """The three kinds of link."""

    CLAIM = "claim"
    """An expression over what was measured, constants of programs and device facts; the text
    must hold against its value."""
    GIVEN = "given"
    """The key of a cited fact; the text must hold against its value, and the page shows its source."""
    STATED = "stated"
    """An example, a choice or a definition, and nothing that could be measured: no time, no rate,
    no ratio."""


@dataclass(frozen=True)
class Claim:
    """A link that cites. ``start`` and ``end`` are offsets in the scanned text."""

    number: int
    """From 0, in the order of the page; the renderer finds the claim by it."""
    kind: ClaimKind
    text: str
    """The link's text as written, emphasis and all."""
    target: str
    """The expression, the key of a fact, or what follows ``stated:``."""
    place: Place
    start: int
    end: int
    in_heading: bool = False

    @property
    def length(self) -> int:
        """Characters of the link's text with its brackets."""
        return len(self.text) + 2


@dataclass(frozen=True)
class Directive:
    """A block that embeds. Options are strings, as written."""

    number: int
    """From 0, in the order of the page."""
    name: str
    """``snippet``, ``table``, ``transcript``, ``program``, or one of generated pages."""
    argument: str
    options: Mapping[str, str]
    place: Place
    start: int
    """Offset of the opening line's first character."""
    end: int
    """Offset just after the closing ``///``."""
    indent: str = ""


@dataclass(frozen=True)
class PageOptions:
    """What a page's front matter says to the course."""

    draft: Place | None = None
    """Where ``draft: true`` stands; None for a lesson that is none."""
    own: Place | None = None
    """Where ``course:`` stands, whose keys go before those of course.toml."""
    unbound: str = ""
    """The page's own policy for unbound numbers; empty for that of the course."""
    patterns_off: Mapping[str, Place] = field(default_factory=dict)
    """Patterns of numbers that the page does not exempt, with the place of each."""


@dataclass(frozen=True)
class PageScan:
    """One page's claims and directives, and what is wrong with how they are written."""

    path: str
    text: str
    claims: tuple[Claim, ...]
    directives: tuple[Directive, ...]
    findings: tuple[Finding, ...]
    rejected: tuple[Directive, ...] = ()
    """Blocks with wrong options: not rendered, but what they name is checked all the same."""
    options: PageOptions = PageOptions()


class ProofKind(StrEnum):
    """What stands behind a number."""

    MEASURED = "measured"
    EXACT = "exact"
    CITED = "cited"
    STATED = "stated"


@dataclass(frozen=True)
class Proof:
    """What a reader is shown behind a claim; every text is ready to print, unescaped."""

    kind: ProofKind
    value: str = ""
    """The value of the shown run with its unit, ``1.6378``; ``true`` for a statement."""
    band: str = ""
    """``1.62 to 1.66``; empty for exact values."""
    expression: str = ""
    device: str = ""
    driver: str = ""
    date: str = ""
    processes: int = 0
    """Those that the band rests on, of all its records."""
    records: int = 0
    """How many records these are of."""
    process: int = 0
    """Which of the processes of its record is shown, from 1; 0 where that cannot be said."""
    shown_of: int = 0
    """How many processes that record has."""
    median: str = ""
    """The median over those processes with its unit; empty where there is no one number."""
    launches: int = 0
    """Launches under the profiler that a counter's band rests on."""
    program: str = ""
    """The program whose record it rests on; empty when none or several."""
    record: str = ""
    """The record's path from the root, without ``.json``; empty when none."""
    source: str = ""
    """A cited fact's source (text or URL)."""
    quote: str = ""


@dataclass(frozen=True)
class Verdict:
    """A claim judged: no finding means it agrees."""

    claim: Claim
    proof: Proof | None
    findings: tuple[Finding, ...] = field(default=())
    value: Value | None = None
    """What the claim cites came to; None for ``stated:`` and where it could not be had."""
    fault: Finding | None = None
    """What is at fault at the source, so that the claim could not be judged."""
