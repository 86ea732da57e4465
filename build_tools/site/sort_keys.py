"""Are the rows of a built page's tables sorted by what they show?

A cell that is sorted by a number holds it as data, in a base unit where the column has several.
No reader sees that data, and a reader who sorts believes it: so it must be what the course says,
and it must be a number that the cell's text is a rounding of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest

from selectolax.lexbor import LexborNode

from build_tools.quantity.units import UnitError, parse_unit
from build_tools.site.shown import Difference, read_text

_TOLD = ("data-value", "data-course-band", "title")
"""What a cell says without showing it: its key, its band, and what it tells when pointed at."""

_NUMBER = re.compile(r"(?P<sign>[-−+]?)(?P<digits>[\d,]*\.?\d+)(?:e(?P<exponent>[-+]?\d+))?")
_EDGE = 1e-9
"""How far a key may lie beyond what its text rounds, for the floating point."""


def compare_cells(node: LexborNode, expected: LexborNode) -> list[Difference]:
    """The first cell below ``node`` whose unseen words are others than below ``expected``."""
    for here, there in zip_longest(_list_told(node), _list_told(expected)):
        if here != there:
            return [(f"a cell holds {_state(here)}", f"it is {_state(there)}")]
    return []


def compare_keys(node: LexborNode) -> list[Difference]:
    """Each cell below ``node`` that is sorted by another number than it shows."""
    return [
        (f"a cell shows {text!r} and is sorted by {key}", f"{text!r} is no rounding of that")
        for text, key, units in _list_keys(node)
        if not _is_rounding(text, key, units)
    ]


def _list_told(node: LexborNode) -> list[tuple[str, ...]]:
    """The text of each cell that holds unseen words, and these."""
    told = []
    for cell in node.css("td, th"):
        held = cell.attributes
        if any(name in held for name in _TOLD):
            words = (f'{name}="{held[name]}"' for name in _TOLD if name in held)
            told.append((" ".join(read_text(cell).split()), *words))
    return told


def _state(told: tuple[str, ...] | None) -> str:
    return f"{' '.join(told[1:])} behind {told[0]!r}" if told else "nothing more"


def _list_keys(node: LexborNode) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Text and key of each sorted cell, with the units that stand beside it in heads and cells."""
    for table in node.css("table[data-course-sort]"):
        heads = [_read_unit(head) for head in table.css("thead th")]
        for row in table.css("tbody tr"):
            cells = row.css("td, th")
            for column, cell in enumerate(cells):
                key = cell.attributes.get("data-value")
                if key is None:
                    continue
                behind = read_text(cells[column + 1]) if column + 1 < len(cells) else ""
                beside = heads[column : column + 1]
                text = " ".join(read_text(cell).split())
                yield text, key, (behind.strip(), *beside, _read_unit(cells[0]))


def _read_unit(head: LexborNode) -> str:
    return "".join(map(read_text, head.css(".course-table__unit"))).strip(" ()")


@lru_cache(maxsize=10_000)
def _is_rounding(text: str, key: str, units: tuple[str, ...]) -> bool:
    """Whether the first number of ``text``, in a unit of its own or of ``units``, rounds ``key``.

    A distance is sorted without its sign.
    """
    numbers = list(_NUMBER.finditer(text))
    try:
        held = float(key)
    except ValueError:
        return False
    if not numbers:
        return False
    digits, exponent = numbers[0]["digits"].replace(",", ""), int(numbers[0]["exponent"] or 0)
    shown = float(digits) * 10.0**exponent
    step = 10.0 ** (exponent - len(digits.partition(".")[2]) + _count_zeros(digits))
    signs = (-1, 1) if numbers[0]["sign"] in ("-", "−") else (1,)
    # A list has its units apart, a range one for both ends: either way it ends the text.
    own = text[numbers[-1].end() :].strip()
    factors = {_read_factor(unit) for unit in ([own] if own else ["", *units])}
    return any(
        abs(held - sign * shown * factor) <= step * factor * (0.5 + _EDGE)
        for factor in factors
        for sign in signs
    )


def _count_zeros(digits: str) -> int:
    """The zeros at the end of a whole number, which may come of rounding."""
    return 0 if "." in digits else len(digits) - len(digits.rstrip("0")) if digits.strip("0") else 0


@lru_cache(maxsize=1_000)
def _read_factor(unit: str) -> float:
    """Base units in one of ``unit``; 1 for what is no unit."""
    if unit == "%":
        return 0.01
    try:
        return float(parse_unit(unit).factor)
    except UnitError:
        return 1.0
