"""What do all pages claim, and how was each claim judged?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from build_tools.claims.check import judge_scan
from build_tools.claims.model import Course, PageScan, Verdict
from build_tools.claims.page_text import list_pages, read_page
from build_tools.claims.proof import list_numbers
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Finding


@dataclass(frozen=True)
class Surveyed:
    """A page scanned, and the verdict on each of its claims, in order."""

    scan: PageScan
    verdicts: tuple[Verdict, ...]


def survey_pages(
    course: Course, paths: Sequence[str] | None = None
) -> tuple[tuple[Surveyed, ...], list[Finding]]:
    """Every page that can be read, or those named, and why others cannot be."""
    surveyed = []
    findings: list[Finding] = []
    for path in list_pages(course) if paths is None else paths:
        text, wrong = read_page(course.root, path)
        findings += wrong
        if text is not None:
            scan = scan_page(text, path)
            surveyed.append(Surveyed(scan, tuple(judge_scan(course, scan))))
    return tuple(surveyed), findings


def list_verdicts(pages: Sequence[Surveyed]) -> Iterator[Verdict]:
    """The verdicts on all pages' claims."""
    for page in pages:
        yield from page.verdicts


def list_origins(verdict: Verdict) -> frozenset[str]:
    """The records and parts that a claim's value was read from, by the paths of their JSON."""
    if verdict.value is None:
        return frozenset()
    origins = {
        origin.partition("#")[0]  # of a part, its session follows
        for number in list_numbers(verdict.value)
        for series in number.series
        for origin in series.origins
    }
    if not origins and verdict.proof is not None and verdict.proof.record:
        origins = {f"{verdict.proof.record}.json"}  # what the record says of the device
    return frozenset(origins)
