"""The how-to from a blank page to a verified lesson, followed word for word."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documentation.walkthrough import Step, matches_output, read_steps, write_files

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "writing" / "first-lesson.md"
BUNDLE = ROOT / "tests" / "cases" / "copy_order.tar.gz"
"""What the step on the GPU machine brings back, made there by following the same page."""


def run_commands(folder: Path, step: Step) -> str:
    """What the step's commands print. Each must end as the page says."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    environment.pop("CI", None)
    printed = ""
    for command in step.body.splitlines():
        if "gpu" in step.name.split():
            # The one step that needs a GPU: what it writes was recorded on one.
            assert command == f"course run --bundle {BUNDLE.name}"
            shutil.copy(BUNDLE, folder)
            continue
        done = subprocess.run(
            shlex.split(command),
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        said = done.stdout + done.stderr
        wanted = 1 if "fails" in step.name.split() else 0
        assert done.returncode == wanted, f"line {step.line}: {command}\n{said}"
        printed += said
    return printed


@pytest.mark.compiler
def test_the_page_works_as_it_is_written(tmp_path: Path) -> None:
    steps = read_steps(PAGE.read_text(encoding="utf-8"))
    printed = ""
    shown = 0
    for step in steps:
        if step.what == "file":
            write_files(tmp_path, [step])
        elif step.what == "command":
            printed = run_commands(tmp_path, step)
        else:
            shown += 1
            assert matches_output(printed, step.body), f"line {step.line}:\n{printed}"
    assert shown >= 4
    lesson = (tmp_path / "docs" / "index.md").read_text(encoding="utf-8")
    assert "[4.6×](claim:copy_order.gain)" in lesson
    html = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "4.6×" in html
    assert "32×" not in html
    assert "__global__" in html


def test_output_is_compared_line_by_line() -> None:
    printed = "first\nsecond 2\nthird\nfourth\n"
    assert matches_output(printed, "first\n…\nfourth\n")
    assert matches_output(printed, "second 2\nthird\n")
    assert not matches_output(printed, "first\nthird\n")
    assert not matches_output(printed, "fourth\n…\nfirst\n")
    assert not matches_output(printed, "second 3\n")


def test_a_fence_of_no_kind_is_told() -> None:
    with pytest.raises(AssertionError, match="line 3"):
        read_steps("a\n\n```js\nx\n```\n")
