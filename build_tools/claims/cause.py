"""Does a sentence that names a cause show what would make a reader believe it?"""

from __future__ import annotations

import ast

from build_tools.claims.ground import report_groundless
from build_tools.claims.model import Claim, Course
from build_tools.claims.trace import CitedKind, trace_expression
from build_tools.diagnostics.finding import Finding
from build_tools.quantity.value import Truth, Value

PROVING = (CitedKind.COUNTER, CitedKind.LISTING)
"""What can say why: hardware counters, and machine code."""


def judge_cause(course: Course, claim: Claim, value: Value) -> Finding | None:
    """A cause without a counter, or whose control repeats the rest, explains nothing."""
    if not isinstance(value, Truth) or not value.grounds:
        return None
    if not all(ground.is_moved for ground in value.grounds):
        return report_groundless(
            claim,
            "one of its three statements holds or fails whatever was measured",
            "let each of them compare what was measured or counted",
        )
    observed, counter, control = (
        {name.name: name.kind for name in trace_expression(course, statement)}
        for statement in list_statements(claim.target)
    )
    if not set(counter.values()) & set(PROVING):
        return report_groundless(
            claim,
            "its second statement rests on no counter and no listing",
            'compare counters there, as in `program.counters.session["kernel"].name`',
        )
    if control.keys() <= observed.keys() | counter.keys():
        return report_groundless(
            claim,
            "its control rests on nothing that the other two statements do not rest on",
            "let the control measure what would have come out otherwise, were the cause another",
        )
    return None


def list_statements(expression: str) -> list[str]:
    """The statements of ``because(…)``, as they are written."""
    text = expression.strip()
    body = ast.parse(text, mode="eval").body
    arguments = body.args if isinstance(body, ast.Call) else []
    return [ast.get_source_segment(text, node) or "" for node in arguments]
