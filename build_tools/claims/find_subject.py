"""What does a question name: a claim, an expression, a program or a record?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from build_tools.claims.measured import format_keys
from build_tools.claims.model import Claim, ClaimKind, Course
from build_tools.claims.name_advice import qualify_name
from build_tools.claims.pasted import Pasted, read_pasted
from build_tools.claims.scope import CourseScope
from build_tools.claims.survey import Surveyed
from build_tools.diagnostics.finding import suggest_names
from build_tools.evidence.find_record import find_record_paths, suggest_records
from build_tools.evidence.loaded import LoadedRecord
from build_tools.quantity.expression import ExpressionError, evaluate_expression
from build_tools.source.facts import FACTS_PATH
from build_tools.source.plain_files import is_file, is_folder

_WHAT = "name a program, a record, PATH:LINE of a page, an expression or a claim's text"

_PLACE = re.compile(r"(?P<path>.+?):(?P<line>[1-9]\d*)(?::(?P<column>[1-9]\d*))?")


class SubjectKind(StrEnum):
    """What a question is about."""

    CLAIM = "claim"
    EXPRESSION = "expression"
    PROGRAM = "program"
    RECORD = "record"
    SEVERAL = "several"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Match:
    """One of several things that a question may mean."""

    path: str
    line: int
    column: int
    text: str
    """A claim's words, or a line of a transcript."""
    target: str
    """What it cites, as a link writes it, or the expression."""

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Subject:
    """What a question names."""

    kind: SubjectKind
    claims: tuple[Claim, ...] = ()
    """Claims with one and the same target."""
    expression: str = ""
    program: str = ""
    record: str = ""
    """The path of its JSON."""
    matches: tuple[Match, ...] = ()
    """The several things it may mean."""
    error: str = ""
    advice: str = ""


def find_subject(course: Course, pages: Sequence[Surveyed], query: str) -> Subject:
    """What ``query`` names on these pages and in the course.

    Tried in this order: a place, a program, a record, another file or a folder, a link as it is
    printed, what a claim cites, a claim's text, a part of one, an expression.
    """
    place = _PLACE.fullmatch(query)
    if place and is_file(course.root / place["path"]):
        column = int(place["column"]) if place["column"] else None
        return _find_at(course, pages, place["path"], int(place["line"]), column)
    if query in course.programs:
        return Subject(SubjectKind.PROGRAM, program=query)
    records = find_record_paths(course.root, course.programs, query)
    if records:
        return _choose_record(records, query)
    near = suggest_records(course.root, course.programs, query)
    if near is not None:
        error = f"there is no record `{query}`"
        return Subject(SubjectKind.UNKNOWN, error=error, advice=near)
    if query and (is_file(course.root / query) or is_folder(course.root / query)):
        return _find_file(course, pages, query)
    claims = [claim for page in pages for claim in page.scan.claims]
    pasted = read_pasted(query)
    if pasted is not None:
        return _find_pasted(course, claims, query, pasted)
    wanted = _squeeze(query)
    for chosen in (
        [c for c in claims if wanted in (_squeeze(c.target), _squeeze(f"{c.kind}:{c.target}"))],
        [c for c in claims if c.text == query],
        [c for c in claims if query.casefold() in c.text.casefold()],
    ):
        if chosen:
            return _choose_claims(chosen, query)
    try:
        evaluate_expression(query, CourseScope(course))
    except ExpressionError as error:
        return _explain_unknown(course, claims, query, error)
    return Subject(SubjectKind.EXPRESSION, expression=query)


def _find_pasted(course: Course, claims: Sequence[Claim], query: str, pasted: Pasted) -> Subject:
    """The claims that a link is of, or the expression that it would cite."""
    citing = [
        c for c in claims if (c.kind, _squeeze(c.target)) == (pasted.kind, _squeeze(pasted.target))
    ]
    chosen = [c for c in citing if c.text == pasted.text]
    if not chosen and (pasted.expression or pasted.text is None):
        chosen = citing
    if chosen:
        return _choose_claims(chosen, query)
    if not pasted.expression:
        error = f"no page holds the link `{query}`"
        return Subject(SubjectKind.UNKNOWN, error=error, advice="`stated:` cites nothing")
    try:
        evaluate_expression(pasted.expression, CourseScope(course))
    except ExpressionError as error:
        return _explain_error(pasted.expression, error)
    return Subject(SubjectKind.EXPRESSION, expression=pasted.expression)


