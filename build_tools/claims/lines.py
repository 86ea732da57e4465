"""On which line and in which column does an offset of a page stand?"""

from __future__ import annotations

import bisect
import re

from build_tools.diagnostics.finding import Place

_NEWLINE = re.compile("\n")


class Lines:
    """The lines of one page, found once however many places are asked for."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.length = len(text)
        self.starts = [0, *(match.end() for match in _NEWLINE.finditer(text))]

    def index(self, offset: int) -> int:
        """The line's number, from 0."""
        return bisect.bisect_right(self.starts, offset) - 1

    def place(self, offset: int) -> Place:
        """Line and column from 1."""
        index = self.index(offset)
        return Place(self.path, index + 1, offset - self.starts[index] + 1)

    def end(self, index: int) -> int:
        """Where a line's text ends, before its line break."""
        return self.length if index + 1 == len(self.starts) else self.starts[index + 1] - 1
