"""What do processes share that run on the GPU side by side, while nothing is timed or counted?"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

Key = TypeVar("Key")
Item = TypeVar("Item")
Result = TypeVar("Result")

SIDE_BY_SIDE = max(4, min(12, os.cpu_count() or 1))
"""How many processes share the GPU: each has a context of its own, and a tool's overhead."""


@dataclass(frozen=True)
class Room:
    """What all processes of a campaign share but those that are timed."""

    cache: Path | None = None
    """Where CuPy keeps kernels of its own that it compiled; None for a new place each time."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Once it is set, what runs is ended."""
    slots: threading.Semaphore = field(
        default_factory=lambda: threading.BoundedSemaphore(SIDE_BY_SIDE)
    )
    """Held while a process runs on the GPU, and never while another one is waited for."""


def map_side_by_side(
    room: Room, function: Callable[[Item], Result], items: Iterable[Item]
) -> list[Result]:
    """What the function makes of each item, in order, several at a time.

    An interrupt ends what is running.
    """
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        try:
            return list(pool.map(function, items))
        except Exception:
            raise
        except BaseException:
            room.stop.set()  # before the pool waits for its threads
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def make_once(
    lock: threading.Lock,
    made: dict[Key, Future[Result]],
    key: Key,
    make: Callable[[], Result],
) -> Result:
    """What is made under this key: by whoever asks first, while others wait for it."""
    with lock:
        known = made.get(key)
        mine: Future[Result] = made.setdefault(key, Future())
    if known is not None:
        return known.result()
    try:
        result = make()
    except BaseException as error:
        mine.set_exception(error)
        raise
    mine.set_result(result)
    return result
