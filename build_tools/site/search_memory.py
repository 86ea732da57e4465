"""Which entries of the search index does a page have that was read before? Those it had then.

Material's search plugin takes a page's HTML apart tag by tag, in each build anew. What it adds to
its index follows from the page alone, so it is kept by all of the page that it looks at; and a page
whose entries are known is not made lean for it either.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator
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


class SearchMemory:
    """Puts itself before an index, which is asked only for pages that the memo does not know."""

    def __init__(self, index: Index, memo: Memo, version: str) -> None:
        self._index = index
        self._memo = memo
        self._version = version
        self._read = index.add_entry_from_context
        self._page: Page | None = None
        self._key: Hashable = None
        self._known: Any = None
        index.add_entry_from_context = self.add

    def prepare(self, page: Page) -> bool:
        """Look for what is known of the page that is read next; its content must be whole."""
        self._page = page
        self._key = ("search", self._version, digest_text(_describe_page(page)))
        self._known = self._memo.recall(self._key)
        return isinstance(self._known, str)

    def learn(self, page: Page, slim: Callable[[str], str]) -> None:
        """Find out a page's entries without adding them; ``slim`` makes a page as it is read."""
        if self.prepare(page):
            return
        before, whole = len(self._index.entries), page.content
        page.content = slim(whole or "")
        try:
            self.add(page)
        finally:
            page.content = whole
            del self._index.entries[before:]

    def add(self, page: Page) -> None:
        """Add a page's entries to the index: those that are known, or those that it reads."""
        prepared, self._page = page is self._page, None
        if prepared and isinstance(self._known, str):
            self._index.entries.extend(json.loads(self._known))
            return
        before = len(self._index.entries)
        self._read(page)
        added = self._index.entries[before:]
        text = json.dumps(added, default=str)
        if prepared and json.loads(text) == added:
            self._memo.keep(self._key, text)


def remember_entries(config: MkDocsConfig, memo: Memo) -> SearchMemory | None:
    """Let Material's search plugin, where it is there, read no page that it read before."""
    index: Any = getattr(config.plugins.get(PLUGIN), "search_index", None)
    module = sys.modules.get(MODULE)
    # A dictionary of Chinese words is a file of its own, which no key covers.
    if module is None or type(index).__module__ != MODULE or getattr(module, "jieba", None):
        return None
    return SearchMemory(index, memo, metadata.version("mkdocs-material"))


def _describe_page(page: Page) -> str:
    """All of a page that can come into the index."""
    anchors = list(_list_anchors(page.toc))
    return repr((page.content, page.url, str(page.title), page.meta, anchors))


def _list_anchors(items: Iterable[AnchorLink]) -> Iterator[tuple[str, str]]:
    for item in items:
        yield item.id, item.url
        yield from _list_anchors(item.children)
