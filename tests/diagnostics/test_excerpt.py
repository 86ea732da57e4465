"""The line of source under a finding: which one, and where its mark stands."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build_tools.diagnostics.excerpt import WIDTH, SourceLine, SourceReader, draw_line
from build_tools.diagnostics.finding import Finding, Kind, Place


def find(path: str, line: int, column: int, length: int = 0, stated: str = "x") -> Finding:
    return Finding(Kind.DRIFT, Place(path, line, column), stated, "y", "z", length=length)


def measure(text: str) -> int:
    """How many columns a terminal gives a text."""
    return sum(
        0
        if unicodedata.category(c) in ("Mn", "Me")
        else 2
        if unicodedata.east_asian_width(c) in "WF"
        else 1
        for c in text
    )


@pytest.mark.parametrize(
    ("text", "part", "shown", "under"),
    [
        ("a plain 2.2× line", "2.2×", "a plain 2.2× line", "2.2×"),
        ("\tfar\t2.2×", "2.2×", "    far 2.2×", "2.2×"),
        ("ab\tc\t2.2×", "2.2×", "ab  c   2.2×", "2.2×"),
        ("漢字 [3 ms]", "[3 ms]", "漢字 [3 ms]", "[3 ms]"),
        ("a 漢字 b", "漢字", "a 漢字 b", "漢字"),
        ("nai\u0308ve 7", "7", "nai\u0308ve 7", "7"),
        ("a\x1b[31m7", "7", "a␛[31m7", "7"),
        ("right \u202e7", "7", "right ⟨U+202E⟩7", "7"),
        ("zero\u200bwidth 7", "7", "zero⟨U+200B⟩width 7", "7"),
        ("a\u2028b 7", "7", "a⟨U+2028⟩b 7", "7"),
        ("\x00\x7f\x85 7", "7", "␀␡⟨U+0085⟩ 7", "7"),
    ],
)
def test_the_mark_stands_under_the_part(text: str, part: str, shown: str, under: str) -> None:
    start = text.index(part)
    line, marks = draw_line(SourceLine(text, start, start + len(part)))
    assert line == shown
    assert len(marks) - len(marks.lstrip()) == measure(line[: line.index(under)])
    assert marks.lstrip() == "^" + "~" * (measure(under) - 1)


def test_only_the_place_is_known_or_the_place_is_at_the_end() -> None:
    assert draw_line(SourceLine("abc", 1, 1)) == ("abc", " ^")
    assert draw_line(SourceLine("abc", 3, 3)) == ("abc", "   ^")
    assert draw_line(SourceLine("", 0, 0)) == ("", "^")


@pytest.mark.parametrize("at", [0, 30, 5_000, 999_990, 999_999])
def test_a_very_long_line_is_cut_around_the_place(at: int) -> None:
    text = "x" * at + "2.2×" + "y" * (1_000_000 - at)
    line, marks = draw_line(SourceLine(text, at, at + 4))
    assert measure(line) <= WIDTH
    assert line[marks.index("^") :].startswith("2.2×")
    assert marks.endswith("^~~~")
    assert line.startswith("…") == (at > 100)
    assert line.endswith("…") == (at < 999_960)
    # What room there is, is used.
    assert measure(line) >= WIDTH - 2


def test_a_part_longer_than_the_window_is_marked_to_its_end() -> None:
    line, marks = draw_line(SourceLine("a " + "b" * 500 + " c", 2, 502))
    assert line.endswith("b…")
    assert marks == "  ^" + "~" * (len(line) - 4)


@given(
    st.text(max_size=300),
    st.integers(0, 300),
    st.integers(0, 50),
    st.integers(20, 120),
)
def test_any_line_fits_and_its_mark_points_at_its_character(
    text: str, start: int, length: int, width: int
) -> None:
    start = min(start, len(text))
    line, marks = draw_line(SourceLine(text, start, min(start + length, len(text))), width)
    assert measure(line) <= width
    assert len(marks) <= max(measure(line), 1) + 1
    assert set(marks.lstrip(" ")) <= {"^", "~"}
    assert marks.count("^") == 1
    for shown in (line, marks):
        assert not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in shown)


@pytest.fixture
def reader(tmp_path: Path) -> SourceReader:
    root = tmp_path / "course"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "page.md").write_bytes(
        b"\xef\xbb\xbf# Head\r\n\r\nfirst \xc3\xa9 7\rsecond 8\n\xff bad 9\n\x0bform 10"
    )
    (tmp_path / "secret.md").write_text("a secret\nkey\n")
    return SourceReader(root)


@pytest.mark.parametrize(
    ("line", "column", "text"),
    [
        (1, 3, "# Head"),
        (3, 9, "first é 7"),
        (4, 8, "second 8"),
        (5, 7, "\N{REPLACEMENT CHARACTER} bad 9"),
        (6, 7, "\x0bform 10"),
    ],
)
def test_lines_are_those_that_places_count(
    reader: SourceReader, line: int, column: int, text: str
) -> None:
    found = reader.read_line(find("docs/page.md", line, column, 1))
    assert found == SourceLine(text, column - 1, column)


@pytest.mark.parametrize(
    "finding",
    [
        find("docs/page.md", 1, 1),
        find("docs/page.md", 7, 1),
        find("docs/page.md", 0, 1, 1),
        find("docs/none.md", 2, 1),
        find("docs", 2, 1),
        find("../secret.md", 2, 1),
        find("docs/../../secret.md", 2, 1),
        find("\x00", 2, 1),
        find("x" * 5000, 2, 1),
    ],
)
def test_no_line_of_what_is_no_file_of_the_course(reader: SourceReader, finding: Finding) -> None:
    assert reader.read_line(finding) is None


def test_a_link_out_of_the_course_and_a_pipe_are_not_read(
    reader: SourceReader, tmp_path: Path
) -> None:
    (reader.root / "link.md").symlink_to(tmp_path / "secret.md")
    os.mkfifo(reader.root / "pipe.md")
    assert reader.read_line(find("link.md", 2, 1)) is None
    assert reader.read_line(find("pipe.md", 2, 1)) is None


def test_what_is_stated_word_for_word_at_the_place_gives_the_length(reader: SourceReader) -> None:
    for stated, end in (("`second 8`", 8), ("the word `second`", 6), ("`other`", 0), ("none", 0)):
        found = reader.read_line(find("docs/page.md", 4, 1, stated=stated))
        assert found is not None
        assert found.end == end


def test_a_place_behind_its_line_is_its_end(reader: SourceReader) -> None:
    found = reader.read_line(find("docs/page.md", 4, 99, 5))
    assert found == SourceLine("second 8", 8, 8)
