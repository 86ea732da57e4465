"""Does the Makefile say what it does, and only when asked?"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROMISED = ("site", "serve", "test", "lint", "format", "check", "lock", "clean")


def make(*words: str, cwd: Path = ROOT) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(
        ["make", *words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


def test_make_alone_lists_the_targets() -> None:
    listed = dict(re.findall(r"^make ([\w-]+) +(\S.*)$", make(), re.MULTILINE))
    assert set(PROMISED) <= listed.keys()


def test_each_phony_target_is_listed() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (help .*)$", text, re.MULTILINE)
    assert phony
    listed = re.findall(r"^make ([\w-]+) ", make("help"), re.MULTILINE)
    assert listed == [name for name in listed if name in phony[1].split()]
    assert sorted(listed) == sorted(phony[1].split())


def test_the_linter_reads_every_file() -> None:
    words = [str(Path(sys.executable).with_name("ruff")), "check", "--show-files", "."]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    read = {str(Path(line).relative_to(ROOT)) for line in done.stdout.splitlines()}
    listed = ["git", "ls-files", "*.py"]
    files = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "build_tools/site/verify.py" in read
    assert set(files.stdout.splitlines()) - read == set()


def test_the_gate_is_make_test() -> None:
    gate = ROOT / ".ci" / "run"
    assert os.access(gate, os.X_OK)
    lines = gate.read_text(encoding="utf-8").splitlines()
    assert lines[-1] == "exec make test"
    assert "set -euo pipefail" in lines


def copy_makefile(folder: Path) -> None:
    """A tree with a filled environment, newer than what it was made from."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "requirements", folder / "requirements")
    shutil.copytree(ROOT / ".ci", folder / ".ci")
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "python").touch()
    (folder / ".venv" / ".made-in").write_text(f"{folder}\n", encoding="utf-8")
    for path in (*folder.glob("*"), *folder.glob("requirements/*"), *folder.glob(".venv/bin/*")):
        os.utime(path, (1, 1))
    for stamp in (".site", ".test"):
        (folder / ".venv" / stamp).touch()
        os.utime(folder / ".venv" / stamp, (2, 2))


@pytest.mark.parametrize(
    ("changed", "site", "test"),
    [
        (None, False, False),
        ("requirements/test.txt", False, True),
        ("requirements/site.txt", True, True),
        ("pyproject.toml", True, True),
    ],
)
def test_installs_follow_the_locks(
    tmp_path: Path, changed: str | None, site: bool, test: bool
) -> None:
    copy_makefile(tmp_path)
    if changed:
        os.utime(tmp_path / changed, (3, 3))
    asked = make("--dry-run", ".venv/.test", cwd=tmp_path)
    assert ("--requirement requirements/site.txt" in asked) is site
    assert ("--requirement requirements/test.txt" in asked) is test


def test_a_moved_tree_is_installed_anew(tmp_path: Path) -> None:
    copy_makefile(tmp_path)
    (tmp_path / ".venv" / ".made-in").write_text("/elsewhere\n", encoding="utf-8")
    asked = make("--dry-run", ".venv/.test", cwd=tmp_path)
    assert ".ci/prepare venv .venv" in asked
    assert "--requirement requirements/site.txt" in asked


def test_evidence_and_programs_are_kept_byte_for_byte() -> None:
    paths = ["snippets/a/a.cu", "snippets/a/program.toml", "evidence/a/gpu/run.txt"]
    done = subprocess.run(
        ["git", "check-attr", "text", "--", *paths],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == [f"{path}: text: unset" for path in paths]
