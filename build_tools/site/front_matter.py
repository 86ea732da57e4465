"""Did MkDocs read a page's front matter, or does it stand on the page as text?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

from build_tools.diagnostics.finding import Finding, Kind, Place

_FRONT_MATTER = re.compile(
    r"\A\ufeff?-{3}[ \t]*\n(?P<yaml>.*?\n)(?:-{3}|\.{3})[ \t]*(?:\n|\Z)", re.DOTALL
)


def check_front_matter(path: str, text: str, meta: Mapping[str, Any]) -> list[Finding]:
    """A finding where ``text``, a page's source, opens with front matter that gave no ``meta``.

    MkDocs says nothing of YAML that it can't read: it prints it.
    """
    match = _FRONT_MATTER.match(text.replace("\r\n", "\n"))
    if meta or match is None or not match["yaml"].strip():
        return []
    try:
        found = yaml.safe_load(match["yaml"])
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line, column = (mark.line + 2, mark.column + 1) if mark else (2, 1)
        true = f"it is no YAML: {error.problem or error}"
    except yaml.YAMLError as error:
        line, column, true = 2, 1, f"it is no YAML: {error}"
    else:
        if isinstance(found, dict):
            return []
        line, column, true = 2, 1, "it holds no `key: value`"
    return [
        Finding(
            Kind.PAGE,
            Place(path, line, column),
            "the front matter",
            f"{true}; MkDocs prints it as text",
            "put values with `: ` or a leading sign in quotes, one key a line",
        )
    ]
