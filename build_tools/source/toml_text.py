"""Where in a TOML text does each key and value stand?

The standard library parses TOML and places its own errors, but forgets where a key stood. This
reads a text that it has already accepted once more, for the places only.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.source.plain_files import read_plain
from build_tools.source.regions import decode_source

Route = tuple[str | int, ...]
"""The way to a value: keys, and indices within arrays."""

_SKIPPED = re.compile(r"(?:[ \t\n]+|#[^\n]*)*")
_SPACES = re.compile(r"[ \t]*")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}(?!")|'
    r"'''.*?'{3,5}(?!')|"
    r'"(?:\\.|[^"\\\n])*"|'
    r"'[^'\n]*'",
    re.DOTALL,
)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BARE_VALUE = re.compile(r"[^,\]\}\n#]+")
_LONG_NUMBER = re.compile(r"\d(?:_?\d){4299,}")
_LONG_KEY = re.compile(r"(?:^|[\[{,])[ \t]*(?:[\w\-\"']+[ \t]*\.[ \t]*){64}", re.MULTILINE)
_BEYOND = 2**63
_DEEP = 64
"""Arrays and tables within each other; what nests too deep to be read is told there."""
_ERROR_PLACE = re.compile(r"(.*) \(at line (\d+), column (\d+)\)", re.DOTALL)


@dataclass(frozen=True)
class Span:
    """Offsets of a key and of its value in the text."""

    key: int
    start: int
    end: int


@dataclass(frozen=True)
class TomlText:
    """A TOML file: its values, and where each stands."""

    path: str
    text: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    spans: Mapping[Route, Span] = field(default_factory=dict)

    def place_key(self, *route: str | int) -> Place:
        """Where the key stands; of one that is not there, where the nearest above it does."""
        span = self._find(route)
        return self.place_offset(span.key if span else 0)

    def place_value(self, *route: str | int) -> Place:
        """Where the value begins."""
        span = self._find(route)
        return self.place_offset(span.start if span else 0)

    def write_value(self, *route: str | int) -> str:
        """The value as the text writes it."""
        span = self.spans[route]
        return self.text[span.start : span.end]

    def _find(self, route: Route) -> Span | None:
        while route and route not in self.spans:
            route = route[:-1]
        return self.spans.get(route)

    def place_offset(self, offset: int) -> Place:
        """Where an offset of the text stands."""
        line = self.text.count("\n", 0, offset) + 1
        return Place(self.path, line, offset - self.text.rfind("\n", 0, offset))


def read_toml(root: Path, path: str, kind: Kind) -> tuple[TomlText | None, list[Finding]]:
    """The TOML file at ``root / path``; None and a finding when it cannot be read."""
    try:
        content = read_plain(root / path)
    except OSError as error:
        true = f"it cannot be read: {error.strerror or error}"
        return None, [Finding(kind, Place(path), path, true, "make it a readable file")]
    text, findings = decode_source(content, path)
    if text is None:
        return None, findings
    return parse_toml(text, path, kind)


def parse_toml(text: str, path: str, kind: Kind) -> tuple[TomlText | None, list[Finding]]:
    """A TOML text; None and a finding where it breaks TOML's rules."""
    match = _LONG_KEY.search(text)
    if match is not None:
        return None, [_report_deep(match.end(), text, path, kind)]
    try:
        data = tomllib.loads(text)
        toml = TomlText(path, text, data, _Locator(text).locate())
    except tomllib.TOMLDecodeError as error:
        return None, [_report_syntax(str(error), text, path, kind)]
    except RecursionError:
        return None, [_report_deep(_find_depth(text), text, path, kind)]
    except ValueError:  # of Python's integers, which are not read from many digits
        match = _LONG_NUMBER.search(text)
        return None, [_report_large(match.start() if match else 0, text, path, kind)]
    for route, span in toml.spans.items():
        value = _follow(data, route)
        if isinstance(value, int) and not -_BEYOND <= value < _BEYOND:
            return None, [_report_large(span.start, text, path, kind)]
    return toml, []


def _follow(data: Any, route: Route) -> Any:
    for part in route:
        data = data[part]
    return data


def _report_deep(at: int, text: str, path: str, kind: Kind) -> Finding:
    return _report_limit(
        at, "it nests deeper than is read", "nest it less deeply", text, path, kind
    )


def _report_large(at: int, text: str, path: str, kind: Kind) -> Finding:
    true = "the number does not fit 64 bits, as TOML's whole numbers do"
    return _report_limit(at, true, "write a shorter number", text, path, kind)


def _find_depth(text: str) -> int:
    """Where a text nests deeper than any honest one does."""
    depth = 0
    for match in re.finditer(r"[\[{\]}]", text):
        depth += 1 if match[0] in "[{" else -1
        if depth > _DEEP:
            return match.start()
    return 0


