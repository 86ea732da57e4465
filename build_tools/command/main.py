"""Which command does what? Each reads, calls one stage, prints, and ends with a status.

Status: 2 if anything could not be checked, else 1 if there are findings, else 0.
"""

from __future__ import annotations

import io
import sys
import traceback
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import click

from build_tools.command.part_option import parts_option
from build_tools.command.questions import ANSWERS, COMMANDS
from build_tools.command.repeats_option import repeats_option
from build_tools.command.report import format_option, report_findings
from build_tools.diagnostics.formats.report import Format
from build_tools.diagnostics.visible import show_on_line
from build_tools.source.plain_files import is_file


class Root:
    """The course's folder, found when a command first needs it."""

    def __init__(self, stated: str | None) -> None:
        self.stated = stated

    def find(self) -> Path:
        """The folder with ``course.toml``. Ends the command with status 2 when there is none."""
        from build_tools.source.find_root import PROJECT_FILE, NoCourseError, find_root

        if self.stated is not None and not is_file(Path(self.stated) / PROJECT_FILE):
            # A parent that happens to be a course is not the one that was named.
            stated = show_on_line(self.stated)
            click.echo(
                f"course: no {PROJECT_FILE} in {stated}: name the course's own folder with --root",
                err=True,
            )
            sys.exit(2)
        try:
            return find_root(Path(self.stated or "."))
        except NoCourseError as error:
            click.echo(f"course: {show_on_line(str(error))}", err=True)
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
@click.argument("paths", nargs=-1, metavar="[PAGE]...")
@click.option("--drafts", is_flag=True, help="Check drafts as well, and what only they show.")
@format_option
@click.pass_obj
def check(root: Root, paths: tuple[str, ...], drafts: bool, form: Format) -> None:
    """Check sources, evidence and the prose of pages (all, or those named). Needs no GPU.

    PAGE is a page, a folder of pages, or a program: those that show or cite it.
    """
    from build_tools.claims.check import check_course
    from build_tools.claims.choose_pages import choose_pages
    from build_tools.claims.course import load_course
    from build_tools.claims.number_rules import describe_loosened
    from build_tools.claims.page_text import list_pages
    from build_tools.command.staleness import explain_findings

    folder = root.find()
    relate = partial(relate_path, folder)
    chosen = choose_pages(load_course(folder), paths, relate, drafts=drafts)
    course = chosen.course
    pages = list_pages(course) if chosen.pages is None else chosen.pages
    findings = explain_findings(course, check_course(course, chosen.pages))
    findings += chosen.findings
    unread = {finding.place.path for finding in findings if not finding.checked} & set(pages)
    counted = [
        count_things(len(pages) - len(unread), "page"),
        count_things(len(course.programs), "program"),
    ]
    if course.left_out:
        counted.append(f"{count_things(len(course.left_out), 'draft')} left out")
    loosened = describe_loosened(course, pages)
    if loosened:
        counted.append(loosened)
    report_findings(
        findings,
        f"checked {', '.join(counted)}",
        root=folder,
        form=form,
    )


@cli.command()
@click.argument("paths", nargs=-1, metavar="[PAGE]...")
@click.option(
    "--accept",
    multiple=True,
    metavar="WHAT",
    help="Take the new texts of WHAT without asking: `all`, a kind (drift, unit, over-precise, "
    "loose, hedge, unreadable), PATH, PATH:LINE or PROGRAM. May be repeated.",
)
@click.option(
    "--dry-run", is_flag=True, help="Print as a diff what --accept (or all) would change."
)
@click.option(
    "--plain", is_flag=True, help="Read answers as lines from the standard input, not as keys."
)
@click.pass_obj
def review(
    root: Root, paths: tuple[str, ...], accept: tuple[str, ...], dry_run: bool, plain: bool
) -> None:
    """Go through the findings of pages (all, or those named) and change what is accepted.

    PAGE is a page, a folder of pages, or a program: those that show or cite it.
    """
    from build_tools.command.review import review_course

    folder = root.find()

    relate = partial(relate_path, folder)
    sys.exit(review_course(folder, paths, accept, relate, dry_run=dry_run, plain=plain))


def count_things(number: int, noun: str) -> str:
    """``1 page``, ``2 pages``."""
    return f"{number} {noun}{'s' * (number != 1)}"


def relate_path(root: Path, path: str) -> str:
    """A path as typed, from the course's root with ``/``; outside it, as typed."""
    absolute = Path(path).resolve()
    if absolute.is_relative_to(root):
        return absolute.relative_to(root).as_posix()
    return path


