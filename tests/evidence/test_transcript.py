"""Does a transcript read as what was printed, and is everything else said, with its place?"""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.evidence.lines import compile_patterns, match_line
from build_tools.evidence.loaded import Transcript
from build_tools.evidence.printed import read_printed
from build_tools.evidence.transcript import decode_transcript, read_transcript
from build_tools.source.model import ColumnRule, Declaration, LineRule, TableRule

CASE = ColumnRule("case", "case", True)
KERNEL = ColumnRule("kernel", "kernel", True)
TIME = ColumnRule("time", "time (ms)", False, "ms")
RATE = ColumnRule("rate", "GB/s", False, "GB/s")


def declare(
    *columns: ColumnRule, rows: int | None = None, lines: tuple[LineRule, ...] = ()
) -> Declaration:
    tables = (TableRule("timings", columns, rows, Place("program.toml", 1)),) if columns else ()
    return Declaration("program.toml", tables=tables, lines=lines)


def line(name: str, pattern: str, **units: str) -> LineRule:
    return LineRule(name, pattern, units, Place("program.toml", 9))


FULL = declare(CASE, KERNEL, TIME, RATE)


def read(text: str, declaration: Declaration = FULL) -> Transcript:
    transcript, findings = read_transcript(text, declaration, "t.txt")
    assert not findings, "\n".join(map(str, findings))
    return transcript


def complain(text: str, declaration: Declaration = FULL) -> list[Finding]:
    _, findings = read_transcript(text, declaration, "t.txt")
    assert {finding.kind for finding in findings} <= {Kind.TRANSCRIPT}
    assert all(finding.advice for finding in findings)
    return findings


def read_texts(transcript: Transcript, name: str) -> dict[tuple[str, ...], str]:
    return {k: reading.text for k, reading in transcript.measurements[name].readings.items()}


HEAD = "case   kernel  time (ms)    GB/s\n-----  ------  ---------  ------\n"
ROWS = "small  naive      1.2500   500.0\nsmall  tiled      0.7500   800.0\n"


def test_values_are_exact_in_base_units_and_keep_their_digits() -> None:
    transcript = read(HEAD + ROWS)
    reading = transcript.measurements["time"].readings["small", "naive"]
    assert reading.value == Fraction(125, 100_000)
    assert reading.half == Fraction(1, 20_000_000)
    assert (reading.text, reading.line) == ("1.2500", 3)
    assert transcript.measurements["rate"].readings["small", "tiled"].value == 800 * 10**9
    assert transcript.measurements["rate"].unit_text == "GB/s"
    assert transcript.measurements["time"].key_names == ("case", "kernel")
    table = transcript.tables["timings"]
    assert table.columns == ("case", "kernel", "time (ms)", "GB/s")
    assert table.rows[1] == ("small", "tiled", "0.7500", "800.0")
    assert table.lines == (3, 4)


@pytest.mark.parametrize(
    "row",
    [
        # printf pushes what follows an overflow to the right
        "small-and-long  naive      1.2500   500.0",
        "small-and-long  naive again      1.2500   500.0",
        "small-and-long  naive      1234567.2500   500.0",
        # a hand-made table lets a cell run over its neighbours' gap
        "small-and-long naive       1.2500   500.0",
        "small  naive  1234567.2500     500.0",
        # an overflow that leaves one space
        "small  naive      1.2500 50000000.0",
    ],
)
def test_a_cell_wider_than_its_column_is_still_one_cell(row: str) -> None:
    transcript = read(HEAD + row + "\n")
    (keys,) = transcript.measurements["time"].readings
    assert keys[0].startswith("small")
    assert keys[1].startswith("naive")
    assert read_texts(transcript, "time")[keys].endswith(".2500")
    assert read_texts(transcript, "rate")[keys].endswith("0.0")


def test_a_value_wider_than_a_rule_that_only_underlines_its_header() -> None:
    text = "kernel      time (ms)\n------      ----\n"
    text += "a        123456.7890\nlonger-one  1.0000\n"
    transcript = read(text, declare(KERNEL, TIME))
    assert read_texts(transcript, "time") == {("a",): "123456.7890", ("longer-one",): "1.0000"}


