"""What changed in a program since its stale record was made? Asked of version control."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from build_tools.claims.conditions import compare_with_record, describe_changed
from build_tools.claims.model import Course
from build_tools.command.revision import RevisionError, list_revisions, open_revision
from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.loaded import LoadedRecord
from build_tools.source.changes import Change, compare_programs, read_texts
from build_tools.source.model import Program
from build_tools.source.programs import SNIPPETS, read_program

FARTHEST = 50
"""How many of a program's commits are looked through for the code that a record was made from."""


def find_changes(course: Course) -> dict[str, tuple[Change, ...]]:
    """For each program without a fresh record, what changed since its newest one, by record path.

    Where no commit holds the code that was recorded, what the record itself tells.
    """
    changes = {}
    for name, shelf in course.shelves.items():
        if shelf.records and not shelf.fresh:
            newest = shelf.records[0]
            changes[newest.path] = explain_stale(course, course.programs[name], newest)
    return changes


def explain_findings(course: Course, findings: Sequence[Finding]) -> list[Finding]:
    """The findings, those of programs whose code changed with what changed and where.

    The place stays that of the program's Verified paragraph.
    """
    explained = list(findings)
    for index, finding in enumerate(explained):
        name = finding.place.path.rpartition("/")[2].removesuffix(".cu")
        program = course.programs.get(name)
        if finding.kind is not Kind.STALE or program is None or finding.place.path != program.path:
            continue
        shelf = course.shelves[name]
        changes = explain_stale(course, program, shelf.records[0]) if shelf.records else ()
        said = [
            f"{change.place}: {describe_changed(change)}"
            for change in changes
            if change.what != "code"
        ]
        if said:
            explained[index] = replace(finding, true="its code changed since: " + "; ".join(said))
    return explained


def explain_stale(course: Course, program: Program, stale: LoadedRecord) -> tuple[Change, ...]:
    """What changed in the program since this record was made."""
    folder = program.path.rpartition("/")[0]
    parts = (folder, *program.includes)
    try:
        for revision in list_revisions(course.root, parts, FARTHEST):
            # What it includes now is tried first: all of the programs are many.
            for wanted in (parts, (SNIPPETS,)):
                with open_revision(course.root, revision, wanted) as before:
                    former, wrong = read_program(before, program.name)
                    if former is not None and former.code_digest == stale.record.code_digest:
                        texts = read_texts(before, former), read_texts(course.root, program)
                        return compare_programs(former, program, *texts)
                if not any(finding.stated.startswith("#include") for finding in wrong):
                    break
    except (RevisionError, OSError):
        pass  # Without version control the record alone tells.
    return compare_with_record(stale.record, program)
