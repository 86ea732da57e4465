"""What does a program look like with one mutant in it?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.source.model import Exercise, Program, Region, SourceLine
from build_tools.source.part_rules import MutantRule
from build_tools.source.silent import silence_region
from build_tools.source.starters import remove_solution

STARTER = "starter-"
"""What the name of an exercise's starter begins with, where mutants are named."""


class PatchError(Exception):
    """A mutant's text does not stand in its region exactly once."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.advice = advice


def add_starters(
    mutants: Mapping[str, MutantRule], exercises: Mapping[str, Exercise]
) -> tuple[dict[str, MutantRule], list[Finding]]:
    """The declared mutants and the starter of each exercise: a check must reject that as well."""
    rules = dict(mutants)
    findings = []
    for exercise in exercises.values():
        rule = _make_rule(exercise)
        if rule.name in mutants:
            place = mutants[rule.name].place
            true = f"the starter of the exercise `{exercise.name}` goes by this name"
            findings.append(
                Finding(Kind.DECLARATION, place, f"mutant `{rule.name}`", true, "rename it")
            )
        rules[rule.name] = rule
    return rules, findings


def _make_rule(exercise: Exercise) -> MutantRule:
    written = [solution for solution in exercise.solutions if solution.has_code]
    return MutantRule(
        name=f"{STARTER}{exercise.name}",
        region=exercise.regions[-1],
        replace="\n".join(_join_lines(solution.lines) for solution in written),
        replacement="\n".join(_join_lines(solution.starter) for solution in written),
        place=exercise.place,
        replace_place=exercise.place,
        region_place=exercise.place,
        exercise=exercise.name,
    )


def _join_lines(lines: Iterable[SourceLine]) -> str:
    return "".join(f"{line.text}\n" for line in lines)


def compose_mutant(program: Program, rule: MutantRule) -> str:
    """The program's text with a mutant in it, or less the solution of an exercise.

    Raises PatchError.
    """
    if rule.is_silent:
        return silence_region(program.text, program.regions[rule.region])
    if rule.exercise:
        return remove_solution(program, program.exercises[rule.exercise]).text
    return mutate_text(program.text, program.regions[rule.region], rule)


def mutate_text(text: str, region: Region, rule: MutantRule) -> str:
    """The program's text with the mutant's in place of the region's.

    The text that is replaced stands within lines of the region, as the program has them. Raises
    PatchError.
    """
    count = region.undedented.count(rule.replace)
    if count != 1:
        hint = _find_hint(region, rule) if count == 0 else ""
        raise PatchError(
            f"region `{region.name}` holds this text {_say_times(count)}",
            hint or "quote it as the program has it, indentation too, and enough of it to be one",
        )
    offset = region.undedented.index(rule.replace)
    first = region.undedented.count("\n", 0, offset)
    last = first + rule.replace.rstrip("\n").count("\n")
    numbers = [line.number for line in region.lines[first : last + 1]]
    if numbers != list(range(numbers[0], numbers[-1] + 1)):
        raise PatchError("a marker line stands within this text", "quote lines without a marker")
    starts = _list_line_starts(text)
    column = offset - (region.undedented.rfind("\n", 0, offset) + 1)
    start = starts[numbers[0] - 1] + column
    if not text.startswith(rule.replace, start):  # the program's last line has no end
        raise PatchError("it stands at the end of the file", "quote it without its line end")
    return text[:start] + rule.replacement + text[start + len(rule.replace) :]


def _list_line_starts(text: str) -> list[int]:
    starts = [0]
    for index, character in enumerate(text):
        if character == "\n":
            starts.append(index + 1)
    return starts


def _say_times(count: int) -> str:
    return "nowhere" if count == 0 else f"{count} times"


def _find_hint(region: Region, rule: MutantRule) -> str:
    """What to do when the text stands there with other spaces."""
    wanted = " ".join(rule.replace.split())
    for line in region.lines:
        if wanted and wanted in " ".join(line.text.split()):
            return f"line {line.number} has it with other spaces: `{line.text}`"
    return ""
