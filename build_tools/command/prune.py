"""How are records and parts removed that the evidence rules let go, and what is said of it?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from build_tools.claims.check import check_course
from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.claims.prune import Fate, Pruning, count_others, plan_pruning
from build_tools.claims.survey import survey_pages
from build_tools.command.revision import RevisionError, list_uncommitted
from build_tools.diagnostics.finding import Finding
from build_tools.evidence.shelf import EVIDENCE
from build_tools.measure.deposit import hold_lock, stamp_loaded
from build_tools.measure.withdraw import restore_trash, withdraw_files


def prune_course(
    root: Path, programs: Sequence[str], keep: int, *, remove: bool, force: bool
) -> Pruning:
    """Plan what goes, and remove it when told and nothing forbids it, or forced.

    Raises LockHeldError when another process writes evidence, OSError when the disk fails.
    """
    if not remove:
        return _plan(load_course(root), programs, keep)
    with hold_lock(root):
        restore_trash(root)
        plan = _plan(load_course(root), programs, keep)
        going = [fate for fate in plan.fates if fate.goes]
        if not going or (plan.refusals and not force):
            return plan
        withdraw_files(root, [path for fate in going for path in fate.files])
        course = load_course(root)
        for name in dict.fromkeys(fate.program for fate in going):
            shown = course.shelves[name].shown_record
            if shown is not None:
                stamp_loaded(root, course.programs[name], shown)
    return replace(plan, removed=True)


def _plan(course: Course, programs: Sequence[str], keep: int) -> Pruning:
    pages, _ = survey_pages(course)
    fates = plan_pruning(course, pages, keep, programs)
    refusals = list(_list_refusals(check_course(course)))
    going = {path for fate in fates if fate.goes for path in fate.files}
    if going:
        refusals += _find_unsaved(course.root, going)
    return Pruning(fates, count_others(course), tuple(refusals))


def _list_refusals(findings: Sequence[Finding]) -> Iterator[str]:
    """Findings that leave open what a record is worth."""
    for finding in findings:
        if not finding.checked:
            yield f"{finding.place}: could not be checked: {finding.true}"
        elif finding.place.path.startswith(f"{EVIDENCE}/"):
            yield f"{finding.place}: {finding.true}"


def _find_unsaved(root: Path, going: set[str]) -> Iterator[str]:
    """Files that could not be had back from version control."""
    try:
        unsaved = sorted(going.intersection(list_uncommitted(root, EVIDENCE)))
    except RevisionError as error:
        yield f"what is removed could not be had back: {error}"
        return
    if unsaved:
        more = f" and {len(unsaved) - 1} more" if len(unsaved) > 1 else ""
        yield f"{unsaved[0]}{more}: version control does not hold it as it is"


def describe_pruning(pruning: Pruning) -> Iterator[str]:
    """What becomes of each record and part, in lines."""
    going = [fate for fate in pruning.fates if fate.goes]
    staying = [fate for fate in pruning.fates if not fate.goes]
    for fate in staying:
        yield f"stays  {_say_fate(fate)}"
    for fate in going:
        yield f"{'gone' if pruning.removed else 'goes':<5}  {_say_fate(fate)}"
    files = sum(len(fate.files) for fate in going)
    done = "removed" if pruning.removed else "would be removed"
    yield (
        f"{_count_going(going)} with {files} files {done}, "
        f"{len(staying)} stay{'s' if len(staying) == 1 else ''}"
    )
    if pruning.others:
        yield f"records of other devices: {pruning.others}, all stay"
    if going and not pruning.removed:
        for refusal in pruning.refusals:
            yield f"not removed: {refusal}"
        if pruning.refusals:
            yield "    do: mend or commit that first, or say --yes --force"
        else:
            yield "    do: say --yes to remove them"


def _count_going(going: Sequence[Fate]) -> str:
    """``3 records``, ``1 part``, ``3 records and 2 parts``."""
    parts = sum(bool(fate.part) for fate in going)
    counts = ((len(going) - parts, "record"), (parts, "part"))
    told = [f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts if count]
    return " and ".join(told) or "0 records"


def _say_fate(fate: Fate) -> str:
    return f"{fate.path}  ({fate.date}, {fate.state}): {'; '.join(fate.reasons)}"
