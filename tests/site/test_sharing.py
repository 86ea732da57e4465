"""Several processes make the same site as one, and are seen by nobody."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.benchmarks.build_speed import write_ours
from tests.site.conftest import clean_environment, snapshot

LESSONS = 20


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("shared") / "course"
    write_ours(root, LESSONS)
    return root


def build(root: Path, site: str, jobs: int, *options: str) -> tuple[int, int, str]:
    """The exit code of a build, how many processes it forked off, and what it said."""
    code = textwrap.dedent(
        """
        import os, sys
        import click
        from mkdocs.__main__ import cli
        fork, forked = os.fork, []
        def count():
            forked.append(fork())
            return forked[-1]
        os.fork = count
        try:
            status = cli(sys.argv[1:], standalone_mode=False)
        except click.ClickException as error:
            error.show()
            status = error.exit_code
        except SystemExit as error:
            status = error.code
        print("status", status or 0, len(forked))
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "build", "--site-dir", site, *options],
        cwd=root,
        env={**clean_environment(), "COURSE_JOBS": f"{jobs}"},
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    said, _, end = done.stdout.rpartition("status ")
    status, forked = end.split()
    return int(status), int(forked), said + done.stderr


def forget(root: Path) -> None:
    for path in (root / ".cache" / "course" / "site").iterdir():
        path.unlink()


def test_several_processes_make_the_same_site_as_one(course: Path, tmp_path: Path) -> None:
    sites = [str(tmp_path / name) for name in ("one", "two", "again")]
    assert build(course, sites[0], 1, "--strict")[:2] == (0, 0)
    forget(course)
    status, forked, said = build(course, sites[1], 2, "--strict")
    # Programs, records, claims, downloads, conversions and drawings.
    assert (status, forked) == (0, 6), said
    # What is known from before is shared with nobody; downloads are put there all the same.
    assert build(course, sites[2], 2, "--strict")[:2] == (0, 1)
    first, second, third = (snapshot(Path(site)) for site in sites)
    assert first.keys() == second.keys() == third.keys()
    assert [path for path in first if not first[path] == second[path] == third[path]] == []


def test_what_is_wrong_is_told_once_with_several_processes(course: Path, tmp_path: Path) -> None:
    lessons = sorted((course / "docs").glob("chapter-*/*.md"))
    texts = {path: path.read_text(encoding="utf-8") for path in lessons[3:8]}
    try:
        for path, text in texts.items():
            path.write_text(f"{text}\nIt has [257](claim:{path.stem}.source.kBlock) threads.\n")
        told = []
        for jobs in (1, 2):
            forget(course)
            status, _, said = build(course, str(tmp_path / "site"), jobs)
            assert status == 1
            told.append(re.sub(r"staging-[0-9a-f-]+", "staging", said))
        assert told[0] == told[1]
        assert told[0].count("stated:") == len(texts)
    finally:
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")


def test_what_mkdocs_says_of_a_page_is_said_once(course: Path, tmp_path: Path) -> None:
    lesson = min((course / "docs").glob("chapter-*/*.md"))
    text = lesson.read_text(encoding="utf-8")
    try:
        lesson.write_text(f"{text}\nSee [nowhere](nowhere.md).\n", encoding="utf-8")
        forget(course)
        status, _, said = build(course, str(tmp_path / "site"), 2)
        assert status == 0
        assert said.count("contains a link 'nowhere.md'") == 1
    finally:
        lesson.write_text(text, encoding="utf-8")
