"""What does an expression come to? Numbers with dimensions, truths, texts, and several of them.

A measured number carries, for each fresh record it rests on, one value a process. Arithmetic
within one record goes process by process, since numerator and denominator share clocks; between
different records it goes by intervals.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from build_tools.quantity.clocks import Clocks
from build_tools.quantity.spread import (
    MINIMUM_PROCESSES,
    Interval,
    compute_band,
    compute_quartile_range,
    unite_intervals,
)
from build_tools.quantity.units import Unit, format_dimensions

Dimensions = tuple[tuple[str, int], ...]


class OperationError(ValueError):
    """What an expression asks for cannot be had; ``advice`` says what to do."""

    def __init__(self, message: str, advice: str = "change the expression") -> None:
        super().__init__(message)
        self.advice = advice


@dataclass(frozen=True)
class Series:
    """A number in one record, or joined from several: per process, and as shown.

    ``half`` is the half-width that the printed digits leave open. ``joined`` is set instead of
    samples when different records meet.
    """

    origins: frozenset[str]
    """The records it rests on, by path."""
    shown: Fraction
    samples: tuple[Fraction, ...]
    half: Fraction
    pooled: bool = True
    """Whether the records belong to the newest pool, whose bands count."""
    joined: Interval | None = None
    enough: int = MINIMUM_PROCESSES
    """How many samples its band needs: fewer where a value hardly varies, as counters do."""
    floor: Fraction = Fraction(0)
    """How far the same thing measured twice may lie from ``shown``, each of two half the way."""
    clocks: Clocks | None = None
    """The clocks that its times rest on; None where they are not known, or of several records."""

    @cached_property
    def band(self) -> Interval:
        """The interval for the next process."""
        return self.joined or compute_band(self.samples, self.half)


@dataclass(frozen=True)
class Number:
    """A number in base units of its dimensions: exact, or measured in ``series``, newest first."""

    dimensions: Dimensions = ()
    exact: Fraction | None = None
    series: tuple[Series, ...] = ()
    cited: bool = False
    """Whether a cited fact stands behind it."""
    probe: Fraction | None = field(default=None, compare=False, repr=False, kw_only=True)
    """What it would be if every name it rests on were worth a little more, each by its own share.

    That of a literal is its value; None where that is not known.
    """

    @property
    def is_moved(self) -> bool:
        """Whether anything that a name stands for moves it; a literal is moved by nothing."""
        return self.probe is None or self.probe != self.shown

    @property
    def shown(self) -> Fraction:
        """The exact value, or that of the newest record's shown run."""
        return self.exact if self.exact is not None else self.series[0].shown

    @property
    def band(self) -> Interval | None:
        """The union of the bands of the newest pool; None for an exact number."""
        if self.exact is not None:
            return None
        pooled = [s.band for s in self.series if s.pooled] or [self.series[0].band]
        return unite_intervals(pooled)

    def find_quartile_range(self, stated: Interval) -> Fraction:
        """Over the processes of a record whose shown value lies within ``stated``, or of the newest.

        The smallest of several: a literal is as precise as the record it was taken from allows.
        Zero for exact numbers.
        """
        resting = [s for s in self.series if s.samples and stated.holds(s.shown)]
        listed = resting or [s for s in self.series[:1] if s.samples]
        return min((compute_quartile_range(s.samples) for s in listed), default=Fraction(0))


@dataclass(frozen=True)
class Case:
    """One of those that decide a statement: a comparison, or something that is so or is not."""

    text: str
    """The left side as it is written; all of it where nothing is compared."""
    outcome: bool | None
    value: Number | Text | None = None
    """What the left side came to; None where nothing is compared."""
    relation: str = ""
    """``<`` and its like, ``same``, or the word of a verdict."""
    other_text: str = ""
    other: Number | Text | None = None


@dataclass(frozen=True)
class Truth:
    """A comparison's outcome; ``value`` is None when bands overlap."""

    value: bool | None
    reason: str = ""
    measured: tuple[Number, ...] = ()
    """The measured numbers it rests on."""
    is_moved: bool = field(default=True, compare=False, repr=False)
    """Whether it compares anything that a name stands for, and not literals alone."""
    grounds: tuple[Truth, ...] = ()
    """Of a cause: what is observed, what a counter says of it, and the control."""
    cases: tuple[Case, ...] = field(default=(), compare=False, repr=False)
    """What it was decided by, as it was compared."""


@dataclass(frozen=True)
class Text:
    """A word: a key, or a device's name."""

    value: str
    is_literal: bool = field(default=False, compare=False, repr=False)
    """Whether the expression spells it out, so that it proves nothing."""


@dataclass(frozen=True)
class Word(Text):
    """What a comparison comes to in a word, ``faster``, and why it is that one."""

    reason: str = ""
    measured: tuple[Number, ...] = ()
    """The measured numbers it rests on."""
    cases: tuple[Case, ...] = field(default=(), compare=False, repr=False)
    """The two that were compared."""


@dataclass(frozen=True)
class Several:
    """Values in order; ``labels`` are the keys they came by, one tuple an item, if they did."""

    items: tuple[Value, ...]
    labels: tuple[tuple[str, ...], ...] = ()


Value = Number | Truth | Text | Several


def make_exact(value: Fraction | int, dimensions: Dimensions = ()) -> Number:
    """An exact number, in base units."""
    return Number(dimensions, Fraction(value))


def describe_value(value: object) -> str:
    """What kind of thing a value is, for messages."""
    match value:
        case Number():
            dimensions = format_dimensions(Unit(Fraction(1), value.dimensions))
            return dimensions if not value.dimensions else f"a number in {dimensions}"
        case Truth():
            return "a statement that is true or false"
        case Text():
            return f"the text `{value.value}`"
        case Several():
            return f"{len(value.items)} values"
    return "a name that needs more after it"


def require_same_dimensions(left: Number, right: Number, what: str) -> None:
    """Raise OperationError unless both numbers have the same dimensions."""
    if left.dimensions != right.dimensions:
        raise OperationError(
            f"`{what}` joins {describe_value(left)} and {describe_value(right)}",
            "bring both sides to the same unit",
        )
