"""Which characters of a program are code and which are comment?

The lexical level only, by the standard's own order: comments, literals, words, numbers and
punctuators by the longest match. tree-sitter's CUDA grammar is used for what is above it
(``syntax``), not here: it leaves ``//`` comments in the text of a directive and lets a ``/*``
that stands in a directive's string or comment swallow the code below it, so a code digest
built on it would miss that code.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

_LEXEME = re.compile(
    r"""
    (?P<space> [^\S\n]+ | \\\n )
  | (?P<newline> \n )
  | (?P<comment> // (?: \\\n | [^\n] )* | /\* .*? (?: \*/ | \Z ) )
  | (?P<raw> (?: u8 | [uUL] )? R" (?P<delimiter> [^\s()\\"]{0,16} ) \( .*?
        (?: \) (?P=delimiter) " \w* | \Z ) )
  | (?P<string> (?: u8 | [uUL] )? " (?: \\. | [^"\\\n] )* (?: " \w* | (?=\n) | \\? \Z ) )
  | (?P<character> (?: u8 | [uUL] )? ' (?: \\. | [^'\\\n] )* (?: ' \w* | (?=\n) | \\? \Z ) )
  | (?P<number> \.?\d (?: [eEpP][+-] | '?\w | \. )* )
  | (?P<word> [^\W\d]\w* )
  | (?P<punctuator> <<< | >>> | <<= | >>= | <=> | ->\* | \.\.\. | :: | \+\+ | -- | << | >> | <=
        | >= | == | != | && | \|\| | [-+*/%&|^]= | -> | \.\* | \#\# | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_SYSTEM_HEADER = re.compile(r"<[^>\n]*>")


class TokenKind(StrEnum):
    """What a token is. ``END`` is the end of a preprocessor directive's line."""

    WORD = "word"
    NUMBER = "number"
    STRING = "string"
    RAW = "raw"
    CHARACTER = "character"
    PUNCTUATOR = "punctuator"
    HEADER = "header"
    MACRO = "macro"
    """A function-like macro's name with the parenthesis that must touch it."""
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of code, as written, and its offset in the text."""

    kind: TokenKind
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


_KINDS = {kind.value: kind for kind in TokenKind} | {"delimiter": TokenKind.RAW}
"""The kind of each group of the pattern; that of a raw string is named by its delimiter."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment as written, its offset, and whether nothing else stands on its lines."""

    text: str
    start: int
    line: int
    column: int
    is_alone: bool

    @property
    def is_block(self) -> bool:
        return self.text.startswith("/*")


@dataclass(frozen=True)
class Scan:
    """A text's tokens and comments. Each character is in one of them, or is white space."""

    text: str
    tokens: tuple[Token, ...]
    comments: tuple[Comment, ...]
    line_starts: tuple[int, ...]

    def locate(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1


@lru_cache(maxsize=32)
def scan_source(text: str) -> Scan:
    """The tokens and comments of a text with LF line ends.

    Never fails: a literal or comment that is not closed ends with its line or the text.
    """
    starts = (0, *(match.end() for match in re.finditer("\n", text)))
    tokens: list[Token] = []
    comments: list[Comment] = []
    bare = Scan(text, (), (), starts)
    # One loop over every lexeme of every program: a call for each would be most of its time.
    find, end = _LEXEME.match, len(text)
    position = 0
    fresh_line = True
    directive: list[str] | None = None
    while position < end:
        match = find(text, position)
        if match is None:  # pragma: no cover - the last alternative takes any character
            raise AssertionError(position)
        kind = match.lastgroup or ""
        start, position = position, match.end()
        if kind == "space":
            continue
        lexeme = text[start:position]
        if kind == "newline":
            if directive is not None:
                tokens.append(Token(TokenKind.END, lexeme, start))
            directive, fresh_line = None, True
        elif kind == "comment":
            line, column = bare.locate(start)
            alone = _stands_alone(text, start, len(lexeme))
            comments.append(Comment(lexeme, start, line, column, alone))
        else:
            if directive is not None:
                kind, lexeme = _read_in_directive(text, start, kind, lexeme, directive)
                position = start + len(lexeme)
                directive.append(lexeme)
            elif fresh_line and lexeme == "#":
                directive = [lexeme]
            fresh_line = False
            tokens.append(Token(_KINDS[kind], lexeme, start))
    if directive is not None:
        tokens.append(Token(TokenKind.END, "", position))
    return Scan(text, tuple(tokens), tuple(comments), starts)


def _read_in_directive(
    text: str, position: int, kind: str, lexeme: str, before: list[str]
) -> tuple[str, str]:
    """What a lexeme is in a directive: ``<a//b>`` is one header, ``F(`` a macro's name."""
    if before == ["#", "include"] and lexeme.startswith("<"):
        header = _SYSTEM_HEADER.match(text, position)
        if header is not None:
            return "header", header[0]
    if (
        before == ["#", "define"]
        and kind == "word"
        and text.startswith("(", position + len(lexeme))
    ):
        return "macro", lexeme + "("
    return kind, lexeme


def _stands_alone(text: str, start: int, length: int) -> bool:
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start + length)
    after = text[start + length : line_end if line_end >= 0 else len(text)]
    return not text[line_start:start].strip(" \t") and not after.strip(" \t")
