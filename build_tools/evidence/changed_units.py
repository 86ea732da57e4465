"""Does program.toml still give a record's numbers the units that they were measured in?"""

from __future__ import annotations

from collections.abc import Mapping

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.model import Record, Samples
from build_tools.evidence.record import place_value
from build_tools.quantity.units import UnitError, parse_unit


def compare_units(
    record: Record,
    true: Mapping[tuple[str, tuple[str, ...]], Samples],
    where: tuple[str, str],
) -> list[Finding]:
    """A name that stays and whose unit does not: the printed digits would mean something else."""
    path, text = where
    found: dict[str, Finding] = {}
    for index, entry in enumerate(record.measurements):
        now = true.get((entry.name, entry.keys))
        if now is None or entry.name in found or _is_same_unit(entry.unit, now.unit):
            continue
        found[entry.name] = Finding(
            Kind.RECORD,
            place_value(text, path, "measurements", index, "unit"),
            f"`{entry.name}` was measured in {_name_unit(entry.unit)}",
            f"program.toml now declares {_name_unit(now.unit)} for the same printed digits",
            "declare the unit as it was, give the corrected measurement a name of its own, or "
            f"measure again: course run --force {record.program}",
        )
    return list(found.values())


def _is_same_unit(one: str, other: str) -> bool:
    try:
        left, right = parse_unit(one), parse_unit(other)
    except UnitError:
        return one == other
    return (left.factor, left.dimensions) == (right.factor, right.dimensions)


def _name_unit(unit: str) -> str:
    return f"`{unit}`" if unit else "no unit"
