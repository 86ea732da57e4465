"""Does what a page embeds exist? Programs, regions, tables and records named by directives."""

from __future__ import annotations

from collections.abc import Iterable

from build_tools.claims.charts import read_chart
from build_tools.claims.comparisons import compare_rows
from build_tools.claims.exercises import find_shown, list_problems
from build_tools.claims.judge_page import name_lack
from build_tools.claims.model import Course, Directive, PageScan
from build_tools.claims.names import FaultError, NoEvidenceError
from build_tools.claims.page_text import list_pages
from build_tools.diagnostics.finding import Finding, Kind, suggest_names
from build_tools.quantity.value import (
    OperationError,
)
from build_tools.source.model import Program


def check_directive(course: Course, directive: Directive) -> list[Finding]:
    """The findings of one directive: what it names must exist, its options must have a sense."""
    match directive.name:
        case "snippet":
            return _check_snippet(course, directive)
        case "exercise":
            return _check_exercise(course, directive)
        case "table":
            return _check_table(course, directive)
        case "comparison":
            return _check_comparison(course, directive)
        case "counters":
            return _check_counters(course, directive)
        case "listing":
            return _check_listing(course, directive)
        case "chart":
            return _check_chart(course, directive)
        case "state":
            return _check_state(course, directive)
    _, findings = find_program(course, directive, directive.argument)
    return findings


def _report(directive: Directive, true: str, advice: str) -> Finding:
    stated = f"`/// {directive.name} | {directive.argument}`"
    return Finding(Kind.DIRECTIVE, directive.place, stated, true, advice)


def find_program(
    course: Course, directive: Directive, name: str
) -> tuple[Program | None, list[Finding]]:
    """The program a directive names."""
    program = course.programs.get(name)
    if program is not None:
        return program, []
    advice = suggest_names(name, course.programs)
    return None, [_report(directive, f"there is no program `{name}`", advice)]


def _check_snippet(course: Course, directive: Directive) -> list[Finding]:
    name, separator, region = directive.argument.partition("#")
    program, findings = find_program(course, directive, name)
    if program is None:
        return findings
    if not separator:
        findings.append(
            _report(directive, "it names no region", f"write `/// snippet | {name}#region`")
        )
    elif region not in program.regions:
        findings.append(
            _report(
                directive,
                f"{program.path} has no region `{region}`",
                suggest_names(region, program.regions),
            )
        )
    for option in ("dedent", "numbers"):
        value = directive.options.get(option, "true")
        if value not in ("true", "false"):
            findings.append(
                _report(directive, f"`{option}` is `{value}`", f"write `{option}: true` or `false`")
            )
    return findings


def _check_exercise(course: Course, directive: Directive) -> list[Finding]:
    program, findings = find_program(course, directive, directive.argument.partition("#")[0])
    if program is None:
        return findings
    problems = list_problems(program, directive)
    return [_report(directive, problem.what, problem.advice) for problem in problems]


def _check_table(course: Course, directive: Directive) -> list[Finding]:
    program, findings = find_program(course, directive, directive.argument)
    if program is None:
        return findings
    tables = {table.name: table for table in program.declaration.tables}
    wanted = directive.options.get("table")
    if not tables:
        advice = f"declare one in {program.declaration.path}"
        return [*findings, _report(directive, "the program declares no table", advice)]
    if wanted is None and len(tables) > 1:
        advice = "name one: " + " or ".join(f"`table: {name}`" for name in tables)
        return [*findings, _report(directive, "the program has several tables", advice)]
    if wanted is not None and wanted not in tables:
        advice = suggest_names(wanted, tables)
        return [*findings, _report(directive, f"there is no table `{wanted}`", advice)]
    table = tables[wanted] if wanted else next(iter(tables.values()))
    columns = {column.name for column in table.columns}
    for name in split_columns(directive.options.get("columns", "")):
        if name not in columns:
            findings.append(
                _report(directive, f"there is no column `{name}`", suggest_names(name, columns))
            )
    return findings


def _check_comparison(course: Course, directive: Directive) -> list[Finding]:
    program, findings = find_program(course, directive, directive.argument)
    if program is None:
        return findings
    try:
        compare_rows(program, course.shelves[program.name], directive.options)
    except NoEvidenceError:
        return []  # that is told of the program, and of the page that rests on it
    except OperationError as error:
        return [_report(directive, str(error), error.advice)]
    return []


