"""How does a region look on a page? Header, its lines in the program's colours, what it needs."""

from __future__ import annotations

import shlex

from markupsafe import Markup

from build_tools.claims.model import Course, Directive
from build_tools.evidence.loaded import LoadedRecord
from build_tools.evidence.reader import list_kernel_regions
from build_tools.pages.device import find_plain_architecture
from build_tools.pages.explorer import explore_region, read_options
from build_tools.pages.highlight import compose_code, slice_lines
from build_tools.pages.listing import find_listed_region
from build_tools.pages.lookup import Absence, find_region, find_shown_record, read_flag
from build_tools.pages.printed import format_date
from build_tools.pages.template import fill_template
from build_tools.source.model import Program, Region


def render_snippet(course: Course, directive: Directive, identity: str) -> Markup | Absence:
    """The region ``program#region`` of ``directive`` as HTML.

    ``identity`` is the wrapper's id. The text of its one ``pre > code`` is the region's, each
    line ended by LF; line numbers are the program's own and attributes.
    """
    found = find_region(course, directive.argument)
    dedent = read_flag(directive.options, "dedent", default=True)
    numbers = read_flag(directive.options, "numbers", default=True)
    for problem in (found, dedent, numbers):
        if isinstance(problem, Absence):
            return problem
    assert not isinstance(found, Absence)  # noqa: S101 - told above; for the type checker
    program, region = found
    shown = region.text if dedent else region.undedented
    lines = slice_lines(program.text, (line.number for line in region.lines), shown)
    record = find_shown_record(course, program)
    return fill_template(
        "snippet",
        directive=directive,
        identity=identity,
        program=program,
        region=region,
        title=directive.options.get("title") or region.name,
        numbers=numbers,
        digits=len(str(region.last)),
        lines=len(region.lines),
        code=compose_code(lines, is_counted=True),
        needs=[program.regions[name] for name in region.needs if name in program.regions],
        record=record,
        absent=isinstance(record, Absence),
        date="" if isinstance(record, Absence) else format_date(record.record.started),
        explorer=explore_region(course, program, region),
        listed=find_listed_region(course, program, region),
        command=compose_unit_command(program, region),
        fragment=region.kind == "host" or region.name not in program.declaration.regions,
        architecture=find_plain_architecture(program.header.build),
        checked=not isinstance(record, Absence) and is_checked(course, program, record, region),
    )


def compose_unit_command(program: Program, region: Region) -> str:
    """The command that compiles what is downloaded of a region, where a kernel is in it."""
    options = read_options(program.header.build)
    if not options or region not in list_kernel_regions(program):
        return ""
    flags = [word for word in shlex.split(options) if not word.startswith("-l")]
    return shlex.join(["nvcc", *flags, "-c", f"{region.name}.cu"])


def is_checked(course: Course, program: Program, record: LoadedRecord, region: Region) -> bool:
    """Whether the reader's check passed for the region as it is now, with its needs and no more."""
    check = record.reader_check
    if check is None or check.could_not_check:
        return False
    # The evidence stage compared the check with check.py and the regions as they are now.
    if any(finding.place.path == program.check_path for finding in course.findings):
        return False
    return any(verdict.region == region.name and verdict.passed for verdict in check.regions)
