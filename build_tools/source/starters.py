"""What does a reader begin an exercise with? The program less its solution, as a file to download.

Markers of exercises stand in no starter, so none tells of another. A starter says of itself what
it is, and is named as its file: nobody has verified it.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace

from build_tools.source.model import Exercise, Program, Region
from build_tools.source.regions import find_regions

_VERIFIED_LINES = 4
"""Of a header's Verified paragraph."""


@dataclass(frozen=True)
class Starter:
    """A starter's text, LF line ends, and for each line the one of the program that it is from."""

    text: str
    origins: tuple[int, ...]


def remove_solution(program: Program, exercise: Exercise) -> Starter:
    """The program with what the starter has in place of the solution; its header stays."""
    hidden = _list_hidden(program)
    starts = {solution.first: solution.starter for solution in exercise.solutions}
    removed = {line.number for solution in exercise.solutions for line in solution.lines}
    kept: list[tuple[int, str]] = []
    for number, line in enumerate(program.text.split("\n"), 1):
        kept += [(instead.number, instead.text) for instead in starts.get(number, ())]
        if number not in hidden and number not in removed:
            kept.append((number, line))
    return Starter("\n".join(text for _, text in kept), tuple(number for number, _ in kept))


def _list_hidden(program: Program) -> frozenset[int]:
    """The lines of all markers of exercises."""
    hidden: set[int] = set()
    for exercise in program.exercises.values():
        for solution in exercise.solutions:
            own = {line.number for line in solution.lines}
            hidden |= set(range(solution.first, solution.last + 1)) - own
    return frozenset(hidden)


def compose_starter(program: Program, exercise: Exercise) -> str:
    """The starter as it is downloaded: the same code under a header of its own."""
    starter = remove_solution(program, exercise)
    header = program.header
    said = [
        f"// A starter of `{program.name}`: where it says so, some lines are yours to write.",
        "// Until they are right, a check of the course rejects it.",
    ]
    verified = header.verified.place.line if header.verified else 0
    dropped = range(verified, verified + _VERIFIED_LINES) if verified else range(0)
    commands = _list_command_lines(program)
    named = _compile_name(program)
    attempt = compose_commands(program, exercise).attempt
    if attempt == named.sub(exercise.name, header.run):
        attempt = ""  # the Run command says it
    lines = []
    for number, line in zip(starter.origins, starter.text.split("\n"), strict=True):
        if number == verified:
            lines += said
        if number in dropped:
            continue
        lines.append(named.sub(exercise.name, line) if number in commands else line)
        if attempt and number == max(commands, default=0):
            lines.append(f"// Try:   {attempt}")
        if not verified and number == header.insert_line:
            lines += ["//", *said]
    return "\n".join(lines)


def list_trial_args(program: Program) -> tuple[str, ...]:
    """The arguments with which a program is tried: those of the sanitizers, or of its Run command."""
    sanitizers = program.declaration.parts.sanitizers
    if sanitizers is not None:
        return sanitizers.args
    return tuple(shlex.split(program.header.run)[1:])


@dataclass(frozen=True)
class Commands:
    """How a starter is built, and run as the checks run it; empty where the header tells nothing."""

    build: str
    attempt: str


def compose_commands(program: Program, exercise: Exercise) -> Commands:
    """The commands for a starter as it is downloaded."""
    named = _compile_name(program)
    build = named.sub(exercise.name, program.header.build)
    binary = shlex.split(program.header.run)[:1]
    if not binary:
        return Commands(build, "")
    return Commands(
        build, shlex.join((named.sub(exercise.name, binary[0]), *list_trial_args(program)))
    )


def _compile_name(program: Program) -> re.Pattern[str]:
    """The program's name as a word of a command."""
    return re.compile(rf"(?<![\w-]){re.escape(program.name)}(?![\w-])")


def _list_command_lines(program: Program) -> frozenset[int]:
    """The header's lines that say how the program is built and run, wrapped ones too."""
    lines = program.text.split("\n")
    found: set[int] = set()
    for place in (program.header.build_place, program.header.run_place):
        number = place.line
        while number <= len(lines) and lines[number - 1].removeprefix("//").strip():
            found.add(number)
            number += 1
    return frozenset(found)


def begin_exercise(program: Program, exercise: Exercise) -> Program:
    """The program that a starter is, with the regions of its text; all else is the program's."""
    text = compose_starter(program, exercise)
    found, _ = find_regions(text, program.name, name_file(exercise))
    regions = {
        name: replace(region, kind=program.regions[name].kind, needs=program.regions[name].needs)
        for name, region in found.items()
    }
    return replace(program, text=text, regions=regions)


def cut_starter(program: Program, exercise: Exercise, region: str) -> tuple[Region, str]:
    """A region as the downloaded starter has it, and that starter's text.

    Raises KeyError for a region that does not hold the exercise.
    """
    begun = begin_exercise(program, exercise)
    return begun.regions[region], begun.text


def name_file(exercise: Exercise) -> str:
    """The file that a starter is downloaded as."""
    return f"{exercise.name}.cu"
