"""How is a character shown that has no shape of its own: a control byte, a mark, half a pair?

Program output and authors' texts are untrusted: nothing of them may steer a terminal, turn the
order of a line around, or hide in it.
"""

from __future__ import annotations


def _list_replacements() -> dict[int, str]:
    table = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"}
    table[0x7F] = "\N{SYMBOL FOR DELETE}"
    table |= {code: f"⟨U+{code:04X}⟩" for code in range(0x80, 0xA0)}
    # A byte that was not UTF-8 stands in a decoded text as a low surrogate; no page may hold one.
    table |= dict.fromkeys(range(0xD800, 0xE000), "\N{REPLACEMENT CHARACTER}")
    table |= {0xDC00 + byte: f"⟨0x{byte:02X}⟩" for byte in range(0x80, 0x100)}
    return table


_REPLACEMENTS = _list_replacements()

UNSEEN = frozenset("\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u2060\ufeff") | frozenset(
    chr(code) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
)
"""Marks without a shape of their own: they turn the order of text around, or hide in it."""

_LINE_REPLACEMENTS = (
    _REPLACEMENTS
    | {ord(mark): f"⟨U+{ord(mark):04X}⟩" for mark in (*UNSEEN, "\u2028", "\u2029")}
    | {ord("\n"): "\N{SYMBOL FOR NEWLINE}"}
)


def show_controls(text: str) -> str:
    """``text`` with every control character but tab and line feed as a visible symbol."""
    return text.translate(_REPLACEMENTS)


def show_on_line(text: str) -> str:
    """``text`` for one line of a terminal: controls, unseen marks and line ends made visible.

    Tabs stay.
    """
    return text.translate(_LINE_REPLACEMENTS)
