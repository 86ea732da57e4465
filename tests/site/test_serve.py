"""``mkdocs serve``: findings are drawn, sources are watched, nothing runs and nothing is written."""

from __future__ import annotations

import contextlib
import http.client
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.site.conftest import clean_environment

LESSON = "docs/lessons/one.md"


def find_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def serve(root: Path, *arguments: str, **environment: str) -> Iterator[str]:
    """A running ``mkdocs serve``; gives its address."""
    port = find_port()
    command = [sys.executable, "-m", "mkdocs", "serve", "-a", f"127.0.0.1:{port}", *arguments]
    log = root / "serve.log"
    with log.open("w") as file:
        server = subprocess.Popen(
            command, cwd=root, env=clean_environment(**environment), stderr=file, stdout=file
        )
        try:
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.send_signal(signal.SIGINT)
            try:
                server.wait(timeout=30)
            except subprocess.TimeoutExpired:
                server.kill()


def fetch_until(address: str, holds: Callable[[str], bool], root: Path) -> str:
    """The page, once it is as wanted; fails with the server's log after a minute and a half."""
    deadline = time.monotonic() + 90
    html = ""
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError, http.client.HTTPException):
            with urllib.request.urlopen(address, timeout=10) as answer:  # noqa: S310
                html = str(answer.read(), "utf-8")
            if holds(html):
                return html
        time.sleep(0.2)
    raise AssertionError((root / "serve.log").read_text() + html[-3000:])


def strip_tags(html: str) -> str:
    """What is read, however its code is coloured."""
    return re.sub(r"<[^>]*>", "", html)


def list_files(root: Path) -> set[str]:
    return {p.relative_to(root).as_posix() for p in root.rglob("*")} - {"serve.log"}


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_findings_are_drawn_and_go_when_they_are_mended(course: Path) -> None:
    edit(course / LESSON, "[256]", "[257]")
    before = list_files(course)
    with serve(course, COURSE_RUN="always") as address:
        page = address + "lessons/one/"
        html = fetch_until(page, lambda text: "course-findings" in text, course)
        assert f"<code>{LESSON}:6:16</code>" in html
        assert "1 finding on this page" in html
        home = fetch_until(address, lambda text: "A course." in text, course)
        assert "1 finding elsewhere in the course" in home
        edit(course / LESSON, "[257]", "[256]")
        html = fetch_until(page, lambda text: "course-findings" not in text, course)
        assert 'data-course-claim="0"' in html
    assert list_files(course) == before


def test_a_changed_program_and_record_are_noticed(course: Path) -> None:
    with serve(course) as address:
        page = address + "lessons/one/"
        fetch_until(page, lambda text: "data-course-directive" in text, course)
        edit(course / "snippets/add/add.cu", "a[i] + b[i]", "a[i] - b[i]")
        html = fetch_until(page, lambda text: "a[i] - b[i]" in strip_tags(text), course)
        assert "course-findings" in html
        assert "stale" in html
        edit(course / "snippets/add/add.cu", "a[i] - b[i]", "a[i] + b[i]")
        fetch_until(page, lambda text: "course-findings" not in text, course)
        edit(course / "evidence/add/nvidia-h200/run-2026-12-01.txt", "0.6255", "0.6256")
        html = fetch_until(page, lambda text: "course-findings" in text, course)
        assert "evidence/add/nvidia-h200/run-2026-12-01.txt:8:" in html


@pytest.mark.parametrize("arguments", [(), ("--clean",)])
def test_a_missing_region_is_a_box_and_no_end(course: Path, arguments: tuple[str, ...]) -> None:
    edit(course / LESSON, "add#block", "add#<b>blok</b>")
    with serve(course, *arguments) as address:
        html = fetch_until(address + "lessons/one/", lambda text: "course-missing" in text, course)
        assert f"<code>{LESSON}:8:1</code>" in html
        assert "<b>blok" not in html


def test_a_course_without_settings_is_told_on_the_page(course: Path) -> None:
    edit(course / "course.toml", "reference_gpu", "referense_gpu")
    with serve(course) as address:
        html = fetch_until(address, lambda text: "course-findings" in text, course)
        assert "course.toml:" in html
