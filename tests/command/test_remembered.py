"""A run that has nothing to do says so at once, and never because of what was true before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from build_tools.command import remembered
from build_tools.command.main import cli
from build_tools.source.store import FOLDER, open_store, write_entry
from tests.course_factory import make_example


@pytest.fixture(name="root")
def make_root(tmp_path: Path) -> Path:
    make_example(tmp_path)
    (tmp_path / "snippets/quantities.toml").write_text("")
    part = tmp_path / "evidence/add/nvidia-h200/run-2026-12-01/build.txt"
    assert part.is_file()
    return tmp_path


RUN = frozenset({"run"})


def run(root: Path, *names: str) -> Result:
    """The timed runs alone: what a reader copies was never checked here."""
    return CliRunner().invoke(cli, ["--root", str(root), "run", "--parts", "run", *names])


def is_known(root: Path, *names: str, parts: frozenset[str] | None = RUN) -> bool:
    return remembered.recall_nothing(root, names, parts) is not None


def forbid_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever reads a program now fails."""

    def fail(*_: object) -> None:
        raise AssertionError("the sources were read")

    monkeypatch.setattr("build_tools.command.build.read_sources", fail)


def test_the_second_run_reads_nothing_and_says_the_same(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(root)
    assert first.exit_code == 0, first.output
    assert "add: verified by run-" in first.output
    forbid_reading(monkeypatch)
    second = run(root)
    assert (second.exit_code, second.output) == (0, first.output)


def edit_record(root: Path) -> None:
    path = next((root / "evidence/add/nvidia-h200").glob("run-*.json"))
    path.write_text(path.read_text().replace('"sm_count": 132', '"sm_count": 133'))


def edit_transcript(root: Path) -> None:
    path = next((root / "evidence/add/nvidia-h200").glob("run-*.txt"))
    path.write_text(path.read_text().replace("1", "7", 1))


def edit_kernel(root: Path) -> None:
    path = root / "snippets/add/add.cu"
    path.write_text(path.read_text().replace("int main(", "int   main(", 1))


def edit_facts(root: Path) -> None:
    path = root / "snippets/quantities.toml"
    path.write_text(path.read_text() + "\n# more\n")


def edit_settings(root: Path) -> None:
    path = root / "course.toml"
    path.write_text(path.read_text().replace("NVIDIA H200", "NVIDIA H100"))


def remove_report(root: Path) -> None:
    (root / "evidence/add/nvidia-h200/run-2026-12-01/build.txt").unlink()


def add_stray(root: Path) -> None:
    (root / "evidence/add/nvidia-h200/run-2020-01-01.txt").write_text("")


@pytest.mark.parametrize(
    "edit",
    [
        edit_record,
        edit_transcript,
        edit_kernel,
        edit_facts,
        edit_settings,
        remove_report,
        add_stray,
    ],
)
def test_whatever_changes_is_looked_at_again(root: Path, edit: Callable[[Path], None]) -> None:
    assert run(root).exit_code == 0
    assert is_known(root)
    edit(root)
    assert not is_known(root)


def test_the_tools_themselves_are_part_of_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(root).exit_code == 0
    monkeypatch.setattr(remembered, "digest_tools", lambda: "another version")
    assert not is_known(root)


def test_another_question_has_its_own_answer(root: Path) -> None:
    assert run(root, "add").exit_code == 0
    assert is_known(root, "add")
    assert not is_known(root)
    assert not is_known(root, "add", parts=None)


def list_kept(root: Path) -> list[Path]:
    return sorted((root / FOLDER).glob(f"{remembered.KIND}-*"))


def test_what_is_wrong_is_not_remembered(root: Path) -> None:
    edit_record(root)
    assert run(root).exit_code != 0
    assert not list_kept(root)


@pytest.mark.parametrize("damage", [b"", b"[]", b"\x00" * 99])
def test_a_damaged_memory_is_none(root: Path, damage: bytes) -> None:
    assert run(root).exit_code == 0
    (kept,) = list_kept(root)
    kept.write_bytes(damage)
    assert not is_known(root)
    assert run(root).exit_code == 0
    assert is_known(root)


@pytest.mark.parametrize("other", [{"lines": 3}, [3], "a line"])
def test_what_is_no_list_of_lines_is_none(root: Path, other: object) -> None:
    store = open_store(root, {})
    assert store is not None
    key = remembered.compute_ground_digest(root, (), RUN)
    write_entry(store, remembered.KIND, key, other)
    assert not is_known(root)


def test_it_can_be_switched_off(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_CACHE", "off")
    assert run(root).exit_code == 0
    assert not list_kept(root)


def test_a_tree_that_cannot_be_written_is_no_trouble(root: Path) -> None:
    (root / ".cache").write_text("a file where the folder would be")
    assert run(root).exit_code == 0
