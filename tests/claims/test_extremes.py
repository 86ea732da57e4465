"""Numbers at the edges: bands across zero, roots, sizes beyond use, rounding of measurements."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from build_tools.claims.check import judge_scan
from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.claims.scan import scan_page
from build_tools.command.main import cli
from build_tools.diagnostics.finding import Finding, Kind
from tests.course_factory import PROGRAM, add_record, make_example, make_transcripts


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root: Path = tmp_path_factory.mktemp("course")
    make_example(root)
    faster = [text.replace("0.625", "0.624") for text in make_transcripts()]
    add_record(root, "add", faster, started="2026-12-02T09:30:00Z")
    return root


@pytest.fixture(scope="module")
def course(root: Path) -> Course:
    loaded = load_course(root)
    assert len(loaded.shelves["add"].fresh) == 2
    return loaded


def judge(course: Course, text: str) -> list[Finding]:
    scan = scan_page(text, "docs/page.md")
    assert not scan.findings
    return [f for verdict in judge_scan(course, scan) for f in verdict.findings]


A = 'add.records["run-2026-12-01"].time["large", "wide"]'
B = 'add.records["run-2026-12-02"].time["large", "wide"]'
SPEED = 'add.speedup["large"]'  # 2.05


@pytest.mark.parametrize(
    "text",
    [
        f"[they differ](claim:abs({A} - {B}) > 0 * {A})",
        f"[they differ](claim:({A} - {B}) ** 2 > 0 * {A} ** 2)",
        f"[slower](claim:{A} > {B})",
    ],
)
def test_a_difference_that_may_be_none_is_not_above_zero(course: Course, text: str) -> None:
    (finding,) = judge(course, text)
    assert finding.kind is Kind.AMBIGUOUS
    assert "the bands overlap" in finding.true


@pytest.mark.parametrize(
    ("expression", "true", "advice"),
    [
        (f"{A} / ({A} - {B})", "the divisor may be zero", "compare the two sides"),
        (f"1 / ({A} / {B} - 1)", "the divisor may be zero", "compare the two sides"),
        (f"({A} / {B} - 1) ** -2", "the divisor may be zero", "compare the two sides"),
        (f"ceil({SPEED})", "ceil of a measured value", "leave it out"),
        (f"floor({SPEED})", "floor of a measured value", "its own digits say"),
        (f"round({SPEED})", "round of a measured value", "leave it out"),
        ("1e999999999", "an exponent beyond 300", "a number of this world"),
        ("1e-999999999", "an exponent beyond 300", "a number of this world"),
        ("1e301", "an exponent beyond 300", "a number of this world"),
        ("9" * 450, "beyond all use", "simplify"),
        ("1e300 * 1e300", "beyond all use", "simplify"),
        ("log2(1 / (" + " * ".join(["3 ** 64"] * 13) + "))", "beyond all use", "simplify"),
    ],
)
def test_what_has_no_use_is_told_with_its_place(
    course: Course, expression: str, true: str, advice: str
) -> None:
    started = time.monotonic()
    (finding,) = judge(course, f"It is [1](claim:{expression}).")
    assert time.monotonic() - started < 2
    assert finding.kind is Kind.EXPRESSION
    assert true in finding.true
    assert advice in finding.advice
    assert finding.place.column >= len("It is [1](claim:")


@pytest.mark.parametrize("expression", ["9" * 450, "1e-400", "1e999999", "2 ** 64 ** 2"])
def test_eval_says_so_and_does_not_break(root: Path, expression: str) -> None:
    done = CliRunner().invoke(cli, ["--root", str(root), "eval", "--", expression])
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 2
    assert "do: " in done.output


@pytest.mark.parametrize(
    ("holds", "fails"),
    [
        ("[1.41421356237309505](claim:sqrt(2))", "[1.4142135623730951455](claim:sqrt(2))"),
        (
            "[1.4142135623730950488016887242096980785696718753769](claim:sqrt(2))",
            "[1.4142135623730950488016887242096980785696718753768](claim:sqrt(2))",
        ),
        (
            "[1.5849625007211561814537389439478165087598144076925](claim:log2(3))",
            "[1.5849625007211560](claim:log2(3))",
        ),
        ("[7](claim:sqrt(49))", "[8](claim:sqrt(49))"),
        ("[9.5](claim:sqrt(2) ** 13 / sqrt(2) ** 13 * 9.5)", "[9.6](claim:sqrt(2) * 9.5)"),
    ],
)
def test_roots_have_their_own_digits(course: Course, holds: str, fails: str) -> None:
    assert list(map(str, judge(course, holds))) == []
    assert [f.kind for f in judge(course, fails)] == [Kind.DRIFT]


def test_a_root_is_neither_above_nor_below_what_it_is_the_root_of(course: Course) -> None:
    block = "add.source.kBlock"
    for text in (
        f"[so](claim:sqrt({block} / 128) ** 2 * 128 == {block})",
        f"[so](claim:sqrt({block} / 128) ** 2 * 128 >= {block})",
        f"[so](claim:same(sqrt({block} / 128) ** 2 * 128, {block}))",
    ):
        assert list(map(str, judge(course, text))) == [], text
    for symbol in ("<", ">", "!="):
        (finding,) = judge(course, f"[so](claim:sqrt({block} / 128) ** 2 * 128 {symbol} {block})")
        assert finding.kind is Kind.FALSE


@pytest.mark.parametrize("number", ["1e350", "2^4000", "1e201 PB", "10^-300 ms", "1e-350"])
def test_a_printed_number_beyond_all_use_is_told(course: Course, number: str) -> None:
    (finding,) = judge(course, f"[{number}](claim:{SPEED})")
    assert finding.kind is Kind.UNREADABLE
    assert finding.advice == "write a number of this world"


@pytest.mark.parametrize("number", ["1e200 PB", "1e-200 ns", "2^600", f"{'9' * 60}"])
def test_the_largest_printed_numbers_are_judged(course: Course, number: str) -> None:
    (finding,) = judge(course, f"[{number}](claim:{SPEED})")
    assert finding.kind in (Kind.DRIFT, Kind.UNIT)


def test_numbers_beyond_all_use_in_prose_and_facts(tmp_path: Path) -> None:
    make_example(tmp_path)
    (tmp_path / "snippets" / "quantities.toml").write_text(
        '[big]\nvalue = "1e200"\nunit = "PB"\nsource = "x"\nquote = "1e200 PB"\ndate = 2026-11-01\n'
    )
    (tmp_path / "docs").mkdir(exist_ok=True)
    (tmp_path / "docs" / "page.md").write_text(
        "It takes 1e350 ms, 2^4000 ms, 1e-350 s.\n\n[5](given:big) of them.\n"
    )
    done = CliRunner().invoke(cli, ["--root", str(tmp_path), "check"])
    assert isinstance(done.exception, SystemExit), done.exception
    assert "`1e350 ms`" in done.output
    assert "docs/page.md:3:1: unit" in done.output


def test_a_constant_beyond_all_use_is_told(tmp_path: Path) -> None:
    text = PROGRAM.format(name="add").replace(
        "kBlock = 256;", "kBlock = 256;\nconstexpr double kFar = 1e305;"
    )
    make_example(tmp_path)
    (tmp_path / "snippets" / "add" / "add.cu").write_text(text)
    (finding,) = judge(load_course(tmp_path), "[5](claim:add.source.kFar)")
    assert "beyond all use" in finding.true


@pytest.mark.parametrize(
    ("text", "true", "nearest"),
    [
        (f"[1–1000×](claim:{SPEED})", "far wider than the band", "2.0–2.1×"),
        (f"[1–3×](claim:{SPEED})", "far wider than the band", "2.0–2.1×"),
        (f"[0.1–99.9 %](claim:{SPEED} / 4)", "far wider than the band", "51.1–51.6 %"),
        ("[200 to 300](claim:add.source.kBlock)", "the value is exactly 256", "256"),
        ("[1–99 MiB](claim:add.device.l2_bytes)", "the value is exactly 60 MiB", "60 MiB"),
    ],
)
def test_a_range_that_says_nothing_is_loose(
    course: Course, text: str, true: str, nearest: str
) -> None:
    (finding,) = judge(course, text)
    assert finding.kind is Kind.LOOSE
    assert true in finding.true
    assert finding.patch is not None
    assert finding.advice.startswith(f"write `{finding.patch.new}`")
    assert finding.patch.new == nearest
    assert judge(course, text.replace(finding.patch.old, nearest)) == []


@pytest.mark.parametrize(
    ("holds", "fails"),
    [
        (f"[2.0–2.1×](claim:{SPEED})", f"[2.1–2.2×](claim:{SPEED})"),
        # Small terms are a round way to speak; large ones are digits by another name.
        (f"[41/20×](claim:{SPEED})", f"[43/20×](claim:{SPEED})"),
        (f"[205/100×](claim:{SPEED})", f"[208/100×](claim:{SPEED})"),
        (f"[1/2](claim:1 / {SPEED})", f"[51/100](claim:1 / {SPEED})"),
        (f"[2^1×](claim:{SPEED})", f"[20^1](claim:10 * {SPEED})"),
        ("[1/256](claim:1 / add.source.kBlock)", "[2/513](claim:1 / add.source.kBlock)"),
    ],
)
def test_a_fraction_is_as_precise_as_its_terms(course: Course, holds: str, fails: str) -> None:
    assert list(map(str, judge(course, holds))) == []
    assert [f.kind for f in judge(course, fails)] == [Kind.DRIFT]
