"""At which of Python-Markdown's steps does what happen? The extension and its processors.

Before anything else reads the page, its claims and directives are found and numbered. The
numbers are rendered where Markdown meets them, inside lists, tabs and admonitions as well, and
what a host must know of links is finished at the end.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.blockprocessors import BlockProcessor
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from build_tools.claims.model import Course
from build_tools.pages.cache import read_course
from build_tools.pages.claim import list_classes, name_claim, name_said, needs_proof
from build_tools.pages.conversion import Conversion
from build_tools.pages.hrefs import compose_source_resolver, resolve_hrefs
from build_tools.pages.written_table import WrittenTables

_REFUSED = ("claim:", "given:", "stated:")


class CourseExtension(Extension):
    """Options, as keywords: ``root``, ``course``, ``hrefs`` and ``path``.

    After a conversion ``md.course_rendered`` tells what came out of it (``Rendered``).
    """

    def __init__(self, **options: Any) -> None:
        self.config = {
            "root": [".", "folder of course.toml"],
            # Not None: Python-Markdown would make a truth value of the course.
            "course": ["", "the course as already read, instead of `root`"],
            "hrefs": [
                "source",
                "`source` leads links to the project's sources, `keep` leaves them to the host",
            ],
            "path": ["", "the page's path from the root, for places in findings"],
        }
        super().__init__(**options)
        if self.getConfig("hrefs") not in ("source", "keep"):
            raise ValueError(
                f"build_tools.pages: hrefs is {self.getConfig('hrefs')!r}; write `source` or `keep`"
            )
        self.conversion: Conversion | None = None

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Put each processor in its place."""
        md.registerExtension(self)
        md.course_rendered = None  # type: ignore[attr-defined]
        # Before fences, raw HTML and includes, which would take a block's text apart.
        md.preprocessors.register(Number(md, self), "course-number", 200)
        # Behind what strips a list's or an admonition's indent, before indented code.
        md.parser.blockprocessors.register(
            DirectiveProcessor(md.parser, self), "course-directive", 85
        )
        # Above links and references (170), below code spans (190) and escapes (180).
        md.inlinePatterns.register(ClaimProcessor(md, self), "course-claim", 175)
        # Just behind the inline processors (20).
        md.treeprocessors.register(RefusedLinks(md), "course-refused", 19)
        # Behind attribute lists (8), which may give a table a class of its author's.
        md.treeprocessors.register(WrittenTables(md), "course-tables", 7)
        # Behind every other, so that the foot stands behind footnotes, too.
        md.treeprocessors.register(Foot(md, self), "course-foot", -100)
        # Behind everything that puts raw HTML back.
        md.postprocessors.register(Finish(md, self), "course-finish", -100)

    def reset(self) -> None:
        """Forget the page before."""
        self.conversion = None

    def begin(self, text: str) -> Conversion:
        """Scan the page that is converted next."""
        self.conversion = Conversion(self.read_course(), text, self.getConfig("path"))
        return self.conversion

    def read_course(self) -> Course:
        """The course of the options."""
        course = self.getConfig("course")
        return course if isinstance(course, Course) else read_course(Path(self.getConfig("root")))


class Number(Preprocessor):
    """Rewrites each accepted claim and directive to a token with its number."""

    def __init__(self, md: Markdown, extension: CourseExtension) -> None:
        super().__init__(md)
        self.extension = extension

    def run(self, lines: list[str]) -> list[str]:
        """The page's lines, line ends as LF."""
        text = "\n".join(lines).replace("\r\n", "\n").replace("\r", "\n")
        return self.extension.begin(text).numbering.rewrite().split("\n")


class DirectiveProcessor(BlockProcessor):
    """Renders a numbered directive wherever a block may stand."""

    def __init__(self, parser: Any, extension: CourseExtension) -> None:
        super().__init__(parser)
        self.extension = extension

    def _read(self, block: str) -> int | None:
        conversion = self.extension.conversion
        return conversion.numbering.read_directive(block) if conversion else None

    def test(self, parent: Element, block: str) -> bool:
        """Whether the block is a numbered directive, not indented as code is."""
        del parent
        return self._read(block) is not None

    def run(self, parent: Element, blocks: list[str]) -> None:
        """Stash the HTML, and leave a paragraph that Markdown swaps for it."""
        conversion = self.extension.conversion
        number = self._read(blocks.pop(0))
        assert conversion is not None and number is not None  # noqa: S101, PT018 - tested above
        html = conversion.render_directive(number)
        SubElement(parent, "p").text = self.parser.md.htmlStash.store(str(html))


