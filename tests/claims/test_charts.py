"""Can a block ask for a chart that cannot be drawn? Each way has its place and its advice."""

from __future__ import annotations

from pathlib import Path

import pytest

from build_tools.claims.chart_model import Chart, ChartKind
from build_tools.claims.chart_options import list_block_programs, split_outside
from build_tools.claims.charts import read_chart
from build_tools.claims.check import check_course, check_page
from build_tools.claims.choose_pages import list_program_pages
from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Finding, Kind
from tests.course_factory import (
    CHECK,
    DECLARATION,
    PROGRAM,
    make_course,
    make_example,
    make_transcripts,
)

SIZES = """\
[tables.sizes]
columns = { size = "key", kernel = "key", rate = "GFLOP/s", loads = "loads", gain = "gain" }
rows = 6

[quantities]
flop = { expression = '1000 * source.kBlock', unit = "FLOP" }
bytes = { expression = '500 * source.kBlock', unit = "B" }
one_second = { expression = 'flop / rate["16", "a"] / 1', unit = "s" }
intensity = 'flop / bytes'
bandwidth = 'rate["16", "b"] / intensity'
nothing = 'flop - flop'
"""
REGIONS = '\n[regions.add-kernel]\nneeds = ["block"]\n'
SIZE_TEXT = """\
size   kernel  GFLOP/s  loads   gain
-----  ------  -------  -----  -----
16     a         10.{n}     32   0.50
16     b         20.{n}     16   2.50
32     a         11.{n}     64   0.00
32     b         25.{n}     32   1.50
1,024  a         12.{n}    128   1.25
1,024  b         60.{n}     64   1.75
"""


def make_measured(root: Path, declared: str, text: str) -> None:
    """A course whose program printed this text in each process, `{n}` a little different."""
    make_course(
        root,
        {"add": PROGRAM.format(name="add")},
        {"add": declared + REGIONS},
        {"add": [text.format(n=10 + n) for n in range(10)]},
        checks={"add": CHECK},
    )


def make_sizes(root: Path) -> None:
    """A course whose program measured by numbers."""
    make_measured(root, SIZES, SIZE_TEXT)


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    words, sizes = (tmp_path_factory.mktemp(name) for name in ("words", "sizes"))
    make_example(words)
    make_sizes(sizes)
    return {"words": words, "sizes": sizes}


def check_block(root: Path, options: str) -> tuple[Course, list[Finding]]:
    lines = "".join(f"    {line}\n" for line in options.split("\n"))
    page = root / "docs" / "page.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text(f"# Chart\n\n/// chart | add\n{lines}///\n")
    course = load_course(root)
    assert course.findings == ()
    return course, check_page(course, "docs/page.md")[1]


def read(root: Path, **options: str) -> Chart:
    course = load_course(root)
    chart, problems = read_chart(course, course.programs["add"], options)
    assert problems == []
    assert chart is not None
    return chart


ROOFLINE = 'kind: roofline\ny: a = rate["16", "a"]\nx: a, L2 = intensity\nroofs: L2 = bandwidth'


