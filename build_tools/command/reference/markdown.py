"""How is something that the code knows written as Markdown?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

WIDTH = 76
"""Columns of an example, at most, so that it fits a page."""

_DOUBLE_TICKS = re.compile(r"``(.+?)``")
_SPECIAL = re.compile(r"([*_<>\[\]])")


def write_fence(text: str, language: str = "text", title: str = "") -> str:
    """A code fence, longer than any in ``text``."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    marks = "`" * (longest + 1)
    opening = f'{language} title="{title}"' if title else language
    return f"{marks}{opening}\n{text.rstrip()}\n{marks}"


def write_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a bar in a cell is escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", r"\|").replace("\n", " ") for cell in line) + " |"
        for line in lines
    )


def write_folded(title: str, text: str) -> str:
    """Something long that opens on demand."""
    body = "\n".join(f"    {line}" if line else "" for line in text.split("\n"))
    return f'??? example "{title}"\n\n{body}'


def write_definitions(items: Iterable[tuple[str, str]]) -> str:
    """A definition list: each term with what it means, which is one paragraph."""
    return "\n\n".join(f"{term}\n:   {meaning}" for term, meaning in items)


def write_code(text: str) -> str:
    """A code span."""
    marks = "``" if "`" in text else "`"
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{marks}{space}{text}{space}{marks}"


def state_number(number: int) -> str:
    """A number that is a choice of ours, as prose says it: a link that states."""
    return f"[{number:,}](stated:)"


def read_docstring(text: str) -> str:
    """A docstring in Markdown: double ticks single, white space folded."""
    return _DOUBLE_TICKS.sub(r"`\1`", " ".join(text.split()))


def escape_words(text: str) -> str:
    """Plain words as Markdown; what stands between ticks stays as it is."""
    parts = text.split("`")
    parts[::2] = [_SPECIAL.sub(r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)
