"""Which findings of source and evidence only follow from others? Those are not told beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.declared import place_declared
from build_tools.evidence.loaded import Shelf
from build_tools.source.model import Program

_OF_REGIONS = frozenset({Kind.REGION, Kind.MARKER})

_FOLLOWING: Mapping[Kind, frozenset[Kind]] = {
    # Without a table's declaration its rows are strange, and without [requires] the code's digest.
    Kind.DECLARATION: frozenset({Kind.TRANSCRIPT, Kind.STALE}),
    Kind.HEADER: frozenset({Kind.STALE, Kind.STAMP}),
    Kind.PROGRAM: frozenset({Kind.STALE}),
    Kind.REGION: frozenset({Kind.CHECK, Kind.BOILERPLATE}),
    Kind.MARKER: frozenset({Kind.CHECK, Kind.BOILERPLATE}),
    # A record that was edited says of device, code and values what was not so.
    Kind.RECORD: frozenset({Kind.STALE, Kind.MISSING, Kind.STAMP, Kind.CHECK, Kind.TRANSCRIPT}),
}
"""By the kind of a fault of a program: the kinds of its findings that follow from it."""


def drop_effects(
    findings: Iterable[Finding], programs: Mapping[str, Program], shelves: Mapping[str, Shelf]
) -> list[Finding]:
    """The findings of a course without those that follow from another of the same program.

    Where a record is at odds with a declaration, the declaration is the place.
    """
    listed = place_declared(findings)
    faults: dict[str, set[Kind]] = {}
    for finding in listed:
        name = name_program(finding)
        if finding.kind in _FOLLOWING and not is_of_old_record(finding, shelves.get(name)):
            faults.setdefault(name, set()).add(finding.kind)
    if not faults:
        return listed
    return [finding for finding in listed if not _follows(finding, faults, programs)]


def is_of_old_record(finding: Finding, shelf: Shelf | None) -> bool:
    """Whether a finding is of a record on which nothing rests: stale, and not the newest.

    Records of other devices than the shelf's are such, too.
    """
    if finding.kind is not Kind.RECORD:
        return False
    if shelf is None:
        return True
    path = finding.place.path
    for position, record in enumerate(shelf.records):
        stem = record.path.removesuffix(".json")
        if path.startswith((f"{stem}.", f"{stem}/")):
            return position > 0 and record not in shelf.fresh
    # One that could not be read, if it is of the shelf's own device.
    return bool(shelf.records) and not path.startswith(shelf.records[0].path.rpartition("/")[0])


def _follows(
    finding: Finding, faults: Mapping[str, set[Kind]], programs: Mapping[str, Program]
) -> bool:
    mine = faults.get(name_program(finding), set())
    if any(finding.kind in _FOLLOWING[kind] for kind in mine):
        return True
    if mine & _OF_REGIONS:
        if finding.kind is Kind.STALE:
            return finding.place.path.endswith("/check.py")
        return finding.kind is Kind.DECLARATION and finding.true == "the program has no such region"
    # A copy of a host region is compared with one of another program, which may be the broken one.
    return finding.kind is Kind.BOILERPLATE and any(
        kinds & _OF_REGIONS and f"{programs[name].path}:" in finding.true
        for name, kinds in faults.items()
        if name in programs
    )


def name_program(finding: Finding) -> str:
    """The program that a finding is of, by its path; empty for one of the course."""
    parts = finding.place.path.split("/")
    return parts[1] if len(parts) > 2 and parts[0] in ("snippets", "evidence") else ""
