"""Which records and parts may go, and why does each other stay?

A record stays that pages show, that belongs to the newest pool, that is named by a header, a
README or a page, or that a literal rests on: one that would no longer hold without it. Of the
others the newest may be kept by number. A part stays likewise; of a kind that the program does
not ask for none is shown, and none is kept by number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from build_tools.claims.check import check_quantities, judge_scan
from build_tools.claims.isolate import leave_out
from build_tools.claims.model import Course
from build_tools.claims.page_text import read_page
from build_tools.claims.survey import Surveyed, list_origins
from build_tools.evidence.home import order_identity
from build_tools.evidence.loaded import LoadedRecord, Shelf, State
from build_tools.evidence.part_derive import list_part_files
from build_tools.evidence.part_digest import list_asked_parts
from build_tools.evidence.part_model import LoadedPart, PartKind
from build_tools.evidence.parts import find_newest, list_fresh, select_part_pool
from build_tools.evidence.pool import select_pool
from build_tools.evidence.readme import readme_path
from build_tools.evidence.shelf import EVIDENCE
from build_tools.evidence.verify import list_files, stays_beside
from build_tools.source.model import Program


@dataclass(frozen=True)
class Fate:
    """What becomes of a record or a part, and why."""

    path: str
    """Of its JSON."""
    program: str
    date: str
    """UTC."""
    state: State
    goes: bool
    reasons: tuple[str, ...]
    """Why it stays, or why it may go."""
    files: tuple[str, ...]
    """Its files, the JSON first."""
    part: str = ""
    """The part's kind; empty for a record."""


@dataclass(frozen=True)
class Pruning:
    """What becomes of the records and parts of the reference device."""

    format: Literal[1] = field(default=1, kw_only=True)
    fates: tuple[Fate, ...] = ()
    """By program, records before parts of each kind, newest first."""
    others: int = 0
    """Records of other devices, which all stay."""
    refusals: tuple[str, ...] = ()
    """Why nothing may be removed, unless told."""
    removed: bool = False
    """Whether what goes is gone."""


def plan_pruning(
    course: Course, pages: Sequence[Surveyed], keep: int, programs: Iterable[str] = ()
) -> tuple[Fate, ...]:
    """The fate of each record and part of the reference device, of all programs or those named.

    ``keep`` is how many records of each program, and parts of each kind that it asks for, stay,
    whatever they are, the newest first.
    """
    fates: list[Fate] = []
    named = _find_named(course, pages)
    for name in list(programs) or list(course.programs):
        fates += _plan_program(course, pages, name, keep, named)
    return tuple(fates)


Loaded = LoadedRecord | LoadedPart


def _plan_program(
    course: Course,
    pages: Sequence[Surveyed],
    name: str,
    keep: int,
    named: Callable[[str], tuple[str, ...]],
) -> Iterator[Fate]:
    shelf = course.shelves[name]
    stays: dict[str, list[str]] = {}
    listed: dict[str, Loaded] = {record.path: record for record in shelf.records}
    for kind in PartKind:
        listed |= {part.path: part for part in shelf.parts if part.kind is kind}
    spoken = {**_explain_records(shelf, keep), **_explain_parts(course.programs[name], shelf, keep)}
    for path in listed:
        kept = spoken[path]
        stays[path] = [*kept[:1], *(f"{place} names it" for place in named(path)), *kept[1:]]
    candidates = [path for path, reasons in stays.items() if not any(reasons)]
    gone: list[str] = []
    for path in sorted(candidates, key=lambda path: _order(listed[path])):  # the oldest first
        resting = list(_find_resting(course, pages, name, [*gone, path]))
        if resting:
            stays[path] = [f"{what} rests on it" for what in resting[:3]]
        else:
            gone.append(path)
    for path, found in listed.items():
        goes = path in gone
        yield Fate(
            path,
            name,
            _read_start(found)[:10],
            found.state,
            goes,
            (_say_why(found),) if goes else tuple(reason for reason in stays[path] if reason),
            tuple(list_own_files(found)),
            found.kind.value if isinstance(found, LoadedPart) else "",
        )


def _read_start(found: Loaded) -> str:
    return found.part.started if isinstance(found, LoadedPart) else found.record.started


def _order(found: Loaded) -> tuple[str, tuple[str, int]]:
    return _read_start(found), order_identity(found.identity)