def _find_file(course: Course, pages: Sequence[Surveyed], path: str) -> Subject:
    """What a file holds that can be asked about; which files a folder holds."""
    if (course.root / path).is_dir():
        below = "" if path == "." else f"{path.rstrip('/')}/"
        inside = [page.scan.path for page in pages if page.scan.path.startswith(below)]
        named = ", ".join(f"`{page}`" for page in inside[:4]) + (", …" if len(inside) > 4 else "")
        advice = f"name a claim of a page in it, by PATH:LINE: {named}" if named else _WHAT
        return Subject(SubjectKind.UNKNOWN, error=f"`{path}` is a folder", advice=advice)
    page = next((page for page in pages if page.scan.path == path), None)
    if page is None:
        return _find_at(course, pages, path, 1, None)
    claims = page.scan.claims
    count = f"{len(claims)} claim{'s' * (len(claims) != 1)}"
    return Subject(
        SubjectKind.SEVERAL if claims else SubjectKind.UNKNOWN,
        matches=_list_matches(claims),
        error=f"the page `{path}` holds {count}" if claims else f"the page `{path}` has no claim",
        advice="name one by its PATH:LINE:COLUMN" if claims else _WHAT,
    )


def _squeeze(expression: str) -> str:
    return "".join(expression.split())


def _choose_record(paths: Sequence[str], query: str) -> Subject:
    if len(paths) == 1:
        return Subject(SubjectKind.RECORD, record=paths[0])
    matches = tuple(Match(path, 1, 1, "", path) for path in paths)
    return Subject(
        SubjectKind.SEVERAL,
        matches=matches,
        error=f"`{query}` names {len(paths)} records",
        advice=f"name one by its path, or as PROGRAM@{query}",
    )


def _choose_claims(claims: Sequence[Claim], query: str) -> Subject:
    """One subject when all the claims cite the same, else several."""
    first = claims[0]
    stated = first.kind is ClaimKind.STATED
    if (len(claims) == 1) if stated else len({(c.kind, c.target) for c in claims}) == 1:
        return Subject(SubjectKind.CLAIM, tuple(claims), expression=first.target)
    return Subject(
        SubjectKind.SEVERAL,
        matches=_list_matches(claims),
        error=f"`{query}` names {len(claims)} claims that cite different things",
        advice="name one by its PATH:LINE:COLUMN",
    )


def _list_matches(claims: Iterable[Claim]) -> tuple[Match, ...]:
    return tuple(
        Match(c.place.path, c.place.line, c.place.column, c.text, f"{c.kind}:{c.target}")
        for c in claims
    )


def _explain_unknown(
    course: Course, claims: Sequence[Claim], query: str, error: ExpressionError
) -> Subject:
    known = [
        *course.programs,
        *course.quantities,
        *(c.text for c in claims),
        *(c.target for c in claims),
    ]
    if any(
        re.search(rf"\b{name}\b", query) for name in (*course.programs, *course.quantities, "given")
    ):
        return _explain_error(query, error)
    first = re.match(r"[A-Za-z_]\w*", query)
    near = (first and qualify_name(course, first[0])) or suggest_names(query, known)
    if not near.startswith(("did you mean", "name its program")):
        near = _WHAT
    return Subject(
        SubjectKind.UNKNOWN,
        error=f"`{query}` is no program, no record, no claim's text and no expression",
        advice=near,
    )


def _explain_error(expression: str, error: ExpressionError) -> Subject:
    return Subject(
        SubjectKind.UNKNOWN,
        expression=expression,
        error=f"{error.message} (column {error.column + 1})",
        advice=error.advice,
    )


