"""Are the exercises of our own lessons such as a reader can take up?"""

from __future__ import annotations

from pathlib import Path

import pytest

from build_tools.claims.course import load_course
from build_tools.claims.exercises import find_shown
from build_tools.claims.model import Course
from build_tools.claims.page_text import read_page
from build_tools.claims.scan import scan_page
from build_tools.source.starters import compose_starter

ROOT = Path(__file__).parents[2]
LESSONS = sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs/lessons").glob("*.md"))


@pytest.fixture(scope="module")
def course() -> Course:
    return load_course(ROOT)


@pytest.mark.parametrize("lesson", LESSONS)
def test_each_lesson_sets_two_exercises(course: Course, lesson: str) -> None:
    text, _ = read_page(ROOT, lesson)
    assert text is not None
    shown = [find_shown(course, directive) for directive in scan_page(text, lesson).directives]
    assert len({item.exercise.name for item in shown if item is not None}) == 2


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_asks_for_something_that_it_does_not_show(course: Course, lesson: str) -> None:
    """For code that stands in no snippet and no listing of the page."""
    text, _ = read_page(ROOT, lesson)
    assert text is not None
    shown: set[tuple[str, int]] = set()
    asked: list[set[tuple[str, int]]] = []
    for directive in scan_page(text, lesson).directives:
        name, _, region = directive.argument.partition("#")
        if directive.name in ("snippet", "listing"):
            lines = course.programs[name].regions[region].lines
            shown |= {(name, line.number) for line in lines}
        found = find_shown(course, directive)
        if found is not None:
            solutions = [s for s in found.exercise.solutions if s.has_code]
            asked.append({(name, line.number) for s in solutions for line in s.lines})
    assert asked
    assert any(not code & shown for code in asked)


def test_each_starter_says_where_it_is_the_readers_turn(course: Course) -> None:
    exercises = [(p, e) for p in course.programs.values() for e in p.exercises.values()]
    assert len(exercises) == 2 * len(LESSONS)
    for program, exercise in exercises:
        starter = compose_starter(program, exercise)
        assert starter.count("// Your turn") == 1, exercise.name
        assert "Verified" not in starter
        assert "// solution" not in starter


def test_every_starter_is_rejected_by_what_a_reader_has(course: Course) -> None:
    """By the program's own check, which tells a reader the same words."""
    tried = set()
    for program in course.programs.values():
        rules = program.declaration.parts.mutants
        for part in course.shelves[program.name].parts:
            for mutant in getattr(part.part, "mutants", ()):
                if mutant.name in rules and rules[mutant.name].exercise:
                    assert mutant.caught_by == "the program's check", mutant.name
                    tried.add(rules[mutant.name].exercise)
    assert tried == {e for p in course.programs.values() for e in p.exercises}
