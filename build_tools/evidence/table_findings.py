"""What is said where a transcript's table is not as declared?"""

from __future__ import annotations

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.evidence.declared import DeclaredFinding
from build_tools.evidence.raw_tables import RawTable
from build_tools.source.model import ColumnRule, Declaration, TableRule


def report_renamed(rule: TableRule, column: ColumnRule, header: str, place: Place) -> Finding:
    """A declared column whose header the transcript prints otherwise."""
    return DeclaredFinding(
        Kind.TRANSCRIPT,
        place,
        f"a column `{column.header}` ({_name_column(rule, column)})",
        f"the transcript's table has `{header}`",
        f'declare the header as printed, `{column.name} = "{header}"`, or have the program '
        f"print `{column.header}` and measure again",
        declared=column.place or rule.place,
        declared_length=len(column.name),
    )


def report_absent_column(rule: TableRule, column: ColumnRule, raw: RawTable, path: str) -> Finding:
    """A declared column that the transcript's table does not have."""
    return DeclaredFinding(
        Kind.TRANSCRIPT,
        Place(path, raw.number),
        f"a column `{column.header}` ({_name_column(rule, column)})",
        "the transcript's table has no such column",
        "take it out of the declaration, or have the program print it and measure again",
        declared=column.place or rule.place,
        declared_length=len(column.name),
    )


def _name_column(rule: TableRule, column: ColumnRule) -> str:
    return f"{rule.name}.{column.name}, declared at {column.place or rule.place}"


def check_count(raw: RawTable, rule: TableRule, count: int, path: str) -> list[Finding]:
    """A finding when the table has no rows, or not as many as declared."""
    if count and rule.rows in (None, count):
        return []
    stated = "rows" if rule.rows is None else f"{rule.rows} row{'s' * (rule.rows != 1)}"
    place = rule.rows_place or rule.place
    advice = "find out why the program printed none"
    if rule.rows is not None and count > rule.rows:
        advice = f"declare `rows = {count}`, or find out which rows the program printed too many"
    elif count:
        advice = f"find out which rows the program left out, or declare `rows = {count}`"
    return [
        DeclaredFinding(
            Kind.TRANSCRIPT,
            Place(path, raw.number),
            f"table `{rule.name}` has {stated} (declared at {place})",
            f"{count} {'row was' if count == 1 else 'rows were'} read",
            advice,
            declared=place,
        )
    ]


def report_unaligned(line: str, place: Place) -> Finding:
    """A row whose cells belong to no column for certain."""
    reason = "it holds a tab" if "\t" in line else "its cells and columns cannot be matched"
    return Finding(
        Kind.TRANSCRIPT,
        place,
        f"a row `{line.strip()}`",
        reason,
        "print each cell under its group of dashes, with spaces, and make narrow columns wider",
    )


def report_undeclared(raw: RawTable, declaration: Declaration, path: str) -> Finding:
    """A table that no declaration is for."""
    names = ", ".join(f"`{rule.name}`" for rule in declaration.tables) or "none"
    return Finding(
        Kind.TRANSCRIPT,
        Place(path, raw.number, raw.header[0].start + 1),
        f"a table with the columns {', '.join(f'`{h}`' for h in raw.headers)}",
        f"no declared table that is still free has these columns (declared: {names})",
        f"declare it in {declaration.path} under [tables.NAME]",
    )


def report_absent(rule: TableRule, path: str) -> Finding:
    """A declared table that the transcript does not have."""
    return DeclaredFinding(
        Kind.TRANSCRIPT,
        Place(path),
        f"a table `{rule.name}` (declared at {rule.place})",
        "the transcript has no such table: a header line above a rule of dashes, "
        "one group of dashes a column",
        "have the program print it, or take the declaration out",
        declared=rule.place,
        declared_length=len(rule.name),
    )
