"""How does JSON read and write so that every value has one form and one place?

Keys are sorted, the indent is two spaces, an array of plain values stands on one line, and a
newline ends the file. Places are found again by the path of keys and indexes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

Path = tuple[str | int, ...]

_PLAIN = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_SPACE = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s,\]}:]+')


def format_json(value: object) -> str:
    """The value in its one form, final newline included. Raises ValueError for NaN and inf."""
    return _format_value(value, 0) + "\n"


def _format_value(value: object, depth: int) -> str:
    inner, outer = "  " * (depth + 1), "  " * depth
    if isinstance(value, dict):
        if not value:
            return "{}"
        parts = [
            f"{inner}{_PLAIN.encode(key)}: {_format_value(value[key], depth + 1)}"
            for key in sorted(value)
        ]
        return "{\n" + ",\n".join(parts) + f"\n{outer}}}"
    if isinstance(value, list | tuple) and any(isinstance(v, dict | list | tuple) for v in value):
        parts = [inner + _format_value(item, depth + 1) for item in value]
        return "[\n" + ",\n".join(parts) + f"\n{outer}]"
    return _PLAIN.encode(value)


def locate_values(text: str) -> Iterator[tuple[Path, int, Any]]:
    """Each value of well-formed JSON: its path, the offset of its key (or of itself), itself.

    Objects and arrays come as empty ones, before what they hold.
    """
    stack: list[tuple[Path, int, bool]] = []
    yield from _walk(text, stack)


def _walk(text: str, stack: list[tuple[Path, int, bool]]) -> Iterator[tuple[Path, int, Any]]:
    offset = _skip(text, 0)
    path: Path = ()
    key_offset = offset
    while True:
        if text[offset] in "{[":
            is_object = text[offset] == "{"
            yield path, key_offset, {} if is_object else []
            stack.append((path, 0, is_object))
            offset = _skip(text, offset + 1)
        else:
            match = _SCALAR.match(text, offset)
            if match is None:
                return
            yield path, key_offset, _read_scalar(match[0])
            offset = _skip(text, match.end())
        while stack and text[offset] in "}]":
            stack.pop()
            offset = _skip(text, offset + 1)
        if not stack:
            return
        parent, count, is_object = stack[-1]
        if text[offset] == ",":
            offset = _skip(text, offset + 1)
        stack[-1] = (parent, count + 1, is_object)
        key_offset = offset
        if is_object:
            match = _SCALAR.match(text, offset)
            if match is None:
                return
            path = (*parent, str(_read_scalar(match[0])))
            offset = _skip(text, _skip(text, match.end()) + 1)
        else:
            path = (*parent, count)


def _read_scalar(text: str) -> Any:
    """A string, number or word of JSON; nearly all are strings without an escape."""
    if text[0] == '"' and "\\" not in text:
        return text[1:-1]
    return json.loads(text, strict=False)


def _skip(text: str, offset: int) -> int:
    match = _SPACE.match(text, offset)
    return match.end() if match else offset


def find_place(text: str, offset: int) -> tuple[int, int]:
    """Line and column, from 1, of an offset."""
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def find_difference(stated: str, true: str) -> tuple[int, int, str, str]:
    """Line, column and both lines where two texts first differ; they must not be equal."""
    left, right = stated.split("\n"), true.split("\n")
    for number, (a, b) in enumerate(zip(left, right, strict=False), 1):
        if a != b:
            column = next(
                (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y),
                min(len(a), len(b)),
            )
            return number, column + 1, a, b
    number = min(len(left), len(right))
    return number + 1, 1, "".join(left[number : number + 1]), "".join(right[number : number + 1])
