"""What decides a statement, row by row: each case's two sides with their values and how they lie?"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from build_tools.claims.cause import list_statements
from build_tools.claims.model import Course, Proof
from build_tools.claims.proof import describe_shown
from build_tools.evidence.part_model import Mutants, PartKind, Sanitizers
from build_tools.evidence.parts import find_newest
from build_tools.pages.behind import draw_together, tell_spread
from build_tools.quantity.format import choose_number_unit, format_band, format_number
from build_tools.quantity.operations import GROUNDS
from build_tools.quantity.ranking import Ranking
from build_tools.quantity.value import Case, Number, Text, Truth, Value, Word

MOST_ROWS = 12
"""Cases of one statement that are listed; how many more there are is said."""

_RELATIONS: Mapping[str, str] = {
    "<=": "≤",
    ">=": "≥",
    "==": "=",
    "!=": "≠",
    "same": "the same as",
    Ranking.FASTER: "faster than",
    Ranking.SLOWER: "slower than",
    Ranking.AMBIGUOUS: "too near to tell from",
}
_TRIED = re.compile(
    r"(?:(?P<program>\w+)\.)?(?P<what>sanitizer|mutants)\[\"(?P<key>[^\"]+)\"\]"
    r"\.(?P<asked>passed|caught|caught_by)"
)


@dataclass(frozen=True)
class RowSide:
    """One side of a comparison."""

    name: str
    """As it is written; empty where that says no more than the value."""
    value: str
    strip: Markup | None = None
    """Empty where nothing varies."""
    band: str = ""
    said: str = ""
    """Why there is no strip."""


@dataclass(frozen=True)
class Row:
    """One case: a comparison, or something that is so or is not."""

    sides: tuple[RowSide, ...]
    relation: str = ""
    said: str = ""
    """Why none of both sides has a strip."""
    wrong: str = ""
    """``false`` or ``ambiguous``; empty for what holds."""
    log: str = ""
    """The path of the file that shows it; empty where there is none."""
    log_of: str = ""
    """Whose log that is."""


@dataclass(frozen=True)
class Told:
    """A statement's cases: the first of them, how many more, and what is said of all at once."""

    expression: str
    rows: tuple[Row, ...] = ()
    more: int = 0
    said: str = ""
    """Why none of its values has a strip, where that is the same for all."""
    is_whole: bool = False
    """Whether the rows say all that the expression does."""
    name: str = ""
    """Which of a cause's three statements it is."""


def tell_cases(course: Course, proof: Proof, value: Value | None) -> list[Told]:
    """What decided a statement, as it was compared; of a cause its three statements in turn."""
    if isinstance(value, Truth) and value.grounds:
        statements = list_statements(proof.expression)
        return [
            replace(_tell(course, proof, statement, truth.cases), name=name)
            for name, statement, truth in zip(
                (name.removeprefix("the ").capitalize() for name in GROUNDS),
                statements,
                value.grounds,
                strict=True,
            )
        ]
    if isinstance(value, Truth | Word):
        return [_tell(course, proof, proof.expression, value.cases)] if value.cases else []
    if isinstance(value, Text) and _TRIED.fullmatch(proof.expression.strip()):
        case = Case(proof.expression.strip(), True, value)
        return [_tell(course, proof, proof.expression, (case,))]
    return []


def _tell(course: Course, proof: Proof, expression: str, cases: Sequence[Case]) -> Told:
    rows = tuple(_compose_row(course, proof, case) for case in cases[:MOST_ROWS])
    measured = [side for row in rows for side in row.sides if side.strip or side.said]
    said = {side.said for side in measured}
    common = said.pop() if len(said) == 1 and len(measured) > 1 else ""
    if common:
        rows = tuple(map(_drop_said, rows))
    rows = tuple(map(_say_once, rows))
    more = max(0, len(cases) - MOST_ROWS)
    is_whole = not more and _says_all(expression)
    return Told(expression, rows, more, common, is_whole)


def _drop_said(row: Row) -> Row:
    return replace(row, sides=tuple(replace(side, said="") for side in row.sides))


def _say_once(row: Row) -> Row:
    """The row with what is said of both sides behind the second of them."""
    said = {side.said for side in row.sides}
    if len(row.sides) < 2 or len(said) > 1 or "" in said:
        return row
    return replace(_drop_said(row), said=f"each {said.pop()}")


