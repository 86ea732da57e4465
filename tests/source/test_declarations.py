from pathlib import Path

import pytest

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.source.declarations import read_declaration
from build_tools.source.line_rules import find_fields, is_measured
from build_tools.source.model import ColumnRule, Declaration

GOOD = """\
[tables.timings]
columns = { case = { key = "problem size" }, kernel = "key", time = "time (ms)", gflops = "GFLOP/s", loads = "loads/thread", least = "min", error = "worst (of all) (%)", note = "note" }
rows = 6

[lines]
speedup = "{case}: {{ {speedup:g}x }} {kernel:w}"
used = { pattern = "takes {working_set:>8d} B", units = { working_set = "B" } }

[quantities]
ratio = 'time["a", "naive"] / time["a", "tiled"]'
moved = { expression = "4 * 3", unit = "B" }

[requires]
compute_capability = "7.5"

[runs.small]
args = "--n 67 'a b'"

[regions.tiled-kernel]
needs = ["tile-size", "x"]

[regions."launch.it"]
kind = "host"

[run]
time_limit = 30
"""


def read(tmp_path: Path, text: str) -> tuple[Declaration, list[Finding]]:
    (tmp_path / "program.toml").write_text(text, encoding="utf-8")
    return read_declaration(tmp_path, "program.toml")


def test_everything_is_read(tmp_path: Path) -> None:
    declaration, findings = read(tmp_path, GOOD)
    assert findings == []
    (table,) = declaration.tables
    assert (table.name, table.rows, str(table.place)) == ("timings", 6, "program.toml:1:9")
    assert table.columns == (
        ColumnRule("case", "problem size", is_key=True),
        ColumnRule("kernel", "kernel", is_key=True),
        ColumnRule("time", "time (ms)", is_key=False, unit="ms"),
        ColumnRule("gflops", "GFLOP/s", is_key=False, unit="GFLOP/s"),
        ColumnRule("loads", "loads/thread", is_key=False, unit="loads/thread"),
        ColumnRule("least", "min", is_key=False),
        ColumnRule("error", "worst (of all) (%)", is_key=False, unit="%"),
        ColumnRule("note", "note", is_key=False),
    )
    assert [(line.name, line.pattern, dict(line.units)) for line in declaration.lines] == [
        ("speedup", "{case}: {{ {speedup:g}x }} {kernel:w}", {}),
        ("used", "takes {working_set:>8d} B", {"working_set": "B"}),
    ]
    assert declaration.quantities["ratio"].expression == 'time["a", "naive"] / time["a", "tiled"]'
    assert declaration.quantities["moved"].unit == "B"
    assert str(declaration.quantities["moved"].place) == "program.toml:11:1"
    assert declaration.requires_compute_capability == "7.5"
    assert declaration.runs == {"small": ("--n", "67", "a b")}
    assert declaration.time_limit == 30.0
    kernel = declaration.regions["tiled-kernel"]
    assert (kernel.kind, kernel.needs) == ("kernel", ("tile-size", "x"))
    assert [str(place) for place in kernel.needs_places] == [
        "program.toml:20:10",
        "program.toml:20:23",
    ]
    assert declaration.regions["launch.it"].kind == "host"


def test_a_program_without_a_declaration_has_an_empty_one(tmp_path: Path) -> None:
    assert read_declaration(tmp_path, "program.toml") == (Declaration("program.toml"), [])


def test_an_unreadable_declaration_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "program.toml").mkdir()
    declaration, findings = read_declaration(tmp_path, "program.toml")
    assert declaration == Declaration("program.toml")
    assert "cannot be read" in findings[0].true
    assert findings[0].advice == "make it a readable file"
    (tmp_path / "latin.toml").write_bytes(b"a = 1\n# \xe9\n")
    _, findings = read_declaration(tmp_path, "latin.toml")
    assert (findings[0].kind, str(findings[0].place)) == (Kind.ENCODING, "latin.toml:2:3")


def test_fields_of_a_pattern() -> None:
    fields = find_fields("{{x}} {a} {b:g} {c:>5.3f} {}")
    assert fields == [("a", ""), ("b", "g"), ("c", ">5.3f"), ("", "")]
    assert [is_measured(t) for _, t in fields] == [False, True, True, False]


