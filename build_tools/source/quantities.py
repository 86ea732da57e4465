"""Which quantities does a TOML file name, and where does each expression stand?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.quantity.functions import FUNCTIONS
from build_tools.source.facts import FACTS_PATH, QUANTITIES
from build_tools.source.model import QuantityRule
from build_tools.source.names import NamesTaken
from build_tools.source.toml_checks import TomlChecks
from build_tools.source.toml_keys import PROGRAM
from build_tools.source.toml_text import read_toml


def read_quantities(checks: TomlChecks, names: NamesTaken) -> dict[str, QuantityRule]:
    """The entries of the file's ``[quantities]``; one with a finding is left out."""
    quantities = {}
    for name in checks.take_table(QUANTITIES):
        rule = _read_quantity(checks, names, name)
        if rule is not None:
            quantities[name] = rule
    return quantities


def read_course_quantities(
    root: Path, programs: Iterable[str]
) -> tuple[dict[str, QuantityRule], list[Finding]]:
    """The course's own quantities, of ``snippets/quantities.toml``; none when it is not there.

    ``programs`` are the names that a quantity cannot have: an expression would mean the program.
    """
    if not (root / FACTS_PATH).exists():
        return {}, []
    toml, findings = read_toml(root, FACTS_PATH, Kind.DECLARATION)
    if toml is None:
        return {}, []  # said already, by the facts
    checks = TomlChecks(toml, Kind.DECLARATION)
    quantities = read_quantities(checks, NamesTaken(checks))
    taken = {**dict.fromkeys(programs, "a program"), **dict.fromkeys(FUNCTIONS, "a function")}
    taken["given"] = "where cited facts are found"
    for name in quantities.keys() & taken.keys():
        checks.report(
            quantities[name].place, f"quantity `{name}`", f"`{name}` is {taken[name]}", "rename it"
        )
    kept = {name: rule for name, rule in quantities.items() if name not in taken}
    return kept, findings + checks.findings


def _read_quantity(checks: TomlChecks, names: NamesTaken, name: str) -> QuantityRule | None:
    route: tuple[str, ...] = (QUANTITIES, name)
    place = checks.toml.place_key(*route)
    before = len(checks.findings)
    names.check_form("quantity", name, place)
    names.take(f"quantity `{name}`", name, place)
    value = checks.take(*route)
    unit, unit_place = "", place
    if isinstance(value, Mapping):
        checks.take_table(*route, known=PROGRAM["quantities.NAME"])
        unit = checks.take_text(*route, "unit")
        unit_route = (*route, "unit")
        if unit:
            unit_place = checks.toml.place_value(*unit_route)
            checks.check_unit(unit, unit_place, checks.state(unit_route))
        value, route = value.get("expression"), (*route, "expression")
    if not isinstance(value, str) or not value.strip():
        checks.report_value(
            (QUANTITIES, name),
            f"quantity `{name}` has no expression",
            "write an expression, or `{ expression = '…', unit = \"B\" }`",
        )
        return None
    if len(checks.findings) > before:
        return None
    origin = checks.toml.place_value(*route)
    written = checks.toml.write_value(*route)
    quotes = 3 if written.startswith(("'''", '"""')) else 1
    if written[quotes:-quotes] == value:
        origin = replace(origin, column=origin.column + quotes)
    return QuantityRule(name, value, unit, place, origin, unit_place)
