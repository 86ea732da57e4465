"""How does a region's machine code look on a page? Folded, beside the lines it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

from markupsafe import Markup

from build_tools.claims.model import Course, Directive
from build_tools.diagnostics.finding import suggest_names
from build_tools.evidence.machine_code import read_machine_code
from build_tools.evidence.part_model import Listings, LoadedPart, PartKind, RegionListing
from build_tools.evidence.ptx import read_ptx
from build_tools.pages.counters import find_part
from build_tools.pages.explorer import find_kernel_region
from build_tools.pages.highlight import compose_code, slice_lines
from build_tools.pages.lookup import Absence, find_region, read_flag
from build_tools.pages.printed import format_date
from build_tools.pages.template import fill_template
from build_tools.pages.visible import mark_up
from build_tools.source.model import Program, Region
from build_tools.source.tokens import scan_source

CODES = ("sass", "ptx", "both")
"""The machine's own code, the virtual one before it, or both to choose from."""


@dataclass(frozen=True)
class Pane:
    """Code as the machine or the virtual one has it; empty where it is not shown."""

    code: Markup
    is_placed: bool
    """Whether it is known from which lines of the source it comes."""


@dataclass(frozen=True)
class CodeView:
    """One kernel's code; what is not shown is empty."""

    kernel: str
    instructions: int
    """Of the machine code."""
    source: Markup
    """The lines of the source beside its code."""
    digits: int
    """How many its line numbers have."""
    sass: Pane
    ptx: Pane


def render_listing(course: Course, directive: Directive, identity: str) -> Markup | Absence:
    """The machine code of the kernels of the region that ``directive`` names."""
    found = find_region(course, directive.argument)
    if isinstance(found, Absence):
        return found
    program, region = found
    loaded = find_part(course, program, PartKind.LISTINGS)
    if isinstance(loaded, Absence):
        return loaded
    listing = find_listing(loaded, region.name)
    if listing is None:
        names = [region.region for region in _list_regions(loaded)]
        return Absence(
            f"{loaded.identity} lists no `{region.name}`", suggest_names(region.name, names)
        )
    opened = read_flag(directive.options, "open", False)
    if isinstance(opened, Absence):
        return opened
    code = directive.options.get("code", "sass")
    kernels = [k.kernel for k in listing.kernels]
    kernel = directive.options.get("kernel", "")
    if kernel and kernel not in kernels:
        return Absence(f"`{region.name}` lists no `{kernel}`", suggest_names(kernel, kernels))
    views = [
        view
        for view in compose_views(program, region, loaded, listing, code)
        if kernel in ("", view.kernel)
    ]
    return fill_template(
        "listing",
        directive=directive,
        identity=identity,
        program=program,
        region=region,
        loaded=loaded,
        part=loaded.part,
        date=format_date(loaded.part.started),
        views=views,
        code=code,
        is_ptx_placed=any(view.ptx.is_placed for view in views),
        opened=opened,
        record=course.shelves[program.name].shown_record,
    )


def find_listed_region(course: Course, program: Program, region: Region) -> str:
    """The region whose recorded machine code a region's lines became: its own, or its kernel's.

    Empty where none is recorded as the program is now, and for what has no code of its own.
    """
    loaded = find_part(course, program, PartKind.LISTINGS)
    if isinstance(loaded, Absence):
        return ""
    kernel = find_kernel_region(program, region)
    if kernel is None or find_listing(loaded, kernel.name) is None:
        return ""
    is_within = kernel.first <= region.first and region.last <= kernel.last
    return kernel.name if is_within or "__device__" in region.text else ""


def find_listing(loaded: LoadedPart, region: str) -> RegionListing | None:
    """What a part of listings holds of a region."""
    return next((r for r in _list_regions(loaded) if r.region == region), None)


def _list_regions(loaded: LoadedPart) -> tuple[RegionListing, ...]:
    return loaded.part.regions if isinstance(loaded.part, Listings) else ()


def compose_views(
    program: Program, region: Region, loaded: LoadedPart, listing: RegionListing, code: str
) -> list[CodeView]:
    """The code of each kernel of a region."""
    part = loaded.part
    assert isinstance(part, Listings)  # noqa: S101 - its caller took it from the listings
    file = (part.lines or part.sass) if code != "ptx" else None
    sass = read_machine_code(loaded.texts.get(file.path, "")) if file else {}
    ptx = read_ptx(loaded.texts.get(part.ptx.path, "")) if part.ptx and code != "sass" else {}
    moved = move_lines(program, part.anchors)
    name = program.path.rsplit("/", 1)[-1]
    views = []
    for kernel in listing.kernels:
        machine = [
            (moved.get(i.line, 0) if i.file == name else 0, f"{i.address:04x}  {i.text}")
            for i in sass.get(kernel.function, ())
        ]
        virtual = [
            (moved.get(line.find_line(name), 0), line.text) for line in ptx.get(kernel.function, ())
        ]
        lines = _choose_lines(region, {line for line, _ in (*machine, *virtual) if line})
        if code != "sass" and not virtual:
            virtual = [(0, "no PTX is in the binary")]
        views.append(
            CodeView(
                kernel.kernel,
                kernel.instructions,
                _compose_source(program, lines),
                len(str(max(lines, default=0))),
                _compose_pane(machine, numbers=True),
                _compose_pane(virtual, numbers=any(line for line, _ in virtual)),
            )
        )
    return views


def _choose_lines(region: Region, used: set[int]) -> list[int]:
    """The region's lines, and those outside of it from which instructions come.

    None where it is not known from which lines they come.
    """
    return sorted(used | {line.number for line in region.lines}) if used else []


def _compose_source(program: Program, lines: Sequence[int]) -> Markup:
    texts = program.text.split("\n")
    shown = "".join(f"{texts[number - 1]}\n" for number in lines)
    if not lines:
        return Markup("")
    sliced = slice_lines(program.text, lines, shown)
    follows = zip([lines[0] - 1, *lines], sliced, strict=False)
    return compose_code([replace(line, gap=line.number != last + 1) for last, line in follows])


def _compose_pane(placed: Sequence[tuple[int, str]], *, numbers: bool) -> Pane:
    """Code as lines, each run of one source line in an element that names it.

    ``numbers``: with the source line before each, as ``  95  0020  S2R R3, SR_CTAID.Y``.
    """
    pieces = []
    for line, run in groupby(placed, key=itemgetter(0)):
        head = f"{line or '':>5}  " if numbers else ""
        text = mark_up("".join(f"{head}{code}".rstrip() + "\n" for _, code in run))
        opening = Markup('<span data-line="{}">').format(line) if line else Markup("<span>")
        pieces.append(opening + text + Markup("</span>"))
    return Pane(Markup("").join(pieces), any(line for line, _ in placed))


def move_lines(program: Program, anchors: Mapping[str, int]) -> dict[int, int]:
    """Where each line of the source as it was compiled stands in it now, by its first token."""
    scan = scan_source(program.text)
    return {
        int(line): scan.locate(scan.tokens[index].start)[0]
        for line, index in anchors.items()
        if index < len(scan.tokens)
    }
