"""Which file of the site does a ``course:`` href mean, and how is it reached from a page?

The pages stage emits ``course:program/NAME#L12``, ``course:record/NAME/GPU/RUN``,
``course:download/NAME/NAME.cu``, ``course:transcript/NAME/GPU/RUN.txt`` and
``course:page/docs/PATH.md``: it knows neither where a generator puts a page nor how its
addresses look.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import unquote

from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from build_tools.pages.hrefs import SCHEME, resolve_hrefs


def name_program_page(program: str) -> str:
    """The source of a program's page, relative to the docs folder."""
    return f"programs/{program}.md"


def name_record_page(record: str) -> str:
    """The source of a record's page, from the record's path ``evidence/NAME/GPU/RUN``."""
    return f"records/{record.removeprefix('evidence/')}.md"


def name_download(program: str) -> str:
    """Where the site holds a program as a file, byte for byte."""
    return f"downloads/{program}/{program}.cu"


def name_unit(program: str, region: str) -> str:
    """Where the site holds a region with what it needs as a file."""
    return f"downloads/{program}/regions/{region}.cu"


def name_evidence(path: str) -> str:
    """Where the site holds a file of the evidence, byte for byte; ``path`` is from the root."""
    return path


def locate_href(href: str, docs: str = "docs") -> str | None:
    """The file, relative to the docs folder, that a ``course:`` href without fragment means.

    ``docs`` is that folder's path from the root.
    """
    kind, _, rest = href.removeprefix(SCHEME).partition("/")
    if not rest:
        return None
    match kind:
        case "program":
            return name_program_page(rest)
        case "record":
            return name_record_page(rest)
        case "download":
            return f"downloads/{rest}"
        case "transcript":
            return name_evidence(f"evidence/{rest.removeprefix('evidence/')}")
        case "page":
            folder = "" if docs == "." else f"{docs}/"
            path = unquote(rest)
            return path.removeprefix(folder) if path.startswith(folder) else None
    return None


def compose_finisher(
    addresses: Mapping[str, str], docs: str = "docs"
) -> Callable[[str, Page], str]:
    """A function from a page's HTML to the same with its ``course:`` links finished."""

    def finish(html: str, page: Page) -> str:
        return resolve_hrefs(html, compose_resolver(addresses, page.file.url, docs))

    return finish


def compose_resolver(
    addresses: Mapping[str, str], page: str, docs: str = "docs"
) -> Callable[[str], str | None]:
    """A function from a ``course:`` href to an address relative to the page at address ``page``.

    ``addresses`` maps each file of the site, relative to the folder ``docs``, to its address
    relative to the site. The function gives None for what the site does not hold.
    """

    def resolve(href: str) -> str | None:
        bare, hash_mark, fragment = href.partition("#")
        source = locate_href(bare, docs)
        address = addresses.get(source) if source else None
        if address is None:
            return None
        return get_relative_url(address, page) + hash_mark + fragment

    return resolve
