"""`because(observed, counter, control)`: a cause is named only with what would make one believe it."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pytest

from build_tools.claims.check import judge_scan
from build_tools.claims.course import load_course
from build_tools.claims.margin import find_margin
from build_tools.claims.model import Course, Verdict
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Kind
from build_tools.pages.claim import render_proof
from tests.parts_factory import make_parts_course

LOADS = 'add.counters.small["add"].loads'
READ = 'add.counters.small["add"].dram_read'
OBSERVED, COUNTER, CONTROL = (
    "add.took < 2 * add.took",
    f"{LOADS} < 2 * {LOADS}",
    f"{READ} < 2 * {READ}",
)
LISTED = 'add.listing["add-kernel"].count("FADD") > 0'


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    root: Path = tmp_path_factory.mktemp("cause")
    make_parts_course(root)
    return load_course(root)


def judge(course: Course, *statements: str) -> Verdict:
    text = f"It is slow [for want of loads](claim:because({', '.join(statements)})).\n"
    (verdict,) = judge_scan(course, scan_page(text, "docs/p.md"))
    return verdict


def test_a_cause_holds_when_all_three_hold(course: Course) -> None:
    verdict = judge(course, OBSERVED, COUNTER, CONTROL)
    assert verdict.findings == ()
    assert find_margin(course, verdict) is not None


def test_a_listing_may_say_why(course: Course) -> None:
    assert judge(course, OBSERVED, LISTED, CONTROL).findings == ()


@pytest.mark.parametrize(
    ("statements", "part"),
    [
        ((OBSERVED.replace("<", ">"), COUNTER, CONTROL), "`add.took > 2 * add.took`"),
        ((OBSERVED, COUNTER.replace("<", ">"), CONTROL), f"`{LOADS} > 2 * {LOADS}`"),
        ((OBSERVED, COUNTER, CONTROL.replace("<", ">")), f"`{READ} > 2 * {READ}`"),
    ],
    ids=["observed", "counter", "control"],
)
def test_what_does_not_hold_is_named(
    course: Course, statements: tuple[str, ...], part: str
) -> None:
    (finding,) = judge(course, *statements).findings
    assert finding.kind is Kind.FALSE
    assert finding.true.startswith(f"`because({', '.join(statements)})` is false: {part}: ")
    assert finding.advice == "change the sentence, or find out what changed"


@pytest.mark.parametrize(
    ("statements", "true", "advice"),
    [
        (
            (OBSERVED, "add.took < 3 * add.took", CONTROL),
            "its second statement rests on no counter and no listing",
            'compare counters there, as in `program.counters.session["kernel"].name`',
        ),
        (
            (OBSERVED, COUNTER, f"{LOADS} < 3 * {LOADS}"),
            "its control rests on nothing that the other two statements do not rest on",
            "let the control measure what would have come out otherwise, were the cause another",
        ),
        (
            (OBSERVED, COUNTER, "1 < 2"),
            "one of its three statements holds or fails whatever was measured",
            "let each of them compare what was measured or counted",
        ),
    ],
    ids=["no counter", "no control", "no measurement"],
)
def test_a_cause_that_proves_nothing_is_refused(
    course: Course, statements: tuple[str, ...], true: str, advice: str
) -> None:
    (finding,) = judge(course, *statements).findings
    target = f"because({', '.join(statements)})"
    assert (finding.kind, finding.true, finding.advice) == (Kind.TYPE, true, advice)
    assert finding.stated == f"`[for want of loads](claim:{target})`"
    assert (finding.place.line, finding.place.column) == (1, 38)


@pytest.mark.parametrize("statements", [(OBSERVED, COUNTER), (OBSERVED, COUNTER, READ)])
def test_it_takes_three_statements(course: Course, statements: tuple[str, ...]) -> None:
    (finding,) = judge(course, *statements).findings
    assert finding.true == (
        "because takes three statements: what is observed, the counter, the control"
    )
    assert finding.advice == ("write because(a > b, c > d, same(e, f)), with all(…) around several")


def test_a_reader_is_shown_all_three(course: Course) -> None:
    proof = str(render_proof(course, judge(course, OBSERVED, COUNTER, CONTROL), 0))
    at = [proof.index(f">{name}</strong>") for name in ("What is observed", "Counter", "Control")]
    assert at == sorted(at)
    sections = [unescape(proof[start:end]) for start, end in zip(at, [*at[1:], None], strict=True)]
    for section, statement in zip(sections, (OBSERVED, COUNTER, CONTROL), strict=True):
        # Both sides of each, by name and value: the expression would say nothing more.
        small, large = statement.replace("add.", "").split(" < ")
        assert small in section
        assert large in section
    assert "1.25 ms" in proof