def _report_limit(at: int, true: str, advice: str, text: str, path: str, kind: Kind) -> Finding:
    place = TomlText(path, text).place_offset(at)
    end = text.find("\n", at)
    stated = text[at : len(text) if end < 0 else end]
    stated = f"`{stated[:40]}…`" if len(stated) > 40 else f"`{stated}`"
    return Finding(kind, place, stated, true, advice)


def _report_syntax(message: str, text: str, path: str, kind: Kind) -> Finding:
    match = _ERROR_PLACE.fullmatch(message)
    if match is not None:
        message, line, column = match[1], int(match[2]), int(match[3])
    else:  # "(at end of document)"
        message = message.removesuffix(" (at end of document)") + " at the end of the file"
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
    lines = text.split("\n")
    stated = f"`{lines[line - 1].strip()}`" if line <= len(lines) else "the end of the file"
    return Finding(
        kind,
        Place(path, line, column),
        stated,
        f"not TOML: {message[:1].lower()}{message[1:]}",
        "correct the line's TOML; strings stand in quotes, one key a line",
    )


class _Locator:
    """Reads keys and values in order, remembering where it is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.spans: dict[Route, Span] = {}
        self._lengths: dict[Route, int] = {}

    def locate(self) -> dict[Route, Span]:
        table: Route = ()
        while True:
            self._skip(_SKIPPED)
            if self.position >= len(self.text):
                return self.spans
            if self.text[self.position] == "[":
                table = self._read_table_name()
            else:
                self._read_pair(table)

    def _read_table_name(self) -> Route:
        start = self.position
        is_array = self.text.startswith("[[", start)
        self.position += 2 if is_array else 1
        keys = self._read_keys()
        route: Route = ()
        for _, key in keys:
            if route in self._lengths:  # the newest table of an array of tables
                route = (*route, self._lengths[route] - 1)
            route = (*route, key)
        if is_array:
            index = self._lengths.get(route, 0)
            self._lengths[route] = index + 1
            self.spans.setdefault(route, Span(keys[-1][0], start, start))
            route = (*route, index)
        end = self.text.find("]", self.position) + (2 if is_array else 1)
        self.position = end
        self._remember_parents(keys, route, start, end)
        self.spans[route] = Span(keys[-1][0], start, end)
        return route

    def _read_pair(self, table: Route) -> None:
        keys = self._read_keys()
        self._skip(_SPACES)
        self.position += 1  # the equals sign
        self._skip(_SPACES)
        route = (*table, *(key for _, key in keys))
        start = self.position
        self._read_value(route)
        self._remember_parents(keys, route, start, self.position)
        self.spans[route] = Span(keys[-1][0], start, self.position)

    def _remember_parents(
        self, keys: list[tuple[int, str]], route: Route, start: int, end: int
    ) -> None:
        """A dotted key names the tables above it too: the first that does is their place."""
        names = [index for index, part in enumerate(route) if isinstance(part, str)]
        for (offset, _), index in zip(keys[:-1], names[-len(keys) :], strict=False):
            self.spans.setdefault(route[: index + 1], Span(offset, start, end))

    def _read_keys(self) -> list[tuple[int, str]]:
        keys = []
        while True:
            self._skip(_SPACES)
            start = self.position
            match = _STRING.match(self.text, start) or _BARE_KEY.match(self.text, start)
            if match is None:
                raise AssertionError(f"no key at offset {start} of a text that parsed as TOML")
            self.position = match.end()
            keys.append((start, _read_key(match[0])))
            self._skip(_SPACES)
            if not self.text.startswith(".", self.position):
                return keys
            self.position += 1

    def _read_value(self, route: Route) -> None:
        text, position = self.text, self.position
        if text[position] == "[":
            self._read_array(route)
        elif text[position] == "{":
            self._read_inline_table(route)
        elif match := _STRING.match(text, position):
            self.position = match.end()
        elif match := _BARE_VALUE.match(text, position):
            self.position = position + len(match[0].rstrip())

    def _read_array(self, route: Route) -> None:
        self.position += 1
        index = 0
        while True:
            self._skip(_SKIPPED)
            if self.text[self.position] == "]":
                self.position += 1
                return
            if self.text[self.position] == ",":
                self.position += 1
                continue
            start = self.position
            self._read_value((*route, index))
            self.spans[(*route, index)] = Span(start, start, self.position)
            index += 1

    def _read_inline_table(self, route: Route) -> None:
        self.position += 1
        while True:
            self._skip(_SKIPPED)
            if self.text[self.position] == "}":
                self.position += 1
                return
            if self.text[self.position] == ",":
                self.position += 1
                continue
            self._read_pair(route)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.position)
        self.position = match.end() if match else self.position


def _read_key(written: str) -> str:
    """A key without its quotes and escapes."""
    if written[0] in "\"'":
        return str(tomllib.loads(f"k = {written}")["k"])
    return written
