"""Does a machine that lacks something get it, or the words that say how?"""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PREPARE = ROOT / ".ci" / "prepare"
# What the script itself uses; everything else on its PATH is a test's own.
TOOLS = ("sh", "cat", "mktemp", "rm", "tail", "env", "true")
OLD_PYTHON = '[ "$1" = --version ] && { echo Python 3.9.2; exit; }; exit 1'
# Real environments, except that pip is borrowed: unpacking it takes most of the time.
QUICK = f'[ "$1 $2" = "-m venv" ] && set -- -m venv --without-pip "$3"; exec {sys.executable} "$@"'
NO_VENV = f'case "$2" in *ensurepip*) exit 1;; esac; exec {sys.executable} "$@"'


def write_command(folder: Path, name: str, body: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder of commands that is all a machine has, used by a person without rights."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in TOOLS:
        found = next(p for p in (Path("/bin") / tool, Path("/usr/bin") / tool) if p.exists())
        (folder / tool).symlink_to(found)
    write_command(folder, "id", "echo 1000")
    return folder


def give_packages(machine: Path, script: str) -> Path:
    """Make the person root, on a machine whose apt-get writes down what it is asked."""
    log = machine.parent / "apt.log"
    write_command(machine, "id", "echo 0")
    write_command(machine, "apt-get", f'echo "$@" >>{log}\n{script}')
    return log


def prepare(machine: Path, *words: str, **extra: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(PREPARE), *words],
        cwd=machine.parent,
        env={"PATH": str(machine), "PYTHONPATH": sysconfig.get_path("purelib"), **extra},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )


def test_a_venv_is_made_once(machine: Path) -> None:
    write_command(machine, "python3", QUICK)
    assert prepare(machine, "venv", ".venv").returncode == 0
    python = machine.parent / ".venv" / "bin" / "python"
    prefix = [str(python), "-c", "import sys; print(sys.prefix)"]
    done = subprocess.run(prefix, capture_output=True, text=True, check=True)
    assert done.stdout == f"{machine.parent / '.venv'}\n"
    kept = machine.parent / ".venv" / "kept"
    kept.touch()
    assert prepare(machine, "venv", ".venv").returncode == 0
    assert kept.exists()
    # One that came with a copied tree is made anew.
    (machine.parent / ".venv" / ".made-in").write_text("/elsewhere\n", encoding="utf-8")
    assert prepare(machine, "venv", ".venv").returncode == 0
    assert not kept.exists()


def test_an_old_python_is_named(machine: Path) -> None:
    write_command(machine, "python3", OLD_PYTHON)
    done = prepare(machine, "venv", ".venv")
    assert done.returncode == 1
    assert "Python 3.11 or later is needed; python3 is Python 3.9.2." in done.stderr
    assert "make PYTHON=" in done.stderr


def test_a_later_python_is_found_beside_an_old_one(machine: Path) -> None:
    write_command(machine, "python3", OLD_PYTHON)
    write_command(machine, "python3.12", QUICK)
    assert prepare(machine, "venv", ".venv").returncode == 0


def test_the_named_python_is_the_only_one_tried(machine: Path) -> None:
    write_command(machine, "python3", QUICK)
    old = write_command(machine, "old-python", OLD_PYTHON)
    done = prepare(machine, "venv", ".venv", PYTHON=str(old))
    assert done.returncode == 1
    assert f"{old} is Python 3.9.2" in done.stderr


def test_without_venv_the_package_is_named(machine: Path) -> None:
    write_command(machine, "python3", NO_VENV)
    done = prepare(machine, "venv", ".venv")
    assert done.returncode == 1
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert f"sudo apt-get install python{version}-venv" in done.stderr


def test_root_installs_venv(machine: Path) -> None:
    write_command(machine, "python3", NO_VENV)
    # Installing puts a Python that can in its place.
    able = write_command(machine.parent, "able-python", QUICK)
    log = give_packages(machine, f'[ "$1" = update ] || cat {able} >{machine}/python3')
    done = prepare(machine, "venv", ".venv")
    assert done.returncode == 0, done.stderr
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert log.read_text(encoding="utf-8").splitlines() == [
        "update",
        f"install --yes --no-install-recommends python{version}-venv",
    ]


def test_a_command_that_is_there_is_left_alone(machine: Path) -> None:
    log = give_packages(machine, "exit 0")
    write_command(machine, "g++", "exit 0")
    assert prepare(machine, "command", "g++").returncode == 0
    assert not log.exists()


@pytest.mark.parametrize("name", ["g++", "git"])
def test_a_missing_command_is_installed_or_named(machine: Path, name: str) -> None:
    done = prepare(machine, "command", name)
    assert done.returncode == 1
    assert f"The command {name} is needed." in done.stderr
    assert f"sudo apt-get install {name}" in done.stderr
    log = give_packages(machine, "exit 0")
    assert prepare(machine, "command", name).returncode == 0
    assert f"--no-install-recommends {name}\n" in log.read_text(encoding="utf-8")


def test_a_failing_apt_is_quoted(machine: Path) -> None:
    give_packages(machine, "echo 'E: Unable to locate package'; exit 100")
    done = prepare(machine, "command", "g++")
    assert done.returncode == 1
    assert "E: Unable to locate package" in done.stderr
    assert "sudo apt-get install g++" in done.stderr


def test_sudo_is_used_where_it_asks_nothing(machine: Path) -> None:
    log = give_packages(machine, "exit 0")
    write_command(machine, "id", "echo 1000")
    write_command(machine, "sudo", 'shift; echo sudo >>"$LOG"; exec "$@"')
    assert prepare(machine, "command", "g++", LOG=str(log)).returncode == 0
    # Once to ask whether it may, then for update and install.
    assert [line.split()[0] for line in log.read_text(encoding="utf-8").splitlines()] == [
        "sudo",
        "sudo",
        "update",
        "sudo",
        "install",
    ]


def test_a_browser_must_start(machine: Path) -> None:
    write_command(machine, "chromium", "echo 'install the snap'; exit 1")
    chrome = write_command(machine, "google-chrome", "echo Chrome 1")
    done = prepare(machine, "browser")
    assert done.returncode == 0
    assert done.stdout == f"{chrome}\n"


def test_without_a_browser_the_ways_are_named(machine: Path) -> None:
    write_command(machine, "chromium", "exit 1")
    done = prepare(machine, "browser")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "sudo apt-get install chromium" in done.stderr
    assert "make test CHROMIUM=" in done.stderr


def test_a_named_browser_that_does_not_start_is_said(machine: Path) -> None:
    done = prepare(machine, "browser", CHROMIUM="/nowhere/chrome")
    assert done.returncode == 1
    assert "CHROMIUM is /nowhere/chrome, which does not start." in done.stderr


def test_wrong_words_are_refused(machine: Path) -> None:
    done = prepare(machine, "venv")
    assert done.returncode == 1
    assert "usage: prepare" in done.stderr
    assert os.access(PREPARE, os.X_OK)
