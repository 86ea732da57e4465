"""In which units do numbers stand, and how do they convert? A small table of our own, exact.

A unit is a factor over base units and a set of dimensions with exponents. Base units: second,
byte, FLOP, watt, hertz-free (1/s), kelvin-free Celsius, and the nouns that are counted. ``KB MB
GB`` are powers of ten, ``KiB MiB GiB`` of two. A FLOP is a count, FLOP/s a rate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

_DECIMAL = {"": 0, "n": -9, "u": -6, "m": -3, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40}

NOUNS = (
    "access",
    "array",
    "atomic",
    "barrier",
    "bit",
    "block",
    "call",
    "case",
    "column",
    "conflict",
    "core",
    "cycle",
    "element",
    "float",
    "half",
    "instruction",
    "iteration",
    "kernel",
    "lane",
    "launch",
    "line",
    "load",
    "node",
    "op",
    "pass",
    "process",
    "register",
    "request",
    "row",
    "sample",
    "sector",
    "SM",
    "step",
    "store",
    "thread",
    "tile",
    "transaction",
    "update",
    "warp",
    "wavefront",
    "word",
)
"""Things that are counted; each is a dimension of its own. Plurals read as the singular."""


@dataclass(frozen=True)
class Unit:
    """``factor`` base units of the dimensions given, as (name, exponent) sorted by name."""

    factor: Fraction
    dimensions: tuple[tuple[str, int], ...]
    text: str = ""
    """As first written, for messages; not part of equality of dimension."""

    @property
    def is_plain(self) -> bool:
        """Whether this is the unit of a bare number."""
        return not self.dimensions and self.factor == 1


ONE = Unit(Fraction(1), ())


class UnitError(ValueError):
    """A unit that the table does not know; the message names it and near matches."""


def _power(base: int, exponent: int) -> Fraction:
    return Fraction(base) ** exponent


def _build_symbols() -> dict[str, Unit]:
    symbols: dict[str, Unit] = {}

    def add(text: str, factor: Fraction, *dimensions: tuple[str, int]) -> None:
        symbols[text] = Unit(factor, tuple(sorted(dimensions)), text)

    for prefix in ("", "m", "u", "n"):
        add(prefix + "s", _power(10, _DECIMAL[prefix]), ("s", 1))
    for prefix, name in (("", ""), ("m", "milli"), ("u", "micro"), ("n", "nano")):
        for plural in ("", "s"):
            add(f"{name}second{plural}", _power(10, _DECIMAL[prefix]), ("s", 1))
    add("min", Fraction(60), ("s", 1))
    add("h", Fraction(3600), ("s", 1))
    for prefix in ("", "k", "K", "M", "G", "T", "P"):
        factor = _power(10, _DECIMAL[prefix])
        if prefix != "k":
            add(prefix + "B", factor, ("B", 1))
            add(prefix + "byte", factor, ("B", 1))
            add(prefix + "FLOP", factor, ("FLOP", 1))
            add(prefix + "FLOPS", factor, ("FLOP", 1), ("s", -1))
        add(prefix + "Hz", factor, ("s", -1))
    for prefix, exponent in _BINARY.items():
        add(prefix + "B", _power(2, exponent), ("B", 1))
    add("kB", _power(10, 3), ("B", 1))
    add("bytes", Fraction(1), ("B", 1))
    for prefix in ("", "m", "k"):
        add(prefix + "W", _power(10, _DECIMAL[prefix]), ("W", 1))
        add(prefix + "J", _power(10, _DECIMAL[prefix]), ("W", 1), ("s", 1))
    add("°C", Fraction(1), ("°C", 1))
    add("%", Fraction(1, 100))
    for noun in NOUNS:
        for spelling in {noun, _pluralize(noun)}:
            symbols.setdefault(spelling, Unit(Fraction(1), ((noun, 1),), spelling))
    symbols["FLOPs"] = symbols["FLOP"]
    return symbols


def _pluralize(noun: str) -> str:
    if noun == "half":
        return "halves"
    return noun + ("es" if noun.endswith(("s", "ch", "sh", "x")) else "s")


SYMBOLS = _build_symbols()
"""Every unit symbol that is understood."""

_PART = re.compile(r"([A-Za-zµ°%]+)(?:\^?(-?\d)|([²³]))?")


@lru_cache(maxsize=1024)
def parse_unit(text: str) -> Unit:
    """The unit written as ``ms``, ``GB/s``, ``FLOP/byte``, ``floats/thread``, ``1/s``.

    An empty text is the unit of a bare number. Raises UnitError for what the table lacks.
    """
    folded = text.strip().replace("\N{GREEK SMALL LETTER MU}", "µ").replace("µ", "u")
    if folded in ("", "1"):
        return ONE
    known = SYMBOLS.get(folded)
    if known is not None:
        return known
    factor = Fraction(1)
    totals: dict[str, int] = {}
    sign = 1
    for index, part in enumerate(folded.replace("per ", "/").split("/")):
        sign = 1 if index == 0 else -1
        for word in re.split(r"[ ·*]+", part.strip()):
            if word == "1" and index == 0:
                continue
            match = _PART.fullmatch(word)
            unit = SYMBOLS.get(match[1]) if match else None
            if match is None or unit is None:
                raise UnitError(f"unknown unit `{word or text}`")
            exponent = sign * int(match[2] or {"²": 2, "³": 3}.get(match[3] or "", 1))
            factor *= unit.factor**exponent
            for name, power in unit.dimensions:
                totals[name] = totals.get(name, 0) + power * exponent
    return Unit(factor, _normalize(totals), folded)


def _normalize(totals: dict[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((name, power) for name, power in totals.items() if power))


def multiply_units(left: Unit, right: Unit, exponent: int = 1) -> Unit:
    """``left`` times ``right`` to the ``exponent``."""
    totals = dict(left.dimensions)
    for name, power in right.dimensions:
        totals[name] = totals.get(name, 0) + power * exponent
    return Unit(left.factor * right.factor**exponent, _normalize(totals))


def format_dimensions(unit: Unit) -> str:
    """The base units of a unit as text: ``FLOP/s``, ``B``, or ``a bare number``."""
    above = [_format_power(n, p) for n, p in unit.dimensions if p > 0]
    below = [_format_power(n, -p) for n, p in unit.dimensions if p < 0]
    if not above and not below:
        return "a bare number"
    return ("·".join(above) or "1") + "".join("/" + part for part in below)


def _format_power(name: str, power: int) -> str:
    return name if power == 1 else f"{name}^{power}"


_PREFERRED = {
    (("s", 1),): ("ns", "us", "ms", "s"),
    (("B", 1),): ("B", "KB", "MB", "GB", "TB"),
    (("FLOP", 1),): ("FLOP", "KFLOP", "MFLOP", "GFLOP", "TFLOP"),
    (("B", 1), ("s", -1)): ("B/s", "KB/s", "MB/s", "GB/s", "TB/s"),
    (("FLOP", 1), ("s", -1)): ("FLOP/s", "KFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s"),
    (("s", -1),): ("Hz", "KHz", "MHz", "GHz"),
}


def choose_unit(value: Fraction, unit: Unit) -> Unit:
    """The unit in which a base-unit ``value`` of this dimension reads best."""
    texts = _PREFERRED.get(unit.dimensions)
    if texts is None:
        text = _spell_nouns(value, unit.dimensions) if unit.dimensions else ""
        return Unit(Fraction(1), unit.dimensions, text)
    best = parse_unit(texts[0])
    for text in texts:
        candidate = parse_unit(text)
        if abs(value) >= candidate.factor:
            best = candidate
    return best


def list_readable_units(value: Fraction, dimensions: tuple[tuple[str, int], ...]) -> list[str]:
    """The units of these dimensions, the one in which ``value`` reads best first."""
    if not dimensions:
        return []
    best = choose_unit(value, Unit(Fraction(1), dimensions)).text
    if dimensions not in _PREFERRED:
        best = _spell_nouns(value, dimensions, byte="byte")
    texts = [best, *(text for text in _PREFERRED.get(dimensions, ()) if text != best)]
    return [_spell_micro(text) for text in texts]


def _spell_nouns(value: Fraction, dimensions: tuple[tuple[str, int], ...], byte: str = "B") -> str:
    """``32 floats/thread``: what is counted in the plural; ``byte`` is one below the line."""
    above = [
        _pluralize(name)
        if name in NOUNS and power == 1 and value != 1
        else _format_power(name, power)
        for name, power in dimensions
        if power > 0
    ]
    below = [
        _format_power(byte if name == "B" else name, -power)
        for name, power in dimensions
        if power < 0
    ]
    return ("·".join(above) or "1") + "".join("/" + part for part in below)


def format_unit_of(dimensions: tuple[tuple[str, int], ...]) -> str:
    """The base units of dimensions as text."""
    return format_dimensions(Unit(Fraction(1), dimensions))


def list_other_units(text: str, dimensions: tuple[tuple[str, int], ...]) -> list[str]:
    """Units of the same dimensions as ``text`` is in, the same prefix of the other kind first."""
    twins = {"K": "Ki", "M": "Mi", "G": "Gi", "T": "Ti"}
    twins |= {other: mine for mine, other in twins.items()}
    found = []
    for mine, other in twins.items():
        if re.match(rf"{mine}B(?![A-Za-z])", text):
            found.append(other + text[len(mine) :])
    found += _PREFERRED.get(dimensions, ())
    # One spelling of the microsecond: else a text would be proposed to itself.
    own = _spell_micro(text)
    return [unit for unit in map(_spell_micro, found) if unit != own]


def _spell_micro(text: str) -> str:
    return "µs" if text == "us" else text


_MEANT = {
    "sec": "s",
    "secs": "s",
    "msec": "ms",
    "msecs": "ms",
    "usec": "µs",
    "usecs": "µs",
    "mcs": "µs",
    "nsec": "ns",
    "nsecs": "ns",
    "byte": "B",
    "watts": "W",
    "watt": "W",
    "joule": "J",
    "joules": "J",
    "hertz": "Hz",
    "C": "°C",
}
"""What people write, and the unit they mean."""


def suggest_unit(text: str) -> str:
    """The unit that an unknown one most likely means; empty when nothing is near.

    ``mb``, ``Mb`` and ``MBytes`` mean ``MB`` here: a bit has no place among these units.
    """
    parts = text.strip().split("/")
    meant = [_suggest_part(part.strip()) for part in parts]
    return "/".join(meant) if all(meant) else ""


def _suggest_part(part: str) -> str:
    if part in SYMBOLS:
        return part
    if part in _MEANT:
        return _MEANT[part]
    shortened = re.sub(r"[Bb]ytes?$", "B", part)
    folded = {symbol.lower(): symbol for symbol in sorted(SYMBOLS, reverse=True)}
    return folded.get(shortened.lower(), "")
