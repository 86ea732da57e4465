"""Does a claim agree with what it cites, and what stands behind it?"""

from __future__ import annotations

from dataclasses import replace

from build_tools.claims.cause import judge_cause
from build_tools.claims.deciding import describe_deciding
from build_tools.claims.exact import choose_fact, read_fact
from build_tools.claims.faults import find_fact_fault
from build_tools.claims.ground import judge_ground
from build_tools.claims.judge_word import judge_words, list_words
from build_tools.claims.model import Claim, ClaimKind, Course, Proof, ProofKind, Verdict
from build_tools.claims.names import FaultError, NoEvidenceError
from build_tools.claims.numbers import find_stated_number, states_choice
from build_tools.claims.patch import compose_patch
from build_tools.claims.proof import (
    build_proof,
    compose_basis,
    describe_shown,
    list_numbers,
    speak_as,
)
from build_tools.claims.quantity_error import find_quantity_fault
from build_tools.claims.scope import CourseScope
from build_tools.diagnostics.finding import Finding, Kind, suggest_names
from build_tools.quantity.expression import ExpressionError, evaluate_expression
from build_tools.quantity.fold import fold_text
from build_tools.quantity.judge import find_thin_series
from build_tools.quantity.nearest import explain_value, find_readable
from build_tools.quantity.numeral import UnreadableError
from build_tools.quantity.printed import parse_printed
from build_tools.quantity.spread import MINIMUM_PROCESSES
from build_tools.quantity.value import (
    OperationError,
    Several,
    Text,
    Truth,
    Value,
)


def judge_claim(course: Course, claim: Claim) -> Verdict:
    """Judge one claim by its own text; ``judge_around`` judges what stands beside it."""
    key = ("claim", claim.kind.value, claim.text, claim.target)
    known = course.memo.recall(key)
    if isinstance(known, Verdict):
        return replace(known, claim=claim)
    verdict = _judge_claim(course, claim)
    if not verdict.findings and verdict.fault is None:
        course.memo.keep(key, verdict)
    return verdict


def _judge_claim(course: Course, claim: Claim) -> Verdict:
    if claim.kind is ClaimKind.STATED:
        return _judge_stated(claim)
    try:
        value, proof = _find_value(course, claim)
    except FaultError as error:
        stated = f"`{claim.text}`"
        finding = Finding(
            error.cause.kind, claim.place, stated, str(error), error.advice, False, claim.length
        )
        return Verdict(claim, None, (finding,), fault=error.cause)
    except NoEvidenceError as error:
        finding = Finding(
            name_lack(course, error),
            claim.place,
            f"`{claim.text}`",
            str(error),
            error.advice,
            error.checked,
            length=claim.length,
        )
        return Verdict(claim, None, (finding,))
    except ExpressionError as error:
        offset = claim.end - 1 - len(claim.target) + error.column
        place = replace(claim.place, column=claim.place.column + offset - claim.start)
        return Verdict(
            claim,
            None,
            (
                Finding(
                    Kind.EXPRESSION,
                    place,
                    f"`{claim.kind}:{claim.target}`",
                    error.message,
                    error.advice,
                    length=max(1, len(claim.target) - error.column),
                ),
            ),
            fault=find_quantity_fault(error),
        )
    if claim.kind is not ClaimKind.GIVEN:  # a fact is told as its source tells it
        proof = speak_as(proof, value, claim.text)
    groundless = judge_ground(claim, value) or judge_cause(course, claim, value)
    if groundless is not None:
        return Verdict(claim, proof, (groundless,), value)
    disagreement = _judge_text(course, claim, value)
    if disagreement is None:
        return Verdict(claim, proof, (), value)
    finding = replace(disagreement, length=claim.length, basis=compose_basis(proof, value))
    return Verdict(claim, proof, (finding,), value)


def name_lack(course: Course, error: NoEvidenceError) -> Kind:
    """The kind of a finding for evidence that is not there, or that holds no verdict."""
    if not error.checked:
        return Kind.CHECK
    stale = bool(course.shelves[error.program].records) if error.stale is None else error.stale
    return Kind.STALE if stale else Kind.MISSING


def _find_value(course: Course, claim: Claim) -> tuple[Value, Proof]:
    """What the claim cites: raises ExpressionError or NoEvidenceError."""
    if claim.kind is ClaimKind.GIVEN:
        fact = course.facts.get(claim.target)
        if fact is None:
            fault = find_fact_fault(course, claim.target)
            if fault is not None:
                raise FaultError(fault)
            raise ExpressionError(
                f"there is no fact `{claim.target}` in snippets/quantities.toml",
                suggest_names(claim.target, course.facts),
                0,
            )
        try:
            gpu = course.settings.reference_gpu
            fact = choose_fact(course, fact, gpu)
            number = read_fact(fact)
        except FaultError:
            raise
        except OperationError as error:
            raise ExpressionError(str(error), error.advice, 0) from None
        shown = f"{fact.value} {fact.unit}".strip()
        return number, Proof(
            ProofKind.CITED,
            shown,
            expression=claim.target,
            date=fact.date,
            source=fact.source,
            quote=fact.quote,
        )
    known = course.evaluated.get(claim.target)
    if known is not None:
        return known
    try:
        value = evaluate_expression(claim.target, CourseScope(course))
    except ExpressionError as error:
        if isinstance(error.__cause__, NoEvidenceError):
            raise error.__cause__ from None
        raise
    found = value, build_proof(course, claim.target, value)
    course.evaluated[claim.target] = found
    return found


