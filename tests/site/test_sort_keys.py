"""Is a table sorted by what it shows? Through built sites whose templates say otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from jinja2 import ChoiceLoader, DictLoader
from selectolax.lexbor import LexborHTMLParser

from build_tools.pages import template
from build_tools.site.sort_keys import compare_cells, compare_keys
from tests.site.conftest import MKDOCS, PAGE, Build, build_apart

LESSON = "docs/lessons/one.md"
TABLE = next(n for n, line in enumerate(PAGE.splitlines(), 1) if "/// table" in line)
OVERRIDE = """\
{% extends "base.html" %}
{% block content %}{{ super() | replace('OLD', 'NEW') }}{% endblock %}
"""


def parse(html: str) -> LexborHTMLParser:
    return LexborHTMLParser(f"<body>{html}</body>")


def make_table(text: str, key: str, head: str = "", behind: str = "") -> LexborHTMLParser:
    unit = f'<span class="course-table__unit">({head})</span>' if head else ""
    return parse(
        "<table data-course-sort><thead><tr><th>name</th>"
        f"<th>value {unit}</th><th>unit</th></tr></thead><tbody><tr><th>a</th>"
        f'<td data-value="{key}">{text}</td><td>{behind}</td></tr></tbody></table>'
    )


def read_differences(tree: LexborHTMLParser) -> list[tuple[str, str]]:
    assert tree.body is not None
    return compare_keys(tree.body)


@pytest.mark.parametrize(
    ("text", "key", "head", "behind"),
    [
        ("25.791328", "25.791328", "ms", ""),
        ("4,294,967,296", "4294967296.0", "", ""),
        ("13.83×", "13.831897602600568", "", ""),
        ("58.444 µs", "5.8444e-05", "", ""),
        ("58.25 to 58.64 µs", "5.8251071428699796e-05", "", ""),
        ("-0.005 to 0.005 warps", "-0.005", "", ""),
        ("17,090,000 to 17,340,000 wavefronts", "17090154.099", "", ""),
        ("698.09 TFLOP/s, 751.95 TFLOP/s", "698090000000000.0", "", ""),
        ("8, 32", "8.0", "", ""),
        ("91.3", "0.913", "%", ""),
        ("512", "549755813888.0", "", "GiB"),
        ("−2.7 %", "0.0274983", "", ""),  # a distance
        ("−0.19869", "-0.198685923", "", ""),
        ("3.61e-07", "3.61e-07", "", ""),
        ("0 B", "0.0", "", ""),
        (".5", "0.5", "", ""),
    ],
)
def test_a_key_that_the_text_rounds_is_right(text: str, key: str, head: str, behind: str) -> None:
    assert read_differences(make_table(text, key, head, behind)) == []


@pytest.mark.parametrize(
    ("text", "key", "head", "behind"),
    [
        ("25.791328", "25.791329", "ms", ""),
        ("25.791328", "0.025791328", "", ""),
        ("58.444 µs", "58.444", "", ""),
        ("58.444 µs", "5.8445e-05", "", ""),
        ("58.25 to 58.64 µs", "5.864e-05", "", ""),
        ("8, 32", "32.0", "", ""),
        ("512", "549755813888.0", "", "MiB"),
        ("0.19869", "-0.198685923", "", ""),
        ("13.83×", "13.836", "", ""),
        ("true", "1.0", "", ""),
        ("12", "twelve", "", ""),
        ("12", "nan", "", ""),
        ("12", "", "", ""),
    ],
)
def test_a_key_that_the_text_does_not_round_is_told(
    text: str, key: str, head: str, behind: str
) -> None:
    ((stated, true),) = read_differences(make_table(text, key, head, behind))
    assert stated == f"a cell shows {text!r} and is sorted by {key}"
    assert true == f"{text!r} is no rounding of that"


@pytest.mark.parametrize(
    ("cell", "stated"),
    [
        ("<td>1</td>", "nothing more"),
        ('<td data-value="2" title="b">1</td>', 'data-value="2" title="b" behind \'1\''),
        ('<td data-value="1" title="c">1</td>', 'data-value="1" title="c" behind \'1\''),
        ('<td data-value="1">1</td>', "data-value=\"1\" behind '1'"),
    ],
)
def test_what_a_cell_holds_unseen_is_compared(cell: str, stated: str) -> None:
    row = "<table><tr>{}</tr></table>"
    trees = [parse(row.format(c)) for c in (cell, '<td data-value="1" title="b">1</td>')]
    shown, expected = (tree.body for tree in trees)
    assert shown is not None
    assert expected is not None
    true = 'it is data-value="1" title="b" behind \'1\''
    assert compare_cells(shown, expected) == [(f"a cell holds {stated}", true)]
    assert compare_cells(expected, expected) == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('data-value="0.6255"', 'data-value="0.7"', 'data-value="0.7"'),
        ('data-value="0.6255"', "", "a cell holds"),
        ('title="next process: 0.62', 'title="next process: 0.52', 'title="next process: 0.52'),
    ],
)
def test_a_themes_template_that_changes_a_key_fails_the_build(
    course: Path, old: str, new: str, words: str
) -> None:
    (course / "overrides").mkdir()
    own = OVERRIDE.replace("OLD", old).replace("NEW", new)
    (course / "overrides" / "main.html").write_text(own)
    themed = MKDOCS.replace("  name: material\n", "  name: material\n  custom_dir: overrides\n")
    (course / "mkdocs.yml").write_text(themed)
    done = build_apart(course, "--strict")
    assert done.returncode == 1
    assert f"{LESSON}:{TABLE}:5" in done.stderr + done.stdout
    assert words in done.stderr + done.stdout
    assert not (course / "site").exists()


@pytest.fixture
def spoil_template(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str, str], None]:
    """``spoil_template(name, old, new)`` changes one of our own templates."""

    def spoil(name: str, old: str, new: str) -> None:
        environment = template._load_environment()
        assert environment.loader is not None
        text, _, _ = environment.loader.get_source(environment, name)
        assert old in text
        changed = DictLoader({name: text.replace(old, new, 1)})
        spoilt = environment.overlay(loader=ChoiceLoader([changed, environment.loader]))
        monkeypatch.setattr(template, "_load_environment", lambda: spoilt)

    return spoil


@pytest.mark.parametrize(
    ("name", "old", "new", "place"),
    [
        (
            "table-rows.html",
            'data-value="{{ cell.value }}"',
            'data-value="1{{ cell.value }}"',
            f"{LESSON}:{TABLE}:5",
        ),
        (
            "claims.html",
            'data-value="{{ order.value }}"',
            'data-value="{{ order.value * 1000 }}"',
            "docs/claims.md",
        ),
    ],
)
def test_a_template_of_ours_that_sorts_by_other_numbers_fails_the_build(
    course: Path,
    build: Build,
    spoil_template: Callable[[str, str, str], None],
    name: str,
    old: str,
    new: str,
    place: str,
) -> None:
    spoil_template(name, old, new)
    done = build(course, "--strict", COURSE_CACHE="off")
    assert done.exit_code == 1
    assert place in done.output
    assert "and is sorted by" in done.output
    assert "is no rounding of that" in done.output
