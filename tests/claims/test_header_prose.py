"""The prose of a program's header is shown to readers: its numbers are held to the rule of pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from build_tools.claims.check import check_course
from build_tools.claims.course import load_course
from build_tools.diagnostics.finding import Finding, Kind
from tests.course_factory import PROGRAM, SETTINGS, make_course

DAY = "// Day 1: add two vectors.\n"


def check(root: Path, header: str, settings: str = SETTINGS) -> list[Finding]:
    text = PROGRAM.format(name="add").replace(DAY, header)
    make_course(root, programs={"add": text}, settings=settings)
    return [f for f in check_course(load_course(root)) if f.kind is Kind.UNBOUND]


def test_a_number_of_the_header_is_found_where_it_stands(tmp_path: Path) -> None:
    (finding,) = check(tmp_path, DAY + "//\n//   It is fast: about 42 ms.\n")
    assert str(finding.place) == "snippets/add/add.cu:5:18"
    assert (finding.stated, finding.length) == ("`about 42 ms`", 11)
    assert "the program's card and README show this comment" in finding.true
    assert "leave the number out of the comment" in finding.advice


def test_a_number_is_read_over_a_wrapped_line(tmp_path: Path) -> None:
    settings = SETTINGS.replace('"all"', '"units"')
    (finding,) = check(tmp_path, "// It takes 16 tiles and 50\n// times as long.\n", settings)
    assert str(finding.place) == "snippets/add/add.cu:3:26"
    assert finding.stated == "`50 times`"


@pytest.mark.parametrize(
    ("header", "policy"),
    [
        (DAY, "all"),
        ("// Day 16: float32 on sm_90, in two kernels.\n", "all"),
        ("// 42 ms\n", "off"),
    ],
)
def test_what_a_page_may_say_a_header_may(tmp_path: Path, header: str, policy: str) -> None:
    assert check(tmp_path, header, SETTINGS.replace('"all"', f'"{policy}"')) == []
