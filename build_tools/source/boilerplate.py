"""Is the boilerplate that programs share the same in each of them?"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.source.model import Program, Region
from build_tools.source.regions import share_start


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
    texts, models = region.text.split("\n")[:-1], model.text.split("\n")[:-1]
    index = next(
        index for index, (one, other) in enumerate(zip_longest(texts, models)) if one != other
    )
    place, stated = _show_line(program, region, texts, index, models[index : index + 1])
    other_place, true = _show_line(model_program, model, models, index, texts[index : index + 1])
    return Finding(
        Kind.BOILERPLATE,
        place,
        f"line {index + 1} of region `{region.name}`: {stated}",
        f"{true} at {other_place}",
        "make the host regions of one name identical, or give this one a name of its own",
    )


def _show_line(
    program: Program, region: Region, texts: list[str], index: int, other: list[str]
) -> tuple[Place, str]:
    """Where a region's line first differs and its text; behind the last, that it has ended."""
    if index >= len(texts):
        return Place(program.path, region.last), "the region has ended"
    shared = len(share_start(texts[index], *other)) if other else 0
    margin = len(region.lines[index].text) - len(texts[index])
    place = Place(program.path, region.lines[index].number, margin + shared + 1)
    return place, f"`{texts[index].strip()}`"
