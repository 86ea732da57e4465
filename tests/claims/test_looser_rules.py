"""Rules that let more numbers pass: a unit cannot be exempted, and a looser page is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command.asking import ask, make_asked, write_page


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("looser")
    make_asked(root)
    settings = root / "course.toml"
    settings.write_text(
        settings.read_text()
        + '[course.patterns]\nms = { text = ["{n} ms", "a {n}× gain"], why = "x" }\n'
        + 'rev = { text = "rev {n}", why = "names of boards" }\n'
    )
    return root


def test_a_unit_is_no_word_beside_a_number(root: Path) -> None:
    write_page(root, "The board is rev 7; of rev 7 ms, it takes 42 ms.\n")
    _, output = ask(root, "check", "docs/page.md")
    line = (root / "course.toml").read_text().splitlines().index("[course.patterns]") + 2
    assert output.count(f"course.toml:{line}:1: settings") == 2
    assert "`{n} ms` of the pattern `ms`" in output
    assert "it would leave every number as `42 ms` unbound: that is a measurement" in output
    assert "name by words other than a unit which numbers need no binding" in output
    assert "docs/page.md:1:26: unbound" not in output, "taken by the faulty pattern alone"


def test_a_number_with_a_unit_is_not_taken_by_a_pattern_that_ends_with_it(root: Path) -> None:
    write_page(root, "The board is rev 7, but of rev 8 TB/s.\n")
    _, output = ask(root, "check", "docs/page.md")
    assert "`8 TB/s`" in output
    assert "`7`" not in output


def test_the_closing_line_names_looser_pages(root: Path) -> None:
    write_page(root, "---\ncourse:\n  unbound: off\n---\nIt takes 42 GB.\n")
    _, output = ask(root, "check", "docs/page.md")
    assert "1 page looser than the course (docs/page.md: unbound off)" in output.splitlines()[-1]
    write_page(root, "No number.\n")
    _, output = ask(root, "check", "docs/page.md")
    assert "looser" not in output
