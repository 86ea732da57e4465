"""What would the same site be without the course's tools? Plain pages, with code as fences.

Every page of a course, generated ones included, is written as an author without our tools would
write it: a claim is its text, a snippet, a program and a transcript are fences, tables are tables
of Markdown, and what can be downloaded lies among the docs.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.claims.page_text import list_pages
from build_tools.pages.conversion import Conversion
from build_tools.site.generate import compose_pages, list_downloads

HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}


def write_plain(root: Path, folder: Path) -> None:
    """The docs of the course under ``root``, as plain pages under ``folder``/docs."""
    course = load_course(root)
    pages = {
        path.removeprefix("docs/"): (root / path).read_text(encoding="utf-8")
        for path in list_pages(course)
        if path.startswith("docs/")
    }
    pages |= {page.source: page.markdown for page in compose_pages(course)}
    for source, text in pages.items():
        _write(folder / "docs" / source, write_plainly(course, text, source))
    for place, path in list_downloads(course).items():
        target = folder / "docs" / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def write_plainly(course: Course, text: str, source: str) -> str:
    """A page's Markdown without claims and directives."""
    conversion = Conversion(course, text, source)
    scan = conversion.scan
    found = [(claim.start, claim.end, claim.text) for claim in scan.claims]
    for directive in scan.directives:
        html = str(conversion.render_directive(directive.number))
        body = LexborHTMLParser(html).body
        blocks = list(_list_blocks(body)) if body else []
        found.append((directive.start, directive.end, "\n\n".join(blocks)))
    for start, end, plain in sorted(found, reverse=True):
        text = text[:start] + plain + text[end:]
    return text


def _list_blocks(node: LexborNode) -> Iterator[str]:
    """The blocks below a node as Markdown."""
    for child in node.iter():
        if child.tag == "pre":
            yield _write_fence(child)
        elif child.tag == "table":
            yield _write_table(child)
        elif child.tag in HEADINGS:
            yield f"{HEADINGS[child.tag]} {_join_words(child)}"
        elif child.css("pre, table, p, h2, h3"):
            yield from _list_blocks(child)
        elif _join_words(child):
            yield _join_words(child)


def _write_fence(node: LexborNode) -> str:
    text = node.text(deep=True, separator="", strip=False)
    language = "cuda" if "__global__" in text or "#include" in text else "text"
    return f"```{language}\n{text}```" if text.endswith("\n") else f"```{language}\n{text}\n```"


def _write_table(node: LexborNode) -> str:
    rows = [[_join_words(cell) or " " for cell in row.css("th, td")] for row in node.css("tr")]
    if not node.css_first("thead"):
        rows.insert(0, [" "] * len(rows[0]))
    rows.insert(1, ["---"] * len(rows[0]))
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _join_words(node: LexborNode) -> str:
    text = node.text(deep=True, separator=" ", strip=False)
    return " ".join(text.split()).replace("|", "\\|")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
