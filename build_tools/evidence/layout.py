"""Where in a fixed-width table's line do its cells stand?

A table is a header line above a rule of dashes, one group of dashes a column. A cell belongs to
the column whose group it overlaps. A cell wider than its column either runs over its neighbours'
gap, to the left or to the right, or pushes the rest of its line to the right, as ``printf`` does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_RULE = re.compile(r"\s*-+(?:\s+-+)+\s*")
_DASHES = re.compile(r"-+")
_CHUNK = re.compile(r"\S+(?: \S+)*")
_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Span:
    """Offsets in a line: ``start`` up to, not including, ``end``."""

    start: int
    end: int

    def overlap(self, other: Span) -> int:
        """How many characters the two share."""
        return max(0, min(self.end, other.end) - max(self.start, other.start))


@dataclass(frozen=True)
class Cell:
    """A cell as printed, and the offset of its first character in the line."""

    text: str
    start: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.start + len(self.text))


Cells = tuple[Cell | None, ...]
"""One a column; None where the column is empty."""


def find_rule(line: str) -> tuple[Span, ...]:
    """The columns' spans when the line is a rule of at least two groups of dashes, else none."""
    if not _RULE.fullmatch(line):
        return ()
    return tuple(Span(*match.span()) for match in _DASHES.finditer(line))


def assign_cells(line: str, spans: Sequence[Span]) -> Cells | None:
    """The line's cells by column, or None when they cannot be told apart."""
    words = [Span(*match.span()) for match in _WORD.finditer(line)]
    chunks = _find_chunks(line, spans)
    if len(chunks) == len(spans):
        return tuple(_cut(line, chunk) for chunk in chunks)
    by_overlap = _assign_by_overlap(line, chunks, spans)
    if by_overlap:
        return by_overlap
    if len(words) == len(spans):
        return tuple(_cut(line, word) for word in words)
    if len(chunks) == 1:
        return None  # a sentence, whose words happen to lie under columns
    return _assign_by_overlap(line, words, spans) or _assign_by_shift(line, spans)


def stands_aligned(line: str, spans: Sequence[Span]) -> bool:
    """Whether every column is filled and every cell keeps to its own column."""
    cells = _assign_by_overlap(line, _find_chunks(line, spans), spans)
    return cells is not None and all(cells)


def _find_chunks(line: str, spans: Sequence[Span]) -> list[Span]:
    """The texts that may be cells: parted by two spaces, or by one where columns are."""
    separate = all(right.start - left.end >= 2 for left, right in pairwise(spans))
    return [Span(*match.span()) for match in (_CHUNK if separate else _WORD).finditer(line)]


def split_chunks(line: str) -> list[Cell]:
    """The line's texts, where two spaces or more separate them."""
    return [Cell(match[0], match.start()) for match in _CHUNK.finditer(line)]


def _cut(line: str, span: Span) -> Cell:
    return Cell(line[span.start : span.end], span.start)


def _assign_by_overlap(line: str, pieces: Sequence[Span], spans: Sequence[Span]) -> Cells | None:
    """Each piece to the one column that it overlaps; None when one overlaps several or none."""
    homes: dict[int, Span] = {}
    for piece in pieces:
        overlapped = [i for i, span in enumerate(spans) if span.overlap(piece)]
        if len(overlapped) != 1:
            return None
        before = homes.get(overlapped[0])
        homes[overlapped[0]] = Span(before.start, piece.end) if before else piece
    return tuple(_cut(line, homes[i]) if i in homes else None for i in range(len(spans)))


def _assign_by_shift(line: str, spans: Sequence[Span]) -> Cells | None:
    """Cells as ``printf`` places them: each overflow pushes what follows to the right."""
    cells: list[Cell | None] = []
    shift = 0
    done = 0
    for index, span in enumerate(spans):
        start, end = span.start + shift, span.end + shift
        if line[done:start].strip():
            return None
        last = index + 1 == len(spans)
        gap = 1 if last else spans[index + 1].start - span.end
        overflow = end
        while line[overflow : overflow + gap].strip():
            overflow += 1
        text = line[start:overflow]
        stripped = text.strip()
        cells.append(Cell(stripped, start + len(text) - len(text.lstrip())) if stripped else None)
        shift += overflow - end
        done = overflow
    return None if line[done:].strip() else tuple(cells)
