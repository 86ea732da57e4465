"""The margins of claims, of numbers and of statements, in a course with a real record."""

from __future__ import annotations

import pytest

from build_tools.claims.check import judge_scan
from build_tools.claims.course import load_course
from build_tools.claims.margin import find_margin
from build_tools.claims.model import Course
from build_tools.claims.scan import scan_page
from build_tools.quantity.margin import Margin
from tests.course_factory import make_example

FACT = """\
[peak]
value = "4.8"
unit = "TB/s"
source = "A data sheet"
quote = "Memory bandwidth: 4.8 TB/s"
date = "2026-12-01"
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    root = tmp_path_factory.mktemp("course")
    make_example(root)
    (root / "snippets" / "quantities.toml").write_text(FACT)
    return load_course(root)


def ask(course: Course, link: str) -> Margin | None:
    """The margin of a claim, written as its link."""
    (verdict,) = judge_scan(course, scan_page(f"It is {link}.\n", "docs/a.md"))
    return find_margin(course, verdict)


SMALL, LARGE = 'add.time["small", "wide"]', 'add.time["large", "wide"]'
NARROW = 'add.time["large", "narrow"]'


@pytest.mark.parametrize(
    "link",
    [
        '[2.1×](claim:add.speedup["large"])',
        '[2.1 times](claim:add.speedup["large"])',
        f"[0.6 ms](claim:{LARGE})",
        f"[over 0.5 ms](claim:{LARGE})",
        "[1.5–2.1×](claim:add.speedup[:])",
        f"[faster](claim:{LARGE} < {NARROW})",
        f"[faster](claim: {NARROW} > {LARGE} )",
        f"[less than so many](claim:{LARGE} < 200 * {SMALL})",
        f"[quick](claim:{LARGE} / {NARROW} < 1)",
        '[faster everywhere](claim:all(add.time[:, "wide"] < add.time[:, "narrow"]))',
        f"[both](claim:{LARGE} < {NARROW} and {SMALL} < {LARGE})",
        f"[the same](claim:same({LARGE}, {LARGE}))",
    ],
)
def test_what_was_measured_has_a_margin(course: Course, link: str) -> None:
    margin = ask(course, link)
    assert margin is not None
    assert margin.nearest is not None
    assert 0 < abs(margin.nearest) < 1


@pytest.mark.parametrize(
    "link",
    [
        "[256](claim:add.source.kBlock)",
        "[4.8 TB/s](given:peak)",
        "[7](stated:)",
        '[2.3×](claim:add.speedup["large"])',
        '[3×](claim:add.sped["large"])',
        '[wide](claim:add.kernel["wide"])',
        "[so](claim:add.source.kBlock == 256)",
        f"[slower](claim:{LARGE} > {NARROW})",
        f"[not slower](claim:not ({LARGE} > {NARROW}))",
        f"[one of them](claim:{LARGE} < {NARROW} or {LARGE} > {NARROW})",
        f"[in order](claim:{SMALL} < {LARGE} < {NARROW})",
    ],
)
def test_what_has_none(course: Course, link: str) -> None:
    assert ask(course, link) is None


def test_a_joined_statement_is_as_near_as_its_nearest_part(course: Course) -> None:
    first, second = f"{LARGE} < {NARROW}", f"{SMALL} < {LARGE}"
    margins = [ask(course, f"[so](claim:{part})") for part in (first, second)]
    both = ask(course, f"[so](claim:{first} and {second})")
    assert both is not None
    assert both.fall == min(m.fall for m in margins if m and m.fall is not None)
    every = ask(course, '[so](claim:all(add.time[:, "wide"] < add.time[:, "narrow"]))')
    parts = [
        ask(course, f'[so](claim:add.time["{case}", "wide"] < add.time["{case}", "narrow"])')
        for case in ("small", "large")
    ]
    assert every is not None
    assert every.fall == min(m.fall for m in parts if m and m.fall is not None)


def test_the_margin_tells_how_far_the_value_may_go(course: Course) -> None:
    margin = ask(course, '[2.1×](claim:add.speedup["large"])')
    assert margin is not None
    shown = course.shelves["add"].shown_record
    assert shown is not None
    value = shown.shown.measurements["speedup"].readings[("large",)].value
    assert margin.fall is not None
    # What rounds to 2.1 begins at 2.05.
    assert float(value * (1 - margin.fall)) == pytest.approx(2.05)
