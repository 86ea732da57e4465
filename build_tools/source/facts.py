"""Which facts does the course cite, and from where?"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.source.model import Fact, Program, slugify_device
from build_tools.source.quoting import explain_quote
from build_tools.source.toml_checks import TomlChecks
from build_tools.source.toml_keys import FACTS
from build_tools.source.toml_text import TomlText, read_toml

FACTS_PATH = "snippets/quantities.toml"
"""The one home of cited facts."""

QUANTITIES = "quantities"
"""The one table of the file that holds no fact: the course's own quantities."""

_KEYS = tuple(FACTS["FACT.gpu.MODEL"])
_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_NUMBER = re.compile(r"[-+−]?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][+-]?\d+)?")


def read_facts(root: Path) -> tuple[dict[str, Fact], list[Finding]]:
    """The facts of ``snippets/quantities.toml`` by key; none when there is no such file."""
    if not (root / FACTS_PATH).exists():
        return {}, []
    toml, findings = read_toml(root, FACTS_PATH, Kind.FACT)
    if toml is None:
        return {}, findings
    return check_facts(toml)


def check_facts(toml: TomlText) -> tuple[dict[str, Fact], list[Finding]]:
    """The facts a parsed file holds; one with a finding is left out."""
    checks = TomlChecks(toml, Kind.FACT)
    facts = {}
    for key in toml.data:
        if key == QUANTITIES:
            continue
        before = len(checks.findings)
        fact = _read_fact(checks, key)
        if fact is not None and len(checks.findings) == before:
            facts[key] = fact
    return facts, checks.findings


def check_dates(
    facts: Iterable[Fact], programs: Iterable[Program], today: dt.date | None = None
) -> list[Finding]:
    """A finding for each fact that was read in the future.

    That is after today, and after the newest program was verified: a clock may be slow. A day is
    spared for the zones of the earth.
    """
    days = [today or dt.datetime.now(dt.UTC).date()]
    stamps = (program.header.verified for program in programs)
    days += [dt.date.fromisoformat(v.date) for v in stamps if v is not None and _is_date(v.date)]
    last = max(days) + dt.timedelta(days=1)
    every = (one for fact in facts for one in (fact, *fact.variants))
    late = {
        one.date_place or one.place: one
        for one in every
        if _is_date(one.date) and dt.date.fromisoformat(one.date) > last
    }
    return [
        Finding(
            Kind.FACT,
            place,
            f"`date = {fact.date}`",
            f"nobody has read fact `{fact.key}` on a day that has not come",
            "write the day it was read",
        )
        for place, fact in late.items()
    ]


def select_fact(fact: Fact, gpu: str) -> Fact | None:
    """The fact as it is on a GPU, by its model; None when it has no value there."""
    for variant in fact.variants:
        if slugify_device(variant.gpu) == slugify_device(gpu):
            return variant
    return fact if fact.value else None


def _read_fact(checks: TomlChecks, key: str) -> Fact | None:
    place = checks.toml.place_key(key)
    if not _NAME.fullmatch(key):
        checks.report(
            place,
            f"fact `{key}`",
            "a fact's key is small letters, digits, `_`, `-`, and begins with a letter",
            "rename it",
        )
    table = checks.take_table(key, known=FACTS["FACT"])
    if not isinstance(checks.take(key), Mapping):
        return None
    listed = checks.take_table(key, "gpu")
    if "gpu" in table and not listed and isinstance(checks.take(key, "gpu"), Mapping):
        checks.report_value((key, "gpu"), "it names no GPU", f'write `[{key}.gpu."NVIDIA H200"]`')
    common = Fact(key, "", "", "", "", "", place)
    if not listed or "value" in table:
        common = _read_values(checks, key, (key,), _KEYS)
    variants = tuple(_read_variant(checks, key, gpu) for gpu in listed)
    return replace(common, variants=variants)


def _read_variant(checks: TomlChecks, key: str, gpu: str) -> Fact:
    """The fact on one GPU; what its table leaves out is that of the fact's own."""
    route = (key, "gpu", gpu)
    checks.take_table(*route, known=_KEYS)
    if not slugify_device(gpu):
        checks.report(
            checks.toml.place_key(*route), f"GPU `{gpu}`", "it is no name", "write as the driver"
        )
    return replace(_read_values(checks, key, route, _KEYS), gpu=gpu)


def _read_values(
    checks: TomlChecks, key: str, route: tuple[str, ...], names: tuple[str, ...]
) -> Fact:
    """Value, unit, source, quote and date, each from the table or, missing there, the fact's."""
    place = checks.toml.place_key(*route)
    routes = {n: route if checks.take(*route, n) is not None else (key,) for n in names}
    of = f" on `{route[-1]}`" if len(route) > 1 else ""
    for name in names:
        if checks.take(*routes[name], name) is None and not checks.is_misspelt(*route, name):
            example = {"unit": '`unit = ""` for a bare number', "date": "the day it was read"}
            checks.report(
                place,
                f"fact `{key}`{of}",
                f"it has no `{name}`",
                f"add {example.get(name, f'`{name}`')}",
            )
    fact = Fact(
        key=key,
        value=_take_value(checks, routes["value"]),
        unit=checks.take_text(*routes["unit"], "unit"),
        source=_take_filled(checks, (*routes["source"], "source"), "name the document, or its URL"),
        quote=_take_filled(
            checks, (*routes["quote"], "quote"), "copy the source's words with the number in them"
        ),
        date=_take_date(checks, routes["date"]),
        place=place,
        date_place=checks.toml.place_value(*routes["date"], "date"),
    )
    unit_route = (*routes["unit"], "unit")
    if fact.unit and isinstance(checks.take(*unit_route), str):
        checks.check_unit(fact.unit, checks.toml.place_value(*unit_route), checks.state(unit_route))
    wrong = explain_quote(fact.quote, fact.value, fact.unit) if fact.value and fact.quote else ""
    if wrong:
        checks.report_value(
            (*routes["quote"], "quote"),
            wrong,
            "write the value as the source prints it, in quotes, and quote the words around it, "
            "with the unit",
        )
    return fact


def _take_value(checks: TomlChecks, route: tuple[str, ...]) -> str:
    """The number as it is written, in quotes or bare."""
    route = (*route, "value")
    value = checks.take(*route)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        checks.report_value(route, "a fact's value is a number", 'write such as `"4.8"`')
        return ""
    written = value if isinstance(value, str) else checks.toml.write_value(*route)
    if not _NUMBER.fullmatch(written):
        checks.report_value(
            route,
            "it does not read as one number",
            'write the number alone, such as `"4.8"`, and its unit as `unit`',
        )
        return ""
    return written


def _take_filled(checks: TomlChecks, route: tuple[str, ...], advice: str) -> str:
    text = checks.take_text(*route)
    if isinstance(checks.take(*route), str) and not text.strip():
        checks.report_value(route, f"`{route[-1]}` is empty", advice)
    return text


def _take_date(checks: TomlChecks, route: tuple[str, ...]) -> str:
    """The date as ISO 8601; TOML's own dates are dates too."""
    value = checks.take(*route, "date")
    if value is None:
        return ""
    text = value.isoformat() if isinstance(value, dt.date) else str(value)
    if not _is_date(text):
        checks.report_value((*route, "date"), "it is no date", "write such as `2026-12-01`")
        return ""
    return text


def _is_date(text: str) -> bool:
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        return False
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return False
    return True
