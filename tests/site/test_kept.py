"""A build that uses what an earlier one left makes the same site, and trusts nothing broken."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from build_tools.claims.course import load_course
from build_tools.claims.scan import scan_page
from build_tools.evidence.loaded import LoadedRecord, State
from build_tools.site.kept import can_be_kept, digest_course
from build_tools.source.store import (
    MOST_ENTRIES,
    Store,
    open_store,
    read_entry,
    write_entry,
)
from tests.course_factory import make_example
from tests.site.conftest import Build, clean_environment, snapshot, write_pages

LESSON = "docs/lessons/one.md"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    root = tmp_path / "course"
    make_example(root)
    write_pages(root)
    return root


def list_entries(root: Path) -> list[Path]:
    return sorted((root / ".cache" / "course" / "site").iterdir())


def compare_with_full(build: Build, root: Path) -> None:
    """Build with what is kept, then without, and compare the two sites byte for byte."""
    assert build(root, "--strict").exit_code == 0
    kept = snapshot(root / "site")
    scan_page.cache_clear()
    assert build(root, "--strict", COURSE_CACHE="off").exit_code == 0
    full = snapshot(root / "site")
    assert kept.keys() == full.keys()
    assert [path for path in full if kept[path] != full[path]] == []


def test_a_site_is_the_same_after_any_edit(course: Path, build: Build) -> None:
    chance = random.Random(16)  # noqa: S311 - always the same edits
    words = (
        "A warp waits.",
        "*Nothing* is lost.",
        "## More {#more}",
        "- one\n- two",
        "> So it is.",
    )
    assert build(course, "--strict").exit_code == 0
    for _ in range(4):
        path = course / LESSON
        paragraphs = path.read_text(encoding="utf-8").split("\n\n")
        place = chance.randrange(3, len(paragraphs))
        text = "\n\n".join([*paragraphs[:3], chance.choice(words), *paragraphs[3:]])
        if chance.random() < 0.5 or place < 3:
            text += f"\n{chance.choice(words)}\n".replace("{#more}", "")
        path.write_text(text.replace("## More {#more}", "## More", 9), encoding="utf-8")
        compare_with_full(build, course)


def test_a_change_of_a_program_its_record_or_the_settings_is_seen(
    course: Path, build: Build
) -> None:
    assert build(course, "--strict").exit_code == 0
    before = digest_course(course)
    transcript = next((course / "evidence").rglob("run-*.txt"))
    data = transcript.read_bytes()
    transcript.write_bytes(data.replace(b"narrow", b"marrow", 1))
    assert digest_course(course) != before
    failed = build(course)
    assert failed.exit_code == 2  # What rests on it cannot be judged.
    assert "marrow" in failed.output
    transcript.write_bytes(data)
    assert digest_course(course) == before
    compare_with_full(build, course)
    program = course / "snippets" / "add" / "add.cu"
    program.write_text(program.read_text().replace("256", "128"))
    failed = build(course)
    assert failed.exit_code == 1
    assert "stale" in failed.output


def test_what_one_page_says_of_another_is_made_again(course: Path, build: Build) -> None:
    (course / "docs" / "index.md").write_text(f"# Home\n\n/// state | {LESSON}\n///\n")
    assert build(course, "--strict").exit_code == 0
    path = course / LESSON
    more = "\n\nIt has [256](claim:add.source.kBlock) threads, again.\n"
    path.write_text(path.read_text(encoding="utf-8") + more, encoding="utf-8")
    compare_with_full(build, course)
    path.rename(course / "docs" / "lessons" / "two.md")
    failed = build(course)
    assert failed.exit_code == 1
    assert f"the prose has no page `{LESSON}`" in failed.output


def test_the_markdown_of_a_page_is_made_again_when_a_link_leads_elsewhere(
    course: Path, build: Build
) -> None:
    settings = course / "mkdocs.yml"
    settings.write_text(f"{settings.read_text()}nav: [index.md, lessons/one.md]\n")
    (course / "docs" / "index.md").write_text("# Home\n\n<div>\n[two](lessons/two.md)\n</div>\n")
    assert build(course, "--strict").exit_code == 0
    html = (course / "site" / "index.html").read_bytes()
    said = (course / "site" / "index.md").read_text(encoding="utf-8")
    (course / "docs" / "lessons" / "two.md").write_text("# Two\n\nIt is no part of the menu.\n")
    compare_with_full(build, course)
    assert (course / "site" / "index.html").read_bytes() == html
    now = (course / "site" / "index.md").read_text(encoding="utf-8")
    assert now == said.replace("lessons/two.md", "lessons/two/index.md") != said


def test_a_number_in_a_header_is_told_after_a_clean_build(course: Path, build: Build) -> None:
    program = course / "snippets" / "add" / "add.cu"
    assert build(course, "--strict").exit_code == 0
    assert build(course, "--strict").exit_code == 0
    text = program.read_text(encoding="utf-8")
    program.write_text(text.replace("// Day", "// It takes 42 ms. Day", 1), encoding="utf-8")
    failed = build(course)
    assert failed.exit_code == 1
    assert "`42 ms`" in failed.output


def test_a_finding_of_a_page_is_made_again_each_time(course: Path, build: Build) -> None:
    assert build(course, "--strict").exit_code == 0
    path = course / LESSON
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("[256](claim:", "[257](claim:", 1), encoding="utf-8")
    first, second = build(course), build(course)
    assert first.exit_code == second.exit_code == 1
    assert "`257`" in first.output
    assert "`257`" in second.output


def test_a_course_with_a_finding_is_not_kept(course: Path, build: Build) -> None:
    (course / "snippets" / "add" / "program.toml").write_text("wrong = 1\n")
    assert build(course).exit_code == 2
    assert not can_be_kept(load_course(course))
    assert not (course / ".cache").exists()


def scramble(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for position in range(len(data) // 2, len(data), 7):
        data[position] ^= 0x55
    path.write_bytes(data)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("harm", [scramble, truncate, empty, replace_by_folder])
def test_a_broken_entry_is_none(course: Path, build: Build, harm: Callable[[Path], object]) -> None:
    assert build(course, "--strict").exit_code == 0
    entries = list_entries(course)
    assert {path.name.partition("-")[0] for path in entries} == {
        "course",
        "memo",
        "more",
        "colours",
    }
    for path in entries:
        harm(path)
    compare_with_full(build, course)


def test_nothing_is_kept_where_the_environment_says_so(course: Path, build: Build) -> None:
    assert build(course, "--strict", COURSE_CACHE="off").exit_code == 0
    assert not (course / ".cache").exists()
    assert open_store(course, {"COURSE_CACHE": "0"}) is None
    assert open_store(course, {}) == Store(course / ".cache/course/site")


def test_a_build_works_where_nothing_can_be_kept(course: Path, build: Build) -> None:
    (course / ".cache").write_text("a file in the folder's place")
    assert build(course, "--strict").exit_code == 0
    assert build(course, "--strict").exit_code == 0


def test_two_builds_at_once_leave_whole_entries(course: Path, build: Build) -> None:
    sites = [str(course.parent / f"site-{number}") for number in range(2)]
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", site],
            cwd=course,
            env=clean_environment(),
            stderr=subprocess.PIPE,
        )
        for site in sites
    ]
    said = [process.communicate(timeout=240)[1] for process in started]
    assert [process.returncode for process in started] == [0, 0], said
    assert len(list_entries(course)) == 4
    assert snapshot(Path(sites[0])) == snapshot(Path(sites[1]))
    compare_with_full(build, course)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "entries")


def test_entries_are_bounded_and_the_oldest_go(store: Store) -> None:
    for number in range(MOST_ENTRIES + 5):
        write_entry(store, "memo", f"{number:040d}", {"number": number})
        newest = store.folder / f"memo-{number:040d}"
        os.utime(newest, ns=(number * 10**9, number * 10**9))
    assert len(list(store.folder.iterdir())) == MOST_ENTRIES
    assert read_entry(store, "memo", f"{0:040d}") is None
    assert read_entry(store, "memo", f"{MOST_ENTRIES + 4:040d}") == {"number": MOST_ENTRIES + 4}


class Malicious:
    """What a stranger might put there: a value whose making calls a function."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch harmed",)


