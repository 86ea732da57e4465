"""Which hit of a search comes first? A region whose name was asked for, before what speaks of it."""

from __future__ import annotations

from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

from build_tools.pages.hrefs import name_region_anchor

PLUGIN = "material/search"
REGION_WEIGHT = 2
"""How much more a region weighs than a heading.

The theme's search weighs a page whose title has all words five halves as much as a heading with
them; so a region of this name comes before a lesson with one of its words, and behind a lesson
that is all about it.
"""


def promote_regions(config: MkDocsConfig, page: Page) -> None:
    """Let the regions of a program's page that was just read weigh more in Material's index."""
    index: Any = getattr(config.plugins.get(PLUGIN), "search_index", None)
    start = f"{page.url}#{name_region_anchor('')}"
    for entry in reversed(getattr(index, "entries", [])):
        if not entry["location"].startswith(page.url):
            break
        if entry["location"].startswith(start):
            entry["boost"] = entry.get("boost", 1) * REGION_WEIGHT
