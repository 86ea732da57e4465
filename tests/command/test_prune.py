"""`course prune`: which records go, why others stay, and that nothing is lost half-way."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import msgspec
import pytest

from build_tools.measure import withdraw
from build_tools.measure.deposit import LockHeldError
from build_tools.measure.withdraw import GONE, TRASH, restore_trash, withdraw_files
from tests.command.asking import ask, ask_json, commit_all, make_asked, run_git, write_page
from tests.course_factory import DEVICE, add_record, make_transcripts

FOLDER = "evidence/add/nvidia-h200"
OLD_DRIVER = msgspec.structs.replace(DEVICE, driver="570.10")
PAGE = """\
It is [2.05×](claim:add.speedup["large"]) as fast, of [4.8 TB/s](given:peak), [more](claim:add.doubled > add.speedup["large"]).

/// snippet | add#add-kernel
///
"""


def shift_transcripts(by: float) -> list[str]:
    """The example's transcripts with the speed-up of the large case moved."""

    def move(match: re.Match[str]) -> str:
        return f"is {float(match[1]) + by:.3f}x"

    return [re.sub(r"is (2\.\d+)x", move, text) for text in make_transcripts()]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two stale records; two on an old driver, a literal resting on the second; a pool of two."""
    root = tmp_path_factory.mktemp("prune")
    make_asked(root)
    for path in (root / FOLDER).iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    source = root / "snippets" / "add" / "add.cu"
    now = source.read_text()
    source.write_text(now.replace("kBlock = 256", "kBlock = 128"))
    for day in (2, 3):
        add_record(root, "add", make_transcripts(), started=f"2026-12-0{day}T09:30:00Z")
    source.write_text(now)
    for day, by in ((4, 0.02), (5, 0.0)):
        started = f"2026-12-0{day}T09:30:00Z"
        add_record(root, "add", shift_transcripts(by), started=started, device=OLD_DRIVER)
    for day in (6, 7):
        add_record(root, "add", shift_transcripts(0.006), started=f"2026-12-0{day}T09:30:00Z")
    write_page(root, PAGE)
    commit_all(root)
    return root


@pytest.fixture
def changed(course: Path, tmp_path: Path) -> Path:
    root = tmp_path / "course"
    shutil.copytree(course, root)
    return root


def list_days(root: Path) -> list[int]:
    """The days of the month of the records that are there."""
    return sorted(int(path.stem[-2:]) for path in (root / FOLDER).glob("*.json"))


def read_all(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git" not in path.parts and path.name != ".course.lock"
    }


def test_a_dry_run_tells_each_fate_and_removes_nothing(course: Path) -> None:
    assert ask(course, "check")[1].endswith("no findings\n")
    before = read_all(course)
    status, output = ask(course, "prune")
    assert status == 0
    assert read_all(course) == before
    lines = output.splitlines()
    assert lines[0].startswith(
        f"stays  {FOLDER}/run-2026-12-07.json  (2026-12-07, fresh): pages show it; "
        "snippets/add/add.cu:"
    )
    assert "snippets/add/README.md:" in lines[0]
    assert lines[0].endswith("names it; it is the newest")
    assert lines[1] == (
        f"stays  {FOLDER}/run-2026-12-06.json  (2026-12-06, fresh): "
        "it is fresh and in the newest pool"
    )
    assert lines[2] == (
        f"stays  {FOLDER}/run-2026-12-05.json  (2026-12-05, fresh): "
        "docs/page.md:1:7 `2.05×` rests on it"
    )
    assert lines[3] == (
        f"goes   {FOLDER}/run-2026-12-04.json  (2026-12-04, fresh): "
        "it is out of the newest pool, and no literal rests on it"
    )
    assert lines[4].startswith(f"goes   {FOLDER}/run-2026-12-03.json  (2026-12-03, stale): ")
    assert lines[-2] == "3 records with 66 files would be removed, 3 stay"
    assert lines[-1] == "    do: say --yes to remove them"


def test_removing_leaves_a_course_without_findings(changed: Path) -> None:
    before = read_all(changed)
    status, output = ask(changed, "prune", "--yes")
    assert status == 0
    assert "3 records with 66 files removed, 3 stay" in output
    assert f"gone   {FOLDER}/run-2026-12-02.json" in output
    assert list_days(changed) == [5, 6, 7]
    after = read_all(changed)
    gone = set(before) - set(after)
    assert len(gone) == 66
    assert all(re.match(rf"{FOLDER}/run-2026-12-0[234]\b", path) for path in gone)
    assert all(before[path] == after[path] for path in set(after) & set(before))
    assert not (changed / FOLDER / "run-2026-12-02").exists()
    assert not list(changed.glob(".course-*-*"))
    assert ask(changed, "check")[1].endswith("no findings\n")
    commit_all(changed)
    assert ask(changed, "prune", "--yes")[1].startswith("stays")
    assert list_days(changed) == [5, 6, 7]


def test_of_two_records_that_hold_a_literal_one_stays(changed: Path) -> None:
    started = "2026-12-05T19:30:00Z"
    add_record(
        changed, "add", shift_transcripts(0.0), started=started, device=OLD_DRIVER, stamp=False
    )
    fates = {f["path"][-16:]: f for f in ask_json(changed, "prune")["fates"]}
    assert fates["2026-12-05-2.json"[-16:]]["goes"] is False
    assert fates["-2026-12-05.json"]["goes"] is True


def test_the_newest_are_kept_by_number(course: Path) -> None:
    fates = ask_json(course, "prune", "--keep", "5")["fates"]
    assert [f["goes"] for f in fates] == [False] * 5 + [True]
    assert fates[4]["reasons"] == ["it is among the newest 5"]
    none_kept = ask_json(course, "prune", "--keep", "0")["fates"]
    assert [f["goes"] for f in none_kept] == [False] * 3 + [True] * 3
    assert ask(course, "prune", "--keep", "-1")[0] == 2


def test_the_newest_stays_though_all_are_stale(changed: Path) -> None:
    source = changed / "snippets" / "add" / "add.cu"
    source.write_text(source.read_text().replace("kBlock = 256", "kBlock = 512"))
    fates = ask_json(changed, "prune")["fates"]
    assert [f["goes"] for f in fates] == [False] + [True] * 5
    assert any("add.cu:" in reason for reason in fates[0]["reasons"])


def test_what_a_page_names_stays(changed: Path) -> None:
    write_page(changed, PAGE + f"\nSee `{FOLDER}/run-2026-12-02.txt`, not run-2026-12-03.\n")
    fates = {f["date"]: f for f in ask_json(changed, "prune")["fates"]}
    assert fates["2026-12-02"]["reasons"] == ["docs/page.md:6 names it"]
    assert fates["2026-12-03"]["goes"]


def test_what_a_quantity_names_stays(changed: Path) -> None:
    declaration = changed / "snippets" / "add" / "program.toml"
    old = 'then = \'records["run-2026-12-04"].speedup["large"]\'\n'
    declaration.write_text(declaration.read_text() + old)
    fates = {f["date"]: f for f in ask_json(changed, "prune")["fates"]}
    assert not fates["2026-12-04"]["goes"]
    (reason,) = fates["2026-12-04"]["reasons"]
    assert reason.startswith("snippets/add/program.toml:")
    assert reason.endswith("rests on it")


def test_records_of_other_devices_stay(changed: Path) -> None:
    device = msgspec.structs.replace(DEVICE, model="NVIDIA A100")
    path = add_record(changed, "add", make_transcripts(), device=device, stamp=False)
    commit_all(changed)
    output = ask(changed, "prune", "--yes")[1]
    assert "records of other devices: 1, all stay" in output
    assert (changed / path).exists()


@pytest.mark.parametrize(
    ("path", "content", "said"),
    [
        ("docs/bad.md", b"\xff\n", "docs/bad.md:1:1: could not be checked"),
        (f"{FOLDER}/notes.txt", b"mine\n", f"{FOLDER}/notes.txt:1:1: no record in"),
        (f"{FOLDER}/run-2026-12-08.json", b"{", f"{FOLDER}/run-2026-12-08.json:1:2: the file"),
    ],
)
def test_what_is_in_doubt_forbids_removal(
    changed: Path, path: str, content: bytes, said: str
) -> None:
    (changed / path).write_bytes(content)
    commit_all(changed)
    before = read_all(changed)
    status, output = ask(changed, "prune", "--yes")
    assert status == 2
    assert f"not removed: {said}" in output
    assert "do: mend or commit that first, or say --yes --force" in output
    assert read_all(changed) == before
    status, output = ask(changed, "prune", "--yes", "--force")
    assert status == 0
    assert 4 not in list_days(changed)


def test_what_is_not_committed_is_not_removed(changed: Path) -> None:
    run_git(changed, "rm", "--cached", "--quiet", f"{FOLDER}/run-2026-12-02.txt")
    status, output = ask(changed, "prune", "--yes")
    assert status == 2
    assert f"{FOLDER}/run-2026-12-02.txt: version control does not hold it as it is" in output
    (changed / ".gitignore").write_text("evidence/add/nvidia-h200/run-2026-12-02.txt\n")
    assert ask(changed, "prune", "--yes")[0] == 2  # ignored is not committed either
    assert list_days(changed) == [2, 3, 4, 5, 6, 7]
    assert ask(changed, "prune", "--yes", "--force")[0] == 0
    assert list_days(changed) == [5, 6, 7]


def test_without_version_control(changed: Path) -> None:
    shutil.rmtree(changed / ".git")
    status, output = ask(changed, "prune", "--yes")
    assert status == 2
    assert "not removed: what is removed could not be had back: not a git repository" in output
    assert list_days(changed) == [2, 3, 4, 5, 6, 7]


def test_files_beyond_the_record_are_never_touched(changed: Path) -> None:
    record = changed / FOLDER / "run-2026-12-02.json"
    text = record.read_text()
    assert f'"{FOLDER}/run-2026-12-02/process-03.stderr.txt"' in text
    record.write_text(
        text.replace(f"{FOLDER}/run-2026-12-02/process-03.stderr.txt", "snippets/add/add.cu")
    )
    commit_all(changed)
    status, _ = ask(changed, "prune", "--yes", "--force")
    assert status == 0
    assert (changed / "snippets" / "add" / "add.cu").exists()
    assert 2 not in list_days(changed)
    left = [path.name for path in (changed / FOLDER / "run-2026-12-02").iterdir()]
    assert left == ["process-03.stderr.txt"]


def test_programs_by_name(changed: Path) -> None:
    assert ask(changed, "prune", "add")[0] == 0
    status, output = ask(changed, "prune", "ad")
    assert status == 2
    assert "`ad`: there is no such program\n    do: did you mean `add`?" in output


def test_another_writer_of_evidence(changed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(root: Path) -> None:
        raise LockHeldError

    monkeypatch.setattr("build_tools.command.prune.hold_lock", refuse)
    status, output = ask(changed, "prune", "--yes")
    assert status == 2
    assert "nothing was removed: another process keeps the lock .course.lock" in output


def test_a_disk_that_fails_leaves_everything(
    changed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = read_all(changed)
    calls: list[Path] = []
    move = withdraw._move

    def fail_once(source: Path, target: Path) -> None:
        calls.append(source)
        if len(calls) == 30:
            raise OSError(28, "No space left on device")
        move(source, target)

    monkeypatch.setattr(withdraw, "_move", fail_once)
    status, output = ask(changed, "prune", "--yes")
    assert status == 2
    assert "nothing was removed: No space left on device" in output
    assert read_all(changed) == before
    assert not list(changed.glob(".course-*-*"))


def test_a_hard_end_is_mended_by_the_next_call(changed: Path) -> None:
    before = read_all(changed)
    trash = changed / f"{TRASH}abc"
    for path in (f"{FOLDER}/run-2026-12-03.json", f"{FOLDER}/run-2026-12-03/build.txt"):
        (trash / path).parent.mkdir(parents=True, exist_ok=True)
        (changed / path).rename(trash / path)
    (changed / f"{GONE}def" / "evidence").mkdir(parents=True)
    (changed / f"{GONE}def" / "evidence" / "x.txt").write_text("taken whole")
    assert sorted(restore_trash(changed)) == [
        f"{FOLDER}/run-2026-12-03.json",
        f"{FOLDER}/run-2026-12-03/build.txt",
    ]
    assert read_all(changed) == before
    assert not list(changed.glob(".course-*-*"))
    assert restore_trash(changed) == []


def test_folders_left_empty_go_too(tmp_path: Path) -> None:
    file = tmp_path / "evidence" / "add" / "gpu" / "run-2026-12-01.json"
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    withdraw_files(tmp_path, ["evidence/add/gpu/run-2026-12-01.json", "evidence/none.txt"])
    assert list(tmp_path.iterdir()) == [tmp_path / "evidence"]
    assert list((tmp_path / "evidence").iterdir()) == []
