"""Does a link of a built page lead to a file of the site and to an anchor in it?"""

from __future__ import annotations

import posixpath
from pathlib import Path
from urllib.parse import unquote, urlsplit

from selectolax.lexbor import LexborHTMLParser

from build_tools.pages.hrefs import SCHEME


class SiteReader:
    """The built pages of a site, each read and parsed once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._trees: dict[str, LexborHTMLParser] = {}
        self._anchors: dict[str, frozenset[str]] = {}

    def has_file(self, path: str) -> bool:
        """Whether the site holds the file ``path``, relative to its folder."""
        return (self.folder / path).is_file()

    def read_tree(self, path: str) -> LexborHTMLParser:
        """The page at ``path``, parsed as a browser does. Raises OSError, UnicodeDecodeError."""
        tree = self._trees.get(path)
        if tree is None:
            tree = LexborHTMLParser((self.folder / path).read_text(encoding="utf-8"))
            self._trees[path] = tree
        return tree

    def list_anchors(self, path: str) -> frozenset[str]:
        """The ids and anchor names of the page at ``path``."""
        anchors = self._anchors.get(path)
        if anchors is None:
            tree = self.read_tree(path)
            ids = {node.attributes.get("id") for node in tree.css("[id]")}
            names = {node.attributes.get("name") for node in tree.css("a[name]")}
            anchors = frozenset(text for text in ids | names if text)
            self._anchors[path] = anchors
        return anchors


def follow_link(site: SiteReader, page: str, href: str) -> str:
    """Why ``href`` on the page at ``page`` leads nowhere; empty when it does or leaves the site."""
    if href.startswith(SCHEME):
        return "the generator did not finish this link"
    parts = urlsplit(href)
    if parts.scheme or parts.netloc:
        return ""
    target = _locate_target(page, unquote(parts.path))
    if target == ".." or target.startswith("../"):
        return "it leaves the site"
    if parts.path.endswith("/") or (site.folder / target).is_dir():
        target = posixpath.normpath(f"{target}/index.html")
    if not site.has_file(target):
        return f"the site has no {target}"
    fragment = unquote(parts.fragment)
    if fragment and target.endswith(".html") and fragment not in site.list_anchors(target):
        return f"{target} has no anchor {fragment}"
    return ""


def _locate_target(page: str, path: str) -> str:
    """The file or folder meant by ``path`` on the page at ``page``, relative to the site."""
    if not path:
        return page
    if path.startswith("/"):
        return posixpath.normpath(path.lstrip("/") or ".")
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
