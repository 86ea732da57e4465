"""How are an expression's value and the list of citable names printed?"""

from __future__ import annotations

from collections.abc import Iterator

from build_tools.claims.describe import CitableName, Evaluation, Listing
from build_tools.claims.figure import FigureKind


def describe_evaluation(found: Evaluation) -> list[str]:
    """An evaluation in lines of text."""
    figure = found.figure
    if figure is None:
        pointer = " " * (found.column - 1) + "^"
        return [found.expression, pointer, f"no value: {found.error}", f"do: {found.advice}"]
    lines = [f"value:   {figure.shown}"]
    if figure.kind is FigureKind.NUMBER:
        lines.append(f"exactly: {found.exactly} in base units")
        lines.append(f"unit:    {figure.unit or 'a bare number'}")
        if figure.band:
            lines.append(f"band:    {figure.band} (the next process, 95 %)")
    elif figure.kind is FigureKind.SEVERAL:
        lines = [f"values:  {len(figure.items)}"]
        for item in figure.items:
            where = f"[{', '.join(item.keys)}] " if item.keys else ""
            band = f"  band {item.band}" if item.band else ""
            lines.append(f"  {where}{item.shown}{band}")
    else:
        lines.append(f"what:    {found.about}")
    lines.append(f"kind:    {found.proof}")
    for r in found.records:
        processes = f", {r.processes} processes" if r.processes else ""
        lines.append(f"from:    {r.path} ({r.device}, driver {r.driver}{processes}, {r.date})")
    return lines


def describe_listing(listing: Listing) -> Iterator[str]:
    """All that can be shown and cited, in lines of text."""
    for program in listing.programs:
        state = f"record {program.record}" if program.record else "no fresh record"
        yield f"{program.name}  {program.path}  ({state})"
        for region in program.regions:
            needs = f", needs {' '.join(region.needs)}" if region.needs else ""
            lines = f"lines {region.first}-{region.last}"
            yield f"  region  {region.reference}  {lines}  {region.kind}{needs}"
        for name in program.names:
            yield f"  {name.kind:<6}  {_say_name(name)}"
    for name in listing.quantities:
        yield f"{name.kind}  {_say_name(name)}"
    for fact in listing.facts:
        gpu = f" on {fact.gpu}" if fact.gpu else ""
        yield f"given:{fact.key}  {fact.value} {fact.unit}{gpu}  ({fact.source})"


def _say_name(name: CitableName) -> str:
    keys = f"[{', '.join(name.keys)}]" if name.keys else ""
    return f"{name.name}{keys}{f' = {name.figure.shown}' if name.figure else ''}"
