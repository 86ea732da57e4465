"""The block `comparison`: rows beside one of them, with ratio, band and verdict in a word."""

from __future__ import annotations

from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from build_tools.claims.check import check_scan
from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.claims.scan import scan_page
from build_tools.claims.scope import CourseScope
from build_tools.diagnostics.finding import Kind
from build_tools.quantity.expression import evaluate_expression
from build_tools.quantity.value import Number
from build_tools.site.shown import compare_directive
from tests.course_factory import CHECK, DECLARATION, PROGRAM, make_course
from tests.pages.conftest import Page

ROWS = """\
case   kernel  time (ms)    GB/s
-----  ------  ---------  ------
small  narrow    {a:.5f}   {r:.3f}
small  <b>wide</b> {b:.5f}   900.2
small  again     {c:.5f}   500.2
large  <b>wide</b> {c:.5f}   500.2
"""
TABLE = DECLARATION[: DECLARATION.index("[lines]")]
AGAIN = '\n[again.kernel]\nfirst = "narrow"\nagain = "again"\n'
BLOCK = "/// comparison | add\n    against: narrow\n///\n"
RECORD = "/// record | evidence/add/nvidia-h200/run-2026-12-01\n///\n"


def make(root: Path, count: int = 10, more: str = AGAIN) -> Course:
    rows = [
        ROWS.format(a=1 + i / 1e4, b=0.8 + i / 1e4, c=1.0005 + i / 1e4, r=500 / (1 + i / 1e4))
        for i in range(count)
    ]
    make_course(
        root,
        {"add": PROGRAM.format(name="add")},
        {"add": TABLE + '[regions.add-kernel]\nneeds = ["block"]\n' + more},
        {"add": rows},
        checks={"add": CHECK},
    )
    return load_course(root)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return make(tmp_path_factory.mktemp("comparison"))


def read_rows(page: Page, within: str = "") -> list[list[str]]:
    return [
        [" ".join(cell.text().split()) for cell in row.css("th, td")]
        for row in page.tree.css(f"{within} tr")
    ]


def test_rows_stand_beside_the_one_they_are_held_against(course: Course) -> None:
    page = Page(course, BLOCK)
    head, narrow, wide, again = read_rows(page)
    assert head == ["case", "kernel", "time (ms)", "÷ narrow", "verdict", "next process"]
    assert narrow[:2] == ["small", "narrow"]
    assert narrow[3:] == ["1×", "reference", ""]
    ratio = evaluate_expression(
        'add.time["small", "<b>wide</b>"] / add.time["small", "narrow"]', CourseScope(course)
    )
    assert isinstance(ratio, Number)
    assert wide[1] == "<b>wide</b>"
    band = ratio.band
    assert band is not None
    assert wide[3] == f"{float(ratio.shown):.4f}×"
    assert wide[4:] == ["faster", f"{float(band.low):.4f} to {float(band.high):.4f}"]
    assert again[3:5] == ["1.000×", "same"]  # by less than it differs from itself
    record = course.shelves["add"].shown_record
    assert record is not None
    readings = record.shown.measurements["time"].readings
    assert [row[2] for row in (narrow, wide, again)] == [
        readings["small", kernel].text for kernel in ("narrow", "<b>wide</b>", "again")
    ]
    assert "<b>wide" not in page.html  # escaped
    assert page.one("caption").text() == (
        "add on NVIDIA H200, 2026-12-01: time, each kernel against narrow in the same case; the "
        "same kernel, timed twice in a process, differs by at most 0.05 % in all 10 pairs of "
        "all cases; each verdict takes those of its own kernel or case (record)"
    )
    assert page.one(".course-table__note").text() == (
        "1 row without such a row in the same case stands apart."
    )


def test_it_is_a_table_that_can_be_read_without_seeing_it(course: Course) -> None:
    page = Page(course, BLOCK)
    region = page.one(".course-table__scroll")
    assert region.attributes["role"] == "region"
    assert region.attributes["tabindex"] == "0"
    assert region.attributes["aria-labelledby"] == page.one("caption").attributes["id"]
    assert {th.attributes["scope"] for th in page.tree.css("thead th")} == {"col"}
    assert {th.attributes["scope"] for th in page.tree.css("tbody th")} == {"row"}
    titles = [td.attributes["title"] for td in page.tree.css("td[title]")]
    assert titles[0] == "the bands do not meet"
    assert len(titles) == 2


