"""Which records may speak together for how a program runs today?"""

from __future__ import annotations

from build_tools.evidence.loaded import LoadedRecord, Shelf
from build_tools.evidence.model import Build, Device


def select_pool(shelf: Shelf) -> tuple[LoadedRecord, ...]:
    """The fresh records that share what the newest fresh one was measured on, newest first.

    They share GPU model, memory, power limit, driver branch, machine code and CUDA version; the
    rest is history. Empty when no record is fresh.
    """
    fresh = shelf.fresh
    if not fresh:
        return ()
    wanted = describe_ground(fresh[0].record.device, fresh[0].record.build)
    return tuple(
        record
        for record in fresh
        if describe_ground(record.record.device, record.record.build) == wanted
    )


def describe_ground(device: Device, build: Build) -> tuple[object, ...]:
    """What evidence must have in common to speak together."""
    return (
        device.model,
        device.memory_bytes,
        device.power_limit_watts,
        device.driver.split(".")[0],
        build.machine_code_digest,
        build.cuda,
    )
