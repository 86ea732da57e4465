"""Is what a built page shows for a directive or a claim what the course holds?

Every function here compares one element of the page with its source and returns what differs,
as (stated, true) pairs: what the page shows, what it should show.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator

from selectolax.lexbor import LexborNode

from build_tools.claims.comparisons import compare_rows
from build_tools.claims.directives import split_columns
from build_tools.claims.exercises import ShownExercise
from build_tools.claims.exercises import find_shown as find_exercise
from build_tools.claims.model import Claim, Course, Directive
from build_tools.diagnostics.visible import show_controls
from build_tools.evidence.loaded import TranscriptTable
from build_tools.pages.comparison import compose_view
from build_tools.pages.exercise import find_tried
from build_tools.pages.explorer import (
    explore_program,
    explore_region,
    explore_starter,
    read_url,
)
from build_tools.pages.lookup import list_known_records
from build_tools.pages.visible import show_transcript
from build_tools.quantity.value import (
    OperationError,
)
from build_tools.site.generate import find_shown
from build_tools.source.model import Region
from build_tools.source.starters import compose_commands, cut_starter

Difference = tuple[str, str]

QUOTED = 60
"""How many characters of a differing line a message quotes."""


def compare_directive(course: Course, directive: Directive, node: LexborNode) -> list[Difference]:
    """What differs between the element ``node`` and what ``directive`` embeds."""
    compare = _COMPARISONS.get(directive.name)
    return list(compare(course, directive, node)) if compare else []


def compare_claim(claim: Claim, node: LexborNode) -> list[Difference]:
    """What differs between the shown text of a claim and its text in the source."""
    shown, written = fold_shown(node), fold_claim(claim)
    return (
        [] if shown == written else [(f"the page shows {shown!r}", f"the claim says {written!r}")]
    )


def fold_shown(node: LexborNode) -> str:
    """What a claim's element shows, without what stands behind the claim."""
    return _fold_prose(read_text(node, without=".course-proof"))


def fold_claim(claim: Claim) -> str:
    """A claim's text as a page shows it."""
    return _fold_prose(html.unescape(claim.text))


def read_text(node: LexborNode, without: str = "") -> str:
    """The text below ``node``, nothing stripped; what matches ``without`` is left out."""
    if not without:
        return node.text(deep=True, separator="", strip=False)
    hidden = {skipped.mem_id for skipped in node.css(without)}
    return "".join(_walk_text(node, hidden))


def _walk_text(node: LexborNode, hidden: set[int]) -> Iterator[str]:
    for child in node.iter(include_text=True):
        if child.mem_id in hidden:
            continue
        if child.tag == "-text":
            yield child.text_content or ""
        else:
            yield from _walk_text(child, hidden)


def _compare_snippet(
    course: Course, directive: Directive, node: LexborNode
) -> Iterator[Difference]:
    region = find_region(course, directive.argument)
    if region is not None:
        raw = directive.options.get("dedent") == "false"
        yield from _compare_code(node, region.undedented if raw else region.text)
        program = course.programs[region.program]
        yield from _compare_explorer(node, explore_region(course, program, region).url)


def _compare_exercise(
    course: Course, directive: Directive, node: LexborNode
) -> Iterator[Difference]:
    shown = find_exercise(course, directive)
    if shown is None:
        return
    codes = node.css("pre > code")
    begun, _ = cut_starter(shown.program, shown.exercise, shown.region)
    expected = (begun.text, shown.program.regions[shown.region].text)
    if len(codes) != len(expected):
        yield (
            f"the page shows {len(codes)} blocks of code here",
            "a starter and a solution belong here",
        )
        return
    for code, text in zip(codes, expected, strict=True):
        yield from _compare_lines(read_text(code), text)
    yield from _compare_tried(course, shown, node)
    link = explore_starter(course, shown.program, shown.exercise, shown.region)
    yield from _compare_explorer(node, link.url)


def _compare_tried(
    course: Course, exercise: ShownExercise, node: LexborNode
) -> Iterator[Difference]:
    """How the starter is built and tried, what it says, and what the right program says."""
    commands = compose_commands(exercise.program, exercise.exercise)
    tried = find_tried(course, exercise.program, exercise.exercise)
    told = (tried.now, tried.right) if tried else ()
    expected = [text for text in (commands.build, commands.attempt, *told) if text]
    listed = [read_text(code) for code in node.css(".course-exercise__try dd > code")]
    if listed != [show_controls(text) for text in expected]:
        yield (
            f"it tells {', '.join(map(repr, listed)) or 'nothing'} of its starter",
            f"it should tell {', '.join(map(repr, expected)) or 'nothing'}",
        )


def _compare_source(course: Course, directive: Directive, node: LexborNode) -> Iterator[Difference]:
    program = course.programs.get(directive.argument)
    if program is not None:
        yield from _compare_code(node, program.text)


def _compare_card(course: Course, directive: Directive, node: LexborNode) -> Iterator[Difference]:
    program = course.programs.get(directive.argument)
    commands = (program.header.build, program.header.run) if program else ()
    if any(commands):
        yield from _compare_code(node, "".join(f"{text}\n" for text in commands if text))
    if program is not None:
        yield from _compare_explorer(node, explore_program(course, program).url)


