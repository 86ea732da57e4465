"""Does anything change unnoticed? The course's own pages, programs and records, changed bit by bit.

Every digit of every claim and given, every token of each region's lines, every value of a record
and every line of a transcript is changed, one at a time, and each change must be found; of the
programs beyond the first lesson's only some tokens, values and lines, see ``choose``. A change
that is no change of meaning is an *equivalent*: each is named below with its argument, and the
test fails as well when one of them stops being one.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from build_tools.claims.check import check_scan
from build_tools.claims.course import load_course
from build_tools.claims.judge_page import judge_claim
from build_tools.claims.model import Claim, ClaimKind, Course
from build_tools.claims.numbers import find_numbers
from build_tools.claims.page_text import list_pages, read_page
from build_tools.claims.scan import scan_page
from build_tools.claims.scope import CourseScope
from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.canonical import locate_values
from build_tools.evidence.shelf import read_shelf
from build_tools.quantity.expression import evaluate_expression
from build_tools.quantity.judge import judge_value
from build_tools.quantity.numeral import UnreadableError
from build_tools.quantity.printed import parse_printed
from build_tools.quantity.value import Number, Truth
from build_tools.source.digest import compute_code_digest
from build_tools.source.facts import read_facts
from build_tools.source.model import Program
from build_tools.source.programs import read_program
from build_tools.source.tokens import TokenKind, scan_source

ROOT = Path(__file__).parents[2]
Item = TypeVar("Item")


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


def choose(program: str, items: Iterable[Item]) -> list[Item]:
    """What to change of a program: every seventh of the first lesson's, else every ninety-seventh.

    Records repeat themselves by process, window and row, and each change has a program or a record
    read again.
    """
    return list(items)[:: 7 if program == "tiled_matmul" else 97]


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


def is_name_in_statement(course: Course, claim: Claim, words: str) -> bool:
    """Equivalent: a digit of a name, as in "fit in L2", where the words state no number."""
    value = evaluate_expression(claim.target, CourseScope(course))
    return isinstance(value, Truth) and not list(find_numbers(words))


def is_within_its_hedge(claim: Claim, words: str) -> bool:
    """Equivalent: "about 510" where "about 500" stands, both true of a value between."""
    try:
        hedge = parse_printed(claim.text).hedge
        return bool(hedge) and parse_printed(words).hedge is hedge
    except UnreadableError:
        return False


def rounds_in_an_older_record(course: Course, expression: str, text: str) -> bool:
    """Whether a changed number is the rounding of another fresh record's value."""
    value = evaluate_expression(expression, CourseScope(course))
    if not isinstance(value, Number) or len(value.series) < 2:
        return False
    alone = [replace(value, series=(series,)) for series in value.series[1:]]
    return any(judge_value(parse_printed(text), number) is None for number in alone)


@pytest.mark.timeout(1500)
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
                if not judge_claim(course, replace(claim, text=words)).findings and not (
                    is_name_in_statement(course, claim, words)
                    or is_within_its_hedge(claim, words)
                    or rounds_in_an_older_record(course, claim.target, words)
                ):
                    silent.append(f"{claim.place}: {claim.text} → {words}")
    assert changed > 100
    assert not silent


def test_every_digit_of_every_fact(course: Course, tree: Path) -> None:
    path = tree / "snippets" / "quantities.toml"
    text = path.read_text(encoding="utf-8")
    citing = list_citing(course)
    changed_lines = 0
    silent: list[str] = []
    for line_start, line in iterate_lines(text):
        if not line.startswith(("value", "unit")):
            # Equivalent: other digits of a quote, which only its source could tell.
            continue
        for _, changed in change_digits(line):
            changed_lines += 1
            path.write_text(text[:line_start] + changed + text[line_start + len(line) :])
            facts, findings = read_facts(tree)
            mutated = replace(course, facts=facts)
            if not findings and not any(judge_claim(mutated, claim).findings for claim in citing):
                silent.append(changed)
    assert changed_lines > 9
    assert not silent


def list_citing(course: Course) -> list[Claim]:
    """The claims that cite a fact by its key."""
    found = []
    for path in list_pages(course):
        text, _ = read_page(ROOT, path)
        assert text is not None
        found += [c for c in scan_page(text, path).claims if c.kind is ClaimKind.GIVEN]
    return found


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


