"""What does a text say once its spelling is folded, and which characters said it?

Digits of any script, the micro sign, minus signs, special spaces and character references are
folded to one spelling each; emphasis and code ticks are taken off. Each folded character knows
the characters it came from, so that a new number can be put exactly where the old one stands.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass

_SPACES = "\u00a0\u2007\u2009\u200a\u202f"
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{1,12});")
_MARKUP = re.compile(
    r"(?P<mark>\*{1,3}|`+)(?=[^\s*`])(?P<inner>[^*`]*[^\s*`])(?P=mark)"
    r"|(?<!\w)(?P<line>_{1,3})(?=[^\s_])(?P<words>[^_]*[^\s_])(?P=line)(?!\w)"
)


@dataclass(frozen=True)
class Folded:
    """A folded text with its map.

    ``starts`` and ``ends`` hold, for each of its characters, the offsets in the original of the
    character (or reference) that it came from.
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def find_original(self, start: int, end: int) -> tuple[int, int]:
        """The offsets in the original of a span that is not empty."""
        return self.starts[start], self.ends[end - 1]


def fold_original(text: str) -> Folded:
    """The folded text with its map; spaces at the ends are left out."""
    hidden = _find_markup(text)
    characters: list[tuple[str, int, int]] = []
    position = 0
    while position < len(text):
        reference = _REFERENCE.match(text, position) if text[position] == "&" else None
        end = reference.end() if reference else position + 1
        character = html.unescape(text[position:end]) if reference else text[position]
        if len(character) == 1 and position not in hidden:
            characters.append((_fold_character(character), position, end))
        elif len(character) != 1:
            characters += [(c, position, end) for c in text[position:end]]
        position = end
    while characters and characters[0][0].isspace():
        characters.pop(0)
    while characters and characters[-1][0].isspace():
        characters.pop()
    return Folded(
        "".join(c for c, _, _ in characters),
        tuple(start for _, start, _ in characters),
        tuple(end for _, _, end in characters),
    )


def fold_text(text: str) -> str:
    """The text with digits, signs and spaces folded and emphasis and code ticks taken off."""
    return fold_original(text).text


def _find_markup(text: str) -> frozenset[int]:
    """The offsets of the characters that open and close emphasis and code spans."""
    hidden: set[int] = set()
    shown = text
    while True:
        match = _MARKUP.search(shown)
        if match is None:
            return frozenset(hidden)
        width = len(match["mark"] or match["line"])
        for edge in (match.start(), match.end() - width):
            hidden.update(range(edge, edge + width))
            # What is taken off must not be found again, and must not join its neighbours.
            shown = shown[:edge] + "\0" * width + shown[edge + width :]


def _fold_character(character: str) -> str:
    if character.isdecimal() and not character.isascii():
        return str(unicodedata.decimal(character))
    if character == "−":
        return "-"
    if character == "\N{GREEK SMALL LETTER MU}":
        return "µ"
    return " " if character in _SPACES else character
