"""A page is converted and drawn once, until anything that it follows from changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from jinja2 import Template
from markdown import Markdown

from tests.course_factory import make_example
from tests.site.conftest import Build, build_apart, write_pages
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


GIVEN = {
    "a global": ("def on_env(env, **_): env.globals['said'] = read()", "{{ said }}"),
    "a global of Jinja's": (
        "def on_env(env, **_):\n    word = read()\n    env.globals['lipsum'] = lambda: word",
        "{{ lipsum() }}",
    ),
    "a filter": (
        "def on_env(env, **_):\n    word = read()\n    env.filters['say'] = lambda _: word",
        "{{ 'nothing' | say }}",
    ),
    "what is undefined": (
        "def on_env(env, **_): env.undefined = type('Said', (env.undefined,), {'__str__': read})",
        "{{ nothing }}",
    ),
    "an attribute of the settings": (
        "def on_config(config): config.said = read()",
        "{{ config.said }}",
    ),
    "an attribute in the navigation": (
        "def on_nav(nav, **_):\n    for item in nav.items: item.said = read()",
        "{{ nav.items[0].said }}",
    ),
    "an attribute of a page, once it is converted": (
        "def on_page_content(html, page, **_): page.said = read()",
        "{{ nav.homepage.said }}",
    ),
}


@pytest.mark.parametrize(("hook", "template"), GIVEN.values(), ids=list(GIVEN))
def test_what_a_hook_gives_the_templates_is_shown_as_it_is_now(
    course: Path, build: Build, hook: str, template: str
) -> None:
    read = f"from pathlib import Path\n\n\ndef read(*_): return Path({str(course)!r}, 'said').read_text()"
    (course / "hook.py").write_text(f"{read}\n\n\n{hook}\n")
    append(SETTINGS, "hooks: [hook.py]\n")(course)
    (course / OVERRIDE).write_text(f"<p>It is said {template}</p>\n")
    for word in ("once", "twice"):
        (course / "said").write_text(word)
        compare_with_full(build, course)
    assert "<p>It is said twice</p>" in (course / "site" / "index.html").read_text()


@pytest.mark.parametrize(
    "template",
    [
        "{{ nav.homepage.content }}",
        "{% for file in pages %}{{ file.page.content if file.page.is_homepage }}{% endfor %}",
        "{{ nav.pages | map(attribute='content') | join }}",
        "{% if page and page.next_page %}{{ page['previous_page'].content }}{% endif %}",
    ],
)
def test_a_template_that_shows_other_pages_shows_them_as_they_are_now(
    course: Path, build: Build, template: str
) -> None:
    append(SETTINGS, "nav: [index.md, lessons/two.md, lessons/one.md]\n")(course)
    page = course / "docs" / "index.md"
    (course / OVERRIDE).write_text(f"<div data-shown>{template}</div>\n")
    edit("course.toml", "[course]", '[course]\nfindings = "warn"')(course)
    for word in ("once", "twice"):
        page.write_text(f"# Home\n\nIt is said {word}.\n")
        assert build(course).exit_code == 0
    shown = (course / "site" / "lessons" / "two" / "index.html").read_text()
    assert "It is said twice." in shown.partition("<div data-shown>")[2]


def test_a_template_that_shows_a_pages_source_shows_it_as_it_is_now(
    course: Path, build: Build
) -> None:
    (course / OVERRIDE).write_text("<p>{{ 'It has more.' if 'more' in page.markdown }}</p>\n")
    edit(OVERRIDE, "page.markdown", "(page.markdown if page else '')")(course)
    assert build(course, "--strict").exit_code == 0
    append("docs/lessons/two.md", "\n[more]: https://example.org/\n")(course)
    compare_with_full(build, course)
    assert "It has more." in (course / "site/lessons/two/index.html").read_text()


def test_a_template_included_by_another_may_show_the_time(
    course: Path, build: Build, made: dict[str, int]
) -> None:
    (course / OVERRIDE).write_text("{% include 'partials/built.txt' %}")
    (course / OVERRIDE).with_name("built.txt").write_text("{% set at = build_date_utc %}")
    for _ in range(2):
        made.update(converted=0, drawn=0)
        assert build(course, "--strict").exit_code == 0
        assert made["drawn"] == count_pages(course)


def test_icons_of_the_courses_own_are_part_of_what_a_page_is_made_from(course: Path) -> None:
    emoji = "!!python/name:material.extensions.emoji."
    append(
        SETTINGS,
        f"  - pymdownx.emoji:\n      emoji_index: {emoji}twemoji\n"
        f"      emoji_generator: {emoji}to_svg\n      options: {{custom_icons: [icons]}}\n",
    )(course)
    icon = course / "icons" / "own" / "warp.svg"
    icon.parent.mkdir(parents=True)
    append("docs/lessons/two.md", "\nA :own-warp:.\n")(course)
    for drawn in ("M1 1z", "M2 2z"):
        icon.write_text(f'<svg xmlns="http://www.w3.org/2000/svg"><path d="{drawn}"/></svg>')
        assert build_apart(course, "--strict").returncode == 0
        assert drawn in (course / "site/lessons/two/index.html").read_text()


def test_extensions_that_a_hook_adds_without_a_name_are_used(course: Path, build: Build) -> None:
    (course / "hook.py").write_text(
        "from markdown.extensions.abbr import AbbrExtension\n"
        "from markdown.extensions.wikilinks import WikiLinkExtension\n\n\n"
        "def on_config(config):\n"
        "    config.markdown_extensions += [AbbrExtension(), 'nl2br', WikiLinkExtension()]\n"
    )
    append(SETTINGS, "hooks: [hook.py]\n")(course)
    append("docs/lessons/two.md", "\nThe SM.\n\n*[SM]: multiprocessor\n")(course)
    compare_with_full(build, course)
    assert '<abbr title="multiprocessor">' in (course / "site/lessons/two/index.html").read_text()


def test_pages_are_listed_as_a_hook_leaves_the_navigation(course: Path, build: Build) -> None:
    (course / "hook.py").write_text(
        "from mkdocs.structure.nav import Navigation\n\n\n"
        "def on_nav(nav, **_): return Navigation(nav.items[::-1], nav.pages[::-1])\n"
    )
    append(SETTINGS, "nav: [index.md, lessons/one.md, lessons/two.md]\n")(course)
    assert build(course, "--strict").exit_code == 0
    before = (course / "site" / "llms.txt").read_text()
    assert before.index("lessons/one/") < before.index("lessons/two/")
    append(SETTINGS, "hooks: [hook.py]\n")(course)
    compare_with_full(build, course)
    after = (course / "site" / "llms.txt").read_text()
    assert after.index("lessons/two/") < after.index("lessons/one/")


def test_what_a_filter_made_of_a_constant_is_not_kept_with_the_template(
    course: Path, build: Build, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Jinja fills in what a filter makes of a constant when it compiles the template.
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    edit(OVERRIDE, "<p>", "<p>{{ 'one' | shout }} ")(course)
    settings = (course / SETTINGS).read_text()
    for word in ("loud", "quiet"):
        (course / SETTINGS).write_text(f"{settings}hooks: [{word}.py]\n")
        (course / f"{word}.py").write_text(
            "def on_env(env, **_):\n"
            f"    env.filters['shout'] = lambda text: text + ' is {word}'\n"
            "    return env\n"
        )
        compare_with_full(build, course)
        assert f"one is {word}" in (course / "site" / "lessons" / "two" / "index.html").read_text()
