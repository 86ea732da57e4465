"""Does evidence reach the disk whole or not at all, and never over what is there?"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from build_tools.diagnostics.finding import Kind
from build_tools.evidence.shelf import read_shelf
from build_tools.measure.deposit import (
    LOCK,
    LockHeldError,
    check_writable,
    choose_identity,
    hold_lock,
    replace_file,
    stamp_loaded,
    write_files,
)
from build_tools.source.settings import read_settings
from tests.course_factory import add_record, load_program, make_transcripts


def list_files(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != LOCK
    }


def test_a_second_record_of_a_day_stands_beside_the_first(course: Path) -> None:
    before = list_files(course)
    paths = [add_record(course, "add", make_transcripts()) for _ in range(2)]
    assert [path.rpartition("/")[2] for path in paths] == [
        "run-2026-12-01-2.json",
        "run-2026-12-01-3.json",
    ]
    after = list_files(course)
    kept = {path: after[path] for path in before if path.startswith("evidence/")}
    assert kept == {path: data for path, data in before.items() if path.startswith("evidence/")}


@pytest.mark.parametrize("name", ["run-2026-12-09.txt", "run-2026-12-09.json", "run-2026-12-09"])
def test_anything_under_a_name_takes_it(course: Path, name: str) -> None:
    folder = "evidence/add/nvidia-h200"
    (course / folder / name).symlink_to("nowhere")
    assert choose_identity(course, folder, "2026-12-09") == "run-2026-12-09-2"
    assert choose_identity(course, folder, "2026-12-10") == "run-2026-12-10"


def test_a_number_that_became_free_is_not_given_again(course: Path) -> None:
    """Or the newest record would have the first one's name."""
    folder = "evidence/add/nvidia-h200"
    for name in ("run-2026-12-09-3.json", "run-2026-12-09-x.json", "counters-2026-12-09-7.json"):
        (course / folder / name).write_text("")
    assert choose_identity(course, folder, "2026-12-09") == "run-2026-12-09-4"
    assert choose_identity(course, folder, "2026-12-09", "counters") == "counters-2026-12-09-8"
    assert choose_identity(course, folder, "2026-12-09", "mutants") == "mutants-2026-12-09"


def test_files_are_written_all_or_none(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there/old").write_bytes(b"old")
    files = {"new/a/one": b"1", "new/two": b"2", "there/old": b"3"}
    with pytest.raises(FileExistsError):
        write_files(tmp_path, files)
    assert list_files(tmp_path) == {"there/old": b"old"}
    assert [p.name for p in tmp_path.iterdir()] == ["there"]
    write_files(tmp_path, {"new/a/one": b"1"})
    assert list_files(tmp_path)["new/a/one"] == b"1"
    assert (tmp_path / "new/a/one").stat().st_mode & 0o777 == 0o644


def test_an_interrupt_while_writing_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = os.link

    def interrupt(source: str, target: Path) -> None:
        if target.name == "three":
            raise KeyboardInterrupt
        link(source, target)

    monkeypatch.setattr(os, "link", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_files(tmp_path, {"a/one": b"1", "a/two": b"2", "b/three": b"3"})
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_replaced_in_one_step_and_keeps_its_permissions(tmp_path: Path) -> None:
    target = tmp_path / "x"
    target.write_bytes(b"old")
    target.chmod(0o640)
    replace_file(target, b"new")
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    with FileLock(tmp_path / LOCK), pytest.raises(LockHeldError), hold_lock(tmp_path, 0.1):
        pass
    with hold_lock(tmp_path, 0.1):
        pass


def test_two_recordings_at_once_lose_nothing(course: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from tests.course_factory import add_record, make_transcripts\n"
        "texts = [text + sys.argv[2] for text in make_transcripts()]\n"
        "add_record(Path(sys.argv[1]), 'add', texts, stamp=False)\n"
    )
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(course), f"worker {number}\n"],
            cwd=Path(__file__).parents[2],
        )
        for number in range(3)
    ]
    assert [worker.wait(timeout=240) for worker in workers] == [0, 0, 0]
    settings, _ = read_settings(course)
    shelf, findings = read_shelf(course, load_program(course, "add"), settings)
    assert len(shelf.fresh) == 4
    assert not [f for f in findings if f.kind is not Kind.STAMP]


def test_a_tree_that_takes_no_files_is_said_before_anything_runs(
    course: Path, tmp_path: Path
) -> None:
    program = load_program(course, "add")
    assert not check_writable(course, program, None)
    assert not check_writable(course, program, tmp_path / "x.tgz")
    (finding,) = check_writable(course, program, tmp_path / "no/such/folder/x.tgz")
    assert "nothing can be written into" in finding.true
    assert not finding.checked
    # A file where the folder belongs takes no files either, not even for root.
    (course / "evidence").rename(course / "kept")
    (course / "evidence").write_text("")
    (finding,) = check_writable(course, program, None)
    assert "Not a directory" in finding.true
    assert "--bundle FILE" in finding.advice
    assert str(finding.place) == "snippets/add/add.cu:6:11"


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes into read-only folders")
def test_a_read_only_tree(course: Path) -> None:
    program = load_program(course, "add")
    (course / "evidence").chmod(0o555)
    try:
        (finding,) = check_writable(course, program, None)
    finally:
        (course / "evidence").chmod(0o755)
    assert "Permission denied" in finding.true


def test_a_stamp_that_agrees_writes_nothing(course: Path) -> None:
    settings, _ = read_settings(course)
    program = load_program(course, "add")
    shelf, _ = read_shelf(course, program, settings)
    assert shelf.shown_record is not None
    before = list_files(course)
    assert stamp_loaded(course, program, shelf.shown_record) == []
    (course / "snippets/add/README.md").unlink()
    source = course / "snippets/add/add.cu"
    source.write_bytes(source.read_bytes().replace(b"Verified 2026", b"Verified 2025"))
    assert [str(written) for written in stamp_loaded(course, program, shelf.shown_record)] == [
        "snippets/add/add.cu (its Verified paragraph)",
        "snippets/add/README.md (new)",
    ]
    assert list_files(course) == before
