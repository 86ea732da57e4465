"""The extension by itself: its options, its reading of the course, its place among the others."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown import Markdown, markdown

from build_tools.claims.model import Course
from build_tools.pages.cache import read_course
from build_tools.pages.highlight import (
    CodeLine,
    Token,
    color_source,
    compose_code,
    cut_line,
    split_source,
)
from tests.course_factory import make_example
from tests.pages.conftest import Page

Convert = Callable[..., Page]

TEXT = '/// snippet | add#block\n///\n\n[1.5×](claim:add.speedup["small"])\n'


def test_a_course_is_read_from_its_root_by_name_alone(tmp_path: Path) -> None:
    make_example(tmp_path)
    html = markdown(
        TEXT,
        extensions=["build_tools.pages"],
        extension_configs={"build_tools.pages": {"root": str(tmp_path)}},
    )
    assert 'data-course-region="add#block"' in html
    assert "Measured: <strong>1.525</strong>" in html


def test_the_course_is_read_again_when_and_only_when_a_file_changed(tmp_path: Path) -> None:
    make_example(tmp_path)
    first = read_course(tmp_path)
    assert read_course(tmp_path) is first
    path = tmp_path / "snippets/add/add.cu"
    path.write_text(path.read_text().replace("kBlock = 256", "kBlock = 1024"))
    second = read_course(tmp_path)
    assert second is not first
    assert "1024" in second.programs["add"].regions["block"].text
    (tmp_path / "evidence/add/nvidia-h200/run-2026-12-01.json").unlink()
    assert read_course(tmp_path).shelves["add"].records == ()


def test_a_folder_without_a_course_gives_boxes_and_no_crash(tmp_path: Path) -> None:
    html = markdown(
        TEXT,
        extensions=["build_tools.pages"],
        extension_configs={"build_tools.pages": {"root": str(tmp_path)}},
    )
    assert "course-missing" in html
    assert "course-claim--finding" in html


def test_line_ends_of_any_kind(convert: Convert) -> None:
    for end in ("\r\n", "\r"):
        page = convert(TEXT.replace("\n", end))
        assert page.rendered.is_whole
        assert page.rendered.directives == (0,)


def test_an_empty_page(convert: Convert) -> None:
    page = convert("")
    assert page.html == ""
    assert page.rendered is None


def test_findings_name_the_page(convert: Convert) -> None:
    page = convert("/// nothing | x\n///\n", path="docs/a.md")
    assert str(page.rendered.scan.findings[0].place) == "docs/a.md:1:1"


def test_what_came_out_is_told_in_the_order_of_the_page(convert: Convert) -> None:
    page = convert(
        "[7](stated:)\n\n/// table | add\n///\n\n[8](stated:)\n\n/// program | add\n///\n"
    )
    assert page.rendered.claims == (0, 1)
    assert page.rendered.directives == (0, 1)
    assert page.rendered.is_whole


def test_a_page_without_ours_is_as_it_would_be(example: Course) -> None:
    text = "# A\n\nText *b* [c](d.md) `e`[f].\n\n- g\n\n    h\n\n```\ni\n```\n\n[f]: j\n"
    others = ["admonition", "tables", "pymdownx.superfences", "toc"]
    plain = Markdown(extensions=others).convert(text)
    ours = Markdown(
        extensions=[*others, "build_tools.pages"],
        extension_configs={"build_tools.pages": {"course": example}},
    ).convert(text)
    assert ours == plain


def test_rendering_imports_neither_a_generator_nor_what_runs_programs() -> None:
    code = (
        "import sys, build_tools.pages\n"
        "bad = [m for m in sys.modules if m.split('.')[0] in ('mkdocs', 'material', 'cupy')"
        " or m.startswith(('build_tools.measure', 'build_tools.site'))]\n"
        "sys.exit(repr(bad) if bad else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@settings(deadline=None, max_examples=200)
@given(st.text(st.characters(codec="utf-8"), max_size=120))
def test_colouring_changes_no_character(text: str) -> None:
    lines = color_source(text)
    assert "\n".join("".join(token.text for token in line) for line in lines) == text


def test_colours_know_cuda() -> None:
    (line,) = color_source("__global__ void f(float *a) { a[threadIdx.x] = 1.0f; }")
    colours = {token.text: token.css for token in line}
    assert colours["__global__"] == "kr"
    assert colours["threadIdx"] == "nb"
    assert colours["1.0f"] == "mf"


def test_an_indent_is_cut_across_tokens() -> None:
    line = (Token("w", "  "), Token("w", "  "), Token("k", "int"), Token("", " x"))
    assert cut_line(line, " int x") == (Token("w", " "), Token("k", "int"), Token("", " x"))
    assert cut_line(line, "int x") == line[2:]
    assert cut_line(line, "") == ()
    # Text goes before colour.
    assert cut_line(line, "other") == (Token("", "other"),)
    assert compose_code([]) == ""
    assert compose_code([CodeLine(3, (Token("k", "<"),))]) == (
        '<span class="course-line" data-line="3"><span class="k">&lt;</span></span>\n'
    )


words = st.sampled_from(
    [
        "- a\n", "    ", "> ", "1. b\n", "!!! note\n", '=== "T"\n', "\n", "\n\n", "text ", "`", "```\n",
        "**", "[", "]", "(", "<div>\n", "</div>\n", "[^1]: ", "# H ", "| a | b |\n|--|--|\n",
        "[7](stated:)", "[256](claim:add.source.kBlock)", "/// snippet | add#block\n///\n",
        "    /// table | add\n    ///\n", "/// program | add\n    x: 1\n///\n", "\\", "$", "<!--", "-->",
    ]
)  # fmt: skip


@settings(
    deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(words, max_size=14))
def test_nothing_of_ours_leaks_and_nothing_comes_out_twice(
    convert: Convert, pieces: list[str]
) -> None:
    page = convert("".join(pieces))
    if page.rendered is None:
        return
    for marks in (page.rendered.claims, page.rendered.directives):
        assert len(set(marks)) == len(marks)
    assert "course-directive-" not in page.html
    assert "(claim:#" not in page.html
    assert "\x02" not in page.html


@pytest.mark.parametrize("hrefs", ["keep", "source"])
def test_a_toc_of_headings_holds_no_tooltip(convert: Convert, hrefs: str) -> None:
    page = convert("[TOC]\n\n# A [256](claim:add.source.kBlock) {#a}\n", hrefs=hrefs)
    assert page.text(".toc a") == "A 256"
    assert page.rendered.claims == (0,)


def test_every_directive_that_the_scanner_accepts_has_a_renderer() -> None:
    from build_tools.claims.blocks import GENERATED_OPTIONS, OPTIONS
    from build_tools.pages.conversion import RENDERERS

    assert set(RENDERERS) == set(OPTIONS) | set(GENERATED_OPTIONS)


def test_a_program_is_coloured_piece_by_piece() -> None:
    """What starts a comment or a condition is never parted from what ends it."""
    text = (
        "#include <cstdio>\n\n/* not; {\n   cut; */\nint a = 1;\n\n"
        "#if 1\nint b;\n#endif\nint c;  // more\nint d;\n"
        "__global__ void f(int *p) {\n    p[0] = 1;\n}\nint main() { return 0; }\n"
    )
    pieces = split_source(text)
    assert "".join(pieces) == text
    assert list(pieces) == [
        "#include <cstdio>\n\n/* not; {\n   cut; */\nint a = 1;\n",
        "\n#if 1\nint b;\n#endif\nint c;  // more\nint d;\n",
        "__global__ void f(int *p) {\n    p[0] = 1;\n}\n",
        "int main() { return 0; }\n",
        "",
    ]
    lines = color_source(text)
    assert "\n".join("".join(token.text for token in line) for line in lines) == text
    comment = [token for token in lines[2] if token.text.strip()]
    assert [token.css for token in comment] == ["cm"]
    # A function's name is one, whatever stands before it in the file.
    assert Token("nf", "main") in lines[14]
