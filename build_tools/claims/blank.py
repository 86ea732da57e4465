"""Which blocks of a Markdown page are prose? What is not is blanked, place by place.

A blanked text has the length and the line breaks of the original, so offsets in one are offsets
in the other. Front matter, fences, comments and indented code are found here, as Python-Markdown
and SuperFences find them; what stands within a line is ``inline``'s. The built page is compared
with what was scanned afterwards, so a difference between the two readings is a finding, never a
silence. Everything here takes time in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from build_tools.claims.lines import Lines

Span = tuple[int, int]
"""Start and end of a part of a text, as offsets."""

_NOT_NEWLINE = re.compile(r"[^\n]")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<body>.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_KEY = re.compile(
    r"""(?:"[^"\n]*"|'[^'\n]*'|\{[ \t]*["']?[^\s#"':{}\[\]-][^:\n]*|[^\s#"':{}\[\]-][^:\n]*)[ \t]*:(?:\s|$)"""
)
# What SuperFences reads behind the marks: a language, then attributes or options with values.
_INFO = re.compile(
    r"""[ \t]*(?:\.?[\w#.+-]+(?=[ \t]|$))?[ \t]*(?:\{[^\n]*\}|(?:[A-Za-z]\w*=(?:"[^"\n]*"|'[^'\n]*')[ \t]*)+)?[ \t]*"""
)
_FENCE = re.compile(r"^(?P<prefix>[ \t>]*)(?P<marks>`{3,}|~{3,})(?P<info>[^\n]*)$", re.MULTILINE)
_COMMENT_OPENING = re.compile(r"^[ ]{0,3}(?P<marks><!--)", re.MULTILINE)
_COMMENT_CLOSING = re.compile(r"--!?>")
_QUOTE = re.compile(r"[ ]{0,3}>[ ]?")
_CONTAINER = re.compile(
    r"(?:[-*+]|\d+[.)])\s|(?:!!!|\?\?\?\+?|===[+!]?)\s|:\s{3}|\[\^[^\[\]\n]+\]:|(?:[-*+]|\d+[.)])$"
)
_TAB = 4
"""Columns of a tab."""
_INDENT = " " * 4
"""What Markdown calls an indent: so much is code, or belongs to what began above."""


def blank_text(text: str) -> str:
    """A text of the same length and lines that holds nothing."""
    return _NOT_NEWLINE.sub(" ", text)


def blank_spans(text: str, spans: Iterable[Span]) -> str:
    """The text with the given parts blanked; they may overlap."""
    parts = []
    position = 0
    for start, end in sorted(spans):
        begin = max(start, position)
        if end > begin:
            parts += [text[position:begin], blank_text(text[begin:end])]
            position = end
    parts.append(text[position:])
    return "".join(parts)


def blank_matches(text: str, pattern: re.Pattern[str]) -> str:
    """The text with every match of a pattern blanked."""
    return pattern.sub(lambda match: blank_text(match[0]), text)


def find_front_matter(text: str) -> Span | None:
    """The front matter with its lines of dashes; None when there is none.

    As MkDocs has it: the first line is ``---`` and the lines after it are keys. A page that
    begins with a rule has text there, not front matter.
    """
    match = _FRONT_MATTER.match(text)
    if match is None:
        return None
    for line in (match["body"] or "").split("\n"):
        if line.strip() and not line.lstrip().startswith("#"):
            return match.span() if _KEY.match(line) else None
    return None


@dataclass(frozen=True)
class Fence:
    """A fence: from its opening line to the end of its closing one, or of its opening line."""

    start: int
    """Where its marks begin."""
    end: int
    marks: str
    closed: bool
    refused: bool = False
    """Whether what stands behind its marks makes it none."""


def find_fences(text: str) -> Iterator[Fence]:
    """The fences of a text, in order, as SuperFences reads them.

    A fence is closed by the same marks at the same indent. A line that is indented less ends it:
    it was none, and what it seemed to hold is text.
    """
    position = 0
    while opening := _FENCE.search(text, position):
        marks = opening["marks"]
        if marks[0] == "`" and "`" in opening["info"]:
            position = opening.end() + 1
            continue
        prefix = opening["prefix"].expandtabs(_TAB)
        closing, position = _follow_fence(text, opening.end() + 1, prefix, marks)
        start = opening.start("marks")
        if not _INFO.fullmatch(opening["info"]):
            yield Fence(start, opening.end(), marks, False, refused=True)
        elif closing is None:
            yield Fence(start, opening.end(), marks, False)
        else:
            yield Fence(start, closing, marks, True)


def _follow_fence(text: str, start: int, prefix: str, marks: str) -> tuple[int | None, int]:
    """The end of the closing line, if there is one; and where to read on."""
    position = start
    while position <= len(text):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        own, content = _split_prefix(text[position:end], len(prefix))
        position = end + 1
        if not (own + content).strip() or (">" in prefix and not content.strip()):
            continue
        if own.count(">") > prefix.count(">") or len(own) != len(prefix):
            return None, position
        if content.startswith(marks) and not content[len(marks) :].strip(" \t"):
            return end, position
    return None, len(text) + 1


def _split_prefix(line: str, width: int) -> tuple[str, str]:
    """A line's indent and quote marks up to a width, tabs expanded; and what follows."""
    own = ""
    index = 0
    while index < len(line) and len(own) < width and line[index] in " \t>":
        own += " " * (_TAB - len(own) % _TAB) if line[index] == "\t" else line[index]
        index += 1
    return own, line[index:]


