"""A page is converted and drawn once, until anything that it follows from changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from jinja2 import Template
from markdown import Markdown

from tests.course_factory import make_example
from tests.site.conftest import Build, write_pages
from tests.site.test_kept import compare_with_full

LESSON = "docs/lessons/one.md"
SETTINGS = "mkdocs.yml"
OVERRIDE = "overrides/partials/copyright.html"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    root = tmp_path / "course"
    make_example(root)
    write_pages(root)
    (root / "docs" / "lessons" / "two.md").write_text(
        "---\ndescription: The second.\n---\n# Two\n\nSee [the first](one.md#top).\n"
    )
    (root / OVERRIDE).parent.mkdir(parents=True)
    (root / OVERRIDE).write_text("<p>of the course</p>\n")
    settings = (root / SETTINGS).read_text()
    material = "theme:\n  name: material\n  font: false\n  custom_dir: overrides\n"
    (root / SETTINGS).write_text(
        re.sub(r"^theme:.*\n(?:  .*\n)*", material, settings, flags=re.MULTILINE)
    )
    return root


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How many pages were converted, and how many drawn, since it was cleared."""
    counts = {"converted": 0, "drawn": 0}
    convert, render = Markdown.convert, Template.render

    def count_convert(self: Markdown, source: str) -> str:
        counts["converted"] += 1
        return convert(self, source)

    def count_render(self: Template, *args: object, **kwargs: object) -> str:
        counts["drawn"] += self.name in ("main.html", "404.html")
        return render(self, *args, **kwargs)

    monkeypatch.setattr(Markdown, "convert", count_convert)
    monkeypatch.setattr(Template, "render", count_render)
    return counts


def edit(path: str, old: str, new: str) -> Callable[[Path], None]:
    def apply(root: Path) -> None:
        text = (root / path).read_text(encoding="utf-8")
        assert old in text
        (root / path).write_text(text.replace(old, new, 1), encoding="utf-8")

    return apply


def append(path: str, more: str) -> Callable[[Path], None]:
    def apply(root: Path) -> None:
        with (root / path).open("a", encoding="utf-8") as file:
            file.write(more)

    return apply


def count_pages(root: Path) -> int:
    return len(list((root / "site").rglob("*.html")))


def test_a_second_build_converts_and_draws_nothing_that_is_the_same(
    course: Path, build: Build, made: dict[str, int]
) -> None:
    assert build(course, "--strict").exit_code == 0
    first = dict(made)
    assert first["drawn"] == count_pages(course) > 5
    made.update(converted=0, drawn=0)
    assert build(course, "--strict").exit_code == 0
    # The report of all claims shows what other pages say: it alone is converted anew.
    assert made == {"converted": 1, "drawn": 0}
    append(LESSON, "\nOne more sentence.\n")(course)
    made.update(converted=0, drawn=0)
    assert build(course, "--strict").exit_code == 0
    assert made == {"converted": 2, "drawn": 1}


CHANGES = {
    "its own text": append("docs/lessons/two.md", "\nMore.\n"),
    "a title in its menu": edit(LESSON, "# ", "# Another: "),
    "a description": edit("docs/lessons/two.md", "The second", "Number two"),
    "an icon in its menu": edit(
        "docs/lessons/two.md", "description", "icon: material/home\ndescription"
    ),
    "the order of pages": append(SETTINGS, "nav: [lessons/two.md, lessons/one.md, index.md]\n"),
    "the site's name": lambda root: (
        edit(SETTINGS, "site_name: A", "site_name: Another")(root),
        edit("course.toml", '"A course"', '"Another course"')(root),
    ),
    "the site's address": append(SETTINGS, "site_url: https://example.org/course/\n"),
    "what the theme shows": edit(
        SETTINGS, "font: false", "font: false\n  features: [navigation.footer]"
    ),
    "a template of its own": edit(OVERRIDE, "of the course", "of another course"),
    "how addresses look": append(SETTINGS, "use_directory_urls: false\n"),
    "what is added to pages": append(SETTINGS, "extra_css: [more.css]\n"),
    "where a link leads": lambda root: (root / LESSON).rename(root / "docs/one.md"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_a_change_of_what_a_page_follows_from_is_seen(
    course: Path, build: Build, change: Callable[[Path], object]
) -> None:
    (course / "docs" / "more.css").write_text("p { margin: 0 }\n")
    edit("docs/lessons/two.md", "See [the first](one.md#top).", "The end.")(course)
    assert build(course, "--strict").exit_code == 0
    change(course)
    compare_with_full(build, course)


def test_an_extension_that_reads_files_is_never_trusted(course: Path, build: Build) -> None:
    options = f"{{base_path: ['{course}'], auto_append: [said.md]}}"
    append(SETTINGS, f"  - pymdownx.snippets: {options}\n")(course)
    (course / "said.md").write_text("It is said once.\n")
    assert build(course, "--strict").exit_code == 0
    page = course / "site/lessons/two/index.html"
    assert "said once" in page.read_text()
    (course / "said.md").write_text("It is said twice.\n")
    compare_with_full(build, course)
    assert "said twice" in page.read_text()


def test_a_template_that_shows_the_time_is_filled_each_time(
    course: Path, build: Build, made: dict[str, int]
) -> None:
    edit(OVERRIDE, "<p>", '<p data-built="{{ build_date_utc }}">')(course)
    for _ in range(2):
        made.update(converted=0, drawn=0)
        assert build(course, "--strict").exit_code == 0
        assert made["drawn"] == count_pages(course)


def test_what_is_said_of_a_page_is_said_in_each_build(course: Path, build: Build) -> None:
    edit("docs/lessons/two.md", "one.md#top", "three.md")(course)
    for _ in range(2):
        said = build(course)
        assert said.exit_code == 0
        assert "contains a link 'three.md'" in said.output
        assert build(course, "--strict").exit_code == 1


def test_a_link_to_an_anchor_is_followed_in_each_build(course: Path, build: Build) -> None:
    append(SETTINGS, "validation: {anchors: warn}\n")(course)
    for _ in range(2):
        said = build(course)
        assert said.exit_code == 0
        assert "does not contain an anchor '#top'" in said.output


@pytest.mark.parametrize(
    ("event", "value"), [("page_markdown", "markdown"), ("page_content", "html")]
)
def test_what_a_hook_adds_is_on_the_page_after_each_change_of_it(
    course: Path, build: Build, event: str, value: str
) -> None:
    settings = (course / SETTINGS).read_text()
    for word in ("one", "another"):  # MkDocs loads a hook of one name once in a process.
        (course / SETTINGS).write_text(f"{settings}hooks: [{word}.py]\n")
        (course / f"{word}.py").write_text(
            f"def on_{event}({value}, **_): return {value} + '\\n\\nSaid by {word} hook.\\n'\n"
        )
        compare_with_full(build, course)
        built = (course / "site" / "lessons" / "two" / "index.html").read_text()
        assert f"Said by {word} hook." in built
