"""Is what the page on counters, sanitizers, mutants and listings shows read as it says?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from build_tools.claims.check import check_scan
from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.claims.scan import scan_page
from build_tools.claims.scope import CourseScope
from build_tools.quantity.expression import evaluate_expression
from build_tools.source.programs import read_program
from tests.course_factory import make_course
from tests.parts_factory import DECLARATION, PROGRAM, make_parts_course

PAGE = Path(__file__).parents[2] / "docs/writing/show-why.md"
TEXT = PAGE.read_text("utf-8")


def list_fences(language: str) -> list[str]:
    return re.findall(rf"^```{language}[^\n]*\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    root = tmp_path_factory.mktemp("parts")
    make_parts_course(root)
    return load_course(root)


def test_what_it_declares_is_read(tmp_path: Path) -> None:
    declared = DECLARATION[: DECLARATION.index("[counters")] + "\n".join(list_fences("toml"))
    make_course(tmp_path, {"add": PROGRAM}, {"add": declared})
    program, findings = read_program(tmp_path, "add")
    assert not findings, "\n".join(map(str, findings))
    assert program is not None
    parts = program.declaration.parts
    assert list(parts.counters["small"].metrics) == ["loads", "dram_read"]
    declared_ones = [rule.name for rule in parts.mutants.values() if rule.is_declared]
    assert declared_ones == ["no-guard", "no-barrier", "turned"]
    assert parts.listings["add-kernel"].kernels == ("add",)
    assert list(parts.sanity) == ["read"]


def test_what_it_cites_has_a_value(course: Course) -> None:
    cited = re.findall(r"`((?:all\()?add\.[^`]+)`", TEXT)
    assert len(cited) >= 9
    for expression in cited:
        evaluate_expression(expression, CourseScope(course))


def test_the_blocks_it_shows_are_blocks(course: Course) -> None:
    cause, blocks = list_fences("markdown")
    (claim,) = scan_page(cause, "docs/p.md").claims
    assert claim.target.startswith("because(")
    scan = scan_page(blocks, "docs/p.md")
    assert [directive.name for directive in scan.directives] == ["counters", "listing"]
    assert check_scan(course, scan) == []
