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

from filelock import FileLock, Timeout

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.compose import Ran
from build_tools.evidence.model import Window
from build_tools.evidence.record import LARGEST_SIDE_FILE
from build_tools.measure.compile import Compiled
from build_tools.measure.device import CudaError, NvmlMissing, find_bus, open_nvml
from build_tools.measure.ledger import GPU, Ledger
from build_tools.measure.run import Execution, execute
from build_tools.measure.sampler import (
    REJECTING,
    TimedWindows,
    is_mark,
    sample_clocks,
    summarize_window,
)
from build_tools.source.model import Program

TRIES = 3
"""How often a process is started again after the GPU was slowed down."""


@dataclass
class Job:
    """A program on its way to a record: its build, and the processes that ended well so far."""

    program: Program
    compiled: Compiled
    folder: Path
    """Where its binary lies and its processes run."""
    runs: list[Ran] = field(default_factory=list)
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
    repeats: int,
    sampling: Sampling,
    progress: Callable[[str], object],
    note: Callable[[Sequence[Finding]], object] = lambda _: None,
) -> list[Finding]:
    """Run each job's program ``repeats`` times, in turn; a job that fails is marked and left.

    ``note`` is told what is wrong with it at once.
    """
    findings: list[Finding] = []
    begin = time.monotonic()
    done = 0
    for number in range(repeats):
        going = [job for job in jobs if not job.failed]
        for job in going if number % 2 == 0 else reversed(going):
            finding = _run_once(job, sampling)
            done += 1
            if finding is not None:
                findings.append(finding)
                job.failed = True
                progress(f"{job.program.name}: process {number + 1} failed")
                note([finding])
                continue
            left = sum(repeats - len(other.runs) for other in jobs if not other.failed)
            remaining = (time.monotonic() - begin) / done * left
            progress(
                f"{job.program.name}: process {number + 1} of {repeats}, "
                f"{job.runs[-1].seconds:.1f} s; {_format_time(remaining)} left"
            )
    return findings


def _run_once(job: Job, sampling: Sampling) -> Finding | None:
    """One process that counts, or the finding that ends the job."""
    reasons: tuple[str, ...] = ()
    command = tuple(shlex.split(job.program.header.run))
    if not job.started:
        job.started = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    for _ in range(TRIES):
        try:
            done, window = _execute_watched(job, command, sampling)
        except OSError as error:
            failure = f"it cannot be started: {error.strerror}"
            return _report_failure(job.program, failure, None, checked=False)
        if done.failure:
            return _report_failure(job.program, done.failure, done)
        reasons = tuple(r for r in window.throttle_reasons if r in REJECTING) if window else ()
        if not reasons:
            job.runs.append(Ran(command, done.stdout, done.stderr, done.seconds, window))
            return None
    return Finding(
        Kind.DEVICE,
        job.program.header.run_place,
        f"a run of `{job.program.name}` at the GPU's own clocks",
        f"the GPU was slowed down in {TRIES} tries: {', '.join(reasons)}",
        "let it cool, see to its power supply and its neighbours, and run again",
        checked=False,
    )


def _execute_watched(
    job: Job, command: tuple[str, ...], sampling: Sampling
) -> tuple[Execution, Window | None]:
    windows = TimedWindows()
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
        return done, None
    return done, summarize_window(sampler.samples, windows.closed, sampler.unread)


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
