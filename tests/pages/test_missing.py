"""What a directive names and is not there leaves a box that says so, never nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from build_tools.claims.model import Course
from tests.pages.conftest import Page

Convert = Callable[..., Page]

CASES = {
    "/// snippet | ad#add-kernel": "there is no program ad; did you mean add?",
    "/// snippet | add#add-kernle": (
        "snippets/add/add.cu has no region add-kernle; did you mean add-kernel?"
    ),
    "/// snippet | add": "snippets/add/add.cu has no region ; known: add-kernel, block",
    "/// table | sub": "there is no program sub; known: add",
    "/// table | add\n    table: times": "add has no table times; did you mean timings?",
    "/// table | add\n    columns: case, tme": (
        "the table timings has no column tme; did you mean time?"
    ),
    "/// transcript | nope": "there is no program nope; known: add",
    "/// program | nope": "there is no program nope; known: add",
    "/// program-source | nope": "there is no program nope; known: add",
    "/// record | add/nvidia-h200/run-2026-12-02": (
        "there is no record evidence/add/nvidia-h200/run-2026-12-02.json; did you mean "
        "evidence/add/nvidia-h200/run-2026-12-01.json?"
    ),
}


@pytest.mark.parametrize("opening", CASES)
def test_the_box_says_what_is_missing_and_what_to_do(convert: Convert, opening: str) -> None:
    page = convert(f"Before.\n\n{opening}\n///\n\nAfter.\n")
    box = page.one(".course-missing")
    assert CASES[opening] in box.text()
    assert opening.split("\n", maxsplit=1)[0].removeprefix("/// ") in box.text()
    assert box.attributes["data-course-directive"] == "0"
    assert page.rendered.is_whole


@pytest.mark.parametrize("name", ["table", "transcript"])
def test_without_a_record_there_is_nothing_to_show(
    example: Course, convert: Convert, name: str
) -> None:
    page = convert(f"/// {name} | add\n///\n", course=replace(example, shelves={}))
    assert "there is no record of add; run course run add" in page.text(".course-missing")


def test_a_transcript_without_its_table(example: Course, convert: Convert) -> None:
    shelf = example.shelves["add"]
    transcripts = tuple(replace(t, tables={}) for t in shelf.records[0].transcripts)
    records = (replace(shelf.records[0], transcripts=transcripts),)
    course = replace(example, shelves={"add": replace(shelf, records=records)})
    page = convert("/// table | add\n///\n", course=course)
    assert "the transcript of run-2026-12-01 has no table timings" in page.text(".course-missing")


def test_a_program_without_tables(example: Course, convert: Convert) -> None:
    program = example.programs["add"]
    declaration = replace(program.declaration, tables=())
    course = replace(example, programs={"add": replace(program, declaration=declaration)})
    page = convert("/// table | add\n///\n", course=course)
    said = page.text(".course-missing")
    assert "add declares no table; declare one in snippets/add/program.toml" in said


def test_what_is_missing_cannot_write_html(convert: Convert) -> None:
    page = convert("/// snippet | <script>alert(1)</script>#`x`\n///\n")
    assert not page.tree.css("script")
    assert "<script>alert(1)</script>" in page.text(".course-missing")


def test_a_refused_directive_stays_to_be_seen(convert: Convert) -> None:
    page = convert("/// snipet | add#block\n///\n\nAfter.\n")
    assert page.rendered.directives == ()
    assert page.rendered.scan.findings
    assert "/// snipet | add#block" in page.tree.css_first("main").text()  # type: ignore[union-attr]
    assert "After." in page.html