def _judge_text(course: Course, claim: Claim, value: Value) -> Finding | None:
    """The claim's text against the value it cites."""
    for number in list_numbers(value):
        thin = find_thin_series(number, MINIMUM_PROCESSES)
        if thin:
            return Finding(
                Kind.RECORD,
                claim.place,
                f"`{claim.text}`",
                f"the record rests on {len(thin.samples)} processes, and a band needs "
                f"{MINIMUM_PROCESSES}",
                f"run `course run --repeats {MINIMUM_PROCESSES}`",
                checked=False,
            )
    if isinstance(value, Truth):
        return _judge_statement(course, claim, value)
    if isinstance(value, Several) and any(isinstance(item, Truth) for item in value.items):
        return Finding(
            Kind.TYPE,
            claim.place,
            f"`{claim.text}`",
            f"`{claim.target}` is several statements, not one: "
            f"{', '.join(describe_shown(item) for item in value.items[:6])}"
            f"{', …' if len(value.items) > 6 else ''}",
            "wrap it in all(…) or any(…), as in `claim:all(a > b)`",
        )
    words = list_words(value)
    if words:
        return judge_words(claim, words)
    if isinstance(value, Text) and fold_text(claim.text) == value.value:
        return None
    try:
        printed = parse_printed(claim.text)
    except UnreadableError as error:
        return _report_unreadable(claim, value, error)
    judgement = explain_value(printed, value)
    if judgement is None:
        return None
    return Finding(
        judgement.kind,
        claim.place,
        f"`{claim.text}`",
        judgement.true,
        judgement.advice,
        judgement.checked,
        patch=compose_patch(claim, judgement.nearest),
    )


def _report_unreadable(claim: Claim, value: Value, error: UnreadableError) -> Finding:
    stated = f"`{claim.text}`"
    if isinstance(value, Text):
        true, advice = f"it is `{value.value}`", f"write `{value.value}`"
        patch = compose_patch(claim, value.value)
        return Finding(Kind.DRIFT, claim.place, stated, true, advice, patch=patch)
    nearest = find_readable(error, value)
    patch = compose_patch(claim, nearest)
    advice = f"write `{nearest}`" if nearest else error.advice
    return Finding(Kind.UNREADABLE, claim.place, stated, str(error), advice, patch=patch)


def _judge_statement(course: Course, claim: Claim, truth: Truth) -> Finding | None:
    """A statement in words whose expression is true, false or ambiguous."""
    stated = f"`{claim.text}`"
    try:
        parse_printed(claim.text)
    except UnreadableError:
        number = find_stated_number(fold_text(claim.text))
    else:
        return Finding(
            Kind.TYPE,
            claim.place,
            stated,
            "the text is a number and the expression a statement that is true or false",
            "bind the number to an expression with a value, or put the statement in words",
        )
    if number is not None:
        return Finding(
            Kind.TYPE,
            claim.place,
            stated,
            f"the statement holds the number `{number.text}`, which its expression does not check",
            "bind the number in a link of its own, and keep the statement in words",
        )
    if truth.value is True:
        return None
    deciding = describe_deciding(course, claim.target, truth)
    known = f" {deciding}" if deciding.startswith("at ") else f": {deciding}" if deciding else ""
    if truth.value is None:
        return Finding(
            Kind.AMBIGUOUS,
            claim.place,
            stated,
            f"`{claim.target}` cannot be decided, {truth.reason}{known}",
            "say that they are the same within the spread, with same(a, b), or leave it out",
        )
    return Finding(
        Kind.FALSE,
        claim.place,
        stated,
        f"`{claim.target}` is false{known}",
        "change the sentence, or find out what changed",
    )


def _judge_stated(claim: Claim) -> Verdict:
    """An example, a choice or a definition; a measured-looking number may not hide here."""
    proof = Proof(ProofKind.STATED, claim.text)
    if states_choice(fold_text(claim.text)):
        return Verdict(claim, proof)
    return Verdict(
        claim,
        proof,
        (
            Finding(
                Kind.TYPE,
                claim.place,
                f"`{claim.text}`",
                "a number with a unit of time, a rate or a ratio is a measurement, not a choice",
                "bind it with `claim:` to a measurement or with `given:` to a cited fact",
                length=claim.length,
            ),
        ),
    )
