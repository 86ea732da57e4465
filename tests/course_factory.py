"""How does a test get a course of its own? Whole ones, made with the real writers.

``make_course`` writes course.toml, programs and declarations, and for each program with
transcripts a sealed record on a made-up GPU, with header and README stamped. Only what a GPU
would have said is invented: the device, the compiler's report, the reader's verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from build_tools.evidence.compose import Circumstances, Ran
from build_tools.evidence.model import (
    Build,
    Device,
    ReaderCheck,
    RegionVerdict,
    Window,
)
from build_tools.evidence.reader import compute_reader_digest, list_kernel_regions
from build_tools.evidence.verify import digest_declaration
from build_tools.measure.deposit import deposit_runs, stamp_files
from build_tools.source.model import Program, slugify_device
from build_tools.source.programs import read_programs
from build_tools.source.settings import read_settings

SETTINGS = """\
[course]
title = "A course"
reference_gpu = "NVIDIA H200"
unbound = "all"
"""

PROGRAM = """\
// SPDX-License-Identifier: MIT
//
// Day 1: add two vectors.
//
// Build: nvcc -std=c++17 -O3 -arch=sm_90 -o {name} {name}.cu
// Run:   ./{name}

#include <cstdio>

// snippet: block
constexpr int kBlock = 256;
// end snippet: block

// snippet: add-kernel
__global__ void add(const float *a, const float *b, float *c, int n) {{
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}}
// end snippet: add-kernel

int main() {{
    std::puts("done");
    return 0;
}}
"""
"""A program's text; ``.format(name=…)`` it."""

DECLARATION = """\
[tables.timings]
columns = { case = "key", kernel = "key", time = "time (ms)", rate = "GB/s" }
rows = 4

[lines]
speedup = "{case}: wide is {speedup:g}x as fast"

[regions.add-kernel]
needs = ["block"]
"""

TRANSCRIPT = """\
51 samples, back to back

case   kernel  time (ms)    GB/s
-----  ------  ---------  ------
small  narrow    0.01{a}   500.{a}
small  wide      0.00{b}   900.{b}
large  narrow    1.25{a}   510.{a}
large  wide      0.62{b}   980.{b}

small: wide is 1.5{a}x as fast
large: wide is 2.0{b}x as fast

all cases match
"""


def make_transcripts(count: int = 10) -> list[str]:
    """As many transcripts of the example as wanted, each a little different."""
    return [
        TRANSCRIPT.format(a=f"{20 + (7 * i) % 10}", b=f"{50 + (3 * i) % 10}") for i in range(count)
    ]


CHECK = """\
REGIONS = ("add-kernel",)


def check(region: str, source: str, seed: int) -> str:
    assert "constexpr int kBlock" in source, "identifier kBlock is undefined"
    assert ") { return;" not in source, "element 0 is nan, want 3"
    return f"{region} agrees for seed {seed}"
"""

DEVICE = Device(
    model="NVIDIA H200",
    compute_capability="9.0",
    driver="580.159.03",
    driver_cuda="13.0",
    memory_bytes=150_754_820_096,
    l2_bytes=62_914_560,
    sm_count=132,
    shared_bytes_per_block=49_152,
    shared_bytes_per_block_optin=232_448,
    shared_bytes_per_sm=233_472,
    registers_per_sm=65_536,
    threads_per_sm=2_048,
    threads_per_block=1_024,
    warp_size=32,
    max_sm_clock_hz=1_980_000_000,
    max_memory_clock_hz=3_201_000_000,
    memory_bus_bits=6_144,
    power_limit_watts=700.0,
    ecc=True,
    mig=False,
    persistence=True,
)

