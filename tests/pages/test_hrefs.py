"""Links into generated pages are finished by the host, or lead to the project's sources."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from markdown import markdown

from build_tools.claims.model import Course
from build_tools.pages import resolve_hrefs
from build_tools.pages.hrefs import link_page, locate_source
from build_tools.site.hrefs import locate_href
from tests.pages.conftest import Page

Convert = Callable[..., Page]


def test_each_href_is_handed_over_whole_and_replaced() -> None:
    seen = []

    def resolve(href: str) -> str:
        seen.append(href)
        return '../p/?a=1&b="2"'

    html = '<p><a class="x" href="course:program/add#L2" download>t <code>c</code></a></p>'
    assert resolve_hrefs(html, resolve) == (
        '<p><a class="x" href="../p/?a=1&amp;b=&quot;2&quot;" download>t <code>c</code></a></p>'
    )
    assert seen == ["course:program/add#L2"]


def test_a_link_that_leads_nowhere_becomes_a_span_and_keeps_its_text() -> None:
    html = 'a <a href="course:record/x" class="y" download>the <b>record</b></a> b'
    assert resolve_hrefs(html, lambda _: None) == 'a <span class="y">the <b>record</b></span> b'


def test_a_described_span_can_be_focused() -> None:
    html = '<a aria-describedby="p" href="course:record/x">1.5×</a>'
    assert resolve_hrefs(html, lambda _: None) == (
        '<span aria-describedby="p" tabindex="0">1.5×</span>'
    )


@pytest.mark.parametrize(
    "html",
    [
        '<a href="https://example.org/course:x">x</a>',
        "<pre>&lt;a href=&#34;course:program/x&#34;&gt;</pre>",
        '<abbr href="course:x">no link</abbr>',
        "<a>bare</a>",
    ],
)
def test_other_links_are_left_alone(html: str) -> None:
    assert resolve_hrefs(html, lambda _: "wrong") == html


def test_neighbouring_links_do_not_run_together() -> None:
    html = '<a href="x">1</a> <a href="course:program/a">2</a> <a href="course:program/b">3</a>'
    assert resolve_hrefs(html, lambda href: href.rpartition("/")[2]) == (
        '<a href="x">1</a> <a href="a">2</a> <a href="b">3</a>'
    )


def test_every_link_of_a_page_can_be_finished(convert: Convert) -> None:
    page = convert(
        '[1.5×](claim:add.speedup["small"]) [card](course:program/add)\n\n'
        "/// snippet | add#add-kernel\n///\n\n/// table | add\n///\n\n/// transcript | add\n///\n\n"
        "/// program | add\n///\n\n/// program-source | add\n///\n\n"
        "/// record | add/nvidia-h200/run-2026-12-01\n///\n"
    )
    assert page.html.count('href="course:') > 30
    assert "course:" not in resolve_hrefs(page.html, lambda href: "/" + href.partition(":")[2])
    assert "course:" not in resolve_hrefs(page.html, lambda _: None)


LINES = {
    "course:program/add": ("snippets/add/add.cu", 1),
    "course:program/add#L20": ("snippets/add/add.cu", 20),
    "course:program/add#Lx": ("snippets/add/add.cu", 1),
    "course:program/add#region-add-kernel": ("snippets/add/add.cu", 20),
    "course:program/add#region-gone": ("snippets/add/add.cu", 1),
    "course:download/add/regions/add-kernel.cu": ("snippets/add/add.cu", 20),
    "course:download/add/add.cu": ("snippets/add/add.cu", 1),
    "course:record/add/g/run-1#device": ("evidence/add/g/run-1.json", 1),
    "course:transcript/add/g/run-1.txt": ("evidence/add/g/run-1.txt", 1),
    "course:program/nope": None,
    "course:record/": None,
    "course:other/x": None,
    "course:": None,
}


@pytest.mark.parametrize("href", LINES)
def test_an_href_names_a_file_of_the_project(example: Course, href: str) -> None:
    assert locate_source(example, href) == LINES[href]


SNIPPET = "/// snippet | add#add-kernel\n///\n"


def test_by_default_links_lead_to_the_sources(example: Course, convert: Convert) -> None:
    url = "https://example.org/blob/main/{path}?x={x}#L{line}"
    course = replace(example, settings=replace(example.settings, source_url=url))
    page = convert(SNIPPET, course=course, hrefs="source")
    assert page.one("a.course-snippet__lines").attributes["href"] == (
        "https://example.org/blob/main/snippets/add/add.cu?x={x}#L20"
    )
    assert "course:" not in page.html


def test_without_a_source_url_links_are_dropped_and_texts_stay(convert: Convert) -> None:
    page = convert(SNIPPET + '\n[1.5×](claim:add.speedup["small"])\n', hrefs="source")
    assert not page.tree.css("a:not([href^='https://godbolt.org/'])")
    assert page.text("span.course-snippet__lines") == "add.cu, lines 20–23"
    assert page.one("span.course-claim__text").attributes["tabindex"] == "0"


def test_an_unknown_way_with_hrefs_is_refused(example: Course) -> None:
    with pytest.raises(ValueError, match="hrefs is 'drop'; write `source` or `keep`"):
        markdown(
            "x",
            extensions=["build_tools.pages"],
            extension_configs={"build_tools.pages": {"course": example, "hrefs": "drop"}},
        )


@pytest.mark.parametrize(
    "path", ["docs/a.md", "docs/50 % (x) #1?.md", "README.md", 'docs/ä"<b>.md']
)
def test_a_page_of_the_prose_is_found_again_by_its_href(example: Course, path: str) -> None:
    href = link_page(path, "claim-3")
    assert not set(' "<>()').intersection(href)
    assert locate_source(example, href) == (path, 1)
    bare = href.partition("#")[0]
    assert locate_href(bare) == (path.removeprefix("docs/") if path != "README.md" else None)
    assert locate_href(bare, docs=".") == path
    seen: list[str] = []
    resolve_hrefs(f'<a href="{href}">x</a>', seen.append)
    assert seen == [href]
