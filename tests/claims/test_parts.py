"""Can prose cite counters, sanitizers, mutants and listings, and only what they say?"""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from build_tools.claims.check import judge_scan
from build_tools.claims.course import load_course
from build_tools.claims.describe import evaluate_report, list_course
from build_tools.claims.evidence_chain import Inquiry
from build_tools.claims.model import Course, Verdict
from build_tools.claims.rests import list_expression_rests
from build_tools.claims.scan import scan_page
from build_tools.claims.scope import CourseScope
from build_tools.claims.status import compute_status
from build_tools.claims.trace import CitedKind, trace_expression
from build_tools.command.describe import describe_evaluation
from build_tools.command.status import describe_status
from build_tools.diagnostics.finding import Kind
from build_tools.evidence.part_model import PartKind
from build_tools.quantity.expression import ExpressionError, evaluate_expression
from build_tools.quantity.value import Number, Several, Text, Truth
from tests.parts_factory import DECLARATION, add_part, compose_log, make_parts_course

Judge = Callable[[str, str], Verdict]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("parts")
    make_parts_course(base)
    return base


@pytest.fixture(scope="module")
def course(root: Path) -> Course:
    return load_course(root)


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(root, tmp_path / "course"))


def judge(course: Course, text: str, expression: str) -> Verdict:
    scan = scan_page(f"It is [{text}](claim:{expression}) here.\n", "docs/p.md")
    assert not scan.findings, scan.findings
    (verdict,) = judge_scan(course, scan)
    return verdict


def redeclare(root: Path, old: str, new: str) -> None:
    target = root / "snippets/add/program.toml"
    assert old in target.read_text()
    target.write_text(target.read_text().replace(old, new, 1))


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("8,192 instructions", 'add.counters["add"].loads'),
        ("8,192 instructions", 'add.counters.small["add"].loads'),
        ("33.55 MB", 'add.counters["add"].dram_read'),
        ("32.0 MiB", 'add.counters["add"].dram_read'),
        (
            "at least 4,000 B/instruction",
            'add.counters["add"].dram_read / add.counters["add"].loads',
        ),
        ("27 GB/s", 'add.counters["add"].dram_read / add.took'),
        ("as many", 'same(add.counters["add"].loads, add.counters["add"].loads)'),
        ("finds nothing", 'add.sanitizer["racecheck"].passed'),
        ("0", 'add.sanitizer["memcheck"].errors'),
        ("no tool finds anything", "all(add.sanitizer[:].passed)"),
        ("no-barrier", 'add.sanitizer["racecheck"].proved_by'),
        ("rejected", 'add.mutants["no-guard"].caught'),
        ("racecheck", 'add.mutants["no-barrier"].caught_by'),
        ("the program's check", 'add.mutants["subtracts"].caught_by'),
        ("all are rejected", "all(add.mutants[:].caught)"),
        ("3", "len(add.mutants[:].caught)"),
        ("two", 'add.listing["add-kernel"].count("LDG")'),
        ("two", 'add.listing["add-kernel"].count("LDG.E")'),
        ("2", 'add.listing["add-kernel"]["add"].count("LDG")'),
        ("no wide load", 'add.listing["add-kernel"].count("LDG.E.128") == 0'),
        ("22", 'add.listing["add-kernel"].instructions'),
    ],
)
def test_what_parts_hold_can_be_cited(course: Course, text: str, expression: str) -> None:
    verdict = judge(course, text, expression)
    assert not verdict.findings, "\n".join(map(str, verdict.findings))


