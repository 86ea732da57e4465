"""Unbound numbers: which are found, and which named pattern takes which away."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from build_tools.claims.numbers import states_rate
from build_tools.claims.patterns import PATTERNS, Pattern, select_patterns
from build_tools.claims.scan import scan_page
from build_tools.claims.unbound import find_unbound
from build_tools.diagnostics.finding import Kind

CASES = Path(__file__).parents[1] / "cases" / "unbound-numbers.tsv"


def list_unbound(text: str, policy: str = "all", off: frozenset[str] = frozenset()) -> list[str]:
    scan = scan_page(text, "docs/a.md")
    return [f.stated.strip("`") for f in find_unbound(scan, policy, select_patterns((), off))]


def read_cases() -> list[tuple[str, str, list[str], list[str]]]:
    with CASES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    return [(text, name, split(found), split(units)) for text, name, found, units in rows]


def split(cell: str) -> list[str]:
    return [] if cell == "-" else cell.split("; ")


@pytest.mark.parametrize(("text", "name", "found", "units"), read_cases())
def test_each_case(text: str, name: str, found: list[str], units: list[str]) -> None:
    assert list_unbound(text) == found
    assert list_unbound(text, "units") == units
    if name == "-":
        return
    # The case is of this pattern: without it more is found.
    assert list_unbound(text, off=frozenset({name})) != found


def test_every_pattern_has_a_case() -> None:
    assert {name for _, name, _, _ in read_cases()} - {"-"} == set(PATTERNS)


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=str)
def test_each_pattern_says_what_it_takes_and_what_it_leaves(pattern: Pattern) -> None:
    assert list_unbound(pattern.taken) == []
    assert list_unbound(pattern.taken, off=frozenset({pattern.name}))
    assert list_unbound(pattern.left)
    assert len(pattern.why.split()) > 3


@pytest.mark.parametrize(
    "text",
    [
        "`a = 17`",
        "```\n17\n```",
        "$x = 17$",
        "$$\n\\sum_{17}\n$$",
        "\\(x = 17\\)",
        "[17](claim:a)",
        "[x](http://example.org/17)",
        "[x](page17.md#section-2)",
        '<img width="300">',
        "text {: width=300 }",
        "note[^12]",
        "&#160;",
        "<!-- 17 -->",
        "a <!-- 17 --> b",
        "<code>17 + x</code>",
        "<script>\nvar x = 17;\n</script>",
        "---\nweight: 17\n---\n",
        "/// table | a\n    columns: x17\n///",
        "> ```\n> 17\n> ```",
        "- item\n\n        17 ms in code",
        ">     17 ms in code",
        '<div markdown="1">\n\n    17 ms in code\n\n</div>\n',
        "<div>\n</div>\n\n    17 ms in code",
    ],
)
def test_numbers_that_are_not_prose(text: str) -> None:
    assert list_unbound(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nIt takes 17 ms.\n\n---\n",
        "`<!--` 17 ms `-->`",
        "<!-- never closed, 17 ms",
        "```\nnever closed 17 ms",
        "- a ` b\n- 17 ms ` c",
        "a ` b\n\n17 ms ` c",
        "costs $5 and\n\n17 ms for $",
        "$$ a\n\n17 ms\n\n b $$",
        "- item\n\n    17 ms in the item",
        "`<pre>` 17 ms `</pre>`",
        "use ``` in a line 17 ms",
        "- item\n\n    ```\n    code\nless indented, 17 ms",
        "~~~ It takes\n17 ms in all\n~~~",
        '<div class="card">\n\n    <p>It takes 17 ms.</p>\n\n</div>\n',
        "---\ntitle: It takes 17 ms\n---\n",
        "---\ndescription: 'It takes 17 ms'\n---\n",
        "<code>17 ms</code>",
        "<kbd>17 ms</kbd>",
        "`#!text 17 ms`",
        "---\n'note: it takes 17 ms'\n---\n",
    ],
)
def test_prose_that_looks_like_none(text: str) -> None:
    assert "17 ms" in list_unbound(text, off=frozenset({"zero-one"}))


def test_no_policy_finds_nothing() -> None:
    assert list_unbound("5 ms", "off") == []


def test_finding_says_where_and_what_to_do() -> None:
    scan = scan_page("First.\n\nIt takes about 5 ms.", "docs/a.md")
    (finding,) = find_unbound(scan, "all")
    assert finding.kind is Kind.UNBOUND
    assert str(finding.place) == "docs/a.md:3:10"
    assert finding.length == len("about 5 ms")
    assert finding.stated == "`about 5 ms`"
    assert "bound to nothing" in finding.true
    assert "`[about 5 ms](claim:…)`" in finding.advice
    assert "`[about 5 ms](given:…)`" in finding.advice
    assert "stated:" not in finding.advice, "a time is no choice"


def test_a_pages_title_holds_no_link() -> None:
    text = "---\ntitle: It takes 5 ms\n---\nText.\n"
    (finding,) = find_unbound(scan_page(text, "docs/a.md"), "all")
    assert str(finding.place) == "docs/a.md:2:17"
    assert "leave the number out" in finding.advice
    assert list_unbound("`~17 ms`") == ["~17 ms"]


def test_a_blocks_title_is_prose_that_holds_no_link() -> None:
    text = "/// snippet | add#block\n    title: 5 ms less in Step 2\n    numbers: false\n///\n"
    (finding,) = find_unbound(scan_page(text, "docs/a.md"), "all")
    assert str(finding.place) == "docs/a.md:2:12"
    assert finding.stated == "`5 ms`"
    assert "leave the number out" in finding.advice
    assert list_unbound("> /// snippet | add#block\n>     title: '17'\n> ///\n") == ["17"]


TABLE = """\
| day | version | time (ms) | L1 % | of copy | note |
|----:|---------|----------:|-----:|--------:|------|
| 4   | v2, 4 z | 1.22      | **74** | 27 % | at 3 |
| 5   |         | 1.04 | 58 | 86 % | 0.9 of it |
"""


def test_a_head_gives_its_column_a_unit() -> None:
    """Numbers under ``time (ms)`` are times; those under ``day`` number the rows."""
    assert list_unbound(TABLE, "units") == ["1.22", "74", "27 %", "1.04", "58", "86 %"]
    assert list_unbound(TABLE) == [
        *("4", "1.22", "74", "27 %", "3"),
        *("1.04", "58", "86 %", "0.9"),
    ]
    scan = scan_page("Text.\n\n" + TABLE, "docs/a.md")
    finding = next(f for f in find_unbound(scan, "units") if f.stated == "`1.22`")
    assert str(finding.place) == "docs/a.md:5:19"
    assert "`/// table | program`" in finding.advice
    assert "`[1.22 ms](claim:…)`" in finding.advice


def test_a_row_outside_a_table_is_none() -> None:
    assert list_unbound("| time (ms) |\n| 5 |", "units") == []
    assert list_unbound("a | b\n- | -\n5 | 6\n\n7 | 8") == ["5", "6", "7", "8"]


@pytest.mark.parametrize(
    "text", ["5 ms", "3x", "40 %", "two-fold", "7 GB/s", "3 FLOP/byte", "8 µs", "400 cycles"]
)
def test_rates_are_recognised(text: str) -> None:
    assert states_rate(text)


@pytest.mark.parametrize("text", ["5", "16 x 16", "three", "256 threads", "N = 4", "48 KB"])
def test_counts_are_no_rates(text: str) -> None:
    assert not states_rate(text)


def test_a_line_that_only_looks_like_a_definition_is_prose() -> None:
    page = scan_page("[x]: 79 GB/s of something\n\n[y]: 80 'a title'\n", "docs/page.md")
    assert [f.stated for f in find_unbound(page, "units")] == ["`79 GB/s`"]


def test_a_rate_is_not_offered_as_a_choice() -> None:
    page = scan_page("at 812 GB/s, or 16 of them", "docs/page.md")
    rate, count = find_unbound(page, "all")
    assert "stated:" not in rate.advice
    assert "`[16](stated:)`" in count.advice
