"""Which files and commands does a how-to page tell its reader to make and run, in which order?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(
    r"^(?P<marks>`{3,})(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=marks)[ ]*$", re.MULTILINE | re.DOTALL
)
_TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Step:
    """One fence of the page. ``line`` is where it opens."""

    line: int
    what: str
    """``file``, ``command`` or ``output``."""
    name: str
    """A file's path, a command's classes behind ``.sh`` (``gpu``, ``fails``), or nothing."""
    body: str


def read_steps(page: str) -> list[Step]:
    """The page's steps: a fence with a title is a file, ``sh`` commands, ``text`` their output."""
    steps = []
    for match in _FENCE.finditer(page):
        line = page.count("\n", 0, match.start()) + 1
        info = match["info"].strip()
        if info.startswith("{"):
            info = info.strip("{} ").replace(".", "")
        language, _, words = info.partition(" ")
        title = _TITLE.search(match["info"])
        if title:
            steps.append(Step(line, "file", title[1], match["body"]))
        elif language == "sh":
            steps.append(Step(line, "command", words.strip(), match["body"]))
        elif language == "text":
            steps.append(Step(line, "output", "", match["body"]))
        else:
            raise AssertionError(f"line {line}: a fence that is no file, command or output")
    return steps


def write_files(folder: Path, steps: list[Step]) -> None:
    """Write the files that the steps name, into ``folder``."""
    for step in steps:
        if step.what == "file":
            path = folder / step.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.body, encoding="utf-8")


def matches_output(printed: str, shown: str) -> bool:
    """Whether output is as the page shows it; ``…`` alone on a line stands for any lines."""
    lines = [
        r"(?:.*\n)*?" if line == "…" else re.escape(line) + r"\n" for line in shown.splitlines()
    ]
    return re.search(r"^" + "".join(lines), printed, re.MULTILINE) is not None
