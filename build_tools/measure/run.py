"""What did one process do? Runs a command, bounded in time and output, in a plain environment.

The process leads a group of its own. The group is killed when time or output runs out, on an
interrupt, and when the process ends but leaves children behind.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from build_tools.source.environment import PASSED_ON

_LOCALE = "C.UTF-8"
_TICK = 0.05
"""Seconds between two looks at the process while it prints nothing."""
_PIECE = 65536


@dataclass(frozen=True)
class Execution:
    """One process: its command, what it printed, how and after how long it ended."""

    command: tuple[str, ...]
    stdout: bytes
    stderr: bytes
    exit_status: int
    """As the system gives it: negative for a signal."""
    seconds: float
    cut: str = ""
    """Why it was killed, such as ``it took longer than 120 s``; empty when it ended by itself."""

    @property
    def failure(self) -> str:
        """How it failed, for a message; empty when it ended well."""
        if self.cut:
            return self.cut
        if self.exit_status < 0:
            return f"it was ended by {name_signal(-self.exit_status)}"
        return f"it ended with exit status {self.exit_status}" if self.exit_status else ""


def name_signal(number: int) -> str:
    """A signal as people know it: ``SIGSEGV (segmentation fault)``."""
    try:
        described = signal.strsignal(number) or "unknown"
        return f"{signal.Signals(number).name} ({described.lower()})"
    except ValueError:
        return f"signal {number}"


def scrub_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Only what a program needs to find its libraries and its GPU, and a fixed locale."""
    kept = {name: environment[name] for name in PASSED_ON if name in environment}
    return kept | {"LC_ALL": _LOCALE}


def execute(
    command: Sequence[str],
    *,
    cwd: Path,
    time_limit: float,
    output_cap: int,
    on_stderr_line: Callable[[str], None] | None = None,
    more_environment: Mapping[str, str] | None = None,
    stop: threading.Event | None = None,
    niceness: int = 0,
) -> Execution:
    """Run a command to its end, or kill it and all its children.

    ``time_limit`` is in seconds, ``output_cap`` in bytes for each stream: a process that
    prints more is killed, and what it printed up to there is kept. ``on_stderr_line`` is told
    each whole line as it comes; once ``stop`` is set, the process is killed. With ``niceness`` it
    and its children leave the processor to others. Raises OSError when the command cannot be
    started.
    """
    environment = scrub_environment(os.environ) | dict(more_environment or {})
    with unwind_when_terminated():
        begin = time.monotonic()
        process = subprocess.Popen(
            list(command),
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        if niceness:
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, process.pid, niceness)
        stdout, stderr, cut = _watch(
            process,
            _Bounds(begin + time_limit, time_limit, output_cap, stop),
            _LineTeller(on_stderr_line),
        )
        seconds = time.monotonic() - begin
    return Execution(tuple(command), stdout, stderr, process.returncode, seconds, cut)


@dataclass(frozen=True)
class _Bounds:
    """What a process may not exceed; ``deadline`` is of the monotonic clock."""

    deadline: float
    time_limit: float
    output_cap: int
    stop: threading.Event | None


def _watch(
    process: subprocess.Popen[bytes], bounds: _Bounds, tell: _LineTeller
) -> tuple[bytes, bytes, str]:
    """Both streams of a process, and why it was killed; it is over when this returns."""
    assert process.stdout is not None  # noqa: S101 - both are pipes, as asked for above
    assert process.stderr is not None  # noqa: S101
    streams = {process.stdout: bytearray(), process.stderr: bytearray()}
    cut = ""
    try:
        with selectors.DefaultSelector() as selector:
            for stream in streams:
                os.set_blocking(stream.fileno(), False)
                selector.register(stream, selectors.EVENT_READ)
            while not cut:
                ended = _has_ended(process)
                ready = [key.fileobj for key, _ in selector.select(0 if ended else _TICK)]
                for stream in (s for s in streams if s in ready):
                    piece = _read_piece(stream)
                    if piece is None:
                        continue
                    if not piece:
                        selector.unregister(stream)
                        continue
                    streams[stream] += piece
                    if stream is process.stderr:
                        tell.feed(piece)
                    if len(streams[stream]) > bounds.output_cap:
                        cut = f"it printed more than {bounds.output_cap // 1024} KiB and was killed"
                if not ready and ended:
                    break
                if not ended and time.monotonic() > bounds.deadline:
                    cut = f"it took longer than {bounds.time_limit:g} s and was killed"
                elif not ended and bounds.stop is not None and bounds.stop.is_set():
                    cut = "it was stopped"
    finally:
        _end_group(process)
    tell.close()
    stdout, stderr = (bytes(read[: bounds.output_cap]) for read in streams.values())
    return stdout, stderr, cut


class _LineTeller:
    """Hands on whole lines of a stream that comes in pieces."""

    def __init__(self, told: Callable[[str], None] | None) -> None:
        self.told = told
        self.rest = b""

    def feed(self, piece: bytes) -> None:
        if self.told is None:
            return
        *lines, self.rest = (self.rest + piece).split(b"\n")
        for line in lines:
            self.told(line.decode("utf-8", "backslashreplace"))

    def close(self) -> None:
        if self.told is not None and self.rest:
            self.told(self.rest.decode("utf-8", "backslashreplace"))


def _read_piece(stream: IO[bytes]) -> bytes | None:
    """What can be read at once; nothing at its end, None when it must be waited for."""
    try:
        return os.read(stream.fileno(), _PIECE)
    except BlockingIOError:
        return None


@contextlib.contextmanager
def unwind_when_terminated() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into SystemExit: the child, in its own session, outlives us else.

    Only in the main thread, and only where nobody else handles them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def unwind(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    taken = [s for s in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(s) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, unwind)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether the process is over; it is not reaped yet, so its group keeps its number."""
    state = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return state is not None


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill whatever is left of the process and its children, and reap it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