def _explain_records(shelf: Shelf, keep: int) -> dict[str, tuple[str, str]]:
    """What each record is to the pages, and whether it is kept by number; empty where nothing."""
    shown = shelf.shown_record
    pool = {record.path for record in select_pool(shelf)}
    told = {}
    for index, record in enumerate(shelf.records):
        is_shown = shown is not None and record.path == shown.path
        in_pool = "it is fresh and in the newest pool" if record.path in pool else ""
        told[record.path] = ("pages show it" if is_shown else in_pool, _say_kept(index, keep))
    return told


def _explain_parts(program: Program, shelf: Shelf, keep: int) -> dict[str, tuple[str, str]]:
    """Likewise of parts. Only counters have bands, and so a pool: of others the newest speaks."""
    asked = {*list_asked_parts(program), *([PartKind.CHECK] if program.check_path else [])}
    told = {}
    for kind in PartKind:
        newest = find_newest(shelf, kind)
        fullest = next(iter(list_fresh(shelf, kind)), None)
        pool = select_part_pool(shelf, kind) if kind is PartKind.COUNTERS else ()
        parts = [part for part in shelf.parts if part.kind is kind]
        for index, part in enumerate(parts):
            shows = ""
            if kind in asked and part is newest:
                shows = "it is the newest fresh one"
            elif kind in asked and part is fullest:
                shows = "it is the newest fresh one that holds something"
            elif kind in asked and part in pool:
                shows = "it is fresh and in the newest pool"
            told[part.path] = (shows, _say_kept(index, keep) if kind in asked else "")
    return told


def _say_kept(index: int, keep: int) -> str:
    if index >= keep:
        return ""
    return f"it is among the newest {keep}" if keep > 1 else "it is the newest"


def _say_why(found: Loaded) -> str:
    if found.state is State.STALE:
        return "it is stale"
    if isinstance(found, LoadedPart):
        return "a newer one speaks, and no literal rests on it"
    return "it is out of the newest pool, and no literal rests on it"


def list_own_files(found: Loaded) -> Iterator[str]:
    """The paths of the files of a record or a part that stand beside it, the JSON first."""
    if isinstance(found, LoadedRecord):
        yield from list_record_files(found)
        return
    yield found.path
    for file in list_part_files(found.part).values():
        if stays_beside(file.path, found.path):
            yield file.path


def list_record_files(record: LoadedRecord) -> Iterator[str]:
    """The paths of a record's files that stand beside it, the JSON first."""
    yield record.path
    for file in list_files(record.record).values():
        if stays_beside(file.path, record.path):
            yield file.path


def _find_resting(
    course: Course, pages: Sequence[Surveyed], program: str, gone: Sequence[str]
) -> Iterator[str]:
    """The claims and quantities that agree now, and would not without these."""
    without = leave_out(course, program, gone)
    for page in pages:
        affected = [
            verdict
            for verdict in page.verdicts
            if not verdict.findings and not list_origins(verdict).isdisjoint(gone)
        ]
        if affected:
            judged = {v.claim.number: v for v in judge_scan(without, page.scan)}
            for verdict in affected:
                if judged[verdict.claim.number].findings:
                    yield f"{verdict.claim.place} `{verdict.claim.text}`"
    before = {finding.place for finding in check_quantities(course)}
    for finding in check_quantities(without):
        if finding.place not in before:
            yield f"{finding.place} {finding.stated}"


def _find_named(course: Course, pages: Sequence[Surveyed]) -> Callable[[str], tuple[str, ...]]:
    """Where headers, READMEs and pages name a record or a part, by the path of its JSON."""
    texts: dict[str, str] = {page.scan.path: page.scan.text for page in pages}
    for program in course.programs.values():
        texts[program.path] = program.text
        text, _ = read_page(course.root, readme_path(program))
        texts[readme_path(program)] = text or ""
    kinds = "|".join(["run", *PartKind])
    stem = rf"(?:{kinds})-\d{{4}}-\d\d-\d\d(?:-\d+)?"
    evidence = re.compile(rf"{EVIDENCE}/[\w.-]+/[\w.-]+/{stem}")
    places: dict[str, list[str]] = {}
    for path, text in texts.items():
        for match in evidence.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            place = f"{path}:{line}"
            if place not in places.setdefault(match[0], []):
                places[match[0]].append(place)

    def find(path: str) -> tuple[str, ...]:
        return tuple(places.get(path.removesuffix(".json"), ())[:3])

    return find


def count_others(course: Course) -> int:
    """How many records of other devices there are."""
    return sum(
        len(shelf.records) for others in course.other_shelves.values() for shelf in others.values()
    )
