"""How is the prose brought back to truth, item by item? The author answers, exact characters change."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import click

from build_tools.claims.check import check_course
from build_tools.claims.choose_pages import choose_pages
from build_tools.claims.course import load_course
from build_tools.claims.mend import Mend, judge_mends
from build_tools.claims.reviewing import Item, Reading, ReadPage, read_course_pages
from build_tools.command.accept import Selection, SelectionError, select_items
from build_tools.command.page_files import RefusedError, format_page_diff, hold_review_lock
from build_tools.command.review_ask import Asking, Say, ask_item, explain_refusal
from build_tools.command.review_item import describe_item, show_link
from build_tools.command.write_mends import MendedPage, write_mends
from build_tools.diagnostics.finding import (
    Finding,
    compute_exit_status,
    format_finding,
    name_verdict,
    sort_findings,
    summarize_findings,
)
from build_tools.diagnostics.visible import show_on_line

FLAGS = (
    "--accept all (or a KIND, PATH:LINE or PROGRAM) takes the new texts without asking, "
    "--dry-run shows them as a diff, --plain reads answers as lines from the standard input"
)


def review_course(
    root: Path,
    words: Sequence[str],
    accept: Sequence[str],
    relate: Callable[[str], str],
    *,
    dry_run: bool,
    plain: bool,
) -> int:
    """Review the pages that the words name, or all: the command's body; the exit status."""
    try:
        if dry_run:
            return _show_diff(root, words, accept, relate)
        with hold_review_lock(root):
            reading, paths = _read_chosen(root, words, relate)
            if accept:
                findings = accept_items(root, reading, select_items(reading, accept, relate))
            elif not reading.items:
                findings = []
            elif plain or (sys.stdin.isatty() and sys.stdout.isatty()):
                asking = ask_lines() if plain else ask_terminal()
                findings = review_pages(root, reading, asking, click.echo)
            else:
                count = len(reading.items)
                click.echo(
                    f"course: {count} finding{'s' * (count != 1)} to review, and no terminal to "
                    f"ask on; {FLAGS}",
                    err=True,
                )
                return 2
            return report_remains(root, paths, findings)
    except SelectionError as error:
        click.echo(f"course: --accept {show_on_line(str(error))}", err=True)
    except RefusedError as error:
        click.echo(f"course: {show_on_line(f'{error}; {error.advice}')}", err=True)
    return 2


def _read_chosen(
    root: Path, words: Sequence[str], relate: Callable[[str], str]
) -> tuple[Reading, tuple[str, ...]]:
    """The course's pages, and the paths of those that the words name; none means all.

    Raises RefusedError for a word that names no page.
    """
    chosen = choose_pages(load_course(root), words, relate, drafts=True)
    for finding in chosen.findings:
        raise RefusedError(f"{finding.stated}: {finding.true}", finding.advice)
    paths = chosen.pages or ()
    return read_course_pages(chosen.course, paths), paths


def ask_terminal() -> Asking:
    """Ask on the terminal: one key without Enter, or a line that can be edited."""

    def read_key(question: str) -> str:
        click.echo(f"  {question}", nl=False)
        key = click.getchar()
        click.echo(show_on_line(key[:1]).strip())
        return key

    def read_line(question: str, start: str) -> str:
        try:
            import readline
        except ImportError:  # Python was built without it: the line begins empty.
            return input(f"  {question}")
        readline.set_startup_hook(lambda: readline.insert_text(start))
        try:
            return input(f"  {question}")
        finally:
            readline.set_startup_hook(None)

    return Asking(read_key, read_line)


def ask_lines() -> Asking:
    """Ask by lines of the standard input, for where single keys cannot be had."""

    def read(question: str, _start: str = "") -> str:
        click.echo(f"  {question}", nl=False)
        line = sys.stdin.readline()
        click.echo()
        if not line:
            raise EOFError
        return line.removesuffix("\n")

    return Asking(read, read)


def review_pages(root: Path, reading: Reading, asking: Asking, say: Say) -> list[Finding]:
    """Go through the findings of the pages; each page is written once its items are answered.

    Returns what could not be written. On an interrupt the page being asked about stays as it is.
    """
    findings: list[Finding] = []
    position = 0
    for page in reading.reviewed:
        mends, quits = _ask_page(reading, page, position, (asking, say))
        position += len(page.items)
        if mends:
            findings += _write(root, reading, [MendedPage(page, tuple(mends))], say)
        if quits:
            break
    return findings


