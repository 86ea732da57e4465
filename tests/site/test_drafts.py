"""Drafts in MkDocs: left out of a build and its navigation, shown with a banner under serve."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from build_tools.claims.course import load_course
from build_tools.claims.drafts import leave_out_drafts
from build_tools.site import draw
from build_tools.site.drafts import prune_nav
from build_tools.site.verify import verify_site
from tests.course_factory import DECLARATION, PROGRAM
from tests.site.conftest import MKDOCS, Build
from tests.site.test_serve import fetch_until, serve

DRAFT = """\
---
title: Subtracting
draft: true
---
# Subtracting

It takes 5 ms, and the whole is [0.63 ms](claim:sub.time["large", "wide"]).

/// snippet | sub#add-kernel
///
"""
NAV = """\
nav:
  - index.md
  - Lessons:
      - lessons/one.md
      - Two: lessons/two.md
  - Later:
      - lessons/two.md
"""


@pytest.fixture
def drafted(course: Path) -> Path:
    """A clean course, and the draft of a lesson whose program has no evidence."""
    (course / "docs/lessons/two.md").write_text(DRAFT)
    folder = course / "snippets" / "sub"
    folder.mkdir()
    (folder / "sub.cu").write_text(PROGRAM.format(name="sub"))
    (folder / "program.toml").write_text(DECLARATION)
    return course


def test_a_draft_is_left_out_of_a_build_without_a_warning(drafted: Path, build: Build) -> None:
    (drafted / "mkdocs.yml").write_text(MKDOCS + NAV)
    done = build(drafted, "--strict")
    assert done.exit_code == 0, done.stderr
    assert "WARNING" not in done.stderr
    assert "the draft lessons/two.md is left out" in done.stderr
    site = drafted / "site"
    assert (site / "lessons/one/index.html").is_file()
    assert not (site / "lessons/two").exists()
    assert not (site / "programs/sub").exists()
    assert not (site / "downloads/sub").exists()
    for page in site.rglob("*.html"):
        text = page.read_text()
        assert "lessons/two" not in text, page
        assert ">Later<" not in text, page
    assert "Subtracting" not in (site / "search/search_index.json").read_text()
    assert (drafted / "docs/lessons/two.md").read_text() == DRAFT


def test_without_a_nav_as_well(drafted: Path, build: Build) -> None:
    done = build(drafted, "--strict")
    assert done.exit_code == 0, done.stderr
    assert not (drafted / "site/lessons/two").exists()


@pytest.mark.parametrize("key", ["draft_docs", "exclude_docs"])
def test_what_the_settings_of_mkdocs_leave_out_is_left_out_like_a_draft(
    drafted: Path, build: Build, key: str
) -> None:
    (drafted / "docs/lessons/two.md").write_text(DRAFT.replace("draft: true\n", ""))
    (drafted / "docs/README.md").write_text("# For authors\n\nIt holds 3 pages.\n")
    (drafted / "mkdocs.yml").write_text(f"{MKDOCS}{key}: |\n  two.md\n  /README.md\n")
    for cache in ("on", "on", "off"):
        done = build(drafted, "--strict", COURSE_CACHE=cache)
        assert done.exit_code == 0, done.stderr
    site = drafted / "site"
    assert not (site / "lessons/two").exists()
    assert not (site / "programs/sub").exists()
    assert "lessons/two" not in (site / "claims/index.html").read_text()
    with (drafted / "docs/index.md").open("a") as file:
        file.write("\nSee [the next](lessons/two.md).\n")
    done = build(drafted)
    assert done.exit_code == 1
    assert "out of `draft_docs` and `exclude_docs` in mkdocs.yml" in done.stderr
    (drafted / "mkdocs.yml").write_text(MKDOCS)
    done = build(drafted)
    assert done.exit_code == 1
    assert "docs/lessons/two.md:6:10: unbound" in done.stderr


def test_with_the_checks_switched_off_as_well(drafted: Path, build: Build) -> None:
    assert build(drafted, COURSE_ENABLED="0").exit_code == 0
    assert not (drafted / "site/lessons/two").exists()


def test_a_draft_outside_the_prose_is_left_out_too(course: Path, build: Build) -> None:
    settings = course / "course.toml"
    settings.write_text(settings.read_text() + 'prose = ["docs/lessons/*.md", "docs/index.md"]\n')
    (course / "docs/notes.md").write_text("---\ndraft: true\n---\nNotes.\n")
    assert build(course, "--strict").exit_code == 0
    assert not (course / "site/notes").exists()


def test_what_a_page_says_to_the_course_is_nothing_to_mkdocs(course: Path, build: Build) -> None:
    lesson = course / "docs/lessons/one.md"
    front = "---\ncourse:\n  unbound: units\n  patterns_off: [year]\n"
    lesson.write_text(lesson.read_text().replace("---\n", front, 1) + "\nOf 17 boards.\n")
    done = build(course, "--strict")
    assert done.exit_code == 0, done.stderr
    assert "patterns_off" not in (course / "site/lessons/one/index.html").read_text()
    lesson.write_text(lesson.read_text().replace("patterns_off", "paterns_off"))
    done = build(course)
    assert done.exit_code == 1
    assert "docs/lessons/one.md:4:3: settings" in done.stderr


def test_a_link_to_a_draft_stops_the_build(drafted: Path, build: Build) -> None:
    (drafted / "docs/index.md").write_text("# Home\n\nSee [two](lessons/two.md).\n")
    done = build(drafted)
    assert done.exit_code == 1
    assert "docs/index.md:3:11: link" in done.stderr
    assert not (drafted / "site").exists()


def test_published_it_is_checked_like_any_other(drafted: Path, build: Build) -> None:
    lesson = drafted / "docs/lessons/two.md"
    lesson.write_text(DRAFT.replace("draft: true\n", ""))
    done = build(drafted)
    assert done.exit_code == 1
    assert "docs/lessons/two.md:6:10: unbound" in done.stderr
    assert "snippets/sub/sub.cu:1:1: missing" in done.stderr


def test_a_site_of_another_generator_may_not_hold_it(drafted: Path, build: Build) -> None:
    lesson = drafted / "docs/lessons/two.md"
    assert build(drafted).exit_code == 0
    course = leave_out_drafts(load_course(drafted))
    assert verify_site(course, drafted / "site") == []
    (drafted / "site/lessons/two").mkdir()
    (drafted / "site/lessons/two/index.html").write_text("<html><body>Two</body></html>")
    (finding,) = verify_site(course, drafted / "site")
    assert str(finding.place) == "docs/lessons/two.md:1:1"
    assert finding.stated == "this page is a draft"
    assert "lessons/two/index.html" in finding.true
    assert "`draft: true`" in finding.advice
    assert lesson.read_text() == DRAFT


def test_serve_shows_drafts_with_a_banner_and_their_findings(drafted: Path) -> None:
    with serve(drafted) as address:
        html = fetch_until(f"{address}lessons/two/", lambda page: "Subtracting" in page, drafted)
        assert draw.DRAFT in html
        assert "docs/lessons/two.md:7:10" in html
        home = fetch_until(f"{address}lessons/one/", lambda page: "Adding" in page, drafted)
        assert draw.DRAFT not in home


@pytest.mark.parametrize(
    ("nav", "kept"),
    [
        (["a.md", "d.md"], ["a.md"]),
        ([{"D": "d.md"}, {"A": "a.md"}], [{"A": "a.md"}]),
        ([{"S": ["d.md", {"D": "d.md"}]}, "a.md"], ["a.md"]),
        ([{"S": [{"T": ["d.md"]}]}], []),
        ([{"S": ["a.md", {"T": ["d.md"]}]}], [{"S": ["a.md"]}]),
        (
            [{"L": "https://example.org/d.md"}, {"E": []}],
            [{"L": "https://example.org/d.md"}, {"E": []}],
        ),
        ([{"A": "a.md", "D": "d.md"}], [{"A": "a.md"}]),
        ([], []),
    ],
)
def test_a_nav_loses_drafts_and_what_held_nothing_else(nav: list[Any], kept: list[Any]) -> None:
    assert prune_nav(nav, {"d.md"}) == kept
