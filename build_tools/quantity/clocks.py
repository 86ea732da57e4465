"""At which clock was something timed, and do two clocks differ?"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from build_tools.quantity.spread import compute_median


@dataclass(frozen=True)
class Clocks:
    """The clock inside the timed windows of each process of a record, in Hz."""

    device: str
    """The GPU's name: clocks of two models are not compared."""
    shown: Fraction
    """That of the shown process."""
    hertz: tuple[Fraction, ...]
    """One a process, in their order."""
    window: str = ""
    """The timed windows that were looked at, by their name; empty for all of a process."""

    @property
    def median(self) -> Fraction:
        return compute_median(self.hertz)


def differ(left: Clocks, right: Clocks) -> bool:
    """Whether the same GPU ran at two clocks."""
    return left.device == right.device and left.median != right.median


def describe_clocks(left: Clocks, right: Clocks, between: str) -> str:
    """``1980 → 1755 MHz``."""
    return f"{float(left.median) / 1e6:.4g} {between} {float(right.median) / 1e6:.4g} MHz"
