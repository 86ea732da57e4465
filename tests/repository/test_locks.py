"""Do the locks pin what pyproject.toml asks for, with hashes, and agree with each other?"""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCKS = {"site": ("site",), "test": ("site", "test"), "gpu": ("gpu",)}
PIN = re.compile(r"^(?P<name>[a-z0-9][a-z0-9.-]*)==(?P<version>[^ ;]+)(?P<rest>.*)$")


def read_lock(name: str) -> dict[str, list[str]]:
    """Name to the pin's lines, as they stand in the lock."""
    pins: dict[str, list[str]] = {}
    current = ""
    for line in (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.lstrip().startswith("#"):
            continue
        if found := PIN.match(line):
            current = found["name"]
            # One version on each Python: else the same pages differ from machine to machine.
            assert current not in pins, f"{name}.txt pins {current} twice"
            pins[current] = [found["version"]]
        elif line.startswith("    --hash=sha256:"):
            pins[current].append(line.strip().rstrip(" \\"))
        else:
            pytest.fail(f"requirements/{name}.txt: {line!r} is neither a pin nor a hash")
    return pins


def read_requirements(extras: tuple[str, ...]) -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    texts = list(project["project"]["dependencies"])
    for extra in extras:
        texts += project["project"]["optional-dependencies"][extra]
    texts += project["dependency-groups"]["build"]
    return [Requirement(text) for text in texts]


@pytest.mark.parametrize("name", LOCKS)
def test_each_requirement_is_pinned(name: str) -> None:
    pins = read_lock(name)
    behind = [
        str(requirement)
        for requirement in read_requirements(LOCKS[name])
        if not requirement.specifier.contains(
            pins.get(canonicalize_name(requirement.name), ["0"])[0], prereleases=True
        )
    ]
    assert behind == [], f"requirements/{name}.txt is behind pyproject.toml: run make lock"


@pytest.mark.parametrize("name", [*LOCKS, "lock"])
def test_each_pin_has_hashes(name: str) -> None:
    assert [pin for pin, lines in read_lock(name).items() if len(lines) < 2] == []


def test_locks_agree() -> None:
    everything = read_lock("test")
    for name in ("site", "gpu"):
        for pin, lines in read_lock(name).items():
            assert everything.get(pin, lines)[0] == lines[0], f"{pin}: {name}.txt and test.txt"
    assert read_lock("site").keys() <= everything.keys()


@pytest.mark.parametrize("name", [*LOCKS, "lock"])
def test_no_lock_names_a_host(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    assert "://" not in text
    assert "-index" not in text
