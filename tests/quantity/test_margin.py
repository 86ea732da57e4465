"""The margin of a text: how far what was measured may move before the text is false."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from build_tools.diagnostics.finding import Kind
from build_tools.quantity.comparison import compare_equal, compare_numbers
from build_tools.quantity.judge import judge_value
from build_tools.quantity.margin import (
    Margin,
    compute_comparison_margin,
    compute_margin,
    compute_sameness_margin,
)
from build_tools.quantity.printed import parse_printed
from build_tools.quantity.value import (
    Number,
    Series,
    Several,
    Text,
    Value,
    make_exact,
)

HAIR = Fraction(1, 10**6)


def measure(*values: float | str, record: str = "a") -> Number:
    """A bare number measured in one record, one value a process; the first is shown."""
    samples = tuple(Fraction(str(value)) for value in values)
    return Number((), None, (Series(frozenset({record}), samples[0], samples, Fraction(0)),))


def scale(value: Value, factor: Fraction) -> Value:
    """What would have been measured, had all of it been ``factor`` times that."""
    if isinstance(value, Several):
        return replace(value, items=tuple(scale(item, factor) for item in value.items))
    if not isinstance(value, Number) or value.exact is not None:
        return value
    series = tuple(
        replace(
            part,
            shown=part.shown * factor,
            samples=tuple(sample * factor for sample in part.samples),
            half=part.half * abs(factor),
        )
        for part in value.series
    )
    return replace(value, series=series)


def holds(text: str, value: Value) -> bool:
    """Whether a text holds, however many digits it has."""
    judgement = judge_value(parse_printed(text), value)
    return judgement is None or judgement.kind is Kind.OVER_PRECISE


def check_against_the_judge(text: str, value: Value) -> Margin:
    """The margin, after asking the judge just inside and just outside of both its ends."""
    margin = compute_margin(parse_printed(text), value)
    assert margin is not None, text
    if margin.fall is None:
        assert holds(text, scale(value, HAIR))
    else:
        assert margin.fall < HAIR or holds(text, scale(value, 1 - margin.fall + HAIR)), text
        assert not holds(text, scale(value, 1 - margin.fall - HAIR)), text
    if margin.rise is None:
        assert holds(text, scale(value, 1 / HAIR))
    else:
        assert margin.rise < HAIR or holds(text, scale(value, 1 + margin.rise - HAIR)), text
        assert not holds(text, scale(value, 1 + margin.rise + HAIR)), text
    return margin


TIGHT = measure(1.60, 1.601, 1.599, 1.6, 1.6005)
WIDE = measure(1.60, 1.63, 1.57, 1.61, 1.59, 1.60)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.6×", TIGHT),
        ("1.60×", TIGHT),
        ("1.60×", WIDE),
        ("160 %", TIGHT),
        ("2×", measure(1.97, 1.98, 1.96)),
        ("twice", measure(1.97, 1.98, 1.96)),
        ("a third", measure("0.33", "0.331", "0.329")),
        ("1/3", measure("0.33", "0.331", "0.329")),
        ("about 1.6×", WIDE),
        ("~2×", measure(1.9, 1.91, 1.89)),
        ("nearly 1.7×", TIGHT),
        ("just over 1.5×", TIGHT),
        ("over 1.5×", WIDE),
        ("at least 1.2×", WIDE),
        ("under 2×", WIDE),
        ("up to 1.7×", WIDE),
        ("1.5–1.7×", WIDE),
        ("1.55 to 1.68×", TIGHT),
        ("-3.1", measure("-3.1", "-3.11", "-3.09")),
        ("about -3", measure("-3.1", "-3.11", "-3.09")),
        ("over -4", measure("-3.1", "-3.11", "-3.09")),
        ("under -2", measure("-3.1", "-3.11", "-3.09")),
        ("1.5–1.6×", Several((TIGHT, measure(1.52, 1.521, 1.519)))),
        ("over 1.5×", Several((TIGHT, measure(1.52, 1.521, 1.519)))),
    ],
)
def test_the_ends_are_where_the_judge_changes_its_mind(text: str, value: Value) -> None:
    assert holds(text, value)
    check_against_the_judge(text, value)


def test_an_older_record_may_keep_a_text_true() -> None:
    newest = measure(1.66, 1.64, 1.65, 1.67).series[0]
    older = measure(1.63, 1.62, 1.64, record="b").series[0]
    number = Number((), None, (newest, older))
    assert holds("1.6×", number)
    assert not holds("1.6×", Number((), None, (newest,)))
    check_against_the_judge("1.6×", number)


def test_shares_are_of_the_value() -> None:
    margin = check_against_the_judge("1.6×", measure(1.6, 1.6, 1.6))
    assert margin == Margin(Fraction(1, 32), Fraction(1, 32))
    assert margin.nearest == -Fraction(1, 32)
    low = check_against_the_judge("1.6×", measure(1.56, 1.56, 1.56))
    assert low.nearest == -(1 - Fraction("1.55") / Fraction("1.56"))
    high = check_against_the_judge("1.6×", measure(1.64, 1.64, 1.64))
    assert high.nearest == Fraction("1.65") / Fraction("1.64") - 1


def test_a_bound_has_a_far_end_too() -> None:
    margin = check_against_the_judge("over 1.5×", measure(2, 2, 2))
    assert margin == Margin(Fraction(1, 4), Fraction(1, 2))
    endless = check_against_the_judge("over -4", measure("-3", "-3", "-3"))
    assert endless.fall is None
    assert endless.nearest == Fraction(1, 3)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("16×", make_exact(16)),
        ("16 x 16", Several((make_exact(16), make_exact(16)))),
        ("611 x 613", Text("611x613")),
        ("0", measure(0, 0, 0)),
        ("1.7×", TIGHT),
        ("1.5–1.6×", Several((TIGHT, Text("x")))),
        ("over 0", measure(1, 1, 1)),
    ],
)
def test_what_has_no_margin(text: str, value: Value) -> None:
    assert compute_margin(parse_printed(text), value) is None


def test_a_comparison_may_come_as_near_as_the_bands_are() -> None:
    fast, slow = measure(3, 3.1, 2.9), measure(1, 1.1, 0.9)
    margin = compute_comparison_margin([(fast, slow)])
    assert margin is not None
    assert margin.fall is not None
    assert margin.rise is None
    assert margin.nearest == -margin.fall
    for factor, truth in ((1 - margin.fall + HAIR, True), (1 - margin.fall - HAIR, None)):
        scaled = scale(fast, factor)
        assert isinstance(scaled, Number)
        assert compare_numbers(scaled, slow, ">").value is truth
    nearer = measure(2.5, 2.6, 2.4)
    both = compute_comparison_margin([(fast, slow), (nearer, slow)])
    assert both == compute_comparison_margin([(nearer, slow)])
    assert compute_comparison_margin([(slow, fast)]) is None
    assert compute_comparison_margin([(make_exact(3), make_exact(2))]) is None
    assert compute_comparison_margin([(fast, make_exact(2)), (make_exact(3), make_exact(2))])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        # What ends it first: the bands part, or reach too far; by either value.
        (measure(3, 3.001, 2.999), measure(3.001, 3.002, 3.0)),
        (measure(3, 3.01, 2.99), measure(3.01, 3.02, 3.0)),
        (measure(3, 3.001, 2.999), measure(3.001, 3.008, 2.994)),
        (measure(3, 3.008, 2.994), measure(3.001, 3.002, 3.0)),
    ],
)
def test_sameness_may_fall_and_rise(left: Number, right: Number) -> None:
    margin = compute_sameness_margin([(left, right)])
    assert margin is not None
    assert margin.fall is not None
    assert margin.rise is not None
    for factor, is_same in (
        (1 - margin.fall + HAIR, True),
        (1 - margin.fall - HAIR, False),
        (1 + margin.rise - HAIR, True),
        (1 + margin.rise + HAIR, False),
    ):
        scaled = scale(left, factor)
        assert isinstance(scaled, Number)
        assert (compare_equal(scaled, right).value is True) == is_same


def test_what_is_too_wide_has_no_margin_of_sameness() -> None:
    left, right = measure(3, 3.1, 2.9), measure(3.1, 3.2, 3.0)
    assert compare_equal(left, right).value is None
    assert compute_sameness_margin([(left, right)]) is None


HEDGES = ("", "about ", "nearly ", "just over ", "over ", "at least ", "under ", "up to ")
TEXTS = st.sampled_from(["{}×", "{} %", *(f"{hedge}{{}}" for hedge in HEDGES)])
CENTRES = st.integers(101, 99_999).map(lambda n: Fraction(n, 1000))
PROCESSES = st.lists(st.integers(-40, 40), min_size=3, max_size=12)


@given(TEXTS, CENTRES, st.lists(PROCESSES, min_size=1, max_size=3), st.integers(0, 3), st.data())
def test_any_text_that_holds_has_the_margin_of_the_judge(
    form: str, centre: Fraction, records: list[list[int]], decimals: int, data: st.DataObject
) -> None:
    off = data.draw(st.integers(-8, 8))
    text = form.format(f"{float(centre * (100 + off) / 100):.{decimals}f}")
    series = []
    for index, spread in enumerate(records):
        middle = centre * (1 + Fraction(index * data.draw(st.integers(-20, 20)), 1000))
        samples = tuple(middle * (1 + Fraction(step, 4000)) for step in spread)
        pooled = index == 0 or data.draw(st.booleans())
        series.append(
            Series(frozenset({str(index)}), samples[0], samples, Fraction(0), pooled=pooled)
        )
    value: Value = Number((), None, tuple(series))
    if form.endswith("%"):
        value = scale(value, Fraction(1, 100))
    assume(holds(text, value))
    check_against_the_judge(text, value)
