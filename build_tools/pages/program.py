"""How does a whole program look on a page? A card in a lesson, its source on its own page."""

from __future__ import annotations

from markupsafe import Markup

from build_tools.claims.model import Course, Directive
from build_tools.pages.explorer import explore_program
from build_tools.pages.highlight import CodeLine, color_source, compose_code
from build_tools.pages.lookup import Absence, find_program, find_shown_record
from build_tools.pages.printed import format_date
from build_tools.pages.template import fill_template
from build_tools.source.model import Program
from build_tools.source.regions import list_all_marker_lines

PARTS = {"program": "card", "program-head": "head", "program-entry": "entry"}
"""What is shown of a program. On its own page the source says what it is, and in the index the
heading names it: neither is said twice."""

EXPLORER = "compiler-explorer"
"""The id, on a program's page, of the link that opens its kernels elsewhere."""


def render_program(course: Course, directive: Directive, identity: str) -> Markup | Absence:
    """The card of ``directive``'s program: what it is, how it is built and run, who verified it."""
    program = find_program(course, directive.argument)
    if isinstance(program, Absence):
        return program
    record = find_shown_record(course, program)
    return fill_template(
        "program",
        directive=directive,
        identity=identity,
        program=program,
        part=PARTS[directive.name],
        paragraphs=[p for p in program.header.description.split("\n\n") if p.strip()],
        commands="".join(c + "\n" for c in (program.header.build, program.header.run) if c),
        explorer=explore_program(course, program),
        explorer_anchor=EXPLORER,
        record=record,
        absent=isinstance(record, Absence),
        date="" if isinstance(record, Absence) else format_date(record.record.started),
    )


def render_source(course: Course, directive: Directive, identity: str) -> Markup | Absence:
    """A program's whole source, each line an anchor ``L12``, its regions named at their lines.

    The text of its one ``pre > code`` is the program's.
    """
    program = find_program(course, directive.argument)
    if isinstance(program, Absence):
        return program
    lines = _mark_lines(program)
    return fill_template(
        "source",
        directive=directive,
        identity=identity,
        program=program,
        regions=sorted(program.regions.values(), key=lambda region: region.place),
        digits=len(str(len(lines))),
        marked=any(line.marker for line in lines),
        exercises=bool(program.exercises),
        code=compose_code(lines, ends=program.text.endswith("\n")),
    )


def _mark_lines(program: Program) -> list[CodeLine]:
    """The program's lines, with the names of regions that begin and how many hold each line."""
    opens: dict[int, list[str]] = {}
    depth: dict[int, int] = {}
    for region in program.regions.values():
        opens.setdefault(region.first, []).append(region.name)
        for line in region.lines:
            depth[line.number] = depth.get(line.number, 0) + 1
    markers = list_all_marker_lines(program.text)
    colored = color_source(program.text)
    if program.text.endswith("\n"):
        colored = colored[:-1]
    return [
        CodeLine(
            number,
            tokens,
            f"L{number}",
            tuple(opens.get(number, ())),
            depth.get(number, 0),
            marker=number in markers,
        )
        for number, tokens in enumerate(colored, 1)
    ]
