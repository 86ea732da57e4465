"""Templates are compiled once for a user, and nothing scrambled or of others is run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from build_tools.pages.compiled_templates import open_compiled_templates

PROBE = """
import jinja2
from build_tools.pages import template
environment = template._load_environment.__wrapped__()
parsed = []
parse = jinja2.Environment._parse
jinja2.Environment._parse = lambda *a: parsed.append(a[2]) or parse(*a)
print(sorted(environment.get_template("foot.html").blocks), *parsed)
"""


@pytest.fixture
def temporary(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "temporary"
    place.mkdir()
    yield place
    place.chmod(0o700)


def load_foot(temporary: Path, **more: str) -> str:
    """What is said by a process that loads one template: its blocks, and what it had to parse."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        env={**os.environ, "TMPDIR": str(temporary), "COURSE_CACHE": "", **more},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.strip()


def list_kept(temporary: Path) -> list[Path]:
    return [path for path in temporary.rglob("*") if path.is_file()]


def test_a_template_is_compiled_once(temporary: Path) -> None:
    assert load_foot(temporary) == "[] foot.html"
    assert load_foot(temporary) == "[]"
    (kept,) = list_kept(temporary)
    assert kept.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("harm", ["flip", "cut", "empty", "folder"])
def test_what_is_not_as_it_was_kept_is_compiled_again(temporary: Path, harm: str) -> None:
    load_foot(temporary)
    (kept,) = list_kept(temporary)
    data = kept.read_bytes()
    if harm == "folder":
        kept.unlink()
        kept.mkdir()
    else:
        flipped = data[:-40] + bytes([data[-40] ^ 1]) + data[-39:]
        kept.write_bytes({"flip": flipped, "cut": data[:-1], "empty": b""}[harm])
    assert load_foot(temporary) == "[] foot.html"
    if harm != "folder":
        assert load_foot(temporary) == "[]"


def test_nothing_is_kept_where_the_environment_says_so(temporary: Path) -> None:
    for _ in range(2):
        assert load_foot(temporary, COURSE_CACHE="off") == "[] foot.html"
    assert list_kept(temporary) == []


def test_no_folder_of_somebody_else_is_used(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = temporary / "elsewhere"
    elsewhere.mkdir()
    (temporary / f"_jinja2-cache-{os.getuid()}").symlink_to(elsewhere)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    assert open_compiled_templates() is None
    assert list(elsewhere.iterdir()) == []


def test_a_folder_that_is_gone_costs_nothing_but_time(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(temporary / "gone"))
    assert open_compiled_templates() is None
