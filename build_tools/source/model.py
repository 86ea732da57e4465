"""What is a program, a region, a header, a declaration? The values the source stage hands on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from build_tools.diagnostics.finding import Place
from build_tools.source.part_rules import PartRules

Scalar = Fraction
"""A constant's value, exact."""


@dataclass(frozen=True)
class SourceLine:
    """One line of a program: its number from 1 and its text without the line end."""

    number: int
    text: str


@dataclass(frozen=True)
class Region:
    """A named span of a program between its markers.

    ``lines`` are the region's lines less all marker lines, as they stand in the program;
    ``text`` is those lines with LF ends and the common leading whitespace removed.
    ``first`` and ``last`` are the numbers of the first and last line of ``lines``.
    """

    program: str
    name: str
    place: Place
    lines: tuple[SourceLine, ...]
    text: str
    kind: str = "kernel"
    """``kernel`` (checked by the reader's check if it holds a ``__global__``) or ``host``."""
    needs: tuple[str, ...] = ()

    @property
    def reference(self) -> str:
        """How a page names this region: ``program#region``."""
        return f"{self.program}#{self.name}"

    @property
    def first(self) -> int:
        return self.lines[0].number

    @property
    def last(self) -> int:
        return self.lines[-1].number

    @property
    def skips(self) -> bool:
        """Whether marker lines of regions in it stand between its lines."""
        return self.last - self.first >= len(self.lines)

    @property
    def undedented(self) -> str:
        """The lines as they stand in the program, LF ends."""
        return "".join(line.text + "\n" for line in self.lines)


@dataclass(frozen=True)
class Solution:
    """A span of a program that one exercise's starter goes without.

    ``first`` and ``last`` are the lines of the markers around it, ``column`` that of the first.
    ``starter`` holds what stands there instead, each line with the number of the comment that
    says it.
    """

    first: int
    last: int
    column: int
    lines: tuple[SourceLine, ...]
    starter: tuple[SourceLine, ...]
    has_code: bool = True
    """Whether it holds more than comments, which go only because they give the code away."""


@dataclass(frozen=True)
class Exercise:
    """What a reader is to write: its solutions, and the regions that hold all of them."""

    name: str
    place: Place
    solutions: tuple[Solution, ...]
    regions: tuple[str, ...]
    """The shortest first; never empty."""


@dataclass(frozen=True)
class Constant:
    """A constant of a program: a number, or an array of numbers, exact."""

    name: str
    value: Fraction | tuple[Fraction, ...] | None
    """None when the initializer is beyond what is read; ``reason`` says why."""
    place: Place
    reason: str = ""


@dataclass(frozen=True)
class Verified:
    """The header's Verified paragraph, as it reads."""

    date: str
    device: str
    compute_capability: str
    driver: str
    cuda: str
    nvcc: str
    transcript: str
    place: Place


@dataclass(frozen=True)
class Header:
    """The leading ``//`` comment of a program, read."""

    description: str
    build: str
    build_place: Place
    run: str
    run_place: Place
    verified: Verified | None
    insert_line: int
    """The line after which a Verified paragraph is written when there is none."""
    description_places: tuple[tuple[int, Place], ...] = ()
    """Each line of the description: where it begins in it, and where it stands."""


@dataclass(frozen=True)
class ColumnRule:
    """A declared column of a transcript's table."""

    name: str
    header: str
    is_key: bool
    unit: str = ""
    """As printed in the header, between parentheses or as the whole header; empty for none."""
    place: Place | None = field(default=None, compare=False)
    """Where its header is declared."""


@dataclass(frozen=True)
class TableRule:
    """A declared table: its columns in declared order, and how many rows it must have."""

    name: str
    columns: tuple[ColumnRule, ...]
    rows: int | None
    place: Place
    rows_place: Place | None = None
    """Where the number of rows is declared, if it is."""


@dataclass(frozen=True)
class LineRule:
    """A declared single-line pattern of the ``parse`` library.

    Untyped fields are keys, typed numeric fields (``:g``, ``:d``, ``:f``) are measurements.
    """

    name: str
    pattern: str
    units: Mapping[str, str]
    place: Place


@dataclass(frozen=True)
class QuantityRule:
    """A named expression; ``unit`` is what it must have, or is given when it has none."""

    name: str
    expression: str
    unit: str
    place: Place
    """Where the name stands."""
    origin: Place
    """Where the expression's first character stands."""
    unit_place: Place
    """Where the unit stands; the name's place when it has none."""


