"""How does a record look on its page?

A sceptic's questions in turn: is it noise, did it throttle, is it right, what did the hardware do,
and how is it done again?
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from markupsafe import Markup

from build_tools.claims.model import Course, Directive
from build_tools.evidence.loaded import LoadedRecord
from build_tools.evidence.model import Device, Samples
from build_tools.evidence.outliers import describe_apart, find_outliers
from build_tools.evidence.pool import select_pool
from build_tools.pages.behind import compose_lines
from build_tools.pages.comparison import list_comparisons
from build_tools.pages.floor import describe_floor
from build_tools.pages.lookup import Absence, find_record
from build_tools.pages.parts import compose_parts
from build_tools.pages.printed import (
    count_decimals,
    find_dimensions,
    find_half,
    format_band,
    format_bytes,
    format_hertz,
    format_median,
    format_started,
    format_value,
    read_printed,
)
from build_tools.pages.strip import Strip, draw_strip
from build_tools.pages.template import fill_template
from build_tools.pages.visible import show_transcript
from build_tools.pages.watch import describe_rejections, describe_watch
from build_tools.source.model import Program

ANCHORS = ("device", "build", "processes", "noise", "clocks", "ending", "right", "check", "causes")
"""Anchors of a record's page, beside ``measurement-NAME`` for each measurement."""


@dataclass(frozen=True)
class Values:
    """One measurement at one key: as printed by each process, median and band."""

    keys: tuple[str, ...]
    median: str
    band: str
    values: tuple[str, ...]
    strip: Markup = field(default_factory=Markup)
    """All processes' values, drawn."""
    apart: tuple[int, ...] = ()
    """Numbers from 1 of the processes that stand apart."""


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

    @property
    def varies(self) -> bool:
        """Whether any process printed another value than another."""
        return any(row.strip for row in self.rows)


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
    views = compose_parts(course, program) if program and is_shown else []
    shown = show_transcript(loaded.shown_text)
    return fill_template(
        "record",
        directive=directive,
        identity=identity,
        loaded=loaded,
        record=record,
        started=format_started(record.started),
        facts=describe_device(record.device),
        build=describe_build(loaded),
        processes=list(enumerate(record.processes, start=1)),
        shown_number=record.shown + 1,
        is_shown=is_shown,
        rank=describe_rank(loaded),
        others=list_others(course, loaded),
        watch=describe_watch(record),
        rejections=describe_rejections(record),
        ending=record.ending or None,
        turns_with=record.turns_with or (),
        campaign=record.campaign or "",
        sections=compose_sections(loaded, program),
        apart=describe_apart(loaded.transcripts),
        comparisons=list_comparisons(course, program, loaded) if program else [],
        check=loaded.reader_check,
        parts={view.kind.value: view for view in views},
        shown=shown,
        transcript=compose_lines(shown.text),
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
        ("The header's", build.stated_command),
        ("Architecture", build.arch_replaced or _name_arch(build.stated_command)),
        ("nvcc", f"{build.nvcc}, CUDA {build.cuda}"),
        ("SHA-256 of the kernels' machine code", build.machine_code_digest),
        ("SHA-256 of the program's code", loaded.record.code_digest),
        ("Course's tools", _describe_version(loaded.record.course)),
        ("Python", loaded.record.python),
    ]
    host = loaded.record.host or {}
    facts += [("Host's system", host["system"])] if "system" in host else []
    facts += [("Host's compiler", host["compiler"])] if "compiler" in host else []
    facts += [
        (f"Required {name.replace('_', ' ')}", text)
        for name, text in sorted(loaded.record.requirements.items())
    ]
    return facts


def _name_arch(command: str) -> str:
    """The architecture that a compiler's command names; all of it that speaks of one."""
    words = [word for word in command.split() if word.startswith(("-arch", "-gencode", "--gpu"))]
    return " ".join(words) or "the compiler's own"


def _describe_version(version: str) -> str:
    return "not installed as a package" if version == "not installed" else f"version {version}"


def describe_rank(loaded: LoadedRecord) -> str:
    """Where the shown process lies among the others by the first time or rate, in words."""
    shown = loaded.record.shown
    ordered = sorted(loaded.record.measurements, key=_order_by_transcript(loaded))
    for samples in ordered:
        if len(set(samples.samples)) > 1 and "s" in dict(find_dimensions(samples.unit)):
            rows = [s for s in ordered if s.name == samples.name]
            ranks = [sorted(s.samples).index(s.samples[shown]) + 1 for s in rows]
            count = len(samples.samples)
            place = f"it has place {ranks[0]} of {count}"
            if min(ranks) < max(ranks):
                place = f"its place differs by row: from {min(ranks)} to {max(ranks)} of {count}"
            elif len(rows) > 1:
                place += f" in each of the {len(rows)} rows"
            return f"Sorted by `{samples.name}`, least first, {place}"
    return ""


def list_others(course: Course, loaded: LoadedRecord) -> list[LoadedRecord]:
    """The program's other fresh records of the same device, whose bands are pooled with this."""
    pool = select_pool(course.shelves[loaded.record.program])
    paths = [record.path for record in pool]
    return [r for r in pool if r.path != loaded.path] if loaded.path in paths else []


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
            # Of counts and shapes nobody asks whether a difference is noise.
            describe_floor(program, loaded, name)
            if program is not None and "s" in dict(find_dimensions(group[0].unit))
            else (),
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
    band = format_band(samples, like)
    if len(set(samples.samples)) > 1 and _is_bookkeeping(samples.unit, like):
        band = f"{_pick(min, samples, printed)} to {_pick(max, samples, printed)} seen"
    apart = find_outliers([Fraction(v) for v in samples.samples], find_half(samples.unit, like))
    strip = Markup()
    if len(set(samples.samples)) > 1:
        least, most = min(samples.samples), max(samples.samples)
        ends = f"{printed[samples.samples.index(least)]} to {printed[samples.samples.index(most)]}"
        label = f"{len(printed)} processes, {ends} {samples.unit}".strip()
        strip = draw_strip(
            Strip(
                samples.samples, samples.band_low, samples.band_high, samples.median, apart, label
            )
        )
    return Values(
        samples.keys,
        format_median(samples, like),
        band,
        tuple(printed),
        strip,
        tuple(index + 1 for index in apart),
    )


def _is_bookkeeping(unit: str, printed: str) -> bool:
    """Whether a value is a count or a share, of which a band would hold what cannot be."""
    is_timed = "s" in dict(find_dimensions(unit))
    return not is_timed and (unit == "%" or count_decimals(printed) == 0)


def _pick(end: Callable[..., float], samples: Samples, printed: Sequence[str]) -> str:
    """The least or the largest of the values, as it was printed."""
    return printed[samples.samples.index(end(samples.samples))]


def _say(switch: bool) -> str:
    return "on" if switch else "off"
