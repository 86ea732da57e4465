"""What do arithmetic, comparison and functions make of values? The operations of expressions.

Each works on a number, on each of several numbers, or pair by pair, and keeps units.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from build_tools.quantity.cases import join_cases
from build_tools.quantity.combine import AtZero, combine_numbers
from build_tools.quantity.comparison import are_equal, compare_equal
from build_tools.quantity.probe import carry_probe, is_moved
from build_tools.quantity.ranking import Ranking, rank_numbers
from build_tools.quantity.roots import take_exact_root, take_logarithm
from build_tools.quantity.units import Unit, multiply_units
from build_tools.quantity.value import (
    Dimensions,
    Number,
    OperationError,
    Several,
    Text,
    Truth,
    Value,
    Word,
    describe_value,
    make_exact,
    require_same_dimensions,
)

MAXIMUM_EXPONENT = 64

Key = str | None
"""A key as written, or None for the whole of ``:``."""


def pick_labelled(found: Several, keys: tuple[Key, ...]) -> Value:
    """Items of a slice by the keys that were left open in it."""
    if not found.labels:
        raise OperationError("these values have no keys", "leave the brackets out")
    width = len(found.labels[0])
    if len(keys) != width:
        raise OperationError(f"{width} keys are open, {len(keys)} given", "give one for each")
    chosen = [
        (item, label)
        for item, label in zip(found.items, found.labels, strict=True)
        if all(key is None or key == part for key, part in zip(keys, label, strict=True))
    ]
    if not chosen:
        known = sorted({" , ".join(label) for label in found.labels})
        raise OperationError(f"no value has these keys: {keys}", f"known: {'; '.join(known)}")
    if None not in keys:
        return chosen[0][0]
    return Several(
        tuple(item for item, _ in chosen),
        tuple(
            tuple(p for key, p in zip(keys, label, strict=True) if key is None)
            for _, label in chosen
        ),
    )


def map_value(value: Value, operation: Callable[[Number], Value]) -> Value:
    """Apply to a number, or to each of several."""
    match value:
        case Number():
            return operation(value)
        case Several():
            return Several(tuple(map_value(i, operation) for i in value.items), value.labels)
    raise OperationError(f"arithmetic on {describe_value(value)}", "use numbers")


def broadcast(left: Value, right: Value, operation: Callable[[Number, Number], Value]) -> Value:
    """Apply to two numbers, to a number and each of several, or pair by pair."""
    if isinstance(left, Number) and isinstance(right, Number):
        return operation(left, right)
    if isinstance(left, Several) and isinstance(right, Several):
        if len(left.items) != len(right.items) or (
            left.labels and right.labels and left.labels != right.labels
        ):
            raise OperationError(
                f"{len(left.items)} values do not pair with {len(right.items)} by their keys",
                "slice both the same way",
            )
        pairs = zip(left.items, right.items, strict=True)
        return Several(
            tuple(broadcast(a, b, operation) for a, b in pairs), left.labels or right.labels
        )
    if isinstance(left, Several):
        return Several(tuple(broadcast(a, right, operation) for a in left.items), left.labels)
    if isinstance(right, Several):
        return Several(tuple(broadcast(left, b, operation) for b in right.items), right.labels)
    raise OperationError(
        f"{describe_value(left)} and {describe_value(right)} do not go together", "use numbers"
    )


def negate(value: Value) -> Value:
    """The opposite of a truth, or of each of several; what is undecided stays so."""
    match value:
        case Truth() if value.value is not None:
            return replace(value, value=not value.value)
        case Several():
            return Several(tuple(negate(item) for item in value.items), value.labels)
    return value


def _compare_texts(left: Text, right: Text) -> Truth:
    moved = not (left.is_literal and right.is_literal)
    words = [text for text in (left, right) if isinstance(text, Word)]
    measured = tuple(number for word in words for number in word.measured)
    equal = left.value == right.value
    # A verdict that is ambiguous may be any other word in the next run.
    unclear = next((word for word in words if word.value == Ranking.AMBIGUOUS), None)
    if unclear is not None and not equal:
        return Truth(None, unclear.reason, measured, is_moved=moved)
    return Truth(equal, "", measured, is_moved=moved)


def broadcast_equal(left: Value, right: Value) -> Value:
    """``==``: exact things only."""
    if isinstance(left, Text) and isinstance(right, Text):
        return _compare_texts(left, right)

    def compare(a: Number, b: Number) -> Truth:
        require_same_dimensions(a, b, "==")
        if a.exact is None or b.exact is None:
            raise OperationError("`==` on measured values", "write same(a, b): equal within bands")
        return Truth(are_equal(a.exact, b.exact), is_moved=a.is_moved or b.is_moved)

    return broadcast(left, right, compare)


def join_truths(truths: list[Truth], every: bool) -> Truth:
    """All of them, or any of them; ambiguous only where that decides."""
    measured = tuple(n for t in truths for n in t.measured)
    cases = join_cases(truths)
    deciding = not every
    decided = [t for t in truths if t.value is deciding]
    # One that decides alone must rest on something by itself.
    moved = any(t.is_moved for t in decided or truths)
    if decided:
        return Truth(deciding, "", measured, is_moved=moved, cases=cases)
    unclear = next((t for t in truths if t.value is None), None)
    if unclear:
        return Truth(None, unclear.reason, measured, is_moved=moved, cases=cases)
    return Truth(not deciding, "", measured, is_moved=moved, cases=cases)


GROUNDS = ("what is observed", "the counter", "the control")
"""What ``because`` takes, in this order."""


def join_grounds(values: list[Value]) -> Truth:
    """``because(observed, counter, control)``: true when all three are."""
    truths = [value for value in values if isinstance(value, Truth)]
    if len(truths) != len(GROUNDS) or len(values) != len(GROUNDS):
        raise OperationError(
            f"because takes three statements: {', '.join(GROUNDS)}",
            "write because(a > b, c > d, same(e, f)), with all(…) around several",
        )
    return replace(join_truths(truths, every=True), grounds=tuple(truths))


def apply_binary(op: ast.operator, left: Value, right: Value) -> Value:
    """Arithmetic, with units."""

    def combine(a: Number, b: Number) -> Number:
        match op:
            case ast.Add() | ast.Sub():
                require_same_dimensions(a, b, "+" if isinstance(op, ast.Add) else "-")
                function = operator.add if isinstance(op, ast.Add) else operator.sub
                return combine_numbers(function, [a, b], a.dimensions)
            case ast.Mult():
                return combine_numbers(operator.mul, [a, b], _multiply(a, b, 1))
            case ast.Div():
                return combine_numbers(_DIVIDE, [a, b], _multiply(a, b, -1))
            case ast.Pow():
                return raise_power(a, b)
            case ast.FloorDiv() | ast.Mod():
                if a.exact is None or b.exact is None or a.dimensions or b.dimensions:
                    raise OperationError("`//` and `%` on what is not exact and bare", "use /")
                whole = isinstance(op, ast.FloorDiv)
                rest = combine_numbers(
                    lambda x, y: Fraction(x // y) if whole else x % y, [a, b], ()
                )
                return carry_probe(rest, a, b)
        raise OperationError("this operator is not part of the language", "use + - * / // % **")

    return broadcast(left, right, combine)


def divide(above: Fraction, below: Fraction) -> Fraction:
    """``above / below``. Raises OperationError for zero."""
    if below == 0:
        raise OperationError("division by zero", "guard or change the divisor")
    return above / below


_DIVIDE = AtZero(divide, operand=1, has_value=False)


def _multiply(a: Number, b: Number, exponent: int) -> Dimensions:
    one = Fraction(1)
    return multiply_units(Unit(one, a.dimensions), Unit(one, b.dimensions), exponent).dimensions


def raise_power(base: Number, exponent: Number) -> Number:
    """``base ** exponent`` for a small exact whole exponent."""
    power = exponent.exact
    if power is None or power.denominator != 1 or exponent.dimensions:
        raise OperationError("an exponent is an exact whole number", "use sqrt for roots")
    if abs(power) > MAXIMUM_EXPONENT:
        raise OperationError(f"the exponent {power} is too large", f"{MAXIMUM_EXPONENT} at most")
    whole = int(power)
    dimensions = tuple((name, p * whole) for name, p in base.dimensions if p * whole)

    def lift(x: Fraction) -> Fraction:
        if x == 0 and whole < 0:
            raise OperationError("division by zero", "guard or change the base")
        return x**whole

    turning = whole < 0 or whole % 2 == 0
    return combine_numbers(
        AtZero(lift, has_value=whole >= 0) if turning else lift, [base], dimensions
    )


def _take_square_root(number: Number) -> Number:
    if any(power % 2 for _, power in number.dimensions):
        raise OperationError("sqrt of an odd power of a unit", "divide by a unit first")

    def root(x: Fraction) -> Fraction:
        if x < 0:
            raise OperationError("sqrt of a negative number", "change the expression")
        return take_exact_root(x)

    return combine_numbers(root, [number], tuple((n, p // 2) for n, p in number.dimensions))


def _take_log(x: Fraction) -> Fraction:
    if x <= 0:
        raise OperationError("log2 of what is not positive", "change the expression")
    if x.denominator == 1 and x.numerator & (x.numerator - 1) == 0:
        return Fraction(x.numerator.bit_length() - 1)
    return take_logarithm(x)


_ROUNDINGS: dict[str, Callable[[Fraction], Fraction]] = {
    "round": lambda x: Fraction(math.floor(x + Fraction(1, 2))),
    "ceil": lambda x: Fraction(math.ceil(x)),
    "floor": lambda x: Fraction(math.floor(x)),
}


def _apply_plain(name: str, number: Number) -> Number:
    if number.dimensions:
        raise OperationError(f"{name} of {describe_value(number)}", "divide by a unit first")
    if name == "log2":
        return combine_numbers(_take_log, [number], ())
    if number.exact is None:
        raise OperationError(
            f"{name} of a measured value",
            "leave it out: how a measured number is rounded, its own digits say",
        )
    return carry_probe(combine_numbers(_ROUNDINGS[name], [number], ()), number)


COMPARING: dict[str, Callable[[Number, Number], Value]] = {
    "same": compare_equal,
    "verdict": rank_numbers,
}
"""Functions of two values, which they compare."""


def apply_function(name: str, values: list[Value]) -> Value:
    """One of FUNCTIONS on its arguments. Raises OperationError."""
    if name in COMPARING:
        if len(values) != 2:
            message = f"{name} takes two values, not {len(values)}"
            raise OperationError(message, f"write {name}(a, b)")
        return broadcast(values[0], values[1], COMPARING[name])
    flat = [i for v in values for i in (v.items if isinstance(v, Several) else (v,))]
    if name == "len":
        if len(values) != 1 or not isinstance(values[0], Several):
            raise OperationError("len counts several values", "give it a slice, as time[:]")
        count = make_exact(len(values[0].items))
        return count if is_moved(values[0]) else replace(count, probe=count.exact)
    if name == "because":
        return join_grounds(values)
    if name in ("all", "any"):
        truths = [v for v in flat if isinstance(v, Truth)]
        if len(truths) != len(flat) or not truths:
            raise OperationError(f"{name} joins statements", f"write {name}(time[:] > 1)")
        return join_truths(truths, name == "all")
    if name in ("min", "max", "sum"):
        return _reduce(name, flat)
    if len(values) != 1:
        raise OperationError(f"{name} takes one value, not {len(values)}", f"write {name}(x)")
    if name == "sqrt":
        return map_value(values[0], _take_square_root)
    if name == "abs":
        return map_value(values[0], lambda n: combine_numbers(AtZero(abs), [n], n.dimensions))
    return map_value(values[0], lambda n: _apply_plain(name, n))


def _reduce(name: str, flat: list[Value]) -> Number:
    numbers = [v for v in flat if isinstance(v, Number)]
    if not numbers or len(numbers) != len(flat):
        raise OperationError(f"{name} of what is not numbers", "give it numbers or a slice")
    for number in numbers[1:]:
        require_same_dimensions(numbers[0], number, name)
    operation: Callable[..., Fraction] = {
        "min": lambda *xs: min(xs),
        "max": lambda *xs: max(xs),
        "sum": lambda *xs: sum(xs, Fraction(0)),
    }[name]
    if len(numbers) <= 6:
        return combine_numbers(operation, numbers, numbers[0].dimensions)
    # Corners grow as two to the operands: fold pairs instead.
    total = numbers[0]
    for number in numbers[1:]:
        total = combine_numbers(operation, [total, number], total.dimensions)
    return total
