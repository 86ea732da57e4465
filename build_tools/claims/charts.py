"""Which values of a record does a chart draw, and can they be drawn as it is asked?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from build_tools.claims.chart_model import (
    Axis,
    Chart,
    ChartKind,
    DrawnSeries,
    Point,
    Problem,
    Spread,
)
from build_tools.claims.chart_options import EXPRESSIONS, read_choice, read_word
from build_tools.claims.measures import Measure, find_measure
from build_tools.claims.model import Course
from build_tools.claims.rooflines import read_roofline
from build_tools.diagnostics.finding import suggest_names
from build_tools.evidence.loaded import LoadedRecord, Reading
from build_tools.evidence.model import Samples
from build_tools.quantity.units import UnitError, parse_unit
from build_tools.source.model import Program

MOST_SERIES = 6
"""More colours than these are not told apart."""
MOST_KEYS = 24
"""More names than these do not fit along an axis."""
MOST_TICKS = 8
FAR_APART = 10
"""Numbers that differ by this factor crowd one end of an axis of even steps."""

SCALES = ("linear", "log")
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")

_FOR_ROWS = ("by", "only", "without", "scale")


Row = tuple[tuple[str, ...], Reading]


def read_chart(
    course: Course, program: Program, options: Mapping[str, str]
) -> tuple[Chart | None, list[Problem]]:
    """The chart that a block's options ask for, or why it cannot be drawn.

    Neither without a fresh record: that is told of the program. Raises NoEvidenceError for
    evidence of others that a roofline lacks.
    """
    kind, problems = read_word(options, "kind", [kind.value for kind in ChartKind])
    if problems:
        return None, problems
    if kind == ChartKind.ROOFLINE:
        strange = [option for option in _FOR_ROWS if option in options]
        if strange:
            advice = f"leave it out: a roofline takes {', '.join(EXPRESSIONS)} and title"
            return None, [Problem(f"a roofline has no `{o}`", advice) for o in strange]
        return read_roofline(course, program, options)
    if "roofs" in options:
        return None, [Problem("only a roofline has `roofs`", "write `kind: roofline`")]
    measure, problems = find_measure(program, options)
    if measure is None:
        return None, problems
    problems = _check_keys(measure, options)
    only, wrong = read_choice(options, "only", measure.keys)
    without, wrong_too = read_choice(options, "without", measure.keys)
    problems += [*wrong, *wrong_too, *read_word(options, "scale", SCALES)[1]]
    record = course.shelves[program.name].shown_record
    if problems or record is None or not record.transcripts:
        return None, problems
    measured = record.shown.measurements.get(measure.name)
    if measured is None or not measured.readings:
        advice = f"run `course run {program.name}`, or correct {program.declaration.path}"
        return None, [Problem(f"{record.identity} measured no `{measure.name}`", advice)]
    names = measured.key_names
    rows, problems = _choose_rows(list(measured.readings.items()), names, only, without)
    if problems:
        return None, problems
    plan = _Plan(measure, record, options, tuple(names), rows)
    return _compose(plan, ChartKind(kind) if kind else None)


def _check_keys(measure: Measure, options: Mapping[str, str]) -> list[Problem]:
    """What is wrong with the columns that ``x`` and ``by`` name."""
    problems = []
    x, by = options.get("x", ""), options.get("by", "")
    if not x:
        advice = "write " + " or ".join(f"`x: {key}`" for key in measure.keys)
        problems.append(Problem("it does not say what stands along the axis", advice))
    for option, name in (("x", x), ("by", by)):
        if name and name not in measure.keys:
            what = f"`{option}: {name}` is no key of `{measure.name}`"
            problems.append(Problem(what, suggest_names(name, measure.keys)))
    if x and x == by:
        problems.append(Problem(f"`x` and `by` both name `{x}`", "leave `by` out"))
    return problems


def _choose_rows(
    rows: Sequence[Row],
    names: Sequence[str],
    only: Mapping[str, Sequence[str]],
    without: Mapping[str, Sequence[str]],
) -> tuple[list[Row], list[Problem]]:
    """The rows that the options leave."""
    problems = []
    for option, chosen in (("only", only), ("without", without)):
        for name, keys in chosen.items():
            known = list(dict.fromkeys(row[names.index(name)] for row, _ in rows))
            for key in keys:
                if key not in known:
                    what = f"`{option}` names `{key}`, and `{name}` has no such key"
                    problems.append(Problem(what, suggest_names(key, known)))
    kept = [
        (row, reading)
        for row, reading in rows
        if all(row[names.index(name)] in keys for name, keys in only.items())
        and not any(row[names.index(name)] in keys for name, keys in without.items())
    ]
    if not kept and not problems:
        advice = "name other keys, or leave `only` and `without` out"
        problems.append(Problem("no row is left to draw", advice))
    return kept, problems


@dataclass(frozen=True)
class _Plan:
    """Rows of a measurement, to be laid out along a key."""

    measure: Measure
    record: LoadedRecord
    options: Mapping[str, str]
    names: tuple[str, ...]
    """Of the keys of a row."""
    rows: Sequence[Row]

    @property
    def unit(self) -> float:
        try:
            return float(parse_unit(self.measure.unit).factor)
        except UnitError:
            return 1.0  # A unit the table lacks is a finding of the source stage.

    def list_keys(self, name: str) -> list[str]:
        """The keys of a column, in the transcript's order."""
        if not name:
            return [""]
        index = self.names.index(name)
        return list(dict.fromkeys(row[index] for row, _ in self.rows))


