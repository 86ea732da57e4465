"""The benchmark runs, and the course that it makes agrees."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = "tests/benchmarks/check_speed.py"


def run_benchmark(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
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