def find_comments(text: str) -> list[Span]:
    """Comments that begin a line; one that is never closed is text."""
    found = []
    position = 0
    while opening := _COMMENT_OPENING.search(text, position):
        closing = _COMMENT_CLOSING.search(text, opening.end())
        if closing is None:
            break
        found.append((opening.start("marks"), closing.end()))
        position = closing.end()
    return found


def blank_blocks(text: str) -> str:
    """The text without front matter, fences, indented code and comments on lines of their own."""
    front = find_front_matter(text)
    if front is not None:
        text = blank_spans(text, [front])
    text = blank_spans(text, [(f.start, f.end) for f in find_fences(text) if f.closed])
    comments = find_comments(text)
    text_left = _remove_spans(text, comments)
    code = _find_indented_code(text_left) - _find_html_lines(text_left)
    text = blank_spans(text, comments)
    if not code:
        return text
    return "\n".join(
        " " * len(line) if index in code else line for index, line in enumerate(text.split("\n"))
    )


def _remove_spans(text: str, spans: Iterable[Span]) -> str:
    """The text without the given parts but with their line breaks, so that its lines keep theirs."""
    parts = []
    position = 0
    for start, end in spans:
        parts += [text[position:start], "\n" * text.count("\n", start, end)]
        position = end
    return "".join([*parts, text[position:]])


def find_open_fences(text: str, blocks: str) -> list[Fence]:
    """Fences that are never closed. ``blocks`` is the text with its blocks blanked."""
    return [
        fence
        for fence in find_fences(text)
        if not fence.closed and blocks.startswith(fence.marks, fence.start)
    ]


def _find_indented_code(text: str) -> set[int]:
    """The lines, from 0, indented by four or more beyond what holds them, after an empty line.

    What holds them are list items, admonitions, tabs, definitions, footnotes and quotations,
    within one another.
    """
    if (
        "\n    " not in text
        and not text.startswith("    ")
        and "\t" not in text
        and ">" not in text
    ):
        return set()
    reader = _IndentReader()
    return {
        index
        for index, line in enumerate(text.split("\n"))
        if reader.holds_code(line.expandtabs(_TAB))
    }


_BLOCK_TAG = re.compile(
    r"<(?P<close>/?)(?P<name>address|article|aside|blockquote|center|details|dialog|div|dl|fieldset"
    r"|figcaption|figure|footer|form|header|main|nav|ol|p|section|summary|table|ul)\b(?P<rest>[^<>]*)>",
    re.IGNORECASE,
)


def _find_html_lines(text: str) -> set[int]:
    """The lines, from 0, of raw HTML blocks: an indent makes no code there.

    A block reaches from its tag at a line's beginning to the one that closes it. What is marked
    with ``markdown`` is Markdown.
    """
    if "<" not in text:
        return set()
    lines = Lines("", text)
    found: set[int] = set()
    opened: re.Match[str] | None = None
    depth = 0
    for match in _BLOCK_TAG.finditer(text):
        if opened is None:
            begin = lines.starts[lines.index(match.start())]
            at_start = match.start() - begin < _TAB and not text[begin : match.start()].strip()
            if at_start and not match["close"] and not re.search(r"\bmarkdown\b", match["rest"]):
                opened, depth = match, 1
        elif match["name"].lower() == opened["name"].lower():
            depth += -1 if match["close"] else 1
            if depth == 0:
                found.update(range(lines.index(opened.start()), lines.index(match.start()) + 1))
                opened = None
    return found


class _IndentReader:
    """What the lines read so far hold: of each container whether it is a quotation."""

    def __init__(self) -> None:
        self.containers: list[bool] = []
        self.after_empty = True
        self.in_code = False

    def holds_code(self, line: str) -> bool:
        """Whether the next line is code by its indent."""
        rest, depth = self._enter(line)
        if not rest.strip():
            self.after_empty = True
            return False
        opens = bool(_QUOTE.match(rest) or _CONTAINER.match(rest.lstrip(" ")))
        if depth < len(self.containers) and (self.after_empty or opens):
            del self.containers[depth:]
            self.in_code = False
        lazy = depth < len(self.containers)
        if rest.startswith(_INDENT) and (self.after_empty or self.in_code) and not lazy:
            self.in_code = True
        else:
            self.in_code = not lazy and self._open(rest)
        self.after_empty = False
        return self.in_code

    def _enter(self, line: str) -> tuple[str, int]:
        """The line within the containers that it stands in, and how many these are."""
        for depth, is_quote in enumerate(self.containers):
            quote = _QUOTE.match(line) if is_quote else None
            if quote:
                line = line[quote.end() :]
            elif not is_quote and line.startswith(_INDENT):
                line = line[len(_INDENT) :]
            else:
                return line, depth
        return line, len(self.containers)

    def _open(self, rest: str) -> bool:
        """Enter the containers that begin on a line; whether a quotation begins with code."""
        quoted = False
        while quote := _QUOTE.match(rest):
            self.containers.append(True)
            rest = rest[quote.end() :]
            quoted = True
        if quoted and rest.startswith(_INDENT):
            return True
        if _CONTAINER.match(rest.lstrip(" ")):
            self.containers.append(False)
        return False
