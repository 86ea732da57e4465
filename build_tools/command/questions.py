"""Which commands answer questions about the course and its evidence?

Each reads, computes one answer, and prints it as text or JSON. Status: 0, or 2 when there is no
answer.
"""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from build_tools.diagnostics.visible import show_on_line
from build_tools.source.plain_files import is_file, is_folder

if TYPE_CHECKING:
    from build_tools.claims.evidence_chain import Inquiry
    from build_tools.command.main import Root

Decorated = Callable[..., Any]


def json_option(command: Decorated) -> Decorated:
    """The option ``--json`` of every command that answers."""
    return click.option(
        "--json",
        "as_json",
        is_flag=True,
        help="Print JSON instead of text; `course schema COMMAND` says its shape.",
    )(command)


def _inquire(root: Path, words: tuple[str, ...] = ()) -> Inquiry:
    """The course and its pages, read and judged; what changed since stale records.

    Ends the command with status 2 when a word names no page.
    """
    from build_tools.claims.choose_pages import choose_pages
    from build_tools.claims.course import load_course
    from build_tools.claims.evidence_chain import Inquiry
    from build_tools.claims.survey import survey_pages
    from build_tools.command.main import relate_path
    from build_tools.command.staleness import find_changes

    chosen = choose_pages(load_course(root), words, partial(relate_path, root), drafts=True)
    for finding in chosen.findings:
        said = f"{finding.stated}: {finding.true}; {finding.advice}"
        click.echo(f"course: {show_on_line(said)}", err=True)
        sys.exit(2)
    course = chosen.course
    pages, _ = survey_pages(course, chosen.pages)
    return Inquiry(course, pages, find_changes(course), dt.datetime.now(dt.UTC).date())


