"""What does the course hold? Settings, programs, facts and records, read once."""

from __future__ import annotations

from pathlib import Path

from build_tools.claims.effects import drop_effects
from build_tools.claims.model import Course
from build_tools.diagnostics.finding import Finding
from build_tools.evidence.shelf import find_strays, read_other_shelves, read_shelf
from build_tools.source.facts import check_dates, read_facts
from build_tools.source.programs import list_program_folders, read_programs
from build_tools.source.quantities import read_course_quantities
from build_tools.source.settings import read_settings


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
    for name, program in programs.items():
        shelves[name], found = read_shelf(root, program, settings)
        findings += found
        others[name], found = read_other_shelves(root, program, settings)
        findings += found
    findings += find_strays(root, {*programs, *list_program_folders(root)})
    findings = drop_effects(findings, programs, shelves)
    return Course(root, settings, programs, facts, shelves, tuple(findings), quantities, others)
