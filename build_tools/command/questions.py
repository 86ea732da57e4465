"""Which commands answer questions about the course and its evidence?

Each reads, computes one answer, and prints it as text or JSON. Status: 0, or 2 when there is no
answer.
"""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

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


def _inquire(root: Path, paths: tuple[str, ...] = ()) -> Inquiry:
    """The course and its pages, read and judged; what changed since stale records."""
    from build_tools.claims.course import load_course
    from build_tools.claims.evidence_chain import Inquiry
    from build_tools.claims.survey import survey_pages
    from build_tools.command.staleness import find_changes

    course = load_course(root)
    pages, _ = survey_pages(course, paths or None)
    return Inquiry(course, pages, find_changes(course), dt.datetime.now(dt.UTC).date())


@click.command()
@click.argument("what", metavar="WHAT")
@click.argument("paths", nargs=-1, metavar="[PAGE]...")
@click.option("--all", "everything", is_flag=True, help="Every process's value, every record.")
@json_option
@click.pass_obj
def why(root: Root, what: str, paths: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """Print the whole chain behind WHAT: sentence, expression, values, transcript, run, code.

    WHAT is a place (PATH:LINE or PATH:LINE:COLUMN of a page, a program or a transcript), a
    program, a record (a path, run-DATE or PROGRAM@run-DATE), an expression, or a claim's text or
    a part of it; PAGEs limit where that is looked for.
    """
    from build_tools.claims.why import explain
    from build_tools.command.answers import print_answer
    from build_tools.command.main import relate_path
    from build_tools.command.why import describe_chain

    folder = root.find()
    inquiry = _inquire(folder, tuple(relate_path(folder, path) for path in paths))
    chain = explain(inquiry, _relate_query(folder, what))
    print_answer(chain, lambda answer: describe_chain(answer, everything), as_json)
    sys.exit(2 if chain.error else 0)


def _relate_query(root: Path, what: str) -> str:
    """A question that begins with a path, as typed, with that path from the root."""
    from build_tools.command.main import relate_path

    path, colon, rest = what.partition(":")
    if path and Path(path).exists():
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
    """Print an expression's value, band, unit, and where it comes from."""
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


COMMANDS = (evaluate, list_names, why, status)
"""What the command line takes in."""
