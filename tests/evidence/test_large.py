"""Is output far larger than evidence may be refused at once, and is nothing of it read?"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from build_tools.diagnostics.finding import Kind
from build_tools.evidence.compose import Ran, judge_runs
from build_tools.evidence.record import LARGEST_SIDE_FILE
from build_tools.evidence.shelf import read_shelf
from build_tools.source.settings import read_settings
from tests.course_factory import load_program

LARGE = 50_000_000
PATIENCE = 5
"""Seconds of the processor's time; reading one such output alone takes many more."""
RECORD = "evidence/add/nvidia-h200/run-2026-12-01"


def compose_output(size: int) -> bytes:
    line = b"large  wide  0.626 ms  1,234.5 GB/s  \x1b[1mnot a table\x1b[0m\n"
    return line * (size // len(line) + 1)


@pytest.mark.parametrize("stream", ["output", "stderr", "samples"])
def test_ten_outputs_of_50_mb_are_refused_at_once(example: Path, stream: str) -> None:
    program = load_program(example, "add")
    large = compose_output(LARGE)
    ran = Ran(
        ("./add",),
        stdout=large if stream == "output" else b"",
        stderr=large if stream == "stderr" else b"",
        seconds=1.0,
        samples=large if stream == "samples" else None,
    )
    began = time.process_time()
    findings = judge_runs(program, [ran] * 10)
    assert time.process_time() - began < PATIENCE
    assert [(f.kind, f.stated, f.true) for f in findings] == [
        (Kind.RUN, f"process {number}'s {stream}", "it holds more than 1024 KiB")
        for number in range(1, 11)
    ]
    assert {f.advice for f in findings} == {"have the program print less"}


def test_the_largest_output_that_may_be_is_read(example: Path) -> None:
    program = load_program(example, "add")
    whole = (example / f"{RECORD}.txt").read_bytes()
    filled = whole + b"#" * (LARGEST_SIDE_FILE - len(whole) - 1) + b"\n"
    assert judge_runs(program, [Ran(("./add",), filled, b"", 1.0)]) == []
    (finding,) = judge_runs(program, [Ran(("./add",), filled + b"\n", b"", 1.0)])
    assert finding.true == "it holds more than 1024 KiB"


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        (".txt", "the file `{file}`"),
        ("/process-02.stdout.txt", "the file `{file}`"),
        ("/process-02.stderr.txt", "the file `{file}`"),
        (".json", ""),
    ],
)
def test_evidence_that_grew_to_50_mb_is_refused_at_once(
    course: Path, name: str, stated: str
) -> None:
    file = f"{RECORD}{name}"
    assert (course / file).is_file(), sorted((course / RECORD).iterdir())
    with (course / file).open("ab") as grown:
        grown.write(compose_output(LARGE))
    settings, _ = read_settings(course)
    program = load_program(course, "add")
    began = time.process_time()
    _, findings = read_shelf(course, program, settings)
    assert time.process_time() - began < PATIENCE
    told = [f for f in findings if "it holds more than" in f.true]
    assert len(told) == 1
    assert told[0].kind is Kind.RECORD
    assert told[0].checked
    assert stated.format(file=file) in told[0].stated