TABLE = '[tables.t]\ncolumns = { case = "key", time = "time (ms)" }\n'


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        # what is not known, or not a table
        ("[counts]\nx = 1\n", "1:2", "key `counts`; the file's top level has no such key"),
        ("[region.a]\n", "1:2", "did you mean `regions`?"),
        ("tables = 3\n", "1:10", "`tables = 3`; `tables` must be a table; write `[tables]`"),
        ("[lines]\n", "1:2", "`[lines]`; it is empty; fill it or remove it"),
        # tables
        ("[tables.t]\nrow = 6\n", "2:1", "`[tables.t]` has no such key; did you mean `rows`?"),
        ("[tables.t]\nrows = 6\n", "1:9", "it declares no columns; write `columns = {"),
        ("[tables.t]\n", "1:9", "table `t`; it is empty"),
        (TABLE + "rows = 0\n", "3:8", "`rows = 0`; `rows` must be a whole number from 1"),
        (TABLE + "rows = true\n", "3:8", "must be a whole number"),
        (TABLE + 'rows = "six"\n', "3:8", '`rows = "six"`'),
        (TABLE.replace("key", "x"), "1:9", "no column is a key"),
        (TABLE.replace("time (ms)", "key"), "1:9", "every column is a key"),
        (TABLE.replace(".t]", ".T]"), "1:9", "table `T`; a name is small letters, digits"),
        (TABLE.replace("time =", "Time ="), "2:27", "column `Time`; a name is small letters"),
        (TABLE.replace("time =", "device ="), "2:27", "`device` is reserved: `program.device`"),
        (TABLE.replace("(ms)", "(msec)"), "2:34", 'time (msec)"`; unknown unit `msec`; write `ms`'),
        (TABLE.replace('"time (ms)"', "3"), "2:34", "column `time` has no header text; write"),
        (TABLE.replace('"time (ms)"', '" "'), "2:34", "column `time` has no header text"),
        (TABLE.replace('"key"', "{ kee = 1 }"), "2:22", "did you mean `key`?"),
        (TABLE.replace("time (ms)", "case"), "2:34", "column `case` has this header too"),
        # one name, two things
        (TABLE + '[quantities]\ntime = "1"\n', "4:1", "column `time` has this name at line 2"),
        (TABLE + '[quantities]\ncase = "1"\n', "4:1", "a key has this name at line 2"),
        (TABLE + '[lines]\na = "{time:g}"\n', "4:5", "field `time` of line `a`; column `time` has"),
        (TABLE + '[lines]\na = "{time} {b:g}"\n', "4:5", "key `time`; column `time` has this name"),
        (
            TABLE + '[tables.time]\ncolumns = { case = "key", other = "x" }\n',
            "3:9",
            "table `time`; column `time` has this name at line 2; give each table, column",
        ),
        # lines
        ('[lines]\na = ""\n', "2:5", "line `a` has no pattern; write the line as printed"),
        ("[lines]\na = { patern = 'x' }\n", "2:7", "did you mean `pattern`?"),
        ('[lines]\nA = "{b:g}"\n', "2:1", "line `A`; a name is small letters"),
        ('[lines]\na = "{b"\n', "2:5", "a `{` without its other half; write `{name}` for"),
        ('[lines]\na = "b:g}"\n', "2:5", "a `}` without its other half"),
        ('[lines]\na = "{}"\n', "2:5", "a field has no name"),
        ('[lines]\na = "{b-c:g}"\n', "2:5", "field `b-c`: a name is small letters"),
        ('[lines]\na = "{b:q}"\n', "2:5", "field `b` has type `q`, which is not read"),
        ('[lines]\na = "{b:zg}"\n', "2:5", "the pattern cannot be read: format spec 'zg'"),
        ('[lines]\na = "{b:g} {b:g}"\n', "2:5", "field `b` stands in it twice"),
        ('[lines]\na = "{b:g}\\n{c:g}"\n', "2:5", "a pattern is for one line"),
        (
            "[lines]\na = { pattern = '{b:g}', units = { c = 'B' } }\n",
            "2:36",
            "unit of `c`; the pattern measures no such field; it measures: `b`",
        ),
        (
            "[lines]\na = { pattern = '{b:g}', units = { b = 'bites' } }\n",
            "2:40",
            "unknown unit `bites`; did you mean `bits`",
        ),
        ("[lines]\na = { pattern = '{b:g}', units = { b = 3 } }\n", "2:40", "must be a string"),
        (
            '[lines]\na = "{b}{c}: {d:d}"\n',
            "2:5",
            "nothing stands between `{b}` and `{c}`, so where one ends is anybody's guess; write",
        ),
        ('[lines]\na = "{b:d}{c:>5d}"\n', "2:5", "nothing stands between `{b}` and `{c}`"),
        (
            '[lines]\na = "{b:999999999999d} x"\n',
            "2:5",
            "wider than any line: `999999999999d`; write `{b:d}`",
        ),
        # the unit that the line prints
        (
            "[lines]\na = { pattern = 'takes {b:d} B!', units = { b = 'KB' } }\n",
            "2:49",
            "`b = 'KB'`; the pattern prints `B` behind `{b}`; write `b = \"B\"`",
        ),
        (
            "[lines]\na = { pattern = '{b:g}{{{c:d} (µs)', units = { c = 'ms' } }\n",
            "2:52",
            "the pattern prints `µs` behind `{c}`",
        ),
        (
            "[lines]\na = 'at {b:g} GB/s, say'\n",
            "2:1",
            'the pattern prints `GB/s` behind `{b}`; declare it: `units = { b = "GB/s" }`',
        ),
        ("[lines]\na = '{b:g}% of it'\n", "2:1", "the pattern prints `%` behind `{b}`"),
        (
            "[lines]\na = { pattern = '{b:g} loads.', units = { b = 'ms' } }\n",
            "2:47",
            "the pattern prints `loads` behind `{b}`",
        ),
        # quantities
        ("[quantities]\na = 3\n", "2:5", "quantity `a` has no expression; write an expression"),
        ("[quantities]\na = { unit = 'B' }\n", "2:5", "quantity `a` has no expression"),
        (
            "[quantities]\na = { expression = '1', unit = 'GFLIP' }\n",
            "2:32",
            "unknown unit `GFLIP`",
        ),
        ("[quantities]\na.expresion = '1'\n", "2:3", "did you mean `expression`?"),
        # the rest
        ("[requires]\ncompute = '9.0'\n", "2:1", "no such key; known: `compute_capability`"),
        (
            "[requires]\ncompute_capability = 'sm_90'\n",
            "2:22",
            "it is no compute capability; write",
        ),
        ("[requires]\ncompute_capability = 9.0\n", "2:22", "must be a string; write it in quotes"),
        ("[runs.small]\narg = ''\n", "1:7", "run `small`; it has no `args`; write `args = "),
        ('[runs.small]\nargs = "\'a"\n', "2:8", "no closing quotation; close the quote"),
        ("[runs.Small]\nargs = ''\n", "1:7", "run `Small`; a name is small letters"),
        ("[regions.a]\nkind = 'hots'\n", "2:8", '`kind` is one of "kernel", "host"; did you mean'),
        ("[regions.a]\nneeds = 'b'\n", "2:9", "`needs` must be an array of strings"),
        ("[regions.a]\nneeds = ['b', 3]\n", "2:9", "`needs` must be an array of strings"),
        ("[run]\ntime_limit = 0\n", "2:14", "it is no number of seconds above 0; write such as"),
        ("[run]\ntime_limit = '9'\n", "2:14", "it is no number of seconds"),
        ("[run]\nlimit = 9\n", "2:1", "did you mean `time_limit`?"),
        ("[tables.t\n", "1:10", "not TOML"),
    ],
)
def test_what_is_wrong_is_placed_and_advised(
    tmp_path: Path, text: str, place: str, words: str
) -> None:
    _, findings = read(tmp_path, text)
    said: dict[str, list[str]] = {str(f.place): [] for f in findings}
    for f in findings:
        assert f.kind is Kind.DECLARATION
        said[str(f.place)].append(f"{f.stated}; {f.true}; {f.advice}")
    assert any(words in s for s in said.get(f"program.toml:{place}", [])), said


