"""Does the page on exercises show what works?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from build_tools.claims.check import check_page
from build_tools.claims.course import load_course
from build_tools.source.starters import compose_starter
from tests.course_factory import CHECK, make_course

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/writing/exercises.md"
HEAD = """\
// Day 1: add two vectors.
//
// Build: nvcc -std=c++17 -o add add.cu
// Run:   ./add

"""
TAIL = "\nint main() { return 0; }\n"
FENCE = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """The program and the lesson that the page shows."""
    files = dict(FENCE.findall(PAGE.read_text(encoding="utf-8")))
    text = HEAD + files.pop("snippets/add/add.cu") + TAIL
    make_course(tmp_path, {"add": text}, checks={"add": CHECK})
    for path, shown in files.items():
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(f"# Add\n\n{shown}")
    return tmp_path


def test_the_shown_program_and_lesson_make_an_exercise(course: Path) -> None:
    read_back = load_course(course)
    program = read_back.programs["add"]
    starter = compose_starter(program, program.exercises["guard"])
    assert (
        "    // Your turn: what of the threads past the end?\n    c[i] = a[i] + b[i];\n}\n"
        in starter
    )
    scan, findings = check_page(read_back, "docs/lessons/add.md")
    assert findings == []
    assert scan is not None
    assert [d.name for d in scan.directives] == ["exercise"]
