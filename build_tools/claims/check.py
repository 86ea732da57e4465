"""Is what the course says true? All findings of source, evidence and pages together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from build_tools.claims.candidates import compose_suggest
from build_tools.claims.directives import check_directive, list_used_regions
from build_tools.claims.drafts import check_links_to_drafts, scan_drafts
from build_tools.claims.judge_page import judge_claim
from build_tools.claims.model import Claim, Course, PageScan, Verdict
from build_tools.claims.names import NoEvidenceError
from build_tools.claims.number_rules import (
    check_page_rules,
    check_pattern_names,
    choose_patterns,
    choose_policy,
)
from build_tools.claims.page_text import list_pages, read_page
from build_tools.claims.sanity import check_sanity
from build_tools.claims.scan import scan_page
from build_tools.claims.scope import CourseScope, ProgramScope, QuantityError
from build_tools.claims.unbound import find_unbound
from build_tools.diagnostics.finding import Finding, Kind, Place, sort_findings
from build_tools.source.model import Program


def judge_scan(course: Course, scan: PageScan) -> list[Verdict]:
    """The verdict on each of a page's claims, in order."""
    verdicts = []
    for claim in scan.claims:
        # A hedge may end the line before; a paragraph ends its reach.
        before = scan.text[max(0, claim.start - 80) : claim.start].rpartition("\n\n")[2]
        verdicts.append(judge_claim(course, claim, before))
    return verdicts


def check_scan(course: Course, scan: PageScan) -> list[Finding]:
    """The findings of one scanned page: of its form, directives, claims and unbound numbers."""
    findings = list(scan.findings)
    for directive in (*scan.directives, *scan.rejected):
        findings += check_directive(course, directive)
    verdicts = judge_scan(course, scan)
    findings += _fold_missing(verdict for verdict in verdicts)
    findings += check_page_rules(course, scan)
    policy = choose_policy(course.settings, scan.options)
    patterns = choose_patterns(course.settings, scan.options)
    findings += find_unbound(scan, policy, patterns, compose_suggest(course, scan))
    return findings


def _fold_missing(verdicts: Iterable[Verdict]) -> list[Finding]:
    """The verdicts' findings, those of a program without evidence told once a page."""
    findings: list[Finding] = []
    waiting: dict[tuple[Kind, str, str], list[Claim]] = {}
    for verdict in verdicts:
        for finding in verdict.findings:
            if finding.kind in (Kind.STALE, Kind.MISSING):
                key = (finding.kind, finding.true, finding.advice)
                waiting.setdefault(key, []).append(verdict.claim)
            else:
                findings.append(finding)
    for (kind, true, advice), claims in waiting.items():
        more = len(claims) - 1
        stated = f"`{claims[0].text}`" + (
            f" and {more} more claim{'s' * (more > 1)} of this page" if more else ""
        )
        findings.append(Finding(kind, claims[0].place, stated, true, advice))
    return findings


def check_page(course: Course, path: str) -> tuple[PageScan | None, list[Finding]]:
    """Scan and check one page, by its path from the root."""
    text, findings = read_page(course.root, path)
    if text is None:
        return None, findings
    scan = scan_page(text, path)
    return scan, findings + check_scan(course, scan)


def check_quantities(course: Course) -> list[Finding]:
    """Every named quantity evaluated, whether a page uses it or not."""
    findings: dict[object, Finding] = {}
    for program in course.programs.values():
        for rule in program.declaration.quantities.values():
            try:
                ProgramScope(course, program).evaluate_quantity(rule)
            except NoEvidenceError:
                continue  # The program's own finding says so.
            except QuantityError as error:
                findings.setdefault(error.circle or error.rule.place, _report_quantity(error))
    for name in course.quantities:
        try:
            CourseScope(course).get_attribute(name)
        except NoEvidenceError:
            continue
        except QuantityError as error:
            findings.setdefault(error.circle or error.rule.place, _report_quantity(error))
    return list(findings.values())


def _report_quantity(error: QuantityError) -> Finding:
    """One finding at the quantity that is at fault, however many rest on it."""
    rule = error.rule
    if error.column < 0:
        return Finding(
            Kind.EXPRESSION,
            rule.unit_place,
            f'`unit = "{rule.unit}"` of `{rule.name}`',
            str(error),
            error.advice,
            length=len(rule.unit) + 2,
        )
    place = replace(rule.origin, column=rule.origin.column + error.column)
    return Finding(
        Kind.EXPRESSION,
        place,
        f"`{rule.name} = {rule.expression}`",
        str(error),
        error.advice,
        length=max(1, len(rule.expression) - error.column),
    )


def check_course(course: Course, paths: Sequence[str] | None = None) -> list[Finding]:
    """All findings, sorted by place.

    ``paths`` limits the pages; unused regions and facts are told when all pages are checked.
    Drafts count where they are not left out; see ``drafts.leave_out_drafts``.
    """
    findings = list(course.findings)
    findings += check_pattern_names(course)
    findings += check_quantities(course)
    findings += check_sanity(course)
    scans = []
    pages = list_pages(course) if paths is None else list(paths)
    for path in pages:
        scan, found = check_page(course, path)
        findings += found
        if scan is not None:
            findings += check_links_to_drafts(course, scan)
            scans.append(scan)
    if paths is None:
        if not pages and not course.left_out:
            findings.append(
                Finding(
                    Kind.PAGE,
                    Place("course.toml"),
                    "prose = " + ", ".join(f'"{p}"' for p in course.settings.prose),
                    "no page matches",
                    "name the Markdown files whose prose is checked",
                )
            )
        findings += check_unused(course, [*scans, *scan_drafts(course)])
    return sort_findings(findings)


def list_formulas(program: Program) -> tuple[str, ...]:
    """The expressions of what a program says must be possible."""
    return program.declaration.parts.formulas


def check_unused(course: Course, scans: Iterable[PageScan]) -> list[Finding]:
    """Regions that no page shows and facts that no claim cites."""
    scans = list(scans)
    used = list_used_regions(course, scans)
    findings = []
    for program in course.programs.values():
        for region in program.regions.values():
            if region.reference not in used:
                findings.append(
                    Finding(
                        Kind.UNUSED,
                        region.place,
                        f"region `{region.name}`",
                        "no page shows it",
                        f"show it with `/// snippet | {region.reference}`, or remove its markers",
                    )
                )
    cited = " ".join(claim.target for scan in scans for claim in scan.claims)
    rules = [r for p in course.programs.values() for r in p.declaration.quantities.values()]
    cited = " ".join([cited, *(rule.expression for rule in (*rules, *course.quantities.values()))])
    cited = " ".join([cited, *(f for p in course.programs.values() for f in list_formulas(p))])
    for rule in course.quantities.values():
        if not re.search(rf"\b{rule.name}\b", cited):
            findings.append(
                Finding(
                    Kind.UNUSED,
                    rule.place,
                    f"quantity `{rule.name}`",
                    "no page and no other quantity uses it",
                    f"cite it with `claim:{rule.name}`, or remove it",
                )
            )
    for fact in course.facts.values():
        if fact.key not in cited:
            findings.append(
                Finding(
                    Kind.UNUSED,
                    fact.place,
                    f"fact `{fact.key}`",
                    "no page cites it",
                    f"cite it with `given:{fact.key}`, or remove it",
                )
            )
    return findings