def _says_all(expression: str) -> bool:
    """Whether an expression does no more than ask that all of its cases hold."""

    def joins(node: ast.expr) -> bool:
        match node:
            case ast.BoolOp(op=ast.And(), values=parts):
                return all(map(joins, parts))
            case ast.Call(func=ast.Name(id="all"), args=parts):
                return all(map(joins, parts))
            case ast.Compare():
                return True
            case ast.Call(func=ast.Name(id="same" | "verdict")):
                return True
        return bool(
            _TRIED.fullmatch(re.sub(r"\[:\]", '[":"]', ast.unparse(node).replace("'", '"')))
        )

    return joins(ast.parse(expression.strip(), mode="eval").body)


def _compose_row(course: Course, proof: Proof, case: Case) -> Row:
    wrong = {True: "", False: "false", None: "ambiguous"}[case.outcome]
    tried = _TRIED.fullmatch(case.text)
    if tried is not None and case.other is None:
        return _compose_tried(course, proof, case, tried)
    if case.value is None:
        return Row((RowSide(_shorten(proof, case.text), describe_outcome(case.outcome)),))
    pairs = [(case.text, case.value), (case.other_text, case.other)]
    sides = _compose_sides(proof, [(text, value) for text, value in pairs if value is not None])
    row = Row(sides, _RELATIONS.get(case.relation, case.relation), wrong=wrong)
    if tried is None:
        return row
    found = _compose_tried(course, proof, case, tried)
    return replace(row, log=found.log, log_of=found.log_of)


def describe_outcome(outcome: bool | None) -> str:
    """``true``, ``false`` or ``ambiguous``."""
    return describe_shown(Truth(outcome))


def _compose_sides(proof: Proof, pairs: Sequence[tuple[str, Number | Text]]) -> tuple[RowSide, ...]:
    """The sides of a comparison, their strips on one scale and their values in one unit."""
    numbers = [value for _, value in pairs if isinstance(value, Number)]
    unit = None
    if len(numbers) == len(pairs) and len({n.dimensions for n in numbers}) == 1:
        unit = choose_number_unit(max(numbers, key=lambda number: abs(number.shown)))
    strips = dict(zip(map(id, numbers), draw_together(numbers), strict=True))
    sides = []
    for text, value in pairs:
        name = _shorten(proof, text) if _has_name(text) else ""
        if isinstance(value, Text):
            sides.append(RowSide(name, value.value))
            continue
        strip = strips[id(value)]
        said = tell_spread(value) if value.exact is None and not strip else ""
        band = format_band(value, unit=unit)
        sides.append(RowSide(name, format_number(value, unit=unit), strip, band, said))
    return tuple(sides)


def _has_name(text: str) -> bool:
    return bool(re.search(r"[A-Za-z_]", re.sub(r"\"[^\"]*\"|'[^']*'", "", text)))


def _shorten(proof: Proof, text: str) -> str:
    """A side as it is written, on one line, without the name of the one program it speaks of."""
    words = " ".join(text.split())
    return re.sub(rf"\b{proof.program}\.", "", words) if proof.program else words


def _compose_tried(course: Course, proof: Proof, case: Case, tried: re.Match[str]) -> Row:
    """What a tool of the sanitizer or a mutant came to, and the log that shows it."""
    is_tool = tried["what"] == "sanitizer"
    said = {True: "passed" if is_tool else "rejected", False: "failed" if is_tool else "accepted"}
    word = said.get(bool(case.outcome), "") if case.value is None else describe_shown(case.value)
    log, log_of = _find_log(course, tried["program"] or proof.program, tried["what"], tried["key"])
    return Row((RowSide(tried["key"], word),), log=log, log_of=log_of)


def _find_log(course: Course, program: str, what: str, key: str) -> tuple[str, str]:
    """The log of a tool's run, or of the check that rejects a mutant, and whose it is."""
    shelf = course.shelves.get(program)
    kind = PartKind.SANITIZERS if what == "sanitizer" else PartKind.MUTANTS
    loaded = find_newest(shelf, kind) if shelf else None
    match loaded.part if loaded else None:
        case Sanitizers(runs=runs):
            found = [run.log.path for run in runs if run.tool == key and not run.mutant]
            return (found[0], key) if found else ("", "")
        case Mutants(mutants=mutants):
            trials = [trial for mutant in mutants if mutant.name == key for trial in mutant.trials]
            rejecting = [t for t in trials if t.outcome == "rejects"] or trials
            return (rejecting[0].log.path, rejecting[0].by) if rejecting else ("", "")
    return "", ""
