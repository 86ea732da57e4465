"""What may a program declare beyond its runs? Counters, sanitizers, mutants, listings, sanity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from build_tools.diagnostics.finding import Place

SANITIZERS = ("memcheck", "racecheck", "initcheck", "synccheck")
"""The tools of compute-sanitizer, in the order in which they are tried."""

LEAST_LAUNCHES = 3
"""Launches of each kernel under the profiler: fewer say nothing of spread."""


@dataclass(frozen=True)
class MetricRule:
    """A counter by the name that expressions use, and the profiler's own name for it."""

    name: str
    metric: str
    """``dram__bytes_read.sum``"""
    unit: str
    place: Place
    metric_place: Place
    unit_place: Place


@dataclass(frozen=True)
class CounterRule:
    """One session under the profiler."""

    name: str
    kernels: tuple[str, ...]
    args: tuple[str, ...]
    caches: str
    """``hot``: left alone between launches; ``cold``: flushed before each pass."""
    launches: int
    metrics: Mapping[str, MetricRule]
    place: Place
    kernel_places: tuple[Place, ...] = ()
    caches_place: Place = field(default=Place(""))


@dataclass(frozen=True)
class SanitizerRule:
    """The program under each tool of compute-sanitizer."""

    args: tuple[str, ...]
    tools: tuple[str, ...]
    place: Place
    without: Mapping[str, str] = field(default_factory=dict)
    """Why a tool is not among them, by its name."""


@dataclass(frozen=True)
class MutantRule:
    """A change to a region that makes the program wrong, which a check has to notice."""

    name: str
    region: str
    replace: str
    """Text of the region as the program has it; it must stand there exactly once."""
    replacement: str
    """The text in its place, ``with`` in the file."""
    place: Place
    replace_place: Place
    region_place: Place
    proves: str = ""
    """The sanitizer's tool that must notice it, which shows that the tool sees this kernel."""
    equivalent: str = ""
    """Why no check can tell it apart; then it is right that none does."""
    args: tuple[str, ...] = ()
    """The program's arguments, where the sanitizers' would not do."""
    exercise: str = ""
    """The exercise whose starter it is; then ``replace`` is the solution, ``region`` the longest
    that holds it."""

    is_silent: bool = False
    """Whether it is the one in which the kernels of ``region`` write nothing."""

    @property
    def is_declared(self) -> bool:
        """Whether an author wrote it, and counts it."""
        return not self.exercise and not self.is_silent

    @property
    def stated(self) -> str:
        """``mutant `no-guard``` or ``starter `guard```, as findings name it."""
        if self.is_silent:
            return f"`{self.region}` with kernels that write nothing"
        return f"starter `{self.exercise}`" if self.exercise else f"mutant `{self.name}`"


@dataclass(frozen=True)
class ListingRule:
    """A region whose machine code is listed."""

    region: str
    kernels: tuple[str, ...]
    """Those it defines when none are named."""
    place: Place
    kernel_places: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Formula:
    """An expression of a declaration, and where its first character stands."""

    text: str
    origin: Place


@dataclass(frozen=True)
class SanityRule:
    """What must be possible: a rate below a peak, or a counter near what a formula says."""

    name: str
    place: Place
    rate: Formula | None = None
    peak: Formula | None = None
    """What the hardware can do at most; no rate may exceed it."""
    working_set: Formula | None = None
    """Bytes that a rate of DRAM moves through; they must exceed the L2 cache."""
    formula: Formula | None = None
    counter: Formula | None = None
    below: Formula | None = None
    """How far the counter may lie below the formula; not at all when not given."""
    above: Formula | None = None


@dataclass(frozen=True)
class AgainRule:
    """Keys of a column under which the same kernel was timed twice."""

    column: str
    pairs: tuple[tuple[str, str], ...]
    """The key of a kernel's first row, and that of its second."""
    place: Place


@dataclass(frozen=True)
class SamplesRule:
    """How the program writes all its raw samples, and which printed values are their medians."""

    args: str
    """Added to the Run command; ``{file}`` in it is the file that the program writes."""
    value: str
    """The column of the file that holds the samples."""
    unit: str
    of: str
    """The measurement; the file's columns of its keys' names say which row a sample is of."""
    place: Place
    of_place: Place


@dataclass(frozen=True)
class PartRules:
    """All of these that one ``program.toml`` declares."""

    counters: Mapping[str, CounterRule] = field(default_factory=dict)
    sanitizers: SanitizerRule | None = None
    mutants: Mapping[str, MutantRule] = field(default_factory=dict)
    listings: Mapping[str, ListingRule] = field(default_factory=dict)
    sanity: Mapping[str, SanityRule] = field(default_factory=dict)
    again: Mapping[str, AgainRule] = field(default_factory=dict)
    samples: SamplesRule | None = None

    @property
    def formulas(self) -> tuple[str, ...]:
        """The expressions that these use, as declared."""
        return tuple(
            formula.text
            for r in self.sanity.values()
            for formula in (r.rate, r.peak, r.working_set, r.formula, r.counter, r.below, r.above)
            if formula is not None
        )
