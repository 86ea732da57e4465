"""What does an element of a built page say as Markdown? For readers without a browser.

Headings, lists, tables, code and links keep their form; pictures, scripts and what is drawn behind
a claim are left out. Whatever block made the element: its HTML is all that is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from selectolax.lexbor import LexborNode

from build_tools.pages.explorer import read_url
from build_tools.site.shown import read_text

Link = Callable[[str], str]
"""From the address of a link on the page to the one that the Markdown has."""

LONGEST = 500
"""Characters of an address; a longer one is left out. Where it holds a whole program, its text goes
with it: it would promise to open what stands there already."""

_SILENT = frozenset(
    {
        "button",
        "canvas",
        "input",
        "label",
        "nav",
        "noscript",
        "script",
        "style",
        "svg",
        "template",
    }
)
_BLOCKS = frozenset(
    {
        "article",
        "aside",
        "blockquote",
        "div",
        "dl",
        "dd",
        "dt",
        "details",
        "figcaption",
        "figure",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "li",
        "main",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "ul",
    }
)
_HIDDEN = frozenset({"headerlink", "course-findings", "course-proof", "course-unchecked"})
"""Classes of what is no part of a page's text."""
_MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*"}


def convert_element(node: LexborNode, link: Link) -> str:
    """The element as Markdown, paragraphs parted by an empty line."""
    return "\n\n".join(_list_paragraphs(node, link))


def fence_code(text: str, language: str = "") -> str:
    """A fenced block that holds ``text``, whatever ticks are in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.removesuffix(chr(10))}\n{fence}"


def _list_paragraphs(node: LexborNode, link: Link) -> Iterator[str]:
    """The paragraphs of an element's content, in its order."""
    tag = node.tag or ""
    if tag in _SILENT or _is_hidden(node):
        return
    if tag == "pre":
        yield fence_code(read_text(node), "cuda" if _is_program(node) else "text")
    elif tag == "table":
        yield from _list_table(node, link)
    elif tag in ("ul", "ol"):
        items = (" ".join(_list_paragraphs(item, link)) for item in node.iter())
        yield "\n".join(f"- {item}" for item in items if item)
    elif tag == "dl":
        yield "\n".join(_list_definitions(node, link))
    elif re.fullmatch(r"h[1-6]", tag):
        yield f"{'#' * int(tag[1])} {_read_inline(node, link)}"
    elif tag == "summary":
        yield f"**{_read_inline(node, link)}**"
    else:
        yield from _list_mixed(node, link)


def _is_program(node: LexborNode) -> bool:
    """Whether lines stand in it that are a program's."""
    return node.css_first(".course-line") is not None


def _list_mixed(node: LexborNode, link: Link) -> Iterator[str]:
    """Elements that part paragraphs, and the text between them."""
    waiting: list[str] = []
    for child in node.iter(include_text=True):
        if not _holds_block(child):
            waiting.append(_read_piece(child, link))
            continue
        yield from _join(waiting)
        waiting = []
        yield from _list_paragraphs(child, link)
    yield from _join(waiting)


def _join(pieces: list[str]) -> Iterator[str]:
    text = " ".join("".join(pieces).split())
    if text:
        yield text


def _holds_block(node: LexborNode) -> bool:
    tag = node.tag or ""
    if tag in _BLOCKS:
        return True
    return (
        tag not in _SILENT
        and not tag.startswith(("-", "!"))
        and any((inner.tag or "") in _BLOCKS for inner in node.css("*"))
    )


def _read_inline(node: LexborNode, link: Link) -> str:
    pieces = (_read_piece(child, link) for child in node.iter(include_text=True))
    return " ".join("".join(pieces).split())


def _read_piece(node: LexborNode, link: Link) -> str:
    """One piece of running text, spaces at its ends kept."""
    tag = node.tag or ""
    if tag == "-text":
        return node.text_content or ""
    if tag.startswith(("-", "!")) or tag in _SILENT or _is_hidden(node):
        return ""
    if tag == "br":
        return " "
    if tag == "code":
        text = " ".join(read_text(node).split())
        ticks = "``" if "`" in text else "`"
        return f"{ticks}{text}{ticks}" if text else ""
    inner = "".join(_read_piece(child, link) for child in node.iter(include_text=True))
    text = " ".join(inner.split())
    if tag == "a" and text:
        href = node.attributes.get("href") or ""
        if read_url(href) is not None and len(href) > LONGEST:
            return ""
        return f"[{text}]({link(href)})" if 0 < len(href) <= LONGEST else text
    mark = _MARKS.get(tag, "")
    if mark and text:
        return f"{mark}{text}{mark}"
    # Pieces that a style sheet sets apart have no space between them.
    return f" {inner} " if "class" in node.attributes and tag == "span" else inner


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    return "hidden" in attributes or not _HIDDEN.isdisjoint((attributes.get("class") or "").split())


def _list_table(table: LexborNode, link: Link) -> Iterator[str]:
    """A caption and a table with bars; its first row is the head."""
    caption = table.css_first("caption")
    if caption is not None:
        yield from _join([_read_inline(caption, link)])
    rows = [
        [_read_cell(cell, link) for cell in row.iter() if cell.tag in ("th", "td")]
        for row in table.css("tr")
    ]
    width = max((len(row) for row in rows), default=0)
    if not width:
        return
    lines = [_write_row(row, width) for row in rows]
    lines.insert(1, f"|{'---|' * width}")
    yield "\n".join(lines)


def _read_cell(cell: LexborNode, link: Link) -> str:
    return " ".join(_list_paragraphs(cell, link)).replace("\n", " ").replace("|", "\\|")


def _write_row(cells: list[str], width: int) -> str:
    return f"| {' | '.join([*cells, *[''] * (width - len(cells))])} |"


def _list_definitions(node: LexborNode, link: Link) -> Iterator[str]:
    """Terms with what they mean, one a line."""
    term = ""
    for child in node.css("dt, dd"):
        text = " ".join(" ".join(_list_paragraphs(child, link)).split())
        if child.tag == "dt":
            term = text
        else:
            yield f"- {term}: {text}"
