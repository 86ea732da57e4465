"""Does a claim agree with what it cites, and what stands behind it?"""

from __future__ import annotations

import re
from dataclasses import replace

from build_tools.claims.model import Claim, ClaimKind, Course, Proof, ProofKind, Verdict
from build_tools.claims.numbers import find_numbers, states_rate
from build_tools.claims.scope import CourseScope, NoEvidenceError, read_fact
from build_tools.diagnostics.finding import Finding, Kind, suggest_names
from build_tools.quantity.expression import ExpressionError, evaluate_expression
from build_tools.quantity.format import format_band, format_number
from build_tools.quantity.judge import find_thin_series, judge_value
from build_tools.quantity.printed import (
    HEDGES,
    Form,
    UnreadableError,
    fold_text,
    parse_printed,
)
from build_tools.quantity.spread import MINIMUM_PROCESSES
from build_tools.quantity.value import Number, OperationError, Several, Text, Truth, Value

_HEDGE_BEFORE = re.compile(
    r"(?:^|[\s(])("
    + "|".join(re.escape(h) for h in sorted(HEDGES, key=len, reverse=True))
    + r")[\s*_]*$",
    re.IGNORECASE,
)


def judge_claim(course: Course, claim: Claim, before: str = "") -> Verdict:
    """Judge one claim. ``before`` is the text of its line before the link, for stray hedges."""
    if claim.kind is ClaimKind.STATED:
        return _judge_stated(claim)
    try:
        value, proof = _find_value(course, claim)
    except NoEvidenceError as error:
        kind = Kind.STALE if course.shelves[error.program].records else Kind.MISSING
        finding = Finding(kind, claim.place, f"`{claim.text}`", str(error), error.advice)
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
                ),
            ),
        )
    findings = _judge_text(claim, value, before)
    return Verdict(claim, proof, tuple(findings), value)


def _find_value(course: Course, claim: Claim) -> tuple[Value, Proof]:
    """What the claim cites: raises ExpressionError or NoEvidenceError."""
    if claim.kind is ClaimKind.GIVEN:
        fact = course.facts.get(claim.target)
        if fact is None:
            raise ExpressionError(
                f"there is no fact `{claim.target}` in snippets/quantities.toml",
                suggest_names(claim.target, course.facts),
                0,
            )
        try:
            number = read_fact(fact)
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


def list_numbers(value: Value) -> list[Number]:
    """All numbers that a value holds or rests on."""
    match value:
        case Number():
            return [value]
        case Truth():
            return list(value.measured)
        case Several():
            return [number for item in value.items for number in list_numbers(item)]
    return []


def build_proof(course: Course, expression: str, value: Value) -> Proof:
    """What a reader is shown behind an expression's value."""
    numbers = list_numbers(value)
    measured = [n for n in numbers if n.exact is None]
    origins = sorted({o for n in measured for o in n.series[0].origins})
    kind = ProofKind.MEASURED if measured else ProofKind.EXACT
    if not measured and any(n.cited for n in numbers):
        kind = ProofKind.CITED
    named = [name for name in course.programs if re.search(rf"\b{name}\b", expression)]
    proof = Proof(
        kind,
        describe_shown(value),
        describe_band(value),
        expression,
        program=named[0] if len(named) == 1 else "",
    )
    device_named = re.search(r"\.(?:device|compiler|check)\b", expression)
    if not origins and not (device_named and proof.program):
        return proof
    loaded = [
        record
        for shelf in course.shelves.values()
        for record in shelf.fresh
        if record.path in origins
        or (not origins and shelf.program == proof.program and record is shelf.shown_record)
    ]
    if not loaded:
        return proof
    record = loaded[0].record
    return replace(
        proof,
        device=record.device.model,
        date=record.started[:10],
        processes=len(record.processes),
        record=loaded[0].path.removesuffix(".json") if len(loaded) == 1 else "",
    )


