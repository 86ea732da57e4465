import datetime as dt
from pathlib import Path

import pytest

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.source.facts import check_dates, read_facts
from build_tools.source.model import Fact
from build_tools.source.quoting import explain_quote, holds_number

GOOD = """\
[h200-bandwidth]
value = "4.8"
unit = "TB/s"
source = "https://example.org/h200"
quote = "The H200 has 4.8 TB/s of memory bandwidth."
date = 2026-12-01
"""


def read(tmp_path: Path, text: str) -> tuple[dict[str, Fact], list[Finding]]:
    (tmp_path / "snippets").mkdir()
    (tmp_path / "snippets" / "quantities.toml").write_text(text, encoding="utf-8")
    return read_facts(tmp_path)


def test_a_fact_is_read(tmp_path: Path) -> None:
    facts, findings = read(tmp_path, GOOD)
    assert findings == []
    fact = facts["h200-bandwidth"]
    assert (fact.key, fact.value, fact.unit, fact.date) == (
        "h200-bandwidth",
        "4.8",
        "TB/s",
        "2026-12-01",
    )
    assert str(fact.place) == "snippets/quantities.toml:1:2"


def test_a_bare_number_keeps_its_digits(tmp_path: Path) -> None:
    text = GOOD.replace('"4.8"', "4.80").replace("4.8 T", "4.80 T").replace('TB/s"', '"', 1)
    text = text.replace("4.80 TB/s", "4.80 at most")
    facts, findings = read(tmp_path, text.replace("2026-12-01", '"2026-12-01"'))
    assert findings == []
    assert facts["h200-bandwidth"].value == "4.80"


def test_no_facts_is_no_finding(tmp_path: Path) -> None:
    assert read_facts(tmp_path) == ({}, [])


@pytest.mark.parametrize(
    ("quote", "value", "holds"),
    [
        ("has 4.8 TB/s", "4.8", True),
        ("4.8", "4.8", True),
        ("up to 4.8.", "4.8", True),
        ("4.8, or so", "4.8", True),
        ("has 14.8", "4.8", False),
        ("has 4.85", "4.8", False),
        ("has 1.4.8", "4.8", False),
        ("has 4.8.1", "4.8", False),
        ("1,141 GB", "141", False),
        ("141,000", "141", False),
        ("141 GB", "141", True),
        ("H141", "141", False),
        ("-0.5 ms", "0.5", False),
        ("−0.5 ms", "0.5", False),
        ("-5", "-5", True),
        ("1.5e9", "1.5", False),
        ("1.5e9", "9", False),
        ("1.5 × 10⁹", "1.5", False),
        ("1.5 million", "1.5", False),
        ("10⁹", "10", False),
        ("128K lanes", "128", False),
        ("24/7", "24", False),
        ("1/16", "16", False),
        ("1:30", "30", False),
        ("30-40", "30", False),
        ("5–7 ms", "7", False),
        ("2026-11-30", "30", False),
        ("30 Nov 2026", "30", False),
        ("Nov 30, 2026", "30", False),
        ("v.5", "5", False),
        ("(5)", "5", True),
        ("4.8TB/s", "4.8", True),
        ("4x8", "4.8", False),
    ],
)
def test_a_quote_holds_a_number_whole(quote: str, value: str, holds: bool) -> None:
    assert holds_number(quote, value) is holds


@pytest.mark.parametrize(
    ("quote", "value", "unit"),
    [
        ("4.8 terabytes per second (TB/s)", "4.8", "TB/s"),
        ("3.35TB/sec", "3.35", "TB/s"),
        ("from 3.35 to 4.8 TB/s", "3.35", "TB/s"),
        ("Bandwidth (GB/s) 4800", "4800", "GB/s"),
        ("around 0.5 microseconds).", "0.5", "us"),
        ("0.5 \u03bcs", "0.5", "us"),
        ("at 1.98 gigahertz", "1.98", "GHz"),
        ("67 teraFLOPS", "67", "TFLOP/s"),
        ("50 percent", "50", "%"),
        ("128 FP32 CUDA Cores per SM", "128", ""),
        ("128 FP32 CUDA Cores per SM", "128", "cores/SM"),
        ("228 KB per SM", "228", "KiB"),
        ("128-bit", "128", "bits"),
        ("50 MB <in all>", "50", "MB"),
    ],
)
def test_a_quote_says_the_unit_in_its_own_spelling(quote: str, value: str, unit: str) -> None:
    assert explain_quote(quote, value, unit) == ""


