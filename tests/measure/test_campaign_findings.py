"""What an author is told when the reader's check fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from build_tools.diagnostics.finding import Kind
from build_tools.evidence.model import ReaderCheck, RegionVerdict
from build_tools.measure.campaign_findings import report_check
from tests.course_factory import load_program, make_example


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("CUDADriverError: CUDA_ERROR_NOT_FOUND: named symbol not found", "name_expressions"),
        ("AssertionError: the copy differs", "correct the region, its needs or check.py"),
    ],
)
def test_a_failed_region_says_what_to_do(tmp_path: Path, said: str, advice: str) -> None:
    make_example(tmp_path)
    program = load_program(tmp_path, "add")
    verdict = RegionVerdict(
        region="add-kernel", passed=False, said=said, needs_shown_necessary={"block": "undefined"}
    )
    check = ReaderCheck(
        digest="",
        passed=False,
        seeds=(1, 2),
        cupy="",
        nvrtc="",
        regions=(verdict,),
        could_not_check="",
    )
    (finding,) = report_check(program, check)
    assert finding.kind is Kind.CHECK
    assert finding.place == program.regions["add-kernel"].place
    assert finding.true == said
    assert advice in finding.advice
    assert "nothing was recorded" in finding.advice