def compute_digest(program: Program, text: str) -> str:
    """The code digest of a program with another text; no program of the course includes any."""
    assert not program.includes
    header = program.header
    tokens = scan_source(text).tokens
    return compute_code_digest(tokens, (), header.build, header.run, program.declaration)


def test_every_code_token_of_each_region(course: Course) -> None:
    changed = 0
    silent: list[str] = []
    for program in course.programs.values():
        lines = {line.number for region in program.regions.values() for line in region.lines}
        assert compute_digest(program, program.text) == program.code_digest
        shown = [
            (token, number)
            for token in scan_source(program.text).tokens
            if (number := program.text.count("\n", 0, token.start) + 1) in lines
            and token.kind is not TokenKind.END
        ]
        for token, number in choose(program.name, shown):
            changed += 1
            other = mutate_token(token.kind, token.text)
            text = program.text
            mutated = text[: token.start] + other + text[token.start + len(token.text) :]
            if compute_digest(program, mutated) == program.code_digest:
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


_KEY = re.compile(r'"(?:\\.|[^"\\])*":\s*')
_SCALAR = re.compile(r'"(?:\\.|[^"\\])*"|[^,\]}\s]+')


SAMPLES_STEP = 457
"""Of a file of raw samples every line so far apart is changed."""


def keep_newest(course: Course, tree: Path) -> Iterator[tuple[str, Path]]:
    """Each program with its newest record's JSON, the older records taken away for speed."""
    for shelf in course.shelves.values():
        newest = shelf.shown_record
        assert newest is not None
        for record in shelf.records:
            if record.path != newest.path:
                stem = tree / record.path[: -len(".json")]
                stem.with_suffix(".json").unlink()
                stem.with_suffix(".txt").unlink()
                shutil.rmtree(stem)
        assert not reread(course, tree, shelf.program)
        yield shelf.program, tree / newest.path


@pytest.mark.timeout(1500)
def test_every_value_of_the_newest_record(course: Course, tree: Path) -> None:
    changed = 0
    silent: list[str] = []
    for program, file in keep_newest(course, tree):
        original = file.read_text(encoding="utf-8")
        scalars = (
            item for item in locate_values(original) if not isinstance(item[2], (dict, list))
        )
        for path, offset, value in choose(program, scalars):
            key = _KEY.match(original, offset) if isinstance(path[-1], str) else None
            start = key.end() if key else offset
            scalar = _SCALAR.match(original, start)
            assert scalar is not None
            written = scalar[0]
            assert json.loads(written) == value
            other = json.dumps(change_value(value), ensure_ascii=False)
            file.write_text(original[:start] + other + original[scalar.end() :])
            changed += 1
            if not reread(course, tree, program):
                silent.append(f"{file.name}: {path}: {written} → {other}")
        file.write_text(original)
    assert changed > 300
    assert not silent


@pytest.mark.timeout(1500)
def test_every_line_of_every_side_file(course: Course, tree: Path) -> None:
    changed = 0
    silent: list[str] = []
    misplaced: list[str] = []
    for program, json_file in keep_newest(course, tree):
        stem = json_file.with_suffix("")
        for file in [stem.with_suffix(".txt"), *sorted(stem.glob("*"))]:
            original = file.read_bytes()
            lines = original.split(b"\n")
            numbered = [(i, line) for i, line in enumerate(lines) if line]
            # Raw samples are many and have no digests by line: an edit is placed by the file.
            is_samples = file.name.endswith(".samples.csv")
            chosen = numbered[::SAMPLES_STEP] if is_samples else choose(program, iter(numbered))
            for index, line in chosen:
                mutated = [*lines[:index], line[:-1] + bytes([line[-1] ^ 1]), *lines[index + 1 :]]
                file.write_bytes(b"\n".join(mutated))
                changed += 1
                findings = reread(course, tree, program)
                relative = file.relative_to(tree).as_posix()
                if not findings:
                    silent.append(f"{relative}:{index + 1}")
                elif not any(
                    f.place.path == relative and (is_samples or f.place.line == index + 1)
                    for f in findings
                ):
                    misplaced.append(f"{relative}:{index + 1}")
            file.write_bytes(original)
    assert changed > 200
    assert not silent
    assert not misplaced
