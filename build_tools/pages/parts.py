"""What of a program's parts stands on the page of its record?"""

from __future__ import annotations

from dataclasses import dataclass, field

from build_tools.claims.model import Course
from build_tools.evidence.part_digest import list_asked_parts
from build_tools.evidence.part_judge import explain_tool, explain_unsound, find_proof
from build_tools.evidence.part_model import (
    KernelListing,
    Listings,
    LoadedPart,
    MutantOutcome,
    Mutants,
    Part,
    PartKind,
    SanitizerRun,
    Sanitizers,
)
from build_tools.pages.counters import SessionView, find_part, list_sessions
from build_tools.pages.lookup import Absence
from build_tools.pages.printed import format_started
from build_tools.source.model import Program
from build_tools.source.part_rules import SANITIZERS, MutantRule

TITLES = {
    PartKind.COUNTERS: "Counters",
    PartKind.SANITIZERS: "Sanitizers",
    PartKind.MUTANTS: "Mutants",
    PartKind.LISTINGS: "Listings",
}

TOOLS = {
    "memcheck": (
        "accesses outside any allocation",
        "an overrun that ends within another array, or within the slack of its own",
    ),
    "racecheck": (
        "races on shared memory",
        "races on global memory, an early return before a barrier, much of mbarrier and bulk copies",
    ),
    "initcheck": (
        "reads of global memory that nobody wrote",
        "what was filled once, by a memset too; shared memory",
    ),
    "synccheck": (
        "barriers that not all threads reach",
        "a barrier that is missing",
    ),
}
"""What each tool of compute-sanitizer looks at, and what passes it, as tried on planted faults."""

FREQUENT = 8
"""How many of a kernel's opcodes the record's page names."""


def name_part_anchor(kind: PartKind) -> str:
    """The id of a part's section on the page of a record."""
    return kind.value


@dataclass(frozen=True)
class ToolView:
    """One tool of the sanitizer: its verdict, and what proves it."""

    name: str
    run: SanitizerRun | None
    verdict: str
    proof: SanitizerRun | None

    @property
    def sees(self) -> str:
        return TOOLS[self.name][0]

    @property
    def misses(self) -> str:
        return TOOLS[self.name][1]


@dataclass(frozen=True)
class MutantView:
    """One mutant, as declared and as tried."""

    rule: MutantRule
    outcome: MutantOutcome

    @property
    def caught_by(self) -> str:
        """Who rejects it, in words."""
        if self.outcome.caught:
            return self.outcome.caught_by
        if self.rule.equivalent:
            return "nobody, as declared"
        unchecked = [t.by for t in self.outcome.trials if t.outcome == "could not check"]
        return f"could not check: {', '.join(unchecked)}" if unchecked else "nobody"

    @property
    def said(self) -> str:
        """The words that show it, or why nobody can."""
        words = [trial.said for trial in self.outcome.trials if trial.outcome == "rejects"]
        return words[0] if words else self.rule.equivalent

    @property
    def logs(self) -> tuple[tuple[str, str], ...]:
        """Each check with the path of its raw output."""
        return tuple((trial.by, trial.log.path) for trial in self.outcome.trials)


