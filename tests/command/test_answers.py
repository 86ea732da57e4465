"""Answers as text and JSON: their schemas, and what untrusted text does to neither."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import jsonschema
import pytest

from build_tools.command.answers import SHAPES
from build_tools.command.questions import ANSWERS
from tests.command.asking import PAGE, ask, ask_json, make_asked, write_page


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("answers")
    make_asked(root)
    return root


@pytest.mark.parametrize("name", ANSWERS)
def test_every_answer_has_a_documented_schema(course: Path, name: str) -> None:
    assert set(ANSWERS) == set(SHAPES)
    status, output = ask(course, "schema", name)
    assert status == 0
    schema = json.loads(output)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["title"].startswith(f"The answer of `course {name} --json`: ")
    answer = schema["$defs"][schema["$ref"].rpartition("/")[2]]
    assert answer["properties"]["format"]["enum"] == [1]
    assert all(definition["description"] for definition in schema["$defs"].values())
    described = [
        "description" in field
        for definition in schema["$defs"].values()
        for field in definition.get("properties", {}).values()
    ]
    assert sum(described) > 3


def test_a_schema_nobody_has(course: Path) -> None:
    status, output = ask_status(course, "schema", "evla")
    assert status == 2
    assert "'evla' is not one of 'record', 'counters', 'sanitizers'" in output


def ask_status(root: Path, *arguments: str) -> tuple[int, str]:
    from click.testing import CliRunner

    from build_tools.command.main import cli

    done = CliRunner().invoke(cli, ["--root", str(root), *arguments])
    return done.exit_code, done.output


def test_eval_as_json(course: Path) -> None:
    answer = ask_json(course, "eval", 'add.time["large", "wide"]')
    figure = answer["figure"]
    assert figure["unit"] == "s"
    assert figure["value"] == pytest.approx(6.255e-4)
    assert len(figure["samples"]) == 10
    assert figure["samples_shown"][0] == "625"
    assert figure["band_low"] < figure["value"] < figure["band_high"]
    assert answer["proof"] == "measured"
    assert answer["records"][0]["path"].endswith("run-2026-12-01.json")
    sliced = ask_json(course, "eval", "add.speedup[:]")["figure"]
    assert [item["keys"] for item in sliced["items"]] == [["small"], ["large"]]
    wrong = ask_json(course, "eval", "1 + add.sped")
    assert (wrong["figure"], wrong["column"]) == (None, 5)
    assert wrong["advice"] == "did you mean `speedup`?"
    assert ask(course, "eval", "1 + add.sped", "--json")[0] == 2


def test_list_as_json(course: Path) -> None:
    listing = ask_json(course, "list")
    (program,) = listing["programs"]
    names = {name["name"]: name for name in program["names"]}
    assert names["add.source.kBlock"]["figure"]["value"] == 256
    assert names["add.time"]["keys"] == ["case", "kernel"]
    assert [region["reference"] for region in program["regions"]] == [
        "add#block",
        "add#add-kernel",
    ]
    assert [fact["key"] for fact in listing["facts"]] == ["peak"]


def test_control_bytes_do_not_reach_a_terminal(course: Path, tmp_path: Path) -> None:
    root = tmp_path / "course"
    shutil.copytree(course, root)
    write_page(root, PAGE.replace("as fast.", "as \x1b[31mfast\u202e."))
    for arguments in (("why", "docs/page.md:3:20"), ("why", "add")):
        output = ask(root, *arguments)[1]
        assert "\x1b" not in output
        assert "\u202e" not in output
    assert "as ␛[31mfast⟨U+202E⟩." in ask(root, "why", "docs/page.md:3:20")[1]
    sentence = ask_json(root, "why", "docs/page.md:3:20")["sentences"][0]["sentence"]
    assert sentence == "The wide kernel is 2.1× as \x1b[31mfast\u202e."


def test_a_file_name_that_is_no_utf8(course: Path, tmp_path: Path) -> None:
    root = tmp_path / "course"
    shutil.copytree(course, root)
    name = os.fsdecode(b"bad\xff")
    (root / "evidence" / "add" / "nvidia-h200" / name).touch()
    assert "bad⟨0xFF⟩" in ask(root, "status")[1]
    (orphan,) = ask_json(root, "status")["orphans"]
    assert orphan["path"].endswith("bad\udcff")