def _compare_transcript(
    course: Course, directive: Directive, node: LexborNode
) -> Iterator[Difference]:
    record = find_shown(course, directive.argument)
    if record is not None:
        yield from _compare_code(node, show_transcript(record.shown_text).text)


def _compare_record(course: Course, directive: Directive, node: LexborNode) -> Iterator[Difference]:
    wanted = f"evidence/{directive.argument.removeprefix('evidence/')}.json"
    for record in list_known_records(course):
        if record.path == wanted:
            yield from _compare_code(node, show_transcript(record.shown_text).text)


def _compare_code(node: LexborNode, expected: str) -> Iterator[Difference]:
    codes = node.css("pre > code")
    if len(codes) != 1:
        yield f"the page shows {len(codes)} blocks of code here", "one block of code belongs here"
        return
    yield from _compare_lines(read_text(codes[0]), expected)


def _compare_lines(shown: str, expected: str) -> Iterator[Difference]:
    """The first line that differs, after HTML's own rules for line ends and NUL."""
    shown, expected = _fold_code(shown), _fold_code(expected)
    if shown == expected:
        return
    here, there = shown.split("\n"), expected.split("\n")
    for number, (left, right) in enumerate(zip(here, there, strict=False), start=1):
        if left != right:
            yield f"line {number} shows {_quote(left)}", f"it is {_quote(right)}"
            return
    yield f"{len(here)} lines are shown", f"it has {len(there)} lines"


def _compare_explorer(node: LexborNode, expected: str) -> Iterator[Difference]:
    """What the links to Compiler Explorer hold, each the text of what they stand under."""
    for link in node.css("a[data-course-explorer]"):
        held, true = read_url(link.attributes.get("href") or ""), read_url(expected)
        if held != true:
            yield "its link opens another text in Compiler Explorer", "it opens what is shown"


def _compare_table(course: Course, directive: Directive, node: LexborNode) -> Iterator[Difference]:
    table = find_table(course, directive)
    if table is None:
        return
    expected = _select_columns(course, directive, table)
    shown = [_read_row(row) for row in node.css("tbody > tr")]
    yield from _compare_rows(shown, expected, "the transcript's table")


def _compare_comparison(
    course: Course, directive: Directive, node: LexborNode
) -> Iterator[Difference]:
    program = course.programs.get(directive.argument)
    if program is None or find_shown(course, directive.argument) is None:
        return
    try:
        compared = compare_rows(program, course.shelves[program.name], directive.options)
    except OperationError:
        return  # a finding of the page: there is nothing to show
    lines = compose_view(compared).lines
    expected = [tuple(" ".join(cell.split()) for cell in line.cells) for line in lines]
    shown = [_read_row(row) for row in node.css("tbody > tr")]
    yield from _compare_rows(shown, expected, "the comparison")


def _compare_rows(
    shown: list[tuple[str, ...]], expected: list[tuple[str, ...]], what: str
) -> Iterator[Difference]:
    if len(shown) != len(expected):
        yield f"{len(shown)} rows are shown", f"{what} has {len(expected)}"
        return
    for number, (left, right) in enumerate(zip(shown, expected, strict=True), start=1):
        if left != right:
            yield f"row {number} shows {' | '.join(left)}", f"it is {' | '.join(right)}"


def _read_row(row: LexborNode) -> tuple[str, ...]:
    return tuple(" ".join(read_text(cell).split()) for cell in row.css("th, td"))


def _select_columns(
    course: Course, directive: Directive, table: TranscriptTable
) -> list[tuple[str, ...]]:
    """The table's cells as printed, in the columns that the directive asks for."""
    asked = split_columns(directive.options.get("columns", ""))
    indexes: list[int] = list(range(len(table.columns)))
    if asked:
        program = course.programs[directive.argument]
        rules = {r.name: r for t in program.declaration.tables for r in t.columns}
        headers = [rules[name].header if name in rules else name for name in asked]
        indexes = [table.columns.index(header) for header in headers if header in table.columns]
    rows = ([" ".join(row[i].split()) for i in indexes] for row in table.rows)
    return [tuple(row) for row in rows]


def find_region(course: Course, reference: str) -> Region | None:
    """The region that ``program#region`` names, or None."""
    name, _, region = reference.partition("#")
    program = course.programs.get(name)
    return program.regions.get(region) if program else None


def find_table(course: Course, directive: Directive) -> TranscriptTable | None:
    """The shown record's table that a ``table`` directive embeds, or None."""
    record = find_shown(course, directive.argument)
    if record is None or not record.transcripts:
        return None
    tables = record.shown.tables
    wanted = directive.options.get("table", "")
    if not wanted and len(tables) == 1:
        return next(iter(tables.values()))
    return tables.get(wanted)


def _fold_code(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def _fold_prose(text: str) -> str:
    """Text without the marks of emphasis and code, spaces of every kind as one."""
    return " ".join(re.sub(r"[*_`]", "", text).split())


def _quote(line: str) -> str:
    return repr(line if len(line) <= QUOTED else line[: QUOTED - 1] + "…")


_COMPARISONS: dict[str, Callable[[Course, Directive, LexborNode], Iterator[Difference]]] = {
    "snippet": _compare_snippet,
    "exercise": _compare_exercise,
    "program-source": _compare_source,
    "table": _compare_table,
    "comparison": _compare_comparison,
    "transcript": _compare_transcript,
    "program": _compare_card,
    "program-head": _compare_card,
    "record": _compare_record,
}
