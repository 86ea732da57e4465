"""Does the page of a record say how far the same kernel, timed twice, lies from itself?"""

from __future__ import annotations

import re
from pathlib import Path

from build_tools.claims.course import load_course
from tests.course_factory import CHECK, DECLARATION, PROGRAM, make_course, make_transcripts
from tests.pages.conftest import Page

AGAIN = '\n[again.kernel]\nfirst = "narrow"\nagain = "wide"\n'
RECORD = "/// record | evidence/add/nvidia-h200/run-2026-12-01\n///\n"


def test_the_floor_stands_below_its_measurement(tmp_path: Path) -> None:
    make_course(
        tmp_path,
        {"add": PROGRAM.format(name="add")},
        {"add": DECLARATION + AGAIN},
        {"add": make_transcripts()},
        checks={"add": CHECK},
    )
    course = load_course(tmp_path)
    assert not course.findings, "\n".join(map(str, course.findings))
    html = Page(course, RECORD).html
    before, _, after = html.partition('id="measurement-rate"')
    said = (
        "Within one process, the same kernel timed twice</summary>"
        r"\n<ul><li>small, narrow and wide: at most \d+ % in all 10 pairs \(most in process "
        r"\d+\)</li><li>large, narrow and wide: at most \d+ % in all 10 pairs"
    )
    assert re.search(said, before.partition('id="measurement-time"')[2])
    assert re.search(said, after.partition('id="measurement-speedup"')[0])
    assert "Within one process" not in after.partition('id="measurement-speedup"')[2]


def test_of_many_pairs_the_largest_is_told_beside_the_most(tmp_path: Path) -> None:
    # From the first process to the last, the second row lies 0.1 % to 3 % above the first.
    transcripts = [
        f"case   kernel  time (ms)    GB/s\n-----  ------  ---------  ------\n"
        f"small  narrow    1.00000   500.1\nsmall  wide      {1 + i / 1000:.5f}   500.1\n"
        for i in range(1, 31)
    ]
    declared = DECLARATION[: DECLARATION.index("[lines]")].replace("rows = 4", "rows = 2")
    regions = '[regions.add-kernel]\nneeds = ["block"]\n'
    make_course(
        tmp_path,
        {"add": PROGRAM.format(name="add")},
        {"add": declared + regions + AGAIN},
        {"add": transcripts},
        checks={"add": CHECK},
    )
    html = Page(load_course(tmp_path), RECORD).html
    line = "<li>small, narrow and wide: at most 2.9 % in 29 of 30 pairs, and 3 % in process 30</li>"
    assert line in html
