"""A number that is worked out shows how: its formula and inputs, its sides, what it assumes."""

from __future__ import annotations

from pathlib import Path

import pytest

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from tests.course_factory import CHECK, DECLARATION, PROGRAM, make_course, make_transcripts
from tests.pages.conftest import Page

LONG = " + ".join(["source.kBlock"] * 30)
QUANTITIES = f"""
[quantities]
steps = {{ expression = 'source.kBlock * 4', unit = "FLOP" }}
shortest = 'steps / (one_flop * device.sm_count * device.max_sm_clock_hz)'
one_flop = {{ expression = '1', unit = "FLOP" }}
gain = 'time["large", "narrow"] / time["large", "wide"]'
long = '{LONG}'
every = 'time[:, "wide"]'
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    root: Path = tmp_path_factory.mktemp("derived")
    make_course(
        root,
        programs={"add": PROGRAM.format(name="add")},
        declarations={"add": DECLARATION + QUANTITIES},
        transcripts={"add": make_transcripts()},
        checks={"add": CHECK},
    )
    course = load_course(root)
    assert course.findings == ()
    return course


def read_proof(course: Course, text: str) -> str:
    return " ".join(Page(course, text).text(".course-proof").split())


def test_a_quantity_shows_its_formula_with_the_values_of_its_inputs(course: Course) -> None:
    page = Page(course, "[2.00×](claim:add.gain)")
    formula = page.one(".course-proof__formula")
    assert " ".join(formula.text().split()) == (
        'gain = time["large", "narrow"] / time["large", "wide"], '
        'time["large", "narrow"] = 1.2525 ms; time["large", "wide"] = 0.6255 ms'
    ).replace("0.6255 ms", "625.5 µs")
    assert page.one(".course-proof__formula > a").attributes["href"] == (
        "course:program/add#quantity-gain"
    )
    assert len(page.tree.css(".course-proof__more > code")) == 0  # the name stands once
    page = Page(course, "[4.00](claim:2 * add.gain)")
    assert page.one(".course-proof__more > code").text() == "2 * add.gain"


def test_the_link_of_a_formula_leads_to_a_row_of_the_programs_page(course: Course) -> None:
    page = Page(course, "/// program-quantities | add\n///\n")
    rows = [[" ".join(c.text().split()) for c in r.css("th, td")] for r in page.tree.css("tr")]
    assert rows[0] == ["Name", "Value", "Unit", "Formula"]
    assert rows[1] == ["steps", "1,024", "FLOP", "source.kBlock * 4"]
    assert ["gain", "2.0024", "", 'time["large", "narrow"] / time["large", "wide"]'] in rows
    assert ["long", "7,680", "", LONG] in rows
    assert len(rows) == 7
    assert page.one("th#quantity-gain").text() == "gain"


def test_a_long_formula_is_cut_and_says_so(course: Course) -> None:
    formula = Page(course, "[7,680](claim:add.long)").one(".course-proof__formula")
    assert formula.css("code")[0].text() == LONG[:199] + "…"


def test_a_plain_measurement_has_no_formula(course: Course) -> None:
    page = Page(course, '[0.626 ms](claim:add.time["large", "wide"])')
    assert page.tree.css(".course-proof")
    assert not page.tree.css(".course-proof__formula")


def test_a_computed_time_names_the_device_facts_that_it_assumes(course: Course) -> None:
    said = read_proof(course, "[3.9 ns](claim:add.shortest)")
    assert "Exact: 3.918 ns" in said
    assert "Computed with sm_count = 132; max_sm_clock_hz = 1.98 GHz of the NVIDIA H200" in said
    assert "Computed with" not in read_proof(course, "[1,024 FLOP](claim:add.steps)")


@pytest.mark.parametrize(
    ("expression", "sides"),
    [
        (
            "add.source.kBlock < add.device.sm_count * 2",
            "source.kBlock 256 < device.sm_count * 2 264",
        ),
        (
            "add.device.l2_bytes >= 4 * add.device.l2_bytes / 4",
            "device.l2_bytes 60 MiB ≥ 4 * device.l2_bytes / 4 60 MiB",
        ),
        (
            'add.time["large", "wide"] < add.time["large", "narrow"]',
            'time["large", "wide"] 0.6255 ms band 0.6247 to 0.6262 ms < time["large", "narrow"] 1.2525 ms',
        ),
    ],
)
def test_a_comparison_shows_both_sides(course: Course, expression: str, sides: str) -> None:
    assert f" {sides} " in read_proof(course, f"[It does](claim:{expression}).")


def test_a_proof_says_which_process_is_shown_and_the_median_beside_it(course: Course) -> None:
    said = read_proof(course, '[0.626 ms](claim:add.time["large", "wide"])')
    shown = course.shelves["add"].records[0].record.shown + 1
    assert f"Shown process: {shown} of 10; median 0.62545 ms" in said
    assert "Shown process" not in read_proof(course, "[256](claim:add.source.kBlock)")


def test_what_the_next_process_means_is_said_where_it_stands(course: Course) -> None:
    page = Page(course, '[0.626 ms](claim:add.time["large", "wide"])')
    assert page.one(".course-proof [title]").attributes["title"] == (
        "Where one more is expected, 19 times in 20"
    )
