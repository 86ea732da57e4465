"""What is proposed in the place of a literal that does not hold: the table, and what always is."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from build_tools.quantity.judge import judge_value
from build_tools.quantity.nearest import explain_value, find_nearest, find_readable, holds_text
from build_tools.quantity.numeral import UnreadableError
from build_tools.quantity.printed import parse_printed
from build_tools.quantity.value import Number, Several, Text, make_exact
from tests.quantity.test_printed_numbers import read_rows, read_value

CASES = Path(__file__).parents[1] / "cases" / "nearest-literals.tsv"


@pytest.mark.parametrize("case", read_rows(CASES), ids=lambda case: f"{case[0]} | {case[1]}")
def test_case(case: tuple[str, ...]) -> None:
    text, stated, band, iqr, nearest, note = case
    value = read_value(stated, band, iqr)
    try:
        printed = parse_printed(text)
    except UnreadableError as error:
        assert find_readable(error, value) == nearest, note
        return
    assert judge_value(printed, value) is not None, "nothing to mend"
    assert find_nearest(printed, value) == nearest, note
    explained = explain_value(printed, value)
    assert explained is not None
    assert explained.nearest == nearest
    assert f"`{nearest}`" in explained.advice
