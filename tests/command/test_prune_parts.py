"""`course prune` and parts: which go beside the records, and why others stay."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from build_tools.evidence.part_model import PartKind
from tests.command.asking import ask, ask_json, commit_all, write_page
from tests.course_factory import DEVICE
from tests.parts_factory import ASKED, add_part, compose_log, make_parts_course

FOLDER = "evidence/add/nvidia-h200"
PAGE = (
    '[34 MB](claim:add.counters["add"].dram_read) are read.\n\n/// snippet | add#add-kernel\n///\n'
)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with one record and one part of each kind that is asked for."""
    base = tmp_path_factory.mktemp("prune-parts")
    make_parts_course(base)
    write_page(base, PAGE)
    return base


@pytest.fixture
def course(root: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(root, tmp_path / "course"))


def tell(course: Path, *arguments: str) -> dict[str, Any]:
    """The fates of the parts by the names of their files."""
    fates = ask_json(course, "prune", *arguments)["fates"]
    return {fate["path"].rsplit("/", 1)[-1]: fate for fate in fates if fate["part"]}


def list_files(course: Path) -> set[str]:
    return {p.relative_to(course).as_posix() for p in (course / FOLDER).rglob("*") if p.is_file()}


def read_bytes(kinds: tuple[int, ...]) -> list[str]:
    """What the profiler writes of launches that read so many bytes."""
    loads = ("inst", "8,192")
    return [
        compose_log(
            0,
            {
                "smsp__inst_executed_op_global_ld.sum": loads,
                "dram__bytes_read.sum": ("byte", f"{count:,}"),
            },
        )
        for count in kinds
    ]


def test_one_of_each_kind_stays(course: Path) -> None:
    fates = tell(course)
    assert [fate["part"] for fate in fates.values()] == [kind.value for kind in ASKED]
    for fate in fates.values():
        assert not fate["goes"]
        assert fate["reasons"] == ["it is the newest fresh one", "it is the newest"]
        assert fate["files"][0] == fate["path"]
        assert len(fate["files"]) > 1


def test_a_newer_part_takes_the_place_of_an_older_one(course: Path) -> None:
    for kind in ASKED:
        add_part(course, kind, "2026-12-02")
    commit_all(course)
    before = list_files(course)
    fates = tell(course)
    assert fates["counters-2026-12-01.json"]["reasons"] == ["it is fresh and in the newest pool"]
    going = [fate for fate in fates.values() if fate["goes"]]
    assert [fate["part"] for fate in going] == ["sanitizers", "mutants", "listings"]
    files = {path for fate in going for path in fate["files"]}
    assert all("-2026-12-01" in path for path in files)
    status, output = ask(course, "prune")
    assert status == 0
    assert (
        f"goes   {FOLDER}/sanitizers-2026-12-01.json  (2026-12-01, fresh): a newer one speaks, and "
        "no literal rests on it\n" in output
    )
    assert f"3 parts with {len(files)} files would be removed, 6 stay\n" in output
    assert list_files(course) == before
    status, output = ask(course, "prune", "--yes")
    assert status == 0
    assert f"3 parts with {len(files)} files removed, 6 stay\n" in output
    assert list_files(course) == before - files
    assert not (course / FOLDER / "mutants-2026-12-01").exists()
    assert not [fate for fate in tell(course).values() if fate["goes"]]
    assert ask(course, "check")[1].endswith("no findings\n")


def test_a_stale_part_goes_when_a_newer_one_is_there(course: Path) -> None:
    target = course / "snippets/add/program.toml"
    target.write_text(target.read_text().replace("launches = 3", "launches = 4"))
    (fate,) = [fate for fate in tell(course).values() if fate["state"] == "stale"]
    assert (fate["goes"], fate["reasons"]) == (False, ["it is the newest"])
    assert tell(course, "--keep", "0")["counters-2026-12-01.json"]["goes"]
    add_part(
        course,
        PartKind.COUNTERS,
        "2026-12-02",
        logs=read_bytes((33_554_432, 33_554_464, 33_554_464, 33_554_496)),
    )
    fates = tell(course)
    old = fates["counters-2026-12-01.json"]
    assert (old["goes"], old["reasons"]) == (True, ["it is stale"])
    assert not fates["counters-2026-12-02.json"]["goes"]


def test_a_kind_that_is_asked_for_no_more_goes(course: Path) -> None:
    target = course / "snippets/add/program.toml"
    target.write_text(target.read_text().replace("[listings.add-kernel]\n", ""))
    commit_all(course)
    fates = tell(course)
    assert [name for name, fate in fates.items() if fate["goes"]] == ["listings-2026-12-01.json"]
    assert ask(course, "prune", "--yes")[0] == 0
    assert not list((course / FOLDER).glob("listings*"))


def test_counters_that_a_literal_rests_on_stay(course: Path) -> None:
    """The newest on a new driver spread so far that they allow the old number."""
    write_page(course, PAGE.replace("34 MB", "33.6 MB"))
    add_part(
        course,
        PartKind.COUNTERS,
        "2026-12-02",
        logs=read_bytes((33_400_000, 33_700_000, 34_000_000)),
        device=msgspec.structs.replace(DEVICE, driver="590.10"),
    )
    assert ask(course, "check")[1].endswith("no findings\n")
    old = tell(course)["counters-2026-12-01.json"]
    assert (old["goes"], old["reasons"]) == (
        False,
        ["docs/page.md:1:1 `33.6 MB` rests on it"],
    )
    write_page(course, PAGE.replace("34 MB", "33.7 MB"))
    assert tell(course)["counters-2026-12-01.json"]["goes"]


def test_a_part_that_is_named_stays(course: Path) -> None:
    add_part(course, PartKind.SANITIZERS, "2026-12-02")
    write_page(course, PAGE + f"\nSee `{FOLDER}/sanitizers-2026-12-01.json`.\n")
    fate = tell(course)["sanitizers-2026-12-01.json"]
    assert (fate["goes"], fate["reasons"]) == (False, ["docs/page.md:6 names it"])


def test_a_refusal_takes_nobodys_place(course: Path) -> None:
    add_part(course, PartKind.SANITIZERS, "2026-12-02", could_not_check="no permission")
    fates = tell(course)
    assert fates["sanitizers-2026-12-01.json"]["reasons"] == [
        "it is the newest fresh one that holds something"
    ]
    add_part(course, PartKind.SANITIZERS, "2026-12-03")
    fates = tell(course)
    assert fates["sanitizers-2026-12-01.json"]["goes"]
    assert fates["sanitizers-2026-12-02.json"]["goes"]
