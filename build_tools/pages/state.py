"""How does a page stand: how many claims of which kind, whether they hold, since when and on what?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from markupsafe import Markup

from build_tools.claims.check import judge_scan
from build_tools.claims.model import Course, Directive, PageScan, ProofKind, Verdict
from build_tools.claims.page_text import list_pages, read_page
from build_tools.claims.scan import scan_page
from build_tools.claims.survey import list_origins
from build_tools.diagnostics.finding import Kind, suggest_names
from build_tools.evidence.loaded import LoadedRecord
from build_tools.pages.lookup import Absence, list_known_records
from build_tools.pages.template import fill_template

WRONG = ("false", "stale", "not recorded", "unchecked")
"""What can be said of a claim that does not agree: its text is false, what it rests on is stale or
was never recorded, or nobody could check it."""


@dataclass(frozen=True)
class Ground:
    """A device and its software, with the records of it that claims of the page rest on."""

    device: str
    driver: str
    cuda: str
    records: tuple[LoadedRecord, ...]
    """Oldest first."""

    @property
    def dates(self) -> list[str]:
        """The first and the last day, once where they are the same."""
        days = sorted({record.record.started[:10] for record in self.records})
        return days if len(days) < 2 else [days[0], days[-1]]

    @property
    def newest(self) -> list[LoadedRecord]:
        """The newest record of each program: the one that has a page."""
        return list({record.record.program: record for record in self.records}.values())


@dataclass(frozen=True)
class State:
    """What can be said of a page as a whole. Nothing of it is good unless it was looked at."""

    counts: Counter[str]
    """Claims by the kind of what stands behind them; ``none`` for those without a value."""
    wrong: Counter[str] = field(default_factory=Counter)
    """Claims by what is wrong with them, one of ``WRONG``."""
    unverified: tuple[tuple[str, str], ...] = ()
    """Programs that the page shows and no fresh record verifies: ``stale``, or ``not recorded``."""
    grounds: tuple[Ground, ...] = ()
    unread: str = ""
    """Why the page cannot be read."""

    @property
    def total(self) -> int:
        return self.counts.total()

    @property
    def bound(self) -> int:
        """Claims that hang on something."""
        return self.total - self.counts[ProofKind.STATED]

    @property
    def is_wrong(self) -> bool:
        return bool(self.wrong.total() or self.unverified or self.unread)

    @property
    def is_verified(self) -> bool:
        """Whether all holds, and something was measured that it holds against."""
        return not self.is_wrong and bool(self.grounds)


def compose_state(course: Course, scan: PageScan, verdicts: Sequence[Verdict]) -> State:
    """How the page of ``scan`` stands by the verdicts on its claims."""
    counts = Counter(v.proof.kind.value if v.proof else "none" for v in verdicts)
    wrong = Counter(name_wrong(v) for v in verdicts if v.findings or v.fault is not None)
    origins = {origin for verdict in verdicts for origin in list_origins(verdict)}
    return State(
        counts,
        wrong,
        tuple(sorted(set(_list_unverified(course, scan)))),
        tuple(_list_grounds(course, origins)),
    )


def name_wrong(verdict: Verdict) -> str:
    """Which of ``WRONG`` is said of a claim that does not agree."""
    kinds = {finding.kind for finding in verdict.findings}
    if kinds & {Kind.STALE, Kind.MISSING}:
        return "stale" if Kind.STALE in kinds else "not recorded"
    checked = all(finding.checked for finding in verdict.findings) and verdict.fault is None
    return "false" if checked else "unchecked"


def _list_unverified(course: Course, scan: PageScan) -> Iterator[tuple[str, str]]:
    for directive in scan.directives:
        name = directive.argument.partition("#")[0]
        shelf = course.shelves.get(name)
        if name in course.programs and (shelf is None or shelf.shown_record is None):
            yield name, "stale" if shelf is not None and shelf.records else "not recorded"


def _list_grounds(course: Course, origins: set[str]) -> list[Ground]:
    """The reference device first, then by name."""
    grouped: dict[tuple[str, str, str], list[LoadedRecord]] = {}
    for record in list_known_records(course):
        if record.path in origins:
            held = record.record
            key = (held.device.model, held.device.driver, held.build.cuda)
            grouped.setdefault(key, []).append(record)
    reference = course.settings.reference_gpu
    return [
        Ground(*key, tuple(sorted(grouped[key], key=lambda r: (r.record.started, r.path))))
        for key in sorted(grouped, key=lambda key: (key[0] != reference, key))
    ]


def render_foot(course: Course, scan: PageScan, verdicts: Sequence[Verdict]) -> Markup:
    """What stands at the foot of a page with claims; nothing on one without."""
    if not verdicts:
        return Markup()
    return fill_template("foot", state=compose_state(course, scan, verdicts))


def render_state(course: Course, directive: Directive, identity: str) -> Markup | Absence:
    """In one line how the page that ``directive`` names stands."""
    known = list_pages(course)
    if directive.argument not in known:
        advice = suggest_names(directive.argument, known)
        return Absence(f"the prose has no page `{directive.argument}`", advice)
    return fill_template(
        "state",
        directive=directive,
        identity=identity,
        state=read_state(course, directive.argument),
        reference=course.settings.reference_gpu,
    )


def read_state(course: Course, path: str) -> State:
    """How a page of the prose stands, by its path from the root."""
    text, findings = read_page(course.root, path)
    if text is None:
        return State(Counter(), unread="; ".join(finding.true for finding in findings))
    scan = scan_page(text, path)
    state = compose_state(course, scan, judge_scan(course, scan))
    # A claim or block that is not read is one that nobody checked.
    return replace(state, wrong=state.wrong + Counter(unchecked=len(scan.findings)))
