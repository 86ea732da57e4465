"""What of a compiler's complaint names the fault? The rest is for its log."""

from __future__ import annotations

import re

_UNDEFINED = re.compile(
    r'\w[\w.]*\((?P<line>\d+)\): error: (?P<said>identifier "[^"]+" is undefined)'
)
_ERROR = re.compile(
    r"\w[\w.]*\((?P<line>\d+)\): error: (?P<said>.+?)(?= \w[\w.]*\(\d+\): | \d+ errors? detected |$)"
)
_AT_MOST = 120


def shorten_error(text: str) -> str:
    """The first thing a compiler missed, with its line; any other text, whole words of its begin.

    ``CompileException: add.cu(3): error: identifier "k" is undefined …`` is ``line 3: identifier
    "k" is undefined``.
    """
    match = _UNDEFINED.search(text) or _ERROR.search(text)
    said = f"line {match['line']}: {match['said']}" if match else text
    if len(said) <= _AT_MOST:
        return said
    return said[:_AT_MOST].rsplit(" ", 1)[0] + " …"
