import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build_tools.diagnostics.finding import Kind
from build_tools.source.model import Region
from build_tools.source.regions import decode_source, dedent_lines, find_regions

CASES = json.loads((Path(__file__).parents[1] / "cases" / "regions.json").read_text("utf-8"))


def read(source: str | bytes) -> tuple[dict[str, str], list[str]]:
    """Region texts by name, and findings as ``line:column kind: stated; true; advice``."""
    data = source if isinstance(source, bytes) else source.encode("utf-8")
    text, findings = decode_source(data, "p.cu")
    regions: dict[str, Region] = {}
    if text is not None:
        regions, more = find_regions(text, "p", "p.cu")
        findings += more
    return {name: region.text for name, region in regions.items()}, [
        f"{f.place.line}:{f.place.column} {f.kind.value}: {f.stated}; {f.true}; {f.advice}"
        for f in findings
    ]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_shared_case(case: dict[str, object]) -> None:
    texts, findings = read(str(case["source"]))
    expected = case["expect"]
    if isinstance(expected, dict):
        assert texts == expected
        assert findings == []
        return
    match = re.match(r"error (\d+)(?:, column (\d+))?(?:: (.*))?", str(expected))
    assert match is not None
    assert len(findings) == 1, "one cause, one finding"
    assert re.match(rf"{match[1]}:{match[2] or 1} ", findings[0])
    for words in (match[3] or "").split("; "):
        assert words in findings[0]
    if "line 1 named" in str(expected):
        assert "line 1" in findings[0]


@pytest.mark.parametrize(
    ("comment", "advice"),
    [
        ("// snippet naive", "`// snippet: NAME`"),
        ("//snippet: naive", "`// snippet: NAME`"),
        ("// snippet:naive", "`// snippet: NAME`"),
        ("//  snippet: naive", "`// snippet: NAME`"),
        ("// snippet : naive", "`// snippet: NAME`"),
        ("// SNIPPET: naive", "`// snippet: NAME`"),
        ("// snippet-naive", "`// snippet: NAME`"),
        ("// snippet - naive", "`// snippet: NAME`"),
        ("// snippets: naive", "`// snippet: NAME`"),
        ("// begin snippet: naive", "`// snippet: NAME`"),
        ("// start snippet naive", "`// snippet: NAME`"),
        ("/// snippet: naive", "`// snippet: NAME`"),
        ("// --- snippet: naive ---", "`// snippet: NAME`"),
        ("// snippet: naïve", "letters, digits, `.`, `_`, `-`"),
        ("// snippet: naive // the slow one", "letters, digits, `.`, `_`, `-`"),
        ("// snippet: naive \\", "`// snippet: NAME`"),
        ("/* snippet: naive */", "`// snippet: NAME`"),
        ("// end snippet naive", "`// end snippet`"),
        ("// end  snippet", "`// end snippet`"),
        ("// End snippet", "`// end snippet`"),
        ("// endsnippet", "`// end snippet`"),
        ("// end_snippet: naive", "`// end snippet`"),
        ("// end snippet: a b", "`// end snippet`"),
        ("// end of the snippet", "`// end snippet`"),
        ("// snippet end", "`// end snippet`"),
        ("//end snippet", "`// end snippet`"),
        ("/* end snippet */", "`// end snippet`"),
    ],
)
def test_look_alike_is_named_at_its_place(comment: str, advice: str) -> None:
    texts, findings = read(f"int w;\n  {comment}\nint y;\n")
    assert texts == {}
    assert len(findings) == 1
    assert findings[0].startswith("2:3 marker: ")
    assert "looks like a marker" in findings[0]
    assert advice in findings[0]


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("int x; // snippet: naive", 8),
        ("int x;  // end snippet", 9),
        ("/**/ // snippet: naive", 6),
        ('R"(\n)"; // snippet: naive', 5),
    ],
)
def test_marker_behind_other_text_is_named(line: str, column: int) -> None:
    texts, findings = read(f"{line}\nint y;\n")
    assert texts == {}
    assert len(findings) == 1
    assert findings[0].startswith(f"{line.count(chr(10)) + 1}:{column} marker: ")
    assert "shares its line with other text" in findings[0]
    assert "each on a line of its own" in findings[0]


@pytest.mark.parametrize(
    "comment",
    [
        "// snippets are spans between markers",
        "// snippets are",
        "// the snippet: see above",
        "// snippet of the matrix that a warp reads",
        "// snippet | tiled_matmul#tiled-kernel",
        "// snippetry: a word",
        "// ends here: snippet",
        "// at the end snippets are shown",
        "/* // snippet: a */",
        "/* snippet: a\n */",
        "int x; /* snippet: a */",
        'const char* s = "// snippet: a";',
        "#define A 1 // the snippet",
    ],
)
def test_prose_is_no_marker(comment: str) -> None:
    assert read(f"{comment}\nint y;\n") == ({}, [])


def test_end_behind_a_reported_opening_is_not_reported_again() -> None:
    texts, findings = read(
        "// snippet naive\nint x;\n// end snippet: naive\n// snippet: b\nint y;\n// end snippet\n"
    )
    assert texts == {"b": "int y;\n"}
    assert [f.split()[0] for f in findings] == ["1:1"]


