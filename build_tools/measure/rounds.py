"""In which order do processes run, what is watched meanwhile, and which of them count?

Programs take turns, forwards in one round and backwards in the next, so that a slow drift of
the machine falls on all of them alike.
"""

from __future__ import annotations

import contextlib
import shlex
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from filelock import FileLock, Timeout

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.compose import Ran
from build_tools.evidence.model import Ending, Rejection, Window
from build_tools.evidence.record import LARGEST_SIDE_FILE
from build_tools.measure.compile import Compiled
from build_tools.measure.device import CudaError, NvmlMissing, find_bus, open_nvml
from build_tools.measure.ground import Repeats
from build_tools.measure.ledger import GPU, Ledger
from build_tools.measure.run import Execution, execute
from build_tools.measure.sampler import (
    REJECTING,
    TimedWindows,
    is_mark,
    measure_memory,
    sample_clocks,
    summarize_each,
    summarize_window,
)
from build_tools.source.model import Program

TRIES = 3
"""How often a process is started again after something held the GPU back."""
SAMPLES_FILE = "samples.csv"
"""Where a program that offers its raw samples writes them, in the folder it runs in."""
NEIGHBOUR = "another process on the GPU"
LARGEST_MEMORY_BEFORE = 64 * 2**20
"""Bytes of GPU memory that may be in use before a process begins; any context takes more."""


@dataclass
class Job:
    """A program on its way to a record: its build, and the processes that ended well so far."""

    program: Program
    compiled: Compiled
    folder: Path
    """Where its binary lies and its processes run."""
    runs: list[Ran] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    """Executions that do not count, in their order."""
    turns_with: tuple[str, ...] = ()
    """Programs whose processes took turns with these."""
    ending: Ending | None = None
    """Why no more processes are run; None while more are."""
    started: str = ""
    failed: bool = False


@dataclass(frozen=True)
class Sampling:
    """NVML and the GPU's handle; None where NVML cannot be used."""

    nvml: Any = None
    handle: Any = None
    ledger: Ledger = field(default_factory=Ledger)
    """Where the time of each process is kept."""


@contextlib.contextmanager
def open_sampling(
    progress: Callable[[str], object], ledger: Ledger | None = None
) -> Iterator[Sampling]:
    """What samples clocks for a while, or what says that nothing does."""
    ledger = ledger or Ledger()
    with contextlib.ExitStack() as stack:
        try:
            bus = find_bus()
            stack.enter_context(hold_device(bus, progress))
            nvml, handle = stack.enter_context(open_nvml(bus))
            sampling = Sampling(nvml, handle, ledger)
        except (CudaError, NvmlMissing) as error:
            progress(f"clocks are not sampled: {error}")
            sampling = Sampling(ledger=ledger)
        yield sampling


@contextlib.contextmanager
def hold_device(bus: str, progress: Callable[[str], object]) -> Iterator[None]:
    """Wait until no other campaign of this machine measures on the GPU at this address.

    Two that ran at once would each measure the other. A lock that cannot be had because the
    file is somebody else's is done without, and said.
    """
    name = "".join(c if c.isalnum() else "-" for c in bus)
    lock = FileLock(Path(tempfile.gettempdir()) / f"course-gpu-{name}.lock")
    try:
        try:
            lock.acquire(timeout=0)
        except Timeout:
            progress("another run measures on this GPU: waiting for it to end")
            lock.acquire()
    except OSError as error:
        progress(f"others that measure on this GPU are not waited for: {error.strerror}")
    try:
        yield
    finally:
        lock.release()


def run_rounds(
    jobs: Sequence[Job],
    repeats: Repeats,
    sampling: Sampling,
    progress: Callable[[str], object],
    note: Callable[[Sequence[Finding]], object] = lambda _: None,
    find_unmet: Callable[[Job], Sequence[str]] = lambda _: (),
) -> list[Finding]:
    """Run the jobs' programs in turn until each has enough; a job that fails is marked and left.

    Each is run ``repeats.least`` times, and then on while ``find_unmet`` names a criterion that
    its processes do not meet, up to ``repeats.most`` times. ``note`` is told what is wrong at once.
    """
    findings: list[Finding] = []
    begin = time.monotonic()
    done = 0
    for job in jobs:
        job.turns_with = tuple(sorted(o.program.name for o in jobs if o is not job))
    for number in range(repeats.most):
        going = [job for job in jobs if not job.failed and job.ending is None]
        for job in going if number % 2 == 0 else reversed(going):
            finding = _run_once(job, sampling)
            done += 1
            if finding is not None:
                findings.append(finding)
                job.failed = True
                progress(f"{job.program.name}: process {number + 1} failed")
                note([finding])
                continue
            left = sum(max(0, repeats.least - len(o.runs)) for o in jobs if not o.failed)
            remaining = (time.monotonic() - begin) / done * left
            progress(
                f"{job.program.name}: process {number + 1}"
                + (f" of {repeats.least}" if number < repeats.least else "")
                + f", {job.runs[-1].seconds:.1f} s; {_format_time(remaining)} left"
            )
        if number + 1 >= repeats.least:
            for job in going:
                _decide_ending(job, repeats, progress, find_unmet)
    return findings