class ClaimProcessor(InlineProcessor):
    """Renders a numbered claim; its text may hold emphasis and code."""

    def __init__(self, md: Markdown, extension: CourseExtension) -> None:
        super().__init__(r"\[", md)
        self.extension = extension

    def handleMatch(  # type: ignore[override]  # noqa: N802 - Python-Markdown's name
        self, m: re.Match[str], data: str
    ) -> tuple[Element | None, int | None, int | None]:
        """The claim whose text begins behind the bracket at ``m``, or nothing."""
        conversion = self.extension.conversion
        closing = _find_closing(data, m.end()) if conversion else None
        if conversion is None or closing is None:
            return None, None, None
        found = conversion.numbering.read_claim_end(data, closing)
        if found is None:
            return None, None, None
        number, end = found
        return self._compose(conversion, number, data[m.end() : closing]), m.start(), end

    def _compose(self, conversion: Conversion, number: int, text: str) -> Element:
        verdict = conversion.verdicts[number]
        outer = Element("span", {"class": list_classes(verdict), "data-course-claim": str(number)})
        if not verdict.claim.in_heading:
            # A heading's copy in a table of contents would hold the id, too.
            outer.set("id", name_claim(number))
        if not needs_proof(verdict):
            outer.text = text
            return outer
        target, proof = conversion.tell_behind(number)
        # Without a link it can still be focused, so that its proof can be read.
        reached = {"href": target} if target else {"tabindex": "0"}
        inner = SubElement(
            outer,
            "a" if target else "span",
            {"class": "course-claim__text", **reached, "aria-describedby": name_said(number)},
        )
        inner.text = text
        inner.tail = self.md.htmlStash.store(proof)
        return outer


def _find_closing(data: str, start: int) -> int | None:
    """Where the bracket is closed that was opened just before ``start``."""
    depth = 1
    for index in range(start, len(data)):
        if data[index] == "[":
            depth += 1
        elif data[index] == "]":
            depth -= 1
            if depth == 0:
                return index
    return None


class RefusedLinks(Treeprocessor):
    """Takes the link from a claim that was not accepted: it would look like any other link."""

    def run(self, root: Element) -> None:
        """Turn each into a marked span; the finding says what is wrong with it."""
        for element in root.iter("a"):
            if element.get("href", "").startswith(_REFUSED):
                element.tag = "span"
                element.attrib.clear()
                element.set("class", "course-claim course-claim--refused")


class Foot(Treeprocessor):
    """Says at the end of a page with claims how they stand."""

    def __init__(self, md: Markdown, extension: CourseExtension) -> None:
        super().__init__(md)
        self.extension = extension

    def run(self, root: Element) -> None:
        """Stash the HTML, and leave a paragraph that Markdown swaps for it."""
        conversion = self.extension.conversion
        foot = conversion.render_foot() if conversion is not None else ""
        if foot:
            SubElement(root, "p").text = self.md.htmlStash.store(str(foot))


class Finish(Postprocessor):
    """Puts back what was not rendered, finishes links, and counts."""

    def __init__(self, md: Markdown, extension: CourseExtension) -> None:
        super().__init__(md)
        self.extension = extension

    def run(self, text: str) -> str:
        """The page's HTML; also run on a heading alone, for the table of contents."""
        conversion = self.extension.conversion
        if conversion is None:
            return text
        html = conversion.numbering.restore(text)
        if self.extension.getConfig("hrefs") == "source":
            html = resolve_hrefs(html, compose_source_resolver(conversion.course))
        # The last run is that of the whole page.
        self.md.course_rendered = conversion.count_rendered(html)  # type: ignore[attr-defined]
        return html
