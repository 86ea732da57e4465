"""Which numbers of the prose need no binding? Policies and patterns, with examples that are scanned."""

from __future__ import annotations

from collections.abc import Iterable

from build_tools.claims.front_matter import POLICIES
from build_tools.claims.numbers import find_numbers
from build_tools.claims.patterns import PATTERNS, Pattern, compile_own, select_patterns
from build_tools.claims.scan import scan_page
from build_tools.claims.unbound import find_unbound
from build_tools.command.reference.example import NoExampleError, require_none
from build_tools.command.reference.markdown import write_code, write_fence, write_table
from build_tools.diagnostics.finding import Place
from build_tools.source.model import NumberPattern

SENTENCE = "Of 8,192 by 37 values a block copies 4.6× as many in 982 us.\n"

PAGE = """\
---
title: A guest's lesson
course:
  unbound: units
  patterns_off: [year, version]
---
"""

OWN = NumberPattern("board-revision", ("rev {n}",), "names of boards", Place("course.toml"))
OWN_EXAMPLE = "Of the boards rev 2 and rev 3–5 none is left."


def compose_parts() -> dict[str, str]:
    """The parts of the page on unbound numbers. Raises NoExampleError."""
    require_none(scan_page(PAGE, "page.md").findings)
    _require_taken(compile_own(OWN), OWN_EXAMPLE)
    own = f'{OWN.name} = {{ text = "{OWN.texts[0]}", why = "{OWN.why}" }}'
    return {
        "policies": write_fence("\n".join(list_policies())),
        "patterns": write_table(
            ("pattern", "what it takes away", "why"),
            [(f"`{p.name}`", write_code(check_example(p)), p.why) for p in PATTERNS.values()],
        ),
        "own": write_fence(f"[course.patterns]\n{own}", "toml"),
        "page": write_fence(PAGE, "yaml"),
    }


def list_policies() -> Iterable[str]:
    """What each policy finds in the same sentence."""
    yield SENTENCE.strip()
    for policy in POLICIES:
        findings = find_unbound(scan_page(SENTENCE, "page.md"), policy)
        found = ", ".join(finding.stated for finding in findings)
        yield f'    unbound = "{policy}"'.ljust(24) + f"  {found or 'nothing'}"


def check_example(pattern: Pattern) -> str:
    """The example of a pattern. Raises NoExampleError where the pattern takes no number away."""
    text = pattern.taken.split("\n")[0]
    _require_taken(pattern, text)
    return text


def _require_taken(pattern: Pattern, text: str) -> None:
    others = select_patterns((), {pattern.name})
    if next(find_numbers(text, [pattern, *others]), None) or not next(
        find_numbers(text, others), None
    ):
        raise NoExampleError(f"`{text}` is no example of the pattern `{pattern.name}`")
