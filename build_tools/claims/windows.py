"""What do names mean that stand for what the driver said inside a program's timed windows?"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import msgspec

from build_tools.claims.names import NoEvidenceError
from build_tools.claims.part_names import KeyedScope, PlainScope
from build_tools.evidence.loaded import LoadedRecord, Shelf
from build_tools.evidence.model import Window
from build_tools.evidence.pool import select_pool
from build_tools.quantity.expression import Namespace
from build_tools.quantity.units import parse_unit
from build_tools.quantity.value import (
    Number,
    OperationError,
    Series,
    Value,
)
from build_tools.source.model import Program

WINDOW_FIELDS = {
    "sm_clock": ("sm_clock_hz_median", "Hz", "sm_clock"),
    "sm_clock_min": ("sm_clock_hz_min", "Hz", "sm_clock"),
    "memory_clock": ("memory_clock_hz", "Hz", "memory_clock"),
    "power": ("power_watts_mean", "W", "power"),
    "power_cap_share": ("power_cap_share", "", "reasons"),
}
"""Names behind a window: the record's field, its unit, and the reading it rests on."""


def open_windows(program: Program, shelf: Shelf) -> Namespace:
    """``program.windows``: the timed windows by the names that the program gave them."""
    record = shelf.shown_record
    if record is None:
        raise NoEvidenceError(program.name)
    named = list_windows(record)

    def open_window(window: str) -> Namespace:
        values: dict[str, Value | Namespace] = {}
        for name, (field, unit, reading) in WINDOW_FIELDS.items():
            number = _collect(shelf, window, field, unit, reading)
            if number is not None:
                values[name] = number
        if not values:
            raise OperationError(
                f"no record of `{program.name}` has readings of all processes in `{window}`",
                f"run `course run {program.name}` on the reference GPU",
            )
        return PlainScope(f"the timed windows `{window}` of `{program.name}`", values)

    members = {window: (lambda w=window: open_window(w)) for window in named}
    return KeyedScope(f"the timed windows of `{program.name}`", members, named)


def list_windows(record: LoadedRecord) -> tuple[str, ...]:
    """The windows that every process of a record has readings of, in the shown one's order."""
    each = [p.windows for p in record.record.processes if p.windows is not msgspec.UNSET]
    if len(each) < len(record.record.processes):
        return ()
    shown = each[record.record.shown]
    return tuple(name for name in shown if name and all(name in one for one in each))


def list_window_names(record: LoadedRecord) -> Iterator[str]:
    """What can be cited of a record's timed windows, as an expression within its program."""
    for window in list_windows(record):
        if '"' not in window:
            for name in WINDOW_FIELDS:
                yield f'windows["{window}"].{name}'


def _collect(shelf: Shelf, window: str, field: str, unit: str, reading: str) -> Number | None:
    """One reading over the processes of every fresh record; None where none was read."""
    pool = {record.path for record in select_pool(shelf)}
    series = []
    for record in shelf.fresh:
        read = [_read(w, field, reading) for w in _list_own(record, window)]
        values = tuple(value for value in read if value is not None)
        if values and len(values) == len(record.record.processes):
            origins = frozenset({record.path})
            shown = values[record.record.shown]
            series.append(Series(origins, shown, values, Fraction(0), record.path in pool))
    dimensions = parse_unit(unit).dimensions
    return Number(dimensions, None, tuple(series)) if series else None


def _list_own(record: LoadedRecord, window: str) -> list[Window]:
    """The window of each process; none where one of them lacks it."""
    if window not in list_windows(record):
        return []
    each = [p.windows for p in record.record.processes if p.windows is not msgspec.UNSET]
    return [windows[window] for windows in each]


def _read(window: Window, field: str, reading: str) -> Fraction | None:
    """A window's value; None where the driver did not tell, which stands as zero."""
    return None if reading in window.unknown else Fraction(str(getattr(window, field)))