@pytest.mark.parametrize(
    ("text", "expression", "kind", "true"),
    [
        ("8,193 instructions", 'add.counters["add"].loads', Kind.DRIFT, "8,192 instructions"),
        ("33.65 MB", 'add.counters["add"].dram_read', Kind.DRIFT, "33.55"),
        ("8,192", 'add.counters["add"].loads', Kind.UNIT, "instruction"),
        ("survives", 'add.mutants["turned"].caught', Kind.FALSE, "is false"),
        ("3", 'add.listing["add-kernel"].count("LDG")', Kind.DRIFT, "2"),
        ("1", 'add.counters["ad"].loads', Kind.EXPRESSION, "have no `ad`"),
        ("1", 'add.counters["add"].load', Kind.EXPRESSION, "has no `load`"),
        ("1", 'add.counters.large["add"].loads', Kind.EXPRESSION, "has no `large`"),
        ("1", 'add.counters["add"]', Kind.EXPRESSION, "not a value"),
        ("1", 'add.sanitizer["synccheck"].errors', Kind.EXPRESSION, "have no `synccheck`"),
        ("1", 'add.mutants["guard"].caught', Kind.EXPRESSION, "have no `guard`"),
        ("1", 'add.listing["block"].instructions', Kind.EXPRESSION, "have no `block`"),
        ("1", 'add.listing["add-kernel"].count()', Kind.EXPRESSION, "takes keys"),
        ("1", 'add.listing["add-kernel"].count("LDG", "E")', Kind.EXPRESSION, "one opcode"),
        ("1", 'add.listing["add-kernel"].counts("LDG")', Kind.EXPRESSION, "has no `counts`"),
        ("1", 'add.took("a")', Kind.EXPRESSION, "nothing to call"),
    ],
)
def test_what_they_do_not_say_is_a_finding(
    course: Course, text: str, expression: str, kind: Kind, true: str
) -> None:
    (finding,) = judge(course, text, expression).findings
    assert finding.kind is kind, finding
    assert true in finding.true


def test_names_are_suggested(course: Course) -> None:
    (finding,) = judge(course, "1", 'add.counters["add"].load').findings
    assert finding.advice == "did you mean `loads`?"


def test_a_session_must_be_named_where_there_are_several(copy: Path) -> None:
    more = DECLARATION[DECLARATION.index("[counters.small]") : DECLARATION.index("[sanitizers]")]
    redeclare(copy, "[sanitizers]", more.replace("small", "large") + "[sanitizers]")
    (finding,) = judge(load_course(copy), "1", 'add.counters["add"].loads').findings
    assert finding.kind is Kind.STALE  # what was asked is another now
    assert "course run --parts counters add" in finding.advice


def test_the_values_of_launches_are_a_measured_number(course: Course) -> None:
    value = evaluate_expression('add.counters["add"].dram_read', CourseScope(course))
    assert isinstance(value, Number)
    (series,) = value.series
    assert [int(v) for v in series.samples] == [33554432, 33554464, 33554496]
    assert series.shown == 33554464
    assert value.band is not None
    assert value.band.low < 33554432 < value.band.high
    sliced = evaluate_expression("add.counters[:].loads", CourseScope(course))
    assert isinstance(sliced, Several)
    assert sliced.labels == (("add",),)


def test_what_stands_behind_a_counter(course: Course) -> None:
    proof = judge(course, "33.55 MB", 'add.counters["add"].dram_read').proof
    assert proof is not None
    assert (proof.kind, proof.device, proof.date) == ("measured", "NVIDIA H200", "2026-12-01")
    assert (proof.launches, proof.processes) == (3, 0)
    assert proof.record == "evidence/add/nvidia-h200/run-2026-12-01"
    proof = judge(course, "2", 'add.listing["add-kernel"].count("LDG")').proof
    assert proof is not None
    assert (proof.kind, proof.device, proof.record[-14:]) == (
        "exact",
        "NVIDIA H200",
        "run-2026-12-01",
    )


# --- evidence that is not there, or cannot tell


def test_stale_and_missing_counters_are_told(copy: Path) -> None:
    redeclare(copy, "launches = 3", "launches = 4")
    (finding,) = judge(load_course(copy), "8,192", 'add.counters["add"].loads').findings
    assert (finding.kind, finding.true) == (Kind.STALE, "the counters of `add` are stale")
    shutil.rmtree(copy / "evidence/add/nvidia-h200/counters-2026-12-01")
    (copy / "evidence/add/nvidia-h200/counters-2026-12-01.json").unlink()
    (finding,) = judge(load_course(copy), "8,192", 'add.counters["add"].loads').findings
    assert (finding.kind, finding.true) == (Kind.MISSING, "the counters of `add` are missing")


