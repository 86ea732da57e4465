"""The reference is what the code says, and leaves nothing out."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import click
import pytest

from build_tools.claims.course import load_course
from build_tools.claims.directives import check_directive
from build_tools.claims.front_matter import KEYS, POLICIES, TOP_KEYS
from build_tools.claims.known_blocks import BLOCKS
from build_tools.claims.patterns import PATTERNS
from build_tools.claims.scan import scan_page
from build_tools.claims.scope import RECORD_NAMES
from build_tools.command.answers import SHAPES
from build_tools.command.main import cli
from build_tools.command.reference.blocks import LONGER
from build_tools.command.reference.broken import BROKEN, Edit, apply_edit
from build_tools.command.reference.example import PROGRAM, Example, NoExampleError, open_example
from build_tools.command.reference.records import walk_shapes
from build_tools.command.reference.template import TEMPLATES, TemplateError, fill_template
from build_tools.command.reference.write import FOLDER, PAGES
from build_tools.command.review_ask import CHOICES
from build_tools.diagnostics.finding import Kind
from build_tools.diagnostics.formats.report import Format
from build_tools.evidence.model import Record
from build_tools.quantity.functions import FUNCTIONS
from build_tools.quantity.units import NOUNS, SYMBOLS
from build_tools.quantity.vocabulary import (
    HEDGES,
    MULTIPLES,
    NUMBER_WORDS,
    SCALE_WORDS,
    SHARES,
    Form,
)
from build_tools.source.environment import VARIABLES
from build_tools.source.model import Settings
from build_tools.source.toml_keys import FACTS
from build_tools.source.toml_keys import PROGRAM as PROGRAM_KEYS

ROOT = Path(__file__).parents[2]
_ENVIRONMENT = re.compile(r"(?:^|\.)(?:environ|environment|os)$")
NEEDED = ("course.toml", "docs/writing/first-lesson.md", "tests/cases/copy_order.tar.gz")
"""What the reference is made from, beside the code."""


def make_reference(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "build_tools.command.reference", *arguments],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def example() -> Iterator[Example]:
    with open_example(ROOT) as opened:
        yield opened


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What the reference needs, and the reference."""
    for path in NEEDED:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    shutil.copytree(ROOT / FOLDER, tmp_path / FOLDER)
    return tmp_path


def read_page(name: str) -> str:
    return (ROOT / FOLDER / name).read_text(encoding="utf-8")


def read_section(page: str, heading: str) -> str:
    """From a heading to the next of its level or above."""
    found = re.search(
        rf"^(#+) {re.escape(heading)}$(.*?)(?=^#{{1,6}} |\Z)", page, re.MULTILINE | re.DOTALL
    )
    assert found, f"no section {heading}"
    return found[2]


def test_the_pages_are_what_the_code_says() -> None:
    done = make_reference(ROOT, "--check")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_page_that_differs_is_named_with_its_first_line(checkout: Path) -> None:
    page = checkout / FOLDER / "blocks.md"
    lines = page.read_text(encoding="utf-8").split("\n")
    number = lines.index("## table") + 1
    page.write_text("\n".join([*lines[: number - 1], "## tables", *lines[number:]]))
    cut = checkout / FOLDER / "course-toml.md"
    cut.write_bytes(cut.read_bytes().rstrip(b"\n"))
    last = cut.read_bytes().count(b"\n") + 2
    (checkout / FOLDER / "records.md").unlink()
    (checkout / FOLDER / "old.md").write_text("# Old\n")
    done = make_reference(checkout, "--check")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        f"{FOLDER}/blocks.md:{number}: is `## tables`",
        "    from the code: `## table`",
        f"{FOLDER}/course-toml.md:{last}: the page has ended",
        "    from the code: ``",
        f"{FOLDER}/records.md: there is no such page",
        f"{FOLDER}/old.md: the code makes no such page",
        "the reference is not what the code says: run `make reference`",
    ]
    (checkout / FOLDER / "old.md").unlink()
    done = make_reference(checkout)
    assert done.stdout.splitlines() == [
        f"wrote {FOLDER}/{name}.md" for name in ("blocks", "course-toml", "records")
    ]
    assert make_reference(checkout, "--check").returncode == 0


def test_outside_a_checkout_it_says_what_is_missing(checkout: Path) -> None:
    (checkout / "docs" / "writing" / "first-lesson.md").unlink()
    done = make_reference(checkout, "--check")
    assert done.returncode == 2
    assert "first-lesson.md: No such file or directory; the reference is made in a checkout" in (
        done.stderr
    )


