"""Is the boilerplate that programs share the same in each of them?"""

from __future__ import annotations

from collections.abc import Mapping

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.source.model import Program, Region


def compare_boilerplate(programs: Mapping[str, Program]) -> list[Finding]:
    """A finding for each host region that differs from the first program's one of that name.

    Placed at the first line that differs.
    """
    first: dict[str, tuple[Program, Region]] = {}
    findings = []
    for _, program in sorted(programs.items()):
        for name, region in program.regions.items():
            if region.kind != "host":
                continue
            model_program, model = first.setdefault(name, (program, region))
            if region.text != model.text:
                findings.append(_report_difference(program, region, model_program, model))
    return findings


def _report_difference(
    program: Program, region: Region, model_program: Program, model: Region
) -> Finding:
    texts, models = region.text.split("\n"), model.text.split("\n")
    index = next(
        i for i, (one, other) in enumerate(zip(texts, models, strict=False)) if one != other
    )
    place, stated = _show_line(program, region, texts, index)
    other_place, true = _show_line(model_program, model, models, index)
    return Finding(
        Kind.BOILERPLATE,
        place,
        f"region `{region.name}`, its line {index + 1}: {stated}",
        f"{true} at {other_place}",
        "make the host regions of one name identical, or give this one a name of its own",
    )


def _show_line(program: Program, region: Region, texts: list[str], index: int) -> tuple[Place, str]:
    """Where a region's line stands and its text; behind the last, that it has ended."""
    if index >= len(region.lines):
        return Place(program.path, region.last), "the region has ended"
    line = region.lines[index]
    column = len(line.text) - len(line.text.lstrip()) + 1
    return Place(program.path, line.number, column), f"`{texts[index].strip()}`"
