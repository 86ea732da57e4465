"""How is a chart drawn as a still picture? SVG of our own, which needs no script.

It stands on the page from the start, so that nothing moves when a script takes over, and it is
what is printed. Its colours are the style sheet's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from build_tools.claims.chart_model import Axis, Chart, ChartKind, DrawnSeries, Point, Roof
from build_tools.diagnostics.visible import show_on_line
from build_tools.pages.chart_frame import (
    FONT,
    ROW,
    SHAPES,
    SIZES,
    Frame,
    compose_frame,
    measure_entry,
    measure_text,
)
from build_tools.pages.chart_scale import Scale, list_group
from build_tools.pages.chart_words import describe_point

_TOUCHING = 16.0
"""Marks closer than this share a label."""
_LEAN = 5.0
"""How far a label that leans to one side of its mark reaches over to the other."""


def render_picture(chart: Chart, size: str) -> Markup:
    """The chart as SVG, ``wide`` or ``narrow``."""
    frame = compose_frame(chart, *SIZES[size])
    parts = [
        *_draw_axes(chart, frame),
        *_draw_roofs(chart, frame),
        *_draw_series(chart, frame),
        *_draw_legend(frame),
    ]
    head = Markup(
        '<svg class="course-chart__picture course-chart__picture--{}" viewBox="0 0 {} {}" '
        'font-size="{}" aria-hidden="true">'
    ).format(size, _n(frame.width), _n(frame.height), _n(FONT))
    return head + Markup("\n").join(["", *parts]) + Markup("\n</svg>")


def _draw_legend(frame: Frame) -> Iterator[Markup]:
    for number, row in enumerate(frame.legend):
        across, down = 4.0, number * ROW + ROW / 2 + 2
        for entry in row:
            half = 13 if entry.is_line else 6
            kind = "course-chart__roof" if entry.is_line else "course-chart__mark"
            yield Markup('<path class="{} {}" transform="translate({} {})" d="{}"/>').format(
                kind, entry.mark, _n(across + half), _n(down), entry.shape
            )
            yield _text(across + 2 * half + 6, down + FONT * 0.36, entry.name)
            across += measure_entry(entry)


def _draw_axes(chart: Chart, frame: Frame) -> Iterator[Markup]:
    for tick in frame.y.ticks:
        down = frame.up(tick.value)
        yield Markup('<path class="course-chart__grid" d="M{} {}H{}"/>').format(
            _n(frame.left), _n(down), _n(frame.right)
        )
        yield _text(frame.left - 6, down + FONT * 0.36, tick.text, "end")
    for tick, lines in zip(frame.x.ticks, frame.labels, strict=True):
        across = frame.across(tick.value)
        if not chart.x.keys:
            yield Markup('<path class="course-chart__grid" d="M{} {}V{}"/>').format(
                _n(across), _n(frame.top), _n(frame.bottom)
            )
        for number, line in enumerate(lines):
            down = frame.bottom + FONT + 4 + number * (FONT + 2)
            if frame.is_turned:
                yield _text(across + 4, frame.bottom + 12, line, "end", turned=True)
            else:
                yield _text(across, down, line, "middle")
    base = frame.up(0.0) if not frame.y.is_log else frame.bottom
    yield Markup('<path class="course-chart__axis" d="M{} {}H{}"/>').format(
        _n(frame.left), _n(base), _n(frame.right)
    )
    if chart.y.is_log and not chart.y.unit and frame.y.low < 1 < frame.y.high:
        yield Markup('<path class="course-chart__axis" d="M{} {}H{}"/>').format(
            _n(frame.left), _n(frame.up(1.0)), _n(frame.right)
        )
    yield _text(4, frame.top - 14, label_axis(chart.y))
    middle = (frame.left + frame.right) / 2
    yield _text(middle, frame.height - 6, label_axis(chart.x), "middle")


def label_axis(axis: Axis) -> str:
    """What an axis says, and that it is none of even steps."""
    return axis.label + (", log scale" if axis.is_log else "")


def _draw_series(chart: Chart, frame: Frame) -> Iterator[Markup]:
    groups = list_group(chart.series)
    for number, series in enumerate(chart.series):
        mark = f"course-chart--{number}"
        if chart.kind is ChartKind.LINES:
            places = (
                f"{_n(frame.across(p.x.value))} {_n(frame.up(p.y.value))}" for p in series.points
            )
            yield Markup('<path class="course-chart__line {}" d="M{}"/>').format(
                mark, "L".join(places)
            )
        for point in series.points:
            yield Markup("<g>")
            yield Markup("<title>{}</title>").format(
                show_on_line(describe_point(chart, series, point).sentence)
            )
            if chart.kind is ChartKind.BARS:
                yield from _draw_bar(frame, point, groups[number], mark)
            else:
                across, down = frame.across(point.x.value), frame.up(point.y.value)
                yield from _draw_errors(frame, point, across, down)
                yield Markup(
                    '<path class="course-chart__mark {}" transform="translate({} {})" d="{}"/>'
                ).format(mark, _n(across), _n(down), SHAPES[number])
            yield Markup("</g>")
        if chart.kind is ChartKind.ROOFLINE:
            yield from _draw_levels(chart, frame, series)


def _draw_bar(
    frame: Frame, point: Point, group: tuple[float, float], mark: str
) -> Iterator[Markup]:
    start, end = (frame.across(point.x.value + side) for side in group)
    yield Markup('<path class="course-chart__bar {}" d="M{} {}V{}H{}V{}Z"/>').format(
        mark,
        _n(start + 0.5),
        _n(frame.up(0.0)),
        _n(frame.up(point.y.value)),
        _n(end - 0.5),
        _n(frame.up(0.0)),
    )
    yield from _draw_errors(frame, point, (start + end) / 2, frame.up(point.y.value))


def _draw_errors(frame: Frame, point: Point, across: float, down: float) -> Iterator[Markup]:
    """The band of a point, up and down and, where it has one, to the sides."""
    path = ""
    if point.y.low < point.y.high:
        high, low = frame.up(point.y.high), frame.up(max(point.y.low, frame.y.low))
        left, right = _n(across - 4), _n(across + 4)
        path += (
            f"M{left} {_n(high)}H{right}M{_n(across)} {_n(high)}V{_n(low)}M{left} {_n(low)}H{right}"
        )
    if point.x.low < point.x.high:
        left, right = _n(frame.across(point.x.low)), _n(frame.across(point.x.high))
        path += f"M{left} {_n(down)}H{right}"
    if path:
        yield Markup('<path class="course-chart__error" d="{}"/>').format(path)


def _draw_levels(chart: Chart, frame: Frame, series: DrawnSeries) -> Iterator[Markup]:
    """The levels' names beside their points: above those of the fastest kernel, below all others."""
    fastest = is_fastest(chart, series)
    for label in place_levels(series, frame):
        down = frame.up(label.point.y.value)
        across = frame.across(label.point.x.value) + {"start": -_LEAN, "end": _LEAN}.get(
            label.anchor, 0
        )
        down = down - 11 if fastest else down + FONT + 8
        yield _text(across, down, label.text, label.anchor, kind="course-chart__level")


