"""How often is an honest re-record called drift, and a changed digit passed? Simulated campaigns.

A campaign is ten processes of a program whose time varies by 0.2 to 2 % between processes, printed
with the digits a transcript has. The author writes the finest literal the rules allow. The seeds
are fixed: the rates are those of the rules, not of the day.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import pytest

from build_tools.diagnostics.finding import Kind
from build_tools.quantity.combine import combine_numbers
from build_tools.quantity.comparison import compare_equal, compare_numbers
from build_tools.quantity.judge import judge_value
from build_tools.quantity.nearest import find_nearest
from build_tools.quantity.printed import parse_printed
from build_tools.quantity.spread import find_shown
from build_tools.quantity.value import (
    Number,
    Series,
    Value,
)

PROCESSES = 10
TRIALS = 300
SPREADS = (0.002, 0.005, 0.01, 0.02)
"""Coefficients of variation between processes."""


def print_time(true: float, decimals: int) -> Fraction:
    return Fraction(f"{true:.{decimals}f}")


def run_campaign(
    dice: random.Random,
    path: str,
    true: tuple[float, float],
    spread: float,
    *,
    decimals: int = 4,
    pooled: bool = True,
    common: float = 0.0,
) -> tuple[Number, Number]:
    """Two times of one record; ``common`` is what both share of a process, its clock."""
    rows: list[list[Fraction]] = [[], []]
    for _ in range(PROCESSES):
        shared = 1 + dice.gauss(0, common)
        for row, value in zip(rows, true, strict=True):
            row.append(print_time(value * shared * (1 + dice.gauss(0, spread)), decimals))
    shown = find_shown(rows)
    half = Fraction(1, 2 * 10**decimals)
    first, second = (
        Number((), None, (Series(frozenset({path}), row[shown], tuple(row), half, pooled),))
        for row in rows
    )
    return first, second


def join(newer: Number, older: Number) -> Number:
    return Number((), None, (*newer.series, *older.series))


def divide(a: Number, b: Number) -> Number:
    return combine_numbers(lambda x, y: x / y, [a, b], ())


def write_literal(number: Number) -> str:
    """The finest literal that the rules allow, as an author would take it from a proposal."""
    for decimals in (4, 3, 2, 1):
        text = f"{float(number.shown):.{decimals}f}"
        if judge_value(parse_printed(text), number) is None:
            return text
    return find_nearest(parse_printed("1.0"), number)


def agrees(text: str, value: Value) -> bool:
    return judge_value(parse_printed(text), value) is None


def simulate(seed: int) -> Iterator[tuple[random.Random, tuple[float, float]]]:
    """Dice and two true times, in ms, for each trial."""
    dice = random.Random(seed)  # noqa: S311 - simulated, and the same each time
    for _ in range(TRIALS):
        yield dice, (dice.uniform(0.5, 9), dice.uniform(0.5, 9))


@pytest.mark.parametrize("spread", SPREADS)
def test_a_re_record_of_the_same_pool_moves_no_literal(spread: float) -> None:
    wrong = 0
    for dice, true in simulate(1):
        first = run_campaign(dice, "r1", true, spread)
        second = run_campaign(dice, "r2", true, spread)
        texts = [write_literal(first[0]), write_literal(divide(*first))]
        wrong += not agrees(texts[0], join(second[0], first[0]))
        wrong += not agrees(texts[1], join(divide(*second), divide(*first)))
    assert wrong == 0


@pytest.mark.parametrize("spread", SPREADS)
def test_a_new_driver_that_changes_nothing_is_seldom_called_drift(spread: float) -> None:
    """The older record is still fresh and out of the pool: the new bands alone decide."""
    wrong = 0
    for dice, true in simulate(2):
        first = run_campaign(dice, "r1", true, spread, pooled=False, common=spread)
        second = run_campaign(dice, "r2", true, spread, common=spread)
        for before, after in ((first[0], second[0]), (divide(*first), divide(*second))):
            wrong += not agrees(write_literal(run_alone(before)), join(after, before))
    rate = wrong / (2 * TRIALS)
    assert rate < 0.01, f"{wrong} of {2 * TRIALS} honest re-records were called drift"


def list_changed_last_digits(text: str) -> list[str]:
    return [text[:-1] + digit for digit in "0123456789" if digit != text[-1]]


@pytest.mark.parametrize("spread", SPREADS)
def test_a_changed_last_digit_never_passes(spread: float) -> None:
    for dice, true in simulate(3):
        first = run_campaign(dice, "r1", true, spread)
        for number in (first[0], divide(*first)):
            text = write_literal(number)
            assert agrees(text, number)
            if parse_printed(text).hedge:
                continue
            steps = number.shown / parse_printed(text).low.unit
            if (2 * steps).denominator == 1 and steps.denominator == 2:
                continue  # A printed value on the edge of two roundings has both.
            for changed in list_changed_last_digits(text):
                assert not agrees(changed, number), (text, changed)


@pytest.mark.parametrize("spread", SPREADS)
def test_over_two_records_only_their_own_roundings_pass(spread: float) -> None:
    for dice, true in simulate(4):
        first = run_campaign(dice, "r1", true, spread)
        second = run_campaign(dice, "r2", true, spread)
        both = join(second[0], first[0])
        text = write_literal(first[0])
        if parse_printed(text).hedge:
            continue
        unit = parse_printed(text).low.unit
        for changed in list_changed_last_digits(text):
            stated = Fraction(changed)
            rounds = any(abs(s.shown - stated) <= unit / 2 for s in both.series)
            assert rounds or not agrees(changed, both)


@pytest.mark.parametrize("spread", SPREADS)
def test_a_real_change_is_drift(spread: float) -> None:
    """A new driver that moves a time by ten times its spread is found."""
    missed = 0
    for dice, true in simulate(5):
        first = run_campaign(dice, "r1", true, spread, pooled=False)
        moved = (true[0] * (1 + 10 * spread), true[1])
        second = run_campaign(dice, "r2", moved, spread)
        text = write_literal(run_alone(first[0]))
        judgement = judge_value(parse_printed(text), join(second[0], first[0]))
        missed += judgement is None
        assert judgement is None or judgement.kind is Kind.DRIFT
    # A literal of few digits may still be the rounding of the next process.
    assert missed <= 0.02 * TRIALS


def run_alone(number: Number) -> Number:
    return Number(
        (), None, tuple(Series(s.origins, s.shown, s.samples, s.half) for s in number.series)
    )


@pytest.mark.parametrize("spread", SPREADS)
def test_two_modes_from_day_to_day_are_noise(spread: float) -> None:
    """Both days in one pool: the first day's digits stay, and a third day in either mode too."""
    for dice, true in simulate(6):
        slow = (true[0] * (1 + 6 * spread), true[1])
        first = run_campaign(dice, "r1", true, spread)
        text = write_literal(first[0])
        second = run_campaign(dice, "r2", slow, spread)
        third = run_campaign(dice, "r3", true, spread)
        both = join(second[0], first[0])
        assert agrees(text, both)
        assert agrees(text, join(third[0], both))


