"""Which claims ask for more processes: those that a narrower band would mend, and no others."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from build_tools.claims.course import load_course
from build_tools.claims.unmet import find_unmet
from tests.course_factory import TRANSCRIPT, add_record, make_example

STEADY = [TRANSCRIPT.format(a="24", b="54") for _ in range(10)]
"""Ten processes that print the same."""


def ask(root: Path, text: str) -> list[str]:
    """What the page's text asks of the record that is there."""
    page = root / "docs" / "page.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text(text + "\n\n/// snippet | add#add-kernel\n///\n")
    course = load_course(root)
    shelf = course.shelves["add"]
    assert shelf.shown_record is not None
    return list(find_unmet(course, "add", shelf.shown_record))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("course")
    make_example(folder)
    return folder


def test_digits_that_the_spread_does_not_bear(root: Path) -> None:
    """Times of the example vary in their third digit."""
    text = '[{}](claim:add.time["large", "narrow"])'
    course = load_course(root)
    shown = course.shelves["add"].shown_record
    assert shown is not None
    reading = shown.shown.measurements["time"].readings["large", "narrow"]
    (said,) = ask(root, text.format(f"{reading.text} ms"))
    assert said.startswith("docs/page.md:1:")
    assert f"`{reading.text} ms`" in said
    assert "half of the processes lie more than two units of the last digit apart" in said


def test_a_comparison_that_is_not_decided_yet(root: Path) -> None:
    (said,) = ask(root, '[more](claim:add.speedup["small"] > 1.525)')
    assert "docs/page.md:1:" in said


@pytest.mark.parametrize(
    "text",
    [
        "Nothing is bound here.",
        '[9.9 ms](claim:add.time["large", "narrow"])',  # false however often it is run
        '[no such thing](claim:add.tme["large", "narrow"])',
        "[256 threads](claim:add.source.kBlock)",
    ],
)
def test_what_more_processes_would_not_mend(root: Path, text: str) -> None:
    assert not ask(root, text)


def test_the_new_record_is_judged_alone(root: Path, tmp_path: Path) -> None:
    """An older record that bears the digits does not help a new one that does not."""
    folder = tmp_path / "course"
    shutil.copytree(root, folder)
    add_record(folder, "add", STEADY, started="2026-12-02T09:30:00Z")
    course = load_course(folder)
    newest, older = course.shelves["add"].records
    reading = newest.shown.measurements["time"].readings["large", "narrow"]
    page = folder / "docs" / "page.md"
    page.write_text(f'[{reading.text} ms](claim:add.time["large", "narrow"])\n')
    course = load_course(folder)
    assert not find_unmet(course, "add", newest)
    other = older.shown.measurements["time"].readings["large", "narrow"]
    page.write_text(f'[{other.text} ms](claim:add.time["large", "narrow"])\n')
    assert find_unmet(load_course(folder), "add", older)
