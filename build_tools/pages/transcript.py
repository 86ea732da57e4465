"""How does a transcript look on a page? Verbatim, as far as a page can hold it."""

from __future__ import annotations

from markupsafe import Markup

from build_tools.claims.model import Course, Directive
from build_tools.pages.behind import compose_lines
from build_tools.pages.lookup import Absence, find_program, find_shown_record
from build_tools.pages.printed import format_date
from build_tools.pages.template import fill_template
from build_tools.pages.visible import show_transcript


def render_transcript(course: Course, directive: Directive, identity: str) -> Markup | Absence:
    """The shown run's transcript of ``directive``'s program, as HTML."""
    program = find_program(course, directive.argument)
    if isinstance(program, Absence):
        return program
    record = find_shown_record(course, program)
    if isinstance(record, Absence):
        return record
    shown = show_transcript(record.shown_text)
    process = record.record.processes[record.record.shown]
    return fill_template(
        "transcript",
        directive=directive,
        identity=identity,
        program=program,
        record=record,
        date=format_date(record.record.started),
        command=" ".join(process.command),
        raw=process.stdout.path,
        shown=shown,
        lines=compose_lines(shown.text, is_named=False),
    )
