"""Pages that no honest author writes: read in time, refused in place, never a crash."""

from __future__ import annotations

import pytest

from build_tools.claims.check import check_scan
from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.claims.scan import scan_page
from build_tools.claims.unbound import find_unbound
from build_tools.diagnostics.finding import Kind
from tests.course_factory import make_example

SIZE = 30_000
"""Characters of a page: what takes the square of that takes longer than its test may."""

PIECES = [
    *("1", "1,", "1.", "1 ", "1-", "1–", "1/", "1e", "1 x ", "1 × ", "1, ", "1 and ", "1:11", "1^"),
    *("a", "a-", "a1", "a@", "a+", "e-1", "A1 A", " ", "\t", "\n", "\n\n", "\n ", "\x00", "é", "µ"),
    *("[", "[^", "](", "](a", "](a(", "]((a)", "[[1]", "](claim:", "[a](claim:x", "(1,", "()"),
    *("`", "`` `", "```\n", "~~~\n", "$", "$a", "$$", "\\", "\\(", "\\[", "<", "<a", "<a ", "<!--"),
    *("<pre>", "<claim:", "href=", "&a", "{", "{#a ", "{ a=", "{:", "|", "| 1 ", "|-|\n", "---\n"),
    *("> ", "> > ", "- ", "1. ", "    a\n", "/// ", "/// table | a\n", "///\n", "# ", "# 1."),
    *("Day 1, ", "CUDA 1, ", "RTX A ", "per ", "about 1 ", "factor of ", "v1.", "www.", "rev 1, "),
    *("'", '"', "=", "_", "*", "**1", "1 ms, ", "1 GB/s ", "three times as "),
]
STARTS = [
    "",
    "[",
    "`",
    "$",
    "{#",
    "    ",
    "> ",
    "# [2](claim:a) ",
    "/// table | a\n    k: ",
    "---\na: ",
]


def read(text: str) -> None:
    find_unbound(scan_page(text, "docs/a.md"), "all")


@pytest.mark.timeout(5)
@pytest.mark.parametrize("piece", PIECES)
def test_repetition_takes_no_more_than_its_length(piece: str) -> None:
    # The number at the end has every pattern read the line.
    read(piece * (SIZE // len(piece)) + " 17!")


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    ("piece", "end"),
    [
        ("| ms |\n|--|\n", "\n\n17 ms\n"),
        ("a <!-- \n\n", "-->\n17 ms\n"),
        ("a <!-- ", "\n\n-->\n17 ms\n"),
    ],
)
def test_what_is_closed_far_behind_takes_no_more_than_its_length(piece: str, end: str) -> None:
    text = piece * (20 * SIZE // len(piece)) + end
    (finding,) = find_unbound(scan_page(text, "docs/a.md"), "all")
    assert finding.place.line == text.count("\n")


def test_a_rule_within_a_table_is_a_row_of_it() -> None:
    page = "| time (ms) |\n|--|\n| 5 |\n| Day |\n|--|\n| 6 |\n"
    found = find_unbound(scan_page(page, "docs/a.md"), "units")
    assert [finding.place.line for finding in found] == [3, 6]


@pytest.mark.timeout(30)
@pytest.mark.parametrize("start", STARTS)
def test_repetition_behind_an_opening_is_read(start: str) -> None:
    for piece in PIECES:
        read(start + piece * (600 // len(piece)))


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    root = tmp_path_factory.mktemp("course")
    make_example(root)
    return load_course(root)


@pytest.mark.timeout(60)
def test_a_page_of_ten_thousand_numbers(course: Course) -> None:
    text = "\n".join(f"It takes {n / 1000:.3f} ms." for n in range(501, 10_501))
    found = check_scan(course, scan_page(text, "docs/a.md"))
    assert len(found) == 10_000
    assert str(found[-1].place) == "docs/a.md:10000:10"
    assert any(f.candidates for f in found)


@pytest.mark.timeout(60)
def test_a_page_of_five_megabytes(course: Course) -> None:
    line = "Each block has [256](claim:add.source.kBlock) threads, and `code` in Lesson 3.\n\n"
    words = "A kernel is launched by the host and runs on the device.\n" * 60
    text = (line + words) * (5_000_000 // len(line + words))
    scan = scan_page(text, "docs/a.md")
    assert len(scan.claims) > 1000
    assert check_scan(course, scan) == []


def deepen(opening: str, closing: str, depth: int = 10_000) -> str:
    return opening * depth + "2" + closing * depth


@pytest.mark.parametrize(
    ("text", "kind", "true", "advice"),
    [
        (f"[2](claim:{deepen('(', ')', 200)})", Kind.EXPRESSION, "nest 200 deep", "quantities"),
        (f"[2](claim:{deepen('(', ')')})", Kind.LINK, "not closed on its line", "600 characters"),
        (deepen("[", "](claim:a)"), Kind.LINK, "inside another link", "let the other link end"),
        (deepen("[", "]") + "(claim:a)", Kind.LINK, "characters long", "keep the number"),
        (f"[{'so ' * 500}](claim:1 > 0)", Kind.LINK, "characters long", "keep the number"),
        ('[2](claim:add.time["large)', Kind.LINK, 'the quote `"` is not', "close the quote"),
        ("[2](claim:add.time['large\"])", Kind.LINK, "the quote `'` is not", "close the quote"),
        ("[2](claim:add.time[large)", Kind.LINK, "the bracket `[` is not", "close the bracket"),
        ("[5 furlongs](claim:add.source.kBlock)", Kind.UNREADABLE, "`furlongs`", "only the number"),
        ("[5 furlongs/s](stated:)", Kind.TYPE, "", ""),
        ("5 furlongs/s", Kind.UNBOUND, "bound to nothing", "[5 furlongs/s](claim:…)"),
        (f"[{'2' * 300}](claim:add.source.kBlock)", Kind.UNREADABLE, "", ""),
        ("2" * 5000, Kind.UNBOUND, "bound to nothing", "2…](claim:…)"),
        ("[2](claim:add.\u202esource)", Kind.EXPRESSION, "", ""),
        ("[2](claim:\x00)", Kind.EXPRESSION, "", ""),
        ("[2](claim:add.source.kBlock ** 99999)", Kind.EXPRESSION, "exponent", ""),
        ("[2](claim:1/0)", Kind.EXPRESSION, "division by zero", "divisor"),
    ],
)
def test_what_is_refused(course: Course, text: str, kind: Kind, true: str, advice: str) -> None:
    found = check_scan(course, scan_page(text, "docs/a.md"))
    assert found, text[:80]
    assert found[0].kind is kind, found[0]
    assert found[0].place.line == 1
    assert true in found[0].true
    assert advice in found[0].advice


@pytest.mark.parametrize("text", ["```cuda\nx = 17;\n", "- a\n\n    ```\n    x\nless indented\n"])
def test_a_fence_without_an_end_is_told_and_hides_nothing(course: Course, text: str) -> None:
    found = check_scan(course, scan_page(f"{text}\nIt takes 17 ms.\n", "docs/a.md"))
    fence = next(f for f in found if f.kind is Kind.PAGE)
    line = text.split("\n").index(next(t for t in text.split("\n") if "```" in t)) + 1
    assert fence.place.line == line
    assert fence.stated.startswith("```")
    assert "not closed" in fence.true
    assert "close it with three" in fence.advice or "close it with ```" in fence.advice
    assert any(f.kind is Kind.UNBOUND and f.stated == "`17 ms`" for f in found)
