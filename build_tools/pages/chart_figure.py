"""What does Plotly get to draw? A figure as JSON, of the same values as the still picture.

Colours and fonts are not in it: the page's script takes them from the style sheet, in light and in
dark. Plotly reads texts as a little HTML, so all of them are escaped.
"""

from __future__ import annotations

import json
import math
from typing import Any

from markupsafe import Markup, escape

from build_tools.claims.chart_model import Chart, ChartKind, DrawnSeries, Point, Roof, Spread
from build_tools.diagnostics.visible import show_on_line
from build_tools.pages.chart_frame import SIZES, Frame, compose_frame
from build_tools.pages.chart_picture import is_fastest, label_axis, list_roof_ends, place_levels
from build_tools.pages.chart_scale import Scale
from build_tools.pages.chart_words import describe_point

_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross")
_DASHES = ("solid", "dash", "dot")

Figure = dict[str, Any]


def render_figure(chart: Chart) -> Markup:
    """The figure as JSON that may stand in an attribute, between apostrophes.

    Not in a script element: a theme that loads pages into the open one runs those as scripts.
    """
    figure = compose_figure(chart)
    _require_figure(figure)
    text = json.dumps(figure, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    for mark in "<>&'":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return Markup(text)  # noqa: S704 - nothing is left in it that HTML would read


def _require_figure(figure: Figure) -> None:
    """Have Plotly look at a figure: it raises ValueError for what it would not draw."""
    # Slow to import, and most pages have no chart.
    from plotly.graph_objects import Figure as PlotlyFigure

    PlotlyFigure(figure)


def compose_figure(chart: Chart) -> Figure:
    """Data and lay-out as Plotly's schema has them.

    ``meta`` numbers the colour of a trace, and in the lay-out holds what is other on a phone.
    """
    frame = compose_frame(chart, *SIZES["wide"])
    data = [_compose_trace(chart, number, frame) for number in range(len(chart.series))]
    data += [_compose_roof(chart, frame, number) for number in range(len(chart.roofs))]
    layout: Figure = {
        "autosize": True,
        "barmode": "group",
        "bargap": 0.25,
        "dragmode": False,
        "hovermode": "closest",
        "showlegend": bool(frame.legend),
        "legend": {
            "orientation": "h",
            # As wide as its words, as in the picture.
            "entrywidth": 0,
            "entrywidthmode": "pixels",
            "x": 0,
            "y": 1,
            "xref": "container",
            "yref": "container",
            "xanchor": "left",
            "yanchor": "top",
        },
        "xaxis": _compose_axis(frame.x) | _compose_keys(chart),
        "yaxis": _compose_axis(frame.y),
    }
    wide = _compose_places(chart, frame)
    layout["xaxis"] |= wide.pop("xaxis")
    narrow = compose_frame(chart, *SIZES["narrow"])
    layout |= wide | {"meta": _compose_places(chart, narrow)}
    if chart.kind is ChartKind.ROOFLINE:
        levels = [_compose_levels(chart, series, narrow) for series in chart.series]
        layout["meta"]["data"] = levels
    return {"data": data, "layout": layout}


def _compose_places(chart: Chart, frame: Frame) -> Figure:
    """What depends on how wide the chart is: margins, words below, and what stands above them."""
    said = {
        "text": _word(label_axis(chart.y)),
        "showarrow": False,
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "xshift": 4 - round(frame.left),
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "yshift": 6,
    }
    return {
        "annotations": [said],
        "margin": _compose_margin(frame),
        "xaxis": _compose_labels(frame),
    }


def _compose_axis(scale: Scale) -> Figure:
    ends = [math.log10(end) for end in (scale.low, scale.high)] if scale.is_log else None
    return {
        "type": "log" if scale.is_log else "linear",
        "range": ends or [scale.low, scale.high],
        "tickvals": [tick.value for tick in scale.ticks],
        "ticktext": [_word(tick.text) for tick in scale.ticks],
        "fixedrange": True,
        "zeroline": False,
    }


def _compose_margin(frame: Frame) -> Figure:
    return {
        "l": round(frame.left),
        "r": round(frame.width - frame.right),
        "t": round(frame.top),
        "b": round(frame.height - frame.bottom),
        "pad": 0,
    }


def _compose_labels(frame: Frame) -> Figure:
    """The words below the axis, broken or turned as in the picture: none may be left out."""
    return {
        "ticktext": ["<br>".join(_word(line) for line in lines) for lines in frame.labels],
        "tickangle": -40 if frame.is_turned else 0,
        "ticklabeloverflow": "allow",
    }


def _compose_keys(chart: Chart) -> Figure:
    """What the horizontal axis has of its own."""
    words = {"text": _word(label_axis(chart.x)), "font": {"size": 13}, "standoff": 8}
    title = {"title": words, "automargin": True}
    return title | ({"showgrid": False} if chart.x.keys else {})


def _compose_trace(chart: Chart, number: int, frame: Frame) -> Figure:
    series = chart.series[number]
    points = series.points
    trace: Figure = {
        "name": _word(series.name),
        "x": [point.x.value for point in points],
        "y": [point.y.value for point in points],
        "hovertext": [_describe(chart, series, point) for point in points],
        "hoverinfo": "text",
        "meta": number,
    }
    trace |= _compose_errors("error_y", [point.y for point in points])
    if chart.kind is ChartKind.ROOFLINE:
        trace |= _compose_errors("error_x", [point.x for point in points])
    if chart.kind is ChartKind.BARS:
        return trace | {"type": "bar"}
    mode = "lines+markers" if chart.kind is ChartKind.LINES else "markers"
    trace |= {"type": "scatter", "marker": {"size": 10, "symbol": _SYMBOLS[number]}}
    if chart.kind is ChartKind.ROOFLINE:
        mode = "markers+text"
        trace |= _compose_levels(chart, series, frame)
    return trace | {"mode": mode}


def _compose_levels(chart: Chart, series: DrawnSeries, frame: Frame) -> Figure:
    """The text beside each point, as in the picture: one of several that touch has it for all."""
    labels = {id(label.point): label for label in place_levels(series, frame)}
    side = "top" if is_fastest(chart, series) else "bottom"
    leans = {"start": "right", "middle": "center", "end": "left"}
    found = [labels.get(id(point)) for point in series.points]
    return {
        "text": [_word(label.text) if label else "" for label in found],
        "textposition": [f"{side} {leans[label.anchor] if label else 'center'}" for label in found],
    }


def _compose_errors(name: str, spreads: list[Spread]) -> Figure:
    above = [spread.high - spread.value for spread in spreads]
    below = [spread.value - spread.low for spread in spreads]
    if not any((*above, *below)):
        return {}
    return {name: {"type": "data", "symmetric": False, "array": above, "arrayminus": below}}


def _compose_roof(chart: Chart, frame: Frame, number: int) -> Figure:
    roof: Roof = chart.roofs[number]
    ends = list_roof_ends(roof, chart.roofs, frame.x, frame.y)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": _word(f"{roof.name}, {roof.text}"),
        "x": [x for x, _ in ends],
        "y": [y for _, y in ends],
        "line": {"dash": _DASHES[number % 3]},
        "hoverinfo": "skip",
        "meta": "roof",
        "zorder": -1,
    }


def _describe(chart: Chart, series: DrawnSeries, point: Point) -> str:
    words = describe_point(chart, series, point)
    lines = [words.where, words.value, f"at {words.x}" if words.x else ""]
    lines.append(f"next process: {words.band}" if words.band else "")
    return "<br>".join(_word(line) for line in lines if line)


def _word(text: str) -> str:
    """A text as Plotly shows it, whatever it holds."""
    return str(escape(show_on_line(text))).replace("&#39;", "'").replace("&#34;", '"')
