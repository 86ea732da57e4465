"""Which lines of a transcript do the declared patterns describe, and what do they measure?

A pattern of the ``parse`` library describes a whole line, spaces at its ends aside. Its untyped
fields are keys, its typed ones are values, whose digits are kept as printed.
"""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import Formatter
from typing import TYPE_CHECKING

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.evidence.declared import DeclaredFinding
from build_tools.evidence.layout import Cell
from build_tools.quantity.units import ONE, Unit, UnitError, parse_unit
from build_tools.source.model import LineRule

if TYPE_CHECKING:
    import parse

LONGEST_LINE = 4096
"""Characters; a longer line is never matched, since patterns may take long to fail."""

_MOST_READINGS = 1_000_000
"""A line that could be read in more ways is not read: it would take for ever to fail."""

_LINES_COMPARED = 500
_LONGEST_COMPARED = 400
"""The nearest line is a courtesy: it is not looked for in floods."""

_FIELD = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True)
class LineField:
    """A typed field of a pattern: a measurement's name and unit."""

    name: str
    unit: Unit
    unit_text: str


@dataclass(frozen=True)
class LinePattern:
    """A declared pattern, compiled."""

    rule: LineRule
    keys: tuple[str, ...]
    values: tuple[LineField, ...]
    parser: parse.Parser
    word: str
    """The longest word that the pattern's lines must hold: most lines need no closer look."""
    behind_keys: tuple[str, ...] = ()
    """What stands behind each key but one that ends the line: where the key may end."""


@dataclass(frozen=True)
class LineMatch:
    """One line that a pattern describes: its number from 1, its keys, its values as printed."""

    line: int
    keys: tuple[str, ...]
    values: tuple[Cell, ...]
    """In the order of the pattern's values."""


def compile_patterns(rules: Sequence[LineRule]) -> list[LinePattern]:
    """The declared patterns that can be used; what is wrong with others, the source stage says."""
    import parse

    patterns = []
    for rule in rules:
        try:
            fields = [(name, spec) for _, name, spec, _ in Formatter().parse(rule.pattern) if name]
            values = []
            for name, spec in fields:
                if spec:
                    text = rule.units.get(name, "")
                    values.append(LineField(name, parse_unit(text) if text else ONE, text))
            parser = parse.compile(rule.pattern.strip(), case_sensitive=True)
        except (
            ValueError,
            UnitError,
            re.error,
            NotImplementedError,
            OverflowError,
            KeyError,
        ):
            continue
        keys = tuple(name for name, spec in fields if not spec)
        literals = [literal for literal, *_ in Formatter().parse(rule.pattern)]
        word = max(" ".join(literals).split(), key=len, default="")
        parsed = list(Formatter().parse(rule.pattern.strip()))
        behind = tuple(
            following[0]
            for this, following in itertools.pairwise(parsed)
            if this[1] is not None and this[2] in ("", "w", "S")
        )
        patterns.append(LinePattern(rule, keys, tuple(values), parser, word, behind))
    return patterns


def match_line(pattern: LinePattern, line: str, number: int) -> LineMatch | None:
    """The line read by the pattern, or None when the pattern does not describe all of it."""
    text = line.strip()
    if pattern.word not in text or not text or len(text) > LONGEST_LINE:
        return None
    if _count_readings(pattern, text) > _MOST_READINGS:
        return None
    result = pattern.parser.parse(text, evaluate_result=False)
    if result is None:
        return None
    offset = len(line) - len(line.lstrip())
    spans = result.match.span
    keys = tuple(text[slice(*spans(name))].strip() for name in pattern.keys)
    values = tuple(
        Cell(text[slice(*spans(field.name))], offset + spans(field.name)[0])
        for field in pattern.values
    )
    return LineMatch(number, keys, values)


def _count_readings(pattern: LinePattern, text: str) -> int:
    """In how many ways the keys of a line could end, at most: each may be tried."""
    count = 1
    for behind in pattern.behind_keys:
        count *= max(1, text.count(behind) if behind else len(text))
    return count


def report_unmatched(pattern: LinePattern, lines: Sequence[str], path: str) -> Finding:
    """The finding for a pattern that describes no line, placed at the line most like it."""
    literal = " ".join(_FIELD.sub(" ", pattern.rule.pattern).split())
    best, number, ratio = "", 1, 0.5
    for index, line in enumerate(lines[:_LINES_COMPARED], 1):
        if not line.strip() or len(line) > _LONGEST_COMPARED:
            continue
        likeness = difflib.SequenceMatcher(None, literal, line.strip()).ratio()
        if likeness > ratio:
            best, number, ratio = line.strip(), index, likeness
    nearest = f"; the nearest line is `{best}`" if best else ""
    rule = pattern.rule
    return DeclaredFinding(
        Kind.TRANSCRIPT,
        Place(path, number),
        f"a line `{rule.pattern}` ({rule.name}, declared at {rule.place})",
        f"the pattern describes no line of the transcript{nearest}",
        "make the pattern describe the whole line, or have the program print it",
        declared=rule.place,
        declared_length=len(rule.name),
    )
