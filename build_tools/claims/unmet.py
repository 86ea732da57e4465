"""Would a record of the processes so far bear what the pages say, digit by digit?

While a campaign goes on it asks which claims need more processes: those whose digits the spread
does not support, and comparisons that are neither true nor false yet. What is false, or out of
date, is for the author: more processes would not help.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from build_tools.claims.judge_page import judge_claim
from build_tools.claims.model import Claim, Course, PageScan
from build_tools.claims.page_text import list_pages, read_page
from build_tools.claims.rests import list_rests
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.loaded import LoadedRecord

_HELPED = (Kind.OVER_PRECISE, Kind.AMBIGUOUS)
"""Kinds of findings that a narrower band mends."""


def find_unmet(course: Course, program: str, record: LoadedRecord) -> Sequence[str]:
    """What pages say that this record of the program alone would not bear yet, with its place.

    ``course`` is what there was before; the record is judged as if it were the program's only one.
    """
    shelf = course.shelves[program]
    shelves = {**course.shelves, program: replace(shelf, records=(record,))}
    alone = replace(course, shelves=shelves)
    found: list[Finding] = []
    for scan in _list_resting(course, program):
        verdicts = [judge_claim(alone, claim) for claim in scan.claims]
        found += [f for v in verdicts for f in v.findings if f.kind in _HELPED]
    return [f"{finding.place}: {finding.stated}: {finding.true}" for finding in found]


def _list_resting(course: Course, program: str) -> Sequence[PageScan]:
    """The pages' scans, each with only those claims that rest on the program's measurements."""
    scans = []
    for path in list_pages(course):
        text, _ = read_page(course.root, path)
        scan = scan_page(text, path) if text is not None else None
        if scan is None:
            continue
        claims = tuple(c for c in scan.claims if _rests_on(course, c, program))
        if claims:
            scans.append(replace(scan, claims=claims))
    return scans


def _rests_on(course: Course, claim: Claim, program: str) -> bool:
    """Whether runs of the program on the reference device can change what a claim is bound to."""
    return any(
        rest.program == program and not rest.name.startswith(("on.", "records."))
        for rest in list_rests(course, claim)
    )
