"""A snippet's code is its region's text, wherever on a page it stands and whatever it holds."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborNode

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from tests.course_factory import make_example
from tests.pages.conftest import Page, swap_source

Convert = Callable[..., Page]

SNIPPET = "/// snippet | add#add-kernel\n///\n"
CODE = ".course-snippet pre > code"


def test_the_code_of_a_snippet_is_its_regions_text(example: Course, convert: Convert) -> None:
    page = convert(SNIPPET)
    assert page.text(CODE) == example.programs["add"].regions["add-kernel"].text
    assert page.rendered.is_whole


def test_the_wrapper_keeps_to_the_contract_of_the_page_check(convert: Convert) -> None:
    page = convert("Before.\n\n" + SNIPPET)
    wrapper = page.one(".course-snippet")
    assert wrapper.attributes["data-course-directive"] == "0"
    assert wrapper.attributes["data-course-region"] == "add#add-kernel"
    assert wrapper.attributes["id"] == "snippet-add-add-kernel"
    assert len(wrapper.css(".highlight pre > code")) == 1
    # The copy button takes the nearest id above: no other code may stand under it.
    assert len(wrapper.css("pre")) == 1


def test_two_snippets_of_a_region_have_ids_of_their_own(convert: Convert) -> None:
    page = convert(SNIPPET + "\n" + SNIPPET)
    ids = [node.attributes["id"] for node in page.tree.css(".course-snippet")]
    assert ids == ["snippet-add-add-kernel", "snippet-add-add-kernel--2"]


def read_numbers(lines: list[LexborNode]) -> list[int]:
    """The numbers that a browser counts: each line one more than the last, or than a new start."""
    count, numbers = 0, []
    for line in lines:
        start = re.fullmatch(r"counter-reset:line (\d+)", line.attributes.get("style") or "")
        count = (int(start[1]) if start else count) + 1
        numbers.append(count)
    return numbers


def test_line_numbers_are_the_programs_own_and_no_text(example: Course, convert: Convert) -> None:
    region = example.programs["add"].regions["add-kernel"]
    page = convert(SNIPPET)
    lines = page.tree.css(f"{CODE} > .course-line")
    assert read_numbers(lines) == [line.number for line in region.lines]
    assert [line.attributes.get("style") for line in lines[1:]] == [None] * (len(lines) - 1)
    assert page.one("a.course-snippet__lines").attributes["href"] == (
        "course:program/add#region-add-kernel"
    )
    head = page.text("a.course-snippet__lines")
    assert head == f"add.cu, lines {region.first}–{region.last}"


def test_marker_lines_of_a_nested_region_do_not_show_and_their_numbers_are_skipped(
    example: Course, convert: Convert
) -> None:
    text = "// snippet: outer\nint a;\n// snippet: inner\nint b;\n// end snippet: inner\nint c;\n// end snippet: outer\n"
    page = convert("/// snippet | add#outer\n///\n", course=swap_source(example, text))
    assert page.text(CODE) == "int a;\nint b;\nint c;\n"
    assert read_numbers(page.tree.css(".course-line")) == [2, 4, 6]
    assert page.text(".course-snippet__lines") == "add.cu, lines 2–6 without marker lines"


def test_the_foot_names_needs_build_command_device_and_readers_check(convert: Convert) -> None:
    foot = convert(SNIPPET).text(".course-snippet__foot")
    assert "Needs block, not among these lines." in foot
    assert "Take it along with what it needs" in foot
    assert "nvcc -std=c++17 -O3 -arch=sm_90 -o add add.cu" in foot
    assert "With what it needs" in foot
    told = "Compiled and run on NVIDIA H200, 2026-12-01; checked against CuPy"
    assert f"{told} with what it needs." in foot


def test_the_button_of_the_head_says_what_it_copies(convert: Convert) -> None:
    needy = convert(SNIPPET).one(".course-snippet__head button")
    assert needy.text() == "Copy these lines"
    assert needy.attributes["aria-label"] == "Copy these lines of add-kernel"
    alone = convert("/// snippet | add#block\n///\n")
    assert alone.text(".course-snippet__head button") == "Copy"
    assert "Take it along with" not in alone.text(".course-take")


def test_a_unit_has_a_command_of_its_own_and_its_architecture_a_word(
    example: Course, convert: Convert
) -> None:
    take = " ".join(convert(SNIPPET).text(".course-take").split())
    assert "nvcc -std=c++17 -O3 -arch=sm_90 -c add-kernel.cu" in take
    assert "-arch=sm_90 is for the GPU that it was recorded on" in take
    assert "On a machine with another, write -arch=native." in take
    assert "alone it may not compile" not in take
    block = convert("/// snippet | add#block\n///\n").text(".course-take")
    assert " -c " not in block, "there is no kernel to compile"
    program = example.programs["add"]
    exact = replace(program.header, build="nvcc -arch=sm_90a -lcublas -o add add.cu")
    course = replace(example, programs={"add": replace(program, header=exact)})
    take = " ".join(convert(SNIPPET, course=course).text(".course-take").split())
    assert "nvcc -arch=sm_90a -c add-kernel.cu" in take
    assert "-arch=native" not in take


def test_a_region_that_nothing_declares_or_of_the_host_says_that_it_is_a_part(
    example: Course, convert: Convert
) -> None:
    told = "Made for its place in the program: alone it may not compile."
    program = example.programs["add"]
    host = replace(program.regions["add-kernel"], kind="host")
    bare = replace(program, declaration=replace(program.declaration, regions={}))
    for changed in (replace(program, regions={**program.regions, "add-kernel": host}), bare):
        course = replace(example, programs={"add": changed})
        assert told in convert(SNIPPET, course=course).text(".course-take")
    assert told not in convert(SNIPPET).text(".course-take")


def test_a_region_whose_check_changed_since_is_not_called_checked(
    tmp_path: Path, convert: Convert
) -> None:
    make_example(tmp_path)
    path = tmp_path / "snippets/add/check.py"
    # The code is the same, so the record is fresh; its verdict is of another check.
    path.write_text(path.read_text() + "\nLIMIT = 1\n")
    foot = convert(SNIPPET, course=load_course(tmp_path)).text(".course-snippet__foot")
    assert "Compiled and run" in foot
    assert "checked against CuPy" not in foot


def test_a_snippet_without_a_record_says_that_it_is_not_verified(
    example: Course, convert: Convert
) -> None:
    page = convert(SNIPPET, course=replace(example, shelves={}))
    assert "Not verified: there is no record of add." in page.text(".course-snippet__foot")


def test_options_title_and_numbers(convert: Convert) -> None:
    page = convert('/// snippet | add#block\n    title: "A <b> & more"\n    numbers: false\n///\n')
    assert page.text(".course-snippet__title") == "A <b> & more"
    assert "course-snippet--numbers" not in (page.one(".course-snippet").attributes["class"] or "")


def test_dedent_is_per_snippet(example: Course, convert: Convert) -> None:
    course = swap_source(
        example,
        "int main() {\n    // snippet: body\n    int a;\n\n        int b;\n    // end snippet: body\n}\n",
    )
    cut = convert("/// snippet | add#body\n///\n", course=course)
    assert cut.text(CODE) == "int a;\n\n    int b;\n"
    kept = convert("/// snippet | add#body\n    dedent: false\n///\n", course=course)
    assert kept.text(CODE) == "    int a;\n\n        int b;\n"
    wrong = convert("/// snippet | add#body\n    dedent: nay\n///\n", course=course)
    assert "dedent is nay" in wrong.text(".course-missing")


def test_a_region_keeps_the_colours_of_its_place_in_the_program(
    example: Course, convert: Convert
) -> None:
    text = "/*\n* opens above\n// snippet: inside\nint looks_like_code = 1;\n// end snippet: inside\n*/\n"
    regions = swap_source(example, "// snippet: inside\nint looks_like_code = 1;\n// end snippet\n")
    program = regions.programs["add"]
    # The same region, its lines moved to where the comment holds them.
    region = program.regions["inside"]
    moved = replace(region, lines=tuple(replace(line, number=4) for line in region.lines))
    course = replace(
        regions,
        programs={"add": replace(program, text=text, regions={"inside": moved})},
    )
    page = convert("/// snippet | add#inside\n///\n", course=course)
    assert page.text(CODE) == "int looks_like_code = 1;\n"
    assert page.text(f"{CODE} .cm") == "int looks_like_code = 1;"


PLACES = {
    "alone": SNIPPET,
    "right after a paragraph": "Text before\n" + SNIPPET + "text after\n",
    "in a list": "- item\n\n    /// snippet | add#add-kernel\n    ///\n\n- next\n",
    "in a list without empty lines": "1. item\n    /// snippet | add#add-kernel\n    ///\n2. next\n",
    "in a nested list": "- a\n    - b\n\n        /// snippet | add#add-kernel\n        ///\n",
    "in a tab": '=== "One"\n\n    /// snippet | add#add-kernel\n    ///\n\n=== "Two"\n\n    Text.\n',
    "at once in a tab": '=== "One"\n    /// snippet | add#add-kernel\n    ///\n',
    "in an admonition": "!!! note\n\n    Text.\n\n    /// snippet | add#add-kernel\n    ///\n",
    "at once in an admonition": "!!! note\n    /// snippet | add#add-kernel\n    ///\n",
    "in details": '??? note "More"\n    /// snippet | add#add-kernel\n    ///\n',
    "in a tab in an admonition": (
        '!!! tip\n\n    === "One"\n\n        /// snippet | add#add-kernel\n        ///\n'
    ),
    "in a quote": "> Text.\n>\n> /// snippet | add#add-kernel\n> ///\n",
    "in a definition": "Term\n:   Text.\n\n    /// snippet | add#add-kernel\n    ///\n",
    "in a footnote": "Text[^1].\n\n[^1]:\n    Note.\n\n    /// snippet | add#add-kernel\n    ///\n",
    "in raw HTML": '<div markdown="1">\n\n/// snippet | add#add-kernel\n///\n\n</div>\n',
}


@pytest.mark.parametrize("place", PLACES)
def test_a_snippet_stands_whole_wherever_a_block_may(
    example: Course, convert: Convert, place: str
) -> None:
    page = convert(PLACES[place])
    assert page.text(CODE) == example.programs["add"].regions["add-kernel"].text
    assert page.rendered.directives == (0,)
    assert page.rendered.is_whole
    assert not page.tree.css("p .course-snippet, p:has(> .course-snippet)")
    assert "course-directive-" not in page.html
    if "item" in PLACES[place]:
        page.one("li .course-snippet")
        assert len(page.tree.css("main > ul > li, main > ol > li")) == 2


NASTY = [
    "a </script><script>alert(1)</script>",
    "{{ braces }} {% raw %} {# no #}",
    "```",
    "~~~~ {.fence}",
    "<b>bold</b> &amp; &lt;",
    "wzxhzdk:0 klzzwxh:0000",
    "/// snippet | add#block",
    "[1.5×](claim:add.speedup)",
    "    ",
    "\t",
    "\ttab\there  ",
    "$x$ \\( \\[ \\",
    "# heading",
    "--8<-- 'file'",
    "// " + "x" * 400,
    "µ × – “ ” 漢字 \U0001f600",
    "\u2028\u2029\x85"[:2],
    "*[abbr]: x",
    "<!-- comment",
    "]]>",
    "&#34; \" '",
]


def test_nothing_that_a_line_may_hold_changes_its_text(example: Course, convert: Convert) -> None:
    body = "".join(f"/* {line} */\n{line}\n" for line in NASTY)
    course = swap_source(example, f"// snippet: nasty\n{body}// end snippet: nasty\n")
    text = course.programs["add"].regions["nasty"].text
    for markdown in (
        "/// snippet | add#nasty\n///\n",
        "- a\n\n    /// snippet | add#nasty\n    ///\n",
    ):
        page = convert(markdown, course=course)
        assert page.text(CODE) == text
        assert page.rendered.is_whole


def test_marks_that_turn_text_around_are_named_and_isolated(
    example: Course, convert: Convert
) -> None:
    line = "int access = 0; /* \u202e } \u2066 if (admin) \u2069 */"
    course = swap_source(example, f"// snippet: turned\n{line}\n// end snippet\n")
    page = convert("/// snippet | add#turned\n///\n", course=course)
    assert page.text(CODE) == line + "\n"
    marks = [node.attributes["data-mark"] for node in page.tree.css(".course-unseen")]
    assert marks == ["U+202E", "U+2066", "U+2069"]


lines = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), include_characters="\t"),
    max_size=40,
)


@settings(
    deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(body=st.lists(lines, min_size=1, max_size=8), indent=st.sampled_from(["", "    ", "\t"]))
def test_any_region_comes_back_character_for_character(
    example: Course, convert: Convert, body: list[str], indent: str
) -> None:
    # A line that reads as a marker would be one; an empty region is an error.
    body = [line for line in body if "snippet" not in line.lower()]
    if not any(line.strip() for line in body):
        body = ["int x;"]
    text = "".join(f"{indent}{line}\n" for line in body)
    course = swap_source(example, f"// snippet: any\n{text}// end snippet: any\n")
    region = course.programs["add"].regions["any"]
    cut = convert("/// snippet | add#any\n///\n", course=course)
    assert cut.text(CODE) == region.text
    kept = convert("/// snippet | add#any\n    dedent: false\n///\n", course=course)
    assert kept.text(CODE) == region.undedented


def test_a_control_byte_in_a_region_neither_hangs_nor_hides(
    example: Course, convert: Convert
) -> None:
    # The source stage says that it may not be there; the page must still end.
    program = example.programs["add"]
    region = program.regions["block"]
    text = program.text.replace("int kBlock", "int \x02wzxhzdk:0\x03\x00kBlock")
    shown = "constexpr int \x02wzxhzdk:0\x03\x00kBlock = 256;\n"
    course = replace(
        example,
        programs={
            "add": replace(program, text=text, regions={"block": replace(region, text=shown)})
        },
    )
    page = convert("/// snippet | add#block\n///\n", course=course)
    assert page.text(CODE) == "constexpr int ␂wzxhzdk:0␃␀kBlock = 256;\n"