def test_a_refusing_profiler_leaves_claims_unchecked(copy: Path) -> None:
    redeclare(copy, "launches = 3", "launches = 4")
    words = "ERR_NVGPUCTRPERM - no permission"
    add_part(copy, PartKind.COUNTERS, "2026-12-02", could_not_check=words)
    course = load_course(copy)
    (finding,) = judge(course, "8,192", 'add.counters["add"].loads').findings
    assert (finding.kind, finding.checked) == (Kind.CHECK, False)
    assert words in finding.true
    assert not judge(course, "two", 'add.listing["add-kernel"].count("LDG")').findings
    unchecked = [f for f in course.findings if not f.checked]
    assert [f.true for f in unchecked] == [words]


def test_a_tool_that_is_not_believed_proves_nothing(copy: Path) -> None:
    redeclare(copy, "--n 48", "--n 32")
    add_part(copy, PartKind.SANITIZERS, "2026-12-02", blind=["racecheck"])
    course = load_course(copy)
    (finding,) = judge(course, "clean", 'add.sanitizer["racecheck"].passed').findings
    assert (finding.kind, finding.checked) == (Kind.CHECK, False)
    assert "does not notice `no-barrier`" in finding.true
    assert not judge(course, "clean", 'add.sanitizer["memcheck"].passed').findings


def test_a_tool_that_finds_something_makes_its_claim_false(copy: Path) -> None:
    redeclare(copy, "--n 48", "--n 32")
    add_part(copy, PartKind.SANITIZERS, "2026-12-02", finds=["racecheck"])
    course = load_course(copy)
    (finding,) = judge(course, "clean", 'add.sanitizer["racecheck"].passed').findings
    assert finding.kind is Kind.FALSE
    assert any("found 1 error" in f.true for f in course.findings)


def test_a_conflict_in_a_conflict_free_kernel_makes_its_claim_false(copy: Path) -> None:
    metric = "l1tex__data_pipe_lsu_wavefronts.sum"
    redeclare(copy, "dram__bytes_read.sum", metric)
    redeclare(copy, 'unit = "B"', 'unit = "instructions"')
    told = {"smsp__inst_executed_op_global_ld.sum": ("inst", "256"), metric: ("", "288")}
    add_part(copy, PartKind.COUNTERS, "2026-12-02", logs=[compose_log(0, told)] * 3)
    expression = 'same(add.counters["add"].dram_read, add.counters["add"].loads)'
    (finding,) = judge(load_course(copy), "free of conflicts", expression).findings
    assert finding.kind is Kind.FALSE
    assert "288" in finding.true


def test_old_counts_hold_beside_new_ones(copy: Path) -> None:
    """A literal taken from an older fresh part still rounds to that part's value."""
    moved = [
        compose_log(
            turn,
            {
                "smsp__inst_executed_op_global_ld.sum": ("inst", "8,192"),
                "dram__bytes_read.sum": ("byte", f"{33_554_432 + 60_000 * (turn - 1):,}"),
            },
        )
        for turn in range(3)
    ]
    add_part(copy, PartKind.COUNTERS, "2026-12-02", logs=moved)
    course = load_course(copy)
    value = evaluate_expression('add.counters["add"].dram_read', CourseScope(course))
    assert isinstance(value, Number)
    assert len(value.series) == 2
    assert not judge(course, "33.5545 MB", 'add.counters["add"].dram_read').findings


def test_names_are_listed_and_traced(course: Course) -> None:
    (listing,) = list_course(course).programs
    names = [name.name for name in listing.names if name.kind == "part"]
    assert names == [
        'add.counters["add"].loads',
        'add.counters["add"].dram_read',
        'add.sanitizer["memcheck"].passed',
        'add.sanitizer["racecheck"].passed',
        'add.mutants["no-guard"].caught_by',
        'add.mutants["no-barrier"].caught_by',
        'add.mutants["subtracts"].caught_by',
        'add.mutants["turned"].caught_by',
        'add.listing["add-kernel"].instructions',
    ]
    assert all(name.figure is not None for name in listing.names if name.kind == "part")


