"""Which findings does ``--accept`` take? Kinds, places and programs, as they are typed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from build_tools.claims.rests import list_programs, list_rests
from build_tools.claims.reviewing import Item, Reading, ReadPage
from build_tools.diagnostics.finding import Kind, suggest_names

EVERYTHING = "all"
KINDS = (
    Kind.DRIFT,
    Kind.UNIT,
    Kind.OVER_PRECISE,
    Kind.LOOSE,
    Kind.HEDGE,
    Kind.UNREADABLE,
)
"""The kinds whose findings can have a nearest literal."""

_PLACE = re.compile(r"(?P<path>.+?):(?P<line>\d+)(?::(?P<column>\d+))?")

Selection = list[tuple[ReadPage, Item]]


class SelectionError(ValueError):
    """A value of ``--accept`` that selects nothing; the message says what there is."""


def select_items(
    reading: Reading, values: Sequence[str], relate: Callable[[str], str]
) -> Selection:
    """The items that any of the values selects, in the order of the pages.

    ``relate`` turns a path as typed into one from the root. Raises SelectionError.
    """
    tests = [_read_value(reading, value, relate) for value in values]
    return [
        (page, item)
        for page in reading.reviewed
        for item in page.items
        if any(test(page, item) for test in tests)
    ]


_Test = Callable[[ReadPage, Item], bool]


def _read_value(reading: Reading, value: str, relate: Callable[[str], str]) -> _Test:
    if value == EVERYTHING:
        return lambda _page, _item: True
    kinds = {kind.value: kind for kind in Kind}
    if value in kinds:
        if kinds[value] in KINDS:
            return lambda _page, item: item.finding.kind.value == value
        raise SelectionError(
            f"`{value}`: findings of this kind have no literal to accept; "
            f"those that can are {_list_kinds()}"
        )
    if value in reading.course.programs:
        return lambda _page, item: value in _list_item_programs(reading, item)
    return _read_place(reading, value, relate)


def _list_kinds() -> str:
    return ", ".join(f"`{kind}`" for kind in KINDS)


def _list_item_programs(reading: Reading, item: Item) -> frozenset[str]:
    if item.verdict is None:
        return frozenset()
    return list_programs(list_rests(reading.course, item.verdict.claim))


def _suggest(reading: Reading, value: str) -> str:
    """What comes near a value, else everything that can be named."""
    programs = list(reading.course.programs)
    pages = [page.path for page in reading.reviewed]
    near = suggest_names(value, [EVERYTHING, *KINDS, *programs, *pages])
    if near.startswith("did you mean"):
        return near
    named = ", ".join(f"`{name}`" for name in programs)
    return f"name `{EVERYTHING}`, a kind ({_list_kinds()}), a program ({named}), PATH or PATH:LINE"


def _read_place(reading: Reading, value: str, relate: Callable[[str], str]) -> _Test:
    """A page, or a line or column of one."""
    match = _PLACE.fullmatch(value)
    path = relate(match["path"] if match else value)
    page = next((page for page in reading.reviewed if page.path == path), None)
    if page is None:
        raise SelectionError(
            f"`{value}` is no kind, program or reviewed page; "
            f"{_suggest(reading, path if match else value)}"
        )
    line = int(match["line"]) if match else None
    column = int(match["column"]) if match and match["column"] else None
    places = [item.finding.place for item in page.items]
    if any(line in (None, p.line) and column in (None, p.column) for p in places):
        return lambda at, item: (
            at.path == path
            and line in (None, item.finding.place.line)
            and column in (None, item.finding.place.column)
        )
    where = ", ".join(f"{place.line}:{place.column}" for place in places[:8])
    there = f"those of the page stand at {where}" if where else "the page has none"
    raise SelectionError(f"`{value}`: no finding stands there; {there}")