@pytest.mark.parametrize(
    ("quote", "value", "unit", "why"),
    [
        ("128 FP32 CUDA Cores per SM", "128", "ms", "does not hold `ms` behind `128`"),
        ("around 0.5 microseconds", "0.5", "ms", "does not hold `ms` behind `0.5`"),
        ("4.8 TB/s", "4.8", "TB", "does not hold `TB` behind `4.8`"),
        ("228 KB per SM", "228", "MiB", "does not hold `MiB`"),
        ("4.8 TB/s", "4.8", "", "has `TB/s` behind `4.8`, and the fact no unit"),
        ("50%", "50", "", "has `%` behind `50`"),
        ("the full GH100 GPU", "100", "TB/s", "does not hold the value `100`"),
    ],
)
def test_a_quote_of_another_unit_is_told(quote: str, value: str, unit: str, why: str) -> None:
    assert why in explain_quote(quote, value, unit)


def test_nothing_was_read_in_the_future(tmp_path: Path) -> None:
    facts, _ = read(tmp_path, GOOD.replace("2026-12-01", "2999-01-01"))
    (finding,) = check_dates(facts.values(), (), today=dt.date(2026, 12, 1))
    assert (finding.kind, str(finding.place)) == (Kind.FACT, "snippets/quantities.toml:6:8")
    assert finding.stated == "`date = 2999-01-01`"
    assert "a day that has not come" in finding.true
    assert finding.advice == "write the day it was read"
    assert check_dates(facts.values(), (), today=dt.date(2998, 12, 31)) == []


@pytest.mark.parametrize(
    ("old", "new", "place", "words"),
    [
        ("[h200-bandwidth]", "[H200]", "1:2", "fact `H200`; a fact's key is small letters"),
        ('value = "4.8"\n', "", "1:2", "it has no `value`; add `value`"),
        ('unit = "TB/s"\n', "", "1:2", 'it has no `unit`; add `unit = ""` for a bare number'),
        ("date = 2026-12-01\n", "", "1:2", "it has no `date`; add the day it was read"),
        (
            "unit =",
            "units =",
            "3:1",
            "key `units`; `[h200-bandwidth]` has no such key; did you mean `unit`",
        ),
        ('"TB/s"', '"TBs"', "3:8", '`unit = "TBs"`; unknown unit `TBs`; did you mean'),
        ('"TB/s"', "3", "3:8", "`unit` must be a string"),
        ('"4.8"', '"4.9"', "5:9", "the quote does not hold the value `4.9`; write the value as"),
        ("has 4.8", "has 4.7", "5:9", "the quote does not hold the value `4.8`"),
        ('"4.8"', "4.80", "5:9", "the quote does not hold the value `4.80`"),
        ('"4.8"', '"4.8 TB/s"', "2:9", "it does not read as one number; write the number alone"),
        ('"4.8"', "true", "2:9", "a fact's value is a number; write such as"),
        ('"4.8"', '""', "2:9", "it does not read as one number"),
        ('"https://example.org/h200"', '" "', "4:10", "`source` is empty; name the document"),
        ('"The H200 has 4.8 TB/s of memory bandwidth."', '""', "5:9", "`quote` is empty; copy the"),
        ('"TB/s"', '"GB/s"', "5:9", "the quote does not hold `GB/s` behind `4.8`; write the value"),
        ("2026-12-01", '"yesterday"', "6:8", "it is no date; write such as `2026-12-01`"),
        ("2026-12-01", '"2026-13-01"', "6:8", "it is no date"),
        ("2026-12-01", "2026-12-01T10:00:00", "6:8", "it is no date"),
        ("[h200-bandwidth]", "x = 1\n[h200-bandwidth]", "1:5", "`x` must be a table; write `[x]`"),
        ("[h200-bandwidth]", "[empty]\n[h200-bandwidth]", "1:2", "fact `empty`; it has no `quote`"),
    ],
)
def test_what_is_wrong_is_placed_and_advised(
    tmp_path: Path, old: str, new: str, place: str, words: str
) -> None:
    facts, findings = read(tmp_path, GOOD.replace(old, new))
    said = [f"{f.place.line}:{f.place.column} {f.stated}; {f.true}; {f.advice}" for f in findings]
    assert all(f.kind is Kind.FACT for f in findings)
    assert any(s.startswith(f"{place} ") and words in s for s in said), said
    assert ("h200-bandwidth" in facts) == (new.startswith(("x =", "[empty]")))


def test_broken_toml(tmp_path: Path) -> None:
    facts, findings = read(tmp_path, "[a\n")
    assert facts == {}
    assert str(findings[0].place) == "snippets/quantities.toml:1:3"
