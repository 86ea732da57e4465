"""What is the page that is being converted? Its scan, its verdicts, and what was rendered of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from build_tools.claims.blank import find_front_matter
from build_tools.claims.check import judge_scan
from build_tools.claims.memo import OF_ALL_PAGES, OF_PAGES, digest_text
from build_tools.claims.model import Course, Directive, PageScan, Verdict
from build_tools.claims.page_text import digest_prose
from build_tools.claims.scan import scan_page
from build_tools.pages.chart import render_chart
from build_tools.pages.claim import find_target, render_proof
from build_tools.pages.claim_report import render_claims, render_summary
from build_tools.pages.comparison import render_comparison
from build_tools.pages.counters import render_counters
from build_tools.pages.device import render_device
from build_tools.pages.exercise import render_exercise
from build_tools.pages.listing import render_listing
from build_tools.pages.lookup import Absence
from build_tools.pages.numbering import Numbering
from build_tools.pages.program import render_program, render_source
from build_tools.pages.quantities import render_quantities
from build_tools.pages.record import render_record
from build_tools.pages.snippet import render_snippet
from build_tools.pages.state import render_foot, render_state
from build_tools.pages.table import render_table
from build_tools.pages.template import fill_template
from build_tools.pages.transcript import render_transcript

RENDERERS: Mapping[str, Callable[[Course, Directive, str], Markup | Absence]] = {
    "snippet": render_snippet,
    "exercise": render_exercise,
    "table": render_table,
    "transcript": render_transcript,
    "program": render_program,
    "program-entry": render_program,
    "program-head": render_program,
    "program-source": render_source,
    "program-quantities": render_quantities,
    "record": render_record,
    "comparison": render_comparison,
    "counters": render_counters,
    "listing": render_listing,
    "chart": render_chart,
    "state": render_state,
    "device": render_device,
    "claims": render_claims,
    "claims-summary": render_summary,
}
"""One for each directive that the scanner accepts: it decides which those are."""

_NUMBER = re.compile(r'\sdata-course-(claim|directive)="([0-9]+)"')


@dataclass(frozen=True)
class Rendered:
    """What came out of a conversion; the extension leaves it as ``md.course_rendered``."""

    scan: PageScan
    claims: tuple[int, ...]
    """Numbers of the claims on the page, in its order; each of the scan's should be there once."""
    directives: tuple[int, ...]

    @property
    def is_whole(self) -> bool:
        """Whether each claim and directive came out exactly once, in the order of the source."""
        return self.claims == tuple(c.number for c in self.scan.claims) and (
            self.directives == tuple(d.number for d in self.scan.directives)
        )


class Conversion:
    """One page on its way from Markdown to HTML."""

    def __init__(self, course: Course, text: str, path: str) -> None:
        self.course = course
        # What only generated pages may embed is admitted here on any page: that an author
        # may not write it is for the claims stage to say.
        self.scan = scan_page(text, path, generated=True)
        self.numbering = Numbering(self.scan)
        self._directives = {directive.number: directive for directive in self.scan.directives}
        self._identities: dict[str, int] = {}
        if self.scan.findings:
            course.memo.refuse()

    @cached_property
    def verdicts(self) -> Mapping[int, Verdict]:
        """The verdict on each claim, by its number."""
        verdicts = judge_scan(self.course, self.scan)
        if any(verdict.findings or verdict.fault is not None for verdict in verdicts):
            self.course.memo.refuse()
        return {verdict.claim.number: verdict for verdict in verdicts}

    def render_directive(self, number: int) -> Markup:
        """The HTML of a directive; a box that says what is missing where it cannot be shown."""
        directive = self._directives[number]
        identity = self._take_identity(directive)
        options = tuple(sorted(directive.options.items()))
        shown = ""
        if directive.name in OF_PAGES:
            page = "" if directive.name == OF_ALL_PAGES else directive.argument
            shown = digest_prose(self.course, page)
        key = ("directive", directive.name, directive.argument, options, number, identity, shown)
        if shown:
            self.course.memo.refuse()
        known = self.course.memo.recall(key)
        if isinstance(known, str):
            return Markup(known)  # noqa: S704 - a template's, kept below
        rendered = RENDERERS[directive.name](self.course, directive, identity)
        if isinstance(rendered, Absence):
            self.course.memo.refuse()
            return fill_template("missing", directive=directive, absence=rendered)
        self.course.memo.keep(key, str(rendered))
        return rendered

    @cached_property
    def _prose(self) -> str:
        """What stands for the page's text without its front matter, which MkDocs keeps back."""
        front = find_front_matter(self.scan.text)
        return digest_text(self.scan.text[front[1] if front else 0 :].strip())

    def tell_behind(self, number: int) -> tuple[str, str]:
        """Where the link of a claim leads, and the HTML of its proof."""
        verdict = self.verdicts[number]
        claim = verdict.claim
        key = ("proof", self._prose, number, claim.kind, claim.text, claim.target)
        known = self.course.memo.recall(key)
        if isinstance(known, tuple):
            return known
        proof = render_proof(self.course, verdict, number)
        told = find_target(self.course, verdict), str(proof)
        if not verdict.findings and verdict.fault is None:
            self.course.memo.keep(key, told)
        return told

    def render_foot(self) -> Markup:
        """The HTML at the foot of the page: how its claims stand; empty where it has none."""
        return render_foot(self.course, self.scan, list(self.verdicts.values()))

    def _take_identity(self, directive: Directive) -> str:
        """An id that no other directive of the page has."""
        words = re.findall(r"[A-Za-z0-9_.]+", directive.argument)
        base = "-".join([directive.name, *words])
        count = self._identities[base] = self._identities.get(base, 0) + 1
        return base if count == 1 else f"{base}--{count}"

    def count_rendered(self, html: str) -> Rendered:
        """Which claims and directives ``html`` holds."""
        found: dict[str, list[int]] = {"claim": [], "directive": []}
        for match in _NUMBER.finditer(html):
            found[match[1]].append(int(match[2]))
        return Rendered(self.scan, tuple(found["claim"]), tuple(found["directive"]))
