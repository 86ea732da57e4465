"""What does a page say of kernels that were timed twice in a process?"""

from __future__ import annotations

import math

from build_tools.claims.floor import Pair, count_within, find_percentile, list_pairs
from build_tools.evidence.loaded import LoadedRecord
from build_tools.source.model import Program


def describe_floor(program: Program, record: LoadedRecord, name: str) -> tuple[str, ...]:
    """A line for each kernel of each case that has a measurement twice, in the order printed.

    ``2048, read and read again: at most 0.1 % in 19 of 20 pairs, 0.4 % at most (process 7)``
    """
    groups: dict[tuple[tuple[str, ...], tuple[str, str]], list[Pair]] = {}
    for pair in list_pairs(program, record, name):
        groups.setdefault((pair.case, pair.keys), []).append(pair)
    return tuple(
        f"{', '.join((*case, ' and '.join(keys)))}: {_describe_pairs(pairs)}"
        for (case, keys), pairs in groups.items()
    )


def _describe_pairs(pairs: list[Pair]) -> str:
    largest = max(pairs, key=lambda pair: pair.ratio)
    most = write_share(largest.ratio)
    run = f"process {largest.process + 1}"
    within = count_within(len(pairs))
    if within == len(pairs):
        return f"at most {most} in all {len(pairs)} pairs (most in {run})"
    usual = write_share(float(find_percentile([pair.ratio for pair in pairs])))
    return f"at most {usual} in {within} of {len(pairs)} pairs, and {most} in {run}"


def write_share(ratio: float) -> str:
    """A log ratio as a share: ``0.02 %``."""
    share = 100 * math.expm1(ratio)
    return f"{share:.2g} %" if share < 99.5 else f"{share:.0f} %"
