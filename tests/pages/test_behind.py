"""What stands behind a claim: its text, every process's value, and the lines of the transcript."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from selectolax.lexbor import LexborNode

from build_tools.claims.course import load_course
from tests.course_factory import DECLARATION, PROGRAM, make_course, make_transcripts
from tests.pages.conftest import Page

Convert = Callable[..., Page]
RECORD = "course:record/add/nvidia-h200/run-2026-12-01"


def read(node: LexborNode) -> str:
    return " ".join(node.text().split())


def test_the_text_and_the_line_that_was_printed_stand_side_by_side(convert: Convert) -> None:
    page = convert('It takes [**0.626 ms**](claim:add.time["large", "wide"]).')
    said = [read(node) for node in page.tree.css(".course-proof > *")]
    assert said[0] == "Stated: 0.626 ms"
    assert said[1].startswith("Measured: 0.6255 ms Next process: ")
    assert "NVIDIA H200, driver 580.159.03, 2026-12-01" in said
    line = page.one(".course-proof__line")
    assert read(line) == "Line 8: large wide 0.6255 980.55"
    assert line.attributes["href"] == f"{RECORD}#T8"


def test_the_line_has_an_anchor_on_the_page_of_its_record(convert: Convert) -> None:
    page = convert("/// record | add/nvidia-h200/run-2026-12-01\n///\n")
    assert "large  wide      0.6255   980.55" in page.text("#T8")
    code = page.text(".course-transcript pre > code")
    assert code.split("\n")[7] == page.text("#T8").rstrip("\n")


def test_a_quantity_leads_to_the_lines_that_it_was_worked_out_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, convert: Convert
) -> None:
    more = '\n[quantities]\ngain = \'time["large", "narrow"] / time["large", "wide"]\'\nall_gains = "time[:, \\"narrow\\"] / time[:, \\"wide\\"]"\n'
    make_course(
        tmp_path,
        programs={"add": PROGRAM.format(name="add")},
        declarations={"add": DECLARATION + more},
        transcripts={"add": make_transcripts()},
    )
    course = load_course(tmp_path)
    page = convert("It is [2.01×](claim:add.gain) as fast.", course)
    lines = [read(node) for node in page.tree.css(".course-proof__line")]
    assert [line.partition(":")[0] for line in lines] == ["Line 7", "Line 8"]
    page = convert("It is [1.5–2.1×](claim:add.all_gains) as fast.", course)
    assert len(page.tree.css(".course-proof__line")) == 2
    assert "and lines 6, 8 of the transcript" in page.text(".course-proof")
    links = [a.attributes["href"] or "" for a in page.tree.css(".course-proof a")]
    assert {f"{RECORD}#T{number}" for number in range(5, 9)} <= set(links)
    monkeypatch.setattr("build_tools.pages.behind.MOST_NUMBERS", 1)
    page = convert("It is [1.5–2.1×](claim:add.all_gains) as fast.", load_course(tmp_path))
    assert "and line 6, and 1 more, of the transcript" in page.text(".course-proof")


def test_a_line_beyond_what_the_page_shows_leads_to_the_transcript(
    tmp_path: Path, convert: Convert
) -> None:
    filler = ("a line that fills the page " * 9 + "\n") * 400
    texts = [filler + text for text in make_transcripts()]
    make_course(
        tmp_path,
        programs={"add": PROGRAM.format(name="add")},
        declarations={"add": DECLARATION},
        transcripts={"add": texts},
    )
    page = convert('It takes [0.626 ms](claim:add.time["large", "wide"]).', load_course(tmp_path))
    line = page.one(".course-proof__line")
    assert read(line).startswith("Line 408: large wide")
    assert line.attributes["href"] == f"{RECORD}#transcript"


def read_path(node: LexborNode, part: str) -> str:
    (path,) = node.css(f".course-strip__{part}")
    return path.attributes["d"] or ""


def test_each_process_has_a_dot(convert: Convert) -> None:
    page = convert('It takes [0.626 ms](claim:add.time["large", "wide"]).')
    strip = page.one(".course-proof svg")
    assert read_path(strip, "dots").count("h0") == 10
    # The band stands beside it in words.
    assert strip.attributes["aria-hidden"] == "true"


def test_the_sides_of_a_statement_share_a_scale(convert: Convert) -> None:
    page = convert('[Faster](claim:add.time["large", "wide"] < add.time["large", "narrow"]).')
    spreads = page.tree.css(".course-proof__case > span")
    assert [read(node) for node in spreads] == [
        'time["large", "wide"] 0.6255 ms band 0.6247 to 0.6262 ms',
        '< time["large", "narrow"] 1.2525 ms band 1.252 to 1.253 ms',
    ]
    ends = [[float(x) for x in re.findall(r"[\d.]+", read_path(n, "band"))] for n in spreads]
    # On a scale of its own each band would reach from end to end.
    assert ends[0][2] < 10
    assert ends[1][0] > 110


@pytest.mark.parametrize(
    "claim",
    ["[256](claim:add.source.kBlock)", "[132](claim:add.device.sm_count)", "[3](stated:)"],
)
def test_what_was_not_measured_has_neither_dots_nor_lines(convert: Convert, claim: str) -> None:
    page = convert(f"There are {claim}.")
    assert not page.tree.css("svg")
    assert not page.tree.css(".course-proof__line")


def test_what_a_program_printed_does_nothing_in_a_proof(tmp_path: Path, convert: Convert) -> None:
    texts = [
        text.replace("large: wide", "<img src=x onerror=alert(1)>: wide")
        for text in make_transcripts()
    ]
    make_course(
        tmp_path,
        programs={"add": PROGRAM.format(name="add")},
        declarations={"add": DECLARATION},
        transcripts={"add": texts},
    )
    course = load_course(tmp_path)
    page = convert("[1.5–2.1×](claim:add.speedup[:]) as fast.", course)
    assert not page.tree.css("img")
    assert "<img src=x" in page.text(".course-proof")