@dataclass(frozen=True)
class RegionRule:
    """What is declared about a region; ``needs_places`` says where each need is named."""

    name: str
    place: Place
    kind: str = "kernel"
    needs: tuple[str, ...] = ()
    needs_places: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Declaration:
    """What ``program.toml`` says; empty when there is none."""

    path: str
    tables: tuple[TableRule, ...] = ()
    lines: tuple[LineRule, ...] = ()
    quantities: Mapping[str, QuantityRule] = field(default_factory=dict)
    requires_compute_capability: str = ""
    runs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Further commands by name: their arguments."""
    time_limit: float = 120.0
    """Seconds one run may take."""
    regions: Mapping[str, RegionRule] = field(default_factory=dict)
    """What is declared about regions, by region name; it may name one that is not there."""
    parts: PartRules = field(default_factory=PartRules)
    """What is asked of profiler, sanitizers, mutants and listings."""


@dataclass(frozen=True)
class Program:
    """One canonical ``.cu`` file and what is declared about it."""

    name: str
    path: str
    """From the project's root, with ``/``."""
    text: str
    """Decoded, without BOM, LF line ends."""
    header: Header
    regions: Mapping[str, Region]
    constants: Mapping[str, Constant]
    kernels: Mapping[str, int]
    """``__global__`` functions by name: the line each is defined on."""
    declaration: Declaration
    code_digest: str
    """SHA-256 over the program's tokens and commands; see ``digest``."""
    check_path: str = ""
    """The reader's check beside it, or empty."""
    includes: tuple[str, ...] = ()
    """Files of the tree it includes with quotes, as paths from the root."""
    exercises: Mapping[str, Exercise] = field(default_factory=dict)
    """What its starters go without, by name, in the order of the file."""


@dataclass(frozen=True)
class Fact:
    """A cited fact of ``snippets/quantities.toml``."""

    key: str
    value: str
    """The number as the source prints it; empty when there is one only for some GPUs."""
    unit: str
    source: str
    quote: str
    date: str
    place: Place
    gpu: str = ""
    """The model it is true of, as the driver names it; empty when it is true of all."""
    variants: tuple[Fact, ...] = ()
    """What it is on the GPUs that are named."""
    date_place: Place | None = field(default=None, compare=False)
    """Where its date is written."""


@dataclass(frozen=True)
class NumberPattern:
    """A course's own pattern of numbers that need no binding.

    In each of ``texts`` the mark ``{n}`` stands for a number, a list or a range of them.
    """

    name: str
    texts: tuple[str, ...]
    why: str
    place: Place


@dataclass(frozen=True)
class Settings:
    """What ``course.toml`` says; the defaults are those of a course without one."""

    title: str = ""
    """What the course is called, as `site_name` in mkdocs.yml says it."""
    reference_gpu: str = ""
    """The model that the course speaks of, as the driver names it, such as ``NVIDIA H200``."""
    unbound: str = "units"
    """Which numbers of the prose must be bound: ``off``, ``units`` or ``all``."""
    patterns_off: frozenset[str] = frozenset()
    """Patterns of numbers that are switched off: what they take away is prose like any other."""
    patterns: tuple[NumberPattern, ...] = ()
    """The course's own patterns of numbers that need no binding, each with ``text``, one or
    several, in which ``{n}`` stands for a number, and ``why``."""
    findings: str = "fail"
    """Whether a build with findings fails: ``fail``, or ``warn`` for a course under construction,
    whose pages are then marked."""
    source_url: str = ""
    """URL of a line of a file, with ``{path}`` and ``{line}``, to which pages link; none without."""
    prose: tuple[str, ...] = ("docs/**/*.md",)
    """Globs of the Markdown files whose prose is checked."""
    explorer: tuple[tuple[str, str], ...] = ()
    """Compiler Explorer's names of compilers by release of CUDA, such as ``"13.0" = "nvcc130u2"``,
    for releases that these tools do not know, or in place of what they know."""
    repeats: int = 10
    """Processes started for a record in any case."""
    repeats_at_most: int = 20
    """Where it stops to start more, however much claims would need them."""

    @property
    def reference_slug(self) -> str:
        """The reference device as a folder's name: ``nvidia-h200``."""
        return slugify_device(self.reference_gpu)


def slugify_device(model: str) -> str:
    """``NVIDIA H200`` as ``nvidia-h200``: letters and digits, joined by hyphens."""
    words = "".join(c.lower() if c.isascii() and c.isalnum() else " " for c in model).split()
    return "-".join(words)
