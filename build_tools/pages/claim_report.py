"""How do all claims of the course look, side by side? The tables of the report page.

Each page of the prose is scanned and judged once for a course that is read; a page that changed
meanwhile is judged anew.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup

from build_tools.claims.blank import blank_blocks
from build_tools.claims.check import judge_scan
from build_tools.claims.margin import find_margin
from build_tools.claims.memo import digest_text
from build_tools.claims.model import Course, Directive, PageScan, ProofKind, Verdict
from build_tools.claims.page_text import list_pages, read_page
from build_tools.claims.proof import list_numbers
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Finding, name_verdict, suggest_names
from build_tools.pages.claim import find_target, name_claim
from build_tools.pages.lookup import Absence
from build_tools.pages.template import fill_template
from build_tools.quantity.margin import Margin
from build_tools.quantity.value import Number, Several

KINDS = tuple(ProofKind)
NO_VALUE = "none"
"""In the place of a kind, for a claim whose expression has no value."""

_TITLE = re.compile(r"\A---[ \t]*\n(?:.*\n)*?title:[ \t]*(?P<title>.*?)[ \t]*\n(?:.*\n)*?---")
_HEADING = re.compile(r"^#[ \t]+(?P<title>.*?)[ \t#]*$", re.MULTILINE)
_ATTRIBUTES = re.compile(r"\{[:#.][^{}\n]*\}\s*$")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)")
_EXPLICIT_ID = re.compile(r"\{[^}\n]*#(?P<id>[\w-]+)[^}\n]*\}\s*#*\s*$")


@dataclass(frozen=True)
class ReportedClaim:
    """A claim as the report shows it; each text is ready to print, empty where there is none."""

    verdict: Verdict
    anchor: str
    """The id of the claim on its page, or of the heading that it stands in."""
    text: str
    """Without the marks of emphasis and code."""
    kind: str
    margin: Margin | None

    @property
    def holds(self) -> bool:
        return not self.verdict.findings

    @property
    def state(self) -> str:
        """``holds``, ``not checked`` for what is only stated, or the kinds of its findings."""
        if self.verdict.findings:
            return ", ".join(dict.fromkeys(map(name_verdict, self.verdict.findings)))
        return "not checked" if self.kind == ProofKind.STATED else "holds"


@dataclass(frozen=True)
class ReportedPage:
    """A page of the prose with its claims, in order."""

    path: str
    title: str
    claims: tuple[ReportedClaim, ...]
    unread: tuple[Finding, ...] = ()
    """Why the page cannot be read; then nobody knows of its claims."""

    @property
    def anchor(self) -> str:
        """The id of the page's part of the report: its path, what no id may hold left out."""
        plain = re.sub(r"[^\w./-]+", "-", self.path)
        digest = hashlib.sha256(self.path.encode("utf-8", "surrogateescape")).hexdigest()[:8]
        return f"page-{plain}" if plain == self.path else f"page-{plain}-{digest}"

    @property
    def counts(self) -> Counter[str]:
        """How many claims of each kind there are."""
        return Counter(claim.kind for claim in self.claims)

    @property
    def wrong(self) -> int:
        """How many claims do not hold, or could not be checked."""
        return sum(not claim.holds for claim in self.claims)

    @property
    def nearest(self) -> Fraction | None:
        """The smallest margin of the page, negative for a fall."""
        return find_nearest(claim.margin for claim in self.claims)

    @property
    def oldest(self) -> str:
        """The date of the oldest record that a claim of the page rests on."""
        return min(self.dates, default="")

    @property
    def dates(self) -> tuple[str, ...]:
        proofs = [claim.verdict.proof for claim in self.claims]
        return tuple(proof.date for proof in proofs if proof and proof.device and proof.date)


@dataclass(frozen=True)
class _Held:
    """What was made for the course that was reported last."""

    course: Course
    paths: tuple[str, ...]
    """Of its prose."""
    pages: dict[str, tuple[str, ReportedPage]]
    """By path, with the texts that they were judged by."""


_held: _Held | None = None


def _hold(course: Course) -> _Held:
    global _held  # noqa: PLW0603 - one course at a time is enough, and a course cannot be hashed
    if _held is None or _held.course is not course:
        _held = _Held(course, tuple(list_pages(course)), {})
    return _held


def report_page(course: Course, path: str) -> ReportedPage:
    """One page of the prose, by its path from the root."""
    held = _hold(course).pages
    text, findings = read_page(course.root, path)
    if text is None:
        return ReportedPage(path, path, (), tuple(findings))
    known = held.get(path)
    if known is not None and known[0] == text:
        return known[1]
    key = ("report", path, digest_text(text))
    kept = course.memo.recall(key)
    if isinstance(kept, ReportedPage):
        held[path] = (text, kept)
        return kept
    scan = scan_page(text, path)
    claims = tuple(_report_claim(course, scan, verdict) for verdict in judge_scan(course, scan))
    page = ReportedPage(path, find_title(text) or path, claims)
    held[path] = (text, page)
    if not page.wrong:
        course.memo.keep(key, page)
    return page