def test_what_is_right_beside_a_mistake_is_kept(tmp_path: Path) -> None:
    declaration, findings = read(
        tmp_path, GOOD.replace("(ms)", "(msec)").replace('"{case}: ', '"{').replace("4 * 3", "")
    )
    assert len(findings) >= 3
    assert declaration.tables == ()
    assert [line.name for line in declaration.lines] == ["used"]
    assert list(declaration.quantities) == ["ratio"]
    assert declaration.runs
    assert declaration.regions


def test_one_row_needs_no_key(tmp_path: Path) -> None:
    declaration, findings = read(tmp_path, '[tables.t]\ncolumns.a = "a (ms)"\nrows = 1\n')
    assert findings == []
    assert declaration.tables[0].rows == 1


@pytest.mark.parametrize(
    "line",
    [
        "a = '{b:g}x fewer, {c:d} loads, at least {d:g} min, {e:g} half'",
        "a = { pattern = '{b:g} us, {c:g}', units = { b = '\u00b5s', c = 'ms' } }",
        "a = { pattern = '{b:g} \u03bcs.', units = { b = 'us' } }",
        "a = { pattern = '{b:g} loads/thread', units = { b = 'load/thread' } }",
        "a = '{{{b:g}}} B'",
    ],
)
def test_a_unit_that_is_printed_agrees(tmp_path: Path, line: str) -> None:
    _, findings = read(tmp_path, f"[lines]\n{line}\n")
    assert findings == []