def test_an_overflow_beside_an_empty_cell() -> None:
    transcript = read(HEAD + "small-and-long  naive                 500.0\n")
    assert read_texts(transcript, "rate") == {("small-and-long", "naive"): "500.0"}
    assert read_texts(transcript, "time") == {}


@pytest.mark.parametrize("missing", ["         ", "        -", "      n/a", "        —"])
def test_a_value_may_be_missing_and_has_no_reading(missing: str) -> None:
    transcript = read(HEAD + f"small  naive   {missing}   500.0\n")
    assert read_texts(transcript, "time") == {}
    assert read_texts(transcript, "rate") == {("small", "naive"): "500.0"}


def test_columns_with_one_space_between() -> None:
    text = "case kernel time (ms) GB/s\n----- ------ --------- ------\n"
    text += "small naive     1.2500  500.0\n"
    # The header's words belong to the column that they stand above.
    text = text.replace("case kernel time (ms) GB/s", "case  kernel time (ms)   GB/s")
    transcript = read(text)
    assert read_texts(transcript, "time") == {("small", "naive"): "1.2500"}


def test_notes_between_rows_are_kept_and_prose_below_is_not() -> None:
    first, second = ROWS.splitlines()
    note = "  (all 3 cases fit in L2)"
    text = f"{HEAD}{first}\n{note}\n{second}\nall 3 cases match\n\nThat was 1 of 2 parts.\n"
    table = read(text).tables["timings"]
    assert table.notes == ("(all 3 cases fit in L2)",)
    assert len(table.rows) == 2


def test_rows_below_a_blank_line_or_a_second_rule_belong_to_the_table() -> None:
    first, second = ROWS.splitlines()
    rule = HEAD.splitlines()[1]
    for between in ("", rule, "\n"):
        transcript = read(f"{HEAD}{first}\n{between}\n{second}\n{rule}\n")
        assert len(transcript.tables["timings"].rows) == 2


def test_several_tables_and_the_same_headers_twice() -> None:
    one = TableRule("cold", (CASE, TIME), 1, Place("p.toml", 1))
    warm = ColumnRule("warm_time", "time (ms)", False, "ms")
    two = TableRule("warm", (ColumnRule("warm_case", "case", True), warm), 1, Place("p.toml", 5))
    block = "case   time (ms)\n-----  ---------\nsmall     {}\n"
    text = "cold\n" + block.format("1.25") + "warm\n" + block.format("0.75")
    transcript = read(text, Declaration("p.toml", tables=(one, two)))
    assert read_texts(transcript, "time") == {("small",): "1.25"}
    assert read_texts(transcript, "warm_time") == {("small",): "0.75"}


def test_an_underline_is_no_table() -> None:
    read("Results\n-------\nnone\n", declare())


def test_lines_are_read_by_patterns_that_describe_them_whole() -> None:
    rule = line("summary", "{case}: tiled is {speedup:g}x as fast; {bytes:d} B", bytes="B")
    text = "  small: tiled is 1.50x as fast; 4096 B\nlarge: tiled is 2e0x as fast; 8192 B  \n"
    transcript = read(text, declare(lines=(rule,)))
    speedup = transcript.measurements["speedup"]
    assert speedup.key_names == ("case",)
    assert speedup.table == ""
    assert speedup.readings["small",].half == Fraction(1, 200)
    assert speedup.readings["large",].value == 2
    assert transcript.measurements["bytes"].readings["large",].value == 8192
    assert transcript.measurements["bytes"].unit_text == "B"


def test_a_line_that_a_pattern_describes_is_no_note_of_a_table() -> None:
    first, second = ROWS.splitlines()
    rule = line("warm", "warm-up took {warm:g} ms", warm="ms")
    declaration = declare(CASE, KERNEL, TIME, RATE, rows=2, lines=(rule,))
    transcript = read(f"{HEAD}{first}\nwarm-up took 3.5 ms\n{second}\n", declaration)
    assert transcript.tables["timings"].notes == ()
    assert transcript.measurements["warm"].readings[()].value == Fraction(35, 10_000)


