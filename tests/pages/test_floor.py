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
        r"The same kernel, timed twice in a process, differs by at most \S+ % in 19 of 20 pairs: "
        "no ranking counts within that"
    )
    assert re.search(said, before.partition('id="measurement-time"')[2])
    assert re.search(said, after.partition('id="measurement-speedup"')[0])
    assert "The same kernel" not in after.partition('id="measurement-speedup"')[2]
