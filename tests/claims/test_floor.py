"""Which pairs of rows say how far a kernel, timed twice, lies from itself?"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from build_tools.claims.check import judge_scan
from build_tools.claims.course import load_course
from build_tools.claims.floor import compute_floor, list_pairs
from build_tools.claims.model import Course
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Finding, Kind
from tests.course_factory import CHECK, DECLARATION, PROGRAM, make_course

HEAD = """\
case   kernel        time (ms)    GB/s
-----  ------------  ---------  ------
"""
GAPS = {("small", "read"): 0.001, ("small", "half"): 0.02, ("large", "read"): 0.019}
"""How far the second row of a kernel lies above its first, in the worst of ten processes."""
AGAIN = '\n[again.kernel]\npairs = [["read", "read again"], ["half", "half again"]]\n'


def make(root: Path) -> Course:
    """Ten processes; in process i a second row lies i tenths of its gap above the first."""
    table = DECLARATION[: DECLARATION.index("[lines]")].replace("rows = 4", "rows = 10")
    regions = '[regions.add-kernel]\nneeds = ["block"]\n'
    make_course(
        root,
        {"add": PROGRAM.format(name="add")},
        {"add": table + regions + AGAIN},
        {"add": [write_transcript(process / 10) for process in range(1, 11)]},
        checks={"add": CHECK},
    )
    course = load_course(root)
    assert not course.findings, "\n".join(map(str, course.findings))
    return course


def write_transcript(share: float) -> str:
    rows = []
    for case in ("small", "large", "other"):
        for kernel in ("read", "half"):
            gap = GAPS.get((case, kernel))
            rows.append((case, kernel, 1.0))
            rows += [(case, f"{kernel} again", 1 + share * gap)] if gap is not None else []
    rows[-1:] = [("other", "write", 0.999)]
    rows.append(("small", "write", 0.99))
    return HEAD + "".join(f"{c:5}  {k:12}  {t:9.5f}   500.1\n" for c, k, t in rows)


def floor(course: Course, *row: str) -> float:
    record = course.shelves["add"].shown_record
    assert record is not None
    return float(compute_floor(course.programs["add"], record, "time", row or None))


def judge(course: Course, expression: str) -> Finding | None:
    scan = scan_page(f"It is [so](claim:{expression}).\n", "docs/p.md")
    (verdict,) = judge_scan(course, scan)
    return verdict.findings[0] if verdict.findings else None


def test_each_pair_of_each_case_and_process_is_one(tmp_path: Path) -> None:
    course = make(tmp_path)
    record = course.shelves["add"].shown_record
    assert record is not None
    pairs = list_pairs(course.programs["add"], record, "time")
    assert len(pairs) == 10 * len(GAPS)
    assert {(pair.case, pair.keys) for pair in pairs} == {
        ((case,), (kernel, f"{kernel} again")) for case, kernel in GAPS
    }
    largest = max(pairs, key=lambda pair: pair.ratio)
    assert (largest.case, largest.keys[0], largest.process) == (("small",), "half", 9)


@pytest.mark.parametrize(
    ("row", "gap"),
    [
        (("small", "read"), 0.001),  # its own
        (("small", "read again"), 0.001),
        (("small", "half"), 0.02),
        (("large", "read"), 0.019),
        (("large", "half"), 0.019),  # of its case
        (("small", "write"), 0.018),  # of its case: 19 of 20 pairs lie within
        (("other", "write"), 0.019),  # all: 29 of 30
        ((), 0.019),
    ],
)
def test_a_row_takes_the_pairs_that_tell_most_of_it(
    tmp_path: Path, row: tuple[str, ...], gap: float
) -> None:
    assert floor(make(tmp_path), *row) == pytest.approx(math.log(1 + gap), rel=1e-6)


def test_a_ranking_has_the_floor_of_its_own_case(tmp_path: Path) -> None:
    course = make(tmp_path)
    # 1 % apart; half of what `write`, `half` and `read` take is 0.9 %, 1 % and 0.05 %.
    finding = judge(course, 'add.time["small", "write"] < add.time["small", "half"]')
    assert finding is not None
    assert finding.kind is Kind.AMBIGUOUS
    assert judge(course, 'add.time["small", "write"] < add.time["small", "read"]') is None
    ambiguous = judge(course, 'add.time["other", "write"] < add.time["other", "read"]')
    assert ambiguous is not None
    assert ambiguous.kind is Kind.AMBIGUOUS
