"""Which characters within a block of Markdown are prose? Code, maths and raw HTML are not.

A span ends where its block ends: ticks in two paragraphs, list items or cells are no code.
Everything here takes time in proportion to the text.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator

from build_tools.claims.blank import Span, blank_matches, blank_spans

_TICKS = re.compile(r"`+")
_BOUNDARY = re.compile(
    # An empty line; or a line that begins a heading, an item, a row, a definition, a box.
    r"^[ \t>]*(?:$|(?=#{1,6}[ \t]|[-*+][ \t]|\d+[.)][ \t]|\||:[ \t]|(?:!!!|\?\?\?|===|///)|\[\^))",
    re.MULTILINE,
)
_ONE_LINE = re.compile(r"^[ \t>]*(?:#{1,6}[ \t]|\||!!!|\?\?\?|===|///)[^\n]*$", re.MULTILINE)
_MATHS = re.compile(
    r"\$\$(?:[^$\n]|\n(?![ \t>]*\n))+\$\$"
    r"|(?<![\\$\w])\$(?![\s$])(?P<dollars>[^$\n]+?)(?<![\s\\])\$(?!\w)"
    r"|\\\((?P<round>(?:[^\\\n]|\\(?![()]))+)\\\)"
    r"|^[ \t>]*\\\[(?:[^\\\n]|\\(?![\[\]])|\n(?![ \t>]*\n))*\\\]",
    re.MULTILINE,
)
_ESCAPE = re.compile(r"\\[\\`*_{}\[\]()#+\-.!|<>~$]")
_EMPTY_LINE = re.compile(r"\n[ \t>]*\n")
_RAW_TAG = re.compile(
    r"<(?P<close>/?)(?P<name>script|style|pre|svg|math|textarea)\b[^<>]*>", re.IGNORECASE
)


def blank_inline(text: str) -> str:
    """The text without code spans, comments, raw code, maths and backslash escapes.

    ``text`` is a page's text with its blocks blanked.
    """
    text = blank_spans(text, find_ticked(text))
    text = blank_spans(text, _find_inline_comments(text))
    text = blank_spans(text, _find_raw_elements(text))
    text = blank_matches(text, _MATHS)
    return blank_matches(text, _ESCAPE)


def blank_code(text: str) -> str:
    """The text without code spans and comments; raw HTML stays. Its blocks are blanked."""
    text = blank_spans(text, find_ticked(text))
    return blank_spans(text, _find_inline_comments(text))


def find_code_spans(text: str) -> list[tuple[int, int, str]]:
    """Start, end and content of each code and maths span of a text whose blocks are blanked."""
    found = []
    for start, end in find_ticked(text):
        found.append((start, end, text[start:end].strip("`").strip()))
    for match in _MATHS.finditer(text):
        content = match["dollars"] or match["round"]
        if content:
            found.append((match.start(), match.end(), content.strip()))
    return found


def find_ticked(text: str) -> Iterator[Span]:
    """Code spans, ticks and all, as Python-Markdown pairs them within each block."""
    if "`" not in text:
        return
    ends = sorted(
        {match.start() for match in _BOUNDARY.finditer(text)}
        | {match.end() for match in _ONE_LINE.finditer(text)}
        | {len(text)}
    )
    waiting: list[Span] = []
    index = 0
    for match in _TICKS.finditer(text):
        while match.start() >= ends[index] and index + 1 < len(ends):
            index += 1
            if waiting:
                yield from _pair_ticks(text, waiting)
                waiting = []
        waiting.append(match.span())
    yield from _pair_ticks(text, waiting)


def _pair_ticks(text: str, runs: list[Span]) -> Iterator[Span]:
    """The spans that the runs of ticks of one block make."""
    by_length: dict[int, list[int]] = {}
    for start, end in runs:
        by_length.setdefault(end - start, []).append(start)
    position = 0
    for start, end in runs:
        if start < position or _is_escaped(text, start):
            continue
        # A run that no other of its length answers opens with fewer of its ticks.
        for length in range(end - start, 0, -1):
            starts = by_length.get(length)
            if starts is None:
                continue
            found = bisect.bisect_left(starts, end)
            if found < len(starts):
                position = starts[found] + length
                yield start, position
                break


def _is_escaped(text: str, offset: int) -> bool:
    """Whether an odd number of backslashes stands before an offset."""
    begin = offset
    while begin and text[begin - 1] == "\\":
        begin -= 1
    return (offset - begin) % 2 == 1


def _find_inline_comments(text: str) -> Iterator[Span]:
    """Comments that are closed in their own block."""
    start = text.find("<!--")
    end = -1
    empty = (-1, -1)
    while start >= 0:
        # Each is looked for again only where the one that was found lies behind.
        if end < start + 4:
            end = text.find("-->", start + 4)
        if end < 0:
            return
        if empty[0] < start:
            match = _EMPTY_LINE.search(text, start)
            empty = match.span() if match else (len(text), len(text) + 1)
        if empty[1] <= end:
            start = text.find("<!--", start + 4)
            continue
        yield start, end + 3
        start = text.find("<!--", end)


def _find_raw_elements(text: str) -> Iterator[Span]:
    """Elements of raw HTML that hold no prose, from the outermost tag to the one that closes it."""
    opened: re.Match[str] | None = None
    depth = 0
    for match in _RAW_TAG.finditer(text):
        if opened is None:
            if not match["close"] and not match[0].endswith("/>"):
                opened, depth = match, 1
        elif match["name"].lower() == opened["name"].lower():
            depth += -1 if match["close"] else 1
            if depth == 0:
                yield opened.start(), match.end()
                opened = None
