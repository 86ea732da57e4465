"""Which facts does the course cite, and from where?"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from pathlib import Path

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.source.model import Fact
from build_tools.source.toml_checks import TomlChecks
from build_tools.source.toml_text import TomlText, read_toml

FACTS_PATH = "snippets/quantities.toml"
"""The one home of cited facts."""

_KEYS = ("value", "unit", "source", "quote", "date")
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
        before = len(checks.findings)
        fact = _read_fact(checks, key)
        if fact is not None and len(checks.findings) == before:
            facts[key] = fact
    return facts, checks.findings


def _read_fact(checks: TomlChecks, key: str) -> Fact | None:
    place = checks.toml.place_key(key)
    if not _NAME.fullmatch(key):
        checks.report(
            place,
            f"fact `{key}`",
            "a fact's key is small letters, digits, `_`, `-`, and begins with a letter",
            "rename it",
        )
    table = checks.take_table(key, known=_KEYS)
    if not isinstance(checks.take(key), Mapping):
        return None
    for name in _KEYS:
        if name not in table:
            example = {"unit": '`unit = ""` for a bare number', "date": "the day it was read"}
            checks.report(
                place,
                f"fact `{key}`",
                f"it has no `{name}`",
                f"add {example.get(name, f'`{name}`')}",
            )
    fact = Fact(
        key=key,
        value=_take_value(checks, key),
        unit=checks.take_text(key, "unit"),
        source=_take_filled(checks, key, "source", "name the document, or its URL"),
        quote=_take_filled(checks, key, "quote", "copy the source's words with the number in them"),
        date=_take_date(checks, key),
        place=place,
    )
    if fact.unit and isinstance(table.get("unit"), str):
        place = checks.toml.place_value(key, "unit")
        checks.check_unit(fact.unit, place, checks.state((key, "unit")))
    if fact.value and fact.quote and not holds_number(fact.quote, fact.value):
        checks.report_value(
            (key, "quote"),
            f"the quote does not hold the value `{fact.value}`",
            "write the value as the source prints it, in quotes, and quote the words around it",
        )
    return fact


def holds_number(quote: str, value: str) -> bool:
    """Whether the number stands in the quote whole: ``4.8`` is not in ``14.8`` or ``4.85``."""
    pattern = rf"(?<![\d])(?<!\d[.,]){re.escape(value)}(?!\d)(?![.,]\d)"
    return re.search(pattern, quote) is not None


def _take_value(checks: TomlChecks, key: str) -> str:
    """The number as it is written, in quotes or bare."""
    value = checks.take(key, "value")
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        checks.report_value((key, "value"), "a fact's value is a number", 'write such as `"4.8"`')
        return ""
    written = value if isinstance(value, str) else checks.toml.write_value(key, "value")
    if not _NUMBER.fullmatch(written):
        checks.report_value(
            (key, "value"),
            "it does not read as one number",
            'write the number alone, such as `"4.8"`, and its unit as `unit`',
        )
        return ""
    return written


def _take_filled(checks: TomlChecks, key: str, name: str, advice: str) -> str:
    text = checks.take_text(key, name)
    if isinstance(checks.take(key, name), str) and not text.strip():
        checks.report_value((key, name), f"`{name}` is empty", advice)
    return text


def _take_date(checks: TomlChecks, key: str) -> str:
    """The date as ISO 8601; TOML's own dates are dates too."""
    value = checks.take(key, "date")
    if value is None:
        return ""
    text = value.isoformat() if isinstance(value, dt.date) else str(value)
    if not _is_date(text):
        checks.report_value((key, "date"), "it is no date", "write such as `2026-12-01`")
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
