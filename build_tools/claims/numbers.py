"""Which numbers of the prose are bound to nothing, and which need not be?

What is not prose is blanked first, then each named pattern of harmless numbers; what is left is
unbound. A pattern can be switched off in course.toml.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from build_tools.claims.blank import (
    blank_blocks,
    blank_code_spans,
    blank_matches,
    blank_span,
    find_code_spans,
    locate_offset,
)
from build_tools.claims.model import PageScan
from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.quantity.units import SYMBOLS

_LABELS = (
    "Day|Lesson|Step|Figure|Fig\\.|Table|Line|Row|Column|Thread|Warp|Block|Lane|Bank|Part|Chapter|"
    "Section|Exercise|Question|Rule|Stage|Case|Listing|Example|Version|Level|Phase|Appendix|Note"
)
_LIST = r"\d+(?:\s*(?:[–-]|,|to|and|or|,\s*and)\s*\d+)*"
_PRODUCTS = (
    "CUDA|driver|Python|nvcc|MkDocs|Material|mkdocs-material|CuPy|NumPy|Debian|Ubuntu|GCC|g\\+\\+|"
    "clang|Clang|Zensical|Pygments|Plotly|Chromium|Node|Linux|toolkit|capability|compute capability|"
    "PyTorch|Nsight Compute|C\\+\\+|version|HTML|TOML|MIT|format"
)
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"

_UNIT_WORDS = "|".join(sorted((re.escape(s) for s in SYMBOLS if s != "%"), key=len, reverse=True))

PATTERNS: dict[str, re.Pattern[str]] = {
    "list-number": re.compile(r"^[ >]*\d+[.)](?=\s)", re.MULTILINE),
    "heading-number": re.compile(r"^[ >]*#{1,6}\s+\d+(?:\.\d+)*[.):]?(?=\s)", re.MULTILINE),
    "label": re.compile(
        rf"\b(?:{_LABELS})s?\s+{_LIST}(?:\.\d+)*\b(?!\s?(?:%|×|ms|us|µs|GB|MB|KB|KiB|MiB))",
        re.IGNORECASE,
    ),
    "joined-to-letters": re.compile(
        r"(?<![\w.])(?=[\w+-]*[A-Za-z_])"
        r"(?!\d+(?:\.\d+)?(?:x|[munk]?s|[KMGT]i?B|[KMGT]?FLOPS?|[KMG]Hz|m?W|-(?:fold|way|bit))\b)"
        r"(?!\d+(?:x\d+)+\b|\d*(?:1st|2nd|3rd|\dth)\b)"
        r"[A-Za-z_]*[\w+-]*\d[\w+-]*"
    ),
    "date": re.compile(
        rf"\b\d{{4}}-\d\d-\d\d\b|\b(?:{_MONTHS})\s+\d{{1,2}}(?:,?\s+\d{{4}})?\b"
        rf"|\b\d{{1,2}}\s+(?:{_MONTHS})(?:\s+\d{{4}})?\b|\b(?:{_MONTHS})\s+\d{{4}}\b"
    ),
    "year": re.compile(rf"\b(?:19|20)\d\d\b(?!\s?(?:%|×|x\b|(?:{_UNIT_WORDS})\b))(?![.,]\d)"),
    "version": re.compile(
        rf"\b(?:{_PRODUCTS})\s+(?:v|V)?\d+(?:\.\d+)*(?:\s*(?:to|–|-|or)\s*\d+(?:\.\d+)*)?\+?"
        r"|\bv\d+(?:\.\d+)+\b|\b\d+\.\d+\.\d+(?:\.\d+)*\b"
    ),
    "index": re.compile(r"\(\s*\d+(?:\s*,\s*(?:\d+|[a-zA-Z]))+\s*\)|\[\s*\d+(?:\s*,\s*\d+)*\s*\]"),
    "ordinal": re.compile(r"\b\d*(?:1st|2nd|3rd|\dth)\b"),
    "zero-one": re.compile(
        r"(?<![\w.,/^–-])[01](?![\w/^%×–]|[.,]\d|\s?(?:×|%)|-\w|\s[munk]?s\b|\s[KMGT]i?B\b)"
    ),
    "url": re.compile(r"(?:https?://|www\.)[^\s)>\]]+|\b[\w.+-]+@[\w-]+\.\w+", re.IGNORECASE),
}
"""Each named pattern of numbers that need no binding, tried in this order."""

_LINK_TARGET = re.compile(r"(?<=\])\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|(?<=\])\[[^\]\n]*\]")
_DEFINITION = re.compile(r"^[ >]*\[[^\]\n]+\]:.*$", re.MULTILINE)
_FOOTNOTE = re.compile(r"\[\^[^\]\n]+\]:?")
_TAG = re.compile(r"<[/!?]?[A-Za-z][^<>]*>|&#?\w+;")
_ATTRIBUTES = re.compile(r"\{[:#.][^{}\n]*\}|\{\s*\w+=[^{}\n]*\}")
_ABBREVIATION = re.compile(r"^\*\[[^\]\n]+\]:", re.MULTILINE)

_SHAPE = r"\d+(?:\s?[x×]\s?\d+)+(?!\w)"
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[-+]?\d+|\^\d+|[⁻⁰¹²³⁴-⁹]+|/\d+)?"
_SCALE = r"\s?(?:×|x(?![a-z])|-fold\b|\s?times\b|%|-way\b|-bit\b)"
NUMBER = re.compile(
    rf"(?<![\w.])(?:{_SHAPE}|[-−+]?{_DIGITS}"
    rf"(?P<unit>{_SCALE}|\s?(?:{_UNIT_WORDS})\b(?:/\w+)?)?)"
)
_WORDED = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|sixteen|twenty)"
    r"(?:-?fold\b| times\b(?=\s+(?:as|faster|slower|fewer|more|less|the)))",
    re.IGNORECASE,
)
_RATE_WORDS = re.compile(r"(?:×|x|%|-fold|times)$")


@dataclass(frozen=True)
class FoundNumber:
    """A number of the prose: where, what, and whether a unit or factor sign goes with it."""

    start: int
    text: str
    has_unit: bool


def find_unbound(scan: PageScan, policy: str, patterns_off: frozenset[str]) -> list[Finding]:
    """The numbers of a page bound to nothing, under the policy ``off``, ``units`` or ``all``."""
    if policy == "off":
        return []
    findings = []
    for number in find_numbers(blank_bound(scan), patterns_off):
        if policy == "units" and not number.has_unit:
            continue
        line, column = locate_offset(scan.text, number.start)
        findings.append(
            Finding(
                Kind.UNBOUND,
                Place(scan.path, line, column),
                f"`{number.text}`",
                "the number is bound to nothing that can be checked",
                f"bind it, as `[{number.text}](claim:…)` to a measurement or constant or "
                f"`[{number.text}](given:…)` to a cited fact; an example or a definition is "
                f"`[{number.text}](stated:)`",
            )
        )
    return findings


def blank_bound(scan: PageScan) -> str:
    """A page's text with everything blanked that is not prose, and its claims."""
    blocks = blank_blocks(scan.text)
    for directive in (*scan.directives, *scan.rejected):
        blocks = blank_span(blocks, directive.start, directive.end)
    for claim in scan.claims:
        blocks = blank_span(blocks, claim.start, claim.end)
    mask = blank_code_spans(blocks)
    for pattern in (_LINK_TARGET, _DEFINITION, _FOOTNOTE, _TAG, _ATTRIBUTES, _ABBREVIATION):
        mask = blank_matches(mask, pattern)
    for start, end, content in find_code_spans(blocks):
        # A code or maths span that is only a number is prose in other clothes.
        if NUMBER.fullmatch(content):
            at = scan.text.index(content, start, end)
            mask = mask[:at] + content + mask[at + len(content) :]
    return mask


def find_numbers(prose: str, patterns_off: frozenset[str] = frozenset()) -> Iterator[FoundNumber]:
    """The numbers of a prose text that no pattern takes away, in order."""
    for name, pattern in PATTERNS.items():
        if name not in patterns_off:
            prose = blank_matches(prose, pattern)
    found = [FoundNumber(m.start(), m[0].strip(), bool(m["unit"])) for m in NUMBER.finditer(prose)]
    found += [FoundNumber(m.start(), m[0], True) for m in _WORDED.finditer(prose)]
    yield from sorted(found, key=lambda number: number.start)


def states_rate(text: str) -> bool:
    """Whether a text holds a number with a unit of time, a rate or a ratio."""
    for number in NUMBER.finditer(text):
        unit = (number["unit"] or "").strip()
        if _RATE_WORDS.search(unit):
            return True
        symbol = SYMBOLS.get(unit.split("/")[0])
        if symbol and any(name == "s" for name, _ in symbol.dimensions):
            return True
        if "/" in unit:
            return True
    return bool(_WORDED.search(text))