@pytest.mark.parametrize(
    ("expression", "kind", "path", "texts"),
    [
        (
            'add.counters["add"].dram_read',
            CitedKind.COUNTER,
            "counters-2026-12-01/small-01.csv",
            ["33,554,432", "33,554,464", "33,554,496"],
        ),
        (
            'add.sanitizer["racecheck"].errors',
            CitedKind.SANITIZER,
            "sanitizers-2026-12-01.json",
            ['"passed": true,'],
        ),
        (
            'add.mutants["no-guard"].caught_by',
            CitedKind.MUTANT,
            "mutants-2026-12-01.json",
            ['"caught_by": "memcheck",'],
        ),
        (
            'add.listing["add-kernel"].count("LDG")',
            CitedKind.LISTING,
            "listings-2026-12-01/sass.txt",
            ["/*00d0*/ LDG.E R3, desc[UR4][R2.64] ;"],
        ),
    ],
)
def test_values_are_traced_to_their_raw_lines(
    course: Course, root: Path, expression: str, kind: CitedKind, path: str, texts: list[str]
) -> None:
    (cited,) = trace_expression(course, expression)
    assert cited.kind is kind
    first = cited.origins[0]
    assert first.path == f"evidence/add/nvidia-h200/{path}"
    for origin, text in zip(cited.origins, texts, strict=False):
        assert origin.text.startswith(text)
        line = (root / origin.path).read_text().split("\n")[origin.line - 1]
        assert text.split()[0].strip('",') in line


def test_what_an_expression_rests_on(course: Course) -> None:
    rests = list_expression_rests(course, 'add.counters["add"].loads / add.took')
    assert {(rest.program, rest.name) for rest in rests} == {
        ("add", "counters.add.loads"),
        ("add", "took"),
    }


def test_types_of_what_is_cited(course: Course) -> None:
    scope = CourseScope(course)
    assert isinstance(evaluate_expression('add.mutants["turned"].caught', scope), Truth)
    assert isinstance(evaluate_expression('add.mutants["turned"].caught_by', scope), Text)
    with pytest.raises(ExpressionError, match="no one value of each"):
        evaluate_expression("add.listing[:].count", scope)


def test_the_state_of_parts(copy: Path) -> None:
    redeclare(copy, "launches = 3", "launches = 4")
    redeclare(
        copy, "[listings.add-kernel]", "[listings.add-kernel]\n[listings.block]\nkernels = ['add']"
    )
    (copy / "evidence/add/nvidia-h200/sanitizers-2026-12-01.json").unlink()
    shutil.rmtree(copy / "evidence/add/nvidia-h200/sanitizers-2026-12-01")
    redeclare(copy, "return b + a;", "return (b + a);")
    add_part(copy, PartKind.MUTANTS, "2026-12-02", could_not_check="no driver")
    inquiry = Inquiry(load_course(copy), (), {}, dt.date(2026, 12, 3))
    (program,) = compute_status(inquiry).programs
    assert [(p.part, p.state, p.detail) for p in program.parts] == [
        ("counters", "stale", "what is asked changed since: `small.launches` is another"),
        ("sanitizers", "missing", ""),
        ("mutants", "could not check", "no driver"),
        ("listings", "stale", "what is asked changed since: `block` is new"),
    ]
    lines = list(describe_status(compute_status(inquiry)))
    assert "  part    sanitizers missing" in lines
    assert any("mutants could not check: no driver" in line for line in lines)


def test_an_evaluation_names_the_part_it_rests_on(course: Course) -> None:
    found = evaluate_report(course, 'add.counters["add"].dram_read')
    (line,) = found.records
    assert line.path == "evidence/add/nvidia-h200/counters-2026-12-01.json"
    assert (
        "from:    evidence/add/nvidia-h200/counters-2026-12-01.json "
        "(NVIDIA H200, driver 580.159.03, 2026-12-01)"
    ) in describe_evaluation(found)
