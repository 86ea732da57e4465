"""Which numbers of the prose need no binding? Policies and patterns, with examples that are scanned."""

from __future__ import annotations

from collections.abc import Iterable

from build_tools.claims.numbers import PATTERNS, find_numbers, find_unbound
from build_tools.claims.scan import scan_page
from build_tools.command.reference.example import NoExampleError
from build_tools.command.reference.markdown import write_code, write_fence, write_table

SENTENCE = "Of 8,192 by 37 values a block copies 4.6× as many in 982 us.\n"

POLICIES = ("off", "units", "all")

EXAMPLES = {
    "list-number": "3. Copy the tile.",
    "heading-number": "## 2.1 Why tiles",
    "label": "As on Day 16, in Figures 3 to 5.",
    "joined-to-letters": "A 2D grid of float32.",
    "date": "Read on 14 December.",
    "year": "Built since 2026.",
    "version": "With CUDA 13.0 and driver 580.159.",
    "index": "The element (2, 3) of A.",
    "ordinal": "The 2nd tile.",
    "zero-one": "Between 0 and 1.",
    "url": "See https://example.org/2/34.",
}
"""For each pattern a text whose numbers it takes away."""


def compose_parts() -> dict[str, str]:
    """The parts of the page on unbound numbers. Raises NoExampleError."""
    return {
        "policies": write_fence("\n".join(list_policies())),
        "patterns": write_table(
            ("pattern", "an example"),
            [(f"`{name}`", write_code(check_example(name))) for name in PATTERNS],
        ),
    }


def list_policies() -> Iterable[str]:
    """What each policy finds in the same sentence."""
    yield SENTENCE.strip()
    for policy in POLICIES:
        findings = find_unbound(scan_page(SENTENCE, "page.md"), policy, frozenset())
        found = ", ".join(finding.stated for finding in findings)
        yield f'    unbound = "{policy}"'.ljust(24) + f"  {found or 'nothing'}"


def check_example(name: str) -> str:
    """The example of a pattern. Raises NoExampleError where the pattern takes no number away."""
    text = EXAMPLES[name]
    if next(find_numbers(text), None) or not next(find_numbers(text, frozenset({name})), None):
        raise NoExampleError(f"`{text}` is no example of the pattern `{name}`")
    return text