@pytest.mark.parametrize(
    ("where", "options", "true", "advice"),
    [
        ("words", "x: case", "does not say what is drawn", "write `y: ` with a column's name"),
        ("words", "x: case\ny: tme", "nothing measured is named `tme`", "did you mean `time`"),
        ("words", "x: case\ny: kernel", "`y: kernel` is a key, and no number", "`x: kernel`"),
        ("words", "y: time", "what stands along the axis", "`x: case` or `x: kernel`"),
        ("words", "x: cse\ny: time", "`x: cse` is no key of `time`", "did you mean `case`"),
        ("words", "x: time\ny: rate", "`x: time` is no key of `rate`", "case"),
        ("words", "x: case\ny: time\nby: kernl", "`by: kernl` is no key", "`kernel`"),
        ("words", "x: case\ny: time\nby: case", "both name `case`", "leave `by` out"),
        ("words", "x: case\ny: speedup\nby: kernel", "`by: kernel` is no key of `speedup`", "case"),
        (
            "words",
            "x: case\ny: time",
            "2 values stand at `small`",
            "write `by: kernel`, or choose with `only: kernel = narrow`",
        ),
        ("words", "x: case\ny: time\nby: kernel\nscale: logs", "`scale` is `logs`", "`scale: log`"),
        ("words", "x: case\ny: time\nby: kernel\nkind: pie", "`kind` is `pie`", "`kind: bars` or"),
        (
            "words",
            "x: case\ny: time\nby: kernel\nscale: log\nkind: bars",
            "a log axis has no zero",
            "write `kind: points`, or `scale: linear`",
        ),
        (
            "words",
            "x: case\ny: time\nby: kernel\nkind: lines",
            "lines join numbers, and `case` has the key `small`",
            "write `kind: points` or `kind: bars`",
        ),
        (
            "words",
            "x: case\ny: time\nonly: kernel = wid",
            "`only` names `wid`, and `kernel` has no such key",
            "did you mean `wide`",
        ),
        (
            "words",
            "x: case\ny: time\nby: kernel\nwithout: krnel = wide",
            "`without` names `krnel`, which is no key",
            "`kernel`",
        ),
        (
            "words",
            "x: case\ny: time\nby: kernel\nonly: kernel",
            "`only` holds `kernel`",
            "write `only: name = …; name = …`",
        ),
        (
            "words",
            "x: case\ny: time\nonly: kernel = wide; kernel = narrow",
            "`only` names `kernel` twice",
            "keep one",
        ),
        (
            "words",
            "x: case\ny: time\nonly: kernel = wide\nwithout: kernel = wide",
            "no row is left",
            "leave `only` and `without` out",
        ),
        (
            "words",
            "x: case\ny: speedup\nroofs: a = time",
            "only a roofline has `roofs`",
            "roofline",
        ),
        ("words", "x: case\ny: speedup\nyy: 1", "`chart` has no such option", "`y`"),
        ("sizes", "x: size\ny: gain\nby: kernel\nscale: log", "no place for 0", "`scale: linear`"),
        ("sizes", f"{ROOFLINE}\nby: kernel", "a roofline has no `by`", "takes x, y, roofs"),
        ("sizes", "kind: roofline", "a roofline needs `y`", "write `y: kernel = its FLOP/s`"),
        (
            "sizes",
            ROOFLINE.replace("a, L2", "a"),
            "`x` names no level for `a`",
            "write `x: a, level = …`",
        ),
        ("sizes", ROOFLINE.replace("x: a,", "x: ab,"), "`x` names the kernel `ab`", "`a`"),
        (
            "sizes",
            ROOFLINE.replace("y: a", 'y: b = rate["16", "b"]; a'),
            "`x` has no level of `b`",
            "or leave it out of `y`",
        ),
        ("sizes", ROOFLINE.replace("= intensity", "= intens"), "has no `intens`", "`intensity`"),
        ("sizes", ROOFLINE.replace("= intensity", "= flop"), "in `x` is FLOP", "in FLOP/byte"),
        ("sizes", ROOFLINE.replace("= bandwidth", "= bytes"), "in `roofs` is B", "B/s or FLOP/s"),
        (
            "sizes",
            ROOFLINE.replace("= bandwidth", "= nothing / one_second"),
            "is not above zero",
            "leave it out",
        ),
        ("sizes", ROOFLINE.replace("= bandwidth", '= rate["16"]'), "2 are needed", "<size>"),
    ],
)
def test_what_cannot_be_drawn(
    roots: dict[str, Path], where: str, options: str, true: str, advice: str
) -> None:
    _, findings = check_block(roots[where], options)
    assert findings
    told = findings[0]
    assert told.kind is Kind.DIRECTIVE
    assert (told.place.path, told.place.column) == (
        "docs/page.md",
        5 if "no such option" in true else 1,
    )
    assert told.place.line == (6 if "no such option" in true else 3)
    assert true in told.true
    assert advice in told.advice


def test_all_that_is_wrong_is_told_at_once(roots: dict[str, Path]) -> None:
    _, findings = check_block(roots["words"], "x: cse\nby: krnel\ny: time\nonly: size = 1")
    assert [finding.true for finding in findings] == [
        "`x: cse` is no key of `time`",
        "`by: krnel` is no key of `time`",
        "`only` names `size`, which is no key of these rows",
    ]


def make_many(keys: int, series: int) -> str:
    rows = [f"k{k:02}   s{s:02}  {k + s + 1}.5{{n}}" for k in range(keys) for s in range(series)]
    return "key   name  time (ms)\n----  ----  ---------\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    ("keys", "series", "true", "advice"),
    [
        (2, 7, "`name` has 7 keys, and 6 at most are told apart", "`only: name = …`"),
        (25, 2, "`key` has 25 keys, and 24 at most are named along an axis", "`only: key = …`"),
    ],
)
def test_too_many_are_told(tmp_path: Path, keys: int, series: int, true: str, advice: str) -> None:
    declared = '[tables.t]\ncolumns = { key = "key", name = "key", time = "time (ms)" }\n'
    make_measured(tmp_path, declared, make_many(keys, series))
    _, findings = check_block(tmp_path, "x: key\ny: time\nby: name")
    assert [finding.true for finding in findings] == [true]
    assert advice in findings[0].advice


