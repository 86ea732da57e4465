"""What does the course keep that no page uses? Regions, exercises, quantities and cited facts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from build_tools.claims.chart_options import list_expressions
from build_tools.claims.directives import list_used_regions
from build_tools.claims.exercises import check_unused_exercises
from build_tools.claims.faults import has_broken_regions
from build_tools.claims.model import Course, PageScan
from build_tools.diagnostics.finding import Finding, Kind

_BLOCK = re.compile(r"^[ \t>]*/{3,}[^|\n]*\|[ \t]*(\S+)", re.MULTILINE)


def check_unused(course: Course, scans: Iterable[PageScan]) -> list[Finding]:
    """Regions and exercises that no page shows, and facts and quantities that nothing cites.

    What a page names in a block or a link that is not written as it must be is used all the
    same: the block or the link is what is wrong.
    """
    scans = list(scans)
    return [
        *_check_regions(course, scans),
        *check_unused_exercises(course, scans),
        *_check_cited(course, scans),
    ]


def _check_regions(course: Course, scans: Sequence[PageScan]) -> list[Finding]:
    broken = [name for scan in scans if scan.findings for name in _BLOCK.findall(scan.text)]
    used = list_used_regions(course, scans, broken)
    return [
        Finding(
            Kind.UNUSED,
            region.place,
            f"region `{region.name}`",
            "no page shows it",
            f"show it with `/// snippet | {region.reference}`, or remove its markers",
        )
        for program in course.programs.values()
        if not has_broken_regions(course, program)
        for region in program.regions.values()
        if region.reference not in used
    ]


def _check_cited(course: Course, scans: Sequence[PageScan]) -> list[Finding]:
    if any(finding.kind is Kind.DECLARATION for finding in course.findings):
        return []  # A quantity that was left out may cite what seems unused.
    cited = " ".join(claim.target for scan in scans for claim in scan.claims)
    blocks = (block for scan in scans for block in (*scan.directives, *scan.rejected))
    cited = " ".join([cited, *(text for block in blocks for text in list_expressions(block))])
    rules = [r for p in course.programs.values() for r in p.declaration.quantities.values()]
    cited = " ".join([cited, *(rule.expression for rule in (*rules, *course.quantities.values()))])
    sanity = (f for p in course.programs.values() for f in p.declaration.parts.formulas)
    cited = " ".join([cited, *sanity])
    cited = " ".join([cited, *(scan.text for scan in scans if scan.findings)])
    findings = [
        Finding(
            Kind.UNUSED,
            rule.place,
            f"quantity `{rule.name}`",
            "no page and no other quantity uses it",
            f"cite it with `claim:{rule.name}`, or remove it",
        )
        for rule in course.quantities.values()
        if not re.search(rf"\b{rule.name}\b", cited)
    ]
    findings += [
        Finding(
            Kind.UNUSED,
            fact.place,
            f"fact `{fact.key}`",
            "no page cites it",
            f"cite it with `given:{fact.key}`, or remove it",
        )
        for fact in course.facts.values()
        if fact.key not in cited
    ]
    return findings
