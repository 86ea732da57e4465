"""Which numbers of prose does a course leave unbound, and why? Its own patterns, as course.toml has them.

A pattern is a template and no regular expression: writers can read it, and none can take for ever.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from build_tools.diagnostics.finding import Place
from build_tools.source.model import NumberPattern
from build_tools.source.toml_checks import TomlChecks
from build_tools.source.toml_keys import SETTINGS

_NAME = re.compile(r"[a-z][a-z0-9-]*")
_WORD = re.compile(r"[^\W\d_]")
_MOST_NUMBERS = 4
"""Numbers that one template of a pattern may hold."""


def take_patterns(checks: TomlChecks) -> tuple[NumberPattern, ...]:
    """The course's own patterns of numbers; one with a finding is left out."""
    patterns = []
    for name in checks.take_table("course", "patterns"):
        before = len(checks.findings)
        route = ("course", "patterns", name)
        place = checks.toml.place_key(*route)
        if not _NAME.fullmatch(name):
            checks.report(
                place,
                f"pattern `{name}`",
                "a pattern's name is small letters, digits and `-`, and begins with a letter",
                "rename it",
            )
        if not isinstance(checks.take(*route), Mapping):
            checks.report_value(
                route,
                "a pattern says what it matches and why",
                f'write `{name} = {{ text = "rev {{n}}", why = "names of boards" }}`',
            )
            continue
        table = checks.take_table(*route, known=SETTINGS["course.patterns.NAME"])
        why = checks.take_text(*route, "why").strip()
        if not why and isinstance(table.get("why", ""), str):
            checks.report(
                place,
                f"pattern `{name}`",
                "it does not say why its numbers need no binding",
                'add `why = "…"`',
            )
        texts = _take_templates(checks, (*route, "text"), place)
        if len(checks.findings) == before:
            patterns.append(NumberPattern(name, texts, why, place))
    return tuple(patterns)


def _take_templates(checks: TomlChecks, route: tuple[str, ...], place: Place) -> tuple[str, ...]:
    """One text or several, each with a word beside its number, so that it can't take them all."""
    value = checks.take(*route)
    if value is None:
        checks.report(
            place, f"pattern `{route[-2]}`", "it matches nothing", 'add `text = "rev {n}"`'
        )
        return ()
    texts = (checks.take_text(*route),) if isinstance(value, str) else checks.take_texts(*route)
    for index, text in enumerate(texts):
        where: tuple[str | int, ...] = route if isinstance(value, str) else (*route, index)
        words = text.split("{n}")
        unknown = re.search(r"[{}]", "".join(words))
        if unknown:
            checks.report_value(where, "it has a brace that is not of `{n}`", "write `{n}` only")
        elif len(words) < 2 or len(words) > _MOST_NUMBERS + 1:
            checks.report_value(
                where,
                "it does not hold `{n}`" if len(words) < 2 else "it holds `{n}` too often",
                "write `{n}` where the number stands, as in `rev {n}`",
            )
        elif not any(_WORD.search(word) for word in words) or not all(
            _WORD.search(word) for word in words[1:-1]
        ):
            checks.report_value(
                where,
                "numbers with no word beside them are all numbers",
                "add the words that stand beside the number, as in `rev {n}`",
            )
    return texts
