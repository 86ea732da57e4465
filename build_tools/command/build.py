"""How are programs compiled and run from the command line? The stages put together."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.diagnostics.finding import Finding, Kind, Place, suggest_names

if TYPE_CHECKING:
    from build_tools.measure.ground import Extent


def select_programs(course: Course, names: Sequence[str]) -> tuple[list[str], list[Finding]]:
    """The programs named, or all; a name that is none is a finding."""
    findings = [
        Finding(
            Kind.RUN,
            Place("snippets"),
            f"`{name}`",
            "there is no such program",
            suggest_names(name, course.programs),
        )
        for name in names
        if name not in course.programs
    ]
    chosen = [name for name in names if name in course.programs] if names else list(course.programs)
    return list(dict.fromkeys(chosen)), findings


def list_source_findings(course: Course) -> list[Finding]:
    """The course's findings that stand in the way of running: those of the sources."""
    source = {
        Kind.ENCODING,
        Kind.MARKER,
        Kind.REGION,
        Kind.HEADER,
        Kind.DECLARATION,
        Kind.SETTINGS,
        Kind.BOILERPLATE,
    }
    return [finding for finding in course.findings if finding.kind in source]


def compile_course(
    root: Path, names: Sequence[str], say: Callable[[str], object]
) -> tuple[list[Finding], int]:
    """Compile programs; findings, and how many were compiled without one."""
    from build_tools.measure.compile import compile_programs

    course = load_course(root)
    chosen, findings = select_programs(course, names)
    findings += list_source_findings(course)
    compiled, found = compile_programs(root, [course.programs[name] for name in chosen], say)
    return findings + found, compiled


def run_course(
    root: Path,
    names: Sequence[str],
    *,
    repeats: int | None,
    bundle: Path | None,
    extent: Extent,
) -> list[Finding]:
    """Run programs and record what they measured."""
    from build_tools.measure.campaign import run_campaign

    course = load_course(root)
    chosen, findings = select_programs(course, names)
    findings += list_source_findings(course)
    if findings:
        return findings
    findings = run_campaign(
        root,
        course.programs,
        course.settings,
        chosen,
        repeats=repeats or course.settings.repeats,
        progress=tell_progress,
        bundle=bundle,
        extent=extent,
    )
    if bundle is None:
        tell_movement(course)
    return findings


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


def tell_progress(line: str) -> None:
    """A line on what happens, beside what the command prints."""
    print(line, file=sys.stderr, flush=True)  # noqa: T201 - progress
