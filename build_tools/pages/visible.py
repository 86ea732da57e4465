"""How is text shown that holds what no page should: control bytes, colours, unseen marks?

Program output is untrusted. Control bytes become visible symbols before anything is handed to
Python-Markdown, whose own placeholders are made of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from markupsafe import Markup, escape

from build_tools.diagnostics.visible import UNSEEN, show_controls

PAGE_CAP = 64 * 1024
"""How many bytes of a transcript a page shows."""

_SGR = re.compile(r"\x1b\[[0-9;:]*m")


_UNSEEN = re.compile(f"[{''.join(sorted(UNSEEN))}]")


def mark_up(text: str) -> Markup:
    """``text`` as HTML: escaped, controls visible, unseen marks isolated and named.

    The text that a browser reads back is that of ``show_controls``: a mark stays where it is,
    its name is drawn by the style sheet.
    """
    escaped = escape(show_controls(text))
    if not _UNSEEN.search(escaped):
        return escaped
    return Markup(_UNSEEN.sub(_isolate, escaped))  # noqa: S704 - escaped just above


_WORDS = re.compile(r"(\s+)")
_BETWEEN_FACTORS = re.compile(r"(?<=\d)(?=x\d)")


def mark_up_command(text: str) -> Markup:
    """A command as HTML: where it wraps, no word is broken at its hyphens that fits a line."""
    held = Markup('<span class="course-word">{}</span>')
    return Markup("").join(
        held.format(mark_up(word)) if "-" in word else mark_up(word) for word in _WORDS.split(text)
    )


def mark_up_key(text: str) -> Markup:
    """What a row is about, as HTML: ``1024x1024`` may be broken before its ``x``."""
    return Markup("<wbr>").join(map(mark_up, _BETWEEN_FACTORS.split(text)))


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
