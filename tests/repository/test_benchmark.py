"""The benchmark runs, and the course that it makes agrees."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from build_tools.measure.device import describe_device

ROOT = Path(__file__).parents[2]
SCRIPT = "tests/benchmarks/check_speed.py"


def run_benchmark(*arguments: str, script: str = SCRIPT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, script, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_the_benchmark_prints_its_curve() -> None:
    done = run_benchmark("2", "4", "--rounds", "1", "--pages-per-program", "2")
    assert done.returncode == 0, done.stderr
    head, first, second = (line.split() for line in done.stdout.splitlines())
    assert head[:5] == ["pages", "programs", "s", "cpu_s", "MB"]
    assert (first[:2], second[:2]) == (["2", "1"], ["4", "2"])
    seconds, processor, megabytes = map(float, second[2:5])
    assert 0 < seconds < 60
    assert 0 < processor < 60
    assert 10 < megabytes < 1000
    assert len(second) == len(first) + 1


@pytest.mark.skipif(not isinstance(describe_device(), str), reason="this machine has a GPU")
def test_what_sampling_costs_cannot_be_told_without_a_gpu() -> None:
    done = subprocess.run(
        [sys.executable, "tests/benchmarks/sampling_cost.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "cannot measure: there is no NVIDIA driver" in done.stderr


def test_the_build_benchmark_compares_with_a_plain_site() -> None:
    done = run_benchmark("1", "--rounds", "1", script="tests/benchmarks/build_speed.py")
    assert done.returncode == 0, done.stderr
    head, *rows = (line.split() for line in done.stdout.splitlines())
    assert head == ["lessons", "build", "s", "cpu_s", "MB", "x_s", "x_cpu", "x_MB"]
    assert [row[:2] for row in rows] == [
        ["1", name] for name in ("plain", "cold", "unchanged", "one-lesson")
    ]
    assert rows[0][5:] == ["1.00", "1.00", "1.00"]
    for row in rows:
        assert all(float(cell) > 0 for cell in row[2:])
