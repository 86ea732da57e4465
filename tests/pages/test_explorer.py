"""The links that open a text in Compiler Explorer, and why there is none."""

from __future__ import annotations

import base64
import json
import random
import string
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.evidence.reader import list_kernel_regions
from build_tools.pages.explorer import (
    COMPILERS,
    LONGEST,
    choose_compiler,
    compose_url,
    explore_program,
    explore_region,
    read_options,
    read_url,
)
from build_tools.source.model import Program, Settings
from build_tools.source.reader_unit import compose_unit
from tests.course_factory import make_example
from tests.pages.conftest import Page, swap_source

Convert = Callable[..., Page]

SNIPPET = "/// snippet | add#add-kernel\n///\n"


def test_the_link_is_the_sites_own_form_of_a_state(example: Course) -> None:
    program = example.programs["add"]
    link = explore_region(example, program, program.regions["add-kernel"])
    head, _, packed = link.url.rpartition("/")
    assert head == "https://godbolt.org/clientstate"
    # As lib/handlers/route-api.ts reads it: zlib's first byte is 0x78, a bare state's is a brace.
    data = base64.b64decode(unquote(packed), validate=True)
    assert data[0] & 0x0F == 0x08
    assert json.loads(zlib.decompress(data)) == {
        "sessions": [
            {
                "id": 1,
                "language": "cuda",
                "source": compose_unit(program, "add-kernel"),
                "compilers": [{"id": "nvcc130u2", "options": "-std=c++17 -O3 -arch=sm_90"}],
            }
        ]
    }
    assert set(packed) <= set(string.ascii_letters + string.digits + "%")


@given(text=st.text(st.characters(codec="utf-8"), max_size=300))
def test_any_text_comes_back(text: str) -> None:
    assert read_url(compose_url(text, "nvcc130u2", "-O3")) == (text, "nvcc130u2", "-O3")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "https://godbolt.org/",
        "https://godbolt.org/clientstate/",
        "https://godbolt.org/clientstate/eyJ4Ijoge319",
        "https://godbolt.org/clientstate/%FF",
        compose_url("x", "y", "z").replace("godbolt", "example"),
    ],
)
def test_what_is_no_such_link_holds_nothing(url: str) -> None:
    assert read_url(url) is None


@pytest.mark.parametrize(
    ("build", "options"),
    [
        ("nvcc -std=c++17 -O3 -arch=sm_90 -o add add.cu", "-std=c++17 -O3 -arch=sm_90"),
        ("nvcc add.cu -o add -O3", "-O3"),
        ("nvcc -DNAME='a b' -o add add.cu -lcublas", "'-DNAME=a b' -lcublas"),
        ("nvcc -o add add.cu", ""),
        ("nvcc -DX=' add.cu", ""),
        ("", ""),
    ],
)
def test_the_flags_are_those_of_the_build_line(build: str, options: str) -> None:
    assert read_options(build) == options


def test_a_text_too_long_for_a_link_has_none_and_says_so(example: Course, convert: Convert) -> None:
    # Letters by chance, which nothing packs.
    letters = random.Random(1).choices(string.ascii_letters, k=LONGEST)  # noqa: S311 - no secret
    long = "// " + "".join(letters)
    lines = "__global__ void k() {}\n"
    for text, has_link in ((lines, True), (f"{long}\n{lines}", False)):
        course = swap_source(example, f"// snippet: k\n{text}// end snippet: k\n")
        page = convert("/// snippet | add#k\n///\n\n/// program-head | add\n///\n", course=course)
        assert len(page.tree.css("a[data-course-explorer]")) == (2 if has_link else 0)
        said = [node.text() for node in page.tree.css(".course-take__why")]
        told = "Not in Compiler Explorer: a link of 8,000 characters cannot hold it."
        assert said == ([] if has_link else [told, told])
        for link in page.tree.css("a[data-course-explorer]"):
            assert len(link.attributes["href"] or "") <= LONGEST


PARTS = """\
// snippet: size
constexpr int kSize = 4;
// end snippet: size
int between;
// snippet: body
__device__ void fill() {}
// end snippet: body
// snippet: second
__global__ void second() {
    fill();
    fill();
}
// end snippet: second
// snippet: first
__global__ void first() {
    // snippet: middle
    fill();
    // end snippet: middle
}
// end snippet: first
// snippet: alone
int nobody;
// end snippet: alone
int main() {}
"""
BODY = "__device__ void fill() {}\n"
FIRST = "__global__ void first() {\n    fill();\n}\n"
SECOND = "__global__ void second() {\n    fill();\n    fill();\n}\n"


@pytest.fixture
def parts(tmp_path: Path) -> Course:
    """A program whose kernels need a body, and which has a region that no kernel needs."""
    make_example(tmp_path)
    source, declared = tmp_path / "snippets/add/add.cu", tmp_path / "snippets/add/program.toml"
    source.write_text(source.read_text().partition("#include")[0] + PARTS)
    kept = declared.read_text().partition("[regions")[0]
    needs = "[regions.first]\nneeds = ['body']\n[regions.second]\nneeds = ['body']\n"
    declared.write_text(f"{kept}\n{needs}")
    return load_course(tmp_path)