@pytest.mark.parametrize(
    ("where", "options", "kind", "is_log"),
    [
        ("words", {"x": "case", "y": "time", "by": "kernel"}, ChartKind.BARS, False),
        ("words", {"x": "case", "y": "speedup"}, ChartKind.POINTS, True),
        ("words", {"x": "case", "y": "speedup", "scale": "linear"}, ChartKind.BARS, False),
        ("sizes", {"x": "size", "y": "rate", "by": "kernel"}, ChartKind.LINES, False),
        ("sizes", {"x": "size", "y": "loads", "by": "kernel"}, ChartKind.LINES, False),
        ("sizes", {"x": "kernel", "y": "loads", "by": "size"}, ChartKind.BARS, False),
        ("sizes", {"x": "size", "y": "gain", "by": "kernel"}, ChartKind.LINES, False),
        ("sizes", {"x": "size", "y": "gain", "only": "kernel = b"}, ChartKind.LINES, True),
    ],
)
def test_kind_and_scale_follow_from_what_was_measured(
    roots: dict[str, Path], where: str, options: dict[str, str], kind: ChartKind, is_log: bool
) -> None:
    chart = read(roots[where], **options)
    assert (chart.kind, chart.y.is_log) == (kind, is_log)


def test_points_are_the_records_values_and_bands(roots: dict[str, Path]) -> None:
    chart = read(roots["words"], x="case", y="time", by="kernel")
    record = chart.record
    samples = {s.keys: s for s in record.record.measurements if s.name == "time"}
    readings = record.shown.measurements["time"].readings
    assert [series.name for series in chart.series] == ["narrow", "wide"]
    drawn = {}
    for series in chart.series:
        assert [point.key for point in series.points] == ["small", "large"]
        assert [point.x.value for point in series.points] == [0.0, 1.0]
        for point in series.points:
            drawn[point.key, series.name] = point
    assert drawn.keys() == readings.keys() == samples.keys()
    for keys, point in drawn.items():
        assert point.y.value == pytest.approx(float(readings[keys].value) * 1e3)
        assert point.printed == readings[keys].text
        assert point.y.low == pytest.approx(samples[keys].band_low * 1e3)
        assert point.y.high == pytest.approx(samples[keys].band_high * 1e3)
        assert point.y.low < point.y.value < point.y.high


def test_numbers_far_apart_stand_on_a_log_axis(roots: dict[str, Path]) -> None:
    chart = read(roots["sizes"], x="size", y="rate", by="kernel")
    assert chart.x.is_log
    assert chart.x.values == (16.0, 32.0, 1024.0)
    assert [point.x.value for point in chart.series[0].points] == [16.0, 32.0, 1024.0]
    near = read(roots["sizes"], x="size", y="rate", by="kernel", only="size = 16, 32", kind="lines")
    assert not near.x.is_log


def test_a_roofline_reads_expressions_as_quantities_do(roots: dict[str, Path]) -> None:
    course, findings = check_block(
        roots["sizes"],
        'kind: roofline\ny: a = rate["16", "a"];\n  b = rate["1,024", "b"]\n'
        "x:\n  a, L2 = intensity; a, DRAM = 2 * intensity;\n  b, L2 = intensity\n"
        'roofs: L2 = bandwidth; all = rate["1,024", "b"]',
    )
    assert findings == []
    directive = scan_page((roots["sizes"] / "docs/page.md").read_text(), "docs/page.md").directives
    chart, _ = read_chart(course, course.programs["add"], directive[0].options)
    assert chart is not None
    readings = chart.record.shown.measurements["rate"].readings
    levels = [(s.name, p.key, p.x.value, p.y.value) for s in chart.series for p in s.points]
    slow, fast = (float(readings[keys].value) / 1e9 for keys in (("16", "a"), ("1,024", "b")))
    assert levels == [
        ("a", "L2", 2.0, pytest.approx(slow)),
        ("a", "DRAM", 4.0, pytest.approx(slow)),
        ("b", "L2", 2.0, pytest.approx(fast)),
    ]
    assert all(p.y.low < p.y.value < p.y.high for s in chart.series for p in s.points)
    half = float(readings["16", "b"].value) / 1e9 / 2
    assert [(r.name, r.is_bandwidth, r.height) for r in chart.roofs] == [
        ("L2", True, pytest.approx(half)),
        ("all", False, pytest.approx(fast)),
    ]
    assert chart.roofs[0].text.endswith("GB/s")
    assert chart.roofs[0].expression == "bandwidth"


