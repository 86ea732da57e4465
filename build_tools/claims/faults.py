"""What is at fault at the source, so that nothing that rests on it can be judged?

A slip in a declaration, a fact, a region's markers or a record is told where it stands. What
rests on it is neither true nor false until it is mended: it is counted, and told once.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from build_tools.claims.effects import is_of_old_record
from build_tools.claims.model import Course, Directive
from build_tools.diagnostics.finding import Finding, Kind, Place, count_noun
from build_tools.evidence.home import is_part_file
from build_tools.evidence.loaded import Shelf
from build_tools.source.facts import FACTS_PATH, QUANTITIES
from build_tools.source.model import Program, Settings

_PROGRAM_FAULTS = frozenset({Kind.ENCODING, Kind.PROGRAM})
_REGION_FAULTS = frozenset({Kind.REGION, Kind.MARKER})
_EXERCISE_FAULTS = frozenset({Kind.EXERCISE, *_REGION_FAULTS})
_READING_FAULTS = frozenset({Kind.RECORD, Kind.TRANSCRIPT})


@dataclass(frozen=True)
class Blocked:
    """A claim or a block of a page that could not be judged, and why."""

    cause: Finding
    what: str
    """``claim`` or ``block``."""
    stated: str
    place: Place
    length: int = 0


def find_evidence_fault(course: Course, program: Program, shelf: Shelf) -> Finding | None:
    """What is wrong with the records that a program's measurements are taken from, or None."""
    if not course.faults:
        return None
    for record in shelf.fresh:
        stem = record.path.removesuffix(".json")
        found = _find(course, _READING_FAULTS, f"{stem}.", f"{stem}/")
        if found is not None:
            return found
    found = _find(course, {Kind.TRANSCRIPT}, program.declaration.path)
    if found is None and shelf is course.shelves.get(program.name):
        found = _find_shelf_fault(course, program, shelf)
    return found


def _find_shelf_fault(course: Course, program: Program, shelf: Shelf) -> Finding | None:
    """What hides which of the reference device's records a program's values are taken from."""
    slug = course.settings.reference_slug
    if not slug:
        return find_settings_fault(course)
    folder = f"evidence/{program.name}/{slug}/"
    records = (
        finding
        for path, findings in course.faults.items()
        if path.startswith(folder)
        for finding in findings
        if finding.kind is Kind.RECORD
        and not is_of_old_record(finding, shelf)
        and not is_part_file(finding.place.path)
    )
    found = next(records, None)
    if found is None and shelf.records and not shelf.fresh:
        found = find_code_fault(course, program)
    return found


def find_code_fault(course: Course, program: Program) -> Finding | None:
    """What hides whether a record belongs to the program's code as it is now, or None."""
    header = program.header
    found = find_declaration_fault(course, program)
    if found is None and not (header.build and header.run):
        found = _find(course, {Kind.HEADER}, program.path)
    return found or _find(course, _PROGRAM_FAULTS, *(program.path, *program.includes))


def find_declaration_fault(course: Course, program: Program) -> Finding | None:
    """What is wrong with a program's program.toml, so that a name may be missing; or None."""
    return _find(course, {Kind.DECLARATION, Kind.ENCODING}, program.declaration.path)


def find_declared_fault(course: Course, program: Program, name: str) -> Finding | None:
    """Why a program lacks a name that stands in its program.toml, or None."""
    fault = find_declaration_fault(course, program)
    if fault is None:
        return None
    try:
        text = (course.root / program.declaration.path).read_text("utf-8", "replace")
    except OSError:
        return fault
    return fault if re.search(rf"\b{re.escape(name)}\b", text) else None


def find_settings_fault(course: Course) -> Finding | None:
    """What is wrong with course.toml, or None."""
    return _find(course, {Kind.SETTINGS, Kind.ENCODING}, "course.toml")


def is_without_settings(course: Course) -> bool:
    """Whether nothing of course.toml could be read, its globs and its policy for numbers neither."""
    return course.settings == Settings() and find_settings_fault(course) is not None


def find_name_fault(course: Course, name: str) -> Finding | None:
    """Why the course lacks a program or quantity that is there to see, or None."""
    found = _find(course, _PROGRAM_FAULTS, f"snippets/{name}/")
    if found is None and _holds_key(course, name, QUANTITIES):
        found = _find(course, {Kind.DECLARATION, Kind.FACT, Kind.ENCODING}, FACTS_PATH)
    return found


