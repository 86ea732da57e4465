"""Folders and programs where a page can be named: `course check`, `course review`, `course why`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command.asking import ask, make_asked, write_page
from tests.course_factory import CHECK, DECLARATION, PROGRAM, make_course, make_transcripts

CITES = 'It is [2.1×](claim:add.speedup["large"]) as fast.\n'
SHOWS = "# Subtracting\n\n/// snippet | sub#add-kernel\n///\n"
NAMED = "The gain is [2.1×](claim:gain).\n"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages in two folders, of two programs; one cites through a quantity, two are drafts."""
    root = tmp_path_factory.mktemp("chosen")
    make_asked(root)
    make_course(
        root,
        programs={"sub": PROGRAM.format(name="sub"), "mul": PROGRAM.format(name="mul")},
        declarations={"sub": DECLARATION, "mul": DECLARATION},
        transcripts={"sub": make_transcripts(), "mul": make_transcripts()},
        checks={"sub": CHECK, "mul": CHECK},
    )
    facts = root / "snippets" / "quantities.toml"
    facts.write_text(facts.read_text() + "\n[quantities]\ngain = 'add.doubled / 2'\n")
    write_page(root, CITES)
    lessons = root / "docs" / "lessons"
    (lessons / "deep").mkdir(parents=True)
    (lessons / "one.md").write_text(SHOWS)
    (lessons / "deep" / "two.md").write_text(NAMED + "\nAnd it was 7 here.\n")
    (root / "docs" / "drafts").mkdir()
    (root / "docs" / "drafts" / "mul.md").write_text(
        "---\ndraft: true\n---\n/// snippet | mul#block\n///\n"
    )
    (root / "docs" / "assets").mkdir()
    (root / "docs" / "assets" / "course.css").write_text("a {}\n")
    return root


@pytest.mark.parametrize(
    ("words", "pages"),
    [
        ((), 3),
        (("docs/page.md",), 1),
        (("docs/lessons",), 2),
        (("docs/lessons/",), 2),
        (("docs",), 3),
        ((".",), 3),
        (("docs/lessons", "docs/lessons/one.md"), 2),
        (("docs/lessons/deep", "docs/page.md"), 2),
        (("add",), 2),  # one of them through a quantity of the course
        (("sub",), 1),
        (("snippets/sub",), 1),
        (("snippets/sub/sub.cu",), 1),
        (("evidence/sub/nvidia-h200",), 1),
        (("add", "sub"), 3),
        (("docs/drafts/mul.md",), 1),
        (("--drafts", "docs/drafts"), 1),
        (("--drafts", "mul"), 1),
    ],
)
def test_what_can_be_checked(
    root: Path, words: tuple[str, ...], pages: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    _, output = ask(root, "check", *words)
    assert "could not check" not in output
    assert f"checked {pages} page{'s' * (pages != 1)}, " in output.splitlines()[-1]


NOT_THERE = [
    (
        "docs/pag.md",
        "docs/pag.md:1:1",
        "there is no such page, folder or program",
        "did you mean `docs/page.md`",
    ),
    ("docs/leson", "docs/leson:1:1", "there is no such page", "did you mean `docs/lessons`"),
    ("ad", "ad:1:1", "there is no such page", "did you mean `add`?"),
    ("docs/assets", "docs/assets:1:1", "no page of the course lies in this", "`docs/lessons`"),
    (
        "docs/assets/course.css",
        "docs/assets/course.css:1:1",
        "this is no page of the course",
        "name a Markdown file",
    ),
    ("docs/drafts", "docs/drafts:1:1", "only drafts lie there", "add --drafts"),
    ("mul", "mul:1:1", "only drafts show it", "add --drafts"),
]


@pytest.mark.parametrize(("word", "place", "true", "advice"), NOT_THERE)
def test_what_cannot_be_checked_says_why(
    root: Path, word: str, place: str, true: str, advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    status, output = ask(root, "check", word)
    assert status == 2
    said = output[output.index(f"{place}: page: could not check") :]
    assert f"stated:   `{word}`" in said
    assert f"true:     {true}" in said
    assert advice in said[said.index("do:       ") :]
    # What is not there is not counted as checked.
    assert "checked 0 pages, " in output


def test_a_page_that_is_not_there_does_not_hide_another(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    status, output = ask(root, "check", "docs/lessons", "docs/none.md")
    assert status == 2
    assert "docs/lessons/deep/two.md:3:12: unbound" in output
    assert "checked 2 pages, " in output


def test_a_file_outside_is_no_page(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.md"
    other.write_text("It is 7 ms.\n")
    status, output = ask(root, "check", str(other))
    assert status == 2
    assert f"{other}:1:1: page: could not check" in output
    assert "this is no page of the course" in output


def test_a_page_that_is_no_text_is_not_counted(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    bad = root / "docs" / "lessons" / "bad.md"
    bad.write_bytes(b"\xff\n")
    status, output = ask(root, "check", "docs/lessons")
    bad.unlink()
    assert status == 2
    assert "docs/lessons/bad.md:1:1: encoding: could not check" in output
    assert "checked 2 pages, " in output


def test_a_program_that_no_page_shows(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    page = root / "docs" / "lessons" / "one.md"
    page.write_text("# Subtracting\n")
    status, output = ask(root, "check", "sub")
    page.write_text(SHOWS)
    assert status == 2
    assert "true:     no page shows or cites it" in output


@pytest.mark.parametrize(("word", "_place", "true", "advice"), NOT_THERE[:5])
@pytest.mark.parametrize("flags", [("--accept", "all"), ("--dry-run",)])
def test_review_names_what_is_not_there(
    root: Path,
    word: str,
    _place: str,
    true: str,
    advice: str,
    flags: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(root)
    status, output = ask(root, "review", word, *flags)
    assert status == 2
    assert output.startswith(f"course: `{word}`: {true}")
    assert advice in output
    assert output.count("\n") == 1


def test_review_takes_a_folder_and_a_program(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    page = root / "docs" / "lessons" / "deep" / "two.md"
    before = page.read_text()
    page.write_text(before.replace("2.1×", "2.2×"))
    for words in (("docs/lessons",), ("add",)):
        _, output = ask(root, "review", *words, "--dry-run")
        assert "+The gain is [2.1×](claim:gain)." in output
        assert "1 of 2 findings would be mended" in output
    _, output = ask(root, "review", "sub", "--dry-run")
    assert "0 of 0 findings" in output
    status, output = ask(root, "review", "docs/lessons", "--accept", "drift")
    assert page.read_text() == before
    # What remains is told of the same pages.
    assert "docs/lessons/deep/two.md:3:12: unbound: `7`" in output
    assert status == 1


def test_why_looks_in_a_folder_and_says_when_there_is_none(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    status, output = ask(root, "why", "2.1×", "docs/lessons")
    assert status == 0
    assert "docs/lessons/deep/two.md:1:13: [2.1×](claim:gain)" in output
    status, output = ask(root, "why", "2.1×", "docs/leson")
    assert status == 2
    assert output.startswith("course: `docs/leson`: there is no such page, folder or program; did")
