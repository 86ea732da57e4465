"""What is a program declared to measure by keys, in tables and in lines?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from build_tools.claims.chart_model import Problem
from build_tools.diagnostics.finding import suggest_names
from build_tools.evidence.lines import compile_patterns
from build_tools.source.model import Program


@dataclass(frozen=True)
class Measure:
    """What a program is declared to measure, and by which keys."""

    name: str
    title: str
    unit: str
    keys: Mapping[str, str]
    """Names of keys, each with the title of its column."""


def list_measures(program: Program) -> dict[str, Measure]:
    """Everything that a program is declared to measure by keys: columns, and fields of lines."""
    measures = {}
    for table in program.declaration.tables:
        keys = {column.name: column.header for column in table.columns if column.is_key}
        for column in table.columns:
            if not column.is_key:
                title = column.header
                if column.unit and title.endswith(f"({column.unit})"):
                    title = title.removesuffix(f"({column.unit})").strip()
                measures[column.name] = Measure(column.name, title, column.unit, keys)
    for pattern in compile_patterns(program.declaration.lines):
        for field in pattern.values:
            if pattern.keys:
                title = field.name.replace("_", " ")
                keys = {key: key.replace("_", " ") for key in pattern.keys}
                measures[field.name] = Measure(field.name, title, field.unit_text, keys)
    return measures


def find_measure(
    program: Program, options: Mapping[str, str]
) -> tuple[Measure | None, list[Problem]]:
    """What ``y`` names."""
    measures = list_measures(program)
    name = options.get("y", "")
    if name in measures:
        return measures[name], []
    keys = {key for measure in measures.values() for key in measure.keys}
    if not measures:
        advice = f"declare a table in {program.declaration.path}"
        return None, [Problem("the program declares nothing that is measured by keys", advice)]
    if not name:
        return None, [Problem("it does not say what is drawn", "write `y: ` with a column's name")]
    if name in keys:
        first = next(iter(measures))
        what = f"`y: {name}` is a key, and no number"
        return None, [Problem(what, f"write `x: {name}`, and for `y` what was measured: `{first}`")]
    return None, [Problem(f"nothing measured is named `{name}`", suggest_names(name, measures))]
