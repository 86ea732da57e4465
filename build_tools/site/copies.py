"""Is each file that a reader can take from the site byte for byte what the course holds?"""

from __future__ import annotations

from collections.abc import Iterator

from build_tools.claims.model import Course
from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.pages.hrefs import STARTERS
from build_tools.site.generate import compose_starters, list_downloads, list_units
from build_tools.site.links import SiteReader
from build_tools.site.pairing import REBUILD


def check_copies(course: Course, site: SiteReader) -> Iterator[Finding]:
    """A finding for each program, region, starter and file of the evidence that differs on the site.

    What the site does not hold is missed where a page links to it.
    """
    made = {
        place: (text.encode(), _find_place(course, place))
        for place, text in (*list_units(course).items(), *compose_starters(course).items())
    }
    files = {
        place: (path.read_bytes(), Place(path.relative_to(course.root).as_posix()))
        for place, path in list_downloads(course).items()
    }
    for name, (expected, place) in {**files, **made}.items():
        if site.has_file(name) and (site.folder / name).read_bytes() != expected:
            stated = f"the site holds it as {name}"
            yield Finding(Kind.PAGE, place, stated, "it holds another text there", REBUILD)


def _find_place(course: Course, file: str) -> Place:
    """Where that begins whose file ``downloads/NAME/regions/REGION.cu`` is, or a starter's."""
    _, name, kind, item = file.removesuffix(".cu").split("/", 3)
    program = course.programs[name]
    return program.exercises[item].place if kind == STARTERS else program.regions[item].place
