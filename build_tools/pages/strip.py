"""How do the values of a record's processes lie? A small picture of all of them.

Each process is a dot on one line, over the band of the next process and a tick at the median; what
stands apart has a ring. So two modes, a drift of the middle or one far value show at a look, which
a median and a band hide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

WIDTH = 120
HEIGHT = 16
_MARGIN = 5
_MIDDLE = HEIGHT // 2


@dataclass(frozen=True)
class Strip:
    """What is drawn: values in one unit, one a process, and where they are expected."""

    values: Sequence[float]
    low: float
    """The lower end of the band."""
    high: float
    """Its upper end."""
    median: float
    apart: Sequence[int] = ()
    """Indexes of the values that stand apart."""
    label: str = ""
    """What the picture shows, in words; empty where it stands beside words that say it."""
    reach: tuple[float, float] | None = None
    """The ends of a scale that several strips share; without it that of the values and band."""


def draw_strip(strip: Strip) -> Markup:
    """The picture as inline SVG, coloured by the style sheet; empty for fewer than two values."""
    if len(strip.values) < 2:
        return Markup()
    least, most = strip.reach or (
        min(strip.low, *strip.values),
        max(strip.high, *strip.values),
    )
    if most <= least:
        return Markup()

    def place(value: float) -> str:
        share = (value - least) / (most - least)
        return f"{_MARGIN + share * (WIDTH - 2 * _MARGIN):.0f}"

    dots = "".join(f"M{place(value)} {_MIDDLE}h0" for value in strip.values)
    rings = "".join(
        f'<circle class="course-strip__apart" cx="{place(strip.values[i])}" cy="{_MIDDLE}" r="4"/>'
        for i in strip.apart
    )
    left, right = place(strip.low), place(strip.high)
    said = f'role="img" aria-label="{escape(strip.label)}"' if strip.label else 'aria-hidden="true"'
    return Markup(  # noqa: S704 - numbers of our own, and a label that is escaped
        f'<svg class="course-strip" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" {said}>'
        f'<path class="course-strip__band" d="M{left} {_MIDDLE}H{right}"/>'
        f'<path class="course-strip__median" d="M{place(strip.median)} 1V{HEIGHT - 1}"/>'
        f'<path class="course-strip__dots" d="{dots}"/>{rings}</svg>'
    )
