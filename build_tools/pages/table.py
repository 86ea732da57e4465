"""How does a transcript's table look on a page? A real table, digits as printed, bands at hand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from build_tools.claims.directives import split_columns
from build_tools.claims.model import Course, Directive
from build_tools.diagnostics.finding import suggest_names
from build_tools.evidence.loaded import LoadedRecord, TranscriptTable
from build_tools.pages.lookup import Absence, find_program, find_shown_record, find_table
from build_tools.pages.printed import format_band, format_date, index_samples
from build_tools.pages.template import fill_template
from build_tools.source.model import ColumnRule, Program, TableRule


@dataclass(frozen=True)
class Cell:
    """A cell as the transcript prints it.

    ``padding`` is how many digits wide the space behind a number is, so that the decimal
    points of a column stand above each other.
    """

    text: str
    is_key: bool
    padding: int = 0
    band: str = ""
    value: str = ""
    """The number by which rows are sorted, in the column's unit; empty where there is none."""


@dataclass(frozen=True)
class Head:
    """A column's header: ``time`` and ``(ms)``, together as the transcript prints them."""

    name: str
    unit: str
    is_key: bool


@dataclass(frozen=True)
class ShownTable:
    """A declared table with all columns, as a transcript prints it."""

    rule: TableRule
    heads: list[Head]
    rows: list[list[Cell]]


def render_table(course: Course, directive: Directive, identity: str) -> Markup | Absence:
    """The table of ``directive``'s program in its shown transcript, as HTML."""
    program = find_program(course, directive.argument)
    if isinstance(program, Absence):
        return program
    record = find_shown_record(course, program)
    if isinstance(record, Absence):
        return record
    found = find_table(program, record, directive.options.get("table", ""))
    if isinstance(found, Absence):
        return found
    rule, table = found
    chosen = _choose_columns(rule, table, directive.options.get("columns", ""))
    if isinstance(chosen, Absence):
        return chosen
    return fill_template(
        "table",
        directive=directive,
        identity=identity,
        program=program,
        rule=rule,
        record=record,
        date=format_date(record.record.started),
        heads=[_split_head(column) for column in chosen],
        rows=compose_rows(record, rule, table, chosen),
        notes=table.notes,
    )


def list_tables(program: Program, record: LoadedRecord) -> Iterator[ShownTable]:
    """Each declared table of a record's shown run that its transcript holds."""
    for rule in program.declaration.tables:
        found = find_table(program, record, rule.name)
        chosen = found if isinstance(found, Absence) else _choose_columns(rule, found[1], "")
        if isinstance(found, Absence) or isinstance(chosen, Absence):
            continue
        heads = [_split_head(column) for column in chosen]
        yield ShownTable(rule, heads, compose_rows(record, rule, found[1], chosen))


def _choose_columns(
    rule: TableRule, table: TranscriptTable, option: str
) -> list[ColumnRule] | Absence:
    """The columns asked for, in the order asked; all, in the transcript's order, by default."""
    rules = {column.name: column for column in rule.columns}
    asked = split_columns(option)
    for name in asked:
        if name not in rules:
            return Absence(
                f"the table `{rule.name}` has no column `{name}`", suggest_names(name, rules)
            )
    if asked:
        chosen = [rules[name] for name in asked]
    else:
        by_header = {column.header: column for column in rule.columns}
        chosen = [by_header[header] for header in table.columns if header in by_header]
    lost = [column.header for column in chosen if column.header not in table.columns]
    if lost or not chosen:
        what = ", ".join(f"`{header}`" for header in lost) or "any declared column"
        return Absence(
            f"the transcript's table `{rule.name}` lacks {what}",
            "declare the columns as the program prints them",
        )
    return chosen


def _split_head(column: ColumnRule) -> Head:
    unit = f"({column.unit})"
    if column.unit and column.header.endswith(unit):
        return Head(column.header.removesuffix(unit), unit, column.is_key)
    return Head(column.header, "", column.is_key)


def compose_rows(
    record: LoadedRecord, rule: TableRule, table: TranscriptTable, chosen: list[ColumnRule]
) -> list[list[Cell]]:
    """The table's cells in the chosen columns, row by row."""
    samples = index_samples(record)
    index = {header: position for position, header in enumerate(table.columns)}
    # Keys in the declared order, as the measurements have them.
    keys = [column for column in rule.columns if column.is_key and column.header in index]
    widths = {
        column.name: max((_count_tail(row[index[column.header]]) for row in table.rows), default=0)
        for column in chosen
    }
    rows = []
    for row in table.rows:
        key = tuple(row[index[column.header]] for column in keys)
        cells = []
        for column in chosen:
            text = row[index[column.header]]
            measured = None if column.is_key else samples.get((column.name, key))
            cells.append(
                Cell(
                    text,
                    column.is_key,
                    0 if column.is_key else widths[column.name] - _count_tail(text),
                    format_band(measured, text) if measured else "",
                    "" if column.is_key else _read_number(text),
                )
            )
        rows.append(cells)
    return rows


def _read_number(text: str) -> str:
    """A printed number without commas; empty for what is none."""
    bare = text.replace(",", "")
    try:
        return bare if math.isfinite(float(bare)) else ""
    except ValueError:
        return ""


def _count_tail(text: str) -> int:
    """How many characters stand from the decimal point on."""
    point = text.find(".")
    return len(text) - point if point >= 0 else 0
