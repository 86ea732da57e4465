"""What does ``program.toml`` ask of profiler, sanitizers, mutants and listings?

Only what the file says by itself is checked here; whether kernels, regions and texts are those
of the program is for ``part_checks``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from typing import TypeVar

from build_tools.diagnostics.finding import Place, suggest_names
from build_tools.source.names import NamesTaken
from build_tools.source.part_rules import (
    LEAST_LAUNCHES,
    SANITIZERS,
    CounterRule,
    ListingRule,
    MetricRule,
    MutantRule,
    PartRules,
    SanitizerRule,
)
from build_tools.source.samples import read_samples_rule
from build_tools.source.sanity import read_again_rule, read_sanity_rule
from build_tools.source.toml_checks import TomlChecks
from build_tools.source.toml_keys import PROGRAM

Rule = TypeVar("Rule")

_METRIC = re.compile(r"[a-z][a-z0-9_]*__[a-z0-9_]+(?:\.[a-z0-9_]+)*")
_DURATION = re.compile(r"__time_|__duration")
_FILE_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")


def read_parts(checks: TomlChecks, names: NamesTaken) -> PartRules:
    """What the file asks for; each entry with a finding is left out."""
    sanitizers = _read_sanitizers(checks)
    return PartRules(
        counters=_read_all(checks, "counters", lambda name: _read_session(checks, names, name)),
        sanitizers=sanitizers,
        mutants=_read_all(checks, "mutants", lambda name: _read_mutant(checks, name, sanitizers)),
        listings=_read_all(checks, "listings", lambda name: _read_listing(checks, name)),
        sanity=_read_all(checks, "sanity", lambda name: read_sanity_rule(checks, name)),
        again=_read_all(checks, "again", lambda name: read_again_rule(checks, name)),
        samples=read_samples_rule(checks),
    )


def _read_all(
    checks: TomlChecks, section: str, read: Callable[[str], Rule | None]
) -> dict[str, Rule]:
    """Every entry of a section that has no finding."""
    rules = {}
    for name in checks.take_table(section):
        before = len(checks.findings)
        if not isinstance(checks.take(section, name), Mapping):
            form = f"write `[{section}.{name}]` and its keys below"
            checks.report_value((section, name), f"`{name}` must be a table", form)
            continue
        rule = read(name)
        if rule is not None and len(checks.findings) == before:
            rules[name] = rule
    return rules


def _read_session(checks: TomlChecks, names: NamesTaken, name: str) -> CounterRule | None:
    route = ("counters", name)
    place = checks.toml.place_key(*route)
    names.check_form("session", name, place)
    table = checks.take_table(*route, known=PROGRAM["counters.NAME"])
    kernels = checks.take_texts(*route, "kernels")
    if not kernels:
        checks.report(
            place, f"session `{name}`", "it names no kernels", 'write `kernels = ["NAME"]`'
        )
    caches = "hot"
    if "caches" in table:
        caches = checks.take_choice(*route, "caches", choices=("hot", "cold"), default="hot")
    else:
        true = "it does not say whether caches are `hot` or `cold`"
        checks.report(place, f"session `{name}`", true, 'write `caches = "hot"` or `"cold"`')
    launches = checks.take_count(*route, "launches", default=LEAST_LAUNCHES)
    if launches < LEAST_LAUNCHES:
        checks.report_value(
            (*route, "launches"),
            f"fewer than {LEAST_LAUNCHES} launches say nothing of spread",
            f"write {LEAST_LAUNCHES} or more",
        )
    metrics = {
        alias: metric
        for alias in checks.take_table(*route, "metrics")
        if (metric := _read_metric(checks, names, name, alias)) is not None
    }
    if not checks.take_table(*route, "metrics"):
        form = f'write `[counters.{name}.metrics]` and `NAME = {{ metric = "…", unit = "…" }}`'
        checks.report(place, f"session `{name}`", "it counts nothing", form)
    return CounterRule(
        name=name,
        kernels=kernels,
        args=_take_args(checks, *route),
        caches=caches,
        launches=launches,
        metrics=metrics,
        place=place,
        kernel_places=_place_items(checks, *route, "kernels", count=len(kernels)),
        caches_place=checks.toml.place_value(*route, "caches"),
    )


def _read_metric(
    checks: TomlChecks, names: NamesTaken, session: str, name: str
) -> MetricRule | None:
    route = ("counters", session, "metrics", name)
    place = checks.toml.place_key(*route)
    names.check_form("counter", name, place)
    form = 'write `{ metric = "dram__bytes_read.sum", unit = "B" }`'
    if not isinstance(checks.take(*route), Mapping):
        checks.report_value(route, "a counter is a metric with its unit", form)
        return None
    checks.take_table(*route, known=PROGRAM["counters.NAME.metrics.NAME"])
    metric, unit = checks.take_text(*route, "metric"), checks.take_text(*route, "unit")
    if not metric:
        checks.report(place, f"counter `{name}`", "it names no metric of the profiler", form)
        return None
    if not _METRIC.fullmatch(metric):
        checks.report_value((*route, "metric"), "it is no metric's name", form)
        return None
    if _DURATION.search(metric):
        true = "the profiler's durations are no times: it replays launches, and waits between them"
        advice = "time the kernel with events, in the program; count something else here"
        checks.report_value((*route, "metric"), true, advice)
        return None
    unit_place = checks.toml.place_value(*route, "unit")
    if unit and not checks.check_unit(unit, unit_place, checks.state((*route, "unit"))):
        return None
    return MetricRule(
        name, metric, unit, place, checks.toml.place_value(*route, "metric"), unit_place
    )


def _read_sanitizers(checks: TomlChecks) -> SanitizerRule | None:
    if checks.take("sanitizers") is None:
        return None
    checks.take_table("sanitizers", known=PROGRAM["sanitizers"])
    place = checks.toml.place_key("sanitizers")
    if checks.take("sanitizers", "args") is None:
        true = "it does not say with which arguments the program runs at a small size"
        checks.report(place, "`[sanitizers]`", true, 'write `args = "--once --n 48"`')
    tools = checks.take_texts("sanitizers", "tools")
    for index, tool in enumerate(tools):
        if tool not in SANITIZERS:
            checks.report_value(
                ("sanitizers", "tools", index), "no such tool", suggest_names(tool, SANITIZERS)
            )
    if checks.take("sanitizers", "tools") == []:
        checks.report_value(
            ("sanitizers", "tools"), "no tool at all", "name some, or leave `tools` out for all"
        )
    chosen = tuple(tool for tool in SANITIZERS if not tools or tool in tools)
    without = _read_reasons(checks, chosen)
    return SanitizerRule(_take_args(checks, "sanitizers"), chosen, place, without)


def _read_reasons(checks: TomlChecks, chosen: tuple[str, ...]) -> dict[str, str]:
    """Why a tool is not used, by its name."""
    reasons = {}
    for tool in checks.take_table("sanitizers", "without"):
        route = ("sanitizers", "without", tool)
        place = checks.toml.place_key(*route)
        reasons[tool] = checks.take_text(*route)
        if tool not in SANITIZERS:
            advice = suggest_names(tool, SANITIZERS)
            checks.report(place, f"`without` names `{tool}`", "there is no such tool", advice)
        elif tool in chosen:
            advice = "leave one of the two out: it is used where `tools` is missing or names it"
            checks.report(place, f"`{tool}` is not used", "it is among the tools", advice)
        elif isinstance(checks.take(*route), str) and not reasons[tool].strip():
            checks.report_value(route, "no reason is given", "say why, or leave the key out")
    return reasons


def _read_mutant(
    checks: TomlChecks, name: str, sanitizers: SanitizerRule | None
) -> MutantRule | None:
    route = ("mutants", name)
    place = checks.toml.place_key(*route)
    stated = f"mutant `{name}`"
    _check_file_name(checks, stated, name, place)
    checks.take_table(*route, known=PROGRAM["mutants.NAME"])
    region = checks.take_text(*route, "region")
    old, new = checks.take_text(*route, "replace"), checks.take_text(*route, "with")
    if not region:
        checks.report(place, stated, "it names no region", 'write `region = "NAME"`')
    if not old:
        true = "it does not say which text of the region it replaces"
        checks.report(place, stated, true, 'write `replace = "the text"`')
    if checks.take(*route, "with") is None:
        true = "it does not say what stands there instead"
        checks.report(place, stated, true, 'write `with = "the text"`, or `with = ""` for nothing')
    elif old and old == new:
        checks.report_value((*route, "with"), "it is what it replaces", "write another text")
    proves = checks.take_text(*route, "proves")
    if proves:
        _check_proof(checks, route, proves, sanitizers)
    equivalent = checks.take_text(*route, "equivalent")
    if checks.take(*route, "equivalent") is not None and not equivalent.strip():
        advice = "say why no check can tell it apart, or leave the key out"
        checks.report_value((*route, "equivalent"), "an argument is missing", advice)
    if equivalent and proves:
        true = f"what {proves} must notice is not equivalent"
        checks.report_value((*route, "equivalent"), true, "keep one of the two")
    return MutantRule(
        name=name,
        region=region,
        replace=old,
        replacement=new,
        place=place,
        replace_place=checks.toml.place_value(*route, "replace"),
        region_place=checks.toml.place_value(*route, "region"),
        proves=proves,
        equivalent=equivalent,
        args=_take_args(checks, *route),
    )


def _check_proof(
    checks: TomlChecks,
    route: tuple[str, ...],
    proves: str,
    sanitizers: SanitizerRule | None,
) -> None:
    if proves not in SANITIZERS:
        advice = suggest_names(proves, SANITIZERS)
        checks.report_value((*route, "proves"), "there is no such tool", advice)
    elif sanitizers is None:
        true = "the program declares no `[sanitizers]`"
        checks.report_value((*route, "proves"), true, "declare them, or leave `proves` out")
    elif proves not in sanitizers.tools:
        true = f"`{proves}` is not among the tools of `[sanitizers]`"
        checks.report_value((*route, "proves"), true, "name it there, or leave `proves` out")


def _read_listing(checks: TomlChecks, region: str) -> ListingRule:
    route = ("listings", region)
    checks.take_table(*route, known=PROGRAM["listings.REGION"])
    place = checks.toml.place_key(*route)
    _check_file_name(checks, f"listing `{region}`", region, place)
    kernels = checks.take_texts(*route, "kernels")
    if checks.take(*route, "kernels") == []:
        advice = "name some, or leave the key out for those that the region defines"
        checks.report_value((*route, "kernels"), "no kernel at all", advice)
    places = _place_items(checks, *route, "kernels", count=len(kernels))
    return ListingRule(region, kernels, place, places)


def _take_args(checks: TomlChecks, *route: str) -> tuple[str, ...]:
    text = checks.take_text(*route, "args")
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        checks.report_value(
            (*route, "args"),
            f"it cannot be split into words: {str(error).lower()}",
            "close the quote",
        )
        return ()


def _place_items(checks: TomlChecks, *route: str, count: int) -> tuple[Place, ...]:
    return tuple(checks.toml.place_value(*route, index) for index in range(count))


def _check_file_name(checks: TomlChecks, stated: str, name: str, place: Place) -> None:
    """Raw outputs lie in files of this name."""
    if not _FILE_NAME.fullmatch(name):
        true = (
            "its name is small letters, digits, `-`, `_` and `.`, and begins with one of the first"
        )
        checks.report(place, stated, true, "rename it")
