"""Do processes share the room there is, and is what several ask for made once?"""

import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from build_tools.measure.room import SIDE_BY_SIDE, Room, make_once, map_side_by_side


def test_items_go_side_by_side_and_come_back_in_order() -> None:
    both = threading.Barrier(2, timeout=30)

    def meet(item: int) -> int:
        both.wait()
        return item * 10

    assert map_side_by_side(Room(), meet, [3, 1, 2, 4]) == [30, 10, 20, 40]


def test_there_are_as_many_slots_as_may_run() -> None:
    room = Room()
    taken = 0
    while room.slots.acquire(blocking=False):
        taken += 1
    assert taken == SIDE_BY_SIDE >= 4


def test_an_interrupt_tells_what_runs_to_stop() -> None:
    room = Room()

    def interrupt(item: int) -> None:
        if item == 0:
            raise KeyboardInterrupt
        assert room.stop.wait(30)

    with pytest.raises(KeyboardInterrupt):
        map_side_by_side(room, interrupt, range(3))
    assert room.stop.is_set()


def test_an_error_stops_nobody_else() -> None:
    room = Room()
    with pytest.raises(ValueError, match="x"):
        map_side_by_side(room, lambda item: int("x"), range(2))
    assert not room.stop.is_set()


def test_what_several_ask_for_is_made_once() -> None:
    lock, made = threading.Lock(), dict[str, Future[int]]()
    all_asked, count = threading.Event(), [0]

    def make() -> int:
        count[0] += 1
        assert all_asked.wait(30)
        return 7

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(make_once, lock, made, "key", make) for _ in range(4)]
        all_asked.set()
        assert [future.result() for future in asked] == [7] * 4
    assert count == [1]
    assert make_once(lock, made, "other", lambda: 8) == 8


def test_a_failure_is_everybodys() -> None:
    lock, made = threading.Lock(), dict[str, Future[int]]()
    for _ in range(2):
        with pytest.raises(OSError, match="gone"):
            make_once(lock, made, "key", lambda: (_ for _ in ()).throw(OSError("gone")))
