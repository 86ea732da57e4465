"""What is a finding, and what do all findings together come to?

A check ends in *agrees* (no finding), in a finding, or in a finding that says the check could
not be made. All are collected; nothing here raises.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

SHOWN_CANDIDATES = 4
"""How many expressions are offered for an unbound number."""


class Kind(StrEnum):
    """The closed list of finding kinds, by the stage that finds them."""

    # source
    PROGRAM = "program"
    ENCODING = "encoding"
    MARKER = "marker"
    REGION = "region"
    EXERCISE = "exercise"
    HEADER = "header"
    DECLARATION = "declaration"
    SETTINGS = "settings"
    BOILERPLATE = "boilerplate"
    FACT = "fact"
    UNUSED = "unused"
    # evidence
    RECORD = "record"
    TRANSCRIPT = "transcript"
    STAMP = "stamp"
    STALE = "stale"
    MISSING = "missing"
    ORPHAN = "orphan"
    # measure
    BUILD = "build"
    RUN = "run"
    DEVICE = "device"
    CHECK = "check"
    # claims
    DIRECTIVE = "directive"
    LINK = "link"
    EXPRESSION = "expression"
    UNREADABLE = "unreadable"
    UNIT = "unit"
    TYPE = "type"
    DRIFT = "drift"
    OVER_PRECISE = "over-precise"
    LOOSE = "loose"
    AMBIGUOUS = "ambiguous"
    FALSE = "false"
    HEDGE = "hedge"
    SANITY = "sanity"
    UNBOUND = "unbound"
    # site
    PAGE = "page"


@dataclass(frozen=True, order=True)
class Place:
    """Where something stands: a path from the project's root, line and column counted from 1."""

    path: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Basis:
    """What the true value of a finding rests on; each text is empty where there is none."""

    value: str = ""
    """The value with its unit, ``1.4987``."""
    band: str = ""
    """The band of the newest pool, ``1.486 to 1.502``."""
    gpu: str = ""
    """The device's model, ``NVIDIA H200``."""
    record: str = ""
    """The record's path from the root, with ``.json``."""


@dataclass(frozen=True)
class Patch:
    """Characters of one line, and those that would make the place true."""

    place: Place
    """Where ``old`` begins."""
    old: str
    new: str


@dataclass(frozen=True)
class Finding:
    """A checked disagreement, or a check that could not be made.

    ``stated`` is what the place says, ``true`` what was found instead, ``advice`` what to do;
    each is one sentence or phrase without a final stop. ``checked`` is false when the check
    could not be made: such a finding is never read as green.
    """

    kind: Kind
    place: Place
    stated: str
    true: str
    advice: str
    checked: bool = True
    length: int = 0
    """How many characters from the place on the finding speaks of; 0 where that is not known."""
    basis: Basis | None = None
    """What the true value rests on, for a claim that has one."""
    patch: Patch | None = None
    """The nearest literal in the author's own style that would be true, where there is one."""
    candidates: tuple[str, ...] = ()
    """Expressions whose value would fit an unbound number, best first."""

    def __str__(self) -> str:
        return format_finding(self)


def speaks_of_file(finding: Finding) -> bool:
    """Whether a finding speaks of its file as a whole: at line 1, column 1, without a length."""
    return (finding.place.line, finding.place.column, finding.length) == (1, 1, 0)


def name_verdict(finding: Finding) -> str:
    """``drift``, or ``drift: could not check``."""
    return finding.kind.value if finding.checked else f"{finding.kind.value}: could not check"


