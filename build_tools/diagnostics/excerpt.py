"""What stands in the file where a finding points, and how is that line shown with a mark under it?

Files are read here and nowhere else in the stage, from the course's root. A line is cut around
the place it is shown for; what could steer a terminal is made visible.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from build_tools.diagnostics.finding import Finding, speaks_of_file
from build_tools.diagnostics.visible import show_on_line

WIDTH = 96
"""Columns of a terminal that a shown line takes at most."""
BEFORE = 40
"""Columns kept before the place when a line is cut."""
TAB = 4
"""Columns between tab stops."""
LARGEST_FILE = 32 * 1024 * 1024
"""Bytes of a file that is still opened for a line of it."""

_CUT = "…"
_TICKED = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class SourceLine:
    """One line of a file, and the part of it that a finding speaks of."""

    text: str
    """Without its line end."""
    start: int
    """Offset of the first character of the part."""
    end: int
    """Offset behind its last character; ``start`` where only the place is known."""


class SourceReader:
    """The lines of a course's files; the file read last is kept, for findings come in its order."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._path = ""
        self._lines: list[str] = []

    def read_line(self, finding: Finding) -> SourceLine | None:
        """The line of a finding's place; None where it speaks of no line that is there.

        What speaks of its file as a whole has none.
        """
        place = finding.place
        if speaks_of_file(finding):
            return None
        if place.path != self._path:
            self._path, self._lines = place.path, self._read_lines(place.path)
        if not 1 <= place.line <= len(self._lines):
            return None
        text = self._lines[place.line - 1]
        start = min(max(place.column - 1, 0), len(text))
        length = finding.length or _measure_stated(finding, text, start)
        return SourceLine(text, start, min(start + length, len(text)))

    def _read_lines(self, path: str) -> list[str]:
        """A file's lines as places count them; none for what is no file of the course."""
        try:
            file = (self.root / path).resolve()
            # A name may come from a bundle or a compiler: nothing outside the course is shown.
            if not (file.is_relative_to(self.root) and file.is_file()):
                return []
            if file.stat().st_size > LARGEST_FILE:
                return []
            text = file.read_bytes().decode("utf-8-sig", "replace")
        except (OSError, ValueError, RuntimeError):
            return []
        return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _measure_stated(finding: Finding, text: str, start: int) -> int:
    """The length of what is stated in ticks, where just that begins at the place; else 0."""
    quoted = _TICKED.search(finding.stated)
    return len(quoted[1]) if quoted and text.startswith(quoted[1], start) else 0


def draw_line(line: SourceLine, width: int = WIDTH) -> tuple[str, str]:
    """The line as a terminal shows it, and under it ``^~~~`` below the part it is shown for.

    Both are free of control characters; the line has at most ``width`` columns, cut ends as
    ``…``. A wide character takes two columns, a combining mark none.
    """
    first, last = _choose_window(line, width)
    shown, stops = _draw_characters(line.text[first:last], _CUT if first else "")
    at = stops[line.start - first]
    behind = stops[min(max(line.end, line.start), last) - first]
    if last < len(line.text):
        shown += _CUT
    return shown, " " * at + "^" + "~" * (behind - at - 1)


def _choose_window(line: SourceLine, width: int) -> tuple[int, int]:
    """The offsets between which the line is shown: all of it, or what fits around the part."""
    text = line.text
    if len(text) <= width and _draw_characters(text, "")[1][-1] <= width:
        return 0, len(text)
    whole = width - 2 * len(_CUT)
    first = _reach_back(text, line.start, min(BEFORE, whole // 2))
    last, room = first, whole
    while last < len(text) and (room := room - _measure_most(text[last])) >= 0:
        last += 1
    if last == len(text):
        first = _reach_back(text, last, whole)
    return min(first, line.start), max(last, line.start)


def _reach_back(text: str, end: int, room: int) -> int:
    """The offset of the first character that still fits into ``room`` columns before ``end``."""
    first = end
    while first > 0 and (room := room - _measure_most(text[first - 1])) >= 0:
        first -= 1
    # A mark belongs to the character before it.
    while 0 < first < end and unicodedata.combining(text[first]):
        first += 1
    return first


def _measure_most(character: str) -> int:
    """The most columns a character can take."""
    return TAB if character == "\t" else _measure(show_on_line(character))


def _draw_characters(text: str, before: str) -> tuple[str, list[int]]:
    """The text as shown behind ``before``, and the column at which each character begins.

    One more column is that behind the last character.
    """
    parts = [before]
    column = len(before)
    stops = []
    for character in text:
        stops.append(column)
        shown = " " * (TAB - column % TAB) if character == "\t" else show_on_line(character)
        parts.append(shown)
        column += _measure(shown)
    stops.append(column)
    return "".join(parts), stops


def _measure(shown: str) -> int:
    """The columns that a text without tabs and controls takes."""
    return sum(_measure_character(character) for character in shown)


def _measure_character(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