@cli.command("compile")
@click.argument("programs", nargs=-1, metavar="[PROGRAM]...")
@format_option
@click.pass_obj
def compile_(root: Root, programs: tuple[str, ...], form: Format) -> None:
    """Compile programs (all, or those named) with their own commands. Needs no GPU.

    The starters of their exercises are compiled as well.
    """
    from build_tools.command.build import compile_course

    folder = root.find()
    say = partial(click.echo, err=form is not Format.TEXT)
    findings, count = compile_course(folder, programs, say)
    done = f"compiled {count} program{'s' * (count != 1)}"
    report_findings(findings, done, root=folder, form=form)


@cli.command()
@click.argument("programs", nargs=-1, metavar="[PROGRAM]...")
@repeats_option
@click.option(
    "--bundle",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the new evidence into one file for `course record`, not into the tree.",
)
@click.option("--force", is_flag=True, help="Measure what is fresh, too.")
@parts_option
@click.option("--timings", is_flag=True, help="Say at the end where the time went.")
@format_option
@click.pass_obj
def run(
    root: Root,
    programs: tuple[str, ...],
    repeats: tuple[int, int] | None,
    bundle: Path | None,
    force: bool,
    parts: frozenset[str] | None,
    timings: bool,
    form: Format,
) -> None:
    """Compile and run programs on this machine's GPU and record what they measured."""
    from build_tools.command.remembered import recall_nothing, tell_progress

    folder = root.find()
    # Before anything else is imported: most of a run that has nothing to do is its start.
    known = None if force else recall_nothing(folder, programs, parts)
    if known is not None:
        for line in known:
            tell_progress(line)
        report_findings([], root=folder, form=form)
    from build_tools.command.build import run_course
    from build_tools.measure.ground import ALL_PARTS, Extent

    extent = Extent(force, ALL_PARTS if parts is None else parts, timings)
    findings = run_course(folder, programs, repeats=repeats, bundle=bundle, extent=extent)
    report_findings(findings, root=folder, form=form)


@cli.command()
@click.argument("bundle", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@format_option
@click.pass_obj
def record(root: Root, bundle: Path, form: Format) -> None:
    """Take the evidence of a bundle into the tree, after checking all of it."""
    from build_tools.command.build import record_course

    # Without a root: the places are within the bundle, and the tree's lines are others.
    report_findings(record_course(root.find(), bundle), form=form)


@cli.command()
@click.argument("site", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@format_option
@click.pass_obj
def verify(root: Root, site: Path, form: Format) -> None:
    """Check a built site, made by any generator, against the sources and the evidence."""
    from build_tools.claims.course import load_course
    from build_tools.claims.drafts import leave_out_drafts
    from build_tools.site.verify import verify_site

    folder = root.find()
    findings = verify_site(leave_out_drafts(load_course(folder)), site)
    report_findings(findings, f"verified {site}", root=folder, form=form)


PART_KINDS = ("counters", "sanitizers", "mutants", "listings", "check")
"""Those of evidence.part_model, which is not read for the names alone."""


@cli.command()
@click.argument(
    "name", type=click.Choice(["record", *PART_KINDS, "findings", *ANSWERS]), default="record"
)
def schema(name: str) -> None:
    """Print a JSON Schema: of a record, a part, what `--format json` or a command's `--json` prints."""
    from build_tools.command.answers import format_answer_schema
    from build_tools.diagnostics.formats import document
    from build_tools.evidence import record as records
    from build_tools.evidence.part_model import PartKind
    from build_tools.evidence.part_schema import generate_part_schema

    if name == "record":
        text = records.read_schema_text()
    elif name == "findings":
        text = document.read_schema_text()
    elif name in PART_KINDS:
        text = generate_part_schema(PartKind(name))
    else:
        text = format_answer_schema(name)
    click.echo(text, nl=False)


for question in COMMANDS:
    cli.add_command(question)

_FRAMES_SHOWN = 6
_LONGEST_SAID = 2_000
"""Characters of each part of a fault that is shown."""

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
        told = io.StringIO()
        error.show(told)
        for line in told.getvalue().rstrip("\n").split("\n"):
            click.echo(show_on_line(line), err=True)
        sys.exit(2)
    except Exception as error:  # noqa: BLE001 - whatever it is, no check that broke off is green or red
        for line in describe_failure(error):
            click.echo(show_on_line(line), err=True)
        sys.exit(2)


def describe_failure(error: Exception) -> Iterator[str]:
    """What is said of a fault of our own: where it happened, and that nothing was decided."""
    for text in traceback.format_exception(error, limit=-_FRAMES_SHOWN):
        yield from text.rstrip("\n")[:_LONGEST_SAID].split("\n")
    yield (
        "course: could not check: this is a fault of the tools and says nothing of the course; "
        "report it with the lines above"
    )
