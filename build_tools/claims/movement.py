"""What did new records do to the pages: which claims moved, and which held?

Two readings of the same pages are compared, one before the records were made and one after. A
claim moved when it no longer holds, or when the nearest text that would hold is another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from build_tools.claims.check import judge_scan
from build_tools.claims.model import Claim, Course, PageScan, Verdict
from build_tools.claims.page_text import list_pages, read_page
from build_tools.claims.rests import list_rests
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.visible import show_on_line
from build_tools.evidence.find_record import open_record
from build_tools.evidence.loaded import LoadedRecord, Shelf, State
from build_tools.quantity.nearest import find_nearest
from build_tools.quantity.numeral import UnreadableError
from build_tools.quantity.printed import parse_printed
from build_tools.quantity.value import Text, Truth


@dataclass(frozen=True)
class Moved:
    """A claim that new records moved. Values are as they are shown to readers."""

    claim: Claim
    before: str
    """Empty where there was no value."""
    after: str
    """Empty where there is none."""
    band: str
    """Of the value after; empty where it has none."""
    nearest: str
    """The text that holds now, in the author's style; empty where there is none."""
    why: str
    """What is true instead; empty when the claim holds still."""


@dataclass(frozen=True)
class Movement:
    """What became of the claims that rest on programs with new records."""

    programs: tuple[str, ...]
    """The programs with new records, sorted; empty when there are none."""
    moved: tuple[Moved, ...] = ()
    held: int = 0
    wrong_before: int = 0
    """Claims that did not hold before either, and whose nearest text is the same."""


def compare_courses(before: Course, after: Course) -> Movement:
    """What the records that ``after`` has and ``before`` had not did to the claims of the pages."""
    usual = {
        name for name in after.programs if _list_paths(after, name) - _list_paths(before, name)
    }
    elsewhere = {
        name
        for name in after.programs
        if _list_other_paths(after, name) - _list_other_paths(before, name)
    }
    programs = tuple(sorted(usual | elsewhere))
    if not programs:
        return Movement(())
    former = recall_former(before)
    moved: list[Moved] = []
    held = wrong_before = 0
    for path in list_pages(after):
        text, _ = read_page(after.root, path)
        if text is None:
            continue
        scan = _keep_resting(after, scan_page(text, path), usual, elsewhere)
        if not scan.claims:
            continue
        pairs = zip(judge_scan(former, scan), judge_scan(after, scan), strict=True)
        for old, new in pairs:
            same = name_nearest(old) in (None, name_nearest(new))
            if same and not new.findings:
                held += 1
            elif same and old.findings and name_nearest(old) is not None:
                wrong_before += 1
            else:
                moved.append(_describe_moved(old, new))
    return Movement(programs, tuple(moved), held, wrong_before)


def list_evidence(shelf: Shelf) -> set[str]:
    """The paths of the JSON of a shelf's records and parts."""
    return {record.path for record in shelf.records} | {part.path for part in shelf.parts}


def _list_paths(course: Course, name: str) -> set[str]:
    """The program's records and parts of the reference device."""
    shelf = course.shelves.get(name)
    return list_evidence(shelf) if shelf else set()


def _list_other_paths(course: Course, name: str) -> set[str]:
    """The program's records and parts of other devices."""
    shelves = course.other_shelves.get(name, {}).values()
    return {path for shelf in shelves for path in list_evidence(shelf)}


def _keep_resting(course: Course, scan: PageScan, usual: set[str], elsewhere: set[str]) -> PageScan:
    """The scan with only those claims that new records can have moved.

    Records of the reference device move what rests on the programs in ``usual``; those of
    others, in ``elsewhere``, move only what names a device.
    """

    def is_moved(claim: Claim) -> bool:
        return any(
            rest.program in usual or (rest.program in elsewhere and rest.name.startswith("on."))
            for rest in list_rests(course, claim)
        )

    return replace(scan, claims=tuple(filter(is_moved, scan.claims)))


def recall_former(course: Course) -> Course:
    """The course as it was when its sentences were last verified.

    A program whose code changed since its newest record is given that record as if it were
    fresh, so that there is a value to compare with; one whose transcripts can't be read is not.
    """
    shelves = {}
    for name, shelf in course.shelves.items():
        shelves[name] = shelf
        if shelf.shown_record is None and shelf.records:
            newest = _read_stale(course, shelf.records[0])
            if newest is not None:
                shelves[name] = replace(shelf, records=(newest, *shelf.records[1:]))
    return replace(course, shelves=shelves)


def _read_stale(course: Course, stale: LoadedRecord) -> LoadedRecord | None:
    """A stale record read as if it were fresh; None where something is wrong with it."""
    record, findings = open_record(course.root, course.programs, stale.path)
    if record is None or findings:
        return None
    return replace(record, state=State.FRESH)


def name_nearest(verdict: Verdict) -> str | None:
    """The nearest text that holds against a verdict's value; None where there is no value.

    Of a statement it is whether it is true.
    """
    value, proof = verdict.value, verdict.proof
    if value is None or proof is None:
        return None
    if isinstance(value, (Truth, Text)):
        return proof.value
    try:
        return find_nearest(parse_printed(verdict.claim.text), value)
    except UnreadableError:
        return proof.value


def _describe_moved(old: Verdict, new: Verdict) -> Moved:
    literal = not isinstance(new.value, Truth)
    return Moved(
        new.claim,
        old.proof.value if old.proof else "",
        new.proof.value if new.proof else "",
        new.proof.band if new.proof else "",
        (name_nearest(new) or "") if literal else "",
        "; ".join(finding.true for finding in new.findings),
    )


def describe_movement(movement: Movement) -> Iterator[str]:
    """What new records did, in lines; none when there are no new records."""
    if not movement.programs:
        return
    names = ", ".join(movement.programs)
    for moved in movement.moved:
        yield show_on_line(f"{moved.claim.place}: `{moved.claim.text}` {_describe_change(moved)}")
    if not (movement.moved or movement.held or movement.wrong_before):
        yield f"no claim of the pages rests on the new records of {names}"
        return
    first = sum(_is_first(moved) for moved in movement.moved)
    counts = [f"{_count_claims(len(movement.moved) - first)} moved", f"{movement.held} held"]
    if first:
        had = "had no value before and does" if first == 1 else "had no value before and do"
        counts.append(f"{first} {had} not hold")
    if movement.wrong_before:
        counts.append(f"{movement.wrong_before} did not hold before either")
    yield f"of what rests on {names}: {', '.join(counts)}"
    if any(moved.why for moved in movement.moved) or movement.wrong_before:
        yield "next: course review"


def _describe_change(moved: Moved) -> str:
    """``moved: 2.05 → 2.23 (band 2.21 to 2.25), write `2.2×` ``, or that it holds still."""
    band = f" (band {moved.band})" if moved.band else ""
    if _is_first(moved):
        remedy = f"write `{moved.nearest}`" if moved.nearest else moved.why
        return f"has a value now: {moved.after}{band}, {remedy}"
    values = f"{moved.before or 'no value'} → {moved.after or 'no value'}{band}"
    if not moved.why:
        return f"holds still, but the newest record says `{moved.nearest}`: {values}"
    if moved.nearest:
        return f"moved: {values}, write `{moved.nearest}`"
    return f"moved: {values}, {moved.why}"


def _is_first(moved: Moved) -> bool:
    """Whether nothing can have moved, since there was no value before."""
    return not moved.before and bool(moved.after)


def _count_claims(count: int) -> str:
    return f"{count} claim{'s' * (count != 1)}"
