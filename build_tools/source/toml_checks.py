"""Is what a TOML file says of the right kind? Collects what is not, each at its place."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from build_tools.diagnostics.finding import Finding, Kind, Place, suggest_names
from build_tools.quantity.units import SYMBOLS, UnitError, parse_unit, suggest_unit
from build_tools.source.toml_text import TomlText


class TomlChecks:
    """Takes values out of a TOML file and keeps the findings about them."""

    def __init__(self, toml: TomlText, kind: Kind) -> None:
        self.toml = toml
        self.kind = kind
        self.findings: list[Finding] = []
        self._misspelt: set[tuple[str, ...]] = set()

    def report(self, place: Place, stated: str, true: str, advice: str) -> None:
        """Add a finding of this file's kind."""
        self.findings.append(Finding(self.kind, place, stated, true, advice))

    def report_value(self, route: tuple[str | int, ...], true: str, advice: str) -> None:
        """Add a finding at a value, stating it as it is written."""
        self.report(self.toml.place_value(*route), self.state(route), true, advice)

    def state(self, route: tuple[str | int, ...]) -> str:
        """``key = value`` as written, cut to one line."""
        keys = [part for part in route if isinstance(part, str)]
        written = " ".join(self.toml.write_value(*route).split())
        return f"`{keys[-1]} = {written[:60]}{'…' if len(written) > 60 else ''}`"

    def take(self, *route: str | int) -> Any:
        """The value at a route, or None."""
        value: Any = self.toml.data
        for part in route:
            if isinstance(value, Mapping):
                value = value.get(str(part))
            else:
                return None
        return value

    def take_table(self, *route: str, known: Iterable[str] | None = None) -> Mapping[str, Any]:
        """The table at a route, empty when there is none; keys beyond ``known`` are findings."""
        value = self.take(*route) if route else self.toml.data
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.report_value(
                route, f"`{route[-1]}` must be a table", f"write `[{'.'.join(route)}]`"
            )
            return {}
        if known is not None:
            self.check_keys(route, value, known)
        return value

    def check_keys(self, route: tuple[str, ...], keys: Iterable[str], known: Iterable[str]) -> None:
        """Report each key that is not known, with near matches."""
        allowed = set(known)
        where = f"`[{'.'.join(route)}]`" if route else "the file's top level"
        for key in keys:
            if key not in allowed:
                self.report(
                    self.toml.place_key(*route, key),
                    f"key `{key}`",
                    f"{where} has no such key",
                    suggest_names(key, allowed),
                )
                meant = difflib.get_close_matches(key, allowed, n=1)
                self._misspelt.update((*route, name) for name in meant)

    def is_misspelt(self, *route: str) -> bool:
        """Whether a key is missing because one that is reported stands in its place."""
        return any(route[: len(key)] == key for key in self._misspelt)

    def take_text(self, *route: str, default: str = "") -> str:
        """The string at a route; ``default`` when it is absent or, reported, of another type."""
        value = self.take(*route)
        if value is None:
            return default
        if not isinstance(value, str):
            self.report_value(route, f"`{route[-1]}` must be a string", 'write it in quotes: `"…"`')
            return default
        return value

    def take_texts(self, *route: str) -> tuple[str, ...]:
        """The array of strings at a route; empty when it is absent or, reported, of another type."""
        value = self.take(*route)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.report_value(
                route, f"`{route[-1]}` must be an array of strings", 'write `["a", "b"]`'
            )
            return ()
        return tuple(value)

    def take_count(self, *route: str, default: int) -> int:
        """The whole number from 1 at a route; ``default`` when absent or, reported, another."""
        value = self.take(*route)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            self.report_value(
                route, f"`{route[-1]}` must be a whole number from 1", "write such as `6`"
            )
            return default
        return value

    def take_choice(self, *route: str, choices: tuple[str, ...], default: str) -> str:
        """One of the choices; ``default`` when absent or, reported, another."""
        value = self.take_text(*route, default=default)
        if value not in choices:
            listed = ", ".join(f'"{choice}"' for choice in choices)
            self.report_value(
                route, f"`{route[-1]}` is one of {listed}", suggest_names(value, choices)
            )
            return default
        return value

    def check_unit(self, unit: str, place: Place, stated: str) -> bool:
        """Whether the unit is known; reported with near matches when it is not."""
        try:
            parse_unit(unit)
        except UnitError as error:
            meant = suggest_unit(unit)
            advice = f"write `{meant}`" if meant else suggest_names(unit, SYMBOLS)
            self.report(place, stated, str(error), advice)
            return False
        return True
