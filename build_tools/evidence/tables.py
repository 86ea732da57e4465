"""Which declared table is each table of a transcript, and what do its rows say?"""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.evidence.layout import (
    Cells,
    Span,
    assign_cells,
    split_chunks,
    stands_aligned,
)
from build_tools.evidence.loaded import Measurement, Reading, TranscriptTable
from build_tools.evidence.printed import (
    MISSING_MARKS,
    describe_keys,
    read_value,
)
from build_tools.evidence.raw_tables import RawTable, is_number
from build_tools.evidence.table_findings import (
    check_count,
    report_absent,
    report_absent_column,
    report_renamed,
    report_unaligned,
    report_undeclared,
)
from build_tools.quantity.units import ONE, Unit, UnitError, parse_unit
from build_tools.source.model import ColumnRule, Declaration, TableRule


def pair_tables(
    tables: Sequence[RawTable], declaration: Declaration, path: str
) -> tuple[list[tuple[RawTable, TableRule]], list[Finding]]:
    """Each table with the declaration it answers to: by the same headers, else by most of them."""
    findings: list[Finding] = []
    rules = list(declaration.tables)
    pairs: list[tuple[RawTable, TableRule]] = []
    left: list[RawTable] = []
    for raw in tables:
        exact = next((r for r in rules if {c.header for c in r.columns} == set(raw.headers)), None)
        if exact:
            rules.remove(exact)
            pairs.append((raw, exact))
        else:
            left.append(raw)
    for raw in left:
        likely = max(rules, key=lambda rule: _count_shared(raw, rule), default=None)
        if likely and _count_shared(raw, likely) * 2 >= len(raw.spans):
            rules.remove(likely)
            pairs.append((raw, likely))
        else:
            findings.append(report_undeclared(raw, declaration, path))
    findings += [report_absent(rule, path) for rule in rules]
    order = {rule.name: index for index, rule in enumerate(declaration.tables)}
    pairs.sort(key=lambda pair: order[pair[1].name])
    return pairs, findings


def read_table(
    raw: RawTable, rule: TableRule, path: str
) -> tuple[TranscriptTable, list[Measurement], list[Finding]]:
    """The table's rows as printed, its measurements by key, and what is wrong with it."""
    columns, findings = _match_columns(raw, rule, path)
    values = [index for index, column in enumerate(columns) if column and not column.is_key]
    rows, notes, wrong = _find_rows(raw, values, path)
    findings += wrong
    keyed = [(column, columns.index(column)) for column in rule.columns if column in columns]
    key_columns = [(column, index) for column, index in keyed if column.is_key]
    key_names = tuple(column.name for column, _ in key_columns)
    readings: dict[str, dict[tuple[str, ...], Reading]] = {
        column.name: {} for column, _ in keyed if not column.is_key
    }
    first_lines: dict[tuple[str, ...], int] = {}
    for number, cells in rows:
        keys, wrong = _read_keys(cells, key_columns, raw, Place(path, number))
        findings += wrong
        if keys in first_lines and not wrong:
            findings.append(
                Finding(
                    Kind.TRANSCRIPT,
                    Place(path, number),
                    f"a row for {describe_keys(key_names, keys)}",
                    f"line {first_lines[keys]} has the same keys",
                    "declare a column that tells the rows apart as a key",
                )
            )
            continue
        first_lines.setdefault(keys, number)
        for column, index in keyed:
            cell = cells[index]
            if column.is_key or cell is None or cell.text in MISSING_MARKS:
                continue
            value = read_value(cell, _find_unit(column), Place(path, number, cell.start + 1))
            if isinstance(value, Finding):
                findings.append(value)
            else:
                readings[column.name][keys] = value
    findings += check_count(raw, rule, len(rows), path)
    table = TranscriptTable(
        rule.name,
        raw.headers,
        tuple(tuple(cell.text if cell else "" for cell in cells) for _, cells in rows),
        tuple(number for number, _ in rows),
        tuple(notes),
    )
    measured = [
        Measurement(
            column.name,
            key_names,
            _find_unit(column),
            column.unit,
            rule.name,
            readings[column.name],
        )
        for column, _ in keyed
        if not column.is_key
    ]
    return table, measured, findings


