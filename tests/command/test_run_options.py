"""Which parts does `course run` look at, and what does it say to names that are none?"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from build_tools.command.main import cli
from build_tools.measure import campaign
from build_tools.measure.ground import ALL_PARTS, Repeats
from tests.parts_factory import make_parts_course


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("parts")
    make_parts_course(base)
    return base


def run(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["--root", str(root), "run", *arguments])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("counter", "no part `counter`; did you mean `counters`?"),
        ("run,list", "no part `list`; did you mean `listings`?"),
        (
            ",",
            "no part at all; known: `check`, `counters`, `listings`, `mutants`, `run`, `sanitizers`",
        ),
    ],
)
def test_a_part_that_is_none(root: Path, value: str, said: str) -> None:
    result = run(root, "--parts", value)
    assert result.exit_code == 2
    assert said in " ".join(result.output.replace("│", " ").split())


@pytest.mark.parametrize(
    ("arguments", "parts", "force", "timings"),
    [
        ((), ALL_PARTS, False, False),
        (("--parts", "run"), {"run"}, False, False),
        (("--parts", "counters, mutants", "--timings"), {"counters", "mutants"}, False, True),
        (("--force",), ALL_PARTS, True, False),
    ],
)
def test_what_is_asked_reaches_the_campaign(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    parts: set[str],
    force: bool,
    timings: bool,
) -> None:
    asked = []

    def record(*_: object, **options: object) -> list[object]:
        asked.append(options["extent"])
        return []

    monkeypatch.setattr(campaign, "run_campaign", record)
    assert run(root, *arguments).exit_code == 0
    (extent,) = asked
    assert (extent.parts, extent.force, extent.timings) == (parts, force, timings)  # type: ignore[attr-defined]


def test_parts_that_are_fresh_are_not_made_again(root: Path) -> None:
    """Whatever is fresh needs neither GPU nor tools; the record lacks its check, so not that."""
    result = run(root, "--parts", "counters,sanitizers,mutants,listings")
    assert result.exit_code == 0, result.output
    assert "no findings" in result.output


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("ten", "`ten` is no number; write 10, or 10-20"),
        ("0", "`0` is not within 1 to 1000"),
        ("10-1001", "`10-1001` is not within 1 to 1000"),
        ("20-10", "`20-10` ends before it begins; write 10-20"),
        ("10-", "`10-` is no number"),
    ],
)
def test_a_number_of_processes_that_is_none(root: Path, value: str, said: str) -> None:
    result = run(root, "--repeats", value)
    assert result.exit_code == 2
    assert said in " ".join(result.output.replace("│", " ").split())


@pytest.mark.parametrize(
    ("arguments", "settings", "least", "most"),
    [
        ((), "", 10, 20),
        ((), "repeats = 30\n", 30, 30),
        ((), "repeats = 4\nrepeats_at_most = 6\n", 4, 6),
        (("--repeats", "3"), "repeats_at_most = 15\n", 3, 3),
        (("--repeats", "12-40"), "", 12, 40),
    ],
)
def test_how_many_processes_the_campaign_is_asked_for(
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    settings: str,
    least: int,
    most: int,
) -> None:
    own = tmp_path / "course"
    shutil.copytree(root, own)
    asked = []

    def record(*_: object, **options: object) -> list[object]:
        asked.append(options["repeats"])
        return []

    monkeypatch.setattr(campaign, "run_campaign", record)
    path = own / "course.toml"
    path.write_text(path.read_text().replace("[course]\n", f"[course]\n{settings}"))
    assert run(own, "--force", *arguments).exit_code == 0
    assert asked == [Repeats(least, most)]
