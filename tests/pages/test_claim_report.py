"""The tables of the report page: every claim, what is behind it, and how it stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.pages.claim_report import find_title, format_share, report_page, report_pages
from tests.course_factory import make_example
from tests.pages.conftest import Page

Convert = Callable[..., Page]

LESSON = """\
---
title: "Adding: two *vectors*"
---
# Wide is [2.1×](claim:add.speedup["large"]) as fast {#wide}

Each block has [**256**](claim:add.source.kBlock) threads, and the memory gives
[4.8 TB/s](given:peak). Take [7](stated:) of them.

It takes [0.7 ms](claim:add.time["large", "wide"]), and <b>x</b>
[that is faster](claim:add.time["large", "wide"] < add.time["large", "narrow"]) than
[nothing](claim:add.sped).
"""
FACT = """\
[peak]
value = "4.8"
unit = "TB/s"
source = "https://example.org/sheet"
quote = "Memory bandwidth: 4.8 TB/s"
date = "2026-12-02"
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    root = tmp_path_factory.mktemp("course")
    make_example(root)
    (root / "snippets" / "quantities.toml").write_text(FACT)
    (root / "docs").mkdir()
    (root / "docs" / "one.md").write_text(LESSON)
    (root / "docs" / "two (1).md").write_text("# Two\n\n[256](claim:add.source.kBlock)\n")
    (root / "docs" / "none.md").write_text("# No claim here\n")
    return load_course(root)


def read_rows(page: Page, selector: str = "tbody tr") -> list[list[str]]:
    return [
        [" ".join(cell.text().split()) for cell in row.css("th, td")]
        for row in page.tree.css(selector)
    ]


@pytest.fixture
def lesson(course: Course, convert: Convert) -> Page:
    return convert("/// claims | docs/one.md\n///\n", course=course)


def test_a_row_a_claim_in_the_order_of_the_page(lesson: Page) -> None:
    heads, *_ = read_rows(lesson, "thead tr")
    assert heads == [
        "Text", "Line", "Kind", "State", "Value", "Band", "Margin", "Rests on", "Expression",
    ]  # fmt: skip
    rows = [dict(zip(heads, row, strict=True)) for row in read_rows(lesson)]
    assert [(row["Text"], row["Line"], row["Kind"], row["State"]) for row in rows] == [
        ("2.1×", "4", "measured", "holds"),
        ("256", "6", "exact", "holds"),
        ("4.8 TB/s", "7", "cited", "holds"),
        ("7", "7", "stated", "not checked"),
        ("0.7 ms", "9", "measured", "drift"),
        ("that is faster", "10", "measured", "holds"),
        ("nothing", "11", "none", "expression"),
    ]
    fast, block, peak, stated, slow, faster, nothing = rows
    assert re.fullmatch(r"2\.0\d+", fast["Value"])
    assert re.fullmatch(r"2\.0\d+ to 2\.0\d+", fast["Band"])
    assert re.fullmatch(r"[+−]0\.\d+ %", fast["Margin"])
    assert fast["Rests on"] == "2026-12-01, NVIDIA H200"
    assert fast["Expression"] == 'claim:add.speedup["large"]'
    assert (block["Value"], block["Band"], block["Margin"]) == ("256", "", "")
    assert block["Rests on"] == "add.cu"
    assert peak["Rests on"] == "its source, read 2026-12-02"
    assert peak["Expression"] == "given:peak"
    assert set(stated.values()) == {"7", "stated", "not checked", ""}
    assert slow["Margin"] == ""
    assert faster["Value"] == "true"
    assert faster["Margin"].startswith("−")
    assert nothing["Value"] == nothing["Rests on"] == ""


def test_links_lead_to_the_claim_its_record_its_constant_and_its_source(lesson: Page) -> None:
    links = [[a.attributes["href"] for a in row.css("a")] for row in lesson.tree.css("tbody tr")]
    record = "course:record/add/nvidia-h200/run-2026-12-01"
    assert links == [
        ["course:page/docs/one.md#wide", f"{record}#measurement-speedup"],
        ["course:page/docs/one.md#claim-1", "course:program/add#L16"],
        ["course:page/docs/one.md#claim-2", "https://example.org/sheet"],
        ["course:page/docs/one.md#claim-3"],
        ["course:page/docs/one.md#claim-4", f"{record}#measurement-time"],
        ["course:page/docs/one.md#claim-5", f"{record}#measurement-time"],
        ["course:page/docs/one.md#claim-6"],
    ]


def test_what_does_not_hold_is_marked_and_nothing_is_green(lesson: Page) -> None:
    wrong = [cell.text() for cell in lesson.tree.css("td.course-unverified")]
    assert wrong == ["drift", "expression"]
    assert "green" not in lesson.html


def test_the_claims_of_a_page_have_the_ids_that_the_report_links_to(
    course: Course, convert: Convert
) -> None:
    page = convert(LESSON.partition("---\n# ")[2].replace("Wide", "# Wide", 1), course=course)
    ids = [node.attributes.get("id") for node in page.tree.css("[data-course-claim]")]
    # The heading's own claim has none: it would be in the table of contents twice.
    assert ids == [None, *(f"claim-{number}" for number in range(1, 7))]


