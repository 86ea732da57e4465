"""Does this build run programs before it renders, and which?

``COURSE_RUN`` says so: ``auto`` (as when it is not set) runs what is stale or missing where the
reference device is, never under ``CI``; ``always`` runs every program; ``never`` none.
"""

from __future__ import annotations

from collections.abc import Mapping

import click

from build_tools.claims.course import load_course
from build_tools.claims.drafts import leave_out_drafts
from build_tools.claims.model import Course
from build_tools.diagnostics.finding import Finding, Kind, Place, suggest_names
from build_tools.evidence.part_digest import list_asked_parts
from build_tools.evidence.parts import find_newest
from build_tools.site.generate import find_shown
from build_tools.source.environment import CI, COURSE_RUN

CHOICES = ("auto", "always", "never")


def refresh_evidence(
    course: Course, environment: Mapping[str, str]
) -> tuple[Course, list[Finding]]:
    """The course as it is after what ``COURSE_RUN`` asks for, and what went wrong in that.

    Runs programs, and writes records, headers and READMEs, when it is asked to and can.
    """
    choice = environment.get(COURSE_RUN) or "auto"
    if choice not in CHOICES:
        advice = f"{suggest_names(choice, CHOICES)} Set it to one of {', '.join(CHOICES)}"
        true = "it is none of the choices"
        return course, [Finding(Kind.SETTINGS, Place(COURSE_RUN), f"`{choice}`", true, advice)]
    names = choose_programs(course, choice, environment)
    if not names:
        return course, []
    reason = explain_no_device(course)
    if reason and choice == "auto":
        return course, []
    if reason:
        advice = f"build on a machine with the reference device, or set {COURSE_RUN}=never"
        stated = f"{COURSE_RUN}=always runs every program on {course.settings.reference_gpu}"
        finding = Finding(Kind.DEVICE, Place(COURSE_RUN), stated, reason, advice, checked=False)
        return course, [finding]
    return _run_programs(course, names, force=choice == "always")


def choose_programs(course: Course, choice: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The programs that a build with this choice runs where it can."""
    match choice:
        case "always":
            return tuple(sorted(course.programs))
        case "auto" if not environment.get(CI):
            return tuple(sorted(n for n in course.programs if lacks_evidence(course, n)))
    return ()


def lacks_evidence(course: Course, name: str) -> bool:
    """Whether a program has no fresh record, or no fresh part that it asks for."""
    if find_shown(course, name) is None:
        return True
    shelf = course.shelves[name]
    asked = list_asked_parts(course.programs[name])
    return any(find_newest(shelf, kind) is None for kind in asked)


def explain_no_device(course: Course) -> str:
    """Why no program can be run on the reference device here; empty when it can."""
    from build_tools.measure.device import describe_device

    device = describe_device()
    if isinstance(device, str):
        return device
    if device.model != course.settings.reference_gpu:
        return f"the device here is {device.model}"
    return ""


def _run_programs(
    course: Course, names: tuple[str, ...], *, force: bool
) -> tuple[Course, list[Finding]]:
    from build_tools.claims.movement import compare_courses, describe_movement
    from build_tools.claims.unmet import find_unmet
    from build_tools.measure.campaign import run_campaign
    from build_tools.measure.ground import Extent, Front, Repeats

    findings = run_campaign(
        course.root,
        course.programs,
        course.settings,
        names,
        repeats=Repeats(course.settings.repeats, course.settings.repeats_at_most),
        front=Front(
            lambda line: click.echo(line, err=True),
            find_unmet=lambda program, record: find_unmet(course, program.name, record),
        ),
        bundle=None,
        extent=Extent(force=force),
    )
    after = load_course(course.root)
    if course.left_out:
        after = leave_out_drafts(after, more=course.left_out)
    for line in describe_movement(compare_courses(course, after)):
        click.echo(line, err=True)
    return after, findings
