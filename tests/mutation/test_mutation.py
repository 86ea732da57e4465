"""Does anything change unnoticed? The course's own pages, programs and records, changed bit by bit.

Every digit of every claim and given, every token of each region's lines, every value of a record
and every line of a transcript is changed, one at a time, and each change must be found. A change
that is no change of meaning is an *equivalent*: each is named below with its argument, and the
test fails as well when one of them stops being one.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from build_tools.claims.check import check_scan, list_pages, read_page
from build_tools.claims.course import load_course
from build_tools.claims.model import ClaimKind, Course
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.shelf import read_shelf
from build_tools.quantity.judge import judge_value
from build_tools.quantity.printed import parse_printed
from build_tools.quantity.value import Number
from build_tools.source.facts import read_facts
from build_tools.source.programs import read_program
from build_tools.source.tokens import TokenKind, scan_source

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def course() -> Course:
    return load_course(ROOT)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the course that can be changed."""
    for name in ("snippets", "evidence", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("course.toml", "README.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def change_digits(text: str) -> Iterator[tuple[int, str]]:
    """Each digit of a text changed to each other one."""
    for index, character in enumerate(text):
        if character.isdecimal():
            for digit in "0123456789":
                if digit != character:
                    yield index, text[:index] + digit + text[index + 1 :]


def test_the_course_has_no_finding(course: Course) -> None:
    assert not course.findings
    for path in list_pages(course):
        text, findings = read_page(ROOT, path)
        assert not findings
        assert text is not None
        assert not check_scan(course, scan_page(text, path))


def rounds_in_an_older_record(course: Course, expression: str, text: str) -> bool:
    """Whether a changed number is the rounding of another fresh record's value."""
    from build_tools.claims.scope import CourseScope
    from build_tools.quantity.expression import evaluate_expression

    value = evaluate_expression(expression, CourseScope(course))
    if not isinstance(value, Number) or len(value.series) < 2:
        return False
    alone = [replace(value, series=(series,)) for series in value.series[1:]]
    return any(judge_value(parse_printed(text), number) is None for number in alone)


def test_every_digit_of_every_claim(course: Course) -> None:
    changed = 0
    silent: list[str] = []
    for path in list_pages(course):
        text, _ = read_page(ROOT, path)
        assert text is not None
        for claim in scan_page(text, path).claims:
            if claim.kind is ClaimKind.STATED:
                continue  # A choice has no proof that a digit could disagree with.
            for _, words in change_digits(claim.text):
                changed += 1
                mutated = (
                    text[: claim.start + 1] + words + text[claim.start + 1 + len(claim.text) :]
                )
                findings = check_scan(course, scan_page(mutated, path))
                if not any(f.place.line == claim.place.line for f in findings) and not (
                    rounds_in_an_older_record(course, claim.target, words)
                ):
                    silent.append(f"{claim.place}: {claim.text} → {words}")
    assert changed > 100
    assert not silent


def test_every_digit_of_every_fact(tree: Path) -> None:
    path = tree / "snippets" / "quantities.toml"
    if not path.exists():
        pytest.skip("the course cites no fact yet")
    text = path.read_text(encoding="utf-8")
    silent: list[str] = []
    for line_start, line in iterate_lines(text):
        if not line.startswith(("value", "quote", "unit")):
            continue
        for _, changed in change_digits(line):
            path.write_text(text[:line_start] + changed + text[line_start + len(line) :])
            _, findings = read_facts(tree)
            facts_changed = bool(findings) or claims_notice(tree)
            if not facts_changed:
                silent.append(changed)
    assert not silent


def claims_notice(tree: Path) -> bool:
    """Whether a page's claims disagree with the changed facts."""
    course = load_course(tree)
    for path in list_pages(course):
        text, _ = read_page(tree, path)
        if text is not None and check_scan(course, scan_page(text, path)):
            return True
    return False


def iterate_lines(text: str) -> Iterator[tuple[int, str]]:
    offset = 0
    for line in text.splitlines(keepends=True):
        yield offset, line.rstrip("\n")
        offset += len(line)


def mutate_token(kind: TokenKind, text: str) -> str:
    """Another token of the same kind."""
    if kind is TokenKind.NUMBER:
        return ("7" if text[0] != "7" else "8") + text[1:]
    if kind in (TokenKind.WORD, TokenKind.MACRO):
        return "q" + text
    if kind is TokenKind.PUNCTUATOR:
        return {"+": "-", "<": ">", "(": "[", ")": "]"}.get(text, "+")
    return text[:1] + "?" + text[1:]


def test_every_code_token_of_each_region(course: Course, tree: Path) -> None:
    changed = 0
    silent: list[str] = []
    for program in course.programs.values():
        lines = {line.number for region in program.regions.values() for line in region.lines}
        path = tree / program.path
        for token in scan_source(program.text).tokens:
            number = program.text.count("\n", 0, token.start) + 1
            if number not in lines or token.kind is TokenKind.END:
                continue
            changed += 1
            other = mutate_token(token.kind, token.text)
            path.write_text(
                program.text[: token.start] + other + program.text[token.start + len(token.text) :]
            )
            mutated, findings = read_program(tree, program.name)
            if mutated is not None and mutated.code_digest == program.code_digest and not findings:
                silent.append(f"{program.path}:{number}: {token.text} → {other}")
    assert changed > 200
    assert not silent


def test_a_changed_token_is_a_stale_record_with_its_place(course: Course, tree: Path) -> None:
    program = course.programs["tiled_matmul"]
    path = tree / program.path
    path.write_text(program.text.replace("sum += tileA[ty][k]", "sum -= tileA[ty][k]"))
    (finding,) = [f for f in load_course(tree).findings if f.kind is Kind.STALE]
    assert finding.place.path == program.path
    assert "course run tiled_matmul" in finding.advice


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("// One thread computes", "// A thread computes"),
        ("    float sum = 0.0f;", "  float  sum=0.0f ;"),
        ("// snippet: load-guard", "// snippet: fill-guard"),
        ("\n", "\r\n"),
    ],
    ids=["comment", "spacing", "marker", "line ends"],
)
def test_equivalents_of_code(course: Course, tree: Path, before: str, after: str) -> None:
    program = course.programs["tiled_matmul"]
    assert before in program.text
    (tree / program.path).write_bytes(program.text.replace(before, after).encode())
    mutated, _ = read_program(tree, program.name)
    assert mutated is not None
    assert mutated.code_digest == program.code_digest


