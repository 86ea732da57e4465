"""Where do kernels stand under their roofs? FLOP per byte, FLOP per second, and their limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from build_tools.claims.chart_model import (
    Axis,
    Chart,
    ChartKind,
    DrawnSeries,
    Point,
    Problem,
    Roof,
    Spread,
)
from build_tools.claims.chart_options import read_named
from build_tools.claims.model import Course
from build_tools.claims.names import NoEvidenceError
from build_tools.claims.scope import ProgramScope
from build_tools.diagnostics.finding import suggest_names
from build_tools.quantity.expression import ExpressionError, evaluate_expression
from build_tools.quantity.format import format_number
from build_tools.quantity.units import Unit, choose_unit, format_unit_of
from build_tools.quantity.value import Dimensions, Number
from build_tools.source.model import Program

_RATE: Dimensions = (("FLOP", 1), ("s", -1))
_INTENSITY: Dimensions = (("B", -1), ("FLOP", 1))
_BANDWIDTH: Dimensions = (("B", 1), ("s", -1))
_WORDS = {_RATE: "FLOP/s", _INTENSITY: "FLOP/byte", _BANDWIDTH: "B/s"}

MOST_KERNELS = 6
"""More colours than these are not told apart."""


def read_roofline(
    course: Course, program: Program, options: Mapping[str, str]
) -> tuple[Chart | None, list[Problem]]:
    """The roofline that a block's options ask for, or why it cannot be drawn.

    Raises NoEvidenceError where another program's evidence is lacking.
    """
    rates, problems = read_named("y", options.get("y", ""))
    levels, wrong = read_named("x", options.get("x", ""))
    roofs, wrong_too = read_named("roofs", options.get("roofs", ""))
    problems += [*wrong, *wrong_too]
    problems += _check_names(rates, levels, options)
    if problems:
        return None, problems
    record = course.shelves[program.name].shown_record
    if record is None:
        return None, []
    scope = ProgramScope(course, program, local=True)
    by_kernel, wrong = _evaluate(scope, "y", rates, (_RATE,))
    by_level, wrong_too = _evaluate(scope, "x", levels, (_INTENSITY,))
    limits, wrong_roofs = _evaluate(scope, "roofs", roofs, (_BANDWIDTH, _RATE))
    problems = [*wrong, *wrong_too, *wrong_roofs]
    if problems:
        return None, problems
    unit = choose_unit(max(n.shown for n in by_kernel.values()), Unit(Fraction(1), _RATE))
    series = []
    for kernel, rate in by_kernel.items():
        y = _spread(rate, unit.factor)
        points = [
            Point(name.partition(",")[2].strip(), _spread(number, Fraction(1)), y)
            for name, number in by_level.items()
            if name.partition(",")[0].strip() == kernel
        ]
        series.append(DrawnSeries(kernel, tuple(points)))
    return (
        Chart(
            ChartKind.ROOFLINE,
            Axis("FLOP/byte", "FLOP/byte", is_log=True),
            Axis(unit.text, unit.text, is_log=True),
            "kernel",
            tuple(series),
            record,
            tuple(_make_roof(name, limits[name], unit, text) for name, text in roofs),
        ),
        [],
    )


def _check_names(
    rates: Sequence[tuple[str, str]],
    levels: Sequence[tuple[str, str]],
    options: Mapping[str, str],
) -> list[Problem]:
    """What is wrong with the names of kernels and levels."""
    problems = []
    for option, example in (
        ("y", "kernel = its FLOP/s"),
        ("x", "kernel, level = its FLOP per byte"),
        ("roofs", "name = B/s or FLOP/s"),
    ):
        if not options.get(option, ""):
            problems.append(Problem(f"a roofline needs `{option}`", f"write `{option}: {example}`"))
    kernels = [name for name, _ in rates]
    drawn = set()
    for name, _ in levels:
        kernel, comma, level = (part.strip() for part in name.partition(","))
        drawn.add(kernel)
        if not comma or not level:
            advice = f"write `x: {kernel}, level = …`"
            problems.append(Problem(f"`x` names no level for `{name}`", advice))
        elif kernel not in kernels:
            what = f"`x` names the kernel `{kernel}`, and `y` has none of that name"
            problems.append(Problem(what, suggest_names(kernel, kernels)))
    for kernel in kernels:
        if levels and kernel not in drawn:
            advice = f"write `x: {kernel}, level = …`, or leave it out of `y`"
            problems.append(Problem(f"`x` has no level of `{kernel}`", advice))
    if len(kernels) > MOST_KERNELS:
        what = f"`y` names {len(kernels)} kernels, and {MOST_KERNELS} at most are told apart"
        problems.append(Problem(what, "leave some out, or draw two charts"))
    return problems


def _evaluate(
    scope: ProgramScope,
    option: str,
    pairs: Sequence[tuple[str, str]],
    allowed: Sequence[Dimensions],
) -> tuple[dict[str, Number], list[Problem]]:
    """The value of each expression, which must be positive and of one of these dimensions."""
    numbers, problems = {}, []
    for name, expression in pairs:
        try:
            value = evaluate_expression(expression, scope)
        except ExpressionError as error:
            if isinstance(error.__cause__, NoEvidenceError):
                raise error.__cause__ from None
            what = f"`{expression}` in `{option}`: {error.message}"
            problems.append(Problem(what, error.advice))
            continue
        if not isinstance(value, Number) or value.dimensions not in allowed:
            found = format_unit_of(value.dimensions) if isinstance(value, Number) else "no number"
            wanted = " or ".join(_WORDS[dimensions] for dimensions in allowed)
            what = f"`{expression}` in `{option}` is {found}"
            problems.append(Problem(what, f"cite what is in {wanted}"))
        elif value.shown <= 0:
            what = f"`{expression}` in `{option}` is not above zero"
            problems.append(Problem(what, "a log axis has no place for it: leave it out"))
        else:
            numbers[name] = value
    return numbers, problems


def _spread(number: Number, factor: Fraction) -> Spread:
    band = number.band
    value = float(number.shown / factor)
    if band is None or band.low <= 0:
        return Spread(value, value, value)
    return Spread(value, float(band.low / factor), float(band.high / factor))


def _make_roof(name: str, number: Number, unit: Unit, expression: str) -> Roof:
    return Roof(
        name,
        float(number.shown / unit.factor),
        number.dimensions == _BANDWIDTH,
        format_number(number, 3),
        expression,
    )
