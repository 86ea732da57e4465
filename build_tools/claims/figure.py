"""How does a value stand in a report: printed for people, and in base units for programs?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from build_tools.quantity.format import (
    choose_number_unit,
    format_band,
    format_number,
    format_plain,
)
from build_tools.quantity.judge import choose_told_unit
from build_tools.quantity.printed import Printed
from build_tools.quantity.units import Unit, format_dimensions
from build_tools.quantity.value import Number, Several, Text, Truth, Value


class FigureKind(StrEnum):
    """What a value is."""

    NUMBER = "number"
    TRUTH = "truth"
    TEXT = "text"
    SEVERAL = "several"


@dataclass(frozen=True)
class Figure:
    """A value as reports hold it. Empty texts and lists stand for what it does not have."""

    kind: FigureKind
    shown: str
    """As people read it, with its unit: ``1.4987``, ``41.2 µs``, ``true``, ``NVIDIA H200``."""
    value: float | None = None
    """The number in base units; null for what is no number."""
    unit: str = ""
    """The base unit, ``s`` or ``FLOP/s``; empty for a bare number."""
    band: str = ""
    """The band of the newest pool as people read it, ``1.486 to 1.502``; empty for exact things,
    and where its ends read as ``shown`` does."""
    band_low: float | None = None
    """The band's lower end in base units."""
    band_high: float | None = None
    """The band's upper end in base units."""
    samples: tuple[float, ...] = ()
    """One value a process of the newest record it rests on, in base units."""
    samples_shown: tuple[str, ...] = ()
    """The same values as people read them, in the unit of ``shown``."""
    keys: tuple[str, ...] = ()
    """The keys that tell this item from the others of a slice."""
    items: tuple[Figure, ...] = ()
    """The values of several, in order."""


def read_figure(value: Value, keys: tuple[str, ...] = (), like: Printed | None = None) -> Figure:
    """A value as reports hold it; ``keys`` tell it from the others of its slice.

    People read it in the unit of ``like``, the printed number of a claim, where that has one.
    """
    match value:
        case Number():
            return _read_number(value, keys, like)
        case Truth():
            shown = {True: "true", False: "false", None: "ambiguous"}[value.value]
            return Figure(FigureKind.TRUTH, shown, keys=keys)
        case Text():
            return Figure(FigureKind.TEXT, value.value, keys=keys)
        case Several():
            labels = value.labels or ((),) * len(value.items)
            items = tuple(
                read_figure(item, label, like)
                for item, label in zip(value.items, labels, strict=True)
            )
            shown = ", ".join(item.shown for item in items)
            return Figure(FigureKind.SEVERAL, shown, keys=keys, items=items)
    raise AssertionError(value)


def _read_number(number: Number, keys: tuple[str, ...], like: Printed | None) -> Figure:
    plain = Unit(Fraction(1), number.dimensions)
    band = number.band
    samples = number.series[0].samples if number.series else ()
    told = choose_told_unit(like, number) if like else None
    unit = told or choose_number_unit(number)
    return Figure(
        FigureKind.NUMBER,
        format_number(number, unit=unit),
        float(number.shown),
        format_dimensions(plain) if number.dimensions else "",
        format_band(number, unit=unit),
        float(band.low) if band else None,
        float(band.high) if band else None,
        tuple(float(sample) for sample in samples),
        tuple(format_plain(sample / unit.factor) for sample in samples),
        keys,
    )
