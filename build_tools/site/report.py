"""How does a build say what is wrong, and with which exit status does it end?

``COURSE_FINDINGS`` names a file that gets the findings as well: ``.json`` by our own schema,
``.sarif`` for code hosts and editors, ``.txt`` as printed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from mkdocs.exceptions import Abort

from build_tools.diagnostics.finding import (
    Finding,
    Kind,
    Place,
    compute_exit_status,
    sort_findings,
    summarize_findings,
)
from build_tools.diagnostics.formats.report import Format, compose_report, format_report
from build_tools.source.environment import COURSE_FINDINGS

SUFFIXES = {".json": Format.JSON, ".sarif": Format.SARIF, ".txt": Format.TEXT}


class FindingsAbort(Abort):
    """Ends a build with findings: exit status 1."""

    code = 1
    exit_code = 1


class UncheckedAbort(FindingsAbort):
    """Ends a build of which something could not be checked: exit status 2."""

    code = 2
    exit_code = 2


@dataclass(frozen=True)
class Outlet:
    """Where a build tells its findings: on stderr, and in a file where one is asked for."""

    root: Path
    """The course's, for the lines of source that are shown."""
    file: Path | None = None


def open_outlet(root: Path, environment: Mapping[str, str]) -> tuple[Outlet, list[Finding]]:
    """The outlet of one build, and what is wrong with the file that ``COURSE_FINDINGS`` names.

    The file of an earlier build is removed: it must not be taken for this one's.
    """
    stated = environment.get(COURSE_FINDINGS, "")
    if not stated:
        return Outlet(root), []
    file = Path(stated).resolve()
    if file.suffix not in SUFFIXES:
        true = f"its name ends in none of {', '.join(SUFFIXES)}"
        advice = f"set {COURSE_FINDINGS} to a file such as findings.sarif"
        return Outlet(root), [
            Finding(Kind.SETTINGS, Place(COURSE_FINDINGS), f"`{stated}`", true, advice)
        ]
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        return Outlet(root), [_explain_unwritten(file, error)]
    return Outlet(root, file), []


def tell_findings(
    outlet: Outlet, findings: Sequence[Finding], earlier: Sequence[Finding] = ()
) -> list[Finding]:
    """Print findings on stderr, by their places, each behind an empty line; write the file.

    The file gets those told ``earlier``, too. What is told now is returned: one finding more
    where the file could not be written.
    """
    told = list(findings)
    if outlet.file is not None:
        report = compose_report("build", [*earlier, *told], root=outlet.root)
        try:
            _write_file(outlet.file, format_report(report, SUFFIXES[outlet.file.suffix]))
        except OSError as error:
            told.append(_explain_unwritten(outlet.file, error))
    text = format_report(compose_report("build", told, root=outlet.root), Format.TEXT)
    if text:
        click.echo("\n" + text, err=True, nl=False)
    return told


def _write_file(file: Path, text: str) -> None:
    """Write the whole file or none of it."""
    part = file.with_name(f".{file.name}.part")
    try:
        part.write_text(text, encoding="utf-8", errors="backslashreplace")
        part.replace(file)
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def _explain_unwritten(file: Path, error: OSError) -> Finding:
    true = f"it cannot be written: {error.strerror or error}"
    advice = f"name a file in a folder that is there and writable, or unset {COURSE_FINDINGS}"
    return Finding(Kind.SETTINGS, Place(COURSE_FINDINGS), f"`{file}`", true, advice, checked=False)


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
