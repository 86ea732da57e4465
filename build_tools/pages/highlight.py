"""In which colours does a line of a program stand? Each program is coloured once, then sliced.

A region coloured alone would lose its context, such as a block comment that began above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup, escape
from pygments.lexer import RegexLexer
from pygments.lexers.c_like import CudaLexer
from pygments.token import STANDARD_TYPES, _TokenType

from build_tools.claims.memo import digest_text
from build_tools.pages.hrefs import name_region_anchor
from build_tools.pages.visible import mark_up
from build_tools.source.tokens import scan_source


class Token(NamedTuple):
    """A piece of one line, and the CSS class of its colour (empty for none)."""

    css: str
    text: str


Line = tuple[Token, ...]
"""A line without its end."""


@dataclass(frozen=True)
class CodeLine:
    """A line as it is shown: its number in the program, and its tokens."""

    number: int
    tokens: Line
    anchor: str = ""
    """The id of the line on its page, or empty."""
    opens: tuple[str, ...] = ()
    """Names of the regions that begin here; each is an anchor as well."""
    depth: int = 0
    """In how many regions it lies; only for a whole program."""
    gap: bool = False
    """Whether lines of the program are left out above it, and that is to be seen."""
    changed: bool = False
    """Whether it differs between the two texts that are shown."""
    marker: bool = False
    """Whether it holds nothing but a marker; only for a whole program."""


@lru_cache(maxsize=512)
def color_source(text: str) -> tuple[Line, ...]:
    r"""The lines of a program (LF ends) as tokens; joined by ``\n`` they are ``text`` again.

    Coloured function by function, so that what programs, their starters and their next versions
    have in common is coloured once.
    """
    lines: list[Line] = [()]
    for piece in split_source(text):
        # The line that a piece ends with is empty, and the next piece's first.
        lines[-1:] = _color_piece(piece)
    colored = tuple(lines)
    if _join_lines(colored) != text:
        raise AssertionError("the lexer changed the source: it must not be shown")
    return colored


@lru_cache(maxsize=512)
def split_source(text: str) -> tuple[str, ...]:
    """A program in pieces that can be coloured alone.

    A piece ends with the line of a ``}`` or ``;`` outside of all braces and conditions, where
    nothing is open any more.
    """
    scan = scan_source(text)
    pieces, start = [], 0
    braces = conditions = 0
    for index, token in enumerate(scan.tokens):
        if token.text == "#" and index + 1 < len(scan.tokens):
            word = scan.tokens[index + 1].text
            conditions += word in ("if", "ifdef", "ifndef")
            conditions -= word == "endif"
        braces += {"{": 1, "}": -1}.get(token.text, 0)
        if token.text not in ("}", ";") or braces or conditions:
            continue
        end = token.start + len(token.text)
        line_end = text.find("\n", end) + 1
        if line_end and not text[end:line_end].strip():
            pieces.append(text[start:line_end])
            start = line_end
    return (*pieces, text[start:])


def _color_piece(text: str) -> tuple[Line, ...]:
    digest = digest_text(text)
    kept = _kept.get(digest)
    if kept is not None and _join_lines(kept) == text:
        return kept
    lines: list[list[Token]] = [[]]
    lexer: RegexLexer = CudaLexer()  # type: ignore[no-untyped-call]
    # The unprocessed tokens: `get_tokens` would strip, expand and append.
    for _, kind, value in lexer.get_tokens_unprocessed(text):
        css = _find_css_class(kind)
        first, *rest = value.split("\n")
        if first:
            lines[-1].append(_make_token(css, first))
        for piece in rest:
            lines.append([_make_token(css, piece)] if piece else [])
    colored = tuple(tuple(line) for line in lines)
    _kept[digest] = colored
    return colored


_kept: dict[str, tuple[Line, ...]] = {}
"""Coloured pieces by the digests of their texts."""
_recalled: set[str] = set()
"""The digests of those that were coloured before: some may be of programs that changed since."""


def recall_colored(kept: Mapping[str, tuple[Line, ...]]) -> None:
    """Know pieces that were coloured before, by this version of everything, and no others."""
    color_source.cache_clear()
    _kept.clear()
    _kept.update(kept)
    _recalled.clear()
    _recalled.update(kept)


def add_colored(more: Mapping[str, tuple[Line, ...]]) -> None:
    """Know pieces that another process of this build has coloured."""
    _kept.update(more)


def copy_colored() -> dict[str, tuple[Line, ...]]:
    """All pieces that are known, by the digests of their texts."""
    return dict(_kept)


def count_colored() -> int:
    """How many pieces are known: more than were recalled, once one was coloured."""
    return len(_kept)


def list_colored(texts: Iterable[str]) -> dict[str, tuple[Line, ...]]:
    """The pieces of some programs that have been coloured, by the digests of their texts.

    Without a piece that was recalled all are a program's of this build.
    """
    if not _recalled:
        return dict(_kept)
    digests = [digest_text(piece) for text in texts for piece in split_source(text)]
    return {digest: _kept[digest] for digest in digests if digest in _kept}


def _join_lines(lines: Sequence[Line]) -> str:
    return "\n".join(["".join([token.text for token in line]) for line in lines])


@lru_cache(maxsize=8192)
def _make_token(css: str, text: str) -> Token:
    """A token; the same object for the same text, of which programs hold many."""
    return Token(css, text)


@cache
def _find_css_class(kind: _TokenType) -> str:
    found = kind
    while found.parent is not None and found not in STANDARD_TYPES:
        found = found.parent
    return STANDARD_TYPES.get(found, "")


def cut_line(line: Line, shown: str) -> Line:
    """The tokens of the end of ``line`` that reads ``shown``, its indent being taken away.

    Where ``shown`` is not the end of the line it comes back without colour: text goes first.
    """
    whole = "".join([token.text for token in line])
    if whole == shown:
        return line
    if not whole.endswith(shown):
        return (Token("", shown),) if shown else ()
    excess = len(whole) - len(shown)
    kept = []
    for token in line:
        taken = min(excess, len(token.text))
        excess -= taken
        if taken < len(token.text):
            kept.append(Token(token.css, token.text[taken:]))
    return tuple(kept)


def slice_lines(text: str, numbers: Iterable[int], shown: str) -> list[CodeLine]:
    """The lines ``numbers`` (from 1) of the program ``text``, cut to read ``shown``.

    ``shown`` holds as many lines, LF ends.
    """
    colored = color_source(text)
    lines = shown.removesuffix("\n").split("\n")
    return [
        CodeLine(number, cut_line(colored[number - 1], line))
        for number, line in zip(numbers, lines, strict=True)
    ]


def compose_code(
    lines: Sequence[CodeLine], *, ends: bool = True, is_counted: bool = False
) -> Markup:
    """The inside of a ``code`` element: its text is that of the lines, each ended by LF.

    Without ``ends`` the last line has none. Line numbers are attributes, never text; where the
    style sheet counts lines only one that does not follow the one before it says its number.
    """
    # The line's end stands behind its element, so that a style sheet can write at a line's end.
    before = [-1, *(line.number for line in lines)]
    html = "\n".join(
        _compose_line(line, is_counted, line.number == last + 1)
        for last, line in zip(before, lines, strict=False)
    )
    return Markup(html + "\n" if ends and lines else html)  # noqa: S704 - escaped piece by piece


def _compose_line(line: CodeLine, is_counted: bool, follows: bool) -> str:
    attributes = f' data-line="{line.number}"'
    if is_counted:
        attributes = "" if follows else f' style="counter-reset:line {line.number - 1}"'
    if line.anchor:
        attributes += f' id="{escape(line.anchor)}"'
    if line.depth:
        attributes += f' data-depth="{min(line.depth, 3)}"'
    if line.gap:
        attributes += " data-gap"
    if line.changed:
        attributes += " data-changed"
    if line.marker:
        attributes += " data-marker"
    if line.opens:
        attributes += f' data-opens="{escape(", ".join(line.opens))}"'
    anchors = "".join(
        f'<span class="course-anchor" id="{escape(name_region_anchor(name))}"></span>'
        for name in line.opens
    )
    text = _compose_tokens(line.tokens)
    return f'{anchors}<span class="course-line"{attributes}>{text}</span>'


PLAIN = frozenset({"", "w", "n", "p", "o"})
"""Classes without a colour of their own: white space, names, punctuation and operators. They are
most of a program, and an element for each would be most of a page."""


@lru_cache(maxsize=8192)
def _compose_tokens(tokens: Line) -> str:
    # Neighbours of one colour need one element.
    runs = groupby(tokens, lambda token: "" if token.css in PLAIN else token.css)
    return "".join(
        _compose_token(_make_token(css, "".join([token.text for token in run])))
        for css, run in runs
    )


@lru_cache(maxsize=8192)
def _compose_token(token: Token) -> str:
    """A token's HTML; a program's text is made of few different ones."""
    text = mark_up(token.text)
    if not token.css:
        return text
    return f'<span class="{token.css}">{text}</span>'