def _compose(plan: _Plan, kind: ChartKind | None) -> tuple[Chart | None, list[Problem]]:
    x, by = plan.options["x"], plan.options.get("by", "")
    keys, names = plan.list_keys(x), plan.list_keys(by)
    problems = [
        *_check_single(plan, x, by),
        *_check_count(names, by, MOST_SERIES, "told apart"),
        *_check_count(keys, x, MOST_KEYS, "named along an axis"),
    ]
    if problems:
        return None, problems
    numbers = [_read_number(key) for key in keys]
    places = [number for number in numbers if number is not None]
    numeric = len(places) == len(keys) > 1
    if kind is None and numeric and len(keys) > 2:
        kind = ChartKind.LINES
    is_log = _is_log(plan)
    if kind is None:
        kind = ChartKind.POINTS if is_log else ChartKind.BARS
    problems = _check_kind(plan, kind, keys, numeric=numeric, is_log=is_log)
    if problems:
        return None, problems
    drawn = kind is ChartKind.LINES
    at = dict(zip(keys, places if drawn else map(float, range(len(keys))), strict=True))
    series = tuple(DrawnSeries(name, tuple(_list_points(plan, at, by, name))) for name in names)
    axis = Axis(
        plan.measure.keys[x],
        "",
        is_log=drawn and min(places) > 0 and max(places) / min(places) >= FAR_APART,
        keys=() if drawn else tuple(keys),
        values=tuple(sorted(places)) if drawn and len(keys) <= MOST_TICKS else (),
    )
    y = Axis(plan.measure.title, plan.measure.unit, is_log)
    return Chart(kind, axis, y, plan.measure.keys.get(by, ""), series, plan.record), []


def _check_single(plan: _Plan, x: str, by: str) -> list[Problem]:
    """One value must stand at each place: other keys must not tell rows apart."""
    places: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for row, _ in plan.rows:
        place = tuple(row[plan.names.index(name)] for name in (x, by) if name)
        places.setdefault(place, []).append(row)
    crowded = next((place for place, rows in places.items() if len(rows) > 1), None)
    if crowded is None:
        return []
    first = places[crowded][0]
    other = next(name for name in plan.names if name not in (x, by))
    where = ", ".join(f"`{key}`" for key in crowded)
    advice = f"choose with `only: {other} = {first[plan.names.index(other)]}`"
    if not by:
        advice = f"write `by: {other}`, or {advice}"
    return [Problem(f"{len(places[crowded])} values stand at {where}", advice)]


def _check_count(keys: Sequence[str], name: str, most: int, what: str) -> list[Problem]:
    if len(keys) <= most:
        return []
    advice = f"choose some with `only: {name} = …`, or draw two charts"
    return [Problem(f"`{name}` has {len(keys)} keys, and {most} at most are {what}", advice)]


def _is_log(plan: _Plan) -> bool:
    """Whether the values' axis is logarithmic: as asked, and by default for ratios."""
    asked = plan.options.get("scale", "")
    if asked:
        return asked == "log"
    whole = all(reading.value.denominator == 1 for _, reading in plan.rows)
    positive = all(reading.value > 0 for _, reading in plan.rows)
    return plan.measure.unit == "" and positive and not whole


def _check_kind(
    plan: _Plan, kind: ChartKind, keys: Sequence[str], *, numeric: bool, is_log: bool
) -> list[Problem]:
    """What is wrong with drawing the values so."""
    x = plan.options["x"]
    problems = []
    if kind is ChartKind.BARS and is_log:
        what = "a bar's length is its value, and a log axis has no zero for it to begin at"
        problems.append(Problem(what, "write `kind: points`, or `scale: linear`"))
    if kind is ChartKind.LINES and not numeric:
        strange = next((key for key in keys if _read_number(key) is None), keys[0])
        what = f"lines join numbers, and `{x}` has the key `{strange}`"
        problems.append(Problem(what, "write `kind: points` or `kind: bars`"))
    low = min((reading.value for _, reading in plan.rows), default=0)
    if is_log and low <= 0:
        what = f"a log axis has no place for {float(low):g}"
        problems.append(Problem(what, "write `scale: linear`"))
    return problems


def _list_points(plan: _Plan, places: Mapping[str, float], by: str, name: str) -> Iterable[Point]:
    """The points of a series, by their places along the axis."""
    samples = {s.keys: s for s in plan.record.record.measurements if s.name == plan.measure.name}
    x = plan.names.index(plan.options["x"])
    rows = [
        (row, reading) for row, reading in plan.rows if not by or row[plan.names.index(by)] == name
    ]
    for row, reading in sorted(rows, key=lambda item: places[item[0][x]]):
        place = places[row[x]]
        spread = _read_spread(reading, samples.get(row), plan.unit)
        yield Point(row[x], Spread(place, place, place), spread, reading.text, samples.get(row))


def _read_spread(reading: Reading, samples: Samples | None, unit: float) -> Spread:
    value = float(reading.value) / unit
    if samples is None or len(samples.samples) < 2:
        return Spread(value, value, value)
    return Spread(value, samples.band_low / unit, samples.band_high / unit)


def _read_number(key: str) -> float | None:
    """A key that is a plain number."""
    return float(key.replace(",", "")) if _NUMBER.fullmatch(key) else None
