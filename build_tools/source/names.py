"""Which names does a program's declaration take, and do two things share one?"""

from __future__ import annotations

import re
from collections.abc import Iterable

from build_tools.diagnostics.finding import Place
from build_tools.source.model import TableRule
from build_tools.source.toml_checks import TomlChecks

NAME = re.compile(r"[a-z][a-z0-9_]*")
"""What names of programs, measurements and quantities look like."""

RESERVED = frozenset(
    {
        "source",
        "device",
        "compiler",
        "check",
        "windows",
        "counters",
        "sanitizer",
        "mutants",
        "listing",
        "on",
        "records",
    }
)
"""Names that mean something else behind a program's name in an expression."""


def explain_name(name: str) -> str:
    """What is wrong with a name; empty when nothing is."""
    if name in RESERVED:
        return f"`{name}` is reserved: `program.{name}` means something else"
    if not NAME.fullmatch(name):
        return "a name is small letters, digits and `_`, and begins with a letter"
    return ""


class NamesTaken:
    """The names seen so far in one ``program.toml``; reports each that is taken twice."""

    def __init__(self, checks: TomlChecks) -> None:
        self._checks = checks
        self._measured: dict[str, tuple[str, Place]] = {}
        self._keys: dict[str, Place] = {}
        self._headers: dict[tuple[str, str], str] = {}

    def check_form(self, what: str, name: str, place: Place) -> None:
        """Report a name that no expression could use."""
        true = explain_name(name)
        if true:
            self._checks.report(place, f"{what} `{name}`", true, "rename it")

    def take(self, what: str, name: str, place: Place) -> None:
        """Take a name for something with a value: no key and nothing else may have it."""
        if name in self._measured:
            other, at = self._measured[name]
            self._report_taken(what, place, f"{other} has this name at line {at.line}")
        elif name in self._keys:
            self._report_taken(what, place, f"a key has this name at line {self._keys[name].line}")
        else:
            self._measured[name] = (what, place)

    def take_key(self, name: str, place: Place) -> None:
        """Take a name for a key: several tables and lines may share it."""
        if name in self._measured:
            other, at = self._measured[name]
            self._report_taken(f"key `{name}`", place, f"{other} has this name at line {at.line}")
        self._keys.setdefault(name, place)

    def take_header(self, table: str, header: str, route: tuple[str, ...]) -> None:
        """Take a header text: two columns of a table cannot have the same."""
        if (table, header) in self._headers:
            other = self._headers[table, header]
            self._checks.report_value(
                route, f"column `{other}` has this header too", "declare each header once"
            )
        self._headers.setdefault((table, header), route[-1])

    def check_tables(self, tables: Iterable[TableRule]) -> None:
        """With several tables a table's name stands where a measurement's may."""
        listed = list(tables)
        for table in listed if len(listed) > 1 else ():
            if table.name in self._measured:
                other, at = self._measured[table.name]
                self._report_taken(
                    f"table `{table.name}`",
                    table.place,
                    f"{other} has this name at line {at.line}",
                )

    def _report_taken(self, what: str, place: Place, true: str) -> None:
        advice = "give each table, column, field of a line and quantity a name of its own"
        self._checks.report(place, what, true, advice)
