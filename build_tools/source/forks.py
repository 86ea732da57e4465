"""Who shares the work of a build? Processes that are forked off, each with a part of it.

A fork knows all that its parent knew, and sends back what it found out. One that fails sends
nothing; whoever asked does that part itself, so nothing depends on a fork but time.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from build_tools.source.environment import COURSE_JOBS
from build_tools.source.garbage import pause_collector, stop_collector
from build_tools.source.store import pack

Item = TypeVar("Item")
Result = TypeVar("Result")

LEAST = 8
"""Items that are worth a fork."""


@dataclass(frozen=True)
class _Fork:
    process: int
    pipe: int
    """Where it writes its result, pickled."""


def count_jobs(environment: Mapping[str, str]) -> int:
    """How many processes may share the work: ``COURSE_JOBS``, or one a processor."""
    said = environment.get(COURSE_JOBS, "").strip()
    if said.isascii() and said.isdigit() and int(said) > 0:
        return int(said)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share_out(
    items: Sequence[Item], work: Callable[[Sequence[Item]], Result], jobs: int
) -> list[Result]:
    """The results of ``work`` on parts of ``items``, of this process first.

    Those of a part whose fork failed are missing. Nothing is forked where threads run, which a
    fork would lack, or where there is little to do.
    """
    jobs = plan_jobs(len(items), jobs)
    if jobs < 2:
        return [work(items)]
    forks = [_begin(work, items[start::jobs]) for start in range(1, jobs)]
    waiting = list(forks)
    try:
        results = [work(items[::jobs])]
        for fork in forks:
            body = _receive(fork)
            waiting.remove(fork)
            if body:
                results.append(_load(body))
    finally:
        for fork in waiting:
            _abandon(fork)
    return results


def plan_jobs(items: int, jobs: int) -> int:
    """How many of ``jobs`` processes so many items are worth here."""
    return max(1, min(jobs, items // LEAST)) if _can_fork() else 1


class Beside:
    """Work that a fork does while this process goes on; all that it leaves are files."""

    def __init__(self, work: Callable[[], object]) -> None:
        def do(_: Sequence[object]) -> bool:
            work()
            return True

        self._fork: _Fork | None = _begin(do, ())

    def finish(self) -> bool:
        """Wait until the work is done, and say whether it came to its end."""
        fork, self._fork = self._fork, None
        return fork is not None and bool(_receive(fork))

    def abandon(self) -> None:
        """End the work wherever it is; where it has ended, nothing happens."""
        fork, self._fork = self._fork, None
        if fork is not None:
            _abandon(fork)


def start_beside(work: Callable[[], object], jobs: int) -> Beside | None:
    """Let a fork do ``work``; None where nothing is forked, and whoever asked does it."""
    return Beside(work) if jobs > 1 and _can_fork() else None


def _can_fork() -> bool:
    # Elsewhere than on Linux libraries of the system may not bear to be forked.
    return sys.platform == "linux" and threading.active_count() == 1


def _begin(work: Callable[[Sequence[Item]], object], part: Sequence[Item]) -> _Fork:
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    process = os.fork()
    if process:
        os.close(writing)
        return _Fork(process, reading)
    status = 1
    try:  # No line of the parent's may run in here, whatever happens.
        os.close(reading)
        _be_silent()
        stop_collector()
        body = pack(work(part))
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(body)
        status = 0
    finally:
        os._exit(status)


def _be_silent() -> None:
    """Print nothing: whatever there is to say, the parent says it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _receive(fork: _Fork) -> bytes:
    """What a fork wrote once it is done; nothing where it failed."""
    with os.fdopen(fork.pipe, "rb") as pipe:
        body = pipe.read()
    _, status = os.waitpid(fork.process, 0)
    return body if os.waitstatus_to_exitcode(status) == 0 else b""


def _load(body: bytes) -> Result:  # type: ignore[type-var]  # as the fork's work returned it
    with pause_collector():
        found: Result = pickle.loads(body)  # noqa: S301 - written by a fork of this process
    return found


def _abandon(fork: _Fork) -> None:
    os.close(fork.pipe)
    os.kill(fork.process, 9)
    os.waitpid(fork.process, 0)
