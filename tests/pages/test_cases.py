"""A statement shows what decides it: both sides of each comparison, each tool, each mutant."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from selectolax.lexbor import LexborNode

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.claims.scope import CourseScope
from build_tools.pages.behind import tell_spread
from build_tools.quantity.expression import evaluate_expression
from build_tools.quantity.value import Number
from tests.pages.conftest import Page
from tests.parts_factory import make_parts_course


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    root: Path = tmp_path_factory.mktemp("cases")
    make_parts_course(root)
    return load_course(root)


def read(node: LexborNode) -> str:
    return " ".join(node.text().split())


def open_proof(course: Course, expression: str, text: str = "It is so") -> Page:
    return Page(course, f"[{text}](claim:{expression}).")


def list_rows(page: Page) -> list[str]:
    return [read(node) for node in page.tree.css(".course-proof__case, .course-proof__plain")]


FASTER = 'add.time["large", "wide"] < add.time["large", "narrow"]'
FASTER_ROW = (
    'time["large", "wide"] 0.6255 ms band 0.6247 to 0.6262 ms '
    '< time["large", "narrow"] 1.2525 ms band 1.252 to 1.253 ms'
)
EXACT = "add.source.kBlock == 256"
EXACT_ROW = "source.kBlock 256 = 256"


@pytest.mark.parametrize(
    ("expression", "rows"),
    [
        (f"{FASTER} and {EXACT}", [FASTER_ROW, EXACT_ROW]),
        (f"all({FASTER}, {EXACT})", [FASTER_ROW, EXACT_ROW]),
        ("100 < add.source.kBlock < 300", ["100 < source.kBlock 256", "source.kBlock 256 < 300"]),
        (
            "all(add.speedup[:] > 1)",
            [
                'speedup["small"] 1.525 band 1.517 to 1.532 > 1',
                'speedup["large"] 2.055 band 2.047 to 2.062 > 1',
            ],
        ),
        (
            'same(add.time["large", "wide"], add.time["large", "wide"])',
            [
                (
                    'time["large", "wide"] 625.5 µs band 624.7 to 626.2 µs '
                    'the same as time["large", "wide"] 625.5 µs band 624.7 to 626.2 µs'
                )
            ],
        ),
    ],
)
def test_each_comparison_is_a_row_and_replaces_the_expression(
    example: Course, expression: str, rows: list[str]
) -> None:
    page = open_proof(example, expression)
    assert list_rows(page) == rows
    assert not page.tree.css(".course-proof__more > code")


def test_a_verdict_shows_the_two_that_it_compares(example: Course) -> None:
    pair = 'add.time["large", "wide"], add.time["large", "narrow"]'
    (row,) = list_rows(open_proof(example, f"verdict({pair})", "faster"))
    assert row == FASTER_ROW.replace("<", "faster than")
    assert list_rows(open_proof(example, f'verdict({pair}) == "faster"')) == [row]


def test_what_is_joined_otherwise_shows_the_whole_expression_too(example: Course) -> None:
    expression = f"{EXACT} or {FASTER}"
    page = open_proof(example, expression)
    assert list_rows(page) == [EXACT_ROW, FASTER_ROW]
    assert page.one(".course-proof__more > code").text() == expression
    (row,) = list_rows(open_proof(example, "not add.source.kBlock == 255"))
    assert row == "source.kBlock 256 = 255 false"


def test_both_sides_are_told_in_one_unit(example: Course) -> None:
    small = 'add.time["large", "wide"] / 10 < add.time["large", "narrow"]'
    (row,) = list_rows(open_proof(example, small))
    assert row.startswith('time["large", "wide"] / 10 0.06255 ms band ')


def test_each_tool_and_each_mutant_leads_to_its_log(course: Course) -> None:
    page = open_proof(course, "all(add.sanitizer[:].passed)")
    rows = list_rows(page)
    assert rows
    assert all(" passed, log of " in row for row in rows)
    page = open_proof(course, "all(add.mutants[:].caught)")
    mutants = course.programs["add"].declaration.parts.mutants
    wanted = [m.name for m in mutants.values() if m.is_declared and not m.equivalent]
    assert [row.partition(" ")[0] for row in list_rows(page)] == wanted
    links = page.tree.css(".course-proof__plain > a")
    assert len(links) == len(wanted)
    for link in links:
        path = (link.attributes["href"] or "").removeprefix("course:transcript/")
        assert (course.root / "evidence" / path).is_file()


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ('add.counters["add"].loads', "The same in all 3 profiled launches"),
        (
            'add.counters["add"].dram_read / add.took',
            "Joined from 2 measurements, by the ends of their bands",
        ),
    ],
)
def test_what_has_no_strip_says_why(course: Course, expression: str, said: str) -> None:
    page = open_proof(course, expression, "1")
    assert read(page.one(".course-proof__spread")) == said
    assert not page.tree.css("svg")


def test_what_varies_between_launches_has_a_strip(course: Course) -> None:
    page = open_proof(course, 'add.counters["add"].dram_read', "1 B")
    assert page.one(".course-proof__spread > svg")


def test_of_one_launch_it_is_said_that_it_is_one(course: Course) -> None:
    counted = evaluate_expression('add.counters["add"].loads', CourseScope(course))
    assert isinstance(counted, Number)
    once = replace(
        counted, series=(replace(counted.series[0], samples=counted.series[0].samples[:1]),)
    )
    assert tell_spread(once) == "counted once, in one profiled launch"


def test_what_is_said_of_all_values_is_said_once(course: Course) -> None:
    loads = 'add.counters["add"].loads'
    page = open_proof(course, f"same({loads}, {loads})")
    text = page.text(".course-proof")
    assert text.count("the same in all 3 profiled launches") == 1
    assert "instructions" in text
    assert list_rows(open_proof(course, f"same({loads}, {loads}) and add.took < 2 * add.took"))[
        0
    ].endswith(" each the same in all 3 profiled launches")
