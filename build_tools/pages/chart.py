"""How do a record's values look drawn? A picture, its numbers as a table, and a Plotly figure."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from build_tools.claims.chart_model import Chart, ChartKind
from build_tools.claims.charts import read_chart
from build_tools.claims.model import Course, Directive
from build_tools.claims.names import NoEvidenceError
from build_tools.pages.chart_figure import render_figure
from build_tools.pages.chart_frame import SIZES
from build_tools.pages.chart_picture import render_picture
from build_tools.pages.chart_words import describe_point
from build_tools.pages.lookup import Absence, find_program, find_shown_record
from build_tools.pages.printed import format_date
from build_tools.pages.template import fill_template


@dataclass(frozen=True)
class NumbersRow:
    """A row of the table behind a chart: its keys, its numbers, and the band of the next process."""

    keys: tuple[str, ...]
    numbers: tuple[str, ...]
    band: str


def render_chart(course: Course, directive: Directive, identity: str) -> Markup | Absence:
    """The chart that ``directive`` asks for, as HTML."""
    program = find_program(course, directive.argument)
    if isinstance(program, Absence):
        return program
    try:
        chart, problems = read_chart(course, program, directive.options)
    except NoEvidenceError as error:
        return Absence(str(error), error.advice)
    if problems:
        return Absence(problems[0].what, problems[0].advice)
    if chart is None:
        record = find_shown_record(course, program)
        advice = f"run `course run {program.name}`"
        return record if isinstance(record, Absence) else Absence("the record holds no run", advice)
    return fill_template(
        "chart",
        directive=directive,
        identity=identity,
        program=program,
        record=chart.record,
        date=format_date(chart.record.record.started),
        title=directive.options.get("title", ""),
        chart=chart,
        pictures=[render_picture(chart, size) for size in SIZES],
        figure=render_figure(chart),
        heads=list_heads(chart),
        rows=list_rows(chart),
    )


def list_heads(chart: Chart) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The heads of the table behind a chart: those of keys, and those of numbers."""
    if chart.kind is ChartKind.ROOFLINE:
        return ("kernel", "level"), (chart.x.label, chart.y.label)
    keys = (chart.by, chart.x.title) if chart.by else (chart.x.title,)
    return keys, (chart.y.label,)


def list_rows(chart: Chart) -> list[NumbersRow]:
    """What is drawn, a row a point."""
    rows = []
    for series in chart.series:
        for point in series.points:
            words = describe_point(chart, series, point)
            keys = (series.name, point.key) if list_heads(chart)[0][1:] else (point.key,)
            numbers = (words.x, words.value) if words.x else (words.value,)
            units = (chart.x.unit, chart.y.unit) if words.x else (chart.y.unit,)
            bare = tuple(
                number.removesuffix(f" {unit}") if unit else number
                for number, unit in zip(numbers, units, strict=True)
            )
            band = "; ".join(text for text in (words.x_band, words.band) if text)
            rows.append(NumbersRow(keys, bare, band))
    return rows
