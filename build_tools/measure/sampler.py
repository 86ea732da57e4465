"""What did clocks, power and neighbours do while a program timed its kernels?

A thread reads NVML some fifty times a second. Only what falls between the lines ``timed begin X``
and ``timed end X`` of the program's stderr counts: an idle clock means nothing.
"""

from __future__ import annotations

import contextlib
import re
import statistics
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from build_tools.evidence.model import Window

PERIOD = 0.02
"""Seconds between two samples.

Beside the sampler, kernels of 11 us took 0.7 to 1.1 % longer on an H200, and those of 60 us and
more 0.0 to 0.2 %, every 5 ms as every 20 ms (``tests/benchmarks/sampling_cost.py``). All variants
of a program pay it alike.
"""
_NEIGHBOUR_PERIOD = 0.25
"""Seconds between two looks for other processes, which take longer."""
_ENERGY_AT_LEAST = 0.5
"""Seconds of timed windows from which the energy counter tells the mean power."""

_MARK = re.compile(r"timed (?P<what>begin|end)\b *(?P<name>.*)")
_LONGEST_NAME = 80
_SEES_NOBODY = "NVML listed no process at all, not even the program's own"
_REASONS = {
    0x1: "idle",
    0x2: "application clocks",
    0x4: "software power cap",
    0x8: "hardware slowdown",
    0x10: "sync boost",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "power brake",
    0x100: "display clocks",
}
"""Bits of nvmlDeviceGetCurrentClocksEventReasons, nvml.h."""

REJECTING = frozenset(
    {
        "hardware slowdown",
        "software thermal slowdown",
        "hardware thermal slowdown",
        "power brake",
    }
)
"""Reasons that reject a run. A software power cap is normal for heavy work, and is recorded."""


def is_mark(line: str) -> bool:
    """Whether a line of stderr says that timing begins or ends."""
    return _MARK.match(line) is not None


@dataclass(frozen=True)
class Sample:
    """One look: seconds of the monotonic clock, MHz, watts, joules, degrees, bits."""

    when: float
    sm_clock: int
    memory_clock: int
    power: float
    energy: float
    temperature: int
    reasons: int
    neighbours: int
    took: float = 0.0
    """Seconds that this look itself took."""


@dataclass(frozen=True)
class TimedWindow:
    """From when to when a program timed something, by its own word: monotonic seconds."""

    name: str
    begin: float
    end: float


@dataclass
class TimedWindows:
    """When the program said that its timing began and ended."""

    closed: list[TimedWindow] = field(default_factory=list)
    opened: tuple[str, float] | None = None

    def read_line(self, line: str) -> None:
        """Take note of a line of the program's stderr."""
        match = _MARK.match(line)
        if match is None:
            return
        now = time.monotonic()
        if match["what"] == "begin":
            self.opened = match["name"].strip()[:_LONGEST_NAME], now
        elif self.opened is not None:
            self.closed.append(TimedWindow(*self.opened, now))
            self.opened = None


class Sampler:
    """Reads one GPU in a thread of its own, from ``start`` to ``stop``."""

    def __init__(self, nvml: Any, handle: Any) -> None:
        self.nvml = nvml
        self.handle = handle
        self.samples: list[Sample] = []
        self.unread: dict[str, str] = {}
        """What NVML would not tell, with its reason."""
        self.listed = 0
        """Most processes that NVML listed at a time, the program itself among them."""
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="sampler", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> list[Sample]:
        """End the thread; all its samples in order."""
        self._stopping.set()
        self._thread.join(timeout=5)
        if not self.listed:
            self.unread.setdefault("processes", _SEES_NOBODY)
        return self.samples

    def _work(self) -> None:
        neighbours, looked = 0, 0.0
        while not self._stopping.is_set():
            now = time.monotonic()
            if now - looked >= _NEIGHBOUR_PERIOD:
                # The program itself is one of those listed, if any are.
                listed = int(self._ask("processes"))
                self.listed = max(self.listed, listed)
                neighbours, looked = max(0, listed - 1), now
            self.samples.append(self._look(now, neighbours))
            self._stopping.wait(max(0.0, PERIOD - (time.monotonic() - now)))

    def _look(self, now: float, neighbours: int) -> Sample:
        sample = Sample(
            when=now,
            sm_clock=int(self._ask("sm_clock")),
            memory_clock=int(self._ask("memory_clock")),
            power=self._ask("power") / 1000,
            energy=self._ask("energy") / 1000,
            temperature=int(self._ask("temperature")),
            reasons=int(self._ask("reasons")),
            neighbours=neighbours,
        )
        return replace(sample, took=time.monotonic() - now)

    def _ask(self, what: str) -> float:
        """One reading, or zero when NVML will not tell; it is not asked again then."""
        if what in self.unread:
            return 0
        nvml, handle = self.nvml, self.handle
        try:
            match what:
                case "sm_clock":
                    return float(nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM))
                case "memory_clock":
                    return float(nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_MEM))
                case "power":
                    return float(nvml.nvmlDeviceGetPowerUsage(handle))
                case "energy":
                    return float(nvml.nvmlDeviceGetTotalEnergyConsumption(handle))
                case "temperature":
                    sensor = nvml.NVML_TEMPERATURE_GPU
                    return float(nvml.nvmlDeviceGetTemperature(handle, sensor))
                case "reasons":
                    return float(nvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle))
                case _:
                    return float(len(nvml.nvmlDeviceGetComputeRunningProcesses(handle)))
        except nvml.NVMLError as error:
            self.unread[what] = str(error)
            return 0


