"""A chart draws the record's values, in the picture and for Plotly alike, and harms no page."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import plotly.graph_objects
import pytest
from selectolax.lexbor import LexborNode

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.pages.chart_scale import Scale, compose_linear, compose_log
from tests.claims.test_charts import SIZE_TEXT, SIZES, make_measured
from tests.pages.conftest import Page

Convert = Callable[..., Page]

ASSETS = Path(__file__).parents[2] / "build_tools" / "pages" / "assets"
TIMES = "/// chart | add\n    x: case\n    y: time\n    by: kernel\n///\n"
SPEEDUP = "/// chart | add\n    x: case\n    y: speedup\n///\n"
ROOFLINE = """\
/// chart | add
    kind: roofline
    y: a = rate["16", "a"]; b = rate["1,024", "b"]
    x: a, L2 = intensity; a, DRAM = 8 * intensity; b, L2 = intensity
    roofs: L2 = bandwidth; all of it = 2 * rate["1,024", "b"]
///
"""


@pytest.fixture(scope="module")
def sizes(tmp_path_factory: pytest.TempPathFactory) -> Course:
    root = tmp_path_factory.mktemp("sizes")
    make_measured(root, SIZES, SIZE_TEXT)
    return load_course(root)


def read_figure(page: Page) -> Any:
    return read_figure_of(page.one("figure"))


def read_places(path: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", path)]


class Picture:
    """A picture read back: its vertical axis from the numbers beside it, and its marks."""

    def __init__(self, svg: LexborNode, *, is_log: bool) -> None:
        self.svg = svg
        self.is_log = is_log
        down = {}
        for text in svg.css("text[text-anchor=end]"):
            number = text.text().replace(",", "")
            if re.fullmatch(r"-?\d+(\.\d+)?", number):
                down[float(number)] = float(text.attributes["y"] or "") - 13 * 0.36
        low, high = min(down), max(down)
        self.low, self.top, self.bottom, self.high = low, down[high], down[low], high

    def value(self, down: float) -> float:
        """The value at a height, as a reader would take it from the axis."""
        share = (self.bottom - down) / (self.bottom - self.top)
        if self.is_log:
            return float(self.low * (self.high / self.low) ** share)
        return self.low + share * (self.high - self.low)

    def marks(self) -> dict[str, tuple[float, float, float]]:
        """Of each mark by its title: its value, and the ends of its error bar."""
        found = {}
        for title in self.svg.css("g > title"):
            group = title.parent
            assert group is not None
            bars, errors = group.css(".course-chart__bar"), group.css(".course-chart__error")
            if bars:
                down = read_places(bars[0].attributes["d"] or "")[2]
            else:
                marks = group.css(".course-chart__mark")
                down = read_places(marks[0].attributes["transform"] or "")[1]
            ends = read_places(errors[0].attributes["d"] or "") if errors else []
            high, low = (ends[1], ends[5]) if errors else (down, down)
            found[title.text()] = self.value(down), self.value(low), self.value(high)
        return found


@pytest.mark.parametrize("size", ["wide", "narrow"])
@pytest.mark.parametrize(
    ("block", "name", "unit", "is_log"),
    [(TIMES, "time", 1e3, False), (SPEEDUP, "speedup", 1.0, True)],
)
def test_the_picture_draws_the_values_of_the_record(
    example: Course, convert: Convert, size: str, block: str, name: str, unit: float, is_log: bool
) -> None:
    page = convert(block)
    picture = Picture(page.one(f"svg.course-chart__picture--{size}"), is_log=is_log)
    record = example.shelves["add"].shown_record
    assert record is not None
    readings = record.shown.measurements[name].readings
    samples = {s.keys: s for s in record.record.measurements if s.name == name}
    pixel = (picture.high - picture.low) / (picture.bottom - picture.top) * 0.15
    drawn = picture.marks()
    assert len(drawn) == len(readings)
    for keys, reading in readings.items():
        shown, low, high = next(
            ends
            for title, ends in drawn.items()
            if title.startswith(", ".join(reversed(keys)) + ": " + reading.text)
        )
        assert shown == pytest.approx(float(reading.value) * unit, abs=pixel)
        assert low == pytest.approx(samples[keys].band_low * unit, abs=pixel)
        assert high == pytest.approx(samples[keys].band_high * unit, abs=pixel)


def test_plotly_gets_the_values_of_the_record(example: Course, convert: Convert) -> None:
    page = convert(TIMES)
    figure = read_figure(page)
    plotly.graph_objects.Figure(figure)
    record = example.shelves["add"].shown_record
    assert record is not None
    readings = record.shown.measurements["time"].readings
    samples = {s.keys: s for s in record.record.measurements if s.name == "time"}
    assert [trace["name"] for trace in figure["data"]] == ["narrow", "wide"]
    for trace in figure["data"]:
        assert trace["type"] == "bar"
        assert figure["layout"]["xaxis"]["ticktext"] == ["small", "large"]
        for index, case in enumerate(("small", "large")):
            keys = case, trace["name"]
            value = float(readings[keys].value) * 1e3
            assert trace["x"][index] == index
            assert trace["y"][index] == value
            errors = trace["error_y"]
            assert value + errors["array"][index] == pytest.approx(samples[keys].band_high * 1e3)
            assert value - errors["arrayminus"][index] == pytest.approx(
                samples[keys].band_low * 1e3
            )
            hover = trace["hovertext"][index]
            assert hover.startswith(f"{trace['name']}, {case}<br>{readings[keys].text} ms<br>next")


@pytest.mark.parametrize("block", [TIMES, SPEEDUP, ROOFLINE])
def test_both_have_the_same_axes(
    example: Course, sizes: Course, convert: Convert, block: str
) -> None:
    page = convert(block, course=sizes if block == ROOFLINE else example)
    figure = read_figure(page)
    axis = figure["layout"]["yaxis"]
    svg = page.one("svg.course-chart__picture--wide")
    texts = [text.text() for text in svg.css("text")]
    assert axis["ticktext"] == texts[: len(axis["ticktext"])]
    assert (axis["type"] == "log") == (block != TIMES)
    ends = [math.log10(tick) if block != TIMES else tick for tick in axis["tickvals"]]
    assert axis["range"] == pytest.approx([ends[0], ends[-1]])


def test_the_numbers_stand_below_as_a_table(example: Course, convert: Convert) -> None:
    page = convert(TIMES)
    details = page.one("details.course-chart__numbers")
    assert "open" not in details.attributes
    heads = [head.text() for head in page.tree.css("thead th")]
    assert heads == ["kernel", "case", "time (ms)", "next process"]
    record = example.shelves["add"].shown_record
    assert record is not None
    readings = record.shown.measurements["time"].readings
    rows = [[cell.text() for cell in row.css("th, td")] for row in page.tree.css("tbody > tr")]
    assert [row[:3] for row in rows] == [
        [kernel, case, readings[case, kernel].text]
        for kernel in ("narrow", "wide")
        for case in ("small", "large")
    ]
    assert all(re.fullmatch(r"[\d.]+ to [\d.]+ ms", row[3]) for row in rows)


def test_a_chart_keeps_to_the_contract_of_the_page_check(convert: Convert) -> None:
    page = convert(TIMES.replace("by: ", "title: Times of <all>\n    by: ") + "\n" + SPEEDUP)
    figures = page.tree.css("figure.course-chart")
    assert [f.attributes["data-course-directive"] for f in figures] == ["0", "1"]
    assert [f.attributes["data-course-chart"] for f in figures] == ["add", "add"]
    assert [f.attributes["id"] for f in figures] == ["chart-add", "chart-add--2"]
    assert page.rendered.is_whole
    still = figures[0].css_first(".course-chart__still")
    assert still is not None
    assert still.attributes["role"] == "img"
    assert still.attributes["aria-labelledby"] == "chart-add-caption"
    caption = page.tree.css_first("#chart-add-caption")
    assert caption is not None
    assert caption.text() == (
        "add on NVIDIA H200, 2026-12-01: time (ms) by case and kernel, the shown run of "
        "10 processes (record); error bars span where the next process is expected"
    )
    assert page.text(".course-chart__title") == "Times of <all>"
    svg = page.tree.css("svg")
    assert all(picture.attributes["aria-hidden"] == "true" for picture in svg)
    # One colour needs no legend, two do.
    words = [[text.text() for text in picture.css("text")] for picture in svg]
    assert "narrow" in words[0]
    assert read_figure_of(figures[0])["layout"]["showlegend"] is True
    assert read_figure_of(figures[1])["layout"]["showlegend"] is False


def read_figure_of(figure: LexborNode) -> Any:
    return json.loads(figure.attributes["data-course-figure"] or "")


def test_a_ratio_is_read_against_one(convert: Convert) -> None:
    figure = read_figure(convert(SPEEDUP))
    assert figure["layout"]["yaxis"]["type"] == "log"
    assert figure["layout"]["yaxis"]["range"][0] == 0.0
    assert figure["layout"]["annotations"][0]["text"] == "speedup, log scale"


def test_a_roofline_leans_bandwidths_against_rates(sizes: Course, convert: Convert) -> None:
    page = convert(ROOFLINE, course=sizes)
    figure = read_figure(page)
    plotly.graph_objects.Figure(figure)
    kernels, roofs = figure["data"][:2], figure["data"][2:]
    assert [kernel["x"] for kernel in kernels] == [[2.0, 16.0], [2.0]]
    assert [kernel["text"] for kernel in kernels] == [["L2", "DRAM"], ["L2"]]
    record = sizes.shelves["add"].shown_record
    assert record is not None
    rate = {k: float(r.value) / 1e9 for k, r in record.shown.measurements["rate"].readings.items()}
    assert kernels[0]["y"] == pytest.approx([rate["16", "a"]] * 2)
    assert kernels[1]["y"] == pytest.approx([rate["1,024", "b"]])
    lean, flat = roofs
    slope, top = rate["16", "b"] / 2, 2 * rate["1,024", "b"]
    for x, y in zip(lean["x"], lean["y"], strict=True):
        assert y == pytest.approx(slope * x)
    assert lean["y"][1] == pytest.approx(top)
    assert flat["y"] == pytest.approx([top, top])
    assert flat["x"][0] == pytest.approx(lean["x"][1])
    heads = [head.text() for head in page.tree.css("thead th")]
    assert heads == ["kernel", "level", "FLOP/byte", "GFLOP/s", "next process"]
    rows = [[cell.text() for cell in row.css("th, td")] for row in page.tree.css("tbody > tr")]
    assert [row[:3] for row in rows] == [["a", "L2", "2"], ["a", "DRAM", "16"], ["b", "L2", "2"]]
    assert "L2, 10.1 GB/s, which is bandwidth;" in page.text("details > p")


def test_labels_of_levels_keep_apart(sizes: Course, convert: Convert) -> None:
    """Marks that touch share a label; labels that would touch lean apart, on a phone as well."""
    levels = "a, lanes = intensity; a, first = 1.05 * intensity; a, second = 2 * intensity"
    block = ROOFLINE.replace("a, L2 = intensity; a, DRAM = 8 * intensity", levels)
    block = block.replace("b, L2 = intensity", "b, L2 = 50 * intensity")
    page = convert(block, course=sizes)
    for size in ("wide", "narrow"):
        svg = page.one(f"svg.course-chart__picture--{size}")
        texts = {text.text(): text for text in svg.css("text")}
        # Where there is room only the second goes aside: the first keeps to its mark.
        anchor = "middle" if size == "wide" else "end"
        assert texts["lanes, first"].attributes["text-anchor"] == anchor
        assert "text-anchor" not in texts["second"].attributes
    figure = read_figure(page)
    assert figure["data"][0]["text"] == ["", "lanes, first", "second"]
    assert figure["data"][0]["textposition"][1:] == ["bottom center", "bottom right"]
    assert figure["layout"]["meta"]["data"][0]["text"] == ["", "lanes, first", "second"]


HOSTILE = "</script><b>&'\""
HOSTILE_TEXT = """\
key              name     time (ms)
---------------  -------  ---------
</script><b>&'"  ab\u202e      1.5{n}
</script><b>&'"  $x<i>$      2.5{n}
"""


def test_what_a_program_prints_harms_neither_page_nor_script(
    convert: Convert, tmp_path: Path
) -> None:
    declared = '[tables.t]\ncolumns = { key = "key", name = "key", time = "time (ms)" }\n'
    make_measured(tmp_path, declared, HOSTILE_TEXT)
    course = load_course(tmp_path)
    block = "/// chart | add\n    x: key\n    y: time\n    by: name\n///\n"
    page = convert(f"{block}\nAfter *all*.\n", course=course)
    assert not page.tree.css("script, b, i")
    assert page.tree.css("p > em")[0].text() == "all"
    assert page.rendered.is_whole
    written = page.html.partition(" data-course-figure='")[2].partition("'>")[0]
    assert not set("<>&'") & set(written)
    figure = read_figure(page)
    assert figure == json.loads(written)
    # Plotly reads a little HTML: the text comes to it escaped.
    assert figure["layout"]["xaxis"]["ticktext"] == ["&lt;/script&gt;&lt;b&gt;&amp;'\""]
    assert [trace["name"] for trace in figure["data"]] == ["ab⟨U+202E⟩", "$x&lt;i&gt;$"]
    words = [text.text() for text in page.one("svg.course-chart__picture--wide").css("text")]
    assert HOSTILE in words
    assert {"ab⟨U+202E⟩", "$x<i>$"} <= set(words)


def test_one_process_has_no_band_and_none_is_told(convert: Convert, tmp_path: Path) -> None:
    from tests.course_factory import CHECK, DECLARATION, PROGRAM, make_course, make_transcripts

    make_course(
        tmp_path,
        {"add": PROGRAM.format(name="add")},
        {"add": DECLARATION},
        {"add": make_transcripts(1)},
        checks={"add": CHECK},
    )
    page = convert(TIMES, course=load_course(tmp_path))
    assert page.text("figcaption").endswith("the shown run of 1 process (record)")
    assert not page.tree.css(".course-chart__error")
    assert not [trace for trace in read_figure(page)["data"] if "error_y" in trace]
    assert [row.css("td")[-1].text() for row in page.tree.css("tbody > tr")] == [""] * 4


@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_lines_go_through_their_points(sizes: Course, convert: Convert, size: str) -> None:
    block = "/// chart | add\n    x: size\n    y: rate\n    by: kernel\n///\n"
    page = convert(block, course=sizes)
    svg = page.one(f"svg.course-chart__picture--{size}")
    lines = [read_places(line.attributes["d"] or "") for line in svg.css(".course-chart__line")]
    marks = [
        read_places(mark.attributes["transform"] or "")
        for mark in svg.css("g > .course-chart__mark")
    ]
    assert len(lines) == 2
    assert [*lines[0], *lines[1]] == [place for mark in marks for place in mark]
    # Sixteen and 32 are one step of two, 32 and 1,024 are five.
    first = lines[0][::2]
    assert (first[2] - first[1]) / (first[1] - first[0]) == pytest.approx(5, rel=0.02)
    figure = read_figure(page)
    plotly.graph_objects.Figure(figure)
    assert [trace["mode"] for trace in figure["data"]] == ["lines+markers"] * 2
    assert figure["layout"]["xaxis"]["type"] == "log"
    assert figure["data"][0]["x"] == [16.0, 32.0, 1024.0]


def test_the_same_page_has_the_same_bytes(example: Course, convert: Convert) -> None:
    assert convert(TIMES + SPEEDUP).html == convert(TIMES + SPEEDUP).html
    again = load_course(example.root)
    assert convert(TIMES, course=again).html == convert(TIMES).html


@pytest.mark.parametrize("keys", [3, 6, 24])
def test_words_stay_in_the_picture(convert: Convert, tmp_path: Path, keys: int) -> None:
    """Neither the legend nor the words below the axis leave it, and none lies on its neighbour."""
    names = ["naive 16x16", "padded by 4", "B", "rows again", "tiled twice", "wide blocks"]
    rows = [f"number {k:02} long  {name:11}  {k + 1}.5{{n}}" for k in range(keys) for name in names]
    text = f"key             name         time (ms)\n{'-' * 14}  {'-' * 11}  ---------\n"
    declared = '[tables.t]\ncolumns = { key = "key", name = "key", time = "time (ms)" }\n'
    make_measured(tmp_path, declared, text + "\n".join(rows) + "\n")
    block = "/// chart | add\n    x: key\n    y: time\n    by: name\n///\n"
    page = convert(block, course=load_course(tmp_path))
    for svg in page.tree.css("svg"):
        width, height = map(float, (svg.attributes["viewBox"] or "").split()[2:])
        boxes = []
        for node in svg.css("text"):
            across, down = (float(node.attributes[name] or "") for name in ("x", "y"))
            wide = len(node.text()) * 13 * 0.56
            start = {"end": across - wide, "middle": across - wide / 2}.get(
                node.attributes.get("text-anchor") or "", across
            )
            if node.attributes.get("transform"):
                start = across - wide * math.cos(math.radians(40))
                assert down + wide * math.sin(math.radians(40)) <= height
            else:
                boxes.append((start, start + wide, down))
                assert start + wide <= width + 1
            assert start >= -1
            assert 0 <= down <= height
        for n, (start, end, down) in enumerate(boxes):
            for other, stop, level in boxes[n + 1 :]:
                assert abs(level - down) >= 10 or end <= other + 1 or stop <= start + 1


@pytest.mark.parametrize(
    ("block", "what", "advice"),
    [
        ("/// chart | ad\n    x: case\n    y: time\n///\n", "no program ad", "add"),
        (TIMES.replace("y: time", "y: tme"), "nothing measured is named tme", "time"),
        (TIMES.replace("    by: kernel\n", ""), "2 values stand at small", "write by: kernel"),
    ],
)
def test_what_cannot_be_drawn_says_so(convert: Convert, block: str, what: str, advice: str) -> None:
    told = convert(block).text(".course-missing")
    assert what in told
    assert advice in told


def test_without_a_record_the_chart_says_so(convert: Convert, tmp_path: Path) -> None:
    from tests.course_factory import DECLARATION, PROGRAM, make_course

    make_course(tmp_path, {"add": PROGRAM.format(name="add")}, {"add": DECLARATION}, {})
    told = convert(TIMES, course=load_course(tmp_path)).text(".course-missing")
    assert "there is no record of add; run course run add" in told


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 8000, ["0", "2,000", "4,000", "6,000", "8,000"]),
        (3, 25.8, ["0", "10", "20", "30"]),
        (-2, 3, ["-2", "-1", "0", "1", "2", "3"]),
        (0, 0, ["0", "1"]),
        (0.0012, 0.0098, ["0.000", "0.002", "0.004", "0.006", "0.008", "0.010"]),
        (0, 12, ["0.0", "2.5", "5.0", "7.5", "10.0", "12.5"]),
    ],
)
def test_even_ticks(low: float, high: float, ticks: list[str]) -> None:
    check_scale(compose_linear(low, high), low, high, ticks)


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (1, 1.49, ["1.0", "1.1", "1.2", "1.3", "1.4", "1.5"]),
        (5, 326, ["5", "10", "20", "50", "100", "200", "500"]),
        (0.0003, 70, ["0.0001", "0.001", "0.01", "0.1", "1", "10", "100"]),
        (1, 1, ["1.00", "1.02"]),
        (0.13, 0.98, ["0.0", "0.2"]),
    ],
)
def test_log_ticks(low: float, high: float, ticks: list[str]) -> None:
    scale = compose_log(low, high)
    check_scale(scale, low, high, ticks if ticks[0] != "0.0" else [t.text for t in scale.ticks])
    assert scale.low > 0


def check_scale(scale: Scale, low: float, high: float, ticks: list[str]) -> None:
    assert [tick.text for tick in scale.ticks] == ticks
    assert scale.low <= low
    assert scale.high >= high
    assert scale.place(scale.low) == 0
    assert scale.place(scale.high) == pytest.approx(1)
    assert all(-1e-9 <= scale.place(tick.value) <= 1 + 1e-9 for tick in scale.ticks)


def test_the_bundle_of_plotly_is_the_one_that_is_pinned() -> None:
    """The script lets a browser run no other; what the package ships is that one, licence beside it."""
    script = (ASSETS / "chart.js").read_text()
    (name,) = re.findall(r'BUNDLE = "([^"]+)"', script)
    (digest,) = re.findall(r'DIGEST = "sha256-([^"]+)"', script)
    bundle = (ASSETS / name).read_bytes()
    assert base64.b64encode(hashlib.sha256(bundle).digest()).decode() == digest
    assert hashlib.sha256(bundle).hexdigest() == (
        "99784e3abfb07b142a15e521a439e6d9addceadb3f79553fd24c72774f0649ba"
    )
    assert (
        f"plotly.js (basic - minified) v{name.split('-')[2].removesuffix('.min.js')}".encode()
        in bundle[:200]
    )
    licence = ASSETS / name.replace(".min.js", ".LICENSE.txt")
    assert licence.read_text().startswith("MIT License")
    assert {path.name for path in ASSETS.iterdir()} == {"chart.js", name, licence.name}
