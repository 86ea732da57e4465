"""How do findings become annotations in GitHub Actions? As workflow commands, one a line."""

from __future__ import annotations

import posixpath

from build_tools.diagnostics.excerpt import SourceLine
from build_tools.diagnostics.finding import (
    Finding,
    list_statements,
    name_verdict,
    speaks_of_file,
)
from build_tools.diagnostics.formats.report import Report, read_lines
from build_tools.diagnostics.visible import show_on_line


def format_commands(report: Report) -> str:
    """One ``::error`` a finding; empty when there is none."""
    return "".join(
        format_command(finding, line, report.folder) + "\n" for finding, line in read_lines(report)
    )


def format_command(finding: Finding, line: SourceLine | None, folder: str = "") -> str:
    """The command of one finding; a check that could not be made is an error too.

    ``folder`` is that of the course within what was checked out, for annotations name their
    files from there.
    """
    place = finding.place
    properties = {"file": show_on_line(posixpath.join(folder, place.path))}
    if not speaks_of_file(finding):
        properties |= {"line": str(place.line), "col": str(place.column)}
    length = line.end - line.start if line is not None else finding.length
    if length:
        properties |= {"endLine": str(place.line), "endColumn": str(place.column + length)}
    properties["title"] = name_verdict(finding)
    listed = ",".join(f"{name}={escape_property(text)}" for name, text in properties.items())
    said = "\n".join(f"{label}: {text}" for label, text in list_statements(finding))
    shown = "\n".join(map(show_on_line, said.split("\n")))
    return f"::error {listed}::{escape_data(shown)}"


def escape_data(text: str) -> str:
    """A command's message, on one line."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """A command's property, which ends at a comma or a colon."""
    return escape_data(text).replace(":", "%3A").replace(",", "%2C")
