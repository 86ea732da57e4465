"""In which order and under which headings does the navigation have its pages?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import unescape

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from build_tools.site.plain_site import Entry, Outline, Section

TOP = "Pages"
"""The heading of pages that stand in no section of the navigation."""
OTHERS = "Optional"
"""That of pages outside of it; by this word readers know that they may skip them."""


def read_outline(nav: Navigation, files: Files, config: MkDocsConfig) -> Outline:
    """The site's pages, once all were rendered: before, they have no titles."""
    sections: dict[str, list[Entry]] = {}
    seen: set[str] = set()
    for item in nav.items:
        heading = item.title if item.is_section and item.title else TOP
        for page in _list_pages([item]):
            sections.setdefault(heading, []).append(_describe(page))
            seen.add(page.file.src_uri)
    for file in files.documentation_pages():
        if file.page is not None and file.src_uri not in seen:
            sections.setdefault(OTHERS, []).append(_describe(file.page))
    last = sections.pop(OTHERS, [])
    listed = [Section(title, tuple(entries)) for title, entries in sections.items()]
    if last:
        listed.append(Section(OTHERS, tuple(last)))
    return Outline(config.site_name, config.site_description or "", tuple(listed))


def _list_pages(items: Iterable[object]) -> Iterator[Page]:
    for item in items:
        if isinstance(item, Page):
            yield item
        else:
            yield from _list_pages(getattr(item, "children", None) or ())


def _describe(page: Page) -> Entry:
    description = page.meta.get("description")
    return Entry(
        page.file.src_uri,
        str(page.title or page.file.name),
        unescape(description) if isinstance(description, str) else "",
    )
