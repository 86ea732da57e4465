"""A counter is reached by its kernel alone where one session counts it, however many there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.claims.scope import CourseScope
from build_tools.quantity.expression import ExpressionError, evaluate_expression
from build_tools.quantity.value import Number

ROOT = Path(__file__).parents[2]
KERNEL = 'tiling_traffic.counters["matmulPadded"]'


@pytest.fixture(scope="module")
def course() -> Course:
    return load_course(ROOT)


def test_what_one_session_counts_needs_no_session(course: Course) -> None:
    scope = CourseScope(course)
    short = evaluate_expression(f"{KERNEL}.shared_store_wavefronts", scope)
    whole = 'tiling_traffic.counters.n4096["matmulPadded"].shared_store_wavefronts'
    named = evaluate_expression(whole, scope)
    assert isinstance(short, Number)
    assert isinstance(named, Number)
    assert short.shown == named.shown


@pytest.mark.parametrize(
    ("expression", "message", "advice"),
    [
        (f"{KERNEL}.wavefronts", "several sessions count `wavefronts`", 'counters.n2048["matmulP'),
        (f"{KERNEL}.wavefront", "has no `wavefront`", "did you mean `wavefronts`"),
        (f"{KERNEL}[0]", "has no keys", "name a counter"),
        ('tiling_traffic.counters["matmulPaded"].cycles', "has `matmulPaded`", "`matmulPadded`"),
        ("tiling_traffic.counters[:].cycles", "has several sessions", "`counters.n4096[…]`"),
    ],
)
def test_what_is_not_one_thing(course: Course, expression: str, message: str, advice: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        evaluate_expression(expression, CourseScope(course))
    assert message in str(raised.value)
    assert advice in raised.value.advice