def test_a_percentage_is_a_hundredth() -> None:
    transcript = read("hit rate 87.5%\n", declare(lines=(line("hits", "hit rate {hits:%}"),)))
    assert transcript.measurements["hits"].readings[()].value == Fraction(7, 8)


TIMED = declare(CASE, TIME)
TIMED_HEAD = "case   time (ms)\n-----  ---------\n"


@pytest.mark.parametrize(
    ("text", "declaration", "place", "words"),
    [
        ("", TIMED, "1:1", ["`timings`", "program.toml:1:1", "no such table"]),
        (
            "\n" + TIMED_HEAD + "small     1.25\n",
            declare(),
            "2:1",
            ["`case`, `time (ms)`", "[tables.NAME]"],
        ),
        (
            "case   time (us)\n-----  ---------\nsmall     1.25\n",
            TIMED,
            "1:8",
            ["`time (ms)`", "`time (us)`", '`time = "time (us)"`', "print `time (ms)`"],
        ),
        (
            TIMED_HEAD + "small     1.25\n",
            declare(CASE, TIME, RATE),
            "1:1",
            ["`GB/s`", "no such column"],
        ),
        (
            TIMED_HEAD + "small     1.25\n",
            declare(CASE, TIME, rows=2),
            "1:1",
            ["2 rows", "1 row was read"],
        ),
        (TIMED_HEAD, TIMED, "1:1", ["0 rows were read"]),
        (
            TIMED_HEAD + "small     1.25\nsmall     1.30\n",
            TIMED,
            "4:1",
            ["case `small`", "line 3 has the same keys"],
        ),
        (
            HEAD + "small  naive      1.2500     abc\n",
            FULL,
            "3:30",
            ["`abc`", "no number", "leave the cell empty"],
        ),
        (HEAD + "small  naive      0x12     1e999\n", FULL, "3:19", ["`0x12`", "no number"]),
        (HEAD + "small  naive    fast      slow\n", FULL, "3:17", ["`fast`", "no number"]),
        (TIMED_HEAD + "small      nan\n", TIMED, "3:12", ["`nan`", "not finite"]),
        (TIMED_HEAD + "small     -inf\n", TIMED, "3:11", ["`-inf`", "not finite"]),
        (TIMED_HEAD + "       1.25\n", TIMED, "3:1", ["without `case`", "every key on every row"]),
        (TIMED_HEAD + "small\t1.25\n", TIMED, "3:1", ["tab", "with spaces"]),
        (
            TIMED_HEAD + "small  \x1b[1m   1.25\x1b[0m\n",
            TIMED,
            "3:8",
            ["control byte 0x1b", "plain text"],
        ),
        (TIMED_HEAD + "small     1.25\x00\n", TIMED, "3:15", ["control byte 0x00"]),
        (TIMED_HEAD + "small     1.25\r\n", TIMED, "3:15", ["control byte 0x0d"]),
        (
            "nothing\nratio is about 1.5x\n",
            declare(lines=(line("ratio", "ratio is {ratio:g}x"),)),
            "2:1",
            ["`ratio is {ratio:g}x`", "no line", "`ratio is about 1.5x`", "whole line"],
        ),
        (
            "ratio is 1.5x\nratio is 1.6x\n",
            declare(lines=(line("ratio", "ratio is {ratio:g}x"),)),
            "2:1",
            ["the whole run", "line 1 says it already"],
        ),
        (
            "ratio is nanx\n",
            declare(lines=(line("ratio", "ratio is {ratio:g}x"),)),
            "1:10",
            ["`nan`", "not finite"],
        ),
    ],
)
def test_what_is_wrong_is_said_at_its_place(
    text: str, declaration: Declaration, place: str, words: list[str]
) -> None:
    findings = complain(text, declaration)
    assert str(findings[0].place) == f"t.txt:{place}", findings
    said = f"{findings[0].stated} {findings[0].true} {findings[0].advice}"
    for word in words:
        assert word in said


