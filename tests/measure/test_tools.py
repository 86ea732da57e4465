"""Are the tools found where they may be, and is it said where they were looked for?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from build_tools.measure.ledger import COMPILER, GPU, Ledger, Span, describe_ledger
from build_tools.measure.profile import check_metrics, compose_profile, read_metric_names
from build_tools.measure.sanitize import compose_sanitizer
from build_tools.measure.tools import Tool, find_tool
from build_tools.source.part_rules import CounterRule
from build_tools.source.programs import read_program
from tests.course_factory import make_course
from tests.parts_factory import DECLARATION, PROGRAM

CASES = Path(__file__).parents[1] / "cases"


def make_tool(folder: Path, text: str, name: str = "ncu-of-test") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(0o755)
    return path


SAYS = 'print("NVIDIA (R) Nsight Compute\\nVersion {} (build 36398880)")'


def test_a_tool_of_the_path_comes_first(tmp_path: Path) -> None:
    first = make_tool(tmp_path / "a", SAYS.format("2025.3.1.0"))
    make_tool(tmp_path / "home/bin", SAYS.format("2024.1.0.0"))
    both = {"PATH": str(tmp_path / "a"), "CUDA_HOME": str(tmp_path / "home")}
    found = find_tool("ncu-of-test", both)
    assert found == Tool("ncu-of-test", first, "2025.3.1.0")
    found = find_tool("ncu-of-test", {"PATH": "", "CUDA_HOME": str(tmp_path / "home")})
    assert isinstance(found, Tool)
    assert found.version == "2024.1.0.0"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import sys; sys.exit(3)", "does not tell its version: it ended with exit status 3"),
        ("print('hello')", "does not tell its version"),
    ],
)
def test_a_tool_that_does_not_work_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = make_tool(tmp_path, text)
    found = find_tool("ncu-of-test", {"PATH": str(tmp_path)})
    assert isinstance(found, str)
    assert str(path) in found
    assert said in found


def test_a_tool_that_is_nowhere() -> None:
    found = find_tool("ncu-of-test", {"PATH": ""})
    assert found == (
        "no ncu-of-test that works: none on PATH, in CUDA_HOME, in /usr/local/cuda, or among "
        "packages"
    )


def test_the_versions_of_disassemblers_are_read(tmp_path: Path) -> None:
    make_tool(tmp_path, 'print("Cuda compilation tools, release 13.0, V13.0.85")')
    found = find_tool("ncu-of-test", {"PATH": str(tmp_path)})
    assert isinstance(found, Tool)
    assert found.version == "V13.0.85"


# --- commands


def read_rule(root: Path, old: str = "", new: str = "") -> CounterRule:
    """The example's session, one text of the declaration replaced."""
    make_course(root, {"add": PROGRAM}, {"add": DECLARATION.replace(old, new, 1)})
    program, findings = read_program(root, "add")
    assert program is not None
    assert not findings, "\n".join(map(str, findings))
    return program.declaration.parts.counters["small"]


def test_the_profilers_command(tmp_path: Path) -> None:
    hot = compose_profile(read_rule(tmp_path), ["a__b.sum", "c__d.sum"])
    pairs = dict(zip(hot[1::2], hot[2::2], strict=False))
    assert hot[0] == "--csv"
    assert pairs["--clock-control"] == pairs["--cache-control"] == "none"
    assert pairs["--metrics"] == "a__b.sum,c__d.sum"
    assert pairs["--kernel-name"] == "regex:^(add)$"
    assert pairs["--kernel-name-base"] == pairs["--print-kernel-base"] == "function"
    cold = compose_profile(read_rule(tmp_path, '"hot"', '"cold"'), ["a__b.sum"])
    assert dict(zip(cold[1::2], cold[2::2], strict=False))["--cache-control"] == "all"


def test_the_sanitizers_command_filters_nothing() -> None:
    for tool in ("memcheck", "racecheck", "initcheck", "synccheck"):
        options = compose_sanitizer(tool)
        assert options[:2] == ("--tool", tool)
        assert not any("filter" in o or "kernel" in o for o in options)
    assert "info" in compose_sanitizer("racecheck")


def test_metrics_are_checked_without_their_suffixes(tmp_path: Path) -> None:
    names = read_metric_names((CASES / "ncu/query-metrics.txt").read_text())
    assert {"dram__bytes_read", "smsp__inst_executed_op_global_ld"} <= names
    assert not any(name.startswith(("FBSP", "dramc", "Metric", "Device")) for name in names)
    assert len(names) == 12
    assert check_metrics(read_rule(tmp_path), names) == []
    (finding,) = check_metrics(read_rule(tmp_path), frozenset({"dram__bytes_read"}))
    assert finding.stated == "`smsp__inst_executed_op_global_ld.sum`"
    assert "`ncu --query-metrics`" in finding.advice
    assert check_metrics(read_rule(tmp_path), frozenset()) == []
    launch = read_rule(tmp_path, "dram__bytes_read.sum", "launch__registers_per_thread")
    assert check_metrics(launch, frozenset({"smsp__inst_executed_op_global_ld"})) == []


# --- where the time went


def test_overlapping_spans_count_once() -> None:
    ledger = Ledger(begin=0.0)
    ledger.spans += [
        Span(COMPILER, "programs", 1.0, 5.0),
        Span(COMPILER, "programs", 2.0, 6.0),
        Span(GPU, "runs", 5.0, 9.0),
    ]
    lines = describe_ledger(ledger, 10.0)
    assert lines[0] == "time: 10.0 s in all"
    words = [line.split() for line in lines[1:4]]
    assert words[0] == ["GPU", "4.0", "s", "40.0", "%"]
    assert words[1] == ["compiler", "alone", "4.0", "s", "40.0", "%"]
    assert words[2] == ["neither", "2.0", "s", "20.0", "%"]
    assert [line.split() for line in lines[5:]] == [
        ["8.0", "s", "compiler", "programs", "(2", "times)"],
        ["4.0", "s", "GPU", "runs", "(1", "time)"],
    ]


def test_what_fails_took_its_time_all_the_same() -> None:
    ledger = Ledger()
    with pytest.raises(ValueError, match="x"), ledger.spend(GPU, "runs"):
        raise ValueError("x")
    assert len(ledger.spans) == 1
