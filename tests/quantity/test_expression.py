"""Expressions: values, units, spread, and everything that is refused."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import pytest

from build_tools.quantity.expression import ExpressionError, Namespace, evaluate_expression
from build_tools.quantity.operations import Key
from build_tools.quantity.units import parse_unit
from build_tools.quantity.value import (
    Number,
    OperationError,
    Series,
    Several,
    Text,
    Truth,
    Value,
    make_exact,
)


@dataclass(frozen=True)
class Plain:
    values: Mapping[str, Value | Namespace] = field(default_factory=dict)

    def get_attribute(self, name: str) -> Value | Namespace:
        if name in self.values:
            return self.values[name]
        raise OperationError(f"no `{name}`", "look")

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        return self.get_attribute(".".join(str(key) for key in keys))

    def describe(self) -> str:
        return "a set of names"


def measure(*samples: str, unit: str = "", origin: str = "r", half: str = "0") -> Number:
    parsed = parse_unit(unit)
    values = tuple(Fraction(s) * parsed.factor for s in samples)
    series = Series(frozenset({origin}), values[0], values, Fraction(half) * parsed.factor)
    return Number(parsed.dimensions, None, (series,))


SCOPE = Plain(
    {
        "n": make_exact(16),
        "bytes": make_exact(64, (("B", 1),)),
        "slow": measure("10", "10.1", "10.2", unit="ms"),
        "fast": measure("5", "5.05", "5.1", unit="ms"),
        "other": measure("5", "5.05", "5.1", unit="ms", origin="s"),
        "list": Several((make_exact(1), make_exact(2), make_exact(4))),
        "times": Several((measure("2", unit="ms"), measure("4", unit="ms")), (("a",), ("b",))),
        "inner": Plain({"x": make_exact(3)}),
    }
)


def number(text: str) -> Number:
    value = evaluate_expression(text, SCOPE)
    assert isinstance(value, Number)
    return value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("0.1 + 0.2", Fraction(3, 10)),
        ("-n", -16),
        ("n ** 2", 256),
        ("2 ** -2", Fraction(1, 4)),
        ("7 // 2", 3),
        ("7 % 4", 3),
        ("min(3, 1, 2)", 1),
        ("max(list)", 4),
        ("sum(list[:]) if 0 else 1", None),
        ("sum(list)", 7),
        ("len(list)", 3),
        ("list[2]", 4),
        ("round(2.5)", 3),
        ("ceil(2.1)", 3),
        ("floor(2.9)", 2),
        ("log2(1024)", 10),
        ("sqrt(49)", 7),
        ("sqrt(1/4)", Fraction(1, 2)),
        ("abs(-3)", 3),
        ("inner.x", 3),
        ('inner["x"]', 3),
        ("bytes / bytes", 1),
        ("1e3", 1000),
        ("1_000", 1000),
    ],
)
def test_exact_values(text: str, value: int | Fraction | None) -> None:
    if value is None:
        with pytest.raises(ExpressionError):
            number(text)
        return
    assert number(text).exact == value


def test_arithmetic_within_a_record_goes_process_by_process() -> None:
    ratio = number("slow / fast")
    assert set(ratio.series[0].samples) == {Fraction(2)}
    band = ratio.band
    assert band is not None
    assert band.low == band.high == 2


def test_between_records_intervals_combine() -> None:
    ratio = number("slow / other")
    assert ratio.series[0].samples == ()
    band = ratio.band
    assert band is not None
    assert band.low < 2 < band.high
    assert ratio.series[0].origins == {"r", "s"}


def test_printed_resolution_widens_the_band() -> None:
    scope = Plain({"t": measure("0.010", "0.010", "0.010", unit="ms", half="0.0005")})
    value = evaluate_expression("t", scope)
    assert isinstance(value, Number)
    band = value.band
    assert band is not None
    assert (band.low, band.high) == (Fraction("0.0000095"), Fraction("0.0000105"))


def test_units_are_carried() -> None:
    assert number("bytes / slow").dimensions == (("B", 1), ("s", -1))
    assert number("sqrt(slow * slow)").dimensions == (("s", 1),)
    assert number("slow ** 2").dimensions == (("s", 2),)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 < 2", True),
        ("1 < 2 < 2", False),
        ("n == 16", True),
        ("n != 16", False),
        ("all(list != 3)", True),
        ("all(list != 4)", False),
        ("not n == 16", False),
        ("fast < slow", True),
        ("slow < fast", False),
        ("same(slow / fast, slow / fast)", True),
        ("same(slow / fast, 2)", True),
        ("slow > fast and n > 1", True),
        ("all(list > 0)", True),
        ("any(list > 3)", True),
        ("all(list > 1)", False),
        ('"a" == "a"', True),
    ],
)
def test_statements(text: str, value: bool) -> None:
    truth = evaluate_expression(text, SCOPE)
    assert isinstance(truth, Truth)
    assert truth.value is value


def test_overlapping_bands_are_ambiguous() -> None:
    scope = Plain({"a": measure("10", "11", "12"), "b": measure("11", "12", "13")})
    for text in ("a < b", "b > a", "not a < b", "a < b and 1 < 2", "all([a < b, 1 < 2])"):
        truth = evaluate_expression(text, scope)
        assert isinstance(truth, Truth)
        assert truth.value is None, text
    decided = evaluate_expression("a < b and 2 < 1", scope)
    assert isinstance(decided, Truth)
    assert decided.value is False


def test_slices_pair_by_their_keys() -> None:
    value = evaluate_expression("times / times", SCOPE)
    assert isinstance(value, Several)
    assert value.labels == (("a",), ("b",))
    assert evaluate_expression('(times * 2)["b"]', SCOPE) == number('times["b"] * 2')
    assert evaluate_expression('"a"', SCOPE) == Text("a")


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 0, "empty"),
        ("1 +", 3, "not an expression"),
        ("1 / 0", 0, "division by zero"),
        ("1 / (n - 16)", 0, "division by zero"),
        ("0 ** -1", 0, "division by zero"),
        ("3 + nothing", 4, "no `nothing`"),
        ("n + bytes", 0, "joins a bare number and a number in B"),
        ("slow == fast", 0, "`==` on measured values"),
        ("inner", 0, "not a value"),
        ("n.x", 0, "has no names"),
        ("n[1]", 0, "has no keys"),
        ("list[7]", 5, "3 values"),
        ("log2(bytes)", 0, "log2 of a number in B"),
        ("log2(0)", 0, "not positive"),
        ("sqrt(-1)", 0, "negative"),
        ("sqrt(bytes)", 0, "odd power"),
        ("open('/etc/passwd')", 0, "no function `open`"),
        ("n.__class__", 0, "has no names"),
        ("inner.__class__", 0, "no `__class__`"),
        ("(lambda: 1)()", 0, "no function"),
        ("[x for x in list]", 0, "not part of the language"),
        ("{1: 2}", 0, "not part of the language"),
        ("f'{n}'", 0, "not part of the language"),
        ("n if n else n", 0, "not part of the language"),
        ("True", 0, "not a number or a key"),
        ("len(1, 2)", 0, "len counts"),
        ("same(1)", 0, "two values"),
        ("min()", 0, "not numbers"),
        ("all(list)", 0, "joins statements"),
        ("2 ** 65", 0, "too large"),
        ("2 ** 0.5", 0, "whole number"),
        ("é + 1 + nothing", 0, "no `é`"),
        ("1 + é", 4, "no `é`"),
    ],
)
def test_refused_with_column(text: str, column: int, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        evaluate_expression(text, SCOPE)
    assert message in caught.value.message
    assert caught.value.column == column
    assert caught.value.advice


@pytest.mark.parametrize(
    "text",
    [
        "9**9**9**9",
        "(" * 200 + "1" + ")" * 200,
        "9" * 499 + "**9",
        "+".join("1" * 250),
        "((9**64)**64)**64",
        "n" + "**64" * 20,
        "-" * 400 + "1",
        "x" * 501,
    ],
)
def test_bombs_end_quickly(text: str) -> None:
    started = time.perf_counter()
    with pytest.raises(ExpressionError):
        evaluate_expression(text, SCOPE)
    assert time.perf_counter() - started < 2


def test_what_is_measured_too_coarsely_is_not_called_the_same() -> None:
    """The wider a band, the sooner it meets another: that alone shows nothing."""
    truth = evaluate_expression("same(slow, slow)", SCOPE)
    assert isinstance(truth, Truth)
    assert truth.value is None
    assert "the bands meet, but reach over" in truth.reason
    assert "what is the same lies within 5 %" in truth.reason
