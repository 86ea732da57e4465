"""Is what was measured possible: below a peak, beyond a cache, as many bytes as a formula says?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from build_tools.claims.floor import list_unprinted
from build_tools.claims.model import Course
from build_tools.claims.names import NoEvidenceError
from build_tools.claims.scope import ProgramScope
from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.quantity.expression import ExpressionError, evaluate_expression
from build_tools.quantity.format import format_number
from build_tools.quantity.units import parse_unit
from build_tools.quantity.value import (
    Number,
    OperationError,
    Several,
    Value,
    describe_value,
    make_exact,
    require_same_dimensions,
)
from build_tools.source.model import Program
from build_tools.source.part_rules import Formula, SanityRule

_EXACT = 9
"""Places that count, where two numbers are told that may hardly differ."""

Labelled = tuple[tuple[str, ...], Number]
"""A number and the keys it came by."""


class _SanityError(Exception):
    """An expression of a rule has no value that can be compared."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.true)
        self.finding = finding


def check_sanity(course: Course) -> list[Finding]:
    """A finding for each declared limit that what was measured breaks.

    What rests on evidence that is not there is told by that evidence's own finding.
    """
    findings: list[Finding] = []
    for program in course.programs.values():
        findings += _check_again(course, program)
        for rule in program.declaration.parts.sanity.values():
            try:
                findings += _check_rule(course, program, rule)
            except _SanityError as error:
                findings.append(error.finding)
            except NoEvidenceError:
                continue
    return findings


def _check_again(course: Course, program: Program) -> Iterator[Finding]:
    record = course.shelves[program.name].shown_record
    for rule, first, again in list_unprinted(program, record) if record is not None else ():
        yield Finding(
            Kind.DECLARATION,
            rule.place,
            f"`{first}` and `{again}` are the same kernel, timed twice",
            f"the transcript has no two rows that differ in `{rule.column}` alone and have these "
            "keys",
            "write them as the transcript prints them, or leave the pair out",
        )


def _check_rule(course: Course, program: Program, rule: SanityRule) -> Iterator[Finding]:
    if rule.rate is not None:
        rates = _evaluate(course, program, rule.rate)
        if rule.peak is not None:
            peaks = _evaluate(course, program, rule.peak)
            yield from _check_peak(rule, rates, peaks)
        if rule.working_set is not None:
            sets = _evaluate(course, program, rule.working_set)
            yield from _check_working_set(course, program, rule, rates, sets)
    if rule.formula is not None and rule.counter is not None:
        yield from _check_counter(course, program, rule)


def _evaluate(course: Course, program: Program, formula: Formula) -> list[Labelled]:
    """A formula's numbers. Raises NoEvidenceError, _SanityError."""
    scope = ProgramScope(course, program, (), True)
    try:
        value = evaluate_expression(formula.text, scope)
    except ExpressionError as error:
        if isinstance(error.__cause__, NoEvidenceError):
            raise error.__cause__ from None
        raise _SanityError(_report_expression(formula, error)) from None
    numbers = _list_labelled(value)
    if numbers is None:
        said = f"it is {describe_value(value)}, and numbers are compared"
        raise _SanityError(
            Finding(Kind.TYPE, formula.origin, f"`{formula.text}`", said, "write a number")
        )
    return numbers


def _report_expression(formula: Formula, error: ExpressionError) -> Finding:
    place = replace(formula.origin, column=formula.origin.column + error.column)
    return Finding(Kind.EXPRESSION, place, f"`{formula.text}`", error.message, error.advice)


def _list_labelled(value: Value) -> list[Labelled] | None:
    if isinstance(value, Number):
        return [((), value)]
    if not isinstance(value, Several):
        return None
    labels = value.labels or tuple((str(index),) for index in range(len(value.items)))
    pairs = list(zip(labels, value.items, strict=True))
    numbers = [(label, item) for label, item in pairs if isinstance(item, Number)]
    return numbers if numbers and len(numbers) == len(pairs) else None


