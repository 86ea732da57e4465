"""Which exercise does a block show, and of which region? Or what is wrong with how it says so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from build_tools.claims.model import Course, Directive, PageScan
from build_tools.diagnostics.finding import Finding, Kind, suggest_names
from build_tools.source.model import Exercise, Program, Region

TEXTS = ("task", "hint")
"""The options that a reader is told, which each block must give."""


@dataclass(frozen=True)
class Problem:
    """What is wrong with a block, and what to do."""

    what: str
    advice: str


@dataclass(frozen=True)
class ShownExercise:
    """An exercise, and the region of which starter and solution are shown."""

    program: Program
    exercise: Exercise
    region: str

    @property
    def reference(self) -> str:
        """How the region is named: ``program#region``."""
        return f"{self.program.name}#{self.region}"


def read_exercise(program: Program, directive: Directive) -> ShownExercise | Problem:
    """The exercise that ``directive`` names; a program's only one need not be named."""
    name = directive.argument.partition("#")[2]
    known = program.exercises
    if not known:
        advice = "mark one with `// solution: NAME` and `// end solution`"
        return Problem(f"{program.path} holds no exercise", advice)
    if not name and len(known) > 1:
        advice = "name one: " + " or ".join(f"`{program.name}#{other}`" for other in known)
        return Problem("the program has several exercises", advice)
    exercise = known.get(name) if name else next(iter(known.values()))
    if exercise is None:
        return Problem(f"{program.path} has no exercise `{name}`", suggest_names(name, known))
    region = directive.options.get("region", exercise.regions[0])
    if region not in exercise.regions:
        true = f"region `{region}` does not hold the exercise `{exercise.name}`"
        return Problem(true, suggest_names(region, exercise.regions))
    if _is_emptied(exercise, program.regions[region]):
        true = f"the starter of `{exercise.name}` has no line of region `{region}` left"
        return Problem(true, "add a `// starter: ` line, or show a larger region by `region: …`")
    return ShownExercise(program, exercise, region)


def _is_emptied(exercise: Exercise, region: Region) -> bool:
    """Whether nothing is left of a region, which holds all solutions, without these."""
    removed = {line.number for solution in exercise.solutions for line in solution.lines}
    kept = (line for line in region.lines if line.number not in removed)
    instead = (line for solution in exercise.solutions for line in solution.starter)
    return not any(line.text.strip() for line in (*kept, *instead))


def list_problems(program: Program, directive: Directive) -> list[Problem]:
    """All that is wrong with a block of an exercise of ``program``."""
    shown = read_exercise(program, directive)
    problems = [shown] if isinstance(shown, Problem) else []
    for option in TEXTS:
        text = directive.options.get(option, "")
        if not text.strip():
            problems.append(Problem(f"it has no `{option}`", f"write `{option}: …` below it"))
        elif "](" in text:
            advice = "put the link into the text above the block"
            problems.append(Problem(f"`{option}` is plain text and can hold no link", advice))
    return problems


def find_shown(course: Course, directive: Directive) -> ShownExercise | None:
    """The exercise that a block shows, if it is one and nothing is wrong with its names."""
    program = course.programs.get(directive.argument.partition("#")[0])
    if directive.name != "exercise" or program is None:
        return None
    shown = read_exercise(program, directive)
    return None if isinstance(shown, Problem) else shown


def check_unused_exercises(course: Course, scans: Iterable[PageScan]) -> list[Finding]:
    """A finding for each exercise that no page sets."""
    used = set()
    for scan in scans:
        for directive in (*scan.directives, *scan.rejected):
            # Its options may be wrong: that is told, and the exercise is set all the same.
            shown = find_shown(course, replace(directive, options={}))
            if shown is not None:
                used.add((shown.program.name, shown.exercise.name))
    return [
        Finding(
            Kind.UNUSED,
            exercise.place,
            f"exercise `{exercise.name}`",
            "no page sets it",
            f"set it with `/// exercise | {program.name}#{exercise.name}`, or remove its markers",
        )
        for program in course.programs.values()
        for exercise in program.exercises.values()
        if (program.name, exercise.name) not in used
    ]
