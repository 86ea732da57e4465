"""What does ``program.toml`` say must be possible, and which kernel is timed twice?"""

from __future__ import annotations

from dataclasses import replace

from build_tools.source.part_rules import AgainRule, Formula, SanityRule
from build_tools.source.toml_checks import TomlChecks
from build_tools.source.toml_keys import PROGRAM

_SANITY_FORMS = (
    "write `rate` with `peak` or `working_set`, or `formula` with `counter` and, if they may "
    "differ, `below` and `above`"
)


def read_sanity_rule(checks: TomlChecks, name: str) -> SanityRule | None:
    """An entry of ``[sanity]``; None with a finding when it says nothing to check."""
    route = ("sanity", name)
    place = checks.toml.place_key(*route)
    keys = PROGRAM["sanity.NAME"]
    table = checks.take_table(*route, known=keys)
    given = {key: _take_formula(checks, *route, key) for key in keys if key in table}
    rates = {"rate", "peak", "working_set"} & set(table)
    counts = {"formula", "counter", "below", "above"} & set(table)
    is_rate = "rate" in rates and len(rates) > 1 and not counts
    is_count = {"formula", "counter"} <= counts and not rates
    if not is_rate and not is_count:
        checks.report(place, f"`[sanity.{name}]`", "it says nothing to check", _SANITY_FORMS)
        return None
    return SanityRule(
        name=name,
        place=place,
        rate=given.get("rate"),
        peak=given.get("peak"),
        working_set=given.get("working_set"),
        formula=given.get("formula"),
        counter=given.get("counter"),
        below=given.get("below"),
        above=given.get("above"),
    )


def _take_formula(checks: TomlChecks, *route: str) -> Formula | None:
    text = checks.take_text(*route)
    if not text.strip():
        if isinstance(checks.take(*route), str):
            checks.report_value(route, "the expression is empty", "write what it comes to")
        return None
    origin = checks.toml.place_value(*route)
    written = checks.toml.write_value(*route)
    quotes = 3 if written.startswith(("'''", '"""')) else 1
    if written[quotes:-quotes] == text:
        origin = replace(origin, column=origin.column + quotes)
    return Formula(text, origin)


def read_again_rule(checks: TomlChecks, column: str) -> AgainRule | None:
    """An entry of ``[again]``; None with a finding when it names no two keys."""
    route = ("again", column)
    checks.take_table(*route, known=PROGRAM["again.COLUMN"])
    place = checks.toml.place_key(*route)
    first, again = checks.take_text(*route, "first"), checks.take_text(*route, "again")
    if not first or not again or first == again:
        checks.report(
            place,
            f"`[again.{column}]`",
            "it does not name two keys of the same kernel",
            'write `first = "naive"` and `again = "naive again"`, as the transcript prints them',
        )
        return None
    return AgainRule(column, first, again, place)
