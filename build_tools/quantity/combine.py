"""What does an operation make of numbers? Process by process within a record, else by intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from build_tools.quantity.spread import MINIMUM_PROCESSES, Interval
from build_tools.quantity.units import Unit
from build_tools.quantity.value import Dimensions, Number, OperationError, Series

MAXIMUM_BITS = 4096
"""Numbers longer than this stop an evaluation: no honest expression needs them."""


MAXIMUM_MAGNITUDE = 996
"""Powers of two, up or down, that a value may reach: about 1e300, so that all of them print."""


def bound_value(value: Fraction) -> Fraction:
    """The value itself. Raises OperationError for one that no honest expression comes to."""
    above, below = value.numerator.bit_length(), value.denominator.bit_length()
    if max(above, below) <= MAXIMUM_BITS and (
        value == 0 or abs(above - below) <= MAXIMUM_MAGNITUDE
    ):
        return value
    raise OperationError(
        "the numbers grow beyond all use", "simplify the expression, or mend what it cites"
    )


Operation = Callable[..., Fraction]


@dataclass(frozen=True)
class AtZero:
    """An operation whose values turn at zero, as ``abs`` does, or that has none there.

    ``operand`` is the one that counts. All other operations rise or fall in each operand.
    """

    operation: Operation
    operand: int = 0
    has_value: bool = True

    def __call__(self, *operands: Fraction) -> Fraction:
        return self.operation(*operands)


def _apply_corners(operation: Operation, intervals: list[Interval]) -> Interval:
    """The interval of an operation's values over those of its operands.

    The extremes lie at corners, or where the operation turns.
    """
    ends = [(i.low, i.high) for i in intervals]
    points = list(product(*ends))
    if isinstance(operation, AtZero) and intervals[operation.operand].holds(Fraction(0)):
        if not operation.has_value:
            raise OperationError(
                "the divisor may be zero: its band holds it",
                "compare the two sides of the divisor, or divide by something else",
            )
        zero = [
            (Fraction(0), Fraction(0)) if at == operation.operand else e
            for at, e in enumerate(ends)
        ]
        points += product(*zero)
    values = [operation(*point) for point in points]
    return Interval(min(values), max(values))


def _combine_within(operation: Operation, parts: list[Series]) -> Series:
    """One record's operands, process by process."""
    shown = bound_value(operation(*(p.shown for p in parts)))
    open_digits = [Interval(p.shown - p.half, p.shown + p.half) for p in parts]
    try:
        reach = _apply_corners(operation, open_digits)
        half = (reach.high - reach.low) / 2
    except (OperationError, ArithmeticError):
        # The printed digits leave the operation undefined, as a divisor of 0.0 does.
        raise OperationError(
            "the printed digits leave the result undefined", "print more digits"
        ) from None
    origins = frozenset[str]().union(*(p.origins for p in parts))
    if any(p.joined for p in parts):
        return _join(operation, parts, origins, shown)
    samples = tuple(
        bound_value(operation(*row)) for row in zip(*(p.samples for p in parts), strict=True)
    )
    measured = [p for p in parts if p.origins]
    return Series(
        origins,
        shown,
        samples,
        half,
        all(p.pooled for p in parts),
        enough=max((p.enough for p in measured), default=MINIMUM_PROCESSES),
        floor=_carry_floor(operation, parts),
        # What was timed in several windows has no clock of its own.
        clocks=measured[0].clocks if len({p.clocks for p in measured}) == 1 else None,
    )


def _carry_floor(operation: Operation, parts: list[Series]) -> Fraction:
    """The floor of an operation's value, by those of its operands."""
    if not any(p.floor for p in parts):
        return Fraction(0)
    around = [Interval(p.shown - p.floor, p.shown + p.floor) for p in parts]
    try:
        reach = _apply_corners(operation, around)
    except (OperationError, ArithmeticError):
        return Fraction(0)
    return (reach.high - reach.low) / 2


def _join(
    operation: Operation, parts: list[Series], origins: frozenset[str], shown: Fraction
) -> Series:
    """Operands of different records, by interval arithmetic."""
    joined = _apply_corners(operation, [p.band for p in parts])
    return Series(
        origins,
        shown,
        (),
        Fraction(0),
        all(p.pooled for p in parts),
        joined,
        floor=_carry_floor(operation, parts),
    )


def combine_numbers(operation: Operation, operands: list[Number], dimensions: Dimensions) -> Number:
    """Apply an operation on fractions to numbers of any kind.

    ``operation`` may raise OperationError. Exact operands give an exact result.
    """
    cited = any(o.cited for o in operands)
    probe = _combine_probes(operation, operands)
    if all(o.exact is not None for o in operands):
        exact = bound_value(operation(*(o.shown for o in operands)))
        return Number(dimensions, exact, cited=cited, probe=probe)
    measured = [o for o in operands if o.exact is None]
    common = set[frozenset[str]]({s.origins for s in measured[0].series})
    for operand in measured[1:]:
        common &= {s.origins for s in operand.series}
    series: list[Series] = []
    if common:
        for leading in measured[0].series:
            if leading.origins in common:
                parts = [_pick_series(o, leading) for o in operands]
                series.append(_combine_within(operation, parts))
    else:
        parts = [_pick_series(o, None) for o in operands]
        shown = bound_value(operation(*(p.shown for p in parts)))
        origins = frozenset[str]().union(*(p.origins for p in parts))
        series.append(_join(operation, parts, origins, shown))
    return Number(dimensions, None, tuple(series), cited, probe=probe)


def _combine_probes(operation: Operation, operands: list[Number]) -> Fraction | None:
    """The operation's value for the operands' probes; None where it is not known."""
    probes = [o.probe for o in operands if o.probe is not None]
    if len(probes) < len(operands):
        return None
    try:
        probe = operation(*probes)
    except (OperationError, ArithmeticError):
        return None
    if all(o.exact is not None and o.is_moved for o in operands) and len(set(probes)) > 1:
        # A product's size cancels out of FLOP/byte: that is algebra, where x / x is a pretence.
        shown = operation(*(o.shown for o in operands))
        return probe if probe != shown else shown + sum(probes, Fraction(0))
    return probe


def _pick_series(operand: Number, like: Series | None) -> Series:
    """The operand's series of the same record, its newest, or a constant one."""
    if operand.exact is not None:
        value = operand.exact
        count = len(like.samples) if like else 0
        pinned = None if like and not like.joined else Interval(value, value)
        return Series(frozenset(), value, (value,) * count, Fraction(0), True, pinned)
    if like is None:
        return operand.series[0]
    return next(s for s in operand.series if s.origins == like.origins)


def attach_unit(number: Number, unit: Unit) -> Number:
    """A bare number of the given unit as that many base units."""
    scaled = combine_numbers(lambda x: x * unit.factor, [number], unit.dimensions)
    return replace(scaled, dimensions=unit.dimensions)
