"""Which records may speak together for how a program runs today?"""

from __future__ import annotations

from build_tools.evidence.model import LoadedRecord, Shelf


def select_pool(shelf: Shelf) -> tuple[LoadedRecord, ...]:
    """The fresh records that share what the newest fresh one was measured on, newest first.

    They share GPU model, memory, power limit, driver branch, machine code and CUDA version; the
    rest is history. Empty when no record is fresh.
    """
    fresh = shelf.fresh
    if not fresh:
        return ()
    wanted = _describe_ground(fresh[0])
    return tuple(record for record in fresh if _describe_ground(record) == wanted)


def _describe_ground(loaded: LoadedRecord) -> tuple[object, ...]:
    device, build = loaded.record.device, loaded.record.build
    return (
        device.model,
        device.memory_bytes,
        device.power_limit_watts,
        device.driver.split(".")[0],
        build.machine_code_digest,
        build.cuda,
    )
