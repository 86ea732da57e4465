"""What do a chart's values read like: on a mark, in the table, beside the roofs?"""

from __future__ import annotations

from dataclasses import dataclass

from build_tools.claims.chart_model import Axis, Chart, ChartKind, DrawnSeries, Point, Spread
from build_tools.pages.printed import format_band


@dataclass(frozen=True)
class Words:
    """What is said of a point, ready to be escaped."""

    where: str
    """``tiled, 512x512x512``."""
    value: str
    """With its unit."""
    band: str
    """``1.62 to 1.66 ms``; empty for none."""
    x: str = ""
    """On a roofline, its FLOP per byte."""
    x_band: str = ""

    @property
    def sentence(self) -> str:
        """All of it in a line."""
        parts = [f"{self.where}: {self.value}"]
        if self.x:
            parts.append(f"at {self.x}")
        if self.band:
            parts.append(f"(next process: {self.band})")
        return " ".join(parts)


def describe_point(chart: Chart, series: DrawnSeries, point: Point) -> Words:
    """What is said of a point."""
    where = ", ".join(name for name in (series.name, point.key) if name)
    if point.samples is None:
        return Words(
            where,
            _format_computed(point.y.value, chart.y),
            _format_spread(point.y, chart.y),
            _format_computed(point.x.value, chart.x) if chart.kind is ChartKind.ROOFLINE else "",
            _format_spread(point.x, chart.x) if chart.kind is ChartKind.ROOFLINE else "",
        )
    value = f"{point.printed} {chart.y.unit}".strip()
    return Words(where, value, format_band(point.samples, point.printed))


def _format_computed(value: float, axis: Axis) -> str:
    return f"{value:,.4g} {axis.unit}".strip()


def _format_spread(spread: Spread, axis: Axis) -> str:
    """The band with a digit more than the value has; empty where its ends read alike."""
    low, high = f"{spread.low:,.5g}", f"{spread.high:,.5g}"
    return "" if low == high else f"{low} to {high} {axis.unit}".strip()