@pytest.mark.parametrize(
    ("region", "opens", "text"),
    [
        ("first", "", BODY + FIRST),
        ("body", "first", BODY + FIRST),  # the shortest of those that need it
        ("middle", "first", BODY + FIRST),
        ("second", "", BODY + SECOND),
    ],
)
def test_what_a_kernel_needs_opens_with_that_kernel(
    parts: Course, region: str, opens: str, text: str
) -> None:
    link = Page(parts, f"/// snippet | add#{region}\n///\n").one("a[data-course-explorer]")
    assert link.text() == f"Open {opens} in Compiler Explorer".replace("  ", " ")
    held = read_url(link.attributes["href"] or "")
    assert held is not None
    assert held[0] == text


@pytest.mark.parametrize("region", ["alone", "size"])
def test_what_no_kernel_needs_says_nothing_of_the_other_site(parts: Course, region: str) -> None:
    page = Page(parts, f"/// snippet | add#{region}\n///\n")
    assert page.one(".course-snippet")
    assert "Compiler Explorer" not in page.html


def test_of_a_program_its_kernels_open_with_what_they_need_each_once(parts: Course) -> None:
    page = Page(parts, "/// program-head | add\n///\n")
    link = page.one("#compiler-explorer > a[data-course-explorer]")
    assert link.text() == "Open its kernels in Compiler Explorer"
    held = read_url(link.attributes["href"] or "")
    assert held is not None
    assert held[0] == BODY + SECOND + FIRST
    card = Page(parts, "/// program | add\n///\n").one("a[href$='#compiler-explorer']")
    assert card.attributes["href"] == "course:program/add#compiler-explorer"


def test_a_text_that_includes_the_courses_files_has_none(example: Course) -> None:
    course = swap_source(
        example, '// snippet: k\n #  include "own.h"\n__global__ void k() {}\n// end snippet: k\n'
    )
    program = replace(course.programs["add"], includes=("snippets/add/own.h",))
    link = explore_region(course, program, program.regions["k"])
    assert (link.url, link.why) == ("", "it includes a file of the course")
    # A header of the toolkit may be named the same way.
    assert explore_program(course, course.programs["add"]).url


def test_without_a_record_the_newest_known_compiler_is_named(
    example: Course, convert: Convert
) -> None:
    course = replace(example, shelves={})
    link = convert(SNIPPET, course=course).one("a[data-course-explorer]")
    newest = list(COMPILERS.values())[-1]
    assert link.attributes["title"] == f"godbolt.org, with {newest} -std=c++17 -O3 -arch=sm_90"
    held = read_url(link.attributes["href"] or "")
    assert held is not None
    assert held[1] == newest


@pytest.mark.parametrize(
    ("compilers", "cuda", "expected"),
    [
        ((), "13.0", "nvcc130u2"),
        ((), "12.8", "nvcc128u1"),
        ((), "13.4", "nvcc130u2"),  # the newest that is known
        ((("13.0", "mine"),), "13.0", "mine"),
        ((("13.10", "ten"), ("13.9", "nine")), "", "ten"),  # newest by its numbers
        ((("12.1", "old"),), "", "nvcc130u2"),
        ((("12.1", "old"),), "12.1", "old"),
    ],
)
def test_the_compiler_is_that_of_the_release_as_the_settings_name_it(
    compilers: tuple[tuple[str, str], ...], cuda: str, expected: str
) -> None:
    assert choose_compiler(Settings(explorer=compilers), cuda) == expected


def test_a_course_names_the_compiler_of_its_records(tmp_path: Path) -> None:
    make_example(tmp_path)
    settings = tmp_path / "course.toml"
    settings.write_text(settings.read_text() + '\n[course.explorer]\n"13.0" = "nvcc130u9"\n')
    link = Page(load_course(tmp_path), SNIPPET).one("a[data-course-explorer]")
    assert link.attributes["title"] == "godbolt.org, with nvcc130u9 -std=c++17 -O3 -arch=sm_90"
    held = read_url(link.attributes["href"] or "")
    assert held is not None
    assert held[1] == "nvcc130u9"


def test_the_link_changes_with_needs_and_flags(tmp_path: Path) -> None:
    make_example(tmp_path)
    source, declared = tmp_path / "snippets/add/add.cu", tmp_path / "snippets/add/program.toml"
    source.write_text(source.read_text().replace("-O3 ", "-O2 "))
    declared.write_text(declared.read_text().replace('needs = ["block"]', ""))
    course = load_course(tmp_path)
    program: Program = course.programs["add"]
    (region,) = list_kernel_regions(program)
    held = read_url(explore_region(course, program, region).url)
    assert held is not None
    assert (held[0], held[2]) == (region.text, "-std=c++17 -O2 -arch=sm_90")
