"""How values are told: sizes in the prefix they are whole in, bands only where something varies."""

from __future__ import annotations

from fractions import Fraction

import pytest

from build_tools.quantity.format import format_band, format_number
from build_tools.quantity.judge import judge_value
from build_tools.quantity.printed import parse_printed
from build_tools.quantity.value import Number, Series, make_exact

BYTES = (("B", 1),)
LOADS = (("load", 1), ("thread", -1))


def measure(
    *samples: int | str, dimensions: tuple[tuple[str, int], ...] = (), half: str = "1/2"
) -> Number:
    """A number of one record; the first sample is the shown one."""
    values = tuple(map(Fraction, samples))
    series = Series(frozenset({"record"}), values[0], values, Fraction(half))
    return Number(dimensions, None, (series,))


@pytest.mark.parametrize(
    ("size", "told"),
    [
        (49_152, "48 KiB"),
        (232_448, "227 KiB"),
        (62_914_560, "60 MiB"),
        (150_754_820_096, "143,771 MiB"),
        (1_048_576, "1 MiB"),
        # Whole in KiB alone, and a hundred million of them.
        (150_109_880_320, "150.11 GB"),
        (-2_048, "-2 KiB"),
        (512_000, "500 KiB"),
        # Whole in powers of ten alone, or shorter there.
        (80_000_000_000, "80 GB"),
        (2_000, "2 KB"),
        (1_500, "1.5 KB"),
        (16, "16 B"),
        (0, "0 B"),
    ],
)
def test_exact_sizes(size: int, told: str) -> None:
    assert format_number(make_exact(size, BYTES)) == told


def test_measured_traffic_is_told_in_powers_of_ten() -> None:
    assert format_number(measure(*[49_152] * 10, dimensions=BYTES)) == "49.152 KB"
    rate = measure(*[49_152] * 10, dimensions=(("B", 1), ("s", -1)))
    assert format_number(rate) == "49.152 KB/s"


def test_what_is_rounded_is_written_like_what_is_whole() -> None:
    counted = measure(276_372_018, *range(276_350_000, 276_440_000, 10_000))
    assert format_number(counted) == "276,372,018"
    assert format_band(counted) == "276,300,000 to 276,400,000"
    assert format_number(make_exact(Fraction(1_234_567, 10))) == "123,460"
    assert format_number(make_exact(Fraction(10**17 + 1, 10))) == "1e+16"


def test_microseconds_have_one_spelling() -> None:
    time = make_exact(Fraction(41, 10**6), (("s", 1),))
    assert format_number(time) == "41 µs"
    judgement = judge_value(parse_printed("41"), time)
    assert judgement is not None
    assert judgement.advice == "write the number with its unit, as `41 µs`"


@pytest.mark.parametrize(
    ("number", "band"),
    [
        # Counted: the same whole number each time.
        (measure(*[3] * 10), ""),
        (measure(*[3] * 10, dimensions=LOADS), ""),
        # Its ends read as the value does.
        (measure(*[786_432] * 10, dimensions=BYTES), ""),
        # Printed to one place, or not the same each time: the band says something.
        (measure(*["3"] * 10, half="1/20"), "2.95 to 3.05"),
        (measure(*[3] * 9, 4), "1.75 to 4.25"),
        (measure(*["3"] * 10, dimensions=(("s", 1),)), "2.5 to 3.5 s"),
    ],
)
def test_bands_are_told_where_something_varies(number: Number, band: str) -> None:
    assert format_band(number) == band


@pytest.mark.parametrize(
    ("text", "value", "true"),
    [
        ("257", make_exact(256), "it is 256, not 257"),
        ("50 KB", make_exact(49_152, BYTES), "it is 49.152 KB, not 50 KB"),
        ("47 KB", make_exact(48 * 1024, BYTES), "it is 49.152 KB, not 47 KB"),
        ("50 %", make_exact(Fraction(1, 4)), "it is 25 %, not 50 %"),
        ("sixteen", make_exact(32), "it is 32, not sixteen"),
        ("2^24", make_exact(2**24 + 1), "it is 16,777,217, not 2^24"),
        # What is told is itself rounded, or measured.
        ("0.34", make_exact(Fraction(1, 3)), "0.33333 does not round to it"),
        ("3.2", measure(*["3"] * 10, half="1/20"), "3 (band 2.95 to 3.05) does not round to it"),
    ],
)
def test_what_is_exact_is_not_said_to_round(text: str, value: Number, true: str) -> None:
    judgement = judge_value(parse_printed(text), value)
    assert judgement is not None
    assert judgement.true == true


def test_the_other_prefix_is_told_beside_what_is_exact() -> None:
    judgement = judge_value(parse_printed("48 KB"), make_exact(49_152, BYTES))
    assert judgement is not None
    assert judgement.true == "it is 49.152 KB, not 48 KB; in 48 KiB it would agree"