def test_second_of_one_name_leaves_the_first_alone() -> None:
    texts, findings = read(
        "// snippet: a\nint x;\n// end snippet\n// snippet: a\nint y;\n// end snippet: a\nint z;\n"
    )
    assert texts == {"a": "int x;\n"}
    assert [f.split()[0] for f in findings] == ["4:1"]
    assert "a name of its own" in findings[0]


def test_wrong_end_names_all_that_is_open() -> None:
    _, findings = read(
        "// snippet: a\nint x;\n// snippet: b\nint y;\n// end snippet: c\n"
        "// end snippet\n// end snippet\n"
    )
    assert len(findings) == 1
    assert findings[0].startswith("5:1 region: ends region `c`")
    assert "`a` from line 1, `b` from line 3" in findings[0]
    assert "write `// end snippet: b`" in findings[0]


def test_several_unclosed_regions_are_all_named() -> None:
    _, findings = read("// snippet: a\n// snippet: b\nint x;\n")
    assert [f.split()[0] for f in findings] == ["1:1", "2:1"]
    assert all("close it with `// end snippet`" in f for f in findings)


def test_region_of_nothing_but_markers_is_empty() -> None:
    texts, findings = read(
        "// snippet: a\n// snippet: b\nint x;\n// end snippet: b\n// end snippet: a\n"
        "// snippet: c\n  // snippet: d\n\t\n  // end snippet\n// end snippet\n"
    )
    assert texts == {"a": "int x;\n", "b": "int x;\n"}
    assert [f.split()[0] for f in findings] == ["6:1", "7:3"]
    assert all("holds no line of text" in f for f in findings)


def test_control_bytes_count_only_inside_regions_and_once() -> None:
    texts, findings = read(
        "int \x02v;\n// snippet: a\n// snippet: b\nint\t\x0cx\x7f;\n// end snippet\n"
        "// end snippet\nint \x85w;\n"
    )
    assert set(texts) == {"a", "b"}
    assert [f.split(";")[0] for f in findings] == [
        "4:5 encoding: control byte 0x0c in region `b`",
        "4:7 encoding: control byte 0x7f in region `b`",
    ]
    assert all("remove it" in f for f in findings)


def test_shown_line_numbers_are_the_programs_own() -> None:
    text = "// head\n// snippet: a\n  int x;\n  // snippet: b\n  int y;\n  // end snippet\n// end snippet"
    regions, findings = find_regions(text, "p", "p.cu")
    assert findings == []
    assert list(regions) == ["a", "b"]
    assert [line.number for line in regions["a"].lines] == [3, 5]
    assert (regions["a"].first, regions["a"].last) == (3, 5)
    assert str(regions["b"].place) == "p.cu:4:3"
    assert regions["a"].undedented == "  int x;\n  int y;\n"
    assert regions["a"].reference == "p#a"


def test_blank_lines_shorter_than_the_margin_lose_no_more_than_they_have() -> None:
    assert dedent_lines(["    a", "  ", "", "      ", "\t", "     b"]) == "a\n\n\n  \n\t\n b\n"
    assert dedent_lines([]) == ""


@pytest.mark.parametrize(
    ("data", "place", "byte"),
    [
        (b"\xff", "1:1", "byte 1 of the file is 0xff"),
        (b"int x;\n// caf\xe9\n", "2:7", "byte 14 of the file is 0xe9"),
        (b"\xef\xbb\xbf\r\n\xc3\xa9\xff", "2:2", "byte 8 of the file is 0xff"),
        (b"a\rb\xc3", "2:2", "byte 4 of the file is 0xc3"),
    ],
)
def test_not_utf8_is_placed_by_character_and_by_byte(data: bytes, place: str, byte: str) -> None:
    text, findings = decode_source(data, "p.cu")
    assert text is None
    assert len(findings) == 1
    assert findings[0].kind is Kind.ENCODING
    assert str(findings[0].place) == f"p.cu:{place}"
    assert findings[0].stated == byte
    assert findings[0].advice == "save the file as UTF-8"


PIECES = st.lists(
    st.sampled_from(
        [
            "// snippet: a",
            "// snippet: b.1",
            "  // end snippet",
            "// end snippet: a",
            "// snippet c",
            "\t\tint x;",
            "    int yé; // ÷",
            "",
            "   ",
            "/*",
            "*/",
            '"',
            'R"(',
            ')"',
            "#define A \\",
        ]
    ),
    max_size=12,
)


@given(PIECES)
def test_line_ends_bom_and_last_newline_change_nothing(lines: list[str]) -> None:
    plain = read("\n".join(lines) + "\n")
    assert read("\r\n".join(lines) + "\r\n") == plain
    assert read("\r".join(lines) + "\r") == plain
    assert read("\ufeff" + "\n".join(lines) + "\n") == plain
    assert read("\n".join(lines)) == plain


@given(PIECES)
def test_region_text_is_its_lines_and_shows_no_marker(lines: list[str]) -> None:
    text = "\n".join(lines)
    regions, _ = find_regions(text, "p", "p.cu")
    for region in regions.values():
        shown = region.text.split("\n")[:-1]
        assert len(shown) == len(region.lines)
        for line, piece in zip(region.lines, shown, strict=True):
            assert lines[line.number - 1] == line.text
            assert line.text.endswith(piece)
        numbers = [line.number for line in region.lines]
        assert numbers == sorted(set(numbers))
        assert region.place.line < region.first