@pytest.mark.parametrize(
    "row",
    [
        "small-naive-1.2500  500.0",  # three cells run into one
        "small  naive  tiled  1.2500   500.0",  # a cell too many
    ],
)
def test_a_row_whose_cells_cannot_be_told_apart_is_not_passed_over(row: str) -> None:
    (finding,) = complain(f"{HEAD}{ROWS}{row}\n")
    assert str(finding.place) == "t.txt:5:1"
    assert row in finding.stated
    assert "under its group of dashes" in finding.advice


def test_no_column_is_taken_for_another_of_the_same_header() -> None:
    text = "case   time (ms)  time (ms)\n-----  ---------  ---------\nsmall       1.25       2.25\n"
    (finding,) = complain(text, TIMED)
    assert str(finding.place) == "t.txt:1:19"
    assert "each header once" in finding.advice


def test_a_stream_that_is_no_utf_8_shows_which_bytes() -> None:
    assert decode_transcript(b"caf\xe9 \xed\xa0\x80 ok\n") == r"caf\xe9 \xed\xa0\x80 ok" + "\n"
    assert decode_transcript("µs\x00\x1b".encode()) == "µs\x00\x1b"


@pytest.mark.parametrize(
    ("text", "value", "half"),
    [
        ("1", Fraction(1), Fraction(1, 2)),
        ("-0.50", Fraction(-1, 2), Fraction(1, 200)),
        ("+3.7e-03", Fraction(37, 10_000), Fraction(1, 20_000)),
        ("1.5E3", Fraction(1500), Fraction(50)),
        ("4,521,234", Fraction(4_521_234), Fraction(1, 2)),
        (" 12% ", Fraction(12, 100), Fraction(1, 200)),
    ],
)
def test_printed_numbers(text: str, value: Fraction, half: Fraction) -> None:
    printed = read_printed(text)
    assert printed is not None
    assert (printed.value, printed.half) == (value, half)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".5",
        "1.",
        "1 024",
        "0x10",
        "1,2",
        "12,34,567",
        "nan",
        "1e999",
        "1" * 60,
        "١٢",
        "1e",
        "--1",
    ],
)
def test_what_is_no_plain_number(text: str) -> None:
    assert read_printed(text) is None


WORDS = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=12)
NUMBERS = st.decimals(min_value=-(10**9), max_value=10**9, places=3, allow_nan=False).map(str)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(WORDS, NUMBERS | st.just(""), NUMBERS | st.just("")).filter(
            lambda r: r[1] or r[2]
        ),
        min_size=1,
        max_size=6,
        unique_by=lambda r: r[0],
    ),
    st.tuples(st.integers(4, 14), st.integers(9, 14), st.integers(6, 14)),
    st.integers(2, 4),
)
def test_whatever_printf_prints_reads_back(
    rows: list[tuple[str, str, str]], widths: tuple[int, int, int], gap: int
) -> None:
    """Left-aligned keys, right-aligned numbers, overflows and empty cells anywhere."""
    space = " " * gap

    def lay_out(key: str, one: str, two: str) -> str:
        return space.join((key.ljust(widths[0]), one.rjust(widths[1]), two.rjust(widths[2])))

    lines = [lay_out("case", "time (ms)", "GB/s"), space.join("-" * width for width in widths)]
    lines += [lay_out(*row) for row in rows]
    transcript = read("\n".join(lines) + "\n", declare(CASE, TIME, RATE, rows=len(rows)))
    assert read_texts(transcript, "time") == {(key,): one for key, one, _ in rows if one}
    assert read_texts(transcript, "rate") == {(key,): two for key, _, two in rows if two}


@pytest.mark.timeout(10)
def test_a_line_that_could_be_read_in_any_way_is_not_waited_for() -> None:
    rule = LineRule(
        "sizes",
        "{a}, {b}, {c}, {d}, {e}: A, B and C take {i:d} B!",
        {"i": "B"},
        Place("program.toml"),
    )
    (pattern,) = compile_patterns([rule])
    assert match_line(pattern, "p, q, r, s, t: A, B and C take 12 B!", 1) is not None
    flood = "x, " * 1_000 + ": A, B and C take 12 B?"
    assert match_line(pattern, flood, 1) is None
