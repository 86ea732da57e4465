"""What does a declared line pattern read, and can it be read at all?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import parse

from build_tools.diagnostics.finding import Place
from build_tools.quantity.units import NOUNS, ONE, Unit, UnitError, parse_unit
from build_tools.source.model import LineRule
from build_tools.source.names import NamesTaken, explain_name
from build_tools.source.toml_checks import TomlChecks
from build_tools.source.toml_keys import PROGRAM

_FIELD = re.compile(r"\{\{|\}\}|\{([^{}:]*)(?::([^{}]*))?\}|[{}]")
_TOUCHING = re.compile(r"\{([^{}:]*)(?::[^{}]*)?\}\{([^{}:]*)(?::[^{}]*)?\}")
_MEASURED_TYPES = frozenset("dgfen")
_WORD_BEHIND = re.compile(r"[ \t]?[(\[]?(?P<unit>[A-Za-z\u00b5\u03bc\u00b0%][^\s{}()\[\],;:]*)")
_OTHER_WORDS = frozenset({"h", "half", "min"})
"""``min`` is a minimum and ``h`` a height more often than minutes and hours."""
_ADVICE = "write `{name}` for a key and `{name:g}` for a number; `{{` and `}}` for braces"


def read_line_rule(checks: TomlChecks, names: NamesTaken, name: str) -> LineRule | None:
    """The rule ``[lines] name``; None when there is a finding about it."""
    route: tuple[str, ...] = ("lines", name)
    place = checks.toml.place_key(*route)
    before = len(checks.findings)
    names.check_form("line", name, place)
    pattern: Any = checks.take(*route)
    units: dict[str, str] = {}
    if isinstance(pattern, Mapping):
        checks.take_table(*route, known=PROGRAM["lines.NAME"])
        pattern = pattern.get("pattern")
        units = _read_units(checks, route)
        route = (*route, "pattern") if pattern is not None else route
    if not isinstance(pattern, str) or not pattern.strip():
        checks.report_value(
            route,
            f"line `{name}` has no pattern",
            "write the line as printed with `{name:g}` for a number",
        )
        return None
    measured = _check_pattern(checks, names, pattern, route)
    for field in units:
        if field not in measured:
            checks.report(
                checks.toml.place_key("lines", name, "units", field),
                f"unit of `{field}`",
                "the pattern measures no such field",
                f"it measures: {', '.join(f'`{m}`' for m in measured) or 'nothing'}",
            )
    if len(checks.findings) == before:
        _check_printed_units(checks, pattern, units, name)
    return LineRule(name, pattern, units, place) if len(checks.findings) == before else None


def find_fields(pattern: str) -> list[tuple[str, str]]:
    """The pattern's fields in order, as (name, type with its width); escaped braces skipped."""
    return [
        (match[1], match[2] or "") for match in _FIELD.finditer(pattern) if match[1] is not None
    ]


def is_measured(field_type: str) -> bool:
    """Whether a field of this type is a number; else it is a key."""
    return field_type[-1:] in _MEASURED_TYPES and bool(field_type)


def _check_pattern(
    checks: TomlChecks, names: NamesTaken, pattern: str, route: tuple[str, ...]
) -> list[str]:
    """Report what is wrong with a pattern; the names of the numbers it reads."""
    before = len(checks.findings)
    place = checks.toml.place_value(*route)
    if "\n" in pattern:
        checks.report_value(route, "a pattern is for one line", "write one pattern a line")
    for match in _FIELD.finditer(pattern):
        if match[0] in ("{", "}"):
            checks.report_value(route, f"a `{match[0]}` without its other half", _ADVICE)
    fields = find_fields(pattern)
    for name, field_type in fields:
        _check_field(checks, names, name, field_type, place, route)
    seen: set[str] = set()
    for name, _ in fields:
        if name in seen:
            checks.report_value(route, f"field `{name}` stands in it twice", "name each field once")
        seen.add(name)
    shape = pattern.replace("{{", "\0\0").replace("}}", "\0\0")
    touching = _TOUCHING.search(shape)
    if touching is not None:
        checks.report_value(
            route,
            f"nothing stands between `{{{touching[1]}}}` and `{{{touching[2]}}}`, so where one ends "
            "is anybody's guess",
            "write the characters that the line prints between them",
        )
    if len(checks.findings) == before:
        try:
            parse.compile(pattern)
        except (ValueError, NotImplementedError, OverflowError, re.error) as error:
            checks.report_value(route, f"the pattern cannot be read: {error}", _ADVICE)
    return [name for name, field_type in fields if is_measured(field_type)]


