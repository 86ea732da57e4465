"""What does a built page say to its readers, in words? Its text, in the order of the page.

Headings keep the marks of Markdown and tables their bars, so that what is looked for in the text
of a source can be looked for here. What the course checks by itself is left out: its claims and
blocks, and code. Where something was left out there are spaces.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from build_tools.claims.numbers import is_number

_SILENT = frozenset({"script", "style", "template", "nav", "head"})
_BLOCKS = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "iframe",
        "label",
        "legend",
        "li",
        "main",
        "menu",
        "ol",
        "option",
        "p",
        "pre",
        "section",
        "select",
        "summary",
        "table",
        "textarea",
        "title",
        "ul",
    }
)
_CELLS = frozenset({"td", "th"})
_FRAMES = frozenset({"table", "thead", "tbody", "tfoot", "tr"})
"""What holds cells and no text of its own."""
_VERBATIM = frozenset({"code", "kbd", "samp", "var", "tt"})
_RAISED = {"sup": "^", "sub": "_"}
"""Digits that are raised belong to no number beside them."""
_MADE = ".headerlink, .footnote-ref, .footnote-backref, .toc, .arithmatex, .course-findings, .course-unchecked, .course-foot"
"""What no author wrote, and maths."""
_MENUS = "[role=navigation], .navbar, .bs-sidebar, .wy-nav-side, .rst-footer-buttons"
"""Where themes without the element list pages; what a page is called is looked at on that page."""
_CHECKED = "[data-course-claim], [data-course-directive], .course-claim--refused"
_SPOKEN = ("title", "alt", "aria-label", "placeholder", "summary", "label")
"""Attributes that a page shows or that are read aloud."""
_GAP = "    "


@dataclass(frozen=True)
class VisibleText:
    """A page's words."""

    body: str
    """What stands on it."""
    spoken: tuple[str, ...]
    """Texts of attributes, such as tooltips, each for itself."""
    named: tuple[str, ...]
    """What names and describes the page: its title and its description."""


def read_visible(tree: LexborHTMLParser) -> VisibleText:
    """The words of a built page, whichever theme it has; its navigation is left out."""
    body = tree.body
    if body is None:
        return VisibleText("", (), ())
    hidden = {node.mem_id for node in tree.css(f"{_CHECKED}, {_MADE}, {_MENUS}")}
    hidden |= {node.mem_id for node in _list_copies(tree)}
    pieces: list[str] = []
    spoken: list[str] = []
    for piece, node in _walk(body, hidden):
        pieces.append(piece)
        if node is not None:
            spoken += _list_attributes(node)
    return VisibleText("".join(pieces), tuple(spoken), tuple(_list_names(tree)))


def _list_names(tree: LexborHTMLParser) -> Iterator[str]:
    """The title less what the page's heading says, and the description."""
    headings = [_read_heading(node) for node in tree.css("h1")]
    for node in tree.css("head title"):
        title = " ".join(node.text(deep=True).split())
        for heading in headings:
            title = title.replace(heading, _GAP) if heading else title
        yield f"# {title}"
    for node in tree.css("head meta[name=description]"):
        yield node.attributes.get("content") or ""


def _list_copies(tree: LexborHTMLParser) -> Iterator[LexborNode]:
    """Links to headings with the headings' own words, as tables of contents hold them."""
    headings = {
        node.attributes.get("id"): _read_heading(node)
        for node in tree.css("h1[id], h2[id], h3[id], h4[id], h5[id], h6[id]")
    }
    for node in tree.css("a[href^='#']"):
        target = unquote((node.attributes.get("href") or "")[1:])
        if target in headings and _read_heading(node) == headings[target]:
            yield node


def _read_heading(node: LexborNode) -> str:
    return " ".join(node.text(deep=True).replace("¶", "").split())


def _list_attributes(node: LexborNode) -> Iterator[str]:
    for name in _SPOKEN:
        text = node.attributes.get(name)
        if text:
            yield text


def _walk(root: LexborNode, hidden: set[int]) -> Iterator[tuple[str, LexborNode | None]]:
    """Pieces of the text in order, each with the element that opens there.

    A stack of our own: a page may be nested deeper than calls can be.
    """
    waiting: list[LexborNode | str] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node, None
            continue
        tag = node.tag or ""
        if tag == "-text":
            text = (node.text_content or "").replace("\N{SOFT HYPHEN}", "")
            parent = node.parent
            if parent is None or parent.tag not in _FRAMES:
                yield text, None
            continue
        if tag.startswith(("-", "!")) or tag in _SILENT:
            continue
        if node.mem_id in hidden:
            yield (f"\n{_GAP}\n" if tag in _BLOCKS else _GAP), None
            continue
        if tag == "pre":
            yield "\n\n", None
            continue
        if tag in _VERBATIM and not is_number(node.text(deep=True).strip()):
            yield _GAP, node
            continue
        opening, closing = _choose_marks(node, tag)
        yield opening, node
        waiting.append(closing)
        waiting += reversed(list(node.iter(include_text=True)))


def _choose_marks(node: LexborNode, tag: str) -> tuple[str, str]:
    """What stands before and behind the text of an element."""
    if len(tag) == 2 and tag[0] == "h" and tag[1].isdecimal():
        return f"\n\n{'#' * int(tag[1])} ", "\n\n"
    if tag == "tr":
        cells = sum(child.tag in _CELLS for child in node.iter())
        parent = node.parent
        heads = parent is not None and parent.tag == "thead"
        return "\n|", "\n|" + "---|" * cells if heads else ""
    if tag in _CELLS:
        return " ", " |"
    if tag == "br":
        return "\n", ""
    if tag in _RAISED:
        return _RAISED[tag], " "
    return ("\n\n", "\n\n") if tag in _BLOCKS else ("", "")
