"""Which hit of a search comes first? What has the name that was asked for, before what speaks of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

from build_tools.pages.hrefs import name_region_anchor
from build_tools.site.generate import PROGRAMS
from build_tools.source.model import Program

PLUGIN = "material/search"
REGION_WEIGHT = 2
"""How much more a region weighs than a heading.

The theme's search weighs a page whose title has all words five halves as much as a heading with
them; so a region of this name comes before a lesson with one of its words, and behind a lesson
that is all about it.
"""
BEGINNING_WEIGHT = 2
"""How much more a kernel weighs whose name others begin with.

Each word finds all that begins with it, and the rarer a name, the more it counts: without this
weight a kernel would be found behind those that are named after it.
"""
FORMULAS_WEIGHT = 1 / 4
"""How much a table of formulas weighs: it names most words, and explains none."""


def weigh_sections(
    config: MkDocsConfig, page: Page, programs: Mapping[str, Program] | None = None
) -> None:
    """Say in Material's index how much the sections weigh of a page that was just read."""
    index: Any = getattr(config.plugins.get(PLUGIN), "search_index", None)
    beginnings = find_beginnings(programs or {})
    is_program = page.url.startswith(PROGRAMS)
    for entry in reversed(getattr(index, "entries", [])):
        if not entry["location"].startswith(page.url):
            break
        anchor = entry["location"].removeprefix(page.url)
        weight = _weigh(anchor, entry["title"], beginnings) if is_program else 1
        if weight != 1:
            entry["boost"] = entry.get("boost", 1) * weight


def _weigh(anchor: str, title: str, beginnings: set[str]) -> float:
    """The weight of a section of a program's page."""
    if anchor.startswith(f"#{name_region_anchor('')}"):
        is_beginning = not beginnings.isdisjoint(re.findall(r"\w+", title))
        return REGION_WEIGHT * (BEGINNING_WEIGHT if is_beginning else 1)
    return FORMULAS_WEIGHT if anchor == "#quantities" else 1


def find_beginnings(programs: Mapping[str, Program]) -> set[str]:
    """Names of kernels with which longer ones begin."""
    names = sorted({kernel for program in programs.values() for kernel in program.kernels})
    # In this order what begins with a name follows it at once.
    return {name for name, following in pairwise(names) if following.startswith(name)}