def report_pages(course: Course) -> list[ReportedPage]:
    """Every page that has a claim, or cannot be read."""
    pages = (report_page(course, path) for path in list_pages(course))
    return [page for page in pages if page.claims or page.unread]


def _report_claim(course: Course, scan: PageScan, verdict: Verdict) -> ReportedClaim:
    claim, proof = verdict.claim, verdict.proof
    anchor = name_claim(claim.number)
    if claim.in_heading:
        rest_of_line = scan.text[claim.end :].partition("\n")[0]
        found = _EXPLICIT_ID.search(rest_of_line)
        anchor = found["id"] if found else ""
    return ReportedClaim(
        verdict,
        anchor,
        fold_words(claim.text),
        proof.kind.value if proof else NO_VALUE,
        find_margin(course, verdict),
    )


def find_title(text: str) -> str:
    """A page's title: that of its front matter, or its first heading; empty when it has none."""
    stated = _TITLE.match(text)
    if stated and stated["title"]:
        return stated["title"].strip("\"'")
    heading = _HEADING.search(blank_blocks(text))
    if heading is None:
        return ""
    words = text[heading.start("title") : heading.end("title")]
    return fold_words(_LINK.sub(r"\1", _ATTRIBUTES.sub("", words)))


def fold_words(text: str) -> str:
    """Markdown's inline text as plain words: no marks of emphasis and code, one space for many."""
    return " ".join(re.sub(r"[*_`]", "", html.unescape(text)).split())


def find_nearest(margins: Iterable[Margin | None]) -> Fraction | None:
    """The smallest of several margins, negative for a fall; None where there is none."""
    known = [m.nearest for m in margins if m is not None and m.nearest is not None]
    return min(known, key=abs, default=None)


def format_share(share: Fraction | None) -> str:
    """``−0.8 %`` or ``+12 %``: two digits that count, from ten per cent on whole ones."""
    if not share:
        return "" if share is None else "0 %"
    percent = abs(float(share)) * 100
    digits = f"{percent:.0f}" if percent >= 9.95 else f"{percent:.2g}"
    return f"{'−' if share < 0 else '+'}{digits} %"


@dataclass(frozen=True)
class _Order:
    """By which numbers a claim's row is sorted, in base units; None where there is none."""

    value: float | None
    low: float | None
    """The lower end of the band."""
    margin: float | None
    """Whether for a rise or a fall."""


def _find_order(claim: ReportedClaim) -> _Order:
    value = claim.verdict.value
    first = next(iter(list_numbers(value)), None) if value is not None else None
    shown = first if isinstance(value, Number | Several) else None
    band = first.band if first is not None else None
    nearest = claim.margin.nearest if claim.margin else None
    return _Order(
        float(shown.shown) if shown is not None else None,
        float(band.low) if band is not None else None,
        abs(float(nearest)) if nearest is not None else None,
    )


def render_claims(course: Course, directive: Directive, identity: str) -> Markup | Absence:
    """The claims of the page that ``directive`` names, one a row."""
    paths = _hold(course).paths
    if directive.argument not in paths:
        advice = suggest_names(directive.argument, paths)
        return Absence(f"the prose has no page `{directive.argument}`", advice)
    page = report_page(course, directive.argument)
    if page.unread or page.wrong:
        return _fill_claims(course, directive, identity, page)
    # Unlike what else is told of pages it follows from one page, whose text is known here.
    text, _ = _hold(course).pages[directive.argument]
    key = ("claims", directive.argument, directive.number, identity, digest_text(text))
    known = course.memo.recall(key)
    if isinstance(known, str):
        return Markup(known)  # noqa: S704 - a template's, kept below
    filled = _fill_claims(course, directive, identity, page)
    course.memo.keep(key, str(filled))
    return filled


def _fill_claims(course: Course, directive: Directive, identity: str, page: ReportedPage) -> Markup:
    rows = [
        (
            claim,
            claim.verdict.proof,
            find_target(course, claim.verdict),
            format_share(claim.margin.nearest) if claim.margin else "",
            _find_order(claim),
        )
        for claim in page.claims
    ]
    return fill_template("claims", directive=directive, identity=identity, page=page, rows=rows)


def render_summary(course: Course, directive: Directive, identity: str) -> Markup:
    """How many claims there are of each kind, on which pages, and how near they are to falling."""
    pages = report_pages(course)
    total = ReportedPage("", "", tuple(claim for page in pages for claim in page.claims))
    return fill_template(
        "claims-summary",
        directive=directive,
        identity=identity,
        pages=pages,
        total=total,
        kinds=[*(kind.value for kind in KINDS), NO_VALUE] if total.counts[NO_VALUE] else KINDS,
        wrong=total.wrong,
        unread=sum(bool(page.unread) for page in pages),
        newest=max(total.dates, default=""),
        format_share=format_share,
    )
