"""How does an exercise look on a page? Task, hint, starter and solution, and who rejects it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from markupsafe import Markup

from build_tools.claims.exercises import Problem, read_exercise
from build_tools.claims.model import Course, Directive
from build_tools.evidence.part_derive import PROGRAM_CHECK, REJECTS, find_sound, quote_trial
from build_tools.evidence.part_model import MutantOutcome, Mutants, PartKind
from build_tools.pages.counters import find_part
from build_tools.pages.device import find_plain_architecture
from build_tools.pages.explorer import explore_starter
from build_tools.pages.highlight import CodeLine, compose_code, slice_lines
from build_tools.pages.lookup import Absence, find_program, find_shown_record
from build_tools.pages.template import fill_template
from build_tools.source.model import Exercise, Program, Region
from build_tools.source.mutants import STARTER
from build_tools.source.starters import compose_commands, cut_starter, name_file


def render_exercise(course: Course, directive: Directive, identity: str) -> Markup | Absence:
    """The exercise of ``directive``; ``identity`` is the wrapper's id.

    The first ``pre > code`` holds the region as the starter has it, the second as it is.
    """
    program = find_program(course, directive.argument.partition("#")[0])
    if isinstance(program, Absence):
        return program
    shown = read_exercise(program, directive)
    if isinstance(shown, Problem):
        return Absence(shown.what, shown.advice)
    exercise, region = shown.exercise, program.regions[shown.region]
    begun, text = cut_starter(program, exercise, shown.region)
    starter, solution = mark_changed(
        _slice_region(text, begun), _slice_region(program.text, region)
    )
    record = find_shown_record(course, program)
    return fill_template(
        "exercise",
        directive=directive,
        identity=identity,
        program=program,
        exercise=exercise,
        region=region,
        title=directive.options.get("title") or exercise.name,
        task=directive.options.get("task", ""),
        hint=directive.options.get("hint", ""),
        file=name_file(exercise),
        starter=compose_code(starter, is_counted=True),
        solution=compose_code(solution, is_counted=True),
        removes=not any(line.changed for line in solution),
        places=count_places(starter, solution),
        is_renumbered=[line.number for line in starter] != [line.number for line in solution],
        digits=len(str(max(region.last, begun.last))),
        explorer=explore_starter(course, program, exercise, shown.region),
        architecture=find_plain_architecture(program.header.build),
        commands=compose_commands(program, exercise),
        tried=find_tried(course, program, exercise),
        record=None if isinstance(record, Absence) else record,
    )


def _slice_region(text: str, region: Region) -> list[CodeLine]:
    return slice_lines(text, (line.number for line in region.lines), region.text)


def mark_changed(
    starter: Sequence[CodeLine], solution: Sequence[CodeLine]
) -> tuple[list[CodeLine], list[CodeLine]]:
    """Both texts, their lines marked that the other does not have at that place."""
    left, right = ([line.tokens for line in lines] for lines in (starter, solution))
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    kept = [block for block in matcher.get_matching_blocks() if block.size]
    same_left = {block.a + i for block in kept for i in range(block.size)}
    same_right = {block.b + i for block in kept for i in range(block.size)}
    return (
        [replace(line, changed=i not in same_left) for i, line in enumerate(starter)],
        [replace(line, changed=i not in same_right) for i, line in enumerate(solution)],
    )


@dataclass(frozen=True)
class Places:
    """In how many places a solution differs from its starter, and how many have a mark there."""

    all: int
    marked: int


def count_places(starter: Sequence[CodeLine], solution: Sequence[CodeLine]) -> Places:
    """A place where the solution only adds lines has none in the starter to be marked."""
    left, right = ([line.tokens for line in lines] for lines in (starter, solution))
    steps = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    kinds = [kind for kind, *_ in steps if kind != "equal"]
    return Places(len(kinds), len(kinds) - kinds.count("insert"))


@dataclass(frozen=True)
class Tried:
    """What the check that rejects a starter said of it, and what it said of the program itself."""

    by: str
    now: str
    right: str
    is_own: bool
    """Whether it is the program's own check, which a reader makes by running the starter."""


def find_tried(course: Course, program: Program, exercise: Exercise) -> Tried | None:
    """What was recorded of the starter; None where nobody has tried it as it is now."""
    loaded = find_part(course, program, PartKind.MUTANTS)
    if isinstance(loaded, Absence) or not isinstance(loaded.part, Mutants):
        return None
    rule = program.declaration.parts.mutants.get(f"{STARTER}{exercise.name}")
    outcome: MutantOutcome | None = next(
        (m for m in loaded.part.mutants if rule is not None and m.name == rule.name), None
    )
    if rule is None or outcome is None or not outcome.caught:
        return None
    rejected = next(trial for trial in outcome.trials if trial.outcome == REJECTS)
    sound = find_sound(loaded.part, rejected)
    right = quote_trial(sound, loaded.texts) if sound is not None else ""
    return Tried(rejected.by, rejected.said, right, rejected.by == PROGRAM_CHECK)
