"""Is what the course says true? All findings of source, evidence and pages together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from build_tools.claims.candidates import compose_suggest
from build_tools.claims.directives import check_directive
from build_tools.claims.disguise import find_disguises
from build_tools.claims.drafts import check_links_to_drafts, scan_drafts
from build_tools.claims.faults import (
    Blocked,
    find_directive_fault,
    fold_course,
    fold_page,
    is_without_settings,
)
from build_tools.claims.header_prose import check_headers
from build_tools.claims.judge_around import judge_around, judge_cell
from build_tools.claims.judge_page import judge_claim
from build_tools.claims.memo import OF_PAGES, digest_text
from build_tools.claims.model import Claim, Course, PageScan, Verdict
from build_tools.claims.names import NoEvidenceError
from build_tools.claims.number_rules import (
    check_page_rules,
    check_pattern_names,
    choose_patterns,
    choose_policy,
)
from build_tools.claims.page_text import check_globs, list_pages, read_page
from build_tools.claims.quantity_error import QuantityError, report_quantity
from build_tools.claims.said_around import check_words_around
from build_tools.claims.sanity import check_sanity
from build_tools.claims.scan import scan_page
from build_tools.claims.scope import CourseScope, ProgramScope
from build_tools.claims.tables import find_cells
from build_tools.claims.unbound import find_unbound
from build_tools.claims.unused import check_unused
from build_tools.diagnostics.finding import Finding, Kind, sort_findings


def judge_scan(course: Course, scan: PageScan) -> list[Verdict]:
    """The verdict on each of a page's claims, in order."""
    verdicts = []
    cells = find_cells(scan.text) if scan.claims and "|" in scan.text else {}
    for claim in scan.claims:
        verdict = judge_claim(course, claim)
        cell = cells.get(claim.start)
        if cell is not None and cell.unit and cell.span == (claim.start, claim.end):
            verdict = judge_cell(course, verdict, cell.unit)
        verdicts.append(judge_around(scan.text, verdict))
    return verdicts


def check_scan(course: Course, scan: PageScan) -> list[Finding]:
    """The findings of one scanned page: of its form, directives, claims and unbound numbers.

    What could not be judged because of a fault elsewhere is told once a cause.
    """
    findings, blocked = examine_scan(course, scan)
    return findings + fold_page(blocked)


def examine_scan(course: Course, scan: PageScan) -> tuple[list[Finding], list[Blocked]]:
    """The findings of one scanned page, and what of it could not be judged for faults elsewhere."""
    findings = list(scan.findings)
    blocked = []
    for directive in (*scan.directives, *scan.rejected):
        wrong = check_directive(course, directive)
        fault = find_directive_fault(course, directive) if wrong else None
        if fault is None:
            findings += wrong
        else:
            stated = wrong[0].stated
            blocked.append(Blocked(fault, "block", stated, directive.place, wrong[0].length))
    verdicts = judge_scan(course, scan)
    for verdict in verdicts:
        claim = verdict.claim
        if verdict.fault is not None:
            stated = f"`{claim.text}`"
            blocked.append(Blocked(verdict.fault, "claim", stated, claim.place, claim.length))
    findings += _fold_missing(verdict for verdict in verdicts if verdict.fault is None)
    findings += check_words_around(course, scan, verdicts)
    findings += check_page_rules(course, scan)
    findings += find_disguises(scan)
    if not is_without_settings(course):
        findings += _find_unbound(course, scan)
    return findings, blocked


def _find_unbound(course: Course, scan: PageScan) -> list[Finding]:
    policy = choose_policy(course.settings, scan.options)
    patterns = choose_patterns(course.settings, scan.options)
    return find_unbound(scan, policy, patterns, compose_suggest(course, scan))


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
    scan, findings, blocked = _examine_page(course, path)
    return scan, findings + fold_page(blocked)


def _examine_page(
    course: Course, path: str
) -> tuple[PageScan | None, list[Finding], list[Blocked]]:
    text, findings = read_page(course.root, path)
    if text is None:
        return None, findings, []
    key = ("scan", path, digest_text(text))
    known = course.memo.recall(key)
    if isinstance(known, PageScan):
        return known, findings, []
    scan = scan_page(text, path)
    found, blocked = examine_scan(course, scan)
    if not found and not blocked and not any(d.name in OF_PAGES for d in scan.directives):
        course.memo.keep(key, scan)
    return scan, findings + found, blocked


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
                findings.setdefault(error.circle or error.rule.place, report_quantity(error))
    for name in course.quantities:
        try:
            CourseScope(course).get_attribute(name)
        except NoEvidenceError:
            continue
        except QuantityError as error:
            findings.setdefault(error.circle or error.rule.place, report_quantity(error))
    return list(findings.values())


def check_course(course: Course, paths: Sequence[str] | None = None) -> list[Finding]:
    """All findings, causes before what may follow from them.

    ``paths`` limits the pages; unused regions and facts are told when all pages are checked.
    What rests on a fault of sources or evidence is told once for the course, beside it. Drafts
    count where they are not left out; see ``drafts.leave_out_drafts``.
    """
    findings = list(course.findings)
    findings += check_pattern_names(course)
    findings += check_quantities(course)
    findings += check_sanity(course)
    if not is_without_settings(course):
        findings += check_headers(course)
    scans = []
    blocked: list[Blocked] = []
    pages = list_pages(course) if paths is None else list(paths)
    for path in pages:
        scan, found, waiting = _examine_page(course, path)
        findings += found
        blocked += waiting
        if scan is not None:
            findings += check_links_to_drafts(course, scan)
            scans.append(scan)
    findings += fold_course(blocked)
    if paths is None:
        empty = [] if is_without_settings(course) else check_globs(course)
        findings += empty
        if not empty and not is_without_settings(course):
            findings += check_unused(course, [*scans, *scan_drafts(course)])
    return sort_findings(findings)
