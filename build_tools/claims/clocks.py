"""At which clock did the timed windows of a record run?"""

from __future__ import annotations

from fractions import Fraction

from build_tools.evidence.model import Process, Record
from build_tools.quantity.clocks import Clocks
from build_tools.quantity.spread import compute_median


def read_clocks(record: Record) -> Clocks | None:
    """The clock of each process; that of one whose windows no sample fell into is the others'.

    None where no process knows it.
    """
    read = [_read_clock(process) for process in record.processes]
    known = [hertz for hertz in read if hertz]
    if not known:
        return None
    usual = compute_median(known)
    hertz = tuple(one or usual for one in read)
    return Clocks(record.device.model, hertz[record.shown], hertz)


def _read_clock(process: Process) -> Fraction:
    """The median of a process's samples; zero stands for what was not read."""
    return Fraction(process.window.sm_clock_hz_median if process.window else 0)
