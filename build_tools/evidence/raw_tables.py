"""Which tables does a transcript hold, by their rules of dashes?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from build_tools.evidence.layout import (
    Cell,
    Span,
    assign_cells,
    find_rule,
    split_chunks,
)
from build_tools.evidence.printed import is_not_finite, read_printed


@dataclass(frozen=True)
class RawTable:
    """A table as it stands: its header's line and cells, its spans, and the lines below."""

    number: int
    """The header's line, from 1; the rule is the next."""
    header: tuple[Cell, ...]
    """One a column; an empty text where the header has none."""
    spans: tuple[Span, ...]
    body: tuple[tuple[int, str], ...]

    @property
    def headers(self) -> tuple[str, ...]:
        return tuple(" ".join(cell.text.split()) for cell in self.header)


def find_tables(lines: Sequence[str], taken: set[int]) -> list[RawTable]:
    """Every table of the transcript; ``taken`` are the numbers of lines that patterns describe."""
    starts: list[tuple[int, tuple[Span, ...]]] = []
    for index in range(1, len(lines)):
        spans = find_rule(lines[index])
        above = lines[index - 1]
        if not spans or not above.strip() or index in taken or find_rule(above):
            continue
        repeats = bool(starts) and starts[-1][1] == spans
        if repeats and any(is_number(cell.text) for cell in split_chunks(above)):
            continue  # the rule that closes a table, or parts its rows
        starts.append((index, spans))
    tables = []
    for place, (number, spans) in enumerate(starts):
        end = starts[place + 1][0] - 1 if place + 1 < len(starts) else len(lines)
        body = tuple(
            (index + 1, lines[index])
            for index in range(number + 1, end)
            if index + 1 not in taken and not find_rule(lines[index])
        )
        cells = assign_cells(lines[number - 1], spans) or (None,) * len(spans)
        header = tuple(
            cell or Cell("", span.start) for cell, span in zip(cells, spans, strict=True)
        )
        tables.append(RawTable(number, header, spans, body))
    return tables


def is_number(text: str) -> bool:
    """Whether a cell holds a number, or what stands for one that is not finite."""
    return read_printed(text) is not None or is_not_finite(text)
