"""Which pages need not be converted again? Those whose text and settings are what they were.

MkDocs converts each page's Markdown in each build anew. What comes out follows from the page, the
settings and the places of all files alone, as long as every extension that takes part is known to
read nothing else; so it is kept by all of that.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import get_toc

from build_tools.claims.memo import Memo, digest_text
from build_tools.site.describe import (
    Contents,
    IndescribableError,
    describe,
    describe_contents,
    describe_files,
)
from build_tools.site.host import EXTENSION
from build_tools.source.store import digest_files

SELF_CONTAINED = frozenset(
    {
        "abbr",
        "admonition",
        "attr_list",
        "codehilite",
        "def_list",
        "extra",
        "fenced_code",
        "footnotes",
        "md_in_html",
        "nl2br",
        "sane_lists",
        "smarty",
        "tables",
        "toc",
        "wikilinks",
        "pymdownx.arithmatex",
        "pymdownx.betterem",
        "pymdownx.caret",
        "pymdownx.critic",
        "pymdownx.details",
        "pymdownx.emoji",
        "pymdownx.escapeall",
        "pymdownx.extra",
        "pymdownx.highlight",
        "pymdownx.inlinehilite",
        "pymdownx.keys",
        "pymdownx.magiclink",
        "pymdownx.mark",
        "pymdownx.progressbar",
        "pymdownx.saneheaders",
        "pymdownx.smartsymbols",
        "pymdownx.superfences",
        "pymdownx.tabbed",
        "pymdownx.tasklist",
        "pymdownx.tilde",
        EXTENSION,
    }
)
"""Extensions of Markdown that read the page and their options, and no other file."""


Finish = Callable[[str, Page], str]
"""From a page's HTML to that with its links finished."""


@dataclass(frozen=True)
class ConvertedPage:
    """All that MkDocs gives a page when it converts it."""

    content: str
    contents: Contents
    title: str | None
    anchors: frozenset[str]
    links: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] | None
    """By the source of each page that is linked to: its anchors, and the links as written."""


def remember_conversions(files: Files, config: MkDocsConfig, memo: Memo, finish: Finish) -> None:
    """Let no page be converted that was converted before.

    ``finish`` makes the links of a page whole; where they lead hangs on where all files are.
    """
    try:
        around = _describe_conversion(files, config)
    except IndescribableError:
        return
    for file in files.documentation_pages():
        if type(file.page) is Page:
            # As a method of its own: MkDocs makes the pages itself, with the navigation's titles.
            vars(file.page)["render"] = _compose_render(file.page, memo, around, finish)


def _describe_conversion(files: Files, config: MkDocsConfig) -> str:
    """All that a conversion follows from beside the page. Raises IndescribableError."""
    # Plugins may add an extension itself, which has no name.
    other = [one for one in config.markdown_extensions if str(one) not in SELF_CONTAINED]
    if other:
        raise IndescribableError(f"what the extensions {other} read")
    options = {name: told for name, told in config.mdx_configs.items() if name != EXTENSION}
    settings = [config.markdown_extensions, options, config.use_directory_urls, config.validation]
    # What is told of links hangs on how much is told at all.
    level = logging.getLogger("mkdocs").getEffectiveLevel()
    icons = _digest_icons(options.get("pymdownx.emoji", {}))
    parts = [describe(settings), describe_files(files), f"{level}", *icons]
    return digest_text("\n".join(parts))


def _digest_icons(emoji: Mapping[str, Any]) -> Iterator[str]:
    """The icons of the course's own: their extension puts them into pages, and reads no others."""
    for folder in (emoji.get("options") or {}).get("custom_icons") or ():
        yield digest_files(Path(), [str(folder)])


def _compose_render(
    page: Page, memo: Memo, around: str, finish: Finish
) -> Callable[[MkDocsConfig, Files], None]:
    convert = page.render

    def render(config: MkDocsConfig, files: Files) -> None:
        place = [page.file.src_uri, page.file.url, page.file.inclusion.name]
        key = ("converted", around, *place, digest_text(page.markdown or ""))
        known = memo.recall(key)
        if isinstance(known, ConvertedPage):
            _put_back(page, known, files)
            return
        with memo.watch() as watch, _listen() as said:
            convert(config, files)
        page.content = finish(page.content or "", page)
        if watch.is_lasting and not said:
            memo.keep(key, _take_out(page))
            memo.cover(watch.keys)

    return render


def _take_out(page: Page) -> ConvertedPage:
    links = page.links_to_anchors
    return ConvertedPage(
        page.content or "",
        describe_contents(page.toc),
        page._title_from_render,  # noqa: SLF001 - what MkDocs reads the title from
        frozenset(page.present_anchor_ids or ()),
        None
        if links is None
        else tuple((file.src_uri, tuple(told.items())) for file, told in links.items()),
    )


def _put_back(page: Page, known: ConvertedPage, files: Files) -> None:
    page.content = known.content
    page.toc = get_toc(_list_tokens(known.contents))
    page._title_from_render = known.title  # noqa: SLF001 - what MkDocs reads the title from
    page.present_anchor_ids = set(known.anchors)
    if known.links is not None:
        page.links_to_anchors = {
            file: dict(told) for file, told in _find_targets(known.links, files)
        }


def _list_tokens(contents: Contents) -> list[Any]:
    return [
        {"name": title, "id": identity, "level": level, "children": _list_tokens(below)}
        for title, identity, level, below in contents
    ]


def _find_targets(
    links: Iterable[tuple[str, tuple[tuple[str, str], ...]]], files: Files
) -> Iterator[tuple[File, tuple[tuple[str, str], ...]]]:
    for source, told in links:
        file = files.get_file_from_path(source)
        if file is not None:
            yield file, told


@contextmanager
def _listen() -> Iterator[list[logging.LogRecord]]:
    """What is logged meanwhile: it would not be said again of what is kept."""
    said: list[logging.LogRecord] = []
    handler = logging.Handler(logging.INFO)
    vars(handler)["emit"] = said.append
    loggers = [logging.getLogger(), logging.getLogger("mkdocs")]
    for logger in loggers:
        logger.addHandler(handler)
    try:
        yield said
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
