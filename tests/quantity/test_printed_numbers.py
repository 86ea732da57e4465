"""Every printed form against a value: the table of cases, as a case file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest

from build_tools.quantity.judge import Judgement, judge_value
from build_tools.quantity.nearest import explain_value
from build_tools.quantity.numeral import UnreadableError
from build_tools.quantity.printed import parse_printed
from build_tools.quantity.spread import Interval
from build_tools.quantity.units import Unit, parse_unit
from build_tools.quantity.value import Number, Series, Several, Value, make_exact

CASES = Path(__file__).parents[1] / "cases" / "printed-numbers.tsv"
FORMS = CASES.with_name("printed-forms.tsv")


@dataclass(frozen=True)
class CaseNumber(Number):
    """A measured number whose band and quartile range a case states."""

    stated_band: Interval | None = None
    stated_range: Fraction = Fraction(0)

    @property
    def band(self) -> Interval | None:
        return self.stated_band

    def find_quartile_range(self, stated: Interval) -> Fraction:
        del stated
        return self.stated_range


def read_quantity(text: str, default: Unit) -> tuple[Fraction, Unit]:
    number, _, unit_text = text.partition(" ")
    unit = parse_unit(unit_text) if unit_text else default
    return Fraction(number) * unit.factor, unit


def read_value(value: str, band: str, iqr: str) -> Value:
    if value.startswith("("):
        return Several(tuple(make_exact(int(n)) for n in re.findall(r"\d+", value)))
    base, unit = read_quantity(value, parse_unit(""))
    if band == "exact":
        return Number(unit.dimensions, base)
    ends, _, band_unit = band.partition(" ")
    low, high = (read_quantity(f"{end} {band_unit}".strip(), unit)[0] for end in ends.split(".."))
    spread = read_quantity(iqr, unit)[0]
    series = Series(frozenset({"r"}), base, (base,) * 10, Fraction(0))
    return CaseNumber(unit.dimensions, None, (series,), False, Interval(low, high), spread)


def read_rows(path: Path) -> list[tuple[str, ...]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")][1:]
    return [tuple((row + [""] * 6)[:6]) for row in rows]


@pytest.mark.parametrize(
    "case", read_rows(CASES) + read_rows(FORMS), ids=lambda case: f"{case[0]} | {case[1]}"
)
def test_case(case: tuple[str, ...]) -> None:
    text, value, band, iqr, verdict, note = case
    if verdict == "unreadable":
        with pytest.raises(UnreadableError) as caught:
            parse_printed(text)
        if note.startswith("advice: "):
            assert f"`{note.removeprefix('advice: ')}`" in caught.value.advice
        return
    printed = parse_printed(text)
    judgement: Judgement | None = judge_value(printed, read_value(value, band, iqr))
    found = judgement.kind.value if judgement else "agrees"
    assert found == verdict, (judgement, note)
    if judgement and (named := re.search(r"says that (\w+) would agree", note)):
        assert named[1] in judgement.true
        assert "would agree" in judgement.true


def test_table_is_not_empty() -> None:
    assert len(read_rows(CASES)) > 50


def test_zeros_in_front_are_refused() -> None:
    for text, advice in (("007", "`7`"), ("at least 00", "`0`"), ("00.5", "`0`")):
        with pytest.raises(UnreadableError) as caught:
            parse_printed(text)
        assert advice in caught.value.advice
    assert parse_printed("0.07").low.value == Fraction(7, 100)
    assert parse_printed("1,007").low.value == 1007


def test_a_bound_of_nothing_is_loose() -> None:
    judgement = judge_value(parse_printed("at least 0"), make_exact(20))
    assert judgement is not None
    assert judgement.kind.value == "loose"


def test_a_range_over_several_suggests_both_ends() -> None:
    values = Several((make_exact(Fraction("1.29")), make_exact(Fraction("1.52"))))
    assert judge_value(parse_printed("1.3–1.5×"), values) is None
    judgement = explain_value(parse_printed("1.4–1.5×"), values)
    assert judgement is not None
    assert "`1.3–1.5×`" in judgement.advice


@pytest.mark.parametrize(
    ("text", "value", "told"),
    [
        ("4,000 GB/s", "2487.4 GB/s", "2487.4 GB/s (band 2,470 to 2,509 GB/s)"),
        ("4 TB/s", "2487.4 GB/s", "2.4874 TB/s (band 2.47 to 2.509 TB/s)"),
        ("30 ms", "26429 us", "26.429 ms (band 26.3 to 26.55 ms)"),
        ("45 %", "0.397", "39.7 % (band 39.5 to 39.9 %)"),
        ("2×", "1.57", "1.57 (band 1.55 to 1.59)"),
    ],
)
def test_values_are_told_in_the_authors_unit(text: str, value: str, told: str) -> None:
    bands = {"2487.4 GB/s": "2470..2509 GB/s", "26429 us": "26300..26550 us"}
    bands |= {"0.397": "0.395..0.399", "1.57": "1.55..1.59"}
    judgement = judge_value(parse_printed(text), read_value(value, bands[value], "0"))
    assert judgement is not None
    assert judgement.true.startswith(told)
