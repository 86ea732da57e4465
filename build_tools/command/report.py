"""How does a command tell what it found? In the format asked for, and by its exit status.

Standard output holds the format and nothing else; the closing line of every format but text
goes to standard error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import click

from build_tools.diagnostics.finding import Finding
from build_tools.diagnostics.formats.report import Format, compose_report, format_report
from build_tools.source.environment import GITHUB_WORKSPACE

format_option = click.option(
    "--format",
    "form",
    type=click.Choice([form.value for form in Format]),
    callback=lambda _context, _option, value: Format(value),
    default=Format.TEXT.value,
    show_default=True,
    help="How findings are told: to people, by our JSON Schema, as SARIF, as GitHub annotations.",
)
"""The option of every command that ends in findings."""


def report_findings(
    findings: Sequence[Finding],
    done: str = "",
    *,
    root: Path | None = None,
    form: Format = Format.TEXT,
) -> NoReturn:
    """Print findings and their sum, and end the command with their status.

    ``root`` is where the places' files lie; without it their lines are not shown.
    """
    command = click.get_current_context().info_name or ""
    folder = find_checkout_folder(root, os.environ) if form is Format.GITHUB else ""
    report = compose_report(command, findings, done, root, folder)
    told = format_report(report, form)
    write_output(told + "\n" if told and form is Format.TEXT else told)
    click.echo(report.summary, err=form is not Format.TEXT)
    sys.exit(report.exit_status)


def write_output(text: str) -> None:
    """Write to standard output as UTF-8, whatever the locale: that is what the formats are."""
    click.echo(text.encode("utf-8", "backslashreplace"), nl=False)


def find_checkout_folder(root: Path | None, environment: Mapping[str, str]) -> str:
    """The course's folder within what GitHub Actions checked out; empty where it is the whole."""
    workspace = environment.get(GITHUB_WORKSPACE)
    if not workspace or root is None:
        return ""
    top = Path(workspace).resolve()
    below = root.resolve()
    if below == top or not below.is_relative_to(top):
        return ""
    return below.relative_to(top).as_posix()
