"""Unbound numbers: which are found, and which named pattern takes which away."""

from __future__ import annotations

import pytest

from build_tools.claims.numbers import PATTERNS, find_unbound, states_rate
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Kind


def list_unbound(text: str, policy: str = "all", off: frozenset[str] = frozenset()) -> list[str]:
    scan = scan_page(text, "docs/a.md")
    return [f.stated.strip("`") for f in find_unbound(scan, policy, off)]


HARMLESS = {
    "list-number": "3. item\n12) item",
    "heading-number": "## 3.2 Title\n\n# 7. Other",
    "label": "Day 16, Lessons 2 and 3, threads 4–7, Step 5, line 12, bank 17",
    "joined-to-letters": "float32 sm_90 H200 L2 x86-64 int8 fp16 2D kTile16 cuda-13",
    "date": "2026-12-01, 1 December 2026, December 2026",
    "year": "in 2019 and since 2026.",
    "version": "CUDA 13.0, driver 580.159.03, Python 3.11+, C++ 17, release 1.6.1",
    "index": "element (2, 3), [4] and [5][6]",
    "ordinal": "the 1st, 2nd, 3rd and 16th",
    "zero-one": "0 or 1",
    "url": "https://example.org/v/12?x=34 and a42@example.org",
}


def test_every_pattern_has_a_case() -> None:
    assert set(HARMLESS) == set(PATTERNS)


@pytest.mark.parametrize("name", HARMLESS)
def test_pattern_takes_its_numbers_away(name: str) -> None:
    assert list_unbound(HARMLESS[name]) == []


@pytest.mark.parametrize("name", HARMLESS)
def test_pattern_can_be_switched_off(name: str) -> None:
    assert list_unbound(HARMLESS[name], off=frozenset(PATTERNS) - frozenset()), name
    only_this_off = list_unbound(HARMLESS[name], off=frozenset({name}))
    # Other patterns may take some of the same text, never all of it.
    assert only_this_off, name


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It takes 5 ms.", ["5 ms"]),
        ("It takes 5ms.", ["5ms"]),
        ("twice 16x as fast", ["16x"]),
        ("1.6× and 40 % and 3-fold", ["1.6×", "40 %", "3-fold"]),
        ("a two-fold gain", ["two-fold"]),
        ("three times as fast", ["three times"]),
        ("1,024 blocks of 256 threads", ["1,024 blocks", "256 threads"]),
        ("moves 550 GB at 4.8 TB/s", ["550 GB", "4.8 TB/s"]),
        ("a shape of 611x613x617", ["611x613x617"]),
        ("a tile of 16 x 16", ["16 x 16"]),
        ("just `17` here", ["17"]),
        ("just $17$ here", ["17"]),
        ("0.5 of it", ["0.5"]),
        ("**12** and *13*", ["12", "13"]),
        ("| a | 14 |\n|---|---|\n| b | 15 |", ["14", "15"]),
        ("1 ms", ["1 ms"]),
        ("1×", ["1×"]),
        ("-3 degrees", ["-3"]),
        ("2^24", ["2^24"]),
        ("[text 18](http://x)", ["18"]),
        ("Day 16 takes 7 ms", ["7 ms"]),
    ],
)
def test_numbers_that_are_found(text: str, found: list[str]) -> None:
    assert list_unbound(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "`a = 17`",
        "```\n17\n```",
        "$x = 17$",
        "[17](claim:a)",
        "[x](http://example.org/17)",
        "[x](page17.md#section-2)",
        '<img width="300">',
        "text {: width=300 }",
        "note[^12]",
        "&#160;",
        "<!-- 17 -->",
        "---\nweight: 17\n---\n",
        "/// table | a\n    columns: x17\n///",
    ],
)
def test_numbers_that_are_not_prose(text: str) -> None:
    assert list_unbound(text) == []


def test_policies() -> None:
    text = "12 apples, 5 ms, 3×"
    assert list_unbound(text, "off") == []
    assert list_unbound(text, "units") == ["5 ms", "3×"]
    assert list_unbound(text, "all") == ["12", "5 ms", "3×"]


def test_finding_says_where_and_what_to_do() -> None:
    scan = scan_page("First.\n\nIt takes 5 ms.", "docs/a.md")
    (finding,) = find_unbound(scan, "all", frozenset())
    assert finding.kind is Kind.UNBOUND
    assert str(finding.place) == "docs/a.md:3:10"
    assert "`[5 ms](claim:…)`" in finding.advice
    assert "`[5 ms](given:…)`" in finding.advice


@pytest.mark.parametrize("text", ["5 ms", "3x", "40 %", "two-fold", "7 GB/s", "3 FLOP/byte"])
def test_rates_are_recognised(text: str) -> None:
    assert states_rate(text)


@pytest.mark.parametrize("text", ["5", "16 x 16", "three", "256 threads", "N = 4"])
def test_counts_are_no_rates(text: str) -> None:
    assert not states_rate(text)
