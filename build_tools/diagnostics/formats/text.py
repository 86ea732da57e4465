"""How do findings read to a person? Place, the line with a mark under it, what is said, what to do."""

from __future__ import annotations

from build_tools.diagnostics.excerpt import SourceLine, draw_line
from build_tools.diagnostics.finding import Finding, list_statements, name_verdict
from build_tools.diagnostics.formats.report import Report, read_lines
from build_tools.diagnostics.visible import show_on_line

INDENT = " " * 4
_LABEL = 10
"""Columns of the longest label, with its colon and a space."""


def format_text(report: Report) -> str:
    """The report's findings, an empty line between two of them; empty when there is none."""
    return "\n".join(format_one(finding, line) + "\n" for finding, line in read_lines(report))


def format_one(finding: Finding, line: SourceLine | None) -> str:
    """One finding in lines free of control characters, the last one without its end."""
    lines = [show_on_line(f"{finding.place}: {name_verdict(finding)}")]
    if line is not None:
        shown, marks = draw_line(line)
        number = str(finding.place.line)
        lines.append(f"{INDENT}{number} | {shown}".rstrip())
        lines.append(f"{INDENT}{' ' * len(number)} | {marks}")
    for label, text in list_statements(finding):
        first, *more = text.split("\n")
        lines.append(f"{INDENT}{label + ':':<{_LABEL}}{show_on_line(first)}")
        lines += [f"{INDENT}{' ' * _LABEL}{show_on_line(further)}" for further in more]
    return "\n".join(lines)