def _find_at(
    course: Course, pages: Sequence[Surveyed], path: str, line: int, column: int | None
) -> Subject:
    """What stands at a place of a page, a program, its declaration, the facts or a transcript."""
    page = next((page for page in pages if page.scan.path == path), None)
    if page is not None:
        return _find_on_page(page, line, column)
    if path == FACTS_PATH:
        facts = [f for f in course.facts.values() if f.place.line <= line]
        if facts:
            key = max(facts, key=lambda fact: fact.place.line).key
            return Subject(SubjectKind.EXPRESSION, expression=f'given["{key}"]')
    for program in course.programs.values():
        if path == program.declaration.path:
            for rule in program.declaration.quantities.values():
                if rule.place.line == line:
                    name = f"{program.name}.{rule.name}"
                    return Subject(SubjectKind.EXPRESSION, expression=name)
        if path in (program.path, *program.includes, program.declaration.path, program.check_path):
            for constant in program.constants.values():
                if (constant.place.path, constant.place.line) == (path, line):
                    name = f"{program.name}.source.{constant.name}"
                    return Subject(SubjectKind.EXPRESSION, expression=name)
            return Subject(SubjectKind.PROGRAM, program=program.name)
    records = find_record_paths(course.root, course.programs, path)
    if records:
        return _find_in_transcript(course, records[0], path, line)
    return Subject(
        SubjectKind.UNKNOWN,
        error=f"`{path}` is no page, program, declaration or evidence of the course",
        advice="name a page that course.toml's `prose` matches, or a file below snippets/ or "
        "evidence/",
    )


def _find_on_page(page: Surveyed, line: int, column: int | None) -> Subject:
    on_line = [claim for claim in page.scan.claims if claim.place.line == line]
    at = [
        claim
        for claim in on_line
        if column is not None
        and claim.place.column <= column < claim.place.column + claim.end - claim.start
    ]
    if at:
        return Subject(SubjectKind.CLAIM, tuple(at), expression=at[0].target)
    if len(on_line) == 1 and column is None:
        return _choose_claims(on_line, "")
    where = f"{page.scan.path}:{line}" + (f":{column}" if column is not None else "")
    if on_line:
        text = "holds several claims" if column is None else "stands in no claim of its line"
        return Subject(
            SubjectKind.SEVERAL,
            matches=_list_matches(on_line),
            error=f"{where} {text}",
            advice="name one by its PATH:LINE:COLUMN",
        )
    nearest = sorted(page.scan.claims, key=lambda claim: abs(claim.place.line - line))[:3]
    nearby = ", ".join(
        f"{c.place} `{c.text}`" for c in sorted(nearest, key=lambda claim: claim.start)
    )
    return Subject(
        SubjectKind.UNKNOWN,
        error=f"no claim stands at {where}",
        advice=f"the nearest: {nearby}" if nearby else "the page has no claim",
    )


def _find_in_transcript(course: Course, record: str, path: str, line: int) -> Subject:
    """The measurements that were read from a line of a fresh record's transcript."""
    loaded = next(
        (r for shelf in course.shelves.values() for r in shelf.fresh if r.path == record), None
    )
    if loaded is None:
        return Subject(SubjectKind.RECORD, record=record)
    found = list(_list_read_at(loaded, path, line))
    if len(found) == 1:
        return Subject(SubjectKind.EXPRESSION, expression=found[0][0])
    if found:
        return Subject(
            SubjectKind.SEVERAL,
            matches=tuple(Match(path, line, 1, text, name) for name, text in found),
            error=f"{path}:{line} holds {len(found)} measurements",
            advice="name one by its expression",
        )
    return Subject(SubjectKind.RECORD, record=record)


def _list_read_at(loaded: LoadedRecord, path: str, line: int) -> Iterable[tuple[str, str]]:
    for process, transcript in zip(loaded.record.processes, loaded.transcripts, strict=True):
        if process.stdout.path != path:
            continue
        for measurement in transcript.measurements.values():
            for keys, reading in measurement.readings.items():
                if reading.line == line:
                    brackets = format_keys(keys) if keys else ""
                    yield f"{loaded.record.program}.{measurement.name}{brackets}", reading.text
