"""What beside the values is not the same in two records: code, commands, device, clocks?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from build_tools.evidence.model import Record


@dataclass(frozen=True)
class CircumstanceDiff:
    """Something beside the values that is not the same."""

    what: str
    before: str
    after: str


def compare_circumstances(before: Record, after: Record) -> Iterator[CircumstanceDiff]:
    """What differs, in the order in which a record was made."""
    pairs: list[tuple[str, object, object]] = [
        ("program", before.program, after.program),
        ("code digest", before.code_digest[:16], after.code_digest[:16]),
        ("Build command", before.build.stated_command, after.build.stated_command),
        ("run command", _say_command(before), _say_command(after)),
        ("nvcc", before.build.nvcc, after.build.nvcc),
        ("CUDA", before.build.cuda, after.build.cuda),
        (
            "machine code",
            before.build.machine_code_digest[:16],
            after.build.machine_code_digest[:16],
        ),
        ("processes", len(before.processes), len(after.processes)),
        ("SM clock", _say_clock(before), _say_clock(after)),
        ("throttling", _say_throttle(before), _say_throttle(after)),
        ("reader's check", _say_check(before), _say_check(after)),
    ]
    old, new = msgspec.structs.asdict(before.device), msgspec.structs.asdict(after.device)
    pairs += [(f"device {name}", old.get(name, ""), new[name]) for name in new]
    for kernel in sorted({*before.build.kernels, *after.build.kernels}):
        facts = [build.kernels.get(kernel) for build in (before.build, after.build)]
        told = [msgspec.structs.asdict(fact) if fact else {} for fact in facts]
        for name in dict.fromkeys([*told[0], *told[1]]):
            pairs.append(
                (f"kernel {kernel} {name}", told[0].get(name, "none"), told[1].get(name, "none"))
            )
    for what, was, now in pairs:
        if was != now:
            yield CircumstanceDiff(what, str(was), str(now))


def _say_command(record: Record) -> str:
    return " ".join(record.processes[0].command)


def _say_clock(record: Record) -> str:
    """The range over all processes of the median clock in their timed windows."""
    clocks = [p.window.sm_clock_hz_median for p in record.processes if p.window]
    if not clocks:
        return "not read"
    low, high = min(clocks) // 1_000_000, max(clocks) // 1_000_000
    return f"{low} MHz" if low == high else f"{low} to {high} MHz"


def _say_throttle(record: Record) -> str:
    reasons = {r for p in record.processes if p.window for r in p.window.throttle_reasons}
    return ", ".join(sorted(reasons)) or "none"


def _say_check(record: Record) -> str:
    check = record.reader_check
    if check is None:
        return "none"
    return "could not check" if check.could_not_check else "passed" if check.passed else "failed"
