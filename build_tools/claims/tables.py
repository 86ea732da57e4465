"""What do the heads of a Markdown table say of the numbers in its columns: a unit, or a name?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from build_tools.claims.blank import Span
from build_tools.claims.unit_words import MEASURED

_RULE = re.compile(r"^(?=[^\n-]*-)[ \t>|:-]+$", re.MULTILINE)
_UNIT = re.compile(rf"(?:^|[(\[,]\s?|\s)(?P<unit>{MEASURED}|%|×)[)\]]?\s*$")
_LABEL = re.compile(
    r"(?:day|lesson|step|no\.?|nr\.?|number|#|week|line|version|problem|exercise|question|id|index)s?",
    re.IGNORECASE,
)
_CELL = re.compile(r"[^|]+")


class Found(Protocol):
    """A number with its place: what a cell is asked about."""

    @property
    def start(self) -> int: ...

    @property
    def text(self) -> str: ...


@dataclass(frozen=True)
class Cell:
    """A cell's text less the space around it, and what its column's head says."""

    span: Span
    unit: str
    labels: bool
    """Whether the column numbers its rows, as under ``Day``, and the cell is a whole number."""

    def holds(self, number: Found) -> bool:
        """Whether the number is all that the cell holds."""
        return self.span == (number.start, number.start + len(number.text))


def find_cells(prose: str) -> dict[int, Cell]:
    """The cells under heads that say something, by the offset of their text."""
    cells: dict[int, Cell] = {}
    read = 0
    for rule in _RULE.finditer(prose):
        # A rule within a table is a row of it.
        if "|" not in rule[0] or not rule.start() or rule.start() < read:
            continue
        head_start = prose.rfind("\n", 0, rule.start() - 1) + 1
        heads = [_describe_head(prose[a:b]) for a, b in _split(prose, head_start, rule.start() - 1)]
        if not any(unit or labels for unit, labels in heads):
            continue
        position = rule.end() + 1
        while position < len(prose):
            end = prose.find("\n", position)
            end = len(prose) if end < 0 else end
            row = _split(prose, position, end)
            if "|" not in prose[position:end]:
                break
            for (start, stop), (unit, labels) in zip(row, heads, strict=False):
                text = prose[start:stop]
                cells[start] = Cell((start, stop), unit, labels and text.strip("*_").isdecimal())
            position = end + 1
        read = position
    return cells


def _split(text: str, start: int, end: int) -> list[Span]:
    """The cells of a row, less the space around them; empty ones keep their place."""
    begin = start
    while begin < end and text[begin] in " \t>":
        begin += 1
    if begin < end and text[begin] == "|":
        begin += 1
    cells = []
    while begin <= end:
        stop = text.find("|", begin, end)
        stop = end if stop < 0 else stop
        cell = text[begin:stop]
        first = begin + len(cell) - len(cell.lstrip(" \t*_"))
        cells.append((first, max(first, begin + len(cell.rstrip(" \t*_")))))
        begin = stop + 1
    return cells


def _describe_head(text: str) -> tuple[str, bool]:
    """The unit in a head, and whether its column numbers rows."""
    unit = _UNIT.search(text)
    return (unit["unit"] if unit else "", bool(_LABEL.fullmatch(text)))
