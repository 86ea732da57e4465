"""What does a record's page say of clocks, power and neighbours while a program timed its kernels?

Processes repeat the same timed windows, so one row tells a window over all of them, from the least
to the largest; each process's own readings follow, folded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from build_tools.evidence.model import Record, Window

NOT_RECORDED = "not recorded"


@dataclass(frozen=True)
class WatchRow:
    """One timed window: over all processes, or in one of them."""

    name: str
    clock: str
    """Of the multiprocessors: the least, the medians, the highest."""
    memory: str
    power: str
    capped: str
    """The share of readings that saw the software power cap."""
    hottest: str
    reasons: str
    readings: str


@dataclass(frozen=True)
class WatchView:
    """All that was seen in the timed windows of a record."""

    rows: tuple[WatchRow, ...]
    each: tuple[tuple[int, tuple[WatchRow, ...]], ...]
    """For each process, by its number from 1, its windows."""
    cost: str
    """What a reading took."""
    neighbours: str


def describe_watch(record: Record) -> WatchView | None:
    """The timed windows of a record, or None when nothing was read in any."""
    each = [
        (number, _list_windows(p.windows, p.window))
        for number, p in enumerate(record.processes, start=1)
    ]
    named: dict[str, list[Window]] = {}
    for _, windows in each:
        for name, window in windows:
            named.setdefault(name, []).append(window)
    if not named:
        return None
    everything = [window for windows in named.values() for window in windows]
    return WatchView(
        tuple(describe_windows(name, windows) for name, windows in named.items()),
        tuple(
            (number, tuple(describe_windows(name, [window]) for name, window in windows))
            for number, windows in each
        ),
        _describe_cost(everything),
        _describe_neighbours([p.window for p in record.processes if p.window] or everything),
    )


def describe_windows(name: str, windows: Sequence[Window]) -> WatchRow:
    """One row for the windows of one name."""
    clocks = f"{_range(windows, lambda w: w.sm_clock_hz_median / 1e6)} MHz"
    least = min(w.sm_clock_hz_min for w in windows) / 1e6
    most = max(w.sm_clock_hz_max for w in windows) / 1e6
    if least != most:
        clocks += f" ({least:,.0f} to {most:,.0f})"
    reasons = dict.fromkeys(reason for w in windows for reason in w.throttle_reasons)
    return WatchRow(
        name or "timed",
        clocks,
        f"{_range(windows, lambda w: w.memory_clock_hz / 1e6)} MHz",
        f"{_range(windows, lambda w: w.power_watts_mean)} W",
        f"{_range(windows, lambda w: 100 * w.power_cap_share)} %",
        f"{max(w.temperature_celsius_max for w in windows)} °C",
        ", ".join(reasons) or "none",
        f"{sum(w.samples for w in windows):,}",
    )


def describe_rejections(record: Record) -> list[str] | None:
    """A line for each execution that does not count; None when that was not recorded."""
    if record.rejections is msgspec.UNSET:
        return None
    return [
        f"before process {rejected.process + 1}, after {rejected.seconds:.1f} s: "
        + ", ".join(rejected.reasons)
        for rejected in record.rejections
    ]


def _list_windows(
    windows: dict[str, Window] | msgspec.UnsetType, whole: Window | None
) -> list[tuple[str, Window]]:
    """A process's windows by name; all in one where they were not told apart."""
    if windows is not msgspec.UNSET and windows:
        return list(windows.items())
    return [("all cases together", whole)] if whole is not None else []


def _range(windows: Sequence[Window], read: Callable[[Window], float]) -> str:
    """``1,650 to 1,710``, or one number where all round to it."""
    low, high = (f"{end(read(w) for w in windows):,.0f}" for end in (min, max))
    return low if low == high else f"{low} to {high}"


def _describe_cost(windows: Sequence[Window]) -> str:
    costs = [w.seconds_per_reading for w in windows if w.seconds_per_reading is not msgspec.UNSET]
    if not costs:
        return ""
    return f"A reading took {1e3 * max(costs):.2g} ms at most, on a thread of its own."


def _describe_neighbours(windows: Sequence[Window]) -> str:
    unseen = next((w.unknown["processes"] for w in windows if "processes" in w.unknown), "")
    if unseen:
        return f"Whether other processes used the GPU was not seen: {unseen}."
    most = max(w.other_processes for w in windows)
    if most:
        return f"Up to {most} other processes were seen on the GPU."
    before = [w.memory_before_bytes for w in windows if w.memory_before_bytes is not msgspec.UNSET]
    if not before:
        return "No other process was seen on the GPU while it was timed."
    return (
        "No other process was seen on the GPU while it was timed, and "
        f"{max(before) / 2**20:,.0f} MiB of its memory were in use before."
    )