def find_fact_fault(course: Course, key: str) -> Finding | None:
    """Why the course lacks a fact that stands in its file, or None."""
    return _find_by_name(course, key) if _holds_key(course, key) else None


def _find_by_name(course: Course, key: str) -> Finding | None:
    """A finding of the file of facts: that of the fact itself before any other."""
    found = [f for f in course.faults.get(FACTS_PATH, ()) if f.kind in (Kind.FACT, Kind.ENCODING)]
    table = _read_facts_file(course)
    if table is None or len(found) < 2:
        return found[0] if found else None
    text = (course.root / FACTS_PATH).read_text("utf-8").split("\n")
    heads = [
        number
        for number, line in enumerate(text, 1)
        if line.strip().startswith((f"[{key}]", f"[{key}.", f"{key} ", f"{key}=", f"{key}."))
    ]
    start = min(heads, default=1)
    return min(found, key=lambda f: (f.place.line < start, f.place))


def _holds_key(course: Course, name: str, *section: str) -> bool:
    """Whether the file of facts names this, as far as it can be read."""
    if FACTS_PATH not in course.faults:
        return False
    table: Any = _read_facts_file(course)
    if table is None:
        return True
    for part in section:
        table = table.get(part, {})
    return isinstance(table, Mapping) and name in table


def _read_facts_file(course: Course) -> Mapping[str, Any] | None:
    try:
        return tomllib.loads((course.root / FACTS_PATH).read_text("utf-8-sig"))
    except (OSError, ValueError):
        return None


def find_directive_fault(course: Course, directive: Directive) -> Finding | None:
    """Why the course lacks what a block names, though it is there to see; or None."""
    name, _, region = directive.argument.partition("#")
    program = course.programs.get(name)
    if program is None:
        return find_name_fault(course, name)
    if directive.name in ("snippet", "exercise"):
        is_region = directive.name == "snippet"
        fault = _find(course, _REGION_FAULTS if is_region else _EXERCISE_FAULTS, program.path)
        known = program.regions if is_region else program.exercises
        missing = bool(region) and region not in known
        named = re.search(rf"//.*(?<![\w.-]){re.escape(region)}(?![\w.-])", program.text)
        return fault if missing and named else None
    return find_declaration_fault(course, program)


def has_broken_regions(course: Course, program: Program) -> bool:
    """Whether the program's regions, or what is declared of them, could not all be read."""
    return (
        _find(course, _REGION_FAULTS, program.path) is not None
        or find_declaration_fault(course, program) is not None
    )


def _find(course: Course, kinds: Iterable[Kind], *starts: str) -> Finding | None:
    """The first fault of these kinds in the files whose paths begin so."""
    wanted = frozenset(kinds)
    for path, findings in course.faults.items():
        if path.startswith(starts):
            for finding in findings:
                if finding.kind in wanted:
                    return finding
    return None


def fold_page(blocked: Iterable[Blocked]) -> list[Finding]:
    """One finding a cause, at the first place of the page that rests on it."""
    findings = []
    for cause, items in _group(blocked).items():
        more = count_blocked(items[1:])
        findings.append(
            Finding(
                cause.kind,
                items[0].place,
                items[0].stated + (f" and {more} more of this page" if more else ""),
                f"it could not be judged, because of {cause.place}: {cause.stated}",
                "mend that first, then check again",
                checked=False,
                length=items[0].length,
            )
        )
    return findings


def fold_course(blocked: Iterable[Blocked]) -> list[Finding]:
    """One finding a cause, beside it: how much of the pages could not be judged because of it."""
    findings = []
    for cause, items in _group(blocked).items():
        pages = count_noun(len({item.place.path for item in items}), "page")
        findings.append(
            Finding(
                cause.kind,
                cause.place,
                "what rests on this",
                f"{count_blocked(items)} on {pages} could not be judged because of it",
                "mend this first, then check again",
                checked=False,
                length=cause.length,
            )
        )
    return findings


def count_blocked(items: Iterable[Blocked]) -> str:
    """``3 claims and 1 block``; empty for none."""
    listed = [item.what for item in items]
    counted = [(listed.count(what), what) for what in ("claim", "block")]
    return " and ".join(count_noun(count, what) for count, what in counted if count)


def _group(blocked: Iterable[Blocked]) -> dict[Finding, list[Blocked]]:
    groups: dict[Finding, list[Blocked]] = {}
    for item in blocked:
        groups.setdefault(item.cause, []).append(item)
    return groups
