"""Which numbers of the prose need no binding? Policies and patterns, with examples that are scanned."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from build_tools.claims.candidates import MOST_OFFERED
from build_tools.claims.front_matter import POLICIES
from build_tools.claims.numbers import find_numbers
from build_tools.claims.patterns import PATTERNS, Pattern, compile_own, select_patterns
from build_tools.claims.scan import scan_page
from build_tools.claims.unbound import find_unbound
from build_tools.command.reference.example import NoExampleError
from build_tools.command.reference.markdown import WIDTH, write_fence, write_table
from build_tools.diagnostics.finding import Place
from build_tools.quantity.vocabulary import NUMBER_WORDS
from build_tools.source.model import NumberPattern

SENTENCE = "Of 8,192 by 37 values a block copies 4.6× as many in 982 us.\n"

OWN = NumberPattern("board-revision", ("rev {n}",), "names of boards", Place("course.toml"))
OWN_EXAMPLE = "Of the boards rev 2 and rev 3–5 none is left."


def compose_parts() -> dict[str, str]:
    """The parts of the page on unbound numbers. Raises NoExampleError."""
    _require_taken(compile_own(OWN), OWN_EXAMPLE)
    own = f'{OWN.name} = {{ text = "{OWN.texts[0]}", why = "{OWN.why}" }}'
    return {
        "policies": write_fence("\n".join(list_policies())),
        "policy-meanings": write_table(
            ("policy", "asks for"), [(f"`{name}`", said) for name, said in POLICIES.items()]
        ),
        "pattern-names": write_table(
            ("pattern", "why"), [(f"`{p.name}`", p.why) for p in PATTERNS.values()]
        ),
        "pattern-examples": write_fence(
            "\n".join(line for pattern in PATTERNS.values() for line in list_examples(pattern))
        ),
        "most-offered": NUMBER_WORDS[MOST_OFFERED],
        "own": write_fence(f"[course.patterns]\n{own}", "toml"),
    }


def list_policies() -> Iterable[str]:
    """What each policy finds in the same sentence."""
    yield SENTENCE.strip()
    for policy in POLICIES:
        findings = find_unbound(scan_page(SENTENCE, "page.md"), policy)
        found = ", ".join(finding.stated for finding in findings)
        yield f'    unbound = "{policy}"'.ljust(24) + f"  {found or 'nothing'}"


def list_examples(pattern: Pattern) -> Iterable[str]:
    """What a pattern takes away, and what it leaves. Raises NoExampleError where it does not."""
    taken, left = pattern.taken.split("\n")[0], pattern.left
    _require_taken(pattern, taken)
    if not next(find_numbers(left, [pattern]), None):
        raise NoExampleError(f"the pattern `{pattern.name}` takes all numbers of `{left}`")
    yield pattern.name
    yield from _wrap("takes", taken)
    yield from _wrap("leaves", left)


def _wrap(label: str, text: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=f"    {label:<8}",
        subsequent_indent=" " * 12,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _require_taken(pattern: Pattern, text: str) -> None:
    others = select_patterns((), {pattern.name})
    if next(find_numbers(text, [pattern, *others]), None) or not next(
        find_numbers(text, others), None
    ):
        raise NoExampleError(f"`{text}` is no example of the pattern `{pattern.name}`")
