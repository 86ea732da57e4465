"""Downloads that stay the same keep their file; whatever differs from a new one is made anew."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from build_tools.site.downloads import share_file
from tests.benchmarks.build_speed import OURS, write_ours
from tests.site.conftest import clean_environment, snapshot

LESSONS = 4
HOOK = """
from pathlib import Path

def on_post_build(config):
    for path in Path(config.site_dir).rglob("*.cu"):
        path.write_bytes(path.read_bytes() + b"// stamped\\n")
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("downloads") / "course"
    write_ours(root, LESSONS)
    return root


def build(root: Path, jobs: int = 1) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"],
        cwd=root,
        env={**clean_environment(), "COURSE_JOBS": f"{jobs}"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def list_files(site: Path, ending: str) -> dict[str, int]:
    """The inodes of a site's files of one kind."""
    found = sorted(site.rglob(f"*{ending}"))
    assert found
    return {path.relative_to(site).as_posix(): path.stat().st_ino for path in found}


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_stays_the_same_is_made_once(course: Path, jobs: int) -> None:
    site = course / "site"
    assert build(course, jobs).returncode == 0
    before, whole = {end: list_files(site, end) for end in (".cu", ".txt", ".md")}, snapshot(site)
    assert build(course, jobs).returncode == 0
    assert {end: list_files(site, end) for end in before} == before
    assert snapshot(site) == whole
    assert all(path.stat().st_nlink == 1 for path in site.rglob("*.cu"))


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_somebody_changed_in_the_site_is_made_anew(course: Path, jobs: int) -> None:
    site = course / "site"
    assert build(course, jobs).returncode == 0
    whole = snapshot(site)
    longer, shorter, other, closed, linked = sorted(site.rglob("*.cu"))[:5]
    longer.write_bytes(longer.read_bytes() + b"\n")
    shorter.write_bytes(b"")
    other.write_bytes(other.read_bytes()[::-1])
    closed.chmod(0o600)
    outside = course / "outside.cu"
    outside.write_bytes(linked.read_bytes())
    linked.unlink()
    linked.symlink_to(outside)
    assert build(course, jobs).returncode == 0
    assert snapshot(site) == whole
    assert not linked.is_symlink()
    assert stat.S_IMODE(closed.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)
    outside.unlink()


def test_a_build_that_fails_leaves_the_published_files_alone(course: Path) -> None:
    site, lesson = course / "site", next((course / "docs").glob("chapter-*/*.md"))
    assert build(course).returncode == 0
    before, whole = list_files(site, ".cu"), snapshot(site)
    text = lesson.read_text(encoding="utf-8")
    lesson.write_text(f"{text}\nIt takes 123 ms.\n", encoding="utf-8")
    try:
        assert build(course, 2).returncode == 1
    finally:
        lesson.write_text(text, encoding="utf-8")
    assert (list_files(site, ".cu"), snapshot(site)) == (before, whole)
    assert all(path.stat().st_nlink == 1 for path in site.rglob("*.cu"))


def test_a_hook_that_writes_into_the_staged_site_cannot_reach_the_published_one(
    course: Path,
) -> None:
    site, settings = course / "site", course / "mkdocs.yml"
    assert build(course).returncode == 0
    whole = snapshot(site)
    (course / "hook.py").write_text(HOOK, encoding="utf-8")
    settings.write_text(f"{OURS}hooks: [hook.py]\n", encoding="utf-8")
    try:
        done = build(course, 2)
    finally:
        settings.write_text(OURS, encoding="utf-8")
        (course / "hook.py").unlink()
    assert done.returncode == 1
    assert "it holds another text there" in done.stderr
    assert snapshot(site) == whole


def test_a_file_is_shared_only_where_it_is_as_a_new_one(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "staged" / "new"
    new.parent.mkdir()
    assert not share_file(old, new, b"text")  # There is none.
    old.write_bytes(b"text")
    assert not share_file(old, new, b"texT")
    assert not share_file(old, new, b"text\n")
    assert not new.exists()
    assert share_file(old, new, b"text")
    assert new.samefile(old)
    # Once more, as after a fork that did it and failed later: not to be written into.
    assert share_file(old, new, b"text")
    other = tmp_path / "staged" / "other"
    other.write_bytes(b"te")
    assert not share_file(old, other, b"text")
    assert other.read_bytes() == b"te"
    for kind, make in {"pipe": os.mkfifo, "folder": os.mkdir}.items():
        make(tmp_path / kind)
        assert not share_file(tmp_path / kind, tmp_path / "staged" / kind, b"")
