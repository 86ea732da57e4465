"""How are an expression's value and the list of citable names printed?"""

from __future__ import annotations

from collections.abc import Iterator

from build_tools.claims.describe import CitableName, Evaluation, Listing
from build_tools.claims.figure import Figure, FigureKind
from build_tools.claims.measured import format_keys

MOST_ROWS = 12
"""How many rows of a measurement are listed; JSON holds all."""


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
        if found.deciding:
            lines.append(f"so:      {found.deciding}")
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
        for exercise in program.exercises:
            held = ", ".join(exercise.regions)
            yield f"  exercise  {exercise.reference}  line {exercise.line}  in {held}"
        for name in program.names:
            yield from _list_name(name, f"  {name.kind:<6}  ")
    for name in listing.quantities:
        yield from _list_name(name, f"{name.kind}  ")
    for fact in listing.facts:
        gpu = f" on {fact.gpu}" if fact.gpu else ""
        value = f"{fact.value} {fact.unit}".strip()
        yield f"given:{fact.key}  {value}{gpu}  ({fact.source})"


def _list_name(name: CitableName, label: str) -> Iterator[str]:
    """A name with its value; one with keys also row by row, each as a claim writes it."""
    if name.kind == "choice":
        yield f"{label}{name.name}.…"
    elif not name.rows:
        value = f" = {name.figure.shown}" if name.figure else ""
        yield f"{label}{name.name}{_say_keys(name.keys)}{value}"
    elif all(row.keys == (row.shown,) for row in name.rows):
        keys = [f"{name.name}{format_keys(row.keys)}" for row in name.rows[:MOST_ROWS]]
        yield f"{label}{', '.join(keys)}{_say_more(name.rows)}"
    else:
        yield f"{label}{name.name}{_say_keys(name.keys) or '[:]'}"
        margin = " " * (len(label) + 2)
        for row in name.rows[:MOST_ROWS]:
            yield f"{margin}{name.name}{format_keys(row.keys)} = {row.shown}"
        if len(name.rows) > MOST_ROWS:
            yield f"{margin}…{_say_more(name.rows).removeprefix(',')}"


def _say_keys(keys: tuple[str, ...]) -> str:
    return f"[{', '.join(keys)}]" if keys else ""


def _say_more(rows: tuple[Figure, ...]) -> str:
    more = len(rows) - MOST_ROWS
    return f", and {more} more" if more > 0 else ""