def test_rates_are_faster_when_they_are_higher(course: Course) -> None:
    text = "/// comparison | add\n    measurement: rate\n    of: kernel\n    against: narrow\n///\n"
    wide = read_rows(Page(course, text))[2]
    assert wide[3].startswith("1.8")
    assert wide[4] == "faster"


def test_too_few_processes_judge_nothing(tmp_path: Path) -> None:
    page = Page(make(tmp_path, 3), BLOCK)
    assert [row[4] for row in read_rows(page)[2:]] == ["not judged", "not judged"]
    assert page.tree.css("td[title]")[0].attributes["title"] == "a band needs 10 processes"


def test_without_a_kernel_timed_twice_the_noise_is_not_known(tmp_path: Path) -> None:
    course = make(tmp_path, more="")
    text = "/// comparison | add\n    of: kernel\n    against: narrow\n///\n"
    page = Page(course, text)
    assert "no kernel was timed twice, so what is noise is not known" in page.one("caption").text()
    assert read_rows(page)[2][4] == "faster"
    assert 'id="comparisons"' not in Page(course, RECORD).html


def test_the_record_compares_where_a_kernel_is_timed_twice(course: Course) -> None:
    page = Page(course, RECORD)
    page.one("h3#comparisons")
    region = page.one("[aria-labelledby=comparison-1-caption]")
    caption = " ".join(region.css("caption")[0].text().split())
    assert caption.startswith("time, each kernel against narrow in the same case; the same kernel")
    rows = read_rows(page, "[aria-labelledby=comparison-1-caption]")
    assert [row[-2] for row in rows] == ["verdict", "reference", "faster", "same"]


@pytest.mark.parametrize(
    ("argument", "options", "true", "advice"),
    [
        ("ad", "against: narrow", "there is no program `ad`", "`add`"),
        ("add", "", "it says not what to compare with", "name a kernel: `against: narrow` or"),
        ("add", "against: narow", "`kernel` has no key `narow`", "`narrow`"),
        ("add", "of: kernl\n    against: narrow", "`time` has no key column `kernl`", "`kernel`"),
        (
            "add",
            "measurement: tim\n    against: narrow",
            "there is no measurement `tim`",
            "`time`",
        ),
        ("add", "versus: narrow", "`comparison` has no such option", "`against`"),
    ],
)
def test_what_it_names_must_be_there(
    course: Course, argument: str, options: str, true: str, advice: str
) -> None:
    scan = scan_page(f"Text.\n\n/// comparison | {argument}\n    {options}\n///\n", "docs/p.md")
    (finding,) = [*scan.findings, *check_scan(course, scan)][:1]
    assert finding.kind is Kind.DIRECTIVE
    assert finding.place.path == "docs/p.md"
    assert finding.place.line == (4 if "versus" in options else 3)
    assert finding.true == true
    assert advice in finding.advice


def test_without_a_column_that_is_timed_twice_one_must_be_named(tmp_path: Path) -> None:
    course = make(tmp_path, more="")
    (finding,) = check_scan(course, scan_page(BLOCK, "docs/p.md"))
    assert finding.true == "`time` has several key columns"
    assert finding.advice == "name one: `of: case` or `of: kernel`"


def test_it_does_not_stand_under_the_name_of_another_card(course: Course) -> None:
    scan = scan_page(f"# Adding\n\n## On an A100\n\n{BLOCK}", "docs/p.md")
    (finding,) = check_scan(course, scan)
    assert (finding.kind, finding.place.line) == (Kind.FALSE, 5)
    assert "a heading above it speaks of an A100" in finding.true


def test_the_built_page_is_held_to_the_records(course: Course) -> None:
    page = Page(course, BLOCK)
    (directive,) = page.rendered.scan.directives
    assert not compare_directive(course, directive, page.one("main"))
    changed = LexborHTMLParser(f"<main>{page.html.replace('faster', 'slower')}</main>")
    ((shown, true),) = compare_directive(course, directive, changed.css("main")[0])
    assert shown.startswith("row 2 shows small | <b>wide</b> | 0.80")
    assert "| slower |" in shown
    assert "| faster |" in true