def _match_columns(
    raw: RawTable, rule: TableRule, path: str
) -> tuple[list[ColumnRule | None], list[Finding]]:
    """The declared column of each of the table's columns, by its header."""
    declared = {column.header: column for column in rule.columns}
    columns: list[ColumnRule | None] = []
    for header in raw.headers:
        column = declared.get(header)
        columns.append(None if column in columns else column)
    absent = [column for column in rule.columns if column not in columns]
    findings = []
    for header, cell, column in zip(raw.headers, raw.header, columns, strict=True):
        if column is not None:
            continue
        place = Place(path, raw.number, cell.start + 1)
        renamed = _find_renamed(header, absent, len(columns) - len(rule.columns))
        if renamed is not None:
            absent.remove(renamed)
            findings.append(report_renamed(rule, renamed, header, place))
            continue
        unit = f"table `{rule.name}`, declared at {rule.place}, has no such column"
        name = f'`NAME = "{header}"`' if header else "a header"
        advice = f"declare it there, as {name}, each header once"
        if not header:
            advice = f"have the program print {name} above it"
        stated = f"a column `{header}`" if header else "a column without a header"
        findings.append(Finding(Kind.TRANSCRIPT, place, stated, unit, advice))
    findings += [report_absent_column(rule, column, raw, path) for column in absent]
    return columns, findings


def _find_renamed(header: str, absent: Sequence[ColumnRule], more: int) -> ColumnRule | None:
    """The declared column that an unknown header must be: the likest, or the only one left.

    ``more`` is how many columns the table has beyond those declared.
    """
    if not header or not absent:
        return None
    near = difflib.get_close_matches(header, [column.header for column in absent], 1)
    if near:
        return next(column for column in absent if column.header == near[0])
    return absent[0] if len(absent) == 1 and more == 0 else None


def _find_rows(
    raw: RawTable, values: Sequence[int], path: str
) -> tuple[list[tuple[int, Cells]], list[str], list[Finding]]:
    """The table's rows, the notes between them, and lines that are neither.

    A row holds a number in a value column, or fills every column. After a blank line only what
    keeps to its columns and holds a number is still a row: prose may follow a table.
    """
    rows: list[tuple[int, Cells]] = []
    notes: list[str] = []
    waiting: list[str] = []
    findings: list[Finding] = []
    parted = False
    for number, line in raw.body:
        if not line.strip():
            parted = True
            continue
        aligned = stands_aligned(line, raw.spans)
        if parted and not aligned:
            continue
        cells = None if "\t" in line else assign_cells(line, raw.spans)
        if cells is None:
            if "\t" in line or any(is_number(cell.text) for cell in split_chunks(line)):
                findings.append(report_unaligned(line, Place(path, number)))
            else:
                waiting.append(line.strip())
            continue
        numeric = any(is_number(cell.text) for i in values if (cell := cells[i]))
        if numeric or (aligned and not parted):
            rows.append((number, cells))
            notes += waiting
            waiting = []
        elif not parted and _holds_value(line, [raw.spans[i] for i in values]):
            findings.append(report_unaligned(line, Place(path, number)))
        else:
            waiting.append(line.strip())
    return rows, notes, findings


def _holds_value(line: str, spans: Sequence[Span]) -> bool:
    """Whether a number stands by itself under one of these columns."""
    return any(
        is_number(cell.text) and any(span.overlap(cell.span) for span in spans)
        for cell in split_chunks(line)
    )


def _read_keys(
    cells: Cells, columns: Sequence[tuple[ColumnRule, int]], raw: RawTable, place: Place
) -> tuple[tuple[str, ...], list[Finding]]:
    """The row's keys in declared order; an empty one is a finding."""
    findings = []
    keys = []
    for column, index in columns:
        cell = cells[index]
        keys.append(" ".join(cell.text.split()) if cell else "")
        if cell is None:
            findings.append(
                Finding(
                    Kind.TRANSCRIPT,
                    Place(place.path, place.line, raw.spans[index].start + 1),
                    f"a row without `{column.header}`",
                    "a key's cell is empty",
                    "print every key on every row; only values may be missing",
                )
            )
    return tuple(keys), findings


def _count_shared(raw: RawTable, rule: TableRule) -> int:
    return len({column.header for column in rule.columns} & set(raw.headers))


def _find_unit(column: ColumnRule) -> Unit:
    """The column's unit; one that the table lacks is the source stage's finding, not ours."""
    try:
        return parse_unit(column.unit)
    except UnitError:
        return ONE
