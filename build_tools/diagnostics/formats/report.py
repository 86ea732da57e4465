"""What is told at the end of a command, and in which of the formats?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from build_tools.diagnostics.excerpt import SourceLine, SourceReader
from build_tools.diagnostics.finding import (
    Finding,
    compute_exit_status,
    sort_findings,
    summarize_findings,
)


class Format(StrEnum):
    """The forms in which findings are told; all say the same."""

    TEXT = "text"
    """For people."""
    JSON = "json"
    """Our own document, described by a schema."""
    SARIF = "sarif"
    """SARIF 2.1.0, what code hosts and editors read."""
    GITHUB = "github"
    """Workflow commands of GitHub Actions, which become annotations."""


@dataclass(frozen=True)
class Report:
    """The findings of one command, in the order of their places, each once."""

    command: str
    """What was asked: ``check``, ``build``."""
    findings: tuple[Finding, ...]
    done: str = ""
    """What the command has done, ``checked 2 pages, 1 program``."""
    root: Path | None = None
    """Where the places' files lie; None where their lines are not shown."""
    folder: str = ""
    """The course's folder within what a code host checked out; empty where it is the whole."""

    @property
    def exit_status(self) -> int:
        return compute_exit_status(self.findings)

    @property
    def summary(self) -> str:
        """The closing line."""
        said = summarize_findings(self.findings)
        return f"{self.done}: {said}" if self.done else said


def compose_report(
    command: str,
    findings: Iterable[Finding],
    done: str = "",
    root: Path | None = None,
    folder: str = "",
) -> Report:
    """A report of these findings, in whatever order they come."""
    return Report(command, tuple(sort_findings(findings)), done, root, folder)


def read_lines(report: Report) -> Iterator[tuple[Finding, SourceLine | None]]:
    """Each finding with the line of its place, or None."""
    reader = SourceReader(report.root) if report.root else None
    for finding in report.findings:
        yield finding, reader.read_line(finding) if reader else None


def format_report(report: Report, form: Format) -> str:
    """The report in one of the formats, ending in a line end; text and commands without summary.

    Empty when there is nothing to tell.
    """
    from build_tools.diagnostics.formats.document import format_document
    from build_tools.diagnostics.formats.github import format_commands
    from build_tools.diagnostics.formats.sarif import format_sarif
    from build_tools.diagnostics.formats.text import format_text

    match form:
        case Format.TEXT:
            return format_text(report)
        case Format.JSON:
            return format_document(report)
        case Format.SARIF:
            return format_sarif(report)
        case Format.GITHUB:
            return format_commands(report)
