"""What is there to review on the course's pages, and how does each page read now?

Each page's bytes are read once: what is shown, judged and patched later is that same text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from build_tools.claims.check import check_scan, judge_scan
from build_tools.claims.mend import Mend
from build_tools.claims.model import Course, PageScan, Verdict
from build_tools.claims.page_text import decode_page, list_pages, read_page_bytes
from build_tools.claims.rests import RestIndex, index_rests
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Finding, sort_findings


@dataclass(frozen=True)
class Item:
    """One finding of a page, and the claim it is of, when it is of one."""

    finding: Finding
    verdict: Verdict | None = None

    @property
    def mend(self) -> Mend | None:
        """The finding's own patch as a change of its claim."""
        if self.finding.patch is None or self.verdict is None:
            return None
        return Mend(self.finding.patch, self.verdict.claim.number)


@dataclass(frozen=True)
class ReadPage:
    """A page as it was read: its bytes, what stands in it, and what is wrong."""

    path: str
    data: bytes
    scan: PageScan
    verdicts: tuple[Verdict, ...]
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Reading:
    """The pages of a course as they were read for one review."""

    course: Course
    pages: Mapping[str, ReadPage]
    """All pages, since a measurement may be cited on any."""
    reviewed: tuple[ReadPage, ...]
    """Those that were asked for."""
    unread: tuple[Finding, ...]
    """Pages that could not be read."""
    rests: RestIndex

    @property
    def items(self) -> list[Item]:
        return [item for page in self.reviewed for item in page.items]


def read_course_pages(course: Course, paths: Sequence[str] = ()) -> Reading:
    """Read and judge every page of the course; ``paths`` are those to review, or all."""
    pages: dict[str, ReadPage] = {}
    unread: list[Finding] = []
    for path in dict.fromkeys((*list_pages(course), *paths)):
        page, findings = read_judged(course, path)
        if page is not None:
            pages[path] = page
        elif not paths or path in paths:
            unread += findings
    reviewed = tuple(pages[path] for path in paths or pages if path in pages)
    claims = [(path, page.scan.claims) for path, page in pages.items()]
    return Reading(course, pages, reviewed, tuple(unread), index_rests(course, claims))


def read_judged(course: Course, path: str) -> tuple[ReadPage | None, list[Finding]]:
    """One page read from its file and judged; None with findings when it cannot be read."""
    data, findings = read_page_bytes(course.root, path)
    if data is None:
        return None, findings
    text, findings = decode_page(data, path)
    if text is None:
        return None, findings
    scan = scan_page(text, path)
    verdicts = tuple(judge_scan(course, scan))
    of_claim = {finding: verdict for verdict in verdicts for finding in verdict.findings}
    found = sort_findings(check_scan(course, scan))
    items = tuple(Item(finding, of_claim.get(finding)) for finding in found)
    return ReadPage(path, data, scan, verdicts, items), []
