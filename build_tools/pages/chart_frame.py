"""Where do the parts of a chart's picture lie: axes, words beside them, legend?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from build_tools.claims.chart_model import Chart, ChartKind
from build_tools.pages.chart_scale import Scale, scale_keys, scale_numbers, scale_values

FONT = 13.0
LETTER = 0.56
"""About how wide a letter is, for its height."""
ROW = 20.0

SIZES = {"wide": (680.0, 400.0), "narrow": (360.0, 380.0)}
"""Width and height of the picture on wide pages and in print, and on a phone."""

SHAPES = (
    "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z",
    "M-4.5 -4.5H4.5V4.5H-4.5Z",
    "M0 -6L6 0L0 6L-6 0Z",
    "M0 -6L5.5 4.5H-5.5Z",
    "M0 6L5.5 -4.5H-5.5Z",
    "M-2 -6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z",
)
"""Circle, square, diamond, triangles, cross: colours are not all that tells series apart."""


@dataclass(frozen=True)
class Entry:
    """A line of the legend."""

    name: str
    mark: str
    """The class of its colour."""
    shape: str
    """A path around its middle."""
    is_line: bool = False


@dataclass(frozen=True)
class Frame:
    """Where the axes of a picture lie, in its own units."""

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    x: Scale
    y: Scale
    labels: tuple[tuple[str, ...], ...]
    """The words beside the horizontal axis, in lines."""
    is_turned: bool
    legend: tuple[tuple[Entry, ...], ...]
    """In rows."""

    def across(self, value: float) -> float:
        """The horizontal place of a value."""
        return self.left + self.x.place(value) * (self.right - self.left)

    def up(self, value: float) -> float:
        """The vertical place of a value."""
        return self.bottom - self.y.place(value) * (self.bottom - self.top)


def compose_frame(chart: Chart, width: float, height: float) -> Frame:
    """The lay-out of a picture of this size."""
    y = scale_values(chart)
    x = scale_keys(chart.x) if chart.x.keys else scale_numbers(chart)
    left = max(measure_text(tick.text) for tick in y.ticks) + 12
    right = width - 14
    step = (right - left) / len(x.ticks) if chart.x.keys else math.inf
    labels, is_turned = _wrap_labels([tick.text for tick in x.ticks], step)
    longest = max(measure_text(line) for lines in labels for line in lines)
    deep = longest * 0.64 + 14 if is_turned else max(map(len, labels)) * (FONT + 2) + 4
    if is_turned:
        left = max(left, measure_text(labels[0][0]) * 0.77 - step / 2 + 6)
    legend = list_entries(chart)
    rows = _wrap_legend(legend, width) if len(legend) > 1 else []
    top = len(rows) * ROW + 34
    bottom = height - min(deep, height / 3) - ROW - 4
    return Frame(width, height, left, right, top, bottom, x, y, labels, is_turned, tuple(rows))


def measure_text(text: str) -> float:
    """About how wide a text is."""
    return len(text) * FONT * LETTER


def _wrap_labels(texts: Sequence[str], step: float) -> tuple[tuple[tuple[str, ...], ...], bool]:
    """The words below the axis in lines that fit side by side; else turned, each in one line."""
    wrapped = tuple(tuple(_wrap(text, step - 6)) for text in texts)
    if all(measure_text(line) <= step - 4 for lines in wrapped for line in lines):
        return wrapped, False
    return tuple((text,) for text in texts), True


def _wrap(text: str, width: float) -> Iterator[str]:
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and measure_text(longer) > width:
            yield line
            longer = word
        line = longer
    yield line


def list_entries(chart: Chart) -> list[Entry]:
    """What the legend tells: series by colour and shape, then roofs by their dashes."""
    bars = chart.kind is ChartKind.BARS
    square = "M-5 -5H5V5H-5Z"
    entries = [
        Entry(series.name, f"course-chart--{n}", square if bars else SHAPES[n])
        for n, series in enumerate(chart.series)
        if series.name
    ]
    return entries + [
        Entry(f"{roof.name}, {roof.text}", f"course-chart__roof--{n % 3}", "M-12 0H12", True)
        for n, roof in enumerate(chart.roofs)
    ]


def _wrap_legend(entries: Sequence[Entry], width: float) -> list[tuple[Entry, ...]]:
    rows: list[list[Entry]] = [[]]
    used = 0.0
    for entry in entries:
        wide = measure_entry(entry)
        if rows[-1] and used + wide > width - 8:
            rows.append([])
            used = 0.0
        rows[-1].append(entry)
        used += wide
    return [tuple(row) for row in rows]


def measure_entry(entry: Entry) -> float:
    """About how wide an entry of the legend is, its mark and a gap among it."""
    return (32 if entry.is_line else 18) + measure_text(entry.name) + 16
