"""What does the course hold? Settings, programs, facts and records, read once."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from build_tools.claims.effects import drop_effects
from build_tools.claims.model import Course
from build_tools.diagnostics.finding import Finding
from build_tools.evidence.loaded import Shelf
from build_tools.evidence.shelf import find_strays, read_other_shelves, read_shelf
from build_tools.source.facts import check_dates, read_facts
from build_tools.source.forks import count_jobs, share_out
from build_tools.source.model import Program, Settings
from build_tools.source.programs import list_program_folders, read_programs
from build_tools.source.quantities import read_course_quantities
from build_tools.source.settings import read_settings

_Shelves = tuple[Shelf, Mapping[str, Shelf], list[Finding]]
"""Of the reference device, of others by their slugs, and what is wrong with any."""


def _read_shelves(
    root: Path, programs: Sequence[Program], settings: Settings
) -> dict[str, _Shelves]:
    """What was recorded of each program, and all that is wrong with it."""

    def read(part: Sequence[Program]) -> dict[str, _Shelves]:
        return {program.name: _read_shelves_of(root, program, settings) for program in part}

    found: dict[str, _Shelves] = {}
    for some in share_out(programs, read, count_jobs(os.environ)):
        found.update(some)
    return found | read([program for program in programs if program.name not in found])


def _read_shelves_of(root: Path, program: Program, settings: Settings) -> _Shelves:
    shelf, findings = read_shelf(root, program, settings)
    others, more = read_other_shelves(root, program, settings)
    return shelf, others, [*findings, *more]


def load_course(root: Path) -> Course:
    """Read everything under ``root``.

    Nothing is raised for what is wrong inside: findings of source and evidence come with it.
    """
    findings: list[Finding] = []
    settings, found = read_settings(root)
    findings += found
    programs, found = read_programs(root, settings)
    findings += found
    facts, found = read_facts(root)
    findings += found
    findings += check_dates(facts.values(), programs.values())
    quantities, found = read_course_quantities(root, programs)
    findings += found
    shelves, others = {}, {}
    read = _read_shelves(root, list(programs.values()), settings)
    for name in programs:
        shelves[name], others[name], found = read[name]
        findings += found
    findings += find_strays(root, {*programs, *list_program_folders(root)})
    findings = drop_effects(findings, programs, shelves)
    return Course(root, settings, programs, facts, shelves, tuple(findings), quantities, others)
