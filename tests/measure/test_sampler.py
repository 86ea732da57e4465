"""Does only what lies inside the timed windows count, and is what NVML hides said?"""

import time

import pytest

from build_tools.measure.device import describe_device
from build_tools.measure.sampler import (
    REJECTING,
    Sample,
    Sampler,
    TimedWindow,
    TimedWindows,
    is_mark,
    sample_clocks,
    summarize_each,
    summarize_window,
)


def sample(when: float, clock: int = 1980, **more: float) -> Sample:
    values = {
        "memory_clock": 3201,
        "power": 300.0,
        "energy": 0.0,
        "temperature": 40,
        "reasons": 0,
        "neighbours": 0,
    } | more
    return Sample(when=when, sm_clock=clock, **values)  # type: ignore[arg-type]  # floats and ints


def test_an_idle_clock_outside_the_windows_means_nothing() -> None:
    samples = [
        sample(0.0, 345, power=80.0, temperature=90, reasons=0x1, neighbours=5),
        sample(1.0, 1980, reasons=0x4),
        sample(1.1, 1950, power=400.0, temperature=44),
        sample(2.0, 345),
        sample(3.0, 1965, reasons=0x1, neighbours=1),
        sample(9.0, 345),
    ]
    window = summarize_window(
        samples,
        [TimedWindow("a", 0.9, 1.2), TimedWindow("b", 2.9, 3.1)],
        {"energy": "Not Supported"},
    )
    assert window is not None
    assert window.samples == 3
    assert window.sm_clock_hz_min == 1_950_000_000
    assert window.sm_clock_hz_median == 1_965_000_000
    assert window.sm_clock_hz_max == 1_980_000_000
    assert window.memory_clock_hz == 3_201_000_000
    assert window.power_watts_mean == pytest.approx(333.3)
    assert window.temperature_celsius_max == 44
    assert window.throttle_reasons == ("software power cap",)
    assert window.power_cap_share == pytest.approx(1 / 3, abs=1e-3)
    assert window.other_processes == 1
    assert window.unknown == {"energy": "Not Supported"}


def test_mean_power_is_energy_over_time_where_windows_are_long_enough() -> None:
    samples = [sample(1.0, energy=1000.0), sample(1.5, energy=1100.0), sample(2.0, energy=1250.0)]
    window = summarize_window(samples, [TimedWindow("a", 0.5, 2.5)])
    assert window is not None
    assert window.power_watts_mean == 250.0


def test_no_sample_in_a_window_is_no_window() -> None:
    assert summarize_window([sample(1.0)], []) is None
    assert summarize_window([sample(1.0)], [TimedWindow("a", 2.0, 3.0)]) is None


@pytest.mark.parametrize(
    ("bits", "rejected"),
    [
        (0x4, False),
        (0x2 | 0x10 | 0x100, False),
        (0x8, True),
        (0x20, True),
        (0x40, True),
        (0x80, True),
    ],
)
def test_slowdowns_reject_and_a_power_cap_does_not(bits: int, rejected: bool) -> None:
    window = summarize_window([sample(1.0, reasons=bits)], [TimedWindow("a", 0.0, 2.0)])
    assert window is not None
    assert window.throttle_reasons
    assert bool(REJECTING.intersection(window.throttle_reasons)) is rejected


def test_windows_are_what_the_program_says() -> None:
    windows = TimedWindows()
    for line in (
        "timed end early",
        "timed begin small",
        "not timed begin",
        "timed end small",
        "timed begin large",
    ):
        windows.read_line(line)
    assert [window.name for window in windows.closed] == ["small"]
    assert windows.opened is not None
    assert is_mark("timed begin 5")
    assert not is_mark("timed beginning")


class SilentNvml:
    """An NVML that supports one reading and no other."""

    NVML_CLOCK_SM = 1
    NVML_CLOCK_MEM = 2
    NVML_TEMPERATURE_GPU = 0

    class NVMLError(Exception):
        pass

    def nvmlDeviceGetClockInfo(self, handle: object, clock: int) -> int:  # noqa: N802 - NVML's
        return 1980 if clock == self.NVML_CLOCK_SM else 3201

    def __getattr__(self, name: str) -> object:
        def refuse(*_: object) -> None:
            raise self.NVMLError("Not Supported")

        return refuse


def test_a_reading_that_is_not_supported_is_named_and_the_others_go_on() -> None:
    begin = time.monotonic()
    with sample_clocks(SilentNvml(), None) as sampler:
        while len(sampler.samples) < 5 and time.monotonic() - begin < 30:
            time.sleep(0.01)
    assert isinstance(sampler, Sampler)
    window = summarize_window(
        sampler.samples, [TimedWindow("a", begin, time.monotonic())], sampler.unread
    )
    assert window is not None
    assert window.sm_clock_hz_median == 1_980_000_000
    assert set(window.unknown) == {"power", "energy", "temperature", "reasons", "processes"}
    assert set(window.unknown.values()) == {"Not Supported"}
    count = len(sampler.samples)
    time.sleep(0.05)
    assert len(sampler.samples) == count


def test_each_name_has_a_summary_of_its_own() -> None:
    """A read that was capped must not hide among products that were not."""
    samples = [sample(1.0, 1980), sample(2.0, 1700, reasons=0x4), sample(3.0, 1980)]
    windows = [TimedWindow("read", 0.5, 1.5), TimedWindow("product", 1.5, 2.5)]
    windows += [TimedWindow("read", 2.6, 3.4), TimedWindow("nothing", 5.0, 6.0)]
    each = summarize_each(samples, windows)
    assert set(each) == {"read", "product"}
    assert (each["read"].samples, each["read"].power_cap_share) == (2, 0.0)
    assert (each["product"].sm_clock_hz_median, each["product"].power_cap_share) == (
        1_700_000_000,
        1.0,
    )


class BlindNvml(SilentNvml):
    """As in a container: it answers, and lists no process, not even the program's own."""

    def nvmlDeviceGetComputeRunningProcesses(self, handle: object) -> list[object]:  # noqa: N802
        return []


def test_a_list_without_the_program_itself_says_nothing_of_neighbours() -> None:
    begin = time.monotonic()
    with sample_clocks(BlindNvml(), None) as sampler:
        while len(sampler.samples) < 2 and time.monotonic() - begin < 30:
            time.sleep(0.01)
    assert sampler.unread["processes"].startswith("NVML listed no process at all")


def test_what_a_reading_costs_is_measured() -> None:
    samples = [sample(1.0, took=0.001), sample(1.1, took=0.003)]
    window = summarize_window(samples, [TimedWindow("a", 0.5, 1.5)])
    assert window is not None
    assert window.seconds_per_reading == 0.002


def test_a_machine_has_a_device_or_says_why_not() -> None:
    device = describe_device()
    if isinstance(device, str):
        assert "driver" in device or "NVML" in device
    else:
        assert device.memory_bytes > 2**30
        assert device.l2_bytes > 2**20
        assert device.warp_size == 32
