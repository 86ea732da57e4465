"""What would the course say if one record were all its program had?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from build_tools.claims.model import Course
from build_tools.evidence.loaded import LoadedRecord, Shelf, State


def isolate_record(course: Course, loaded: LoadedRecord) -> Course:
    """The course with this record as its program's only one, as if it were fresh.

    Constants and quantities stay those of the program as it is now, and what is wrong with its
    other records does not matter.
    """
    name = loaded.record.program
    parts = course.shelves[name].parts if name in course.shelves else ()
    shelf = Shelf(name, (replace(loaded, state=State.FRESH),), parts)
    folder = f"evidence/{name}/"
    stem = loaded.path.removesuffix(".json")
    findings = tuple(
        finding
        for finding in course.findings
        if not finding.place.path.startswith(folder)
        or finding.place.path.startswith((f"{stem}.", f"{stem}/"))
    )
    return replace(course, shelves={**course.shelves, name: shelf}, findings=findings)


def leave_out(course: Course, program: str, paths: Iterable[str]) -> Course:
    """The course without some of a program's records and parts, by the paths of their JSON."""
    gone = set(paths)
    shelf = course.shelves[program]
    records = tuple(record for record in shelf.records if record.path not in gone)
    parts = tuple(part for part in shelf.parts if part.path not in gone)
    shelf = replace(shelf, records=records, parts=parts)
    return replace(course, shelves={**course.shelves, program: shelf})
