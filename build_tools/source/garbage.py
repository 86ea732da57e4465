"""When does Python look for garbage in cycles? Seldom, while a course is held that is none.

The collector looks through all objects again and again as more are made. A course and what is known
of it are hundreds of thousands that live as long as the build.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SELDOM = (20_000, 50, 100)
"""Objects made before the young ones are looked through, and how often that is before older ones."""


@contextmanager
def pause_collector() -> Iterator[None]:
    """No search while many objects are made and none is dropped."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def ease_collector() -> Callable[[], None]:
    """Search seldom from now on; the answer ends that."""
    before = gc.get_threshold()
    gc.set_threshold(*SELDOM)
    return lambda: gc.set_threshold(*before)


def stop_collector() -> None:
    """No search any more, in a fork that ends soon; what came from its parent stays shared."""
    gc.freeze()
    gc.disable()