@pytest.mark.parametrize("spread", SPREADS)
def test_rankings_within_the_spread_are_never_decided_wrongly(spread: float) -> None:
    """Two times that are the same are ``same`` or, where they spread widely, ambiguous."""
    decided = parted = 0
    for dice, true in simulate(7):
        first, second = run_campaign(dice, "r1", (true[0], true[0]), spread)
        decided += compare_numbers(first, second, ">").value is not None
        parted += compare_equal(first, second).value is False
        far = run_campaign(dice, "r2", (true[0], true[0] * (1 + 12 * spread)), spread)
        assert compare_numbers(far[1], far[0], ">").value is True
        assert compare_numbers(far[0], far[1], ">").value is False
    assert decided == 0
    assert parted == 0


def test_pairing_takes_out_what_both_sides_share() -> None:
    """Clocks that move both times by five percent leave their ratio its digits."""
    dice = random.Random(8)  # noqa: S311 - simulated, and the same each time
    first = run_campaign(dice, "r1", (4.0, 2.0), 0.001, common=0.05)
    ratio = divide(*first)
    assert ratio.band is not None
    apart = Number((), None, (Series(frozenset({"x"}), *_strip(first[0])),))
    unpaired = divide(apart, first[1])
    assert unpaired.band is not None
    assert ratio.band.high - ratio.band.low < (unpaired.band.high - unpaired.band.low) / 10
    assert agrees("2.00", ratio)


def _strip(number: Number) -> tuple[Fraction, tuple[Fraction, ...], Fraction]:
    (series,) = number.series
    return series.shown, series.samples, series.half


def test_a_literal_keeps_the_precision_of_the_record_it_was_taken_from() -> None:
    """A noisier record of the same pool does not make an older record's digits over-precise."""
    calm = Number(
        (),
        None,
        (
            Series(
                frozenset({"r1"}),
                Fraction("1.638"),
                tuple(Fraction(1638 + k, 1000) for k in range(-4, 6)),
                Fraction(1, 2000),
            ),
        ),
    )
    noisy = Number(
        (),
        None,
        (
            Series(
                frozenset({"r2"}),
                Fraction("1.652"),
                tuple(Fraction(1652 + 9 * k, 1000) for k in range(-4, 6)),
                Fraction(1, 2000),
            ),
        ),
    )
    assert agrees("1.64", calm)
    assert agrees("1.64", join(noisy, calm))
    judgement = judge_value(parse_printed("1.65"), noisy)
    assert judgement is not None
    assert judgement.kind is Kind.OVER_PRECISE
