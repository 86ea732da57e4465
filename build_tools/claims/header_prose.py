"""Does a program's header say a number that nothing checks? Its card shows that prose to readers."""

from __future__ import annotations

import bisect
from collections.abc import Iterator

from build_tools.claims.model import Course, PageOptions
from build_tools.claims.number_rules import choose_patterns, choose_policy
from build_tools.claims.numbers import find_numbers
from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.source.model import Header, Program


def check_headers(course: Course) -> list[Finding]:
    """A finding for each number in the description of a program, under the course's policy."""
    key = ("headers", *sorted(course.programs))
    if course.memo.recall(key):
        return []
    findings = [
        finding
        for program in course.programs.values()
        for finding in _check_header(course, program)
    ]
    if not findings:
        course.memo.keep(key, True)
    return findings


def _check_header(course: Course, program: Program) -> Iterator[Finding]:
    policy = choose_policy(course.settings, PageOptions())
    if policy == "off":
        return
    patterns = choose_patterns(course.settings, PageOptions())
    for number in find_numbers(program.header.description, patterns):
        if policy == "units" and not number.has_unit:
            continue
        yield Finding(
            Kind.UNBOUND,
            _find_place(program.header, number.start),
            f"`{number.text}`",
            "the program's card and README show this comment, and nothing can check the number",
            "say it on a page, where a claim binds it, and leave the number out of the comment",
            length=len(number.text),
        )


def _find_place(header: Header, offset: int) -> Place:
    """Where an offset of the description stands in the program."""
    starts = [start for start, _ in header.description_places]
    start, place = header.description_places[bisect.bisect_right(starts, offset) - 1]
    return Place(place.path, place.line, place.column + offset - start)