def test_an_example_without_evidence_stops_it(checkout: Path) -> None:
    (checkout / "tests" / "cases" / "copy_order.tar.gz").write_bytes(b"no bundle")
    done = make_reference(checkout)
    assert done.returncode == 2
    assert "an example of the reference does not hold" in done.stderr
    assert "copy_order.tar.gz:1:1: record" in done.stderr


def test_places_and_parts_go_together(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("build_tools.command.reference.template.TEMPLATES", tmp_path)
    (tmp_path / "page.md").write_text("---\ntitle: Page\n---\n\n# Page\n\n{{ one }}\n")
    filled = fill_template("page.md", {"one": "First.\n"})
    assert filled.startswith("---\ntitle: Page\n---\n<!-- Made by `make reference`")
    assert filled.endswith("\n\n# Page\n\nFirst.\n")
    with pytest.raises(TemplateError, match=r"^page\.md:7: no part `one` is made$"):
        fill_template("page.md", {})
    with pytest.raises(TemplateError, match=r"the part `two` has no place; write {{ two }}$"):
        fill_template("page.md", {"one": "", "two": ""})


def test_every_template_is_a_page_and_in_the_navigation() -> None:
    assert {path.name for path in TEMPLATES.iterdir()} == set(PAGES)
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for name in PAGES:
        assert f"- reference/{name}\n" in navigation


def walk(group: click.Group, words: str) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from walk(command, f"{words} {name}")
        elif not command.hidden:
            yield f"{words} {name}", command


def test_every_command_and_option_is_there() -> None:
    page = read_page("commands.md")
    for words, command in walk(cli, "course"):
        section = read_section(page, words)
        assert f"``` {{ .sh .no-copy }}\n{words}" in section
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert all(f"`{name}" in section for name in parameter.opts), (words, parameter)
                assert " ".join((parameter.help or "").split())[:40] in section
            else:
                assert parameter.make_metavar(click.Context(command)) in section
    assert all(f"`course {name} --json`" in page for name in SHAPES)
    for choice in CHOICES:
        assert re.search(
            rf"^\| `{re.escape(choice.keys)}` \| .*{re.escape(choice.explained)}",
            page,
            re.MULTILINE,
        )


def test_the_readme_lists_every_command() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for words, _ in walk(cli, "course"):
        assert re.search(rf"^\| `{words}(?: [^`]*)?` \| .+ \|$", text, re.MULTILINE), words


def test_every_variable_is_there() -> None:
    section = read_section(read_page("commands.md"), "Variables of the environment")
    for name, variable in VARIABLES.items():
        assert f"`{name}`\n:   {variable.meaning}" in section


def list_variables_read() -> Iterator[str]:
    """The names of variables that stand as text where the environment is read."""
    for path in (ROOT / "build_tools").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=owner, attr="get" | "pop" | "getenv"),
                    args=[ast.Constant(value=str(name)), *_],
                ) if _ENVIRONMENT.search(ast.unparse(owner)):
                    yield name
                case ast.Subscript(value=owner, slice=ast.Constant(value=str(name))) if (
                    _ENVIRONMENT.search(ast.unparse(owner))
                ):
                    yield name


def test_no_variable_is_read_that_is_not_listed() -> None:
    assert set(list_variables_read()) <= VARIABLES.keys()


def test_every_kind_is_there_with_one_of_its_findings() -> None:
    page = read_page("findings.md")
    for kind in Kind:
        section = read_section(page, kind.value)
        assert re.search(
            rf"^```text\n\S+:\d+:\d+: {kind}(?:: could not check)?$", section, re.MULTILINE
        )
        assert "    stated:   " in section
        assert "    do:       " in section
        assert f"[{kind}](#{kind})" in page
    for form in Format:
        assert f"`--format {form}`" in page


def test_every_form_hedge_word_and_unit_is_there() -> None:
    page = read_page("printed-numbers.md")
    for form in Form:
        assert f"\n| {form} | " in page
    for hedge in HEDGES:
        assert re.search(rf"^\| .*`{re.escape(hedge)}`.* \| .+ \|$", page, re.MULTILINE), hedge
    for word in (*NUMBER_WORDS, *SHARES, *MULTIPLES, *SCALE_WORDS):
        assert f"`{word}`" in read_section(page, "Words")
    units = read_section(page, "Units")
    for symbol, unit in SYMBOLS.items():
        nouns = [name for name, _ in unit.dimensions if name in NOUNS]
        assert f"`{symbol}`" in units or (nouns and re.search(rf"[ ,]{nouns[0]}[,.]", units))


