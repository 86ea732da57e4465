"""How does a value follow from others: a quantity's formula, what is assumed?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from build_tools.claims.model import ClaimKind, Course, ProofKind, Verdict
from build_tools.claims.names import NoEvidenceError
from build_tools.claims.trace import Cited, CitedKind, trace_expression
from build_tools.pages.hrefs import link_quantity
from build_tools.quantity.expression import ExpressionError
from build_tools.quantity.format import format_number
from build_tools.quantity.value import (
    Number,
    OperationError,
)

MOST_FORMULAS = 2
"""Quantities of an expression whose formulas are shown: with more a proof would be a page."""
MOST_INPUTS = 6
LONGEST = 200
"""Characters of a formula; a longer one is cut, and stands whole on its program's page."""
LONGEST_INPUT = 48
"""Characters of an input's name and value; keys of a table may be long."""


@dataclass(frozen=True)
class Formula:
    """A quantity that an expression cites, one level deep."""

    name: str
    href: str
    """Where its program lists it; empty for a quantity of the course."""
    expression: str
    inputs: str
    """``flop = 137.44 GFLOP; …``, those that are short."""


@dataclass(frozen=True)
class Derivation:
    """All that a proof says of how its value is made."""

    formulas: tuple[Formula, ...] = ()
    is_named: bool = False
    """Whether the expression is one quantity's name and no more, which its formula says again."""
    assumed: str = ""
    """Facts of the device that a computed time or rate takes for granted."""


def describe_derivation(course: Course, verdict: Verdict) -> Derivation:
    """What stands between a claim's expression and what was measured; asked for once."""
    proof = verdict.proof
    if proof is None or verdict.claim.kind is not ClaimKind.CLAIM:
        return Derivation()
    key = ("derivation", proof.expression)
    known = course.memo.recall(key)
    if isinstance(known, Derivation):
        return known
    try:
        cited = trace_expression(course, proof.expression)
    except (ExpressionError, NoEvidenceError, OperationError):
        return Derivation()
    assumed = _describe_assumed(course, verdict, cited)
    formulas = tuple(_list_formulas(cited))
    is_named = any(f.href and proof.expression == f"{cited[0].program}.{f.name}" for f in formulas)
    found = Derivation(formulas, is_named, assumed)
    course.memo.keep(key, found)
    return found


def _list_formulas(cited: Sequence[Cited]) -> Iterable[Formula]:
    outer = [index for index, name in enumerate(cited) if _has_formula(name) and name.depth == 0]
    for index in outer[:MOST_FORMULAS]:
        quantity = cited[index]
        inputs = []
        for name in cited[index + 1 :]:
            if name.depth == 0:
                break
            if name.depth == 1:
                inputs.append(name)
        bare = _name_quantity(quantity)
        yield Formula(
            bare,
            link_quantity(quantity.program, bare) if quantity.program else "",
            shorten(quantity.expression),
            "; ".join(_list_inputs(quantity.program, inputs)),
        )


def _has_formula(name: Cited) -> bool:
    """Whether this is a quantity that says more than a number, as `1` with a unit does."""
    return name.kind is CitedKind.QUANTITY and not name.expression.strip().isdecimal()


def _name_quantity(quantity: Cited) -> str:
    """Its own name, without its program's and without keys."""
    return quantity.name.removeprefix(f"{quantity.program}.").partition("[")[0]


def shorten(expression: str) -> str:
    """An expression as it is declared, on one line, no longer than a proof bears."""
    words = " ".join(expression.split())
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"


def _list_inputs(program: str, inputs: Sequence[Cited]) -> Iterable[str]:
    for name in inputs[:MOST_INPUTS]:
        if isinstance(name.value, Number):
            told = f"{name.name.removeprefix(f'{program}.')} = {format_number(name.value)}"
            if len(told) <= LONGEST_INPUT:
                yield told


def _describe_assumed(course: Course, verdict: Verdict, cited: Sequence[Cited]) -> str:
    """The device's facts in a time or rate that nobody measured."""
    value, proof = verdict.value, verdict.proof
    if proof is None or proof.kind is ProofKind.MEASURED or not isinstance(value, Number):
        return ""
    facts = [n for n in cited if n.kind is CitedKind.DEVICE and isinstance(n.value, Number)]
    if not facts or not any(unit == "s" for unit, _ in value.dimensions):
        return ""
    told = {
        f"{name.name.rpartition('.')[2]} = {format_number(name.value)}": None
        for name in facts
        if isinstance(name.value, Number)
    }
    shown = course.shelves[facts[0].program].shown_record
    device = f" of the {shown.record.device.model}" if shown else ""
    return f"{'; '.join(told)}{device}"
