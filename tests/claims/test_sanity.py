"""Is what cannot be said to be possible, and a ranking within the noise kept from being one?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from build_tools.claims.check import check_course, judge_scan
from build_tools.claims.course import load_course
from build_tools.claims.floor import compute_floor
from build_tools.claims.model import Course
from build_tools.claims.sanity import check_sanity
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Finding, Kind
from build_tools.quantity.clocks import Clocks
from build_tools.quantity.comparison import compare_equal, compare_numbers
from build_tools.quantity.value import Number, Series
from tests.course_factory import CHECK, DECLARATION, PROGRAM, make_course
from tests.parts_factory import DECLARATION as PARTS
from tests.parts_factory import make_parts_course

ROWS = """\
case   kernel  time (ms)    GB/s
-----  ------  ---------  ------
small  narrow    {a}   500.1
small  wide      {b}   900.2
small  again     {c}   500.2
"""
TABLE = DECLARATION[: DECLARATION.index("[lines]")].replace("rows = 4", "rows = 3")
AGAIN = '\n[again.kernel]\nfirst = "narrow"\nagain = "again"\n'


def make(
    root: Path, more: str = "", times: Sequence[tuple[float, float, float]] | None = None
) -> Course:
    """A course whose program prints the same three kernels, the first of them twice."""
    told = times or [(1.0, 0.8, 1.0)] * 10
    rows = [ROWS.format(a=f"{a:.5f}", b=f"{b:.5f}", c=f"{c:.5f}") for a, b, c in told]
    make_course(
        root,
        {"add": PROGRAM.format(name="add")},
        {"add": TABLE + '[regions.add-kernel]\nneeds = ["block"]\n' + more},
        {"add": rows},
        checks={"add": CHECK},
    )
    return load_course(root)


def check(root: Path, rule: str) -> list[Finding]:
    return check_sanity(make(root, f"\n[sanity.it]\n{rule}\n"))


def judge(course: Course, expression: str) -> Finding | None:
    scan = scan_page(f"It is [so](claim:{expression}).\n", "docs/p.md")
    (verdict,) = judge_scan(course, scan)
    return verdict.findings[0] if verdict.findings else None


# --- peaks


def test_a_rate_above_its_peak_is_a_finding(tmp_path: Path) -> None:
    (finding,) = check(tmp_path, "rate = 'rate[:]'\npeak = 'rate[\"small\", \"narrow\"] * 1.5'")
    assert finding.kind is Kind.SANITY
    assert str(finding.place) == "snippets/add/program.toml:8:9"
    assert finding.stated == "`rate[:]` for small, wide stays below its peak"
    assert finding.true == "it is 900.2 GB/s, 120.0 % of 750.15 GB/s"
    assert "no hardware exceeds its own peak" in finding.advice


@pytest.mark.parametrize(
    "rule",
    [
        "rate = 'rate[:]'\npeak = 'rate[\"small\", \"wide\"] * 1.0001'",
        "rate = 'rate[\"small\", :]'\npeak = 'rate[\"small\", :] * 2'",
        "formula = '64'\ncounter = '64'",
        "formula = '64'\ncounter = '60'\nbelow = '4'",
        "formula = '64'\ncounter = '66'\nabove = '2'",
    ],
)
def test_what_is_possible_is_none(tmp_path: Path, rule: str) -> None:
    assert check(tmp_path, rule) == []


def test_all_of_it_is_part_of_the_check(tmp_path: Path) -> None:
    rule = "rate = 'rate[:]'\npeak = 'rate[\"small\", \"narrow\"]'"
    make(tmp_path, f"\n[sanity.it]\n{rule}\n")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/p.md").write_text("# P\n")
    findings = check_course(load_course(tmp_path))
    assert [f.kind for f in findings if f.kind is Kind.SANITY] == [Kind.SANITY] * 2


# --- caches and formulas


def test_a_working_set_that_fits_the_cache_moves_nothing_through_dram(tmp_path: Path) -> None:
    more = "\n[quantities]\nmoved = { expression = '3 * 2 ** 24', unit = 'B' }\n"
    rule = "\n[sanity.it]\nrate = 'rate[\"small\", \"wide\"]'\nworking_set = 'moved'\n"
    (finding,) = check_sanity(make(tmp_path, more + rule))
    assert "is a rate of DRAM" in finding.stated
    assert re.fullmatch(
        r"its working set of (50\.332 MB|48 MiB) fits into the L2 cache of (62\.915 MB|60 MiB)",
        finding.true,
    )
    assert "several times larger" in finding.advice


def test_bytes_by_formula_and_by_counter(tmp_path: Path) -> None:
    make_parts_course(tmp_path)
    target = tmp_path / "snippets/add/program.toml"
    rule = """
