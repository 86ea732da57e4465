from pathlib import Path

import pytest

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.source.facts import holds_number, read_facts
from build_tools.source.model import Fact

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
        ("H141", "141", True),
        ("4x8", "4.8", False),
    ],
)
def test_a_quote_holds_a_number_whole(quote: str, value: str, holds: bool) -> None:
    assert holds_number(quote, value) is holds


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