def _ask_page(
    reading: Reading, page: ReadPage, position: int, talk: tuple[Asking, Say]
) -> tuple[list[Mend], bool]:
    """What the author wants changed in a page, and whether to stop after it."""
    asking, say = talk
    mends: list[Mend] = []
    taken: set[Item] = set()
    for number, item in enumerate(page.items, position + 1):
        if item in taken:
            continue
        count = f"{number}/{len(reading.items)}"
        for line in describe_item(reading, page, item, count, mends):
            say(line)
        say("")
        if not item.finding.checked:
            say("  not asked: what could not be judged gets no new text")
            continue
        answer = ask_item(reading, page, item, asking, say)
        if answer.mend is not None:
            mends.append(answer.mend)
        if answer.whole_file:
            later = page.items[number - position :]
            taken = set(_list_holding(reading, page, later))
            mends += [item.mend for item in later if item in taken and item.mend is not None]
        if answer.quits:
            return mends, True
    return mends, False


def _list_holding(reading: Reading, page: ReadPage, items: Sequence[Item]) -> list[Item]:
    """Those of the items whose new text holds; judged together, and apart only if that fails."""
    with_text = [item for item in items if item.mend is not None]
    mends = [item.mend for item in with_text if item.mend is not None]
    if not mends or not judge_mends(reading.course, page.scan, mends):
        return with_text
    return [i for i in with_text if i.mend and not explain_refusal(reading, page, i.mend)]


def accept_items(root: Path, reading: Reading, selection: Selection) -> list[Finding]:
    """Take the new texts of these items; those without one are left. What could not be written."""
    tell_refused(reading, click.echo)
    bare = sum(item.mend is None and item.finding.checked for _, item in selection)
    if bare:
        click.echo(
            f"{bare} of {len(selection)} chosen findings {'have' if bare > 1 else 'has'} no new "
            "text and must be reviewed one by one"
        )
    return _write(root, reading, _gather_mends(selection), click.echo)


def tell_refused(reading: Reading, say: Say) -> None:
    """Say which findings get no new text because nothing could be judged, and why."""
    for item in reading.items:
        finding = item.finding
        if not finding.checked:
            said = f"{finding.stated}: {finding.true}; {finding.advice}"
            say(f"{finding.place}: refused: {show_on_line(said)}")


def _gather_mends(selection: Selection) -> list[MendedPage]:
    """The items' own patches, page by page, one a claim."""
    pages: dict[str, tuple[ReadPage, dict[int | None, Mend]]] = {}
    for page, item in selection:
        if item.mend is not None:
            pages.setdefault(page.path, (page, {}))[1].setdefault(item.mend.claim, item.mend)
    return [MendedPage(page, tuple(mends.values())) for page, mends in pages.values()]


def _write(root: Path, reading: Reading, pages: Sequence[MendedPage], say: Say) -> list[Finding]:
    written, findings = write_mends(root, reading.course, pages)
    for mended in written:
        for mend in mended.mends:
            old, new = show_link(mend.patch.old), show_link(mend.patch.new)
            say(f"{mend.patch.place}: `{old}` → `{new}`")
    for finding in sort_findings(findings):
        say(format_finding(finding))
    return findings


def _show_diff(
    root: Path, words: Sequence[str], accept: Sequence[str], relate: Callable[[str], str]
) -> int:
    """Print what ``--accept`` would change as a diff, and write nothing."""
    reading, _ = _read_chosen(root, words, relate)
    selection = select_items(reading, accept or ["all"], relate)
    count = 0
    for mended in _gather_mends(selection):
        count += len(mended.mends)
        click.echo(format_page_diff(mended.page.path, mended.page.data, mended.after), nl=False)
    found = [item.finding for item in reading.items]
    tell_refused(reading, partial(click.echo, err=True))
    click.echo(f"{count} of {len(found)} findings would be mended; nothing was written", err=True)
    return compute_exit_status([*found, *reading.unread])


def report_remains(root: Path, paths: Sequence[str], refused: Sequence[Finding]) -> int:
    """Say what is wrong with the course as it is now, a line each; the exit status."""
    remains = check_course(load_course(root), list(paths) or None)
    for finding in remains:
        said = finding.stated if finding.checked else f"{finding.stated}: {finding.true}"
        click.echo(f"{finding.place}: {name_verdict(finding)}: {show_on_line(said)}")
    advice = "; `course check` says more of each" if remains else ""
    click.echo(f"what remains: {summarize_findings(remains)}{advice}")
    return compute_exit_status([*remains, *refused])
