"""What is the whole chain behind a claim, an expression, a program or a record?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from build_tools.claims.chain import Chain, NameLine, Sentence
from build_tools.claims.evidence_chain import (
    Inquiry,
    describe_program,
    describe_record,
    list_findings,
    name_outcome,
)
from build_tools.claims.figure import read_figure
from build_tools.claims.find_subject import Subject, SubjectKind, find_subject
from build_tools.claims.model import Claim, ClaimKind, Course, ProofKind, Verdict
from build_tools.claims.proof import build_proof, list_numbers
from build_tools.claims.scope import CourseScope
from build_tools.claims.sentence import find_sentence
from build_tools.claims.survey import Surveyed, list_origins
from build_tools.claims.trace import CitedKind, trace_expression
from build_tools.evidence.find_record import open_record
from build_tools.evidence.loaded import LoadedRecord
from build_tools.quantity.expression import ExpressionError, evaluate_expression
from build_tools.quantity.numeral import UnreadableError
from build_tools.quantity.printed import Printed, parse_printed


def explain(inquiry: Inquiry, query: str) -> Chain:
    """The whole chain behind what a question names; or the several things it may mean."""
    subject = find_subject(inquiry.course, inquiry.pages, query)
    match subject.kind:
        case SubjectKind.PROGRAM:
            return _explain_program(inquiry, query, subject.program)
        case SubjectKind.RECORD:
            return _explain_record(inquiry, query, subject.record)
        case SubjectKind.CLAIM | SubjectKind.EXPRESSION:
            return _explain_expression(inquiry, query, subject)
    return Chain(
        query,
        subject.kind,
        expression=subject.expression,
        matches=subject.matches,
        error=subject.error,
        advice=subject.advice,
    )


def _explain_expression(inquiry: Inquiry, query: str, subject: Subject) -> Chain:
    course = inquiry.course
    sentences = _list_sentences(inquiry.pages, subject)
    chain = Chain(query, subject.kind, sentences, subject.expression)
    kinds = {claim.kind for claim in subject.claims}
    if kinds == {ClaimKind.STATED}:
        return replace(chain, proof=ProofKind.STATED.value)
    expression = subject.expression
    if kinds == {ClaimKind.GIVEN}:
        expression = f'given["{subject.expression}"]'
    try:
        value = evaluate_expression(expression, CourseScope(course))
        cited = trace_expression(course, expression)
    except ExpressionError as error:
        named = _list_named(course, expression)
        records = [_newest_of(course, name) for name in named]
        return replace(
            chain,
            programs=tuple(describe_program(inquiry, course.programs[n]) for n in named),
            records=tuple(describe_record(inquiry, r) for r in records if r is not None),
            error=error.message,
            advice=error.advice,
        )
    named = list(dict.fromkeys([*_list_named(course, expression), *(c.program for c in cited)]))
    origins = {o for n in list_numbers(value) for s in n.series for o in s.origins}
    origins |= {
        origin.path
        for name in cited
        for origin in name.origins
        if name.kind in (CitedKind.DEVICE, CitedKind.COMPILER, CitedKind.CHECK, CitedKind.WINDOW)
    }
    origins |= {
        record.path
        for name in cited
        if name.kind is CitedKind.KEY and (record := course.shelves[name.program].shown_record)
    }
    return replace(
        chain,
        figure=read_figure(value, like=_find_printed(subject)),
        proof=build_proof(course, expression, value).kind.value,
        names=tuple(
            NameLine(
                c.name, c.kind, c.depth, c.program, read_figure(c.value), c.expression, c.origins
            )
            for c in cited
        ),
        programs=tuple(
            describe_program(inquiry, course.programs[name])
            for name in named
            if name in course.programs
        ),
        records=tuple(
            describe_record(inquiry, loaded)
            for loaded in list_loaded(course)
            if loaded.path in origins
        ),
    )


def _find_printed(subject: Subject) -> Printed | None:
    """A printed number in whose unit all claims asked about speak; None where they do not."""
    printed = []
    for claim in subject.claims:
        try:
            printed.append(parse_printed(claim.text))
        except UnreadableError:
            return None
    units = {(number.unit_text, number.form) for number in printed}
    return printed[0] if len(units) == 1 else None


def list_loaded(course: Course) -> list[LoadedRecord]:
    """All records that were read: of the reference device newest first, then of others."""
    shelves = [*course.shelves.values()]
    shelves += [shelf for others in course.other_shelves.values() for shelf in others.values()]
    return [record for shelf in shelves for record in shelf.records]


def _newest_of(course: Course, program: str) -> LoadedRecord | None:
    records = course.shelves[program].records
    return records[0] if records else None


def _list_named(course: Course, expression: str) -> list[str]:
    return [name for name in course.programs if re.search(rf"\b{name}\b", expression)]


def _list_sentences(pages: Sequence[Surveyed], subject: Subject) -> tuple[Sentence, ...]:
    """The claims asked about, or all that cite the expression asked about."""
    wanted = {(claim.place, claim.number) for claim in subject.claims}
    squeezed = "".join(subject.expression.split())
    sentences = []
    for page in pages:
        for verdict in page.verdicts:
            claim = verdict.claim
            asked = (claim.place, claim.number) in wanted
            if asked or (not wanted and _cites(claim, squeezed)):
                sentences.append(_describe_sentence(page, verdict))
    return tuple(sentences)


def _cites(claim: Claim, squeezed: str) -> bool:
    if claim.kind is ClaimKind.GIVEN:
        return squeezed == f'given["{claim.target}"]'
    return claim.kind is ClaimKind.CLAIM and "".join(claim.target.split()) == squeezed


def _describe_sentence(page: Surveyed, verdict: Verdict) -> Sentence:
    claim = verdict.claim
    return Sentence(
        claim.place.path,
        claim.place.line,
        claim.place.column,
        claim.kind,
        claim.text,
        claim.target,
        find_sentence(page.scan, claim),
        name_outcome(verdict.findings),
        list_findings(verdict.findings),
    )


def _explain_program(inquiry: Inquiry, query: str, name: str) -> Chain:
    course = inquiry.course
    newest = course.shelves[name].shown_record or _newest_of(course, name)
    return Chain(
        query,
        SubjectKind.PROGRAM,
        programs=(describe_program(inquiry, course.programs[name]),),
        records=(describe_record(inquiry, newest),) if newest else (),
    )


def _explain_record(inquiry: Inquiry, query: str, path: str) -> Chain:
    course = inquiry.course
    loaded, findings = open_record(course.root, course.programs, path)
    if loaded is None:
        return Chain(
            query,
            SubjectKind.UNKNOWN,
            error=f"the record {path} cannot be read: {findings[0].true}",
            advice=findings[0].advice,
        )
    program = course.programs.get(loaded.record.program)
    return Chain(
        query,
        SubjectKind.RECORD,
        tuple(
            _describe_sentence(page, verdict)
            for page in inquiry.pages
            for verdict in page.verdicts
            if path in list_origins(verdict)
        ),
        programs=(describe_program(inquiry, program),) if program else (),
        records=(describe_record(inquiry, loaded, findings),),
    )
