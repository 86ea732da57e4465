"""Drafts: left out of a check with what only they show, and checked when asked for."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from build_tools.claims.check import check_course
from build_tools.claims.course import load_course
from build_tools.claims.drafts import find_drafts, leave_out_drafts
from build_tools.claims.page_text import list_pages
from build_tools.diagnostics.finding import Finding, Kind
from tests.course_factory import CHECK, DECLARATION, PROGRAM, make_course, make_transcripts

ROOT = Path(__file__).parents[2]
PAGE = """\
# Adding

Each block has [256](claim:add.source.kBlock) threads.

/// snippet | add#add-kernel
///
"""
DRAFT = """\
---
title: Subtracting
draft: true
---
# Subtracting

It takes 5 ms, [0.63 ms](claim:sub.time["large", "wide"]) or
[4.8 TB/s](given:peak).

/// snippet | sub#add-kernel
///
"""
FACTS = """\
[peak]
value = "4.8"
unit = "TB/s"
source = "https://example.org/datasheet"
quote = "4.8 TB/s of memory bandwidth"
date = 2026-11-01
"""


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lesson with evidence, and the draft of one whose program has none."""
    root = tmp_path_factory.mktemp("drafts")
    names = ("add", "sub")
    make_course(
        root,
        {name: PROGRAM.format(name=name) for name in names},
        dict.fromkeys(names, DECLARATION),
        {"add": make_transcripts()},
        checks=dict.fromkeys(names, CHECK),
    )
    (root / "snippets" / "quantities.toml").write_text(FACTS)
    (root / "docs").mkdir()
    (root / "docs" / "add.md").write_text(PAGE)
    (root / "docs" / "sub.md").write_text(DRAFT)
    return root


@pytest.fixture
def root(example: Path, tmp_path: Path) -> Path:
    """A copy to change."""
    copy = tmp_path / "course"
    shutil.copytree(example, copy)
    return copy


def check(root: Path, *keep: str) -> list[Finding]:
    return check_course(leave_out_drafts(load_course(root), keep), list(keep) or None)


