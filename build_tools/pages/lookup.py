"""Is what a directive names there? The thing itself, or what to show in its place.

The findings are those of the claims stage; here a page is kept from being silently empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from build_tools.claims.model import Course
from build_tools.diagnostics.finding import suggest_names
from build_tools.evidence.loaded import LoadedRecord, TranscriptTable
from build_tools.evidence.pool import select_pool
from build_tools.source.model import Program, Region, TableRule


@dataclass(frozen=True)
class Absence:
    """Why a directive cannot be shown: what is not there, and what to do."""

    what: str
    advice: str


def find_program(course: Course, name: str) -> Program | Absence:
    """The program of this name."""
    program = course.programs.get(name)
    if program is None:
        return Absence(f"there is no program `{name}`", suggest_names(name, course.programs))
    return program


def find_region(course: Course, reference: str) -> tuple[Program, Region] | Absence:
    """The region named ``program#region``, with its program."""
    name, _, region_name = reference.partition("#")
    program = find_program(course, name)
    if isinstance(program, Absence):
        return program
    region = program.regions.get(region_name)
    if region is None:
        advice = suggest_names(region_name, program.regions)
        return Absence(f"{program.path} has no region `{region_name}`", advice)
    return program, region


def find_shown_record(course: Course, program: Program) -> LoadedRecord | Absence:
    """The program's newest fresh record on the reference device."""
    shelf = course.shelves.get(program.name)
    if shelf is not None and shelf.shown_record is not None:
        return shelf.shown_record
    advice = f"run `course run {program.name}`"
    if shelf is not None and shelf.records:
        return Absence(f"the record of `{program.name}` is stale: the code changed since", advice)
    return Absence(f"there is no record of `{program.name}`", advice)


def find_record(course: Course, path: str) -> LoadedRecord | Absence:
    """The record at ``path``, from the root or from the evidence folder, without ``.json``."""
    bare = path.removeprefix("evidence/")
    wanted = f"evidence/{bare}.json"
    program = bare.partition("/")[0]
    shelves = [course.shelves.get(program), *course.other_shelves.get(program, {}).values()]
    for record in (record for shelf in shelves if shelf is not None for record in shelf.records):
        if record.path == wanted:
            return record
    known = [record.path for record in list_known_records(course)]
    return Absence(f"there is no record {wanted}", suggest_names(wanted, known))


def list_known_records(course: Course) -> Iterator[LoadedRecord]:
    """Every record that could be read, of whichever GPU, those of the reference device first."""
    for shelf in course.shelves.values():
        yield from shelf.records
    for shelves in course.other_shelves.values():
        for shelf in shelves.values():
            yield from shelf.records


def list_shown_records(course: Course, program: str) -> list[LoadedRecord]:
    """The newest fresh record of each GPU that has one: the reference device first, then by name."""
    others = course.other_shelves.get(program, {})
    shelves = [course.shelves.get(program), *(others[slug] for slug in sorted(others))]
    shown = (shelf.shown_record for shelf in shelves if shelf is not None)
    return [record for record in shown if record is not None]


def list_speaking_records(course: Course, program: str) -> list[LoadedRecord]:
    """Every record that has a page: the newest pool of each GPU, the reference device's first."""
    others = course.other_shelves.get(program, {})
    shelves = [course.shelves.get(program), *(others[slug] for slug in sorted(others))]
    return [record for shelf in shelves if shelf is not None for record in select_pool(shelf)]


def find_table(
    program: Program, record: LoadedRecord, name: str
) -> tuple[TableRule, TranscriptTable] | Absence:
    """A declared table and how the shown transcript fills it; ``name`` is empty for the only one."""
    rules = {rule.name: rule for rule in program.declaration.tables}
    if not rules:
        return Absence(
            f"`{program.name}` declares no table", f"declare one in {program.declaration.path}"
        )
    if not name and len(rules) > 1:
        advice = "name one: " + " or ".join(f"`table: {other}`" for other in rules)
        return Absence(f"`{program.name}` has several tables", advice)
    rule = rules.get(name) if name else next(iter(rules.values()))
    if rule is None:
        return Absence(f"`{program.name}` has no table `{name}`", suggest_names(name, rules))
    tables = record.shown.tables if record.transcripts else {}
    table = tables.get(rule.name)
    if table is None:
        advice = f"run `course run {program.name}`, or correct {program.declaration.path}"
        return Absence(f"the transcript of {record.identity} has no table `{rule.name}`", advice)
    return rule, table


def read_flag(options: Mapping[str, str], name: str, default: bool) -> bool | Absence:
    """The option ``name`` as true or false."""
    text = options.get(name)
    if text is None:
        return default
    if text in ("true", "false"):
        return text == "true"
    return Absence(f"`{name}` is `{text}`", f"write `{name}: true` or `{name}: false`")
