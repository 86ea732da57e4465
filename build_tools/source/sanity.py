"""What does ``program.toml`` say must be possible, and which kernels are timed twice?"""

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
    """An entry of ``[again]``; None with a finding when it names no two keys, or one twice."""
    route = ("again", column)
    table = checks.take_table(*route, known=PROGRAM["again.COLUMN"])
    place = checks.toml.place_key(*route)
    if "pairs" in table:
        pairs = _take_pairs(checks, *route, "pairs")
        for key in ("first", "again"):
            if key in table:
                advice = "keep one of the two: `pairs` can hold this pair as well"
                checks.report_value((*route, key), "`pairs` names the keys already", advice)
    else:
        pairs = ((checks.take_text(*route, "first"), checks.take_text(*route, "again")),)
        if not all(pairs[0]) or pairs[0][0] == pairs[0][1]:
            checks.report(
                place,
                f"`[again.{column}]`",
                "it does not name two keys of the same kernel",
                'write `first = "naive"` and `again = "naive again"`, as the transcript prints '
                "them",
            )
            return None
    return AgainRule(column, pairs, place)


def _take_pairs(checks: TomlChecks, *route: str) -> tuple[tuple[str, str], ...]:
    """The pairs of keys at a route; those that are none, or name a key again, are reported."""
    written = checks.take(*route)
    form = 'write `[["read", "read again"], ["half", "half again"]]`, as the transcript prints them'
    if not isinstance(written, list) or not written:
        checks.report_value(route, "it holds no pairs of keys", form)
        return ()
    pairs: list[tuple[str, str]] = []
    for index, item in enumerate(written):
        at: tuple[str | int, ...] = (*route, index)
        if not _is_pair(item):
            checks.report_value(at, "these are not two keys of the same kernel", form)
            continue
        twice = next((key for key in item if any(key in pair for pair in pairs)), None)
        if twice is not None:
            advice = "name each row in one pair"
            checks.report_value(at, f"`{twice}` stands in another pair already", advice)
            continue
        pairs.append((item[0], item[1]))
    return tuple(pairs)


def _is_pair(item: object) -> bool:
    """Whether it is an array of two different keys."""
    if not isinstance(item, list) or len(item) != 2:
        return False
    return all(isinstance(key, str) and key for key in item) and item[0] != item[1]