[quantities]
expected = { expression = '2 * 2 ** 24', unit = "B" }
[sanity.read]
formula = 'expected'
counter = 'counters["add"].dram_read'
"""
    target.write_text(PARTS + rule)
    (finding,) = check_sanity(load_course(tmp_path))
    assert finding.stated == '`counters["add"].dram_read` is what `expected` comes to'
    assert re.fullmatch(
        r"counted are 33\.554464 MB, the formula gives (33\.554432 MB|32 MiB)", finding.true
    )
    target.write_text(PARTS + rule + "above = 'expected / 1000'\n")
    assert check_sanity(load_course(tmp_path)) == []
    target.write_text(PARTS + rule.replace("2 * 2", "3 * 2") + "below = 'expected / 1000'\n")
    (finding,) = check_sanity(load_course(tmp_path))
    assert "(allowed: " in finding.true


@pytest.mark.parametrize(
    ("rule", "kind", "at", "true"),
    [
        ("rate = 'rate[:]'\npeak = '5'", Kind.UNIT, "9", "joins a number in B/s and a bare"),
        ("rate = 'rates[:]'\npeak = '5'", Kind.EXPRESSION, "9", "has no `rates`"),
        ("rate = 'rate[:]'\npeak = 'rate[:] > 5'", Kind.EXPRESSION, "9", "joins a number"),
        ("rate = 'device.model'\npeak = '5'", Kind.TYPE, "9", "the text `NVIDIA H200`"),
        (
            "rate = 'rate[:]'\npeak = '(5, 6)'",
            Kind.EXPRESSION,
            "9",
            "it has 2 values, and there are 3",
        ),
    ],
)
def test_rules_that_compare_nothing(
    tmp_path: Path, rule: str, kind: Kind, at: str, true: str
) -> None:
    (finding,) = check(tmp_path, rule)
    assert finding.kind is kind
    assert true in finding.true
    line = (tmp_path / "snippets/add/program.toml").read_text().split("\n")[finding.place.line - 1]
    assert line[finding.place.column - 2 : finding.place.column - 1] in ("'", " ", "[", "]", "(")
    assert int(at) <= finding.place.line <= int(at) + 1


def test_what_rests_on_stale_evidence_is_told_by_that_alone(tmp_path: Path) -> None:
    make(tmp_path, "\n[sanity.it]\nrate = 'rate[:]'\npeak = 'rate[:] / 2'\n")
    source = tmp_path / "snippets/add/add.cu"
    source.write_text(source.read_text().replace("i < n", "i <= n"))
    assert check_sanity(load_course(tmp_path)) == []


# --- the floor


def noisy(gap: float, again: float) -> list[tuple[float, float, float]]:
    """Ten processes; the kernels lie ``gap`` apart, and the first lies ``again`` from itself."""
    return [(1 + i / 1e5, 1 + i / 1e5 - gap, 1 + i / 1e5 + again) for i in range(10)]


def test_a_ranking_inside_the_floor_is_ambiguous(tmp_path: Path) -> None:
    course = make(tmp_path, AGAIN, noisy(0.002, 0.004))
    expression = 'add.time["small", "wide"] < add.time["small", "narrow"]'
    finding = judge(course, expression)
    assert finding is not None
    assert finding.kind is Kind.AMBIGUOUS
    assert "they differ by no more than the same kernel timed twice" in finding.true
    ratio = 'add.time["small", "narrow"] / add.time["small", "wide"] > 1'
    assert judge(course, ratio) is not None
    assert judge(
        course,
        'add.time["small", "narrow"] - add.time["small", "wide"] > 0 * add.time["small", "wide"]',
    )
    assert judge(course, 'same(add.time["small", "wide"], add.time["small", "narrow"])') is None
    assert judge(course, 'add.time["small", "wide"] < 0.9 * add.time["small", "narrow"]')


def test_a_ranking_outside_of_it_holds(tmp_path: Path) -> None:
    course = make(tmp_path, AGAIN, noisy(0.006, 0.004))
    assert judge(course, 'add.time["small", "wide"] < add.time["small", "narrow"]') is None
    assert judge(course, 'add.time["small", "narrow"] / add.time["small", "wide"] > 1') is None
    # The rates of both rows lie nearer to each other, and have a floor of their own.
    assert judge(course, 'add.rate["small", "wide"] > add.rate["small", "narrow"]') is None


def test_without_pairs_there_is_no_floor(tmp_path: Path) -> None:
    course = make(tmp_path, "", noisy(0.002, 0.004))
    assert judge(course, 'add.time["small", "wide"] < add.time["small", "narrow"]') is None
    record = course.shelves["add"].shown_record
    assert record is not None
    assert compute_floor(course.programs["add"], record, "time") == 0


def test_the_floor_is_that_of_most_pairs(tmp_path: Path) -> None:
    course = make(tmp_path, AGAIN, noisy(0.002, 0.004))
    record = course.shelves["add"].shown_record
    assert record is not None
    floor = compute_floor(course.programs["add"], record, "time")
    assert floor == pytest.approx(0.00399, abs=1e-5)
    assert compute_floor(course.programs["add"], record, "rate") < floor


def test_a_pair_that_is_not_printed_is_a_finding(tmp_path: Path) -> None:
    course = make(tmp_path, AGAIN.replace('"again"', '"narrow again"'))
    (finding,) = check_sanity(course)
    assert finding.kind is Kind.DECLARATION
    line = (tmp_path / finding.place.path).read_text().split("\n")[finding.place.line - 1]
    assert line[finding.place.column - 1 :].startswith("kernel]")
    assert finding.stated == "`narrow` and `narrow again` are the same kernel, timed twice"
    assert "no two rows that differ in `kernel` alone" in finding.true
    assert "as the transcript prints them" in finding.advice
    assert check_sanity(make(tmp_path, AGAIN)) == []


# --- clocks


def number(value: float, clock: int | None, origin: str, power: int = 1) -> Number:
    samples = tuple(Fraction(value) * (1 + Fraction(i, 10**5)) for i in range(10))
    at = Fraction(clock) if clock else None
    clocks = Clocks("NVIDIA H200", at, (at,) * 10) if at else None
    series = Series(frozenset({origin}), samples[0], samples, Fraction(0), clocks=clocks)
    return Number((("s", power),), None, (series,))


def test_times_of_two_records_must_agree_in_cycles_where_clocks_differ() -> None:
    fast, slow = number(1.0, 1_980_000_000, "a"), number(1.1, 1_500_000_000, "b")
    assert compare_numbers(fast, slow, "<").value is None  # in cycles the second takes fewer
    assert "in cycles it is not so" in compare_numbers(fast, slow, "<").reason
    near = number(1.1, 1_970_000_000, "b")
    assert compare_numbers(fast, near, "<").value is True
    assert compare_numbers(fast, replace(slow, series=near.series), ">").value is False
    far = number(2.0, 1_500_000_000, "b")
    assert compare_numbers(fast, far, "<").value is True
    unknown = number(1.1, None, "b")
    assert compare_numbers(fast, unknown, "<").value is True
    assert compare_equal(fast, slow).value is False


def test_rates_go_the_other_way() -> None:
    fast, slow = number(1.1, 1_980_000_000, "a", -1), number(1.0, 1_500_000_000, "b", -1)
    assert compare_numbers(fast, slow, ">").value is None
    assert compare_numbers(fast, number(1.0, 1_980_000_000, "b", -1), ">").value is True
