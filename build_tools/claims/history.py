"""What did a program's values come to, record by record, in the order of time?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from build_tools.claims.figure import Figure, read_figure
from build_tools.claims.isolate import isolate_record
from build_tools.claims.measured import format_keys
from build_tools.claims.model import Course
from build_tools.claims.pasted import read_pasted
from build_tools.claims.scope import ProgramScope
from build_tools.diagnostics.finding import suggest_names
from build_tools.evidence.find_record import open_record
from build_tools.evidence.loaded import LoadedRecord, Shelf, State
from build_tools.evidence.pool import select_pool
from build_tools.quantity.expression import ExpressionError, evaluate_expression
from build_tools.quantity.value import Several, Value
from build_tools.source.model import Program, slugify_device

_BARS = "▁▂▃▄▅▆▇█"
_NOTHING = "·"


@dataclass(frozen=True)
class HistoryRecord:
    """A record in the order of time."""

    path: str
    identity: str
    """``run-2026-12-01``."""
    started: str
    """UTC."""
    state: State
    is_shown: bool
    is_pooled: bool
    """Whether it belongs to the newest pool."""
    device: str
    driver: str
    cuda: str
    code_digest: str
    machine_code_digest: str
    processes: int


@dataclass(frozen=True)
class HistoryLine:
    """One value through all records, oldest first."""

    name: str
    """The expression, with the keys of a slice's item."""
    figures: tuple[Figure | None, ...]
    """One a record; null where it has none."""
    errors: tuple[str, ...]
    """One a record: why there is no value, else empty."""
    strip: str
    """One character a record, its height from the least to the greatest end of the bands; `·`
    for no value."""
    change: float | None
    """The newest value over the oldest, less one; null where that says nothing."""
    pool: Figure | None = None
    """The value that pages are held to, whose band is the union of those of the newest pool; null
    where no record is fresh."""


@dataclass(frozen=True)
class History:
    """A program's values over its records."""

    format: Literal[1] = field(default=1, kw_only=True)
    program: str
    device: str
    """The folder of the records: ``nvidia-h200``."""
    expression: str
    """What was asked for; empty for all measurements and quantities."""
    records: tuple[HistoryRecord, ...] = ()
    """Oldest first."""
    lines: tuple[HistoryLine, ...] = ()
    error: str = ""
    """Why there is no history."""
    advice: str = ""


def find_history(course: Course, name: str, expression: str = "", device: str = "") -> History:
    """The history of a program by its name, on the reference device or on one that is named."""
    slug = slugify_device(device) or course.settings.reference_slug
    pasted = read_pasted(expression)
    expression = (pasted and pasted.expression) or expression
    program = course.programs.get(name)
    if program is None:
        return History(
            name,
            slug,
            expression,
            error=f"there is no program `{name}`",
            advice=suggest_names(name, course.programs),
        )
    shelf = course.shelves[name]
    others = course.other_shelves.get(name, {})
    if slug != course.settings.reference_slug:
        if slug not in others:
            known = [course.settings.reference_slug, *others] if shelf.records else list(others)
            return History(
                name,
                slug,
                expression,
                error=f"`{name}` has no record of the device `{device}`",
                advice=suggest_names(slug, known),
            )
        shelf = others[slug]
    return trace_history(course, program, slug, shelf, expression)


def trace_history(
    course: Course, program: Program, slug: str, shelf: Shelf, expression: str = ""
) -> History:
    """An expression, or all that the program measures, over the records of one device's shelf.

    The expression is read as in program.toml: names of the program need not be qualified. Each
    record is looked at alone; constants and quantities are those of the program as it is now.
    """
    loaded = [_read_whole(course, record) for record in reversed(shelf.records)]
    history = History(
        program.name,
        slug,
        expression,
        tuple(_describe_record(shelf, record) for record in loaded),
    )
    if not loaded:
        return replace(
            history,
            error=f"`{program.name}` has no record of {slug or 'the reference device'}",
            advice=f"run `course run {program.name}` there",
        )
    names = [expression] if expression else list(_list_names(program, loaded))
    pooled = ProgramScope(course, program, (), True, shelf)
    lines = [line for name in names for line in _trace_line(course, pooled, loaded, name)]
    if expression and lines and not any(any(line.figures) for line in lines):
        scope = ProgramScope(isolate_record(course, loaded[-1]), program, (), True)
        try:
            evaluate_expression(expression, scope)
        except ExpressionError as error:
            return replace(history, error=error.message, advice=error.advice)
    return replace(history, lines=tuple(lines))