def describe_shown(value: Value) -> str:
    """A value as the proof prints it."""
    match value:
        case Number():
            return format_number(value)
        case Truth():
            return {True: "true", False: "false", None: "ambiguous"}[value.value]
        case Text():
            return value.value
        case Several():
            return ", ".join(describe_shown(item) for item in value.items)
    raise AssertionError(value)


def describe_band(value: Value) -> str:
    """A value's band as the proof prints it; empty for exact things."""
    match value:
        case Number():
            return format_band(value)
        case Several():
            bands = [describe_band(item) for item in value.items]
            return ", ".join(band for band in bands if band)
    return ""


def _judge_text(claim: Claim, value: Value, before: str) -> list[Finding]:
    """The claim's text against the value it cites."""

    def report(kind: Kind, true: str, advice: str, checked: bool = True) -> list[Finding]:
        return [Finding(kind, claim.place, f"`{claim.text}`", true, advice, checked)]

    for number in list_numbers(value):
        thin = find_thin_series(number, MINIMUM_PROCESSES)
        if thin:
            return report(
                Kind.RECORD,
                f"the record rests on {len(thin.samples)} processes, and a band needs "
                f"{MINIMUM_PROCESSES}",
                f"run `course run --repeats {MINIMUM_PROCESSES}`",
                checked=False,
            )
    if isinstance(value, Truth):
        return _judge_statement(claim, value)
    if isinstance(value, Text) and fold_text(claim.text) == value.value:
        return []
    try:
        printed = parse_printed(claim.text)
    except UnreadableError as error:
        if isinstance(value, Text):
            return report(Kind.DRIFT, f"it is `{value.value}`", f"write `{value.value}`")
        return report(Kind.UNREADABLE, str(error), error.advice)
    hedge = _HEDGE_BEFORE.search(before)
    if hedge and printed.form is not Form.SHAPE:
        return report(
            Kind.HEDGE,
            f"the hedge `{hedge[1]}` stands outside the link, where it is not judged",
            f"write `[{hedge[1]} {claim.text}](…)`, or another word",
        )
    judgement = judge_value(printed, value)
    if judgement is None:
        return []
    return report(judgement.kind, judgement.true, judgement.advice, judgement.checked)


def _judge_statement(claim: Claim, truth: Truth) -> list[Finding]:
    """A statement in words whose expression is true, false or ambiguous."""
    try:
        printed = parse_printed(claim.text)
    except UnreadableError:
        printed = None
    if printed is not None:
        return [
            Finding(
                Kind.TYPE,
                claim.place,
                f"`{claim.text}`",
                "the text is a number and the expression a statement that is true or false",
                "bind the number to an expression with a value, or put the statement in words",
            )
        ]
    number = next(find_numbers(fold_text(claim.text)), None)
    if number is not None:
        return [
            Finding(
                Kind.TYPE,
                claim.place,
                f"`{claim.text}`",
                f"the statement holds the number `{number.text}`, which its expression does not "
                "check",
                "bind the number in a link of its own, and keep the statement in words",
            )
        ]
    if truth.value is True:
        return []
    values = "; ".join(f"{format_number(n)} (band {format_band(n)})" for n in truth.measured[:4])
    known = f": {values}" if values else ""
    if truth.value is None:
        return [
            Finding(
                Kind.AMBIGUOUS,
                claim.place,
                f"`{claim.text}`",
                f"`{claim.target}` cannot be decided, {truth.reason}{known}",
                "say that they are the same within the spread, with same(a, b), or leave it out",
            )
        ]
    return [
        Finding(
            Kind.FALSE,
            claim.place,
            f"`{claim.text}`",
            f"`{claim.target}` is false{known}",
            "change the sentence, or find out what changed",
        )
    ]


def _judge_stated(claim: Claim) -> Verdict:
    """An example, a choice or a definition; a measured-looking number may not hide here."""
    proof = Proof(ProofKind.STATED, claim.text)
    if not states_rate(fold_text(claim.text)):
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
            ),
        ),
    )