def run_check(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_course(root, "check", *arguments)


def run_course(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "build_tools", *arguments],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_draft_and_what_only_it_shows_are_left_out(example: Path) -> None:
    assert check(example) == []
    course = leave_out_drafts(load_course(example))
    assert course.left_out == {"docs/sub.md"}
    assert list(course.programs) == ["add"]
    assert list_pages(course) == ["docs/add.md"]
    assert find_drafts(course) == []


def test_with_drafts_all_is_told(example: Path) -> None:
    found = {(f.kind, f.place.path) for f in check_course(load_course(example))}
    assert found == {
        (Kind.MISSING, "snippets/sub/sub.cu"),
        (Kind.MISSING, "docs/sub.md"),
        (Kind.UNBOUND, "docs/sub.md"),
    }


def test_the_command_counts_drafts(example: Path) -> None:
    done = run_check(example)
    assert done.stdout == "checked 1 page, 1 program, 1 draft left out: no findings\n"
    assert done.returncode == 0
    done = run_check(example, "--drafts")
    assert done.returncode == 1
    assert "docs/sub.md:7:10: unbound" in done.stdout
    assert done.stdout.endswith("checked 2 pages, 2 programs: 3 findings\n")


def test_a_draft_that_is_named_is_checked(example: Path) -> None:
    done = run_check(example, "docs/sub.md")
    assert done.returncode == 1
    assert "docs/sub.md:7:10: unbound" in done.stdout
    assert "checked 1 page, 2 programs: " in done.stdout


def test_what_a_published_page_names_is_not_left_out(root: Path) -> None:
    page = root / "docs" / "add.md"
    page.write_text(PAGE + "\n[256](claim:sub.source.kBlock)\n")
    found = [(f.kind, f.place.path) for f in check(root)]
    assert found == [(Kind.MISSING, "snippets/sub/sub.cu")]


def test_what_a_quantity_names_is_not_left_out(root: Path) -> None:
    declaration = root / "snippets" / "add" / "program.toml"
    declaration.write_text(declaration.read_text() + '\n[quantities]\nx = "sub.source.kBlock"\n')
    assert "sub" in leave_out_drafts(load_course(root)).programs


def test_errors_in_the_source_of_a_draft_wait_with_it(root: Path) -> None:
    source = root / "snippets" / "sub" / "sub.cu"
    source.write_text(source.read_text().replace("// end snippet: block", "// end snippet: blok"))
    assert check(root) == []
    told = [f for f in check_course(load_course(root)) if f.place.path.endswith("sub.cu")]
    assert any("blok" in f.stated for f in told)


def test_without_the_draft_what_it_showed_is_unused(root: Path) -> None:
    (root / "docs" / "sub.md").unlink()
    found = {(f.kind, f.place.path) for f in check(root)}
    assert (Kind.UNUSED, "snippets/quantities.toml") in found
    assert (Kind.UNUSED, "snippets/sub/sub.cu") in found


@pytest.mark.parametrize(
    ("link", "column"),
    [
        ("see [it](sub.md)", 10),
        ("see [it](sub.md#why)", 10),
        ("see [it](<sub.md>)", 11),
        ("see [it](../docs/sub.md)", 10),
        ("see [it](./s%75b.md)", 10),
        ("see [it][r]\n\n[r]: sub.md", 6),
        ('see <a href="sub.md">it</a>', 14),
        ("see ![it](sub.md)", 11),
        ("see [*it*](sub.md 'title')", 12),
    ],
)
def test_a_link_to_a_draft_is_a_finding(root: Path, link: str, column: int) -> None:
    (root / "docs" / "add.md").write_text(f"{PAGE}\n{link}\n")
    (finding,) = check(root)
    assert finding.kind is Kind.LINK
    line = (PAGE + "\n" + link).count("\n") + 1
    assert str(finding.place) == f"docs/add.md:{line}:{column}"
    assert finding.stated == "a link to `docs/sub.md`"
    assert "is a draft" in finding.true
    assert "`draft: true`" in finding.advice
    assert finding.length > 4


@pytest.mark.parametrize(
    "link", ["`[it](sub.md)`", "[it](add.md)", "[it](sub.txt)", "```\n[it](sub.md)\n```"]
)
def test_other_links_are_none(root: Path, link: str) -> None:
    (root / "docs" / "add.md").write_text(f"{PAGE}\n{link}\n")
    assert check(root) == []


def test_drafts_may_link_to_drafts(root: Path) -> None:
    (root / "docs" / "other.md").write_text("---\ndraft: true\n---\n[it](sub.md)\n")
    assert check(root) == []


def test_a_draft_that_cannot_be_read_is_a_page_like_any_other(root: Path) -> None:
    (root / "docs" / "bad.md").write_bytes(b"---\ndraft: true\n---\n\xff\n")
    (finding,) = check(root)
    assert finding.kind is Kind.ENCODING
    assert not finding.checked


def test_a_course_of_drafts_only(root: Path) -> None:
    (root / "docs" / "add.md").unlink()
    shutil.rmtree(root / "snippets" / "add")
    shutil.rmtree(root / "evidence")
    done = run_check(root)
    assert done.stdout == "checked 0 pages, 0 programs, 1 draft left out: no findings\n"


def test_status_counts_drafts_and_looser_pages(root: Path) -> None:
    (root / "docs" / "add.md").write_text(f"---\ncourse:\n  unbound: units\n---\n{PAGE}")
    waived = json.loads(run_course(root, "status", "--json").stdout)["waived"]
    assert [(w["what"], w["path"], w["line"]) for w in waived] == [
        ("unbound: units", "docs/add.md", 2),
        ("draft: true", "docs/sub.md", 3),
    ]
    said = run_course(root, "status").stdout
    assert 'the course says unbound = "all"' in said
    assert "a build leaves it out" in said
