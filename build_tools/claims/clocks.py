"""At which clock did the timed windows of a record run?"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import msgspec

from build_tools.evidence.model import Process, Record, Window
from build_tools.quantity.clocks import Clocks
from build_tools.quantity.spread import compute_median


def read_clocks(record: Record, row: Sequence[str] = ()) -> Clocks | None:
    """The clock of each process; that of one whose windows no sample fell into is the others'.

    Programs name a timed window as a case: with a row that has such a key, it is the clock of its
    own windows, else that of all. None where no process knows it.
    """
    window = next((key for key in row if all(_has_window(p, key) for p in record.processes)), "")
    read = [_read_clock(_choose_window(process, window)) for process in record.processes]
    known = [hertz for hertz in read if hertz]
    if not known:
        return None
    usual = compute_median(known)
    hertz = tuple(one or usual for one in read)
    return Clocks(record.device.model, hertz[record.shown], hertz, window)


def _has_window(process: Process, name: str) -> bool:
    return process.windows is not msgspec.UNSET and name in process.windows


def _choose_window(process: Process, name: str) -> Window | None:
    if name and process.windows is not msgspec.UNSET:
        return process.windows[name]
    return process.window


def _read_clock(window: Window | None) -> Fraction:
    """The median of a process's samples; zero stands for what was not read."""
    return Fraction(window.sm_clock_hz_median if window else 0)
