"""How do a program's counters look on a page? A table of kernels by counters."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup

from build_tools.claims.counters import find_session, find_shown_launch, read_counts
from build_tools.claims.directives import split_columns
from build_tools.claims.model import Course, Directive
from build_tools.diagnostics.finding import suggest_names
from build_tools.evidence.counts import KernelCounts
from build_tools.evidence.part_model import Counters, CounterSession, LoadedPart, PartKind
from build_tools.evidence.parts import find_newest
from build_tools.pages.lookup import Absence, find_program
from build_tools.pages.printed import format_date
from build_tools.pages.template import fill_template
from build_tools.quantity.units import Unit
from build_tools.source.model import Program
from build_tools.source.part_rules import CounterRule

_WARNING = "==WARNING== "


@dataclass(frozen=True)
class CounterHead:
    """A column: the counter's name, its unit, and the profiler's name for it."""

    name: str
    unit: str
    metric: str


@dataclass(frozen=True)
class CounterCell:
    """What the shown launch counted, as claims take it, and how far launches lie apart."""

    text: str
    spread: str
    """What the launches counted, from the least to the greatest."""
    others: str = ""
    """What the launches counted that are not shown, in their order; empty where all agree."""
    value: float = 0.0
    """The shown count in base units, by which rows are sorted."""


@dataclass(frozen=True)
class SessionView:
    """One session as a table."""

    rule: CounterRule
    heads: tuple[CounterHead, ...]
    rows: tuple[tuple[str, tuple[CounterCell, ...]], ...]
    """Kernels, each with a cell a counter."""
    passes: int
    command: str
    logs: tuple[str, ...]
    """Paths of the raw logs, from the root."""
    warnings: tuple[str, ...] = ()
    """What the profiler warns of by itself, each once."""

    @property
    def is_tall(self) -> bool:
        """Whether a row holds a counter rather than a kernel: a page is longer than it is wide."""
        return len(self.heads) > len(self.rows)

    @property
    def caches(self) -> str:
        """What was done to the caches; a sentence."""
        if self.rule.caches == "cold":
            return "The profiler emptied the caches before each pass."
        return "The caches were left as they were; nothing was timed, so no loop had warmed them."

    @property
    def how(self) -> str:
        """``caches cold, the shown one of 3 launches, 4 passes each``."""
        launches = f"the shown one of {self.rule.launches} launches"
        passes = f"{self.passes} passes each" if self.passes != 1 else "one pass each"
        return f"caches {self.rule.caches}, {launches}, {passes}"


def find_part(course: Course, program: Program, kind: PartKind) -> LoadedPart | Absence:
    """The newest fresh part of a kind that holds something."""
    shelf = course.shelves.get(program.name)
    loaded = find_newest(shelf, kind) if shelf is not None else None
    advice = f"run `course run --parts {kind} {program.name}`"
    if loaded is None:
        known = shelf is not None and any(part.kind is kind for part in shelf.parts)
        state = "stale: the code or what is asked changed since" if known else "missing"
        return Absence(f"the {kind} of `{program.name}` are {state}", advice)
    if loaded.part.could_not_check:
        return Absence(f"{kind} of `{program.name}`: {loaded.part.could_not_check}", advice)
    return loaded


def render_counters(course: Course, directive: Directive, identity: str) -> Markup | Absence:
    """A session of ``directive``'s program as a table."""
    program = find_program(course, directive.argument)
    if isinstance(program, Absence):
        return program
    rules = program.declaration.parts.counters
    name = directive.options.get("session", "") or (next(iter(rules)) if len(rules) == 1 else "")
    rule = rules.get(name)
    if rule is None:
        what = f"session `{name}`" if name else "one session alone"
        return Absence(f"`{program.name}` has no {what}", suggest_names(name, rules))
    loaded = find_part(course, program, PartKind.COUNTERS)
    if isinstance(loaded, Absence):
        return loaded
    session = find_session(loaded, name)
    if session is None:
        return Absence(f"{loaded.identity} has no session `{name}`", "measure the counters again")
    view = compose_session(
        loaded,
        session,
        rule,
        split_columns(directive.options.get("kernels", "")),
        split_columns(directive.options.get("counters", "")),
    )
    return fill_template(
        "counters",
        directive=directive,
        identity=identity,
        program=program,
        loaded=loaded,
        date=format_date(loaded.part.started),
        view=view,
        record=course.shelves[program.name].shown_record,
    )


def list_sessions(program: Program, loaded: LoadedPart) -> list[SessionView]:
    """All sessions of a part that are still declared."""
    rules = program.declaration.parts.counters
    part = loaded.part
    sessions = part.sessions if isinstance(part, Counters) else ()
    return [compose_session(loaded, s, rules[s.name]) for s in sessions if s.name in rules]


def compose_session(
    loaded: LoadedPart,
    session: CounterSession,
    rule: CounterRule,
    kernels: list[str] | None = None,
    counters: list[str] | None = None,
) -> SessionView:
    """A session's table, of the kernels and counters that are named or of all."""
    counts = read_counts(loaded, session, rule)
    shown = find_shown_launch(loaded, session, rule)
    chosen = [name for name in counters or rule.metrics if name in rule.metrics]
    rows = [
        (kernel, tuple(_compose_cell(counts[kernel, name], shown) for name in chosen))
        for kernel in kernels or rule.kernels
        if all((kernel, name) in counts for name in chosen)
    ]
    return SessionView(
        rule,
        tuple(CounterHead(n, rule.metrics[n].unit, rule.metrics[n].metric) for n in chosen),
        tuple(rows),
        max((run.passes for run in session.runs), default=0),
        " ".join(session.runs[0].command) if session.runs else "",
        tuple(run.log.path for run in session.runs),
        _list_warnings([loaded.texts.get(run.log.path, "") for run in session.runs]),
    )


def _list_warnings(logs: list[str]) -> tuple[str, ...]:
    """The profiler's own warnings, each once."""
    found = {
        line.removeprefix(_WARNING).strip(): None
        for log in logs
        for line in log.splitlines()
        if line.startswith(_WARNING)
    }
    return tuple(found)


def _compose_cell(counts: KernelCounts, shown: int) -> CounterCell:
    text = format_count(counts.values[shown], counts.unit)
    launches = f"{len(counts.values)} launches"
    value = float(counts.values[shown])
    if len(set(counts.values)) == 1:
        return CounterCell(text, f"the same in all {launches}", value=value)
    # No band: that of three launches reaches far beyond anything that was counted.
    told = [format_count(value, counts.unit) for value in counts.values]
    least, most = (format_count(end(counts.values), counts.unit) for end in (min, max))
    others = ", ".join(text for index, text in enumerate(told) if index != shown)
    return CounterCell(text, f"{least} to {most} in {launches}", others, value)


def format_count(value: Fraction, unit: Unit) -> str:
    """A value in its declared unit: whole with commas, else to four digits that count."""
    scaled = value / unit.factor
    if scaled.denominator == 1 or abs(scaled) >= 10_000:
        return f"{round(scaled):,}"
    return f"{float(scaled):,.4g}"
