"""Was the same session recorded twice? Then one day's luck would be counted as two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.model import Record
from build_tools.evidence.record import place_value

_FEWEST = 3
"""Processes below which equal transcripts may be chance."""


def find_repeats(records: Mapping[str, Record]) -> dict[str, str]:
    """The records, by path, whose transcripts are those of another: the path of the one it is.

    The first that was started is the session; ties go by path.
    """
    ordered = sorted(records, key=lambda path: (records[path].started, path))
    digests = {path: _list_digests(records[path]) for path in ordered}
    found: dict[str, str] = {}
    for index, path in enumerate(ordered):
        same = partial(_is_same_session, digests[path])
        first = next((p for p in ordered[:index] if p not in found and same(digests[p])), None)
        if first is not None:
            found[path] = first
    return found


def report_repeat(record: Record, path: str, first: str, text: str) -> Finding:
    """The finding for a record that is another one again; ``text`` is its JSON."""
    return Finding(
        Kind.RECORD,
        place_value(text, path, "processes"),
        f"{len(record.processes)} processes of a session of their own",
        f"they printed what those of {first} did, digit by digit: it is the same session",
        f"remove {path.removesuffix('.json')}.* and its folder; a session is evidence once",
    )


def _list_digests(record: Record) -> Counter[str]:
    return Counter(process.stdout.sha256 for process in record.processes)


def _is_same_session(one: Counter[str], other: Counter[str]) -> bool:
    """Whether two sets of transcripts are too alike for chance.

    A program that always prints the same is no sign of it: at least half of the transcripts
    must differ among themselves. Where all do, more than half of them in common are enough.
    """
    fewest = min(one.total(), other.total())
    if fewest < _FEWEST or len(one) * 2 < one.total():
        return False
    if one == other:
        return True
    all_differ = len(one) == one.total() and len(other) == other.total()
    return all_differ and (one & other).total() * 2 > fewest