@dataclass(frozen=True)
class PartView:
    """A part's section: the part, or why there is none."""

    kind: PartKind
    loaded: LoadedPart | None = None
    absence: Absence | None = None
    sessions: list[SessionView] = field(default_factory=list)
    tools: list[ToolView] = field(default_factory=list)
    mutants: list[MutantView] = field(default_factory=list)
    unsound: str = ""
    """Why no mutant is judged."""
    kernels: list[tuple[str, KernelListing, str]] = field(default_factory=list)
    """Region, kernel, and its most frequent opcodes in words."""
    binary: str = ""
    """Whether what was looked at is what was timed; a sentence."""
    not_run: list[str] = field(default_factory=list)
    """Tools of the sanitizer that the program leaves out, each with its reason if one is told."""

    @property
    def title(self) -> str:
        return TITLES[self.kind]

    @property
    def anchor(self) -> str:
        return name_part_anchor(self.kind)

    @property
    def campaign(self) -> str:
        """What is measured in one go, on one card, has the same."""
        return (self.loaded.part.campaign or "") if self.loaded else ""

    @property
    def tools_used(self) -> str:
        """``ncu 2025.3.1.0``."""
        tools = self.loaded.part.tools if self.loaded else {}
        return ", ".join(f"{name} {version}" for name, version in sorted(tools.items()))

    @property
    def started(self) -> str:
        return format_started(self.loaded.part.started) if self.loaded else ""

    @property
    def sanitizer_command(self) -> str:
        """The first tool's, whole."""
        run = next((tool.run for tool in self.tools if tool.run), None)
        return " ".join(run.command) if run else ""


def compose_parts(course: Course, program: Program) -> list[PartView]:
    """A section for each part that the program asks for."""
    views = []
    for kind in list_asked_parts(program):
        loaded = find_part(course, program, kind)
        if isinstance(loaded, Absence):
            views.append(PartView(kind, absence=loaded))
            continue
        part = loaded.part
        views.append(
            PartView(
                kind,
                loaded,
                sessions=list_sessions(program, loaded),
                tools=_list_tools(program, part) if isinstance(part, Sanitizers) else [],
                mutants=_list_mutants(program, part) if isinstance(part, Mutants) else [],
                unsound=explain_unsound(part) if isinstance(part, Mutants) else "",
                kernels=_list_kernels(part) if isinstance(part, Listings) else [],
                binary=_describe_binary(course, program, part),
                not_run=_list_not_run(program) if isinstance(part, Sanitizers) else [],
            )
        )
    return views


def _list_not_run(program: Program) -> list[str]:
    rule = program.declaration.parts.sanitizers
    if rule is None:
        return []
    missing = [name for name in SANITIZERS if name not in rule.tools]
    return [f"{name} ({rule.without[name]})" if name in rule.without else name for name in missing]


def _describe_binary(course: Course, program: Program, part: Part) -> str:
    """Whether the kernels' machine code is that of the shown record."""
    record = course.shelves[program.name].shown_record
    if record is None:
        return ""
    if part.build.machine_code_digest != record.record.build.machine_code_digest:
        return "Its build's machine code is not that of the timed one."
    lines = isinstance(part, Sanitizers) and part.line_info
    return "Its machine code is that of the timed build" + (
        ", with source lines." if lines else "."
    )


def _list_tools(program: Program, part: Sanitizers) -> list[ToolView]:
    rule = program.declaration.parts.sanitizers
    views = []
    for tool in rule.tools if rule else ():
        run = next((r for r in part.runs if r.tool == tool and not r.mutant), None)
        why = explain_tool(part, tool)
        verdict = f"could not check: {why}" if why else "nothing found"
        if run is not None and not run.passed and not run.could_not_check:
            verdict = "found errors" if run.errors or run.warnings else "the program failed"
        views.append(ToolView(tool, run, verdict, find_proof(part, tool)))
    return views


def _list_mutants(program: Program, part: Mutants) -> list[MutantView]:
    rules = program.declaration.parts.mutants
    return [MutantView(rules[m.name], m) for m in part.mutants if m.name in rules]


def _list_kernels(part: Listings) -> list[tuple[str, KernelListing, str]]:
    return [
        (region.region, kernel, _name_frequent(kernel))
        for region in part.regions
        for kernel in region.kernels
    ]


def _name_frequent(kernel: KernelListing) -> str:
    """The most frequent opcodes, ``16 LDS, 4 LDS.128``, most first."""
    ordered = sorted(kernel.opcodes.items(), key=lambda item: (-item[1], item[0]))
    named = ", ".join(f"{count} {opcode}" for opcode, count in ordered[:FREQUENT])
    return named + (", …" if len(ordered) > FREQUENT else "")
