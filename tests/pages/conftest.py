"""Courses of a page's own, and pages converted by the real Python-Markdown and read as a browser does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from markdown import Markdown
from selectolax.lexbor import LexborHTMLParser, LexborNode

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.pages import Rendered
from build_tools.source.regions import find_regions
from tests.course_factory import make_example

EXTENSIONS = [
    "admonition",
    "attr_list",
    "def_list",
    "footnotes",
    "md_in_html",
    "tables",
    "toc",
    "pymdownx.details",
    "pymdownx.highlight",
    "pymdownx.inlinehilite",
    "pymdownx.superfences",
    "pymdownx.tabbed",
    "build_tools.pages",
]
"""Those of mkdocs.yml."""


class Page:
    """A converted page, its HTML and its parsed tree."""

    def __init__(self, course: Course, text: str, **options: Any) -> None:
        settings = {"course": course, "hrefs": "keep", **options}
        self.md = Markdown(
            extensions=EXTENSIONS,
            extension_configs={
                "build_tools.pages": settings,
                "pymdownx.tabbed": {"alternate_style": True},
                "toc": {"permalink": True},
            },
        )
        self.html = self.md.convert(text)
        self.tree = LexborHTMLParser(f"<main>{self.html}</main>")

    @property
    def rendered(self) -> Rendered:
        found: Rendered = self.md.course_rendered  # type: ignore[attr-defined]
        return found

    def one(self, selector: str) -> LexborNode:
        nodes = self.tree.css(selector)
        assert len(nodes) == 1, f"{selector}: {len(nodes)} in {self.html}"
        return nodes[0]

    def text(self, selector: str) -> str:
        """The text of the one element, nothing stripped."""
        return self.one(selector).text(deep=True, separator="", strip=False)


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course with the program ``add`` and its record, without findings."""
    root = tmp_path_factory.mktemp("course")
    make_example(root)
    course = load_course(root)
    assert course.findings == ()
    return course


@pytest.fixture
def convert(example: Course) -> Callable[..., Page]:
    """``convert(text, **options)``: a page of the example course."""

    def run(text: str, course: Course = example, **options: Any) -> Page:
        return Page(course, text, **options)

    return run


def swap_source(course: Course, text: str, name: str = "add") -> Course:
    """The course with another text of a program, its regions found in it; the record stays."""
    program = course.programs[name]
    path = program.path
    regions, findings = find_regions(text, name, path)
    assert findings == []
    return replace(course, programs={name: replace(program, text=text, regions=regions)})
