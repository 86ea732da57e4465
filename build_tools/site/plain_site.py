"""Which files does a site hold for readers that are no people? Its pages as Markdown, and a list.

``llms.txt`` names each page with its Markdown, in the order of the navigation; the Markdown of a
page lies beside it, ``lessons/x/index.md`` beside ``lessons/x/index.html``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urljoin

from selectolax.lexbor import LexborHTMLParser

from build_tools.claims.memo import digest_text
from build_tools.claims.model import Course
from build_tools.pages.conversion import Conversion
from build_tools.pages.hrefs import SCHEME
from build_tools.site.draw import UNDER_CONSTRUCTION
from build_tools.site.hrefs import locate_href
from build_tools.site.measurements import DATA
from build_tools.site.plain_page import compose_plain
from build_tools.site.verify import SitePage

LIST = "llms.txt"
_LINE = re.compile(r"L[0-9]+|region-.*")
_OUTSIDE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|/|#|\Z")


@dataclass(frozen=True)
class Entry:
    """A page as the list names it."""

    source: str
    """From the docs folder."""
    title: str
    description: str = ""


@dataclass(frozen=True)
class Section:
    """Pages under one heading of the list."""

    title: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Outline:
    """What the site is called, and its pages in order."""

    name: str
    description: str
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Around:
    """Where links of a page can lead: where all pages lie, and nothing else of the others."""

    docs: str
    places: Mapping[str, str]
    """Each page's HTML by its source."""
    built: frozenset[str]
    digest: str


def survey_pages(pages: Sequence[SitePage], docs: str) -> Around:
    """Where the pages of a site lie; ``docs`` is their folder, from the course's root."""
    places = {page.path: page.html for page in pages}
    digest = digest_text(repr((docs, sorted(places.items()))))
    return Around(docs, places, frozenset(places.values()), digest)


def compose_plain_page(course: Course, page: SitePage, html: str, around: Around) -> str:
    """A page as Markdown, by its source and its HTML."""
    digests = map(digest_text, (page.text, html))
    key = ("plain", page.path, page.html, around.digest, *digests)
    text = course.memo.recall(key)
    if isinstance(text, str):
        return text
    conversion = Conversion(course, page.text, page.path)
    text = compose_plain(
        conversion,
        LexborHTMLParser(html),
        _turn_source_links(page, around.places, around.docs),
        _turn_built_links(page, around.built),
    )
    verdicts = conversion.verdicts.values()
    if all(verdict.fault is None and not verdict.findings for verdict in verdicts):
        course.memo.keep(key, text)
    return text


def name_plain(html: str) -> str:
    """Where the Markdown of a page lies, by where its HTML does."""
    return f"{html.removesuffix('.html')}.md"


def compose_plain_site(
    course: Course,
    folder: Path,
    pages: Sequence[SitePage],
    outline: Outline,
    docs: str,
    address: str = "",
) -> dict[str, str]:
    """The files by their places in the site that is built in ``folder``.

    ``docs`` is the folder of the pages, from the course's root, ``address`` that of the site where
    it is known: a list that is read somewhere else leads back by it. Pages that cannot be read are left
    out: the check of the site tells them.
    """
    around = survey_pages(pages, docs)
    places = around.places
    files = {}
    for page in pages:
        try:
            html = (folder / page.html).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        text = compose_plain_page(course, page, html, around)
        marked = course.settings.findings == "warn"
        files[name_plain(page.html)] = f"> {UNDER_CONSTRUCTION}\n\n{text}" if marked else text
    held = {page.path for page in pages if name_plain(page.html) in files}
    plain = {path: urljoin(address, name_plain(places[path])) for path in held}
    files[LIST] = compose_list(outline, plain, docs, urljoin(address, DATA))
    return files


def _turn_source_links(
    page: SitePage, places: Mapping[str, str], docs: str
) -> Callable[[str], str]:
    """From an address in a page's source to one in its Markdown."""

    def turn(href: str) -> str:
        bare, mark, fragment = href.partition("#")
        if bare.startswith(SCHEME):
            located = locate_href(bare, docs)
            target = f"{docs}/{located}" if located else ""
        elif _OUTSIDE.match(bare):
            return href
        else:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(page.path), unquote(bare)))
        place = name_plain(places[target]) if target in places else ""
        place = place or target.removeprefix(f"{docs}/")
        return _reach(page, place) + mark + fragment if place else href

    return turn


def _turn_built_links(page: SitePage, pages: frozenset[str]) -> Callable[[str], str]:
    """From an address on the built page to one in its Markdown."""

    def turn(href: str) -> str:
        bare, mark, fragment = href.partition("#")
        if not bare and _LINE.fullmatch(fragment):
            return f"{_reach(page, page.html)}#{fragment}"
        if _OUTSIDE.match(bare):
            return href
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page.html), unquote(bare)))
        inside = posixpath.normpath(posixpath.join(target, "index.html"))
        html = next((html for html in (target, inside) if html in pages), "")
        if html and _LINE.fullmatch(fragment):
            # Lines and regions have anchors on the built page alone.
            return f"{_reach(page, html)}#{fragment}"
        return _reach(page, name_plain(html) if html else target) + mark + fragment

    return turn


def _reach(page: SitePage, place: str) -> str:
    return posixpath.relpath(place, posixpath.dirname(page.html) or ".")


def compose_list(outline: Outline, plain: Mapping[str, str], docs: str, data: str = DATA) -> str:
    """The list of pages, each with a link to its Markdown; ``plain`` has these by source.

    ``data`` leads to everything that was measured.
    """
    parts = [f"# {outline.name}"]
    if outline.description:
        parts.append(f"> {' '.join(outline.description.split())}")
    parts.append(
        "Every page is also there as Markdown, with its kernels, tables and transcripts written "
        "out and what is behind its numbers at its end. "
        f"[{DATA}]({data}) holds everything that was measured."
    )
    for section in outline.sections:
        lines = list(_list_entries(section, plain, docs))
        if lines:
            parts.append(f"## {section.title}\n\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _list_entries(section: Section, plain: Mapping[str, str], docs: str) -> Iterator[str]:
    for entry in section.entries:
        place = plain.get(f"{docs}/{entry.source}")
        if place is not None:
            told = f": {' '.join(entry.description.split())}" if entry.description else ""
            yield f"- [{entry.title}]({place}){told}"