REPORT = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z3addPKfS0_Pfi' for 'sm_90'
ptxas info    : Function properties for _Z3addPKfS0_Pfi
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers
ptxas info    : Compile time = 1.000 ms
"""

WINDOW = Window(
    samples=30,
    sm_clock_hz_min=1_965_000_000,
    sm_clock_hz_median=1_980_000_000,
    sm_clock_hz_max=1_980_000_000,
    memory_clock_hz=3_201_000_000,
    power_watts_mean=312.5,
    temperature_celsius_max=41,
    throttle_reasons=(),
    other_processes=0,
)


def make_course(
    root: Path,
    programs: Mapping[str, str],
    declarations: Mapping[str, str] | None = None,
    transcripts: Mapping[str, Sequence[str | bytes]] | None = None,
    settings: str | None = None,
    checks: Mapping[str, str] | None = None,
) -> None:
    """Write a course into ``root``: programs by name, program.toml and transcripts likewise.

    Each program with transcripts (one a process) gets a record; those without stay unverified.
    ``checks`` are texts of check.py by program; a program whose regions hold kernels needs one
    to be without findings.
    """
    root.mkdir(parents=True, exist_ok=True)
    (root / "course.toml").write_text(settings if settings is not None else SETTINGS)
    for name, text in programs.items():
        folder = root / "snippets" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.cu").write_bytes(text.encode())
        if declarations and name in declarations:
            (folder / "program.toml").write_text(declarations[name])
        if checks and name in checks:
            (folder / "check.py").write_text(checks[name])
    for name, texts in (transcripts or {}).items():
        add_record(root, name, texts)


def make_example(root: Path, name: str = "add", processes: int = 10) -> None:
    """A whole course with one program, its check and its record, without findings."""
    make_course(
        root,
        programs={name: PROGRAM.format(name=name)},
        declarations={name: DECLARATION},
        transcripts={name: make_transcripts(processes)},
        checks={name: CHECK},
    )


def add_record(
    root: Path,
    name: str,
    transcripts: Sequence[str | bytes],
    *,
    started: str = "2026-12-01T09:30:00Z",
    device: Device = DEVICE,
    report: str = REPORT,
    machine_code: str = "5" * 64,
    stamp: bool = True,
    sm_clock: int = WINDOW.sm_clock_hz_median,
    clocks: Mapping[str, int] | None = None,
) -> str:
    """Record these transcripts for a program of the course; the JSON's path from the root.

    ``sm_clock`` is the clock in Hz of all timed windows, ``clocks`` those of windows by name.
    """
    program = load_program(root, name)
    where = Circumstances(
        started=started,
        device=device,
        build=Build(
            command=tuple(program.header.build.split()),
            stated_command=program.header.build,
            arch_replaced="",
            nvcc="V13.0.88",
            cuda="13.0",
            machine_code_digest=machine_code,
            kernels={},
        ),
        report=report.encode(),
        declaration_digest=digest_declaration(root, program),
        course="0.1.0",
        python="3.11.7",
        reader_check=_invent_verdict(root, program),
    )
    # Each session prints something of its own, as timed runs do: here, spaces at the end.
    folder = root / "evidence" / name / slugify_device(device.model)
    own = " " * len(list(folder.glob("run-*.json")))
    runs = tuple(
        Ran(
            command=tuple(program.header.run.split()),
            stdout=_end_with(text.encode() if isinstance(text, str) else text, own.encode()),
            stderr=b"timed begin small\ntimed end small\n",
            seconds=1.5,
            window=msgspec.structs.replace(WINDOW, sm_clock_hz_median=sm_clock),
            windows={
                name: msgspec.structs.replace(WINDOW, sm_clock_hz_median=clock)
                for name, clock in (clocks or {}).items()
            },
        )
        for text in transcripts
    )
    record, files, findings = deposit_runs(root, program, where, runs)
    if record is None:
        raise ValueError("\n".join(map(str, findings)))
    if stamp:
        stamp_files(root, program, record, files)
    return next(path for path in files if path.endswith(".json"))


def _end_with(text: bytes, own: bytes) -> bytes:
    """A transcript with ``own`` behind its last line."""
    line = text.removesuffix(b"\n")
    return line + own + text[len(line) :]


def load_program(root: Path, name: str) -> Program:
    """The course's program as the source stage reads it."""
    settings, _ = read_settings(root)
    programs, _ = read_programs(root, settings)
    return programs[name]


def _invent_verdict(root: Path, program: Program) -> ReaderCheck | None:
    """A reader's check that passed for every kernel region; None without a check.py."""
    if not program.check_path:
        return None
    return ReaderCheck(
        digest=compute_reader_digest(root, program),
        passed=True,
        seeds=(1, 2),
        cupy="14.2.0",
        nvrtc="13.0",
        regions=tuple(
            RegionVerdict(
                region=region.name,
                passed=True,
                said=f"{region.name} agrees for seed 2",
                needs_shown_necessary={
                    need: f"identifier of {need} is undefined" for need in region.needs
                },
                rejects={"nothing": "element 0 is nan, want 3"},
            )
            for region in list_kernel_regions(program)
        ),
        could_not_check="",
    )
