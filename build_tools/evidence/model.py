"""What does a record hold? The types of its JSON, in base units (seconds, bytes, FLOP)."""

from __future__ import annotations

import msgspec

FORMAT = 1
"""The format number this version writes; every earlier one is read for ever."""


class File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A side file of a record: its path from the project's root and its SHA-256."""

    path: str
    """From the project's root."""
    sha256: str
    """Of its bytes, in hex."""
    line_digests: tuple[str, ...] = ()
    """The first eight hex digits of each line's SHA-256, so that an edit can be placed."""


class KernelFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The compiler's word on one kernel."""

    registers: int
    """Registers per thread."""
    shared_bytes: int
    """Static shared memory per block."""
    constant_bytes: int
    """Constant memory, arguments included."""
    stack_bytes: int
    """Stack of each thread."""
    spill_store_bytes: int
    """Bytes stored to memory for want of registers."""
    spill_load_bytes: int
    """Bytes loaded back for them."""


class Build(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was compiled, with what, by which command."""

    command: tuple[str, ...]
    """As executed, paths of the build folder left out."""
    stated_command: str
    """As the header says."""
    arch_replaced: str
    """``sm_90 -> sm_89`` where the device's differs from the header's, else empty."""
    nvcc: str
    """The compiler's own version, ``V13.0.88``."""
    cuda: str
    """The toolkit's version, ``"13.0"``."""
    machine_code_digest: str
    """SHA-256 over the kernels' machine code, sections sorted by name."""
    kernels: dict[str, KernelFacts]
    """The compiler's word on each kernel, by its name."""
    report: File | None = None
    """What the compiler printed, from which ``kernels`` is derived again on reading."""


class Device(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The GPU with its driver, clocks and limits; no serial, UUID, host or user name."""

    model: str
    """The name the driver gives it, ``NVIDIA H200``."""
    compute_capability: str
    """As the driver says, ``"9.0"``."""
    driver: str
    """Its version, ``580.159.04``."""
    driver_cuda: str
    """The highest CUDA version the driver supports."""
    memory_bytes: int
    """Global memory."""
    l2_bytes: int
    """The L2 cache."""
    sm_count: int
    """Streaming multiprocessors."""
    shared_bytes_per_block: int
    """Shared memory that any block may have."""
    shared_bytes_per_block_optin: int
    """Shared memory that a block may have when it asks for more."""
    shared_bytes_per_sm: int
    """Shared memory of a multiprocessor."""
    registers_per_sm: int
    """Registers of a multiprocessor."""
    threads_per_sm: int
    """Threads that a multiprocessor holds at a time."""
    threads_per_block: int
    """Threads that a block may have."""
    warp_size: int
    """Threads of a warp."""
    max_sm_clock_hz: int
    """The highest clock of the multiprocessors."""
    max_memory_clock_hz: int
    """The highest clock of the memory."""
    memory_bus_bits: int
    """The width of the path to global memory."""
    power_limit_watts: float
    """The power limit that was in force."""
    ecc: bool
    """Whether memory errors are corrected."""
    mig: bool
    """Whether the GPU is divided into instances."""
    persistence: bool
    """Whether the driver stays loaded between processes."""
    unknown: dict[str, str] = {}
    """Facts that the driver would not tell, with its reason; they stand as zero or false."""


class Window(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What NVML read inside one process's timed windows (all cases together)."""

    samples: int
    """How many readings fell into the windows."""
    sm_clock_hz_min: int
    """The lowest clock of the multiprocessors."""
    sm_clock_hz_median: int
    """Their median clock."""
    sm_clock_hz_max: int
    """Their highest clock."""
    memory_clock_hz: int
    """The clock of the memory."""
    power_watts_mean: float
    """The mean power."""
    temperature_celsius_max: int
    """The highest temperature."""
    throttle_reasons: tuple[str, ...]
    """Why the driver held the clocks down, in NVML's words."""
    other_processes: int
    """Most processes of others that shared the GPU."""
    power_cap_share: float = 0.0
    """The share of samples that saw the software power cap, from 0 to 1."""
    unknown: dict[str, str] = {}
    """What NVML would not tell, with its reason; it stands as zero."""
    seconds_per_reading: float | msgspec.UnsetType = msgspec.UNSET
    """Mean seconds that one reading took, on a thread of its own; what sampling costs."""
    memory_before_bytes: int | msgspec.UnsetType = msgspec.UNSET
    """GPU memory that others held before the process began."""


class Process(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One execution: command, streams, exit status, duration."""

    command: tuple[str, ...]
    """The Run command, in words."""
    stdout: File
    """The transcript."""
    stderr: File
    """What it said beside it, the marks of timed windows among it."""
    exit_status: int
    """Zero, or it is no evidence."""
    seconds: float
    """How long it took, its start included."""
    window: Window | None
    """None when NVML gave no sample inside a timed window."""
    samples: File | msgspec.UnsetType = msgspec.UNSET
    """All its raw samples, where the program offers them."""
    windows: dict[str, Window] | msgspec.UnsetType = msgspec.UNSET
    """``window`` for each name that the program gave its timed windows."""


class Rejection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An execution that ended well and does not count, since something held the GPU back."""

    process: int
    """Index of the process that stands in its place."""
    reasons: tuple[str, ...]
    """Why it does not count, in NVML's words or ours."""
    seconds: float
    """How long it took."""


class Ending(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why no more processes were run."""

    least: int
    """How many were to be run in any case."""
    most: int
    """Where it was to stop, whatever the criteria said."""
    unmet: tuple[str, ...]
    """Criteria that the processes did not meet by then; empty when all were met."""


class Samples(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The values of one measurement at one key, one a process, base units."""

    name: str
    """The measurement's name."""
    keys: tuple[str, ...]
    """The keys of its row, in the declared order."""
    unit: str
    """The unit as printed in the transcript."""
    samples: tuple[float, ...]
    """Base units, in the order of the processes."""
    median: float
    """Of the samples, in base units."""
    band_low: float
    """The lower end of the band, in base units."""
    band_high: float
    """The upper end of the band, in base units."""


class RegionVerdict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the reader's check said of one region."""

    region: str
    """The region's name."""
    passed: bool
    """Whether it agreed for every seed."""
    said: str
    """The check's last word, or how it failed."""
    needs_shown_necessary: dict[str, str]
    """For each declared need, how the unit failed without it; empty text when it did not."""
    rejects: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    """For kernels that write nothing and leave what is named (``nothing`` of their own, ``zeros``,
    ``NaN``): how the check rejected it; empty text when it did not. Not known of early checks."""


class ReaderCheck(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The reader's check, run once for a record; ``digest`` covers check.py and the units."""

    digest: str
    """Over check.py and what a reader can copy."""
    passed: bool
    """Whether every region passed, and failed without each of its needs."""
    seeds: tuple[int, ...]
    """Of the random inputs."""
    cupy: str
    """The version of CuPy."""
    nvrtc: str
    """The version of the compiler that CuPy used."""
    regions: tuple[RegionVerdict, ...]
    """What it said of each region."""
    could_not_check: str
    """Why it could not be run, in the tool's own words; empty when it ran."""


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One evidence set: what was built and run, where, when, and everything measured."""

    format: int
    """The version of this form."""
    program: str
    """The program's name."""
    started: str
    """UTC, ``2026-12-01T09:30:00Z``."""
    code_digest: str
    """The code digest: SHA-256 over all that decides what the program does."""
    declaration_digest: str
    """Of program.toml, for the history; not part of freshness."""
    course: str
    """The version of these tools."""
    python: str
    """The version of Python that recorded."""
    requirements: dict[str, str]
    """What the program required of a device, as program.toml said."""
    device: Device
    """Where it ran."""
    build: Build
    """How it was compiled."""
    processes: tuple[Process, ...]
    """Each execution, in the order they ran."""
    shown: int
    """Index of the shown run in ``processes``."""
    measurements: tuple[Samples, ...]
    """Everything measured, by name and keys."""
    reader_check: ReaderCheck | None
    """What the reader's check said; null where it was not run."""
    seals: dict[str, str]
    """For each other field, the SHA-256 of its canonical JSON: an edit is named by field."""
    rejections: tuple[Rejection, ...] | msgspec.UnsetType = msgspec.UNSET
    """Executions that do not count; not known of early records."""
    ending: Ending | msgspec.UnsetType = msgspec.UNSET
    """Why no more processes were run; not known of early records."""
    campaign: str | msgspec.UnsetType = msgspec.UNSET
    """Twelve random hex digits: what has the same was measured on one card, in one go."""
    turns_with: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    """Programs whose processes took turns with these."""
    host: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    """The host's system and its compiler, by ``system`` and ``compiler``."""
