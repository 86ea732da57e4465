"""Which numbers of a page's prose are bound to nothing that can be checked?

What is not prose is blanked first, then what each named pattern takes away; what is left is
unbound.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from build_tools.claims.blank import (
    Span,
    blank_blocks,
    blank_matches,
    blank_spans,
    find_front_matter,
)
from build_tools.claims.fold_digits import resolve_references
from build_tools.claims.inline import blank_inline, find_code_spans, find_ticked
from build_tools.claims.lines import Lines
from build_tools.claims.model import Directive, PageScan
from build_tools.claims.numbers import FoundNumber, find_numbers, is_number, states_rate
from build_tools.claims.patterns import PATTERNS, Pattern
from build_tools.diagnostics.finding import Finding, Kind

# With the bracket that closes the link's text: what a link says is no list in brackets.
_LINK_TARGET = re.compile(
    r"\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[(?!\s?\d+\s?\])[^\[\]\n]*\])"
)
# Whatever follows address and title makes Markdown print the line.
_DEFINITION = re.compile(
    r"^[ \t>]*\[(?!\^)[^\]\n]+\]:[ \t]*[^\s\n]+[ \t]*"
    r"(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\))?[ \t]*$",
    re.MULTILINE,
)
_FOOTNOTE = re.compile(r"\[\^[^\[\]\n]+\]:?")
_TAG = re.compile(r"<[/!?]?[A-Za-z][^<>]*>|&#?\w+;")
_RAW_CODE = re.compile(r"<(code|kbd|samp|var)\b[^<>]*>(?P<content>[^<>]*)</\1>", re.IGNORECASE)
_LANGUAGE = re.compile(r"^(?:#!|:::)[\w+.-]+[ \t]+")
_NAMED = re.compile(
    r"^(?:title|subtitle|description|summary)[ \t]*:[ \t]+(?P<value>[^\n]+)$", re.MULTILINE
)
"""What names a page and is shown, in its front matter."""
_ATTRIBUTES = re.compile(r"\{[:#.][^{}\n]*\}|\{\s?\w+=[^{}\n]*\}")
_ABBREVIATION = re.compile(r"^\*\[[^\]\n]+\]:", re.MULTILINE)
_TOLD = re.compile(
    r"^[ \t>]*(?:title|task|hint):[ \t]+"
    r"(?P<text>[^\n]*(?:\n(?![ \t>]*(?:///|[A-Za-z][\w-]*:(?:[ \t]|$)))[^\n]*)*)$",
    re.MULTILINE,
)
"""Options of blocks that readers see as text, with the lines in which they go on."""
_IN_TITLE = (
    "say it in the text: a title or an option can hold no link, so leave the number out of it"
)
_NOT_PROSE = (_LINK_TARGET, _DEFINITION, _FOOTNOTE, _RAW_CODE, _TAG, _ATTRIBUTES, _ABBREVIATION)


@dataclass(frozen=True)
class Suggestion:
    """Expressions whose value fits a number, best first, and the text that each would hold."""

    text: str
    expressions: tuple[str, ...]
    searched: int = 0
    """For how many numbers of the page none is looked for any more; 0 while it is."""


Suggest = Callable[[FoundNumber], Suggestion]
"""Looks for what a number could be bound to."""


def find_unbound(
    scan: PageScan,
    policy: str,
    patterns: Iterable[Pattern] = tuple(PATTERNS.values()),
    suggest: Suggest | None = None,
) -> list[Finding]:
    """The numbers of a page bound to nothing, under the policy ``off``, ``units`` or ``all``."""
    if policy == "off":
        return []
    lines = Lines(scan.path, scan.text)
    untied = [(d.start, d.end) for d in (*scan.directives, *scan.rejected)]
    front = find_front_matter(scan.text)
    if front is not None:
        untied.append(front)
    findings = []
    for number in find_numbers(blank_bound(scan), patterns):
        if policy == "units" and not number.has_unit:
            continue
        offer = suggest(number) if suggest else Suggestion(number.text, ())
        findings.append(
            Finding(
                Kind.UNBOUND,
                lines.place(number.start),
                f"`{_shorten(offer.text)}`",
                "the number is bound to nothing that can be checked",
                _IN_TITLE
                if any(start <= number.start < end for start, end in untied)
                else _advise(number, offer),
                length=len(offer.text),
                candidates=offer.expressions,
            )
        )
    return findings


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


def _advise(number: FoundNumber, offer: Suggestion) -> str:
    """What to do about an unbound number: the best candidate ready to paste, or the three ways."""
    text = _shorten(offer.text)
    if number.column_unit:
        text = f"{text} {number.column_unit}"
    if offer.expressions:
        best = offer.expressions[0]
        target = best if best.startswith("given:") else f"claim:{best}"
        advice = f"write `[{text}]({target})` if that is what it means, or bind it to what it does"
        program = best.partition(".")[0]
        return f"{advice}; `/// table | {program}` shows all" if number.column_unit else advice
    if number.column_unit:
        return (
            "show the program's own table with `/// table | program`, or write the unit in the "
            f"cell and bind it, as `[{text}](claim:…)`"
        )
    advice = (
        f"bind it, as `[{text}](claim:…)` to a measurement or constant or "
        f"`[{text}](given:…)` to a cited fact"
    )
    if not states_rate(text):
        advice += f"; an example or a definition is `[{text}](stated:)`"
    if offer.searched:
        advice += f" (values that fit are looked for {offer.searched} numbers of a page)"
    return advice


def _list_untitled(text: str, directive: Directive) -> Iterator[Span]:
    """A block less what readers see as text above what it shows."""
    position = directive.start
    for told in _TOLD.finditer(text, directive.start, directive.end):
        yield position, told.start("text")
        position = told.end("text")
    yield position, directive.end


def blank_bound(scan: PageScan) -> str:
    """A page's text with everything blanked that is not prose, and its claims."""
    bound: list[Span] = []
    for directive in (*scan.directives, *scan.rejected):
        bound += _list_untitled(scan.text, directive)
    bound += [(claim.start, claim.end) for claim in scan.claims]
    blocks = blank_spans(blank_blocks(scan.text), bound)
    mask = resolve_references(blank_inline(blocks))
    for pattern in _NOT_PROSE:
        mask = blank_matches(mask, pattern)
    # A code or maths span that is only a number is prose in other clothes.
    shown = []
    for start, end, written in find_code_spans(blocks):
        content = _LANGUAGE.sub("", written)
        if is_number(content):
            at = scan.text.index(content, start, end)
            shown.append((at, content))
    for match in _RAW_CODE.finditer(blank_spans(blocks, find_ticked(blocks))):
        if is_number(match["content"]):
            shown.append((match.start("content"), match["content"]))
    front = find_front_matter(scan.text)
    if front is not None:
        for match in _NAMED.finditer(scan.text, *front):
            shown.append((match.start("value"), match["value"]))
    parts = []
    position = 0
    for at, content in sorted(shown):
        parts += [mask[position:at], content]
        position = at + len(content)
    return "".join([*parts, mask[position:]])
