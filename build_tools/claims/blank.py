"""Which characters of a Markdown page are prose? What is not is blanked, place by place.

A blanked text has the length and the line breaks of the original, so offsets in one are offsets
in the other. Fences, indented code, comments, code spans and maths are found here; the built
page is compared with what was scanned afterwards, so a difference between this reading and the
renderer's is a finding, never a silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_NOT_NEWLINE = re.compile(r"[^\n]")
_FRONT_MATTER = re.compile(
    r"\A---[ \t]*\n.*?^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE | re.DOTALL
)
_FENCE = re.compile(r"^(?P<indent>[ \t>]*)(?P<marks>`{3,}|~{3,})(?P<info>[^\n]*)$", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ESCAPE = re.compile(r"\\[\\`*_{}\[\]()#+\-.!|<>~$]")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_MATH = re.compile(r"(?<![\\$\w])\$(?![\s$])([^$\n]+?)(?<![\s\\])\$(?!\w)|\\\((.+?)\\\)")
_DISPLAY_MATH = re.compile(r"\$\$.+?\$\$|\\\[.+?\\\]", re.DOTALL)
_CONTAINER = re.compile(
    r"\s*(?:[-*+]|\d+[.)])\s|\s*(?:!!!|\?\?\?\+?|===\+?!?)\s|\s*:\s{3}|\[\^[^\]]+\]:"
)


def blank_span(text: str, start: int, end: int) -> str:
    """The text with the characters from ``start`` to ``end`` blanked, line breaks kept."""
    return text[:start] + _NOT_NEWLINE.sub(" ", text[start:end]) + text[end:]


def blank_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with several spans blanked."""
    for start, end in spans:
        text = blank_span(text, start, end)
    return text


def blank_matches(text: str, pattern: re.Pattern[str]) -> str:
    """The text with every match of a pattern blanked."""
    return pattern.sub(lambda match: _NOT_NEWLINE.sub(" ", match[0]), text)


def blank_blocks(text: str) -> str:
    """The text without front matter, fences, indented code and comments."""
    text = blank_matches(text, _FRONT_MATTER)
    text = _blank_fences(text)
    text = blank_matches(text, _COMMENT)
    return _blank_indented_code(text)


def _blank_fences(text: str) -> str:
    """Fenced code, to the closing fence or, where none comes, to the end of the text."""
    position = 0
    while opening := _FENCE.search(text, position):
        marks = opening["marks"]
        if marks[0] == "`" and "`" in opening["info"]:
            position = opening.end()
            continue
        closing = re.compile(
            rf"^[ \t>]*{re.escape(marks[0])}{{{len(marks)},}}[ \t]*$", re.MULTILINE
        )
        found = closing.search(text, opening.end())
        end = found.end() if found else len(text)
        text = blank_span(text, opening.start(), end)
        position = end
    return text


def _blank_indented_code(text: str) -> str:
    """Lines indented by four after an empty line, unless a list, admonition or tab holds them."""
    lines = text.split("\n")
    container = False
    after_empty = True
    in_code = False
    for index, line in enumerate(lines):
        if not line.strip():
            after_empty = True
            continue
        indented = line.startswith(("    ", "\t"))
        if not indented:
            container = bool(_CONTAINER.match(line)) or (container and not after_empty)
            in_code = False
        elif not container and (after_empty or in_code):
            lines[index] = " " * len(line)
            in_code = True
        after_empty = False
    return "\n".join(lines)


def blank_code_spans(text: str) -> str:
    """The text without backslash escapes, code spans and maths."""
    text = blank_matches(text, re.compile(r"\\`"))
    text = _CODE_SPAN.sub(_blank_span_within_paragraph, text)
    text = blank_matches(text, _DISPLAY_MATH)
    text = blank_matches(text, _MATH)
    return blank_matches(text, _ESCAPE)


def _blank_span_within_paragraph(match: re.Match[str]) -> str:
    """A code span ends where its paragraph ends: ticks apart by an empty line are no span."""
    if re.search(r"\n[ \t]*\n", match[0]):
        return match[0]
    return _NOT_NEWLINE.sub(" ", match[0])


def find_code_spans(text: str) -> list[tuple[int, int, str]]:
    """Start, end and content of each code and maths span, in a text whose blocks are blanked."""
    found = []
    for match in _CODE_SPAN.finditer(blank_matches(text, re.compile(r"\\`"))):
        if not re.search(r"\n[ \t]*\n", match[0]):
            found.append((match.start(), match.end(), match[2].strip()))
    for match in _MATH.finditer(text):
        found.append((match.start(), match.end(), (match[1] or match[2]).strip()))
    return found


def locate_offset(text: str, offset: int) -> tuple[int, int]:
    """Line and column, from 1, of an offset."""
    line = text.count("\n", 0, offset) + 1
    column = offset - (text.rfind("\n", 0, offset) + 1) + 1
    return line, column
