"""What is proposed in the place of a literal that does not hold: the table, and what always is."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from build_tools.quantity.judge import judge_value
from build_tools.quantity.nearest import explain_value, find_nearest, find_readable, holds_text
from build_tools.quantity.numeral import UnreadableError
from build_tools.quantity.printed import parse_printed
from build_tools.quantity.value import Number, Series, Several, Text, make_exact
from tests.quantity.test_printed_numbers import read_rows, read_value

CASES = Path(__file__).parents[1] / "cases" / "nearest-literals.tsv"


def find_error(text: str) -> UnreadableError | None:
    try:
        parse_printed(text)
    except UnreadableError as error:
        return error
    return None


@pytest.mark.parametrize("case", read_rows(CASES), ids=lambda case: f"{case[0]} | {case[1]}")
def test_case(case: tuple[str, ...]) -> None:
    text, stated, band, iqr, nearest, note = case
    value = read_value(stated, band, iqr)
    error = find_error(text)
    if error is not None:
        assert find_readable(error, value) == nearest, note
        return
    printed = parse_printed(text)
    assert judge_value(printed, value) is not None, "nothing to mend"
    assert find_nearest(printed, value) == nearest, note
    explained = explain_value(printed, value)
    assert explained is not None
    assert explained.nearest == nearest
    assert f"`{nearest}`" in explained.advice


PLAIN = (
    "1.50×",
    "1.5x",
    "3 times",
    "12-fold",
    "40 %",
    "40.0 percent",
    "1,234",
    "1234.5",
    "3.70e-03",
    "3.7×10⁻³",
    "3.71 x 10^2",
    "**1.64**×",
    "`26.4`",
    "１.６４×",
    "1.6&nbsp;×",
    "5.2 million",
    "−1.5",
    "+2.5 %",
)
HEDGED = (
    "about 30",
    "~1.5×",
    "≈ 40 %",
    "nearly 5",
    "just over 2.5×",
    "over 100",
    "more than 2×",
    "at least 3.5",
    "≥ 3",
    "under 48",
    "less than 7.5 %",
    "up to 20",
    "at most 2,000",
)
EXACT = ("16-way", "2^24", "10⁻³", "1/16", "sixteen", "twice", "half", "sixteen-fold", "128-bit")
RANGES = ("8–16×", "1.5 to 1.7", "3-4", "10–20 %")

values = st.fractions(min_value=Fraction(1, 1000), max_value=10**7, max_denominator=10**6)
amounts = values.filter(bool)


def measure(value: Fraction, spread: Fraction, rounded: int = 12) -> Number:
    """A measured number of ten processes around a value, as far apart as ``spread`` of it."""
    steps = [Fraction(k - 4, 5) * spread * value for k in range(10)]
    samples = tuple(value + step for step in steps)
    series = Series(frozenset({"r"}), value, samples, Fraction(1, 10**rounded))
    return Number((), None, (series,))


@pytest.mark.parametrize("text", PLAIN + HEDGED + RANGES)
@given(value=amounts, thousandths=st.integers(0, 20))
@settings(max_examples=40, deadline=None)
def test_every_form_has_a_nearest_that_holds(text: str, value: Fraction, thousandths: int) -> None:
    number = measure(value, Fraction(thousandths, 1000))
    printed = parse_printed(text)
    if printed.multiplier > 1000:
        number = measure(value * printed.multiplier, Fraction(thousandths, 1000))
    nearest = text if judge_value(printed, number) is None else find_nearest(printed, number)
    assert nearest, f"{text} has no nearest for {float(value)}"
    assert holds_text(nearest, number)


@pytest.mark.parametrize("text", EXACT)
@given(value=st.integers(1, 10**6))
@settings(max_examples=40, deadline=None)
def test_exact_forms_have_a_nearest_that_holds(text: str, value: int) -> None:
    number = make_exact(value)
    printed = parse_printed(text)
    nearest = text if judge_value(printed, number) is None else find_nearest(printed, number)
    assert holds_text(nearest, number), (text, nearest)


@pytest.mark.parametrize("text", PLAIN)
@given(value=amounts, thousandths=st.integers(0, 20))
@settings(max_examples=40, deadline=None)
def test_changing_any_digit_of_a_literal_is_told(
    text: str, value: Fraction, thousandths: int
) -> None:
    number = measure(value, Fraction(thousandths, 1000))
    nearest = find_nearest(parse_printed(text), number) or text
    if not holds_text(nearest, number) or parse_printed(nearest).hedge:
        return
    printed = parse_printed(nearest)
    steps = number.shown / printed.factor / printed.low.unit
    assume((steps * 2).denominator != 1)  # A value between two roundings has both.
    for index, character in enumerate(nearest):
        if not character.isdecimal():
            continue
        zero = ord(character) - int(character)
        for digit in range(10):
            changed = nearest[:index] + chr(zero + digit) + nearest[index + 1 :]
            if digit == int(character):
                continue
            assert not holds_text(changed, number), (nearest, changed, float(value))


@given(low=amounts, factor=st.fractions(1, 3, max_denominator=50), text=st.sampled_from(RANGES))
@settings(max_examples=100, deadline=None)
def test_ranges_over_several_hold_and_their_changed_digits_do_not(
    low: Fraction, factor: Fraction, text: str
) -> None:
    several = Several((make_exact(low * (factor + 1)), make_exact(low)))
    printed = parse_printed(text)
    nearest = text if judge_value(printed, several) is None else find_nearest(printed, several)
    assert holds_text(nearest, several)
    for index, character in enumerate(nearest):
        if character.isdecimal():
            other = str((int(character) + 1) % 10)
            changed = nearest[:index] + other + nearest[index + 1 :]
            assert not holds_text(changed, several), (nearest, changed)


def test_a_range_is_proposed_for_values_that_differ() -> None:
    several = Several((make_exact(Fraction("1.29")), make_exact(Fraction("1.52"))))
    assert find_nearest(parse_printed("1.4×"), several) == "1.3–1.5×"


def test_keys_are_spaced_as_the_author_spaces_them() -> None:
    key = Text("611x613x617")
    assert find_nearest(parse_printed("16 × 16"), key) == "611 × 613 × 617"
    assert find_nearest(parse_printed("7"), key) == "611x613x617"


@pytest.mark.parametrize("text", ["16.5-way", "1/3-bit", "16–32-way"])
def test_counts_are_whole(text: str) -> None:
    with pytest.raises(UnreadableError, match="a count is one whole number"):
        parse_printed(text)


def test_a_nearest_is_not_invented_where_none_is() -> None:
    assert find_nearest(parse_printed("16-way"), make_exact(Fraction(33, 2))) == ""
    judgement = explain_value(parse_printed("16-way"), make_exact(Fraction(33, 2)))
    assert judgement is not None
    assert "write `" not in judgement.advice
    assert "find out what changed" in judgement.advice


@pytest.mark.parametrize("text", ["9" * 10_000, "1e400000", "9^9999999", "1 " * 5_000, "*" * 500])
def test_hostile_texts_are_refused_at_once(text: str) -> None:
    with pytest.raises(UnreadableError):
        parse_printed(text)
