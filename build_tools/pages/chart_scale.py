"""Where along an axis does a value stand, and which numbers are written beside it?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from build_tools.claims.chart_model import Axis, Chart, ChartKind

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_WANTED = 5
"""About as many steps between ticks."""
_CLOSE = 8.0
"""Values within this factor have even ticks on a log axis, too."""
_DECADES = 2.2
"""On a longer log axis than this only powers of ten have ticks."""


@dataclass(frozen=True)
class Tick:
    """A number beside an axis."""

    value: float
    text: str


@dataclass(frozen=True)
class Scale:
    """An axis from ``low`` to ``high``."""

    low: float
    high: float
    is_log: bool
    ticks: tuple[Tick, ...]

    def place(self, value: float) -> float:
        """Where a value stands, from 0 at the low end to 1 at the high one."""
        low, high = self.low, self.high
        if self.is_log:
            low, high, value = math.log10(low), math.log10(high), math.log10(value)
        return (value - low) / (high - low)


def scale_values(chart: Chart) -> Scale:
    """The vertical axis: from zero, or from below the least value on a log axis."""
    spreads = [point.y for series in chart.series for point in series.points]
    low = min(min(s.value, s.low) for s in spreads)
    high = max(max(s.value, s.high) for s in spreads)
    if not chart.y.is_log:
        return compose_linear(low, high)
    if chart.kind is ChartKind.ROOFLINE:
        high = max([high, *(roof.height for roof in chart.roofs if not roof.is_bandwidth)])
        return compose_log(low / 1.5, high * 1.2)
    if not chart.y.unit:
        low, high = min(low, 1.0), max(high, 1.0)  # A ratio is read against one.
    return compose_log(low if low > 0 else min(s.value for s in spreads), high)


def scale_numbers(chart: Chart) -> Scale:
    """The horizontal axis of numbers."""
    spreads = [point.x for series in chart.series for point in series.points]
    low, high = min(s.low for s in spreads), max(s.high for s in spreads)
    if chart.kind is ChartKind.ROOFLINE:
        return compose_log(low / 2, high * 2)
    ticks = tuple(Tick(value, format_number(value)) for value in chart.x.values)
    if chart.x.is_log:
        edge = (high / low) ** 0.04
        return Scale(low / edge, high * edge, True, ticks or compose_log(low, high).ticks)
    edge = (high - low) * 0.04
    return Scale(low - edge, high + edge, False, ticks or compose_linear(low, high).ticks)


def scale_keys(axis: Axis) -> Scale:
    """The horizontal axis of keys: each has a place of its own, one wide."""
    ticks = tuple(Tick(float(index), key) for index, key in enumerate(axis.keys))
    return Scale(-0.5, len(axis.keys) - 0.5, False, ticks)


def compose_linear(low: float, high: float) -> Scale:
    """An axis of even steps that holds zero and both values."""
    low, high = min(low, 0.0), max(high, 0.0)
    step = _choose_step((high - low) / _WANTED)
    first, last = math.floor(low / step), math.ceil(round(high / step, 9))
    last = max(last, first + 1)
    return Scale(first * step, last * step, False, _list_ticks(first, last, step))


def compose_log(low: float, high: float) -> Scale:
    """A log axis that holds both values, which are above zero."""
    if high / low < _CLOSE:
        step = _choose_step(max(high - low, high / 10) / _WANTED)
        first, last = math.floor(round(low / step, 9)), math.ceil(round(high / step, 9))
        if first > 0:
            last = max(last, first + 1)
            return Scale(first * step, last * step, True, _list_ticks(first, last, step))
    start, end = _round_log(low, math.floor), _round_log(high, math.ceil)
    if start == end:
        end *= 10
    wide = math.log10(end / start) > _DECADES
    if wide:
        start = 10.0 ** math.floor(math.log10(low) + 1e-9)
        end = 10.0 ** math.ceil(math.log10(high) - 1e-9)
    values = [
        factor * 10.0**power
        for power in range(math.floor(math.log10(start)), math.ceil(math.log10(end)) + 1)
        for factor in ((1,) if wide else (1, 2, 5))
    ]
    kept = [value for value in values if start * 0.999 <= value <= end * 1.001]
    return Scale(start, end, True, tuple(Tick(value, format_number(value)) for value in kept))


def _round_log(value: float, direction: object) -> float:
    """The nearest of 1, 2 and 5 times a power of ten, below or above."""
    power = 10.0 ** math.floor(math.log10(value))
    steps = [factor * power for factor in (1, 2, 5, 10)]
    if direction is math.floor:
        return max(step for step in steps if step <= value * 1.000001)
    return min(step for step in steps if step >= value * 0.999999)


def _choose_step(rough: float) -> float:
    if rough <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in _STEPS if step * power >= rough * 0.999)


def _list_ticks(first: int, last: int, step: float) -> tuple[Tick, ...]:
    decimals = max(0, -math.floor(math.log10(step)) + (1 if _has_half(step) else 0))
    return tuple(
        Tick(index * step, f"{index * step:,.{decimals}f}") for index in range(first, last + 1)
    )


def _has_half(step: float) -> bool:
    """Whether a step is 2.5 times a power of ten."""
    return abs(step / 10.0 ** math.floor(math.log10(step)) - 2.5) < 0.01


def format_number(value: float) -> str:
    """A number beside an axis: with commas, without needless zeros."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.6g}"


def list_group(series: Sequence[object], width: float = 0.75) -> list[tuple[float, float]]:
    """Where each series' bar begins and ends beside a key, from -0.5 to 0.5."""
    bar = width / len(series)
    return [(-width / 2 + i * bar, -width / 2 + (i + 1) * bar) for i in range(len(series))]
