"""Which command does what? Each reads, calls one stage, prints, and ends with a status.

Status: 2 if anything could not be checked, else 1 if there are findings, else 0.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from build_tools.command.part_option import parts_option
from build_tools.command.questions import COMMANDS
from build_tools.diagnostics.finding import (
    Finding,
    compute_exit_status,
    format_finding,
    sort_findings,
    summarize_findings,
)


def report_findings(findings: Sequence[Finding], done: str = "") -> None:
    """Print findings and their sum, and end the command with their status."""
    listed = sort_findings(findings)
    for finding in listed:
        click.echo(format_finding(finding))
    summary = summarize_findings(listed)
    click.echo(f"{done}: {summary}" if done else summary)
    sys.exit(compute_exit_status(listed))


class Root:
    """The course's folder, found when a command first needs it."""

    def __init__(self, stated: str | None) -> None:
        self.stated = stated

    def find(self) -> Path:
        """The folder with ``course.toml``. Ends the command with status 2 when there is none."""
        from build_tools.claims.course import NoCourseError, find_root

        try:
            return find_root(Path(self.stated or "."))
        except NoCourseError as error:
            click.echo(f"course: {error}", err=True)
            sys.exit(2)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--root", metavar="DIR", help="The course's folder; found from here upwards if unset."
)
@click.version_option(package_name="cuda-course", prog_name="course")
@click.pass_context
def cli(context: click.Context, root: str | None) -> None:
    """Check a CUDA course against its evidence, and make that evidence.

    Exit status: 0 when everything agrees, 1 when there are findings, 2 when something could not
    be checked.
    """
    context.obj = Root(root)


@cli.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.pass_obj
def check(root: Root, paths: tuple[str, ...]) -> None:
    """Check sources, evidence and the prose of pages (all, or those named). Needs no GPU."""
    from build_tools.claims.check import check_course, list_pages
    from build_tools.claims.course import load_course

    folder = root.find()
    course = load_course(folder)
    named = [relate_path(folder, path) for path in paths]
    findings = check_course(course, named or None)
    count = len(named or list_pages(course))
    report_findings(
        findings,
        f"checked {count} page{'s' * (count != 1)}, {len(course.programs)} program"
        f"{'s' * (len(course.programs) != 1)}",
    )


def relate_path(root: Path, path: str) -> str:
    """A path as typed, from the course's root with ``/``; outside it, as typed."""
    absolute = Path(path).resolve()
    if absolute.is_relative_to(root):
        return absolute.relative_to(root).as_posix()
    return path


@cli.command("compile")
@click.argument("programs", nargs=-1, metavar="[PROGRAM]...")
@click.pass_obj
def compile_(root: Root, programs: tuple[str, ...]) -> None:
    """Compile programs (all, or those named) with their own commands. Needs no GPU."""
    from build_tools.command.build import compile_course

    findings, count = compile_course(root.find(), programs, click.echo)
    report_findings(findings, f"compiled {count} program{'s' * (count != 1)}")


@cli.command()
@click.argument("programs", nargs=-1, metavar="[PROGRAM]...")
@click.option(
    "--repeats",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Processes for a record; course.toml's, or ten, if unset.",
)
@click.option(
    "--bundle",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the new evidence into one file for `course record`, not into the tree.",
)
@click.option("--force", is_flag=True, help="Measure what is fresh, too.")
@parts_option
@click.option("--timings", is_flag=True, help="Say at the end where the time went.")
@click.pass_obj
def run(
    root: Root,
    programs: tuple[str, ...],
    repeats: int | None,
    bundle: Path | None,
    force: bool,
    parts: frozenset[str] | None,
    timings: bool,
) -> None:
    """Compile and run programs on this machine's GPU and record what they measured."""
    from build_tools.command.build import run_course
    from build_tools.measure.ground import ALL_PARTS, Extent

    extent = Extent(force, ALL_PARTS if parts is None else parts, timings)
    findings = run_course(root.find(), programs, repeats=repeats, bundle=bundle, extent=extent)
    report_findings(findings)


@cli.command()
@click.argument("bundle", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.pass_obj
def record(root: Root, bundle: Path) -> None:
    """Take the evidence of a bundle into the tree, after checking all of it."""
    from build_tools.measure.bundle import record_bundle

    report_findings(record_bundle(root.find(), bundle))


@cli.command()
@click.argument("site", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@click.pass_obj
def verify(root: Root, site: Path) -> None:
    """Check a built site, made by any generator, against the sources and the evidence."""
    from build_tools.claims.course import load_course
    from build_tools.site.verify import verify_site

    report_findings(verify_site(load_course(root.find()), site), f"verified {site}")


@cli.command()
def schema() -> None:
    """Print the JSON Schema of a record."""
    from build_tools.evidence.record import read_schema_text

    click.echo(read_schema_text(), nl=False)


for question in COMMANDS:
    cli.add_command(question)

INTERRUPTED = 130
"""The status of a command that Ctrl-C ended, as shells have it."""


def main() -> None:
    """Run the command line."""
    try:
        cli.main(prog_name="course", standalone_mode=False)
    except (click.Abort, KeyboardInterrupt):
        click.echo("course: interrupted; nothing half written is left", err=True)
        sys.exit(INTERRUPTED)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
