"""What would a text be whose kernels write nothing?

A check that accepts it would accept an output that nobody has written: NaN, zeros, or the right
numbers that an earlier kernel left in the same memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from build_tools.source.model import Region
from build_tools.source.part_rules import MutantRule
from build_tools.source.syntax import Signature, list_signatures, parse_scan
from build_tools.source.tokens import scan_source

SILENCE = " return;"
"""What then stands first in a kernel: all behind it is still compiled, and never executed."""


def silence_kernels(text: str) -> str:
    """The text with every kernel in it returning at once, on the same lines."""
    return _insert(text, [signature.body for signature in list_kernel_signatures(text)])


def list_kernel_signatures(text: str) -> list[Signature]:
    """The kernels that a text defines, templates and specializations too."""
    scan = scan_source(text)
    return list_signatures(parse_scan(scan), scan)


SILENT = "silent-"
"""What the name of a mutant begins with in which the kernels of a region write nothing."""


def add_silent(
    mutants: Mapping[str, MutantRule], regions: Iterable[Region], signatures: Sequence[Signature]
) -> dict[str, MutantRule]:
    """The mutants of a program, and one for each region of kernels: these return at once.

    Only a program that declares mutants gets them; one declared by the same name stays.
    """
    rules = dict(mutants)
    for region in regions if mutants else ():
        names = [s.name for s in signatures if region.kind == "kernel" and _holds(region, s)]
        if not names:
            continue
        name = f"{SILENT}{region.name}"
        rules.setdefault(
            name,
            MutantRule(
                name=name,
                region=region.name,
                replace="\n".join(f"{kernel}(…) {{" for kernel in names),
                replacement="\n".join(f"{kernel}(…) {{{SILENCE}" for kernel in names),
                place=region.place,
                replace_place=region.place,
                region_place=region.place,
                is_silent=True,
            ),
        )
    return rules


def silence_region(text: str, region: Region) -> str:
    """A program's text whose kernels in a region return at once."""
    inside = [s.body for s in list_kernel_signatures(text) if _holds(region, s)]
    return _insert(text, inside)


def _holds(region: Region, signature: Signature) -> bool:
    return region.first <= signature.line <= region.last


def _insert(text: str, places: Sequence[int]) -> str:
    for place in sorted(places, reverse=True):
        text = text[:place] + SILENCE + text[place:]
    return text