def _decide_ending(
    job: Job,
    repeats: Repeats,
    progress: Callable[[str], object],
    find_unmet: Callable[[Job], Sequence[str]],
) -> None:
    """Whether the job has enough processes, and if it only has to end, what is not met."""
    if job.failed:
        return
    # Asked at the limit too, to be named; not where no more could be run and nobody asks for more.
    unmet = tuple(find_unmet(job))
    count = len(job.runs)
    if not unmet:
        job.ending = Ending(least=repeats.least, most=repeats.most, unmet=())
        return
    if count >= repeats.most:
        job.ending = Ending(least=repeats.least, most=repeats.most, unmet=unmet)
        said = f"ends after {count} processes, its limit, with"
    elif count == repeats.least:
        said = f"goes on after {count} processes, because of"
    else:
        return
    more = f" and {len(unmet) - 1} more" if len(unmet) > 1 else ""
    progress(f"{job.program.name}: {said} {unmet[0]}{more}")


def _run_once(job: Job, sampling: Sampling) -> Finding | None:
    """One process that counts, or the finding that ends the job."""
    reasons: tuple[str, ...] = ()
    command = compose_command(job.program)
    if not job.started:
        job.started = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    for _ in range(TRIES):
        try:
            done, window, each = _execute_watched(job, command, sampling)
            samples = _take_samples(job)
        except OSError as error:
            failure = f"it cannot be started: {error.strerror}"
            return _report_failure(job.program, failure, None, checked=False)
        if done.failure:
            return _report_failure(job.program, done.failure, done)
        if job.program.declaration.parts.samples is not None and samples is None:
            failure = f"it wrote no `{SAMPLES_FILE}`, though `{shlex.join(command)}` asks for it"
            return _report_failure(job.program, failure, done)
        reasons = find_reasons(window)
        if not reasons:
            job.runs.append(
                Ran(command, done.stdout, done.stderr, done.seconds, window, samples, each)
            )
            return None
        job.rejections.append(
            Rejection(process=len(job.runs), reasons=reasons, seconds=round(done.seconds, 6))
        )
    stated = f"a run of `{job.program.name}` alone on the GPU, at the GPU's own clocks"
    return Finding(
        Kind.DEVICE,
        job.program.header.run_place,
        stated,
        f"it was disturbed in {TRIES} tries: {', '.join(reasons)}",
        "let it cool, see to its power supply and its neighbours, and run again",
        checked=False,
    )


def compose_command(program: Program) -> tuple[str, ...]:
    """The Run command in words, with what makes the program write its raw samples."""
    rule = program.declaration.parts.samples
    more = rule.args.replace("{file}", SAMPLES_FILE) if rule is not None else ""
    return tuple(shlex.split(f"{program.header.run} {more}"))


def find_reasons(window: Window | None) -> tuple[str, ...]:
    """Why a process does not count, of what was seen while it ran; empty when it does."""
    if window is None:
        return ()
    reasons = [reason for reason in window.throttle_reasons if reason in REJECTING]
    before = window.memory_before_bytes
    if window.other_processes:
        reasons.append(NEIGHBOUR)
    elif before is not msgspec.UNSET and before > LARGEST_MEMORY_BEFORE:
        size = f"{before / 2**20:.0f} MiB"
        reasons.append(f"{NEIGHBOUR}, since {size} of its memory were in use before")
    return tuple(reasons)


def _take_samples(job: Job) -> bytes | None:
    """What the program wrote of its raw samples; the file is gone then. Raises OSError."""
    place = job.folder / SAMPLES_FILE
    if not place.is_file():
        return None
    data = place.read_bytes()
    place.unlink()
    return data


def _execute_watched(
    job: Job, command: tuple[str, ...], sampling: Sampling
) -> tuple[Execution, Window | None, dict[str, Window]]:
    windows = TimedWindows()
    memory = measure_memory(sampling.nvml, sampling.handle) if sampling.nvml is not None else None
    with contextlib.ExitStack() as stack:
        sampler = None
        stack.enter_context(sampling.ledger.spend(GPU, "runs"))
        if sampling.nvml is not None:
            sampler = stack.enter_context(sample_clocks(sampling.nvml, sampling.handle))
        done = execute(
            command,
            cwd=job.folder,
            time_limit=job.program.declaration.time_limit,
            output_cap=LARGEST_SIDE_FILE,
            on_stderr_line=windows.read_line,
        )
    if sampler is None:
        return done, None, {}
    each = summarize_each(sampler.samples, windows.closed, sampler.unread)
    window = summarize_window(sampler.samples, windows.closed, sampler.unread)
    if window is not None and memory is not None:
        window = msgspec.structs.replace(window, memory_before_bytes=memory)
    return done, window, each


def _report_failure(
    program: Program, failure: str, done: Execution | None, *, checked: bool = True
) -> Finding:
    """A failed run; the last lines of its stderr, or else of its stdout, are in the message."""
    lines: list[str] = []
    for stream in (done.stderr, done.stdout) if done else ():
        text = stream.decode("utf-8", "backslashreplace")
        said = [line for line in text.splitlines() if line.strip() and not is_mark(line)]
        lines = lines or said
    last = " / ".join(line.strip()[:200] for line in lines[-3:])
    return Finding(
        Kind.RUN,
        program.header.run_place,
        f"`{program.header.run}` runs to its end",
        failure + (f"; its last lines: {last}" if last else ""),
        "run it by hand; a failing run is no evidence, and nothing was recorded",
        checked=checked,
    )


def _format_time(seconds: float) -> str:
    """``42 s`` or ``3 min 05 s``."""
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02} s"
