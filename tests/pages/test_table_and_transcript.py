"""A table's cells are those of the transcript; a transcript is shown as it came, harmless."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.pages.visible import PAGE_CAP
from tests.course_factory import DECLARATION, PROGRAM, make_course, make_transcripts
from tests.pages.conftest import Page

Convert = Callable[..., Page]

TABLE = "/// table | add\n///\n"
TRANSCRIPT = "/// transcript | add\n///\n"


def shown_text(course: Course) -> str:
    record = course.shelves["add"].shown_record
    assert record is not None
    return record.shown_text


def with_shown_text(course: Course, text: str) -> Course:
    shelf = course.shelves["add"]
    records = tuple(replace(record, shown_text=text) for record in shelf.records)
    return replace(course, shelves={"add": replace(shelf, records=records)})


def test_the_cells_are_those_of_the_transcript(example: Course, convert: Convert) -> None:
    page = convert(TABLE)
    record = example.shelves["add"].shown_record
    assert record is not None
    table = record.shown.tables["timings"]
    rows = [[cell.text() for cell in row.css("th, td")] for row in page.tree.css("tbody > tr")]
    assert rows == [list(row) for row in table.rows]
    heads = [head.text() for head in page.tree.css("thead th")]
    assert heads == list(table.columns) == ["case", "kernel", "time (ms)", "GB/s"]


def test_a_table_keeps_to_the_contract_of_the_page_check(convert: Convert) -> None:
    page = convert(TABLE)
    wrapper = page.one("[data-course-table]")
    assert wrapper.attributes["data-course-directive"] == "0"
    assert wrapper.attributes["data-course-table"] == "add.timings"
    assert all(head.attributes["scope"] == "col" for head in page.tree.css("thead th"))
    keys = page.tree.css("tbody th")
    assert [key.text() for key in keys[:2]] == ["small", "narrow"]
    assert all(key.attributes["scope"] == "row" for key in keys)


def test_the_caption_names_program_device_date_and_processes(convert: Convert) -> None:
    page = convert(TABLE)
    assert page.text("caption") == (
        "add on NVIDIA H200, 2026-12-01: the shown run of 10 processes (record)"
    )
    assert page.one("caption a").attributes["href"] == (
        "course:record/add/nvidia-h200/run-2026-12-01"
    )


def test_each_measured_cell_has_its_band_at_hand(example: Course, convert: Convert) -> None:
    page = convert(TABLE)
    cells = page.tree.css("tbody td")
    assert len(cells) == 8
    record = example.shelves["add"].shown_record
    assert record is not None
    samples = {(s.name, s.keys): s for s in record.record.measurements}
    wide = samples["time", ("large", "wide")]
    # Two digits of the band's width, rounded outwards.
    expected = "0.6246 to 0.6263 ms"
    assert (round(wide.band_low * 1e3, 5), round(wide.band_high * 1e3, 5)) == (0.62468, 0.62622)
    assert cells[6].attributes["data-course-band"] == expected
    assert expected in (cells[6].attributes["title"] or "")


def test_columns_are_chosen_and_ordered(convert: Convert) -> None:
    page = convert("/// table | add\n    columns: kernel, rate, case\n///\n")
    assert [head.text() for head in page.tree.css("thead th")] == ["kernel", "GB/s", "case"]
    assert [cell.text() for cell in page.tree.css("tbody > tr")[0].css("th, td")] == [
        "narrow",
        "500.25",
        "small",
    ]
    assert page.tree.css("tbody td")[0].attributes["data-course-band"]


def test_numbers_of_a_column_stand_by_their_decimal_point(convert: Convert, tmp_path: Path) -> None:
    text = (
        "k  time (ms)\n-  ---------\na      12.25\nb      3\nc      1.5e-03\n\n"
        "x: wide is 1.5x as fast\n"
    )
    declaration = (
        '[tables.t]\ncolumns = { k = "key", time = "time (ms)" }\nrows = 3\n'
        "[lines]\nspeedup = '{case}: wide is {speedup:g}x as fast'\n"
    )
    make_course(
        tmp_path,
        {"add": PROGRAM.format(name="add")},
        {"add": declaration},
        {"add": [text] * 10},
    )
    page = convert(TABLE, course=load_course(tmp_path))
    styles = [cell.attributes.get("style") for cell in page.tree.css("tbody td")]
    # `.5e-03` is six wide, `.25` three, `3` has none.
    assert styles == ["--course-padding: 3", "--course-padding: 6", None]
    assert page.tree.css("tbody td")[0].attributes["data-course-band"] == (
        "the same in all 10 processes"
    )


def test_notes_between_rows_are_not_lost(convert: Convert, tmp_path: Path) -> None:
    transcripts = [
        text.replace("large  narrow", "note: the next rows stay in <L2>\nlarge  narrow", 1)
        for text in make_transcripts()
    ]
    make_course(
        tmp_path, {"add": PROGRAM.format(name="add")}, {"add": DECLARATION}, {"add": transcripts}
    )
    page = convert(TABLE, course=load_course(tmp_path))
    assert page.text(".course-table__note") == "note: the next rows stay in <L2>"
    assert len(page.tree.css("tbody > tr")) == 4


def test_one_of_several_tables_is_named(convert: Convert, tmp_path: Path) -> None:
    text = "k  a\n-  -\nx  1\n\nj  b\n-  -\ny  2\n"
    declaration = (
        '[tables.one]\ncolumns = { k = "key", a = "a" }\n'
        '[tables.two]\ncolumns = { j = "key", b = "b" }\n'
    )
    make_course(
        tmp_path, {"add": PROGRAM.format(name="add")}, {"add": declaration}, {"add": [text] * 10}
    )
    course = load_course(tmp_path)
    page = convert("/// table | add\n    table: two\n///\n", course=course)
    assert page.one("[data-course-table]").attributes["data-course-table"] == "add.two"
    assert [cell.text() for cell in page.tree.css("tbody th, tbody td")] == ["y", "2"]
    unnamed = convert(TABLE, course=course).text(".course-missing")
    assert "add has several tables; name one: table: one or table: two" in unnamed


def test_a_transcript_is_shown_verbatim(example: Course, convert: Convert) -> None:
    page = convert(TRANSCRIPT)
    assert page.text(".course-transcript pre > code") == shown_text(example)
    lines = [node.text() for node in page.tree.css(".course-transcript pre > code > span")]
    assert lines == shown_text(example).splitlines(keepends=True)
    wrapper = page.one(".course-transcript")
    assert wrapper.attributes["data-course-transcript"] == "add"
    assert wrapper.attributes["data-course-directive"] == "0"
    assert page.text(".course-transcript__head code") == "./add"
    hrefs = [a.attributes["href"] for a in page.tree.css(".course-transcript__head a")]
    assert hrefs == [
        "course:record/add/nvidia-h200/run-2026-12-01",
        "course:transcript/add/nvidia-h200/run-2026-12-01.txt",
    ]


HOSTILE = {
    "html": ("<b>x</b> </code></pre><script>alert(1)</script> &amp;", None),
    "braces": ("{{ config }} {% include 'x' %}", None),
    "fences": ("```\n~~~\n    \n\t\n/// table | add\n///\n", None),
    "a stash of Markdown": ("\x02wzxhzdk:0\x03 \x02klzzwxh:0000\x03", "␂wzxhzdk:0␃ ␂klzzwxh:0000␃"),
    "amp of Markdown": ("\x02amp\x03", "␂amp␃"),
    "controls": ("a\x00b\x07c\x08d\x0be\x0cf\x7fg", "a␀b␇c␈d␋e␌f␡g"),
    "later controls": ("a\x85b\x9bc", "a⟨U+0085⟩b⟨U+009B⟩c"),
    "carriage returns": ("10%\r20%\r\n", "10%␍20%␍\n"),
    "colours": ("\x1b[31mred\x1b[0m \x1b[1;38;5;4mblue\x1b[m", "red blue"),
    "other escapes": ("\x1b[2Kgone \x1b]0;title\x07", "␛[2Kgone ␛]0;title␇"),
    "surrogates": ("a\udcff\ud800b", "a⟨0xFF⟩\ufffdb"),
    "turned around": ("user \u202e) ecnis (", None),
    "separators": ("a\u2028b\u2029c", None),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_output_is_shown_and_does_nothing(
    example: Course, convert: Convert, what: str
) -> None:
    text, shown = HOSTILE[what]
    page = convert(f"{TRANSCRIPT}\nAfter *all*.\n", course=with_shown_text(example, text))
    assert page.text(".course-transcript pre > code") == (text if shown is None else shown)
    assert not page.tree.css("script, b")
    assert page.tree.css("p > em")[0].text() == "all"
    assert page.rendered.is_whole
    page.html.encode()


def test_colours_left_out_are_counted(example: Course, convert: Convert) -> None:
    page = convert(TRANSCRIPT, course=with_shown_text(example, "\x1b[31mred\x1b[0m"))
    assert page.text(".course-transcript__note") == "2 colour sequences are left out here."


def test_bytes_that_are_no_utf8_come_from_the_record_itself(
    convert: Convert, tmp_path: Path
) -> None:
    transcripts = [b"\xff\x00 oops \xc3\x28\n" + text.encode() for text in make_transcripts()]
    make_course(
        tmp_path, {"add": PROGRAM.format(name="add")}, {"add": DECLARATION}, {"add": transcripts}
    )
    page = convert(TRANSCRIPT, course=load_course(tmp_path))
    assert page.text(".course-transcript pre > code").startswith("\\xff␀ oops \\xc3(\n51 samples")


def test_a_long_transcript_is_cut_at_a_line_and_links_to_the_whole(
    example: Course, convert: Convert
) -> None:
    line = "x" * 99 + "\n"
    page = convert(TRANSCRIPT, course=with_shown_text(example, line * 2000))
    shown = page.text(".course-transcript pre > code")
    assert shown == line * (PAGE_CAP // 100)
    note = page.text(".course-transcript__note")
    assert note == f"The first {PAGE_CAP // 100} of 2000 lines; the whole transcript."
    assert page.one(".course-transcript__note a").attributes["href"] == (
        "course:transcript/add/nvidia-h200/run-2026-12-01.txt"
    )


def test_one_endless_line_is_cut_within(example: Course, convert: Convert) -> None:
    page = convert(TRANSCRIPT, course=with_shown_text(example, "µ" * PAGE_CAP))
    assert page.text(".course-transcript pre > code") == "µ" * (PAGE_CAP // 2)
    assert "The beginning of 1 line; the whole transcript." in page.text(".course-transcript__note")


def test_an_empty_transcript_is_whole(example: Course, convert: Convert) -> None:
    page = convert(TRANSCRIPT, course=with_shown_text(example, ""))
    assert page.text(".course-transcript pre > code") == ""
    assert not page.tree.css(".course-transcript__note")
