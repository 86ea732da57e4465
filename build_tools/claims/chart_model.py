"""What does a chart draw? Its axes, series and points, as they were measured."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from build_tools.evidence.loaded import LoadedRecord
from build_tools.evidence.model import Samples


class ChartKind(StrEnum):
    """How values are drawn."""

    BARS = "bars"
    POINTS = "points"
    LINES = "lines"
    ROOFLINE = "roofline"


@dataclass(frozen=True)
class Problem:
    """Why a chart cannot be drawn as it is asked for: what is so, and what to do."""

    what: str
    advice: str


@dataclass(frozen=True)
class Spread:
    """A value in the unit of its axis, and the ends of its band where it has one."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Point:
    """One value that is drawn, at a key or a number of the horizontal axis."""

    key: str
    """The key of its row on the horizontal axis; on a roofline the level that it stands for."""
    x: Spread
    """On an axis of keys the key's place, from 0."""
    y: Spread
    printed: str = ""
    """The digits of the shown run; empty for what was computed."""
    samples: Samples | None = None
    """Of all processes; None for what was computed."""


@dataclass(frozen=True)
class DrawnSeries:
    """The points that share a colour."""

    name: str
    """Empty for the only one."""
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Roof:
    """A limit on a roofline: a rate, or a bandwidth, which is a rate a FLOP/byte."""

    name: str
    height: float
    """In the unit of the vertical axis; that of a bandwidth at one FLOP a byte."""
    is_bandwidth: bool
    text: str
    """With its unit."""
    expression: str
    """What the block cites for it."""


@dataclass(frozen=True)
class Axis:
    """What stands along an axis."""

    title: str
    unit: str
    """As values are printed; empty for none, and on an axis of keys."""
    is_log: bool = False
    keys: tuple[str, ...] = ()
    """On an axis of keys, in order."""
    values: tuple[float, ...] = ()
    """Numbers that are worth a tick, where there are few."""

    @property
    def label(self) -> str:
        """``time (ms)``; a title that names its unit already stays as it is."""
        return (
            f"{self.title} ({self.unit})" if self.unit and self.unit != self.title else self.title
        )


@dataclass(frozen=True)
class Chart:
    """A chart ready to be drawn."""

    kind: ChartKind
    x: Axis
    y: Axis
    by: str
    """What tells the series apart; empty where there is one."""
    series: tuple[DrawnSeries, ...]
    record: LoadedRecord
    roofs: tuple[Roof, ...] = ()

    @property
    def has_bands(self) -> bool:
        """Whether any value has a band to draw."""
        spreads = (p.y for series in self.series for p in series.points)
        return any(spread.low < spread.high for spread in spreads)