def _check_printed_units(
    checks: TomlChecks, pattern: str, units: Mapping[str, str], name: str
) -> None:
    """A unit that the line prints behind a number is the one declared for it, or nobody's word."""
    shape = pattern.replace("{{", "\0\0").replace("}}", "\0\0")
    for match in _FIELD.finditer(shape):
        field = match[1]
        if not field or not is_measured(match[2] or ""):
            continue
        printed = _find_printed_unit(shape, match.end())
        stated = units.get(field, "")
        declared = parse_unit(stated)
        if printed is None or _is_same(printed, declared):
            continue
        true = f"the pattern prints `{printed.text}` behind `{{{field}}}`"
        if stated:
            route = ("lines", name, "units", field)
            checks.report_value(route, true, f'write `{field} = "{printed.text}"`')
        elif not _is_counted(printed):
            checks.report(
                checks.toml.place_key("lines", name),
                f"line `{name}` measures `{field}` as a bare number",
                true,
                f'declare it: `units = {{ {field} = "{printed.text}" }}`',
            )


def _find_printed_unit(pattern: str, offset: int) -> Unit | None:
    """The unit that stands behind a field; None where the word there is no unit."""
    match = _WORD_BEHIND.match(pattern, offset)
    if match is None:
        return None
    text = match["unit"].rstrip(".!?'\"")
    if text in _OTHER_WORDS:
        return None
    try:
        unit = parse_unit(text)
    except UnitError:
        return None
    return Unit(unit.factor, unit.dimensions, text)


def _is_same(one: Unit, other: Unit) -> bool:
    return (one.factor, one.dimensions) == (other.factor, other.dimensions)


def _is_counted(unit: Unit) -> bool:
    """Whether the unit is a noun: a count of loads may stand as a bare number."""
    return unit.factor == ONE.factor and all(
        name in NOUNS and name != "cycle" for name, _ in unit.dimensions
    )


def _check_field(
    checks: TomlChecks,
    names: NamesTaken,
    name: str,
    field_type: str,
    place: Place,
    route: tuple[str, ...],
) -> None:
    if not name:
        checks.report_value(route, "a field has no name", _ADVICE)
    elif true := explain_name(name):
        checks.report_value(route, f"field `{name}`: {true}", "rename it")
    elif re.search(r"\d{4}", field_type):
        checks.report_value(
            route,
            f"field `{name}` is wider than any line: `{field_type}`",
            f"write `{{{name}:{field_type.lstrip('0123456789<>^.,+- ')}}}`",
        )
    elif is_measured(field_type):
        names.take(f"field `{name}` of line `{route[1]}`", name, place)
    elif field_type in ("", "w", "S"):
        names.take_key(name, place)
    else:
        checks.report_value(
            route, f"field `{name}` has type `{field_type}`, which is not read", _ADVICE
        )


def _read_units(checks: TomlChecks, route: tuple[str, ...]) -> dict[str, str]:
    units = {}
    for field in checks.take_table(*route, "units"):
        unit_route = (*route, "units", field)
        unit = checks.take_text(*unit_route)
        if checks.check_unit(unit, checks.toml.place_value(*unit_route), checks.state(unit_route)):
            units[field] = unit
    return units
