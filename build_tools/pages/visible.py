"""How is text shown that holds what no page should: control bytes, colours, unseen marks?

Program output is untrusted. Control bytes become visible symbols before anything is handed to
Python-Markdown, whose own placeholders are made of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from markupsafe import Markup, escape

PAGE_CAP = 64 * 1024
"""How many bytes of a transcript a page shows."""

_SGR = re.compile(r"\x1b\[[0-9;:]*m")


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

_UNSEEN = re.compile(f"[{''.join(sorted(UNSEEN))}]")


def show_controls(text: str) -> str:
    """``text`` with every control character but tab and line feed as a visible symbol."""
    return text.translate(_REPLACEMENTS)


def mark_up(text: str) -> Markup:
    """``text`` as HTML: escaped, controls visible, unseen marks isolated and named.

    The text that a browser reads back is that of ``show_controls``: a mark stays where it is,
    its name is drawn by the style sheet.
    """
    escaped = escape(show_controls(text))
    if not _UNSEEN.search(escaped):
        return escaped
    return Markup(_UNSEEN.sub(_isolate, escaped))  # noqa: S704 - escaped just above


def _isolate(match: re.Match[str]) -> str:
    mark = match[0]
    return f'<span class="course-unseen" data-mark="U+{ord(mark):04X}">{mark}</span>'


@dataclass(frozen=True)
class ShownTranscript:
    """What a page shows of a transcript."""

    text: str
    """Ready to be escaped; no control character but tab and line feed."""
    colours: int
    """Colour sequences left out."""
    lines: int
    """Lines shown."""
    total_lines: int
    """Lines there are."""

    @property
    def is_whole(self) -> bool:
        return self.lines == self.total_lines


def show_transcript(text: str, cap: int = PAGE_CAP) -> ShownTranscript:
    """The first ``cap`` bytes of a transcript in whole lines, colours out, controls visible.

    A single line longer than ``cap`` is cut within.
    """
    plain, colours = _SGR.subn("", text)
    total = _count_lines(plain)
    kept = show_controls(plain)
    data = kept.encode()
    if len(data) > cap:
        head = data[:cap]
        whole_lines = head[: head.rfind(b"\n") + 1]
        kept = (whole_lines or head).decode(errors="ignore")
        if not whole_lines:
            # Not one whole line: what is shown counts for none.
            return ShownTranscript(kept, colours, 0, total)
    return ShownTranscript(kept, colours, _count_lines(kept), total)


def _count_lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n") and bool(text))
