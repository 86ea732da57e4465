"""Words, files and faults that no author means: told in one line, never a hang, never a traceback's status."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from build_tools.command.main import cli, main
from build_tools.diagnostics.formats.document import encode_json
from tests.course_factory import make_example

LONG = "a" * 5_000
ACTING = "\x7f\x9b\u00ad\u200b\u202e\u2028\u2029\U000e0041"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("hostile") / "course"
    make_example(root)
    (root / "docs").mkdir()
    (root / "docs" / "page.md").write_text("# A page\n\n/// snippet | add#add-kernel\n///\n")
    return root


@pytest.fixture
def course(example: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(example, tmp_path / "course"))


def run(root: Path, *words: str) -> Result:
    done = CliRunner().invoke(cli, ["--root", str(root), *words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("why", LONG), "do: name a program, a record, PATH:LINE of a page"),
        (("why", f"docs/{LONG}:3"), "do: name a program, a record, PATH:LINE of a page"),
        (("why", f"{LONG}@run-2026-12-01"), "there is no record"),
        (("why", f"evidence/{LONG}/x/run-2026-12-01.json"), "do: known: `add@run-2026-12-01`"),
        (("check", LONG), "there is no such page, folder or program"),
        (("record", LONG), "it cannot be read: File name too long"),
    ],
)
def test_a_word_too_long_for_a_name_is_an_unknown_word(
    example: Path, words: tuple[str, ...], said: str
) -> None:
    done = run(example, *words)
    assert done.exit_code == 2
    assert said in done.output


@pytest.mark.parametrize(
    "words",
    [
        ("prune", "nope\x1b[2J"),
        ("review", "--accept", "nope\x1b[2J"),
        ("review", "nope\x1b[2J"),
        ("history", "nope\x1b[2J"),
        ("diff", "nope\x1b[2J"),
        ("check", "nope\x1b[2J"),
    ],
)
def test_a_word_does_not_steer_the_terminal(example: Path, words: tuple[str, ...]) -> None:
    done = run(example, *words)
    assert "nope\N{SYMBOL FOR ESCAPE}[2J" in done.output
    assert "\x1b" not in done.output


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_findings_as_json_hold_no_character_that_acts(course: Path, form: str) -> None:
    (course / "docs" / "page.md").write_text(f"[2{ACTING}](claim:add.nope)\n")
    done = run(course, "check", "--format", form)
    assert not set(ACTING) & set(done.stdout)
    assert r"\u202e" in done.stdout
    assert ACTING in json.dumps(json.loads(done.stdout), ensure_ascii=False)


def test_an_answer_as_json_holds_no_character_that_acts(example: Path) -> None:
    done = run(example, "eval", "--json", f'"{ACTING}"')
    assert not set(ACTING) & set(done.stdout)
    assert json.loads(done.stdout)["expression"] == f'"{ACTING}"'


def test_json_keeps_what_people_write() -> None:
    text = "1.5× µs – 日本 \U0001f600\n\t"
    assert json.loads(encode_json(text)) == text
    assert "× µs – 日本 \U0001f600" in encode_json(text)


@pytest.mark.parametrize("below", ["no/such/place", "docs"])
def test_a_stated_root_is_no_other_folder(example: Path, below: str) -> None:
    done = run(example / below, "check")
    assert done.exit_code == 2
    assert f"course: no course.toml in {example / below}: name the course's own" in done.output


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("evidence/add/nvidia-h200/run-2026-12-01.txt", 1),
        ("snippets/add/program.toml", 1),
        ("snippets/add/README.md", 1),
    ],
)
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(
    course: Path, path: str, status: int
) -> None:
    (course / path).unlink()
    os.mkfifo(course / path)
    done = run(course, "check")
    assert done.exit_code == status
    assert path in done.output


def test_a_word_too_many_does_not_steer_it_either(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["course", "status", "nope\x9b2J"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "nope⟨U+009B⟩2J" in capsys.readouterr().err


def test_a_fault_of_our_own_is_a_check_that_could_not_be_made(
    example: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("broken \x1b[2J")

    monkeypatch.setattr("build_tools.claims.check.check_course", fail)
    monkeypatch.setattr("sys.argv", ["course", "--root", str(example), "check"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "RuntimeError: broken \N{SYMBOL FOR ESCAPE}[2J" in said
    assert "test_hostile_words.py" in said
    assert said.splitlines()[-1].startswith("course: could not check: this is a fault of the tools")
