"""How does a test ask the command line, and of which course?"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
from click.testing import CliRunner

from build_tools.command.answers import generate_answer_schema
from build_tools.command.main import cli
from tests.course_factory import DECLARATION, make_example

PAGE = """\
# Adding

The wide kernel is [2.1×](claim:add.speedup["large"]) as fast. It is
> [wider](claim:all(add.speedup[:] > 1)) too.

- A launch takes [0.63 ms](claim:add.time["large", "wide"]), a block has [256](claim:add.source.kBlock) threads.
- Memory: [4.8 TB/s](given:peak); say [5](stated:) of them, on [132](claim:add.device.sm_count) SMs.

[12](claim:add.compiler["add"].registers) registers; [the more](claim:add.doubled > add.speedup["large"]); [2.1×](claim:add.speedup["large"]) again.

/// snippet | add#add-kernel
///
"""

FACTS = """\
[peak]
value = "4.8"
unit = "TB/s"
source = "https://example.org/datasheet"
quote = "4.8 TB/s of memory bandwidth"
date = 2026-11-01
"""

QUANTITIES = """\

[quantities]
doubled = 'speedup["large"] * 2'
"""


def make_asked(root: Path) -> None:
    """A course with one program, one record and one page, without findings, under git."""
    make_example(root)
    (root / "snippets" / "quantities.toml").write_text(FACTS)
    declaration = root / "snippets" / "add" / "program.toml"
    declaration.write_text(DECLARATION + QUANTITIES)
    write_page(root, PAGE)
    commit_all(root)


def write_page(root: Path, text: str) -> None:
    page = root / "docs" / "page.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text(text)


def run_git(root: Path, *arguments: str) -> str:
    settings = {
        "user.name": "An Author",
        "user.email": "author@example.org",
        "commit.gpgsign": "false",
        "core.hooksPath": os.devnull,
    }
    given = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
    done = subprocess.run(
        ["git", *given, *arguments],
        cwd=root,
        env={k: v for k, v in os.environ.items() if not k.startswith("GIT_")},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def commit_all(root: Path) -> None:
    if not (root / ".git").exists():
        run_git(root, "init", "--quiet")
    run_git(root, "add", "--all")
    run_git(root, "commit", "--quiet", "--message", "Measure")


def ask(root: Path, *arguments: str) -> tuple[int, str]:
    """A command's status and what it prints."""
    done = CliRunner().invoke(cli, ["--root", str(root), *arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


def ask_json(root: Path, *arguments: str) -> Any:
    """A command's JSON, held against the command's schema."""
    _, output = ask(root, *arguments, "--json")
    answer = json.loads(output)
    schema = generate_answer_schema(arguments[0])
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(answer, schema)
    assert set(answer) == set(schema["$defs"][schema["$ref"].rpartition("/")[2]]["properties"])
    assert answer["format"] == 1
    return answer
