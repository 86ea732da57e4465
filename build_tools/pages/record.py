"""How does a record look on its page? What was built and run, where, and everything measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup

from build_tools.claims.model import Course, Directive
from build_tools.evidence.model import Device, LoadedRecord, Samples, Window
from build_tools.pages.floor import describe_floor
from build_tools.pages.lookup import Absence, find_record
from build_tools.pages.parts import compose_parts
from build_tools.pages.printed import (
    format_band,
    format_bytes,
    format_hertz,
    format_median,
    format_started,
    format_value,
    read_printed,
)
from build_tools.pages.template import fill_template
from build_tools.pages.visible import show_transcript
from build_tools.source.model import Program

ANCHORS = ("device", "build", "processes", "check")
"""Anchors of a record's page, beside ``measurement-NAME`` for each measurement."""


@dataclass(frozen=True)
class Values:
    """One measurement at one key: as printed by each process, median and band."""

    keys: tuple[str, ...]
    median: str
    band: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """One measurement with all its keys."""

    name: str
    unit: str
    key_names: tuple[str, ...]
    rows: tuple[Values, ...]
    floor: tuple[str, ...] = ()
    """How far each kernel that was timed twice lies from itself; empty where none was."""

    @property
    def anchor(self) -> str:
        return name_anchor(self.name)


def name_anchor(measurement: str) -> str:
    """The id of a measurement's section."""
    return f"measurement-{measurement}"


def render_record(course: Course, directive: Directive, identity: str) -> Markup | Absence:
    """The record that ``directive`` names by its path without ``.json``, as HTML."""
    loaded = find_record(course, directive.argument)
    if isinstance(loaded, Absence):
        return loaded
    record = loaded.record
    program = course.programs.get(record.program)
    # Parts are of the program as it is now; only its shown record speaks of that as well.
    is_shown = loaded is course.shelves[record.program].shown_record
    return fill_template(
        "record",
        directive=directive,
        identity=identity,
        loaded=loaded,
        record=record,
        started=format_started(record.started),
        facts=describe_device(record.device),
        build=describe_build(loaded),
        processes=[
            (number, process, describe_window(process.window))
            for number, process in enumerate(record.processes)
        ],
        sections=compose_sections(loaded, program),
        check=loaded.reader_check,
        parts=compose_parts(course, program) if program and is_shown else [],
        shown=show_transcript(loaded.shown_text),
        raw=record.processes[record.shown].stdout.path,
    )


def describe_device(device: Device) -> list[tuple[str, str]]:
    """The device's facts, each a name and a text."""
    return [
        ("GPU", device.model),
        ("Compute capability", device.compute_capability),
        ("Driver", f"{device.driver}, CUDA up to {device.driver_cuda}"),
        ("Memory", format_bytes(device.memory_bytes)),
        ("L2 cache", format_bytes(device.l2_bytes)),
        ("Multiprocessors", f"{device.sm_count}"),
        ("Highest SM clock", format_hertz(device.max_sm_clock_hz)),
        ("Highest memory clock", format_hertz(device.max_memory_clock_hz)),
        ("Memory bus", f"{device.memory_bus_bits:,} bits"),
        ("Power limit", f"{device.power_limit_watts:,.0f} W"),
        ("Shared memory per block", format_bytes(device.shared_bytes_per_block)),
        ("Shared memory per block, opt-in", format_bytes(device.shared_bytes_per_block_optin)),
        ("Shared memory per multiprocessor", format_bytes(device.shared_bytes_per_sm)),
        ("Registers per multiprocessor", f"{device.registers_per_sm:,}"),
        ("Threads per multiprocessor", f"{device.threads_per_sm:,}"),
        ("Threads per block", f"{device.threads_per_block:,}"),
        ("Warp size", f"{device.warp_size}"),
        ("ECC", _say(device.ecc)),
        ("Multi-instance GPU", _say(device.mig)),
        ("Persistence mode", _say(device.persistence)),
    ]


def describe_build(loaded: LoadedRecord) -> list[tuple[str, str]]:
    """What was compiled, with what; each a name and a text."""
    build = loaded.record.build
    facts = [
        ("Command", " ".join(build.command)),
        ("In the header", build.stated_command),
        ("Architecture", build.arch_replaced or "as the header says"),
        ("nvcc", f"{build.nvcc}, CUDA {build.cuda}"),
        ("Machine code", build.machine_code_digest),
        ("Program's code", loaded.record.code_digest),
        ("Tools", f"version {loaded.record.course}, Python {loaded.record.python}"),
    ]
    facts += [
        (f"Required {name.replace('_', ' ')}", text)
        for name, text in sorted(loaded.record.requirements.items())
    ]
    return facts


def describe_window(window: Window | None) -> tuple[str, ...]:
    """SM clock, power, temperature and throttle reasons inside the timed windows."""
    if window is None:
        return ("not sampled", "", "", "")
    low, middle, high = (
        f"{hertz / 1e6:,.0f}"
        for hertz in (window.sm_clock_hz_min, window.sm_clock_hz_median, window.sm_clock_hz_max)
    )
    clock = f"{middle} MHz" if low == high else f"{middle} MHz ({low} to {high})"
    return (
        clock,
        f"{window.power_watts_mean:,.0f} W",
        f"{window.temperature_celsius_max} °C",
        ", ".join(window.throttle_reasons) or "none",
    )


def compose_sections(loaded: LoadedRecord, program: Program | None = None) -> list[Section]:
    """The record's measurements by name, each with a row a key.

    ``program`` says which rows are of the same kernel, timed twice.
    """
    grouped: dict[str, list[Samples]] = {}
    for samples in sorted(loaded.record.measurements, key=_order_by_transcript(loaded)):
        grouped.setdefault(samples.name, []).append(samples)
    return [
        Section(
            name,
            group[0].unit,
            _name_keys(loaded, name, len(group[0].keys)),
            tuple(_compose_values(loaded, samples) for samples in group),
            describe_floor(program, loaded, name) if program is not None else (),
        )
        for name, group in grouped.items()
    ]


def _order_by_transcript(loaded: LoadedRecord) -> Callable[[Samples], int]:
    """A sorting key: measurements and their keys in the order in which they were printed."""
    printed = loaded.shown.measurements if loaded.transcripts else {}
    order = [(name, keys) for name, found in printed.items() for keys in found.readings]
    index = {pair: position for position, pair in enumerate(order)}
    return lambda samples: index.get((samples.name, samples.keys), len(index))


def _name_keys(loaded: LoadedRecord, name: str, count: int) -> tuple[str, ...]:
    measurement = loaded.shown.measurements.get(name) if loaded.transcripts else None
    if measurement is not None and len(measurement.key_names) == count:
        return measurement.key_names
    return tuple("key" for _ in range(count))


def _compose_values(loaded: LoadedRecord, samples: Samples) -> Values:
    printed = [
        read_printed(loaded, process, samples.name, samples.keys)
        or format_value(value, samples.unit, None)
        for process, value in enumerate(samples.samples)
    ]
    like = read_printed(loaded, loaded.record.shown, samples.name, samples.keys)
    return Values(
        samples.keys, format_median(samples, like), format_band(samples, like), tuple(printed)
    )


def _say(switch: bool) -> str:
    return "on" if switch else "off"
