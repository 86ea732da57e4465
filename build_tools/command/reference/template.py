"""Where do generated parts go between the prose of a page? A template with places, all filled."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

TEMPLATES = Path(__file__).with_name("templates")
"""The folder of the templates, one Markdown file a page."""

_PLACE = re.compile(r"\{\{ ([a-z-]+) \}\}")
_FRONT_MATTER = re.compile(r"---\n.*?\n---\n", re.DOTALL)
_NOTICE = "<!-- Made by `make reference` from the code: change the code or the template. -->\n"


class TemplateError(ValueError):
    """A place without a part, or a part without a place."""


def fill_template(name: str, parts: Mapping[str, str]) -> str:
    """The page ``name`` with each ``{{ place }}`` filled by the part of that name.

    Raises TemplateError where places and parts do not go together: nothing is silently left out.
    """
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    places = set(_PLACE.findall(text))
    for place in sorted(places - parts.keys()):
        line = text[: text.index("{{ " + place + " }}")].count("\n") + 1
        raise TemplateError(f"{name}:{line}: no part `{place}` is made")
    for part in sorted(parts.keys() - places):
        raise TemplateError(f"{name}: the part `{part}` has no place; write {{{{ {part} }}}}")
    filled = _PLACE.sub(lambda match: parts[match[1]].strip("\n"), text)
    opening = _FRONT_MATTER.match(filled)
    start = opening.end() if opening else 0
    return filled[:start] + _NOTICE + filled[start:]