@click.command()
@click.argument("what", metavar="WHAT")
@click.argument("paths", nargs=-1, metavar="[PAGE]...")
@click.option("--all", "everything", is_flag=True, help="Every process's value, record and region.")
@json_option
@click.pass_obj
def why(root: Root, what: str, paths: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """Print the whole chain behind WHAT: sentence, expression, values, transcript, run, code.

    WHAT is a place (PATH:LINE or PATH:LINE:COLUMN of a page, a program or a transcript), a
    program, a record (a path, run-DATE or PROGRAM@run-DATE), a link or an expression, or a
    claim's text or a part of it. PAGEs, folders of pages or programs limit where that is looked
    for.
    """
    from build_tools.claims.why import explain
    from build_tools.command.answers import print_answer
    from build_tools.command.why import describe_chain

    folder = root.find()
    inquiry = _inquire(folder, paths)
    chain = explain(inquiry, _relate_query(folder, what))
    print_answer(chain, lambda answer: describe_chain(answer, everything), as_json)
    sys.exit(2 if chain.error else 0)


def _relate_query(root: Path, what: str) -> str:
    """A question that begins with a path, as typed, with that path from the root."""
    from build_tools.command.main import relate_path

    path, colon, rest = what.partition(":")
    if path and (is_file(Path(path)) or is_folder(Path(path))):
        return f"{relate_path(root, path)}{colon}{rest}"
    return what


@click.command()
@json_option
@click.pass_obj
def status(root: Root, as_json: bool) -> None:
    """Print what is fresh, stale (and why), missing, waived, unused and orphaned, and how old."""
    from build_tools.claims.status import compute_status
    from build_tools.command.answers import print_answer
    from build_tools.command.status import describe_status

    print_answer(compute_status(_inquire(root.find())), describe_status, as_json)


@click.command("eval")
@click.argument("expression")
@json_option
@click.pass_obj
def evaluate(root: Root, expression: str, as_json: bool) -> None:
    """Print an expression's value, band, unit, and where it comes from.

    A link as it stands on a page, or what it points to, is read as well.
    """
    from build_tools.claims.course import load_course
    from build_tools.claims.describe import evaluate_report
    from build_tools.command.answers import print_answer
    from build_tools.command.describe import describe_evaluation

    found = evaluate_report(load_course(root.find()), expression)
    print_answer(found, describe_evaluation, as_json)
    sys.exit(0 if found.figure else 2)


@click.command("list")
@json_option
@click.pass_obj
def list_names(root: Root, as_json: bool) -> None:
    """List programs with their regions, and every name that a claim can cite."""
    from build_tools.claims.course import load_course
    from build_tools.claims.describe import list_course
    from build_tools.command.answers import print_answer
    from build_tools.command.describe import describe_listing

    print_answer(list_course(load_course(root.find())), describe_listing, as_json)


@click.command()
@click.argument("before", metavar="BEFORE")
@click.argument("after", metavar="[AFTER]", required=False)
@click.option("--all", "everything", is_flag=True, help="Print the values that are the same, too.")
@click.option("--across-devices", is_flag=True, help="Compare records of different devices.")
@click.option("--across-programs", is_flag=True, help="Compare records of different programs.")
@json_option
@click.pass_obj
def diff(
    root: Root,
    before: str,
    after: str | None,
    everything: bool,
    across_devices: bool,
    across_programs: bool,
    as_json: bool,
) -> None:
    """Compare two records: values with their bands, circumstances, and the claims that move.

    BEFORE and AFTER are each a record (a path, run-DATE or PROGRAM@run-DATE), a PROGRAM for its
    shown record, or a git revision (REVISION or PROGRAM@REVISION) for what was shown then.
    Without AFTER it is what is shown now.
    """
    from build_tools.command.answers import print_answer
    from build_tools.command.diff import compare_sides, describe_comparison

    folder = root.find()
    inquiry = _inquire(folder)
    answer = compare_sides(
        inquiry.course,
        inquiry.pages,
        _relate_query(folder, before),
        _relate_query(folder, after) if after is not None else None,
        across_devices=across_devices,
        across_programs=across_programs,
    )
    print_answer(answer, lambda found: describe_comparison(found, everything), as_json)
    sys.exit(2 if answer.error else 0)


@click.command()
@click.argument("program", metavar="PROGRAM")
@click.argument("expression", metavar="[EXPRESSION]", required=False, default="")
@click.option(
    "--device", metavar="GPU", default="", help="Of this GPU's records; the reference's if unset."
)
@json_option
@click.pass_obj
def history(root: Root, program: str, expression: str, device: str, as_json: bool) -> None:
    """Print what EXPRESSION (or all that PROGRAM measures) came to in each of its records."""
    from build_tools.claims.course import load_course
    from build_tools.claims.history import find_history
    from build_tools.command.answers import print_answer
    from build_tools.command.history import describe_history

    answer = find_history(load_course(root.find()), program, expression, device)
    print_answer(answer, describe_history, as_json)
    sys.exit(2 if answer.error else 0)


@click.command()
@click.argument("programs", nargs=-1, metavar="[PROGRAM]...")
@click.option(
    "--keep",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    metavar="N",
    help="Let the newest N records of each program stay, whatever they are.",
)
@click.option("--yes", is_flag=True, help="Remove them; without it only what would go is told.")
@click.option(
    "--force",
    is_flag=True,
    help="Remove them though something could not be checked, or is not committed.",
)
@json_option
@click.pass_obj
def prune(
    root: Root, programs: tuple[str, ...], keep: int, yes: bool, force: bool, as_json: bool
) -> None:
    """Remove records and parts that are stale or out of the newest pool, and that nothing rests on.

    A record stays that pages show, that is in the newest pool, that a header, README or page
    names, or that a literal rests on; a part likewise, and the newest of each kind that is asked
    for. What other devices gave stays.
    """
    from build_tools.claims.course import load_course
    from build_tools.command.answers import print_answer
    from build_tools.command.build import select_programs
    from build_tools.command.prune import describe_pruning, prune_course
    from build_tools.measure.deposit import LockHeldError

    folder = root.find()
    chosen, findings = select_programs(load_course(folder).programs, programs)
    if findings:
        for finding in findings:
            click.echo(show_on_line(f"{finding.stated}: {finding.true}"))
            click.echo(show_on_line(f"    do: {finding.advice}"))
        sys.exit(2)
    try:
        pruning = prune_course(folder, chosen, keep, remove=yes, force=force)
    except (LockHeldError, OSError) as error:
        why = getattr(error, "strerror", None) or "another process keeps the lock .course.lock"
        click.echo(f"course: nothing was removed: {why}", err=True)
        sys.exit(2)
    print_answer(pruning, describe_pruning, as_json)
    refused = yes and not pruning.removed and any(fate.goes for fate in pruning.fates)
    sys.exit(2 if refused else 0)


COMMANDS = (evaluate, list_names, why, status, diff, history, prune)
"""What the command line takes in."""

ANSWERS = tuple(str(command.name) for command in COMMANDS)
"""The names of those that take ``--json``."""
