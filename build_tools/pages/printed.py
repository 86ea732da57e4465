"""How are a record's values printed on a page: in their unit, to which digit?"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from fractions import Fraction

from build_tools.evidence.loaded import LoadedRecord
from build_tools.evidence.model import Samples
from build_tools.quantity.units import UnitError, parse_unit

_SLACK = 1e-9
"""What a band's end may lie beyond a round number for the digits that floats leave."""
_PLAIN = re.compile(r"[-+−]?[0-9,]+(?:\.([0-9]+))?")


def count_decimals(text: str) -> int | None:
    """How many decimals a printed number has; None when it has an exponent or is none."""
    match = _PLAIN.fullmatch(text.strip())
    return len(match[1] or "") if match else None


def format_value(value: float, unit: str, decimals: int | None) -> str:
    """A value in base units as a number in ``unit``, which is not printed."""
    try:
        factor = float(parse_unit(unit).factor)
    except UnitError:
        factor = 1.0  # A unit the table lacks is a finding of the source stage.
    scaled = value / factor
    return f"{scaled:.6g}" if decimals is None else f"{scaled:.{decimals}f}"


def find_dimensions(unit: str) -> tuple[tuple[str, int], ...]:
    """The base units of a unit with their powers; none for one that is not known."""
    try:
        return parse_unit(unit).dimensions
    except UnitError:
        return ()


def find_half(unit: str, printed: str) -> Fraction:
    """Half a unit of the last digit of a printed number, in base units."""
    try:
        factor = parse_unit(unit).factor
    except UnitError:
        factor = Fraction(1)
    return Fraction(1, 2 * 10 ** (count_decimals(printed) or 0)) * factor


def format_band(samples: Samples, printed: str) -> str:
    """``1.62 to 1.66 ms``: where the next process is expected, to two digits of its width.

    Rounded outwards, and no finer than a digit below ``printed``. Empty for one process alone.
    """
    if len(samples.samples) < 2:
        return ""
    if len(set(samples.samples)) == 1:
        return f"the same in all {len(samples.samples)} processes"
    try:
        factor = float(parse_unit(samples.unit).factor)
    except UnitError:
        factor = 1.0
    low, high = samples.band_low / factor, samples.band_high / factor
    if not high > low:
        return f"{format_value(samples.band_low, samples.unit, None)} {samples.unit}".strip()
    decimals = 1 - math.floor(math.log10(high - low))
    like = count_decimals(printed)
    if like is not None:
        decimals = min(decimals, like + 1)
    scale = 10.0**decimals
    ends = math.floor(low * scale + _SLACK) / scale, math.ceil(high * scale - _SLACK) / scale
    low_text, high_text = (f"{end:.{max(decimals, 0)}f}" for end in ends)
    return f"{low_text} to {high_text} {samples.unit}".strip()


def format_median(samples: Samples, printed: str) -> str:
    """The median over processes, to the digit of ``printed``; the unit is not printed."""
    return format_value(samples.median, samples.unit, count_decimals(printed))


def index_samples(record: LoadedRecord) -> dict[tuple[str, tuple[str, ...]], Samples]:
    """The record's measurements by name and keys."""
    return {(s.name, s.keys): s for s in record.record.measurements}


def read_printed(record: LoadedRecord, process: int, name: str, keys: tuple[str, ...]) -> str:
    """The digits one process printed; empty where its transcript was not read again."""
    if process >= len(record.transcripts):
        return ""
    measurement = record.transcripts[process].measurements.get(name)
    reading = measurement.readings.get(keys) if measurement else None
    return reading.text if reading else ""


def format_hertz(hertz: float) -> str:
    """A clock in MHz, whole."""
    return f"{hertz / 1e6:,.0f} MHz"


def format_bytes(count: int) -> str:
    """A size in the largest binary unit that leaves it whole or above ten, and in bytes."""
    value = float(count)
    unit = "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if value < 1024:
            break
        value /= 1024
        unit = larger
    if unit == "B":
        return f"{count:,} B"
    number = f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"
    return f"{number} {unit} ({count:,} B)"


def format_started(started: str) -> str:
    """``2026-12-01 09:30 UTC`` from the record's own form; as it stands when it is another."""
    try:
        moment = datetime.strptime(started, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        return started
    return moment.strftime("%Y-%m-%d %H:%M UTC")


def format_date(started: str) -> str:
    """The day of ``2026-12-01T09:30:00Z``."""
    return started[:10]
