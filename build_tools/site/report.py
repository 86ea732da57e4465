"""How does a build say what is wrong, and with which exit status does it end?"""

from __future__ import annotations

from collections.abc import Sequence

import click
from mkdocs.exceptions import Abort

from build_tools.diagnostics.finding import (
    Finding,
    compute_exit_status,
    format_finding,
    sort_findings,
    summarize_findings,
)


class FindingsAbort(Abort):
    """Ends a build with findings: exit status 1."""

    code = 1
    exit_code = 1


class UncheckedAbort(FindingsAbort):
    """Ends a build of which something could not be checked: exit status 2."""

    code = 2
    exit_code = 2


def print_findings(findings: Sequence[Finding]) -> None:
    """All findings on stderr, in the order of their places, each behind an empty line."""
    for finding in sort_findings(findings):
        click.echo("\n" + format_finding(finding), err=True)


def compose_abort(findings: Sequence[Finding], site: str) -> FindingsAbort:
    """The exception that ends a build; ``site`` is the folder that was left as it was."""
    listed = sort_findings(findings)
    summary = f"{summarize_findings(listed)}; {site} is left as it was"
    abort = FindingsAbort if compute_exit_status(listed) == 1 else UncheckedAbort
    return abort(summary)


def must_stop(findings: Sequence[Finding], policy: str) -> bool:
    """Whether a site with these findings is not published.

    ``policy`` is ``findings`` of course.toml. Under ``warn`` a check that could not be made
    still stops it: nobody knows what it would have said.
    """
    status = compute_exit_status(findings)
    return status == 2 or (status == 1 and policy != "warn")