def test_a_line_indented_further_goes_on_only_where_it_may() -> None:
    page = "/// chart | add\n    y: a = b;\n        c = d\n    by: x\n        y\n///\n"
    scan = scan_page(page, "docs/page.md")
    assert [(f.place.line, f.stated) for f in scan.findings] == [(5, "`y`")]
    assert scan.rejected[0].options == {"y": "a = b; c = d", "by": "x"}
    page = "/// chart | add\n    y: a = b;\n    c = d\n///\n"
    assert [f.place.line for f in scan_page(page, "docs/page.md").findings] == [3]
    page = "/// chart | add\n    y: a = b;\n        by: kernel\n///\n"
    (directive,) = scan_page(page, "docs/page.md").directives
    assert directive.options == {"y": "a = b;", "by": "kernel"}


def test_marks_within_brackets_and_quotes_part_nothing() -> None:
    assert split_outside('a = f(b; c); d = x["e;f", "g"];', ";") == [
        "a = f(b; c)",
        'd = x["e;f", "g"]',
    ]


def test_a_page_rests_on_the_programs_that_its_roofs_name(tmp_path: Path) -> None:
    make_course(
        tmp_path,
        {name: PROGRAM.format(name=name) for name in ("add", "other")},
        {"add": SIZES + REGIONS, "other": DECLARATION},
        {"add": [SIZE_TEXT.format(n=10 + n) for n in range(10)], "other": make_transcripts()},
        checks={"add": CHECK, "other": CHECK},
    )
    course, findings = check_block(
        tmp_path, ROOFLINE.replace("L2 = b", 'L2 = other.rate["large", "wide"]; M = b')
    )
    assert findings == []
    (directive,) = scan_page((tmp_path / "docs/page.md").read_text(), "docs/page.md").directives
    assert list_block_programs(course, directive) == {"add", "other"}
    assert list(list_program_pages(course, "other")) == ["docs/page.md"]


def test_stale_evidence_of_another_program_is_told_where_its_roof_is_drawn(tmp_path: Path) -> None:
    make_course(
        tmp_path,
        {name: PROGRAM.format(name=name) for name in ("add", "other")},
        {"add": SIZES + REGIONS, "other": DECLARATION},
        {"add": [SIZE_TEXT.format(n=10 + n) for n in range(10)], "other": make_transcripts()},
        checks={"add": CHECK, "other": CHECK},
    )
    path = tmp_path / "snippets" / "other" / "other.cu"
    path.write_text(path.read_text().replace("kBlock = 256", "kBlock = 128"))
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    roofs = 'L2 = other.rate["large", "wide"]'
    options = ROOFLINE.replace("L2 = bandwidth", roofs).replace("\n", "\n    ")
    page.write_text(f"# Chart\n\n/// chart | add\n    {options}\n///\n")
    (told,) = check_page(load_course(tmp_path), "docs/page.md")[1]
    assert (told.kind, told.place.line, told.stated) == (Kind.STALE, 3, "`/// chart | add`")
    assert told.true == "`other` has no fresh record"
    assert "course run other" in told.advice


def test_a_fact_that_only_a_roof_cites_is_used(tmp_path: Path) -> None:
    make_sizes(tmp_path)
    (tmp_path / "snippets" / "quantities.toml").write_text(
        '[peak]\nvalue = "4.8"\nunit = "TB/s"\nsource = "https://example.org/x"\n'
        'quote = "4.8 TB/s of memory bandwidth"\ndate = 2026-11-01\n'
    )
    check_block(tmp_path, ROOFLINE.replace("= bandwidth", '= given["peak"]'))
    assert not [f for f in check_course(load_course(tmp_path)) if "peak" in f.stated]
    check_block(tmp_path, ROOFLINE)
    assert [f.stated for f in check_course(load_course(tmp_path)) if "peak" in f.stated] == [
        "fact `peak`"
    ]


def test_without_evidence_nothing_but_the_options_is_judged(tmp_path: Path) -> None:
    make_course(tmp_path, {"add": PROGRAM.format(name="add")}, {"add": DECLARATION}, {})
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    page.write_text("/// chart | add\n    x: case\n    y: time\n///\n")
    assert check_page(load_course(tmp_path), "docs/page.md")[1] == []
    page.write_text("/// chart | add\n    x: case\n    y: tme\n///\n")
    assert [f.kind for f in check_page(load_course(tmp_path), "docs/page.md")[1]] == [
        Kind.DIRECTIVE
    ]
