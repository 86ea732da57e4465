from __future__ import annotations

import gc

from build_tools.source.garbage import SELDOM, ease_collector, pause_collector


def test_the_collector_is_eased_until_it_is_restored() -> None:
    before = gc.get_threshold()
    restore = ease_collector()
    assert gc.get_threshold() == SELDOM
    restore()
    assert gc.get_threshold() == before


def test_a_pause_ends_as_it_began() -> None:
    assert gc.isenabled()
    with pause_collector():
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with pause_collector():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