def measure_memory(nvml: Any, handle: Any) -> int | None:
    """Bytes of GPU memory in use, without what the driver keeps for itself; None if not told."""
    try:
        info = nvml.nvmlDeviceGetMemoryInfo(handle, version=nvml.nvmlMemory_v2)
    except (nvml.NVMLError, AttributeError, TypeError):
        return None
    return int(info.used)


def summarize_each(
    samples: Sequence[Sample],
    windows: Sequence[TimedWindow],
    unknown: Mapping[str, str] | None = None,
) -> dict[str, Window]:
    """What was read inside the windows of each name, where a sample fell into one."""
    summaries = {}
    for name in dict.fromkeys(window.name for window in windows):
        own = summarize_window(samples, [w for w in windows if w.name == name], unknown)
        if own is not None:
            summaries[name] = own
    return summaries


def summarize_window(
    samples: Sequence[Sample],
    windows: Sequence[TimedWindow],
    unknown: Mapping[str, str] | None = None,
) -> Window | None:
    """What was read inside the timed windows, or None when no sample fell into one."""
    grouped = [[s for s in samples if w.begin <= s.when <= w.end] for w in windows]
    inside = [sample for group in grouped for sample in group]
    if not inside:
        return None
    clocks = sorted(sample.sm_clock * 1_000_000 for sample in inside)
    seen = 0
    for sample in inside:
        seen |= sample.reasons
    capped = sum(1 for sample in inside if sample.reasons & 0x4)
    return Window(
        samples=len(inside),
        sm_clock_hz_min=clocks[0],
        sm_clock_hz_median=round(statistics.median(clocks)),
        sm_clock_hz_max=clocks[-1],
        memory_clock_hz=round(statistics.median(s.memory_clock * 1_000_000 for s in inside)),
        power_watts_mean=round(_compute_power(grouped), 1),
        temperature_celsius_max=max(sample.temperature for sample in inside),
        throttle_reasons=tuple(name for bit, name in _REASONS.items() if seen & bit and bit != 1),
        other_processes=max(sample.neighbours for sample in inside),
        power_cap_share=round(capped / len(inside), 3),
        unknown=dict(unknown or {}),
        seconds_per_reading=round(statistics.fmean(sample.took for sample in inside), 6),
    )


def _compute_power(grouped: Sequence[Sequence[Sample]]) -> float:
    """Mean watts: energy over time where the windows are long enough, else of the readings."""
    seconds = energy = 0.0
    for group in grouped:
        if len(group) > 1:
            seconds += group[-1].when - group[0].when
            energy += group[-1].energy - group[0].energy
    if seconds >= _ENERGY_AT_LEAST and energy > 0:
        return energy / seconds
    return statistics.fmean(sample.power for group in grouped for sample in group)


@contextlib.contextmanager
def sample_clocks(nvml: Any, handle: Any) -> Iterator[Sampler]:
    """A sampler that runs while the block does."""
    sampler = Sampler(nvml, handle)
    sampler.start()
    try:
        yield sampler
    finally:
        sampler.stop()