def _pair(
    formula: Formula, left: Sequence[Labelled], right: Sequence[Labelled]
) -> Iterator[tuple[tuple[str, ...], Number, Number]]:
    """Each number of the left with the one of the right, or with that of the same place."""
    if len(right) not in (1, len(left)):
        said = f"it has {len(right)} values, and there are {len(left)} to compare them with"
        advice = "write one value, or one for each"
        raise _SanityError(
            Finding(Kind.EXPRESSION, formula.origin, f"`{formula.text}`", said, advice)
        )
    for index, (label, number) in enumerate(left):
        other = right[0][1] if len(right) == 1 else right[index][1]
        try:
            require_same_dimensions(number, other, "compare")
        except OperationError as error:
            raise _SanityError(
                Finding(Kind.UNIT, formula.origin, f"`{formula.text}`", str(error), error.advice)
            ) from None
        yield label, number, other


def _check_peak(
    rule: SanityRule, rates: Sequence[Labelled], peaks: Sequence[Labelled]
) -> Iterator[Finding]:
    assert rule.peak is not None  # noqa: S101 - its caller has seen it
    for label, rate, peak in _pair(rule.peak, rates, peaks):
        if peak.shown > 0 and rate.shown > peak.shown:
            share = 100 * rate.shown / peak.shown
            yield _report(
                rule,
                f"{_name(rule.rate, label)} stays below its peak",
                f"it is {format_number(rate)}, {float(share):.1f} % of {format_number(peak)}",
                "no hardware exceeds its own peak: find out what was timed, on which device, and "
                "where the peak comes from",
            )


def _check_working_set(
    course: Course,
    program: Program,
    rule: SanityRule,
    rates: Sequence[Labelled],
    sets: Sequence[Labelled],
) -> Iterator[Finding]:
    assert rule.working_set is not None  # noqa: S101 - its caller has seen it
    record = course.shelves[program.name].shown_record
    if record is None:
        raise NoEvidenceError(program.name)
    l2 = make_exact(record.record.device.l2_bytes, parse_unit("B").dimensions)
    for _, moved, cache in _pair(rule.working_set, sets, [((), l2)]):
        if moved.shown <= cache.shown:
            index = [number for _, number in sets].index(moved)
            label = rates[index][0] if len(rates) == len(sets) else ()
            yield _report(
                rule,
                f"{_name(rule.rate, label)} is a rate of DRAM",
                f"its working set of {format_number(moved)} fits into the L2 cache of "
                f"{format_number(cache)}",
                "make it several times larger, or say that the rate is the cache's",
            )


def _check_counter(course: Course, program: Program, rule: SanityRule) -> Iterator[Finding]:
    assert rule.formula is not None and rule.counter is not None  # noqa: S101, PT018
    expected = _evaluate(course, program, rule.formula)
    counted = _evaluate(course, program, rule.counter)
    zero = [((), make_exact(0, expected[0][1].dimensions))]
    below = _evaluate(course, program, rule.below) if rule.below else zero
    above = _evaluate(course, program, rule.above) if rule.above else zero
    margins = [
        [n.shown for _, _, n in _pair(formula or rule.formula, expected, margin)]
        for formula, margin in ((rule.below, below), (rule.above, above))
    ]
    for index, (label, wanted, found) in enumerate(_pair(rule.counter, expected, counted)):
        low, high = wanted.shown - margins[0][index], wanted.shown + margins[1][index]
        if low <= found.shown <= high:
            continue
        yield _report(
            rule,
            f"{_name(rule.counter, label)} is what `{rule.formula.text}` comes to",
            f"counted are {format_number(found, _EXACT)}, the formula gives "
            f"{format_number(wanted, _EXACT)}" + _say_margin(wanted, low, high),
            "one of the two is wrong: find out which, or declare how far apart they may lie",
        )


def _say_margin(wanted: Number, low: Fraction, high: Fraction) -> str:
    if low == high:
        return ""
    ends = [format_number(make_exact(end, wanted.dimensions), _EXACT) for end in (low, high)]
    return f" (allowed: {ends[0]} to {ends[1]})"


def _name(formula: Formula | None, label: tuple[str, ...]) -> str:
    keys = f" for {', '.join(label)}" if label else ""
    return f"`{formula.text if formula else ''}`{keys}"


def _report(rule: SanityRule, stated: str, true: str, advice: str) -> Finding:
    place: Place = rule.place
    return Finding(Kind.SANITY, place, stated, true, advice)
