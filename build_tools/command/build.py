"""How are programs compiled and run from the command line? The stages put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from build_tools.command.remembered import remember_nothing, tell_progress
from build_tools.diagnostics.finding import Finding, Kind, Place, suggest_names
from build_tools.source.model import Program, Settings
from build_tools.source.programs import read_programs
from build_tools.source.settings import read_settings

if TYPE_CHECKING:
    from build_tools.claims.model import Course
    from build_tools.evidence.loaded import LoadedRecord
    from build_tools.measure.ground import Extent


def select_programs(
    programs: Mapping[str, Program], names: Sequence[str]
) -> tuple[list[str], list[Finding]]:
    """The programs named, or all; a name that is none is a finding."""
    findings = [
        Finding(
            Kind.RUN,
            Place("snippets"),
            f"`{name}`",
            "there is no such program",
            suggest_names(name, programs),
        )
        for name in names
        if name not in programs
    ]
    chosen = [name for name in names if name in programs] if names else list(programs)
    return list(dict.fromkeys(chosen)), findings


def read_sources(root: Path) -> tuple[dict[str, Program], Settings, list[Finding]]:
    """Programs and settings, and what of them stands in the way of compiling and running."""
    settings, findings = read_settings(root)
    programs, found = read_programs(root, settings)
    kinds = {
        Kind.ENCODING,
        Kind.MARKER,
        Kind.REGION,
        Kind.EXERCISE,
        Kind.HEADER,
        Kind.DECLARATION,
        Kind.SETTINGS,
        Kind.BOILERPLATE,
    }
    return programs, settings, [f for f in (*findings, *found) if f.kind in kinds]


def compile_course(
    root: Path, names: Sequence[str], say: Callable[[str], object]
) -> tuple[list[Finding], int]:
    """Compile programs; findings, and how many were compiled without one."""
    from build_tools.measure.compile import compile_programs

    programs, _, wrong = read_sources(root)
    chosen, findings = select_programs(programs, names)
    findings += wrong
    compiled, found = compile_programs(root, [programs[name] for name in chosen], say)
    return findings + found, compiled


def run_course(
    root: Path,
    names: Sequence[str],
    *,
    repeats: tuple[int, int] | None,
    bundle: Path | None,
    extent: Extent,
) -> list[Finding]:
    """Run programs and record what they measured.

    ``repeats`` are the least and the most processes of each; the settings' when None.
    """
    from build_tools.measure.campaign import run_campaign
    from build_tools.measure.ground import ALL_PARTS, Front, Repeats

    programs, settings, wrong = read_sources(root)
    chosen, findings = select_programs(programs, names)
    findings += wrong
    if findings:
        return findings
    before: list[Course] = []
    said: list[str] = []

    def tell(line: str) -> None:
        said.append(line)
        tell_progress(line)

    def judge(program: Program, record: LoadedRecord) -> Sequence[str]:
        from build_tools.claims.unmet import find_unmet

        return find_unmet(before[0], program.name, record)

    findings = run_campaign(
        root,
        programs,
        settings,
        chosen,
        repeats=Repeats(*(repeats or (settings.repeats, settings.repeats_at_most))),
        front=Front(tell, lambda: before.append(load_course(root)), judge),
        bundle=bundle,
        extent=extent,
    )
    if bundle is None and before:
        tell_movement(before[0])
    if not before and not findings:
        parts = None if extent.parts == ALL_PARTS else extent.parts
        remember_nothing(root, names, parts, said)
    return findings


def load_course(root: Path) -> Course:
    """The whole course; what reads it is imported only where there is something to measure."""
    from build_tools.claims.course import load_course

    return load_course(root)


def record_course(root: Path, bundle: Path) -> list[Finding]:
    """Take a bundle's evidence into the tree, and say what that did to the pages."""
    from build_tools.measure.bundle import record_bundle

    course = load_course(root)
    findings = record_bundle(root, bundle, tell_progress)
    tell_movement(course)
    return findings


def tell_movement(before: Course) -> None:
    """Say which claims of the pages the records made since have moved, and how many held."""
    from build_tools.claims.movement import compare_courses, describe_movement

    for line in describe_movement(compare_courses(before, load_course(before.root))):
        tell_progress(line)
