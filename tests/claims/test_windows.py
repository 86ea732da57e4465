"""Can prose cite what the driver said inside a program's timed windows?"""

from __future__ import annotations

from pathlib import Path

import pytest

from build_tools.claims.course import load_course
from build_tools.claims.describe import list_course
from build_tools.claims.model import Course
from build_tools.claims.trace import CitedKind, trace_expression
from build_tools.diagnostics.finding import Kind
from tests.claims.test_verdict import SPREAD, judge, make, print_rows
from tests.course_factory import add_record

SMALL = 'add.windows["small"]'


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    root = tmp_path_factory.mktemp("windows")
    rows = print_rows([1 + x for x in SPREAD], [0.8 + x for x in SPREAD])
    make(root, rows)
    clocks = {"small": 1_755_000_000, "large": 1_980_000_000}
    add_record(root, "add", rows, started="2026-12-02T09:30:00Z", clocks=clocks)
    return load_course(root)


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("1.755 GHz", f"{SMALL}.sm_clock"),
        ("1.965 GHz", f"{SMALL}.sm_clock_min"),
        ("3.2 GHz", f"{SMALL}.memory_clock"),
        ("312.5 W", f"{SMALL}.power"),
        ("0 %", f"{SMALL}.power_cap_share"),
        ("below the highest", f"{SMALL}.sm_clock < add.device.max_sm_clock_hz"),
        ("1.755 GHz", "min(add.windows[:].sm_clock)"),
        ("89 %", f'{SMALL}.sm_clock / add.windows["large"].sm_clock'),
    ],
)
def test_what_was_read_in_a_window_can_be_cited(course: Course, text: str, expression: str) -> None:
    verdict = judge(course, text, expression)
    assert not verdict.findings, "\n".join(map(str, verdict.findings))


@pytest.mark.parametrize(
    ("text", "expression", "kind", "true"),
    [
        ("1.7 GHz", f"{SMALL}.sm_clock", Kind.DRIFT, "1.755 GHz"),
        ("313 W", f"{SMALL}.sm_clock", Kind.UNIT, "in 1/s"),
        ("1 GHz", 'add.windows["smal"].sm_clock', Kind.EXPRESSION, "have no `smal`"),
        ("1 GHz", f"{SMALL}.clock", Kind.EXPRESSION, "has no `clock`"),
        (
            "1 GHz",
            'add.records["run-2026-12-01"].windows["small"].sm_clock',
            Kind.EXPRESSION,
            "have no `small`",
        ),
    ],
)
def test_what_was_not_read_there_cannot(
    course: Course, text: str, expression: str, kind: Kind, true: str
) -> None:
    (finding,) = judge(course, text, expression).findings
    assert finding.kind is kind
    assert true in finding.true


def test_the_line_of_the_record_is_told(course: Course) -> None:
    (cited,) = trace_expression(course, f"{SMALL}.sm_clock")
    assert cited.kind is CitedKind.WINDOW
    (origin,) = cited.origins
    assert origin.path.endswith("run-2026-12-02.json")
    assert origin.text == '"sm_clock_hz_median": 1755000000,'


def test_all_windows_are_listed(course: Course) -> None:
    (listed,) = (p for p in list_course(course).programs if p.name == "add")
    names = [name.name for name in listed.names if name.kind == "window"]
    assert f"{SMALL}.power_cap_share" in names
    assert 'add.windows["large"].sm_clock' in names


def test_what_the_driver_did_not_tell_has_no_value(tmp_path: Path) -> None:
    rows = print_rows([1 + x for x in SPREAD], [0.8 + x for x in SPREAD])
    course = make(tmp_path, rows)
    (finding,) = judge(course, "1 GHz", f"{SMALL}.sm_clock").findings
    assert finding.kind is Kind.EXPRESSION
    assert "have no `small`" in finding.true