def test_fractions_come_back_as_they_were(store: Store) -> None:
    numbers = (Fraction(-3, 7), Fraction(2**70, 3**50), Fraction(0), Fraction(5))
    write_entry(store, "numbers", "key", numbers)
    found = read_entry(store, "numbers", "key")
    assert found == numbers
    assert {type(number) for number in found} == {Fraction}


def test_an_entry_calls_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(store.folder.parent)
    write_entry(store, "memo", "a" * 40, Malicious())
    assert read_entry(store, "memo", "a" * 40) is None
    assert not Path("harmed").exists()


class Picked:
    """Written as an early Python 3.11 writes a member of an enumeration: by its attribute."""

    def __init__(self, owner: object, name: str) -> None:
        self.named = owner, name

    def __reduce__(self) -> tuple[object, tuple[object, str]]:
        return getattr, self.named


def test_members_of_enumerations_come_back_however_they_are_written(store: Store) -> None:
    write_entry(store, "state", "key", [State.FRESH, Picked(State, "STALE")])
    assert read_entry(store, "state", "key") == [State.FRESH, State.STALE]


@pytest.mark.parametrize(
    ("owner", "name"),
    [(State, "__class__"), (State, "mro"), (State, "NEITHER"), (LoadedRecord, "identity")],
)
def test_no_other_attribute_does(store: Store, owner: type, name: str) -> None:
    write_entry(store, "state", "key", Picked(owner, name))
    assert read_entry(store, "state", "key") is None