def is_fastest(chart: Chart, series: DrawnSeries) -> bool:
    """Whether no other kernel of a roofline stands higher."""
    return all(series.points[0].y.value >= other.points[0].y.value for other in chart.series)


@dataclass(frozen=True)
class LevelLabel:
    """The name of a level beside its point; of several whose marks touch, all their names."""

    point: Point
    text: str
    anchor: str
    """``start``, ``middle`` or ``end``, as in SVG."""


def place_levels(series: DrawnSeries, frame: Frame) -> list[LevelLabel]:
    """The labels of a series from left to right; neighbours that would touch lean apart."""

    def place(label: LevelLabel) -> float:
        return frame.across(label.point.x.value)

    groups: list[list[Point]] = []
    for point in sorted(series.points, key=lambda point: point.x.value):
        across = frame.across(point.x.value)
        if groups and across - frame.across(groups[-1][-1].x.value) < _TOUCHING:
            groups[-1].append(point)
        else:
            groups.append([point])
    labels: list[LevelLabel] = []
    for group in groups:
        text = ", ".join(point.key for point in group)
        label = LevelLabel(group[len(group) // 2], text, "middle")
        if labels and _reach(labels[-1]) + _reach(label) > place(label) - place(labels[-1]):
            before, gap = labels[-1], place(label) - place(labels[-1])
            # The one before goes aside only if it must: there a roof may stand.
            if before.anchor == "middle" and _reach(before) > gap - _LEAN:
                labels[-1] = replace(before, anchor="end")
            label = replace(label, anchor="start")
        labels.append(label)
    return labels


def _reach(label: LevelLabel) -> float:
    """How far a label goes to either side of its point."""
    return measure_text(label.text) / 2 + 3


def list_roof_ends(
    roof: Roof, roofs: Sequence[Roof], x: Scale, y: Scale
) -> tuple[tuple[float, float], ...]:
    """The two ends of a roof, as values of both axes: bandwidths lean against the highest rate."""
    flat = max((other.height for other in roofs if not other.is_bandwidth), default=y.high)
    steep = max((other.height for other in roofs if other.is_bandwidth), default=math.inf)
    if roof.is_bandwidth:
        start = max(x.low, y.low / roof.height)
        end = min(x.high, min(flat, y.high) / roof.height)
        return (start, start * roof.height), (end, end * roof.height)
    start = max(x.low, roof.height / steep)
    return (start, roof.height), (x.high, roof.height)


def _draw_roofs(chart: Chart, frame: Frame) -> Iterator[Markup]:
    for number, roof in enumerate(chart.roofs):
        (x1, y1), (x2, y2) = list_roof_ends(roof, chart.roofs, frame.x, frame.y)
        if x1 >= x2:
            continue
        yield Markup(
            '<path class="course-chart__roof course-chart__roof--{}" d="M{} {}L{} {}"/>'
        ).format(
            number % 3,
            _n(frame.across(x1)),
            _n(frame.up(y1)),
            _n(frame.across(x2)),
            _n(frame.up(y2)),
        )


def _text(
    across: float,
    down: float,
    text: str,
    anchor: str = "start",
    *,
    turned: bool = False,
    kind: str = "",
) -> Markup:
    place = Markup('x="{}" y="{}"').format(_n(across), _n(down))
    if kind:
        place = Markup('class="{}" ').format(kind) + place
    if turned:
        place += Markup(' transform="rotate(-40 {} {})"').format(_n(across), _n(down))
    if anchor != "start":
        place += Markup(' text-anchor="{}"').format(anchor)
    return Markup("<text {}>{}</text>").format(place, show_on_line(text))


def _n(value: float) -> str:
    """A place in the picture, to a tenth."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