def list_statements(finding: Finding) -> list[tuple[str, str]]:
    """What a finding says, each a label and a text: the same in every place where it is told."""
    said = [("stated", finding.stated), ("true", finding.true)]
    basis = finding.basis
    if basis is not None:
        value = "" if _holds(finding.true, basis.value) else basis.value
        band = "" if _holds(finding.true, basis.band) else f"band {basis.band}"
        said.append(("value", ", ".join(part for part in (value, band) if part)))
        said.append(("from", ", ".join(part for part in (basis.gpu, basis.record) if part)))
    if finding.patch is not None:
        # A patch may reach over a link's brackets, to move a word in or out.
        new = finding.patch.new.removeprefix("[").partition("](")[0]
        said.append(("nearest", f"`{new}`" if new else "nothing"))
    if finding.candidates:
        more = len(finding.candidates) - SHOWN_CANDIDATES
        named = [f"`{text}`" for text in finding.candidates[:SHOWN_CANDIDATES]]
        said.append(("could be", ", ".join(named) + (f" and {more} more" if more > 0 else "")))
    said.append(("do", finding.advice))
    return [(label, text) for label, text in said if text]


def _holds(text: str, part: str) -> bool:
    """Whether a text says ``part`` already: as a word or a number of its own."""
    return not part or re.search(rf"(?<![\w.]){re.escape(part)}(?![\w.])", text) is not None


def format_finding(finding: Finding) -> str:
    """One finding without its line of source: place and kind, and under them what it says."""
    lines = [f"{finding.place}: {name_verdict(finding)}"]
    lines += [f"    {label + ':':<9} {text}" for label, text in list_statements(finding)]
    return "\n".join(lines)


_STEPS: tuple[frozenset[Kind], ...] = (
    frozenset({Kind.SETTINGS}),
    frozenset(
        {
            Kind.PROGRAM,
            Kind.ENCODING,
            Kind.MARKER,
            Kind.REGION,
            Kind.HEADER,
            Kind.DECLARATION,
            Kind.BOILERPLATE,
            Kind.FACT,
            Kind.EXPRESSION,
        }
    ),
    frozenset({Kind.RECORD, Kind.TRANSCRIPT}),
)
"""Kinds of what other findings may follow from, in the order in which the course is read."""


def sort_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Findings without repeats: causes before what may follow from them, each by place."""
    unique = dict.fromkeys(findings)
    return sorted(unique, key=_order)


def _order(finding: Finding) -> tuple[int, Place, bool, str, str]:
    """Settings, sources, evidence, pages; at one place what was checked comes first."""
    kind, place = finding.kind, finding.place
    step = next((i for i, kinds in enumerate(_STEPS) if kind in kinds), len(_STEPS))
    in_prose = place.path.endswith(".md") and not place.path.startswith("snippets/")
    if kind is Kind.UNUSED:
        step = len(_STEPS) + 2
    elif in_prose or (kind is Kind.PAGE and not place.path.endswith(".toml")):
        step = len(_STEPS) + 1
    return step, place, not finding.checked, kind.value, finding.stated


def count_noun(number: int, noun: str) -> str:
    """``1 page``, ``2 pages``."""
    return f"{number} {noun}{'s' * (number != 1)}"


def summarize_findings(findings: Iterable[Finding]) -> str:
    """The closing line: how many findings, and how many checks could not be made."""
    listed = list(findings)
    unchecked = sum(not finding.checked for finding in listed)
    disagreeing = len(listed) - unchecked
    parts = []
    if disagreeing:
        parts.append(f"{disagreeing} finding{'s' if disagreeing != 1 else ''}")
    if unchecked:
        parts.append(f"{unchecked} check{'s' if unchecked != 1 else ''} could not be made")
    return ", ".join(parts) if parts else "no findings"


def compute_exit_status(findings: Iterable[Finding]) -> int:
    """2 if anything could not be checked, else 1 if there are findings, else 0."""
    status = 0
    for finding in findings:
        status = max(status, 1 if finding.checked else 2)
    return status


def suggest_names(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """``did you mean `a` or `b`?`` for near matches, else the known names, else nothing known.

    ``likeness``, from 0 to 1, is what makes a match a near one.
    """
    names = sorted(set(known))
    near = difflib.get_close_matches(name, names, n=3, cutoff=likeness)
    if near:
        return "did you mean " + " or ".join(f"`{n}`" for n in near) + "?"
    if names:
        listed = ", ".join(f"`{n}`" for n in names[:12])
        return f"known: {listed}" + (", …" if len(names) > 12 else "")
    return "none is defined"