def test_the_summary_counts_by_kind_and_page(course: Course, convert: Convert) -> None:
    page = convert("/// claims-summary | course\n///\n", course=course)
    heads, *_ = read_rows(page, "thead tr")
    assert heads == [
        "Page", "Measured", "Exact", "Cited", "Stated", "None", "Not holding", "Smallest margin",
        "Oldest record",
    ]  # fmt: skip
    one, two = read_rows(page)
    assert one[:7] == ["Adding: two *vectors*", "3", "1", "1", "1", "1", "2"]
    assert re.fullmatch(r"[+−]0\.\d+ %", one[7])
    assert one[8] == "2026-12-01"
    assert two == ["Two", "0", "1", "0", "0", "0", "0", "", ""]
    (total,) = read_rows(page, "tfoot tr")
    assert total[:7] == ["All pages", "3", "2", "1", "1", "1", "2"]
    said = page.tree.css("p")[0].text()
    assert "8 claims: 3 measured, 2 exact, 1 cited, 1 stated, 1 without a value." in said
    assert "2 do not hold or could not be checked." in said
    assert "All that can be checked hold" not in said
    times = [node.attributes["datetime"] for node in page.tree.css("time[data-course-age]")]
    assert times == ["2026-12-01"]


def test_a_clean_course_says_so(tmp_path: Path, convert: Convert) -> None:
    make_example(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("[256](claim:add.source.kBlock) [7](stated:)\n")
    page = convert("/// claims-summary | course\n///\n", course=load_course(tmp_path))
    said = page.tree.css("p")[0].text()
    assert "All that can be checked hold; what is only stated is not checked." in said
    assert not page.tree.css(".course-unverified")
    assert not page.tree.css("time")


def test_without_evidence_a_claim_is_not_verified(tmp_path: Path, convert: Convert) -> None:
    make_example(tmp_path, processes=3)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text('[2.1×](claim:add.speedup["large"])\n')
    page = convert("/// claims | docs/a.md\n///\n", course=load_course(tmp_path))
    assert read_rows(page)[0][2:4] == ["measured", "record: could not check"]
    source = tmp_path / "snippets" / "add" / "add.cu"
    source.write_text(source.read_text().replace("kBlock = 256", "kBlock = 128"))
    page = convert("/// claims | docs/a.md\n///\n", course=load_course(tmp_path))
    assert read_rows(page)[0][2:4] == ["none", "stale"]


def test_a_page_that_is_not_read_is_never_left_out(tmp_path: Path, convert: Convert) -> None:
    make_example(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_bytes(b"na\xefve [256](claim:add.source.kBlock)\n")
    course = load_course(tmp_path)
    summary = convert("/// claims-summary | course\n///\n", course=course)
    assert "1 page could not be read." in summary.html
    assert read_rows(summary) == [["docs/a.md", "could not be read"]]
    page = convert("/// claims | docs/a.md\n///\n", course=course)
    assert page.text(".course-unverified") == "Could not check: byte 2 is not UTF-8."


def test_a_page_that_is_not_there_is_said_in_its_place(course: Course, convert: Convert) -> None:
    page = convert("/// claims | docs/on.md\n///\n", course=course)
    assert "the prose has no page docs/on.md" in page.text(".course-missing")
    assert "did you mean docs/one.md" in page.text(".course-missing")


def test_a_page_is_judged_anew_when_it_changed(tmp_path: Path) -> None:
    make_example(tmp_path)
    (tmp_path / "docs").mkdir()
    path = tmp_path / "docs" / "a.md"
    course = load_course(tmp_path)
    for text in ("256", "257"):
        path.write_text(f"[{text}](claim:add.source.kBlock)\n")
        (claim,) = report_page(course, "docs/a.md").claims
        assert claim.text == text
        assert claim.holds == (text == "256")
        assert report_page(course, "docs/a.md") is report_page(course, "docs/a.md")


def test_a_hostile_page_stays_text(tmp_path: Path, convert: Convert) -> None:
    make_example(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / 'a"<b>`.md').write_text(
        "# <script>alert(1)</script> \x02wzxhzdk:0\x03 {{ x }}\n\n"
        "[<b>&lt; \x02 256</b>](claim:add.source.kBlock)\n"
    )
    course = load_course(tmp_path)
    for text in ("/// claims-summary | course\n///\n", '/// claims | docs/a"<b>`.md\n///\n'):
        page = convert(text, course=course)
        assert not page.tree.css("script, b")
        assert "\x02" not in page.html
        assert len(read_rows(page)) == 1


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Plain\n", "Plain"),
        ("---\ntitle: Front\nx: y\n---\n# Plain\n", "Front"),
        ("---\nx: y\ntitle: 'Quoted: it'\n---\n", "Quoted: it"),
        ("---\ntitle:\n---\n# Plain\n", "Plain"),
        ("```\n# no\n```\n\n# *Yes* `it` is  {#id}\n", "Yes it is"),
        ('# [2.06×](claim:add.speedup["large"]) as fast {#wide}\n', "2.06× as fast"),
        ("## Not the first\n", ""),
        ("", ""),
    ],
)
def test_the_title_of_a_page(text: str, title: str) -> None:
    assert find_title(text) == title


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (None, ""),
        (Fraction(-8, 1000), "−0.8 %"),
        (Fraction(14, 10_000), "+0.14 %"),
        (Fraction(0), "0 %"),
        (Fraction(26, 1000), "+2.6 %"),
        (Fraction(-9949, 100_000), "−9.9 %"),
        (Fraction(9951, 100_000), "+10 %"),
        (Fraction(5, 4), "+125 %"),
    ],
)
def test_shares_have_two_digits_that_count(share: Fraction | None, text: str) -> None:
    assert format_share(share) == text


def test_pages_without_a_claim_are_not_reported(course: Course) -> None:
    assert [page.path for page in report_pages(course)] == ["docs/one.md", "docs/two (1).md"]
