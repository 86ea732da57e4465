"""What exactly can a reader copy: a region with what it needs, as one compilable text?"""

from __future__ import annotations

from collections.abc import Mapping

from build_tools.diagnostics.finding import Finding, Kind, Place, suggest_names
from build_tools.source.model import Declaration, Program, Region


def list_unit(program: Program, region: str, without: frozenset[str] = frozenset()) -> list[Region]:
    """The region and all it needs, directly or by another need, in the order of the file.

    ``without`` leaves out regions, to show that they are needed. Raises KeyError for a region
    the program does not have.
    """
    names = list_needed(program.regions, region)
    chosen = [program.regions[name] for name in names if name not in without]
    return sorted(chosen, key=lambda part: part.first)


def compose_unit(program: Program, region: str) -> str:
    """What a reader takes along: the texts of ``list_unit`` as pages show them, and no more.

    Lines end in LF, the last one too.
    """
    return "".join(part.text for part in list_unit(program, region))


def compose_reader_unit(
    program: Program, region: str, without: frozenset[str] = frozenset()
) -> str:
    """That same text as it is checked: each region's part stands behind ``#line N "file.cu"``.

    ``without`` and what is raised are those of ``list_unit``.
    """
    file = program.path.rpartition("/")[2]
    return "".join(
        f'#line {part.first} "{file}"\n{part.text}' for part in list_unit(program, region, without)
    )


def list_needed(regions: Mapping[str, Region], name: str) -> list[str]:
    """The region's own name and those of all it needs, each once."""
    names = [name]
    for current in names:
        names += [need for need in regions[current].needs if need not in names]
    return names


def check_needs(
    regions: Mapping[str, Region], declaration: Declaration
) -> tuple[dict[str, tuple[str, ...]], list[Finding]]:
    """The needs of each region that can be met, and what is wrong with the others."""
    needs: dict[str, tuple[str, ...]] = {}
    findings: list[Finding] = []
    for name, rule in declaration.regions.items():
        if name not in regions:
            findings.append(
                Finding(
                    Kind.DECLARATION,
                    rule.place,
                    f"region `{name}`",
                    "the program has no such region",
                    suggest_names(name, regions),
                )
            )
            continue
        kept = []
        for need, place in zip(rule.needs, rule.needs_places, strict=True):
            finding = _check_need(regions, name, need, place)
            if finding is None and need not in kept:
                kept.append(need)
            elif finding is not None:
                findings.append(finding)
        needs[name] = tuple(kept)
    return _drop_cycles(needs, declaration, findings), findings


def _check_need(
    regions: Mapping[str, Region], name: str, need: str, place: Place
) -> Finding | None:
    stated = f"`{name}` needs `{need}`"
    if need not in regions:
        true, advice = "the program has no such region", suggest_names(need, regions)
    elif need == name:
        true, advice = "it is the region itself", "remove it"
    elif {line.number for line in regions[need].lines} & {
        line.number for line in regions[name].lines
    }:
        true, advice = "the two share lines, so a reader would copy these twice", "remove it"
    else:
        return None
    return Finding(Kind.DECLARATION, place, stated, true, advice)


def _drop_cycles(
    needs: dict[str, tuple[str, ...]], declaration: Declaration, findings: list[Finding]
) -> dict[str, tuple[str, ...]]:
    """Needs without those that lead back to where they come from, each such a finding."""
    kept: dict[str, tuple[str, ...]] = {}
    for name, listed in needs.items():
        good = []
        for need in listed:
            chain = _find_chain(need, name, {**needs, **kept})
            if not chain:
                good.append(need)
                continue
            rule = declaration.regions[name]
            way = " needs ".join(f"`{step}`" for step in [name, *chain])
            findings.append(
                Finding(
                    Kind.DECLARATION,
                    rule.needs_places[rule.needs.index(need)],
                    f"`{name}` needs `{need}`",
                    f"the needs go in a circle: {way}",
                    "remove one of them, or join the regions",
                )
            )
        kept[name] = tuple(good)
    return kept


def _find_chain(start: str, goal: str, needs: Mapping[str, tuple[str, ...]]) -> list[str]:
    """A way along needs from one region to another; empty when there is none."""
    ways = [[start]]
    seen = {start}
    for way in ways:
        if way[-1] == goal:
            return way
        for need in needs.get(way[-1], ()):
            if need not in seen:
                seen.add(need)
                ways.append([*way, need])
    return []
