"""On which GPU was a program measured, what changes on another, and what was measured on others?"""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, replace

from markupsafe import Markup

from build_tools.claims.model import Course, Directive
from build_tools.claims.proof import build_proof
from build_tools.claims.scope import CourseScope
from build_tools.evidence.loaded import LoadedRecord
from build_tools.evidence.model import Record
from build_tools.pages.hrefs import link_record
from build_tools.pages.lookup import Absence, find_program, find_shown_record, list_shown_records
from build_tools.pages.printed import format_bytes, format_hertz, format_started
from build_tools.pages.table import ShownTable, list_tables
from build_tools.pages.template import fill_template
from build_tools.quantity.expression import ExpressionError, evaluate_expression
from build_tools.quantity.value import Number
from build_tools.source.model import Program

_PLAIN_ARCH = re.compile(r"(?<=\s)(?P<flag>-arch=|--gpu-architecture=)sm_[0-9]+(?![0-9a-z])")
_NUMBER = re.compile(r"(?<![\w.-])[0-9]")
_BANDWIDTH = (("B", 1), ("s", -1))
_TRANSFERS = 2
"""A clock of the memory, as the driver tells it, moves this many words over each line."""


@dataclass(frozen=True)
class Difference:
    """A fact of the device, and what another value of it would change."""

    name: str
    text: str
    changes: str
    key: str
    """The option in which a lesson says what it changes there."""
    here: str = ""
    """What the lesson says."""


@dataclass(frozen=True)
class DeviceView:
    """A GPU that the program has a record of."""

    record: LoadedRecord
    differences: tuple[Difference, ...]
    tables: tuple[ShownTable, ...]
    """What the program printed there; empty where one GPU is all there is."""

    @property
    def model(self) -> str:
        return self.record.record.device.model

    @property
    def started(self) -> str:
        return format_started(self.record.record.started)


def render_device(course: Course, directive: Directive, identity: str) -> Markup | Absence:
    """The devices of ``directive``'s program, as HTML."""
    program = find_program(course, directive.argument)
    if isinstance(program, Absence):
        return program
    shown = find_shown_record(course, program)
    if isinstance(shown, Absence):
        return shown
    records = list_shown_records(course, program.name)
    bandwidth = measure_bandwidth(course, directive.options.get("bandwidth", ""))
    for problem in (bandwidth, find_number(directive)):
        if isinstance(problem, Absence):
            return problem
    views = [compose_view(program, record, whole=len(records) > 1) for record in records]
    return fill_template(
        "device",
        directive=directive,
        identity=identity,
        program=program,
        views=[tell_here(view, directive.options) for view in views],
        bandwidth=bandwidth,
        build=adapt_build(program.header.build),
        required=program.declaration.requires_compute_capability,
    )


def compose_view(program: Program, record: LoadedRecord, *, whole: bool) -> DeviceView:
    """A record's device; with the tables of its shown run where the view is ``whole``."""
    tables = tuple(list_tables(program, record)) if whole else ()
    return DeviceView(record, tuple(list_differences(record.record)), tables)


def tell_here(view: DeviceView, said: Mapping[str, str]) -> DeviceView:
    """The view with what a lesson says of each fact."""
    told = tuple(replace(fact, here=said.get(fact.key, "")) for fact in view.differences)
    return replace(view, differences=told)


@dataclass(frozen=True)
class Bandwidth:
    """What a memory was measured to move, and where that is recorded."""

    text: str
    href: str


def measure_bandwidth(course: Course, expression: str) -> Bandwidth | Absence | None:
    """A measured rate of bytes; None without an expression."""
    if not expression:
        return None
    try:
        value = evaluate_expression(expression, CourseScope(course))
    except ExpressionError as error:
        return Absence(f"the bandwidth `{expression}` has no value: {error}", error.advice)
    if not isinstance(value, Number) or value.exact is not None or value.dimensions != _BANDWIDTH:
        return Absence(f"`{expression}` is no measured bandwidth", "cite one rate of bytes")
    proof = build_proof(course, expression, value)
    return Bandwidth(proof.value, link_record(proof.record) if proof.record else "")


def find_number(directive: Directive) -> Absence | None:
    """What is wrong with a lesson's own words: a number in them, which nothing would check."""
    for key, text in directive.options.items():
        if key != "bandwidth" and _NUMBER.search(text):
            return Absence(
                f"`{key}` holds a number, which nothing checks there",
                "say it in the prose and bind it, or leave it out",
            )
    return None


def adapt_build(command: str) -> str:
    """The build command for the GPU at hand, where its architecture is no exact requirement."""
    return _PLAIN_ARCH.sub(r"\g<flag>native", command)


def find_plain_architecture(command: str) -> str:
    """The flag of a build command that another GPU's may replace; empty where there is none."""
    match = _PLAIN_ARCH.search(command)
    return match[0] if match else ""


def list_differences(record: Record) -> list[Difference]:
    """What of a device decides how its numbers come out, and what each of them changes."""
    device, build = record.device, record.build
    return [
        Difference(
            "Clock of the multiprocessors",
            _describe_clock(record),
            "times of kernels that wait for arithmetic, or for L1 and shared memory",
            "clock",
        ),
        Difference(
            "L2 cache",
            _describe_l2(device.l2_bytes),
            "the sizes from which on a working set has to come from DRAM",
            "l2",
        ),
        Difference(
            "Path to memory",
            _describe_memory(record),
            "times of kernels that wait for DRAM",
            "memory",
        ),
        Difference(
            "Multiprocessors",
            f"{device.sm_count}",
            "how many blocks run at a time, and so the sizes that fill the GPU",
            "multiprocessors",
        ),
        Difference(
            "Compute capability",
            device.compute_capability,
            "the limits of a block, and which instructions there are",
            "capability",
        ),
        Difference(
            "Toolkit",
            f"CUDA {build.cuda} ({build.nvcc}), driver {device.driver}",
            "registers, unrolling, and every count of instructions",
            "toolkit",
        ),
    ]


def _describe_l2(size: int) -> str:
    return format_bytes(size).partition(" (")[0] if size else "not told by the driver"


def _describe_clock(record: Record) -> str:
    highest = format_hertz(record.device.max_sm_clock_hz)
    windows = [process.window for process in record.processes if process.window is not None]
    if not windows:
        return f"{highest} at most"
    middle = format_hertz(int(statistics.median(w.sm_clock_hz_median for w in windows)))
    return f"{middle} while it was timed, {highest} at most"


def _describe_memory(record: Record) -> str:
    device = record.device
    if not device.memory_bus_bits or not device.max_memory_clock_hz:
        return "not told by the driver"
    rate = device.memory_bus_bits / 8 * device.max_memory_clock_hz * _TRANSFERS
    path = f"{device.memory_bus_bits:,} bits at {format_hertz(device.max_memory_clock_hz)}"
    return f"{path}: {rate / 1e12:.3g} TB/s at two transfers a clock"
