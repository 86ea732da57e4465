"""How a page stands: what its foot and the block ``state`` say, and when they say nothing good."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from build_tools.claims.check import check_page
from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from tests.course_factory import add_record, make_example, make_transcripts
from tests.pages.conftest import Page

PAGE = """\
# Adding

Each block has [256](claim:add.source.kBlock) threads, it takes [0.626 ms](claim:add.time["large", "wide"]),
that is [faster](claim:add.time["large", "wide"] < add.time["large", "narrow"]), and [3](stated:) is a choice.
"""
BLOCK = "/// state | docs/one.md\n///\n"
Convert = Callable[..., Page]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_example(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "one.md").write_text(PAGE)
    return tmp_path


def read_words(page: Page, selector: str) -> str:
    return " ".join(page.text(selector).split())


def change_code(root: Path) -> Course:
    program = root / "snippets" / "add" / "add.cu"
    program.write_text(program.read_text().replace("kBlock = 256", "kBlock = 128"))
    return load_course(root)


def test_a_page_says_at_its_foot_how_many_claims_of_which_kind_hold_since_when(
    root: Path, convert: Convert
) -> None:
    page = convert(PAGE, load_course(root))
    assert read_words(page, "[data-course-foot]") == (
        "Verified: every claim of this page that can be checked holds. Of 4 claims 2 are measured, "
        "1 is exact, 1 is only stated, which nothing checks. "
        "Measured on NVIDIA H200, driver 580.159.03, CUDA 13.0, 2026-12-01: add."
    )
    link = page.one("[data-course-foot] a")
    assert link.attributes["href"] == "course:record/add/nvidia-h200/run-2026-12-01"


def test_the_foot_stands_behind_all_else(root: Path, convert: Convert) -> None:
    page = convert(PAGE + "\nMore.[^1]\n\n[^1]: A footnote.\n", load_course(root))
    assert page.html.rstrip().endswith("</footer>")
    assert "A footnote." in page.html


def test_a_page_without_claims_has_no_foot(convert: Convert) -> None:
    assert "course-foot" not in convert("# A page\n\nWords.\n").html


def test_what_was_not_measured_is_not_called_verified(convert: Convert) -> None:
    page = convert("# A page\n\n[256](claim:add.source.kBlock) threads, [3](stated:) of them.\n")
    said = read_words(page, "[data-course-foot]")
    assert said.startswith("Nothing on this page was measured. Of 2 claims 1 is exact, 1 is only")
    assert not page.tree.css(".course-verified")


def test_a_false_claim_takes_the_mark_away(root: Path, convert: Convert) -> None:
    page = convert(PAGE.replace("0.626", "0.7"), load_course(root))
    assert read_words(page, "[data-course-foot]").startswith("1 does not hold. Of 4 claims")
    assert page.tree.css(".course-foot .course-unverified")
    assert not page.tree.css(".course-verified")


def test_a_stale_record_takes_the_mark_away(root: Path, convert: Convert) -> None:
    text = PAGE + "\n/// snippet | add#block\n///\n"
    page = convert(text.replace("[256]", "[128]"), change_code(root))
    said = read_words(page, "[data-course-foot]")
    assert said.startswith("2 rest on a stale record; add is stale. Of 4 claims")
    assert not page.tree.css(".course-verified")


def test_an_expression_that_cannot_be_evaluated_takes_the_mark_away(
    root: Path, convert: Convert
) -> None:
    page = convert(PAGE.replace("add.source.kBlock", "add.source.kBlok"), load_course(root))
    assert not page.tree.css(".course-verified")
    assert "1 does not hold" in read_words(page, "[data-course-foot]")


def test_too_few_processes_are_told_as_unchecked(tmp_path: Path, convert: Convert) -> None:
    make_example(tmp_path, processes=3)
    page = convert(PAGE, load_course(tmp_path))
    said = read_words(page, "[data-course-foot]")
    assert "could not be checked" in said
    assert not page.tree.css(".course-verified")


def test_a_block_says_in_a_line_how_another_page_stands(root: Path, convert: Convert) -> None:
    page = convert(BLOCK, load_course(root))
    assert read_words(page, ".course-state") == "Verified 2026-12-01 on NVIDIA H200: 3 claims"
    stale = convert(BLOCK, change_code(root))
    assert read_words(stale, ".course-state") == (
        "1 does not hold, 2 rest on a stale record (of 3 claims)"
    )
    assert not stale.tree.css(".course-verified")


def test_dates_of_several_records_are_first_and_last(root: Path, convert: Convert) -> None:
    again = [t.replace("0.01", "0.02") for t in make_transcripts()]
    add_record(root, "add", again, started="2026-12-03T09:30:00Z")
    page = convert(BLOCK, load_course(root))
    said = read_words(page, ".course-state")
    assert said.startswith("Verified 2026-12-01 to 2026-12-03 on NVIDIA H200")


def test_what_is_no_claim_to_the_check_is_unchecked(root: Path, convert: Convert) -> None:
    (root / "docs" / "one.md").write_text(
        PAGE + "\n[4](claim:1 | 2)\n\n/// snipet | add#block\n///\n"
    )
    said = read_words(convert(BLOCK, load_course(root)), ".course-state")
    assert "could not be checked" in said


def test_a_page_that_cannot_be_read_says_so(root: Path, convert: Convert) -> None:
    (root / "docs" / "one.md").write_bytes(b"# A page\xff\n")
    said = read_words(convert(BLOCK, load_course(root)), ".course-state")
    assert said.startswith("It could not be read")


def test_a_page_that_is_none_of_the_prose_is_a_finding(root: Path) -> None:
    (root / "docs" / "two.md").write_text("# Two\n\n/// state | docs/on.md\n///\n")
    _, findings = check_page(load_course(root), "docs/two.md")
    assert [str(f.place) for f in findings] == ["docs/two.md:3:1"]
    assert findings[0].stated == "`/// state | docs/on.md`"
    assert findings[0].true == "the prose has no page `docs/on.md`"
    assert findings[0].advice == (
        "name it by its path from the root; did you mean `docs/one.md` or `docs/two.md`?"
    )