def _read_whole(course: Course, record: LoadedRecord) -> LoadedRecord:
    """A stale record with its transcripts, where they can be read."""
    if record.transcripts:
        return record
    opened, _ = open_record(course.root, course.programs, record.path)
    return opened or record


def _describe_record(shelf: Shelf, loaded: LoadedRecord) -> HistoryRecord:
    record, shown = loaded.record, shelf.shown_record
    return HistoryRecord(
        loaded.path,
        loaded.identity,
        record.started,
        loaded.state,
        shown is not None and shown.path == loaded.path,
        loaded.path in {r.path for r in select_pool(shelf)},
        record.device.model,
        record.device.driver,
        record.build.cuda,
        record.code_digest,
        record.build.machine_code_digest,
        len(record.processes),
    )


def _list_names(program: Program, loaded: Sequence[LoadedRecord]) -> Iterator[str]:
    """All measurements of any of the records, as slices, and the program's quantities."""
    tables = len(program.declaration.tables) > 1
    names: dict[str, None] = {}
    for record in loaded:
        for measurement in record.shown.measurements.values() if record.transcripts else ():
            prefix = f"{measurement.table}." if tables and measurement.table else ""
            keys = "[:]" if measurement.key_names else ""
            names[f"{prefix}{measurement.name}{keys}"] = None
    yield from names
    yield from program.declaration.quantities


def _trace_line(
    course: Course, pooled: ProgramScope, loaded: Sequence[LoadedRecord], expression: str
) -> Iterator[HistoryLine]:
    """One line, or one for each key of a slice; ``pooled`` has all records together."""
    together, _ = _evaluate(pooled, expression)
    found: list[Mapping[tuple[str, ...], Value]] = []
    errors: list[str] = []
    for record in loaded:
        values, error = _evaluate_alone(course, pooled.program, record, expression)
        found.append(values)
        errors.append(error)
    for label in list(dict.fromkeys(label for values in found for label in values)) or [()]:
        row = [by_label.get(label) for by_label in found]
        figures = tuple(read_figure(v, label) if v is not None else None for v in row)
        said = tuple(
            "" if value is not None else error or "it has no such key"
            for value, error in zip(row, errors, strict=True)
        )
        yield HistoryLine(
            _name_line(expression, label),
            figures,
            said,
            draw_strip(figures),
            _measure_change([f.value for f in figures if f and f.value is not None]),
            read_figure(together[label], label) if label in together else None,
        )


def _name_line(expression: str, label: tuple[str, ...]) -> str:
    if not label:
        return expression
    if expression.endswith("[:]"):
        return expression.removesuffix("[:]") + format_keys(label)
    return f"{expression} {format_keys(label)}"


def _evaluate_alone(
    course: Course, program: Program, record: LoadedRecord, expression: str
) -> tuple[dict[tuple[str, ...], Value], str]:
    """An expression's values in one record by their keys, or why there are none."""
    if not record.transcripts:
        return {}, "its transcripts cannot be read"
    return _evaluate(ProgramScope(isolate_record(course, record), program, (), True), expression)


def _evaluate(scope: ProgramScope, expression: str) -> tuple[dict[tuple[str, ...], Value], str]:
    """An expression's values by their keys, or why there are none."""
    try:
        value = evaluate_expression(expression, scope)
    except ExpressionError as error:
        return {}, error.message
    if isinstance(value, Several):
        labels = value.labels or tuple((str(i),) for i in range(len(value.items)))
        return dict(zip(labels, value.items, strict=True)), ""
    return {(): value}, ""


def draw_strip(figures: Sequence[Figure | None]) -> str:
    """A character for each value, ``·`` for none.

    The scale runs from the least to the greatest end of the bands, so that what lies within the
    spread looks level.
    """
    known = [figure for figure in figures if figure and figure.value is not None]
    ends = [end for f in known for end in (f.value, f.band_low, f.band_high) if end is not None]
    low, high = min(ends, default=0.0), max(ends, default=0.0)

    def draw(figure: Figure | None) -> str:
        if figure is None or figure.value is None:
            return _NOTHING
        share = (figure.value - low) / (high - low) if high > low else 0.5
        return _BARS[min(int(share * len(_BARS)), len(_BARS) - 1)]

    return "".join(map(draw, figures))


def _measure_change(numbers: Sequence[float]) -> float | None:
    if len(numbers) < 2 or not numbers[0]:
        return None
    return numbers[-1] / numbers[0] - 1
