"""Which entries of the search index does a page have that was read before? Those it had then.

Material's search plugin takes a page's HTML apart tag by tag, in each build anew. What it adds to
its index follows from the page alone, so it is kept by all of the page that it looks at.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata
from typing import Any, Protocol

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink

from build_tools.claims.memo import Memo, digest_text

PLUGIN = "material/search"
MODULE = "material.plugins.search.plugin"


class Index(Protocol):
    """What Material's plugin keeps of the pages."""

    entries: list[dict[str, Any]]
    add_entry_from_context: Callable[[Page], None]


def remember_entries(config: MkDocsConfig, memo: Memo) -> None:
    """Let Material's search plugin, where it is there, read no page that it read before."""
    index: Any = getattr(config.plugins.get(PLUGIN), "search_index", None)
    module = sys.modules.get(MODULE)
    # A dictionary of Chinese words is a file of its own, which no key covers.
    if module is None or type(index).__module__ != MODULE or getattr(module, "jieba", None):
        return
    version = metadata.version("mkdocs-material")
    index.add_entry_from_context = compose_adder(index, memo, version)


def compose_adder(index: Index, memo: Memo, version: str) -> Callable[[Page], None]:
    """The index's own function, asked only for pages that the memo does not know."""
    read = index.add_entry_from_context

    def add(page: Page) -> None:
        key = ("search", version, digest_text(_describe_page(page)))
        known = memo.recall(key)
        if isinstance(known, str):
            index.entries.extend(json.loads(known))
            return
        before = len(index.entries)
        read(page)
        added = index.entries[before:]
        text = json.dumps(added, default=str)
        if json.loads(text) == added:
            memo.keep(key, text)

    return add


def _describe_page(page: Page) -> str:
    """All of a page that can come into the index."""
    anchors = list(_list_anchors(page.toc))
    return repr((page.content, page.url, str(page.title), page.meta, anchors))


def _list_anchors(items: Iterable[AnchorLink]) -> Iterator[tuple[str, str]]:
    for item in items:
        yield item.id, item.url
        yield from _list_anchors(item.children)
