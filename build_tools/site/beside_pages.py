"""What does a site hold beside its pages? Files for other readers than people, and cards of links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import unescape
from pathlib import Path
from urllib.parse import urljoin

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import get_build_date

from build_tools.claims.model import Course
from build_tools.site.head import Card, add_card
from build_tools.site.host import name_source
from build_tools.site.measurements import (
    DATA,
    SCHEMA,
    collect_measurements,
    format_measurements,
    format_schema,
)
from build_tools.site.outline import read_outline
from build_tools.site.picture import read_picture
from build_tools.site.plain_site import compose_plain_site, name_plain
from build_tools.site.proofs import name_proofs, part_proofs, write_proofs
from build_tools.site.sitemap import finish_sitemap
from build_tools.site.verify import SitePage

HAS_FILES = "course_files"
"""What a theme finds in ``extra`` of a site that has these files."""


def complete_head(html: str, page: Page, config: MkDocsConfig) -> str:
    """A built page with the card of links to it."""
    description = page.meta.get("description")
    told = description if isinstance(description, str) else config.site_description or ""
    picture = read_picture(config)
    card = Card(
        title=str(page.title or config.site_name),
        description=unescape(told),
        site=config.site_name,
        address=page.canonical_url or "" if config.site_url else "",
        plain=name_plain(page.file.dest_uri).rpartition("/")[2],
        image=urljoin(config.site_url, picture.image) if config.site_url and picture else "",
        alt=picture.alt if picture else "",
    )
    return add_card(html, card)


def lighten_page(html: str, page: Page, folder: Path) -> str:
    """A built page of the site in ``folder``; where much is behind its claims, less a part of it.

    That is written beside the page, unless the course has a file of its own there.
    """
    place = folder / name_proofs(page.file.dest_uri)
    lean, more = part_proofs(html, place.name)
    if not more or place.exists():
        return html
    write_proofs(place, more)
    return lean


def write_beside(
    course: Course,
    folder: Path,
    pages: Sequence[SitePage],
    nav: Navigation,
    files: Files,
    config: MkDocsConfig,
    write: Callable[[str, str], object],
) -> None:
    """Write the pages of the site in ``folder`` as Markdown, their list, and the data.

    ``write`` takes a place in the site and a text.
    """
    outline = read_outline(nav, files, config)
    docs = name_source(config, course.root, "")
    composed = compose_plain_site(course, folder, pages, outline, docs, config.site_url or "")
    composed[DATA] = format_measurements(collect_measurements(course, config.site_name))
    composed[SCHEMA] = format_schema()
    for place, text in composed.items():
        write(place, text)
    finish_sitemap(folder, built=get_build_date(), known=bool(config.site_url))
