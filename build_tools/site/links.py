"""Does a link of a built page lead to a file of the site and to an anchor in it?"""

from __future__ import annotations

import os
import posixpath
import re
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from selectolax.lexbor import LexborHTMLParser

from build_tools.claims.memo import digest_text
from build_tools.pages.hrefs import SCHEME
from build_tools.site.proofs import join_proofs

_PLAIN = re.compile(r"(?P<path>(?!//)[\w./-]*)(?:#(?P<fragment>[\w.-]*))?", re.ASCII)
"""An address that needs no taking apart; a site has many thousands of them."""


class SiteReader:
    """The built pages of a site; it is not written to while it is read.

    Of a page that was parsed only its anchors are kept: a tree takes more than its page. ``address``
    is the site's, where it is known: on a host it may share with other sites, below a path.
    """

    def __init__(self, folder: Path, address: str = "") -> None:
        self.folder = folder
        self.base = f"{urlsplit(address).path.rstrip('/')}/"
        self._anchors: dict[str, frozenset[str]] = {}
        self._found: dict[str, tuple[str, str]] = {}

    @cached_property
    def _files(self) -> frozenset[str]:
        return frozenset(
            f"{folder.removeprefix(f'{self.folder}')}/{name}".lstrip("/")
            for folder, _, names in os.walk(self.folder)
            for name in names
        )

    @cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(posixpath.dirname(path) for path in self._files) - {""}

    def has_file(self, path: str) -> bool:
        """Whether the site holds the file ``path``, relative to its folder."""
        return path in self._files or (self.folder / path).is_file()

    def has_folder(self, path: str) -> bool:
        """Whether the site holds the folder ``path``, relative to its own."""
        return path in self._folders or (self.folder / path).is_dir()

    def read_html(self, path: str) -> str:
        """The page at ``path``, with what its script adds. Raises OSError, UnicodeDecodeError."""
        file = self.folder / path
        return join_proofs(file.read_text(encoding="utf-8"), file.parent)

    def note_anchors(self, path: str, anchors: frozenset[str]) -> None:
        """Know the anchors of a page without parsing it."""
        self._anchors[path] = anchors

    def read_tree(self, path: str, html: str | None = None) -> LexborHTMLParser:
        """The page at ``path``, parsed as a browser does. Raises OSError, UnicodeDecodeError."""
        tree = LexborHTMLParser(self.read_html(path) if html is None else html)
        if path not in self._anchors:
            ids = {node.attributes.get("id") for node in tree.css("[id]")}
            names = {node.attributes.get("name") for node in tree.css("a[name]")}
            self._anchors[path] = frozenset(text for text in ids | names if text)
        return tree

    def list_anchors(self, path: str) -> frozenset[str]:
        """The ids and anchor names of the page at ``path``."""
        if path not in self._anchors:
            self.read_tree(path)
        return self._anchors[path]

    def digest_targets(self) -> str:
        """A digest of all that a link can lead to: the site's files, and the anchors of pages.

        Pages whose anchors are not known are read.
        """
        pages = sorted(path for path in self._files if path.endswith(".html"))
        anchors = [self._list_known_anchors(path) for path in pages]
        return digest_text(repr((self.base, sorted(self._files), anchors)))

    def _list_known_anchors(self, path: str) -> list[str] | None:
        try:
            return sorted(self.list_anchors(path))
        except (OSError, UnicodeDecodeError):
            return None

    def find_file(self, path: str) -> str:
        """The file that an address within the site means: a folder's is its index.

        Raises FileNotFoundError, which says why there is none.
        """
        known = self._found.get(path)
        if known is None:
            target = posixpath.normpath(path) if path else "."
            if target == ".." or target.startswith("../"):
                known = "", "it leaves the site"
            else:
                if path.endswith("/") or self.has_folder(target):
                    target = posixpath.normpath(f"{target}/index.html")
                known = (target, "") if self.has_file(target) else ("", f"the site has no {target}")
            self._found[path] = known
        target, why = known
        if why:
            raise FileNotFoundError(why)
        return target


def follow_link(site: SiteReader, page: str, href: str) -> str:
    """Why ``href`` on the page at ``page`` leads nowhere; empty when it does or leaves the site."""
    if href.startswith(SCHEME):
        return "the generator did not finish this link"
    plain = _PLAIN.fullmatch(href)
    if plain is not None:
        path, fragment = plain["path"], plain["fragment"] or ""
    else:
        parts = urlsplit(href)
        if parts.scheme or parts.netloc:
            return ""
        path, fragment = unquote(parts.path), unquote(parts.fragment)
    if path.startswith("/") and not f"{path}/".startswith(site.base):
        return ""  # To the same host, but not to this site.
    try:
        target = site.find_file(_locate_target(site, page, path))
    except FileNotFoundError as error:
        return str(error)
    if fragment and target.endswith(".html") and fragment not in site.list_anchors(target):
        return f"{target} has no anchor {fragment}"
    return ""


def _locate_target(site: SiteReader, page: str, path: str) -> str:
    """What ``path`` on the page at ``page`` means, from the site's folder; not yet shortened."""
    if not path:
        return page
    if path.startswith("/"):
        return path.removeprefix(site.base.rstrip("/")).lstrip("/")
    return posixpath.join(posixpath.dirname(page), path)