def _check_counters(course: Course, directive: Directive) -> list[Finding]:
    program, findings = find_program(course, directive, directive.argument)
    if program is None:
        return findings
    sessions = program.declaration.parts.counters
    wanted = directive.options.get("session")
    if not sessions:
        advice = f"declare some in {program.declaration.path}, `[counters.NAME]`"
        return [_report(directive, "the program declares no counters", advice)]
    if wanted is None and len(sessions) > 1:
        advice = "name one: " + " or ".join(f"`session: {name}`" for name in sessions)
        return [_report(directive, "the program has several sessions", advice)]
    if wanted is not None and wanted not in sessions:
        advice = suggest_names(wanted, sessions)
        return [_report(directive, f"there is no session `{wanted}`", advice)]
    session = sessions[wanted] if wanted else next(iter(sessions.values()))
    for option, known in (("kernels", session.kernels), ("counters", tuple(session.metrics))):
        for name in split_columns(directive.options.get(option, "")):
            if name not in known:
                what = f"the session has no `{name}` among its {option}"
                findings.append(_report(directive, what, suggest_names(name, known)))
    return findings


def _check_listing(course: Course, directive: Directive) -> list[Finding]:
    name, separator, region = directive.argument.partition("#")
    program, findings = find_program(course, directive, name)
    if program is None:
        return findings
    listings = program.declaration.parts.listings
    if not separator:
        return [_report(directive, "it names no region", f"write `/// listing | {name}#region`")]
    if region not in program.regions:
        advice = suggest_names(region, program.regions)
        return [_report(directive, f"{program.path} has no region `{region}`", advice)]
    if region not in listings:
        advice = f"declare `[listings.{region}]` in {program.declaration.path}"
        return [_report(directive, f"no listing of `{region}` is declared", advice)]
    for option, choices in (("code", ("sass", "ptx", "both")), ("open", ("true", "false"))):
        value = directive.options.get(option, choices[0])
        if value not in choices:
            advice = "write " + " or ".join(f"`{option}: {choice}`" for choice in choices)
            findings.append(_report(directive, f"`{option}` is `{value}`", advice))
    kernel = directive.options.get("kernel")
    known = listings[region].kernels
    if kernel is not None and kernel not in known:
        what = f"no kernel `{kernel}` is listed"
        findings.append(_report(directive, what, suggest_names(kernel, known)))
    return findings


def _check_chart(course: Course, directive: Directive) -> list[Finding]:
    program, findings = find_program(course, directive, directive.argument)
    if program is None:
        return findings
    try:
        _, problems = read_chart(course, program, directive.options)
    except FaultError as error:
        return [_report_lack(directive, error, error.cause.kind, checked=False)]
    except NoEvidenceError as error:
        kind = name_lack(course, error)
        return [_report_lack(directive, error, kind, checked=error.checked)]
    return [_report(directive, problem.what, problem.advice) for problem in problems]


def _check_state(course: Course, directive: Directive) -> list[Finding]:
    known = list_pages(course)
    if directive.argument in known:
        return []
    true = f"the prose has no page `{directive.argument}`"
    advice = f"name it by its path from the root; {suggest_names(directive.argument, known)}"
    return [_report(directive, true, advice)]


def _report_lack(
    directive: Directive, error: NoEvidenceError, kind: Kind, *, checked: bool
) -> Finding:
    """The finding for evidence of another program that a block rests on."""
    stated = f"`/// {directive.name} | {directive.argument}`"
    return Finding(kind, directive.place, stated, str(error), error.advice, checked=checked)


def split_columns(option: str) -> list[str]:
    """The column names of the option ``columns: a, b``."""
    return [name.strip() for name in option.split(",") if name.strip()]


def list_used_regions(
    course: Course, scans: Iterable[PageScan], named: Iterable[str] = ()
) -> set[str]:
    """References of the regions that pages show, and of those ``named``, with their needs."""
    scans = list(scans)
    used: set[str] = set()
    waiting = list(named)
    waiting += [
        directive.argument
        for scan in scans
        for directive in (*scan.directives, *scan.rejected)
        if directive.name == "snippet"
    ]
    waiting += [
        shown.reference
        for scan in scans
        for directive in (*scan.directives, *scan.rejected)
        if (shown := find_shown(course, directive)) is not None
    ]
    while waiting:
        reference = waiting.pop()
        if reference in used:
            continue
        used.add(reference)
        name, _, region = reference.partition("#")
        program = course.programs.get(name)
        if program is not None and region in program.regions:
            waiting += [f"{name}#{need}" for need in program.regions[region].needs]
    return used
