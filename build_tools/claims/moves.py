"""Did a value move from one record to another, or only the clock that it was timed at?"""

from __future__ import annotations

from enum import StrEnum

from build_tools.quantity.clocks import describe_clocks
from build_tools.quantity.comparison import count_cycles, find_band, find_other_clocks
from build_tools.quantity.spread import MINIMUM_PROCESSES
from build_tools.quantity.value import Number


class Move(StrEnum):
    """What became of a value from one record to the other."""

    SAME = "same"
    UP = "moved up"
    DOWN = "moved down"
    CLOCKS = "moved, but not in cycles"
    """A time or a rate that moved as the clock did."""
    AMBIGUOUS = "ambiguous"
    GONE = "only before"
    NEW = "only after"
    UNLIKE = "another unit"


def judge_move(before: Number, after: Number, processes: int) -> tuple[Move, str]:
    """Whether a value moved, by the bands; and why that is not decided, or with which clocks.

    It moved when the bands do not meet, and is the same when each band holds the other's shown
    value. What never varied moved when it is another. Fewer than ten processes decide nothing.
    A time or a rate whose clocks differ has to move in clock cycles, too.
    """
    move, why = _judge_bands(before, after, processes)
    clocks = find_other_clocks(before, after) if move in (Move.UP, Move.DOWN) else None
    if clocks is None:
        return move, why
    first, second = count_cycles(before), count_cycles(after)
    told = f"clocks {describe_clocks(*clocks, '→')}"
    if first is None or second is None:
        return Move.AMBIGUOUS, f"in cycles it cannot be told: {told}"
    if _judge_bands(first, second, processes)[0] is move:
        return move, ""
    return Move.CLOCKS, told


def _judge_bands(before: Number, after: Number, processes: int) -> tuple[Move, str]:
    up = Move.UP if after.shown > before.shown else Move.DOWN
    if not _varies(before) and not _varies(after):
        return (Move.SAME if before.shown == after.shown else up), ""
    first, second = find_band(before), find_band(after)
    if processes < MINIMUM_PROCESSES:
        return Move.AMBIGUOUS, f"a band needs {MINIMUM_PROCESSES} processes"
    if not first.meets(second):
        return up, ""
    if first.holds(after.shown) and second.holds(before.shown):
        return Move.SAME, ""
    return Move.AMBIGUOUS, "the bands overlap, and one value lies outside of the other's"


def _varies(number: Number) -> bool:
    if number.exact is not None:
        return False
    series = number.series[0]
    return series.joined is not None or len(set(series.samples)) > 1
