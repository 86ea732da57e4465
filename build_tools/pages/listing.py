"""How does a region's machine code look on a page? Folded, with the source's lines beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from build_tools.claims.model import Course, Directive
from build_tools.diagnostics.finding import suggest_names
from build_tools.evidence.machine_code import Instruction, read_machine_code, read_ptx
from build_tools.evidence.part_model import Listings, LoadedPart, PartKind, RegionListing
from build_tools.pages.counters import find_part
from build_tools.pages.lookup import Absence, find_region, read_flag
from build_tools.pages.printed import format_date
from build_tools.pages.template import fill_template
from build_tools.source.model import Program
from build_tools.source.tokens import scan_source

CODES = ("sass", "ptx")
"""The machine's own code, and the virtual one before it."""


@dataclass(frozen=True)
class CodeView:
    """One kernel's code."""

    kernel: str
    instructions: int
    """Of the machine code."""
    text: str


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
    views = compose_code(program, loaded, listing, code)
    return fill_template(
        "listing",
        directive=directive,
        identity=identity,
        program=program,
        region=region,
        loaded=loaded,
        part=loaded.part,
        date=format_date(loaded.part.started),
        views=[view for view in views if kernel in ("", view.kernel)],
        code=code,
        opened=opened,
        record=course.shelves[program.name].shown_record,
    )


def find_listing(loaded: LoadedPart, region: str) -> RegionListing | None:
    """What a part of listings holds of a region."""
    return next((r for r in _list_regions(loaded) if r.region == region), None)


def _list_regions(loaded: LoadedPart) -> tuple[RegionListing, ...]:
    return loaded.part.regions if isinstance(loaded.part, Listings) else ()


def compose_code(
    program: Program, loaded: LoadedPart, listing: RegionListing, code: str
) -> list[CodeView]:
    """The code of each kernel of a region, as text."""
    part = loaded.part
    assert isinstance(part, Listings)  # noqa: S101 - its caller took it from the listings
    if code == "ptx":
        texts = read_ptx(loaded.texts.get(part.ptx.path, "")) if part.ptx else {}
        return [
            CodeView(k.kernel, k.instructions, texts.get(k.function, "no PTX is in the binary\n"))
            for k in listing.kernels
        ]
    file = part.lines or part.sass
    functions = read_machine_code(loaded.texts.get(file.path, "")) if file else {}
    lines = move_lines(program, part.anchors)
    name = program.path.rsplit("/", 1)[-1]
    return [
        CodeView(
            k.kernel,
            k.instructions,
            "".join(
                _format_instruction(i, lines if i.file == name else {}) + "\n"
                for i in functions.get(k.function, ())
            ),
        )
        for k in listing.kernels
    ]


def move_lines(program: Program, anchors: Mapping[str, int]) -> dict[int, int]:
    """Where each line of the source as it was compiled stands in it now, by its first token."""
    scan = scan_source(program.text)
    return {
        int(line): scan.locate(scan.tokens[index].start)[0]
        for line, index in anchors.items()
        if index < len(scan.tokens)
    }


def _format_instruction(instruction: Instruction, lines: Mapping[int, int]) -> str:
    """``  95  0020  S2R R3, SR_CTAID.Y``: source line, address, instruction."""
    line = lines.get(instruction.line)
    return f"{line or '':>5}  {instruction.address:04x}  {instruction.text}"