def test_every_name_and_function_of_expressions_is_there() -> None:
    page = read_page("expressions.md")
    for name, meaning in RECORD_NAMES.items():
        assert f"| `{name}` | {meaning} |" in page
    section = read_section(page, "Functions")
    for name, function in FUNCTIONS.items():
        assert f"| `{name}` | {function.meaning} |" in section
        assert f"\n{function.example}\n    " in section
        assert "no value" not in section


def test_every_block_and_option_is_there() -> None:
    page = read_page("blocks.md")
    for name, block in BLOCKS.items():
        section = read_section(page, name)
        assert block.shows in section
        for option, told in block.options.items():
            assert f"`{option}`\n:   {told.meaning}" in section
            assert f"\n    {option}: " in section


def test_the_longer_examples_of_blocks_hold_in_this_course() -> None:
    course = load_course(ROOT)
    for name, text in LONGER.items():
        scan = scan_page(text, "docs/page.md")
        assert scan.findings == ()
        assert {directive.name for directive in scan.directives} == {name}
        told = [f for d in scan.directives for f in check_directive(course, d)]
        # Evidence that is stale for a while is told where it lies.
        assert [f for f in told if f.kind is Kind.DIRECTIVE] == []


def test_every_key_is_there() -> None:
    page = read_page("course-toml.md")
    for field in fields(Settings):
        assert f"`{field.name}`\n:   *" in read_section(page, "Every key of `[course]`")
        # A key, or a table of its own.
        assert f"\n{field.name} = " in page or f"\n[course.{field.name}]\n" in page
    for name, sections in (("program-toml.md", PROGRAM_KEYS), ("quantities-toml.md", FACTS)):
        page = read_page(name)
        for route, keys in sections.items():
            section = read_section(page, f"`[{route}]`" if route else "The top level")
            assert all(f"`{key}`" in section for key in keys)


def test_the_readers_of_toml_admit_what_the_reference_lists() -> None:
    """Keys are named in one table: none stands as text where a reader says what it knows."""
    for path in (ROOT / "build_tools" / "source").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "known" and path.stem != "settings":
                assert not isinstance(node.value, ast.Tuple | ast.List | ast.Set), path


def test_every_field_of_a_record_is_there() -> None:
    page = read_page("records.md")
    for shape in walk_shapes(Record):
        words = re.sub(r"(?<=[a-z])[A-Z]", lambda m: f" {m[0].lower()}", shape.__name__)
        section = read_section(page, words)
        for field in shape.__struct_fields__:
            assert re.search(rf"^\| `{field}` \| \*.+\.\* .+ \|$", section, re.MULTILINE), field


def test_every_pattern_and_policy_is_there() -> None:
    page = read_page("unbound-numbers.md")
    for name, pattern in PATTERNS.items():
        assert f"| `{name}` | {pattern.why} |" in page
        assert re.search(
            rf"^{name}\n    takes   .+\n(?: {{12}}.+\n)*    leaves  ", page, re.MULTILINE
        )
    for policy in POLICIES:
        assert f'    unbound = "{policy}"' in page


def test_every_key_of_front_matter_is_there() -> None:
    section = read_section(read_page("course-toml.md"), "Front matter of a page")
    assert all(f"`{key}`\n:   " in section for key in TOP_KEYS)
    assert all(f"`{key}` below `course`\n:   " in section for key in KEYS)


def test_every_kind_has_a_way_to_break_the_example(example: Example) -> None:
    assert set(BROKEN) == set(Kind)
    with example.copy() as root, pytest.raises(LookupError, match="does not hold `nothing`"):
        apply_edit(root, Edit("course.toml", "nothing", "new"))


@pytest.mark.compiler
def test_the_compiler_says_what_the_example_says_it_does(example: Example) -> None:
    broken = BROKEN[Kind.BUILD]
    with example.copy() as root:
        for edit in broken.edits:
            apply_edit(root, edit)
        from build_tools.command.build import compile_course

        findings, _ = compile_course(root, [PROGRAM], lambda _: None)
        assert broken.find(root) == findings


def test_a_wrong_example_is_told() -> None:
    from build_tools.command.reference.example import require_none
    from build_tools.diagnostics.finding import Finding, Place

    finding = Finding(Kind.DRIFT, Place("docs/a.md", 3, 4), "`2×`", "1.5", "write `1.5×`")
    with pytest.raises(NoExampleError, match=r"does not hold:\ndocs/a\.md:3:4: drift"):
        require_none([finding])
