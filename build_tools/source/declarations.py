"""What is declared about a program beside it, in ``program.toml``?"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.quantity.units import UnitError, parse_unit
from build_tools.source.line_rules import read_line_rule
from build_tools.source.model import (
    ColumnRule,
    Declaration,
    LineRule,
    RegionRule,
    TableRule,
)
from build_tools.source.names import NamesTaken
from build_tools.source.parts import read_parts
from build_tools.source.quantities import read_quantities
from build_tools.source.toml_checks import TomlChecks
from build_tools.source.toml_keys import PROGRAM
from build_tools.source.toml_text import TomlText, read_toml

_LAST_PARENTHESES = re.compile(r"\(([^()]*)\)\s*$")
_NO_UNIT_HEADERS = frozenset({"min", "h"})
"""A bare header ``min`` is a minimum and ``h`` a height more often than minutes and hours."""


def read_declaration(root: Path, path: str) -> tuple[Declaration, list[Finding]]:
    """What the file at ``root / path`` declares; an empty declaration when there is none."""
    if not (root / path).exists():
        return Declaration(path), []
    toml, findings = read_toml(root, path, Kind.DECLARATION)
    if toml is None:
        return Declaration(path), findings
    return check_declaration(toml)


def check_declaration(toml: TomlText) -> tuple[Declaration, list[Finding]]:
    """What a parsed ``program.toml`` declares; each entry with a finding is left out."""
    checks = TomlChecks(toml, Kind.DECLARATION)
    names = NamesTaken(checks)
    for section, value in checks.take_table(known=PROGRAM[""]).items():
        if value == {}:
            place = checks.toml.place_key(section)
            checks.report(place, f"`[{section}]`", "it is empty", "fill it or remove it")
    declaration = Declaration(
        path=toml.path,
        tables=_read_tables(checks, names),
        lines=_read_lines(checks, names),
        quantities=read_quantities(checks, names),
        requires_compute_capability=_read_requirement(checks),
        runs=_read_runs(checks),
        time_limit=_read_time_limit(checks),
        regions=_read_regions(checks),
        parts=read_parts(checks, names),
    )
    names.check_tables(declaration.tables)
    return declaration, checks.findings


def _read_tables(checks: TomlChecks, names: NamesTaken) -> tuple[TableRule, ...]:
    tables = []
    for name in checks.take_table("tables"):
        rule = _read_table(checks, names, name)
        if rule is not None:
            tables.append(rule)
    return tuple(tables)


def _read_table(checks: TomlChecks, names: NamesTaken, name: str) -> TableRule | None:
    place = checks.toml.place_key("tables", name)
    before = len(checks.findings)
    names.check_form("table", name, place)
    table = checks.take_table("tables", name, known=PROGRAM["tables.NAME"])
    listed = checks.take_table("tables", name, "columns")
    columns = [c for c in (_read_column(checks, names, name, key) for key in listed) if c]
    rows = checks.take_count("tables", name, "rows", default=0) or None
    if len(checks.findings) > before:
        return None
    advice = 'write `columns = { case = "key", time = "time (ms)" }`, all columns in it'
    if not listed:
        true = "it declares no columns" if table else "it is empty"
        checks.report(place, f"table `{name}`", true, advice)
        return None
    if all(column.is_key for column in columns):
        checks.report(
            place, f"table `{name}`", "every column is a key, so it measures nothing", advice
        )
        return None
    if rows != 1 and not any(column.is_key for column in columns):
        checks.report(
            place, f"table `{name}`", "no column is a key, so its rows have no names", advice
        )
        return None
    rows_place = checks.toml.place_value("tables", name, "rows") if rows else None
    return TableRule(name, tuple(columns), rows, place, rows_place)


def _read_column(checks: TomlChecks, names: NamesTaken, table: str, name: str) -> ColumnRule | None:
    route = ("tables", table, "columns", name)
    place = checks.toml.place_key(*route)
    names.check_form("column", name, place)
    value = checks.take(*route)
    header, is_key = value, False
    if value == "key":
        header, is_key = name, True
    elif isinstance(value, Mapping):
        checks.take_table(*route, known=PROGRAM["tables.NAME.columns.NAME"])
        header, is_key = value.get("key"), True
    if not isinstance(header, str) or not header.strip():
        checks.report_value(
            route,
            f"column `{name}` has no header text",
            'write `"key"`, the header as printed, or `{ key = "the header as printed" }`',
        )
        return None
    names.take_header(table, header, route)
    if is_key:
        names.take_key(name, place)
        return ColumnRule(name, header, is_key, place=place)
    names.take(f"column `{name}`", name, place)
    return ColumnRule(name, header, is_key, _read_column_unit(checks, header, route), place)


def _read_column_unit(checks: TomlChecks, header: str, route: tuple[str, ...]) -> str:
    """The unit a header prints: between its last parentheses, or as the whole of it."""
    match = _LAST_PARENTHESES.search(header)
    if match is not None:
        unit = match[1].strip()
        place = checks.toml.place_value(*route)
        return unit if checks.check_unit(unit, place, checks.state(route)) else ""
    if header in _NO_UNIT_HEADERS:
        return ""
    try:
        parse_unit(header)
    except UnitError:
        return ""
    return header


def _read_lines(checks: TomlChecks, names: NamesTaken) -> tuple[LineRule, ...]:
    rules = (read_line_rule(checks, names, name) for name in checks.take_table("lines"))
    return tuple(rule for rule in rules if rule is not None)


def _read_requirement(checks: TomlChecks) -> str:
    checks.take_table("requires", known=PROGRAM["requires"])
    route = ("requires", "compute_capability")
    capability = checks.take_text(*route)
    if capability and not re.fullmatch(r"\d{1,2}\.\d", capability):
        checks.report_value(route, "it is no compute capability", 'write such as `"7.5"`')
        return ""
    return capability


def _read_runs(checks: TomlChecks) -> dict[str, tuple[str, ...]]:
    runs = {}
    for name in checks.take_table("runs"):
        names_place = checks.toml.place_key("runs", name)
        NamesTaken(checks).check_form("run", name, names_place)
        table = checks.take_table("runs", name, known=PROGRAM["runs.NAME"])
        args = checks.take_text("runs", name, "args")
        if "args" not in table:
            checks.report(
                names_place, f"run `{name}`", "it has no `args`", 'write `args = "--n 67"`'
            )
            continue
        try:
            runs[name] = tuple(shlex.split(args))
        except ValueError as error:
            checks.report_value(
                ("runs", name, "args"),
                f"it cannot be split into words: {str(error).lower()}",
                "close the quote",
            )
    return runs


def _read_time_limit(checks: TomlChecks) -> float:
    checks.take_table("run", known=PROGRAM["run"])
    value = checks.take("run", "time_limit")
    usual = Declaration("").time_limit
    if value is None:
        return usual
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 86400:
        checks.report_value(
            ("run", "time_limit"), "it is no number of seconds above 0", "write such as `120`"
        )
        return usual
    return float(value)


def _read_regions(checks: TomlChecks) -> dict[str, RegionRule]:
    rules = {}
    for name in checks.take_table("regions"):
        checks.take_table("regions", name, known=PROGRAM["regions.NAME"])
        needs = checks.take_texts("regions", name, "needs")
        rules[name] = RegionRule(
            name=name,
            place=checks.toml.place_key("regions", name),
            kind=checks.take_choice(
                "regions", name, "kind", choices=("kernel", "host"), default="kernel"
            ),
            needs=needs,
            needs_places=tuple(
                checks.toml.place_value("regions", name, "needs", index)
                for index in range(len(needs))
            ),
        )
    return rules