def list_leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value of a JSON document."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from list_leaves(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from list_leaves(inner, (*path, index))
    else:
        yield path


def change_value(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1 if value < 1e6 else value * 2
    if value is None:
        return "something"
    last = value[-1:]
    return value[:-1] + ("0" if last != "0" else "1")


def reread(course: Course, tree: Path, program: str) -> list[Finding]:
    _, findings = read_shelf(tree, course.programs[program], course.settings)
    return findings


def list_records(course: Course) -> Iterator[tuple[str, str]]:
    for shelf in course.shelves.values():
        for record in shelf.fresh:
            yield shelf.program, record.path


def test_every_value_of_every_record(course: Course, tree: Path) -> None:
    changed = 0
    silent: list[str] = []
    for program, path in list_records(course):
        file = tree / path
        original = file.read_text(encoding="utf-8")
        for leaf in list_leaves(json.loads(original)):
            document = json.loads(original)
            holder = document
            for step in leaf[:-1]:
                holder = holder[step]
            holder[leaf[-1]] = change_value(holder[leaf[-1]])
            file.write_text(json.dumps(document, indent=2, sort_keys=True) + "\n")
            changed += 1
            findings = reread(course, tree, program)
            if not any(f.place.path.startswith(path[: -len(".json")]) for f in findings):
                silent.append(f"{path}: {leaf}")
        file.write_text(original)
    assert changed > 300
    assert not silent


def test_every_line_of_every_side_file(course: Course, tree: Path) -> None:
    changed = 0
    silent: list[str] = []
    misplaced: list[str] = []
    for program, path in list_records(course):
        stem = tree / path[: -len(".json")]
        files = [stem.with_suffix(".txt"), *sorted(stem.glob("*"))]
        for file in files:
            original = file.read_bytes()
            lines = original.split(b"\n")
            for index, line in enumerate(lines):
                if not line:
                    continue
                mutated = [*lines[:index], line[:-1] + bytes([line[-1] ^ 1]), *lines[index + 1 :]]
                file.write_bytes(b"\n".join(mutated))
                changed += 1
                findings = reread(course, tree, program)
                relative = file.relative_to(tree).as_posix()
                if not findings:
                    silent.append(f"{relative}:{index + 1}")
                elif not any(
                    f.place.path == relative and f.place.line == index + 1 for f in findings
                ):
                    misplaced.append(f"{relative}:{index + 1}")
            file.write_bytes(original)
    assert changed > 200
    assert not silent
    assert not misplaced
