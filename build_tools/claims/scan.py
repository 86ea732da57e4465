"""Where are a page's claims and directives, and are they written as they must be?

Every link that cites and every block that embeds is found here with its place and given a
number; the renderer looks the number up, and the built page must hold exactly those.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from functools import lru_cache

from build_tools.claims.blank import blank_blocks, blank_spans, find_open_fences
from build_tools.claims.blocks import scan_directives
from build_tools.claims.front_matter import read_front_matter
from build_tools.claims.inline import blank_inline
from build_tools.claims.lines import Lines
from build_tools.claims.model import Claim, ClaimKind, PageScan
from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.quantity.syntax_advice import find_unclosed

_OPENING = re.compile(r"\](\s?)\((claim|given|stated):")
_REFERENCE = re.compile(r"^[ >]*\[[^\]\n]+\]:\s*<?(claim|given|stated):", re.MULTILINE)
_RAW = re.compile(
    r"""<(?:claim|given|stated):[^<>\n]*>|(?:href|src)\s*=\s*["']?(?:claim|given|stated):"""
)
_ATX_HEADING = re.compile(r"[ >]*#{1,6}(?:\s|$)")
_EXPLICIT_ID = re.compile(r"[^{}]*#[\w-]")
_FORBIDDEN = re.compile(r"[|$\\]")


LONGEST_TARGET = 600
"""Characters read for the end of a link; an expression has fewer."""
LONGEST_WORDS = 1000
"""Characters between the brackets of a link that cites; a statement has fewer."""


class _Line:
    """One line: its offsets, and which ``[`` goes with which ``]`` on it."""

    def __init__(self, mask: str, start: int, end: int) -> None:
        self.start = start
        self.end = end
        self.opening: dict[int, int] = {}
        self.outer: dict[int, int] = {}
        stack: list[int] = []
        for match in re.finditer(r"[\[\]]", mask[start:end]):
            index = start + match.start()
            if match[0] == "[":
                if stack:
                    self.outer[index] = stack[-1]
                stack.append(index)
            elif stack:
                self.opening[index] = stack.pop()
        self.closing = {opening: closing for closing, opening in self.opening.items()}

    def stands_in_link(self, mask: str, start: int) -> bool:
        """Whether a bracket around the one at ``start`` is closed as a link."""
        outer = self.outer.get(start)
        closing = self.closing.get(outer) if outer is not None else None
        return closing is not None and mask[closing + 1 : closing + 2] in ("(", "[")


class _PageLines(Lines):
    """A page's lines, the brackets of each read once however many claims it has."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__(path, text)
        self.read: dict[int, _Line] = {}

    def read_line(self, mask: str, offset: int) -> _Line:
        """The line that an offset stands on."""
        index = self.index(offset)
        if index not in self.read:
            self.read[index] = _Line(mask, self.starts[index], self.end(index))
        return self.read[index]


@lru_cache(maxsize=512)
def scan_page(text: str, path: str, generated: bool = False) -> PageScan:
    """Scan a page's Markdown, line ends as LF.

    ``generated`` admits the directives kept for generated pages.
    """
    lines = _PageLines(path, text)
    blocks = blank_blocks(text)
    options, findings = read_front_matter(text, lines.place)
    found_blocks = scan_directives(text, blocks, lines.place, generated)
    findings += found_blocks.findings
    findings += _report_open_fences(text, blocks, lines)
    blocks = blank_spans(blocks, found_blocks.spans)
    mask = blank_inline(blocks)
    claims: list[Claim] = []
    for match in _OPENING.finditer(mask):
        found = _read_claim(text, mask, match, lines, len(claims))
        if isinstance(found, Claim):
            claims.append(found)
        else:
            findings.append(found)
    findings += _find_other_forms(mask, lines)
    findings += _check_headings(text, claims)
    return PageScan(
        path,
        text,
        tuple(claims),
        tuple(found_blocks.directives),
        tuple(findings),
        tuple(found_blocks.rejected),
        options,
    )


def _report_open_fences(text: str, blocks: str, lines: _PageLines) -> list[Finding]:
    """A fence without an end is text to Markdown, and so is all that it was meant to hold."""
    return [
        Finding(
            Kind.PAGE,
            lines.place(fence.start),
            text[fence.start : min(fence.end, fence.start + 40)],
            "a fence is followed by a language, then attributes in braces or options with values: "
            "this is text"
            if fence.refused
            else "the fence is not closed, or a line in it is indented less: what follows is text",
            'write the language alone, or options as `title="…"` behind it'
            if fence.refused
            else f"close it with {fence.marks} at the same indent",
            length=fence.end - fence.start,
        )
        for fence in find_open_fences(text, blocks)
    ]


def _link_finding(place: Place, stated: str, true: str, advice: str) -> Finding:
    return Finding(Kind.LINK, place, stated, true, advice)


def _read_claim(
    text: str, mask: str, match: re.Match[str], lines: _PageLines, number: int
) -> Claim | Finding:
    """The claim whose ``](claim:`` is at ``match``, or what is wrong with it."""
    line = lines.read_line(mask, match.start())
    start = line.opening.get(match.start())
    if match[1] or start is None:
        return _link_finding(
            lines.place(match.start()),
            f"`{text[match.start() : min(line.end, match.end() + 20)]}`",
            "this is not a link with its text on the same line",
            "write `[text](claim:expression)` on one line, nothing between `]` and `(`",
        )
    length = match.start() - start - 1
    if length > LONGEST_WORDS:
        return _link_finding(
            lines.place(start),
            f"`{text[start : start + 40]}…`",
            f"the text of the link is {length} characters long",
            f"keep the number or the statement in the link, in {LONGEST_WORDS} at most",
        )
    end = _find_parenthesis(text, match.end(), min(line.end, match.end() + LONGEST_TARGET))
    if end is None:
        target = text[match.end() : min(line.end, match.end() + LONGEST_TARGET)]
        stated = f"`{text[start : min(line.end, match.end() + 30)]}`"
        at, unclosed = _explain_unclosed(target)
        where = match.end() + at if at >= 0 else start
        return replace(_link_finding(lines.place(where), stated, *unclosed), length=int(at >= 0))
    shown = text[match.start() : end]
    words, target = text[start + 1 : match.start()], text[match.end() : end].strip()
    problem = _check_link(words, match[2], target, start > 0 and mask[start - 1] == "!")
    if problem is None and line.stands_in_link(mask, start):
        problem = "it stands inside another link", "let the other link end before the claim"
    if problem:
        return _link_finding(lines.place(start), f"`[{words}{shown})`", *problem)
    heading = _stands_in_heading(text, line.start, line.end)
    kind = ClaimKind(match[2])
    return Claim(number, kind, words, target, lines.place(start), start, end + 1, heading)


def _check_link(words: str, kind: str, target: str, image: bool) -> tuple[str, str] | None:
    """What is true of a badly written link, and what to do; None for a good one."""
    if image:
        return "an image cannot cite", "write the claim as a link in the sentence"
    forbidden = _FORBIDDEN.search(words) or _FORBIDDEN.search(target)
    if forbidden:
        return (
            f"it holds `{forbidden[0]}`, which tables and maths read first",
            "name the expression in program.toml under [quantities] and cite the name",
        )
    if not target and kind != "stated":
        return f"nothing follows `{kind}:`", f"write what is cited, as `{kind}:name`"
    if not words.strip():
        return "its text is empty", "write the number or the statement between the brackets"
    return None


def _find_parenthesis(text: str, start: int, line_end: int) -> int | None:
    """The ``)`` that closes the link: brackets balanced, quotes skipped."""
    depth = 0
    quote = ""
    for index in range(start, line_end):
        character = text[index]
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "([":
            depth += 1
        elif character in ")]":
            if depth == 0:
                return index if character == ")" else None
            depth -= 1
    return None


def _explain_unclosed(target: str) -> tuple[int, tuple[str, str]]:
    """Where a link's target goes wrong, -1 for its whole, and what is true and to be done."""
    advice = f"write the whole link on one line; {LONGEST_TARGET} characters at most"
    at = find_unclosed(target)
    if at is None:
        depth = 0
        for index, character in enumerate(target):
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
            if depth < 0:
                true = f"`{character}` closes nothing, and the link is not closed on its line"
                return index, (true, f"open it, or take it out; {advice}")
        return -1, ("the link is not closed on its line", f"close its parenthesis: {advice}")
    what = "quote" if target[at] in "\"'" else "bracket"
    return at, (
        f"the link is not closed on its line: the {what} `{target[at]}` is not",
        f"close the {what}, then the link's parenthesis; {advice}",
    )


def _stands_in_heading(text: str, line_start: int, line_end: int) -> bool:
    """Whether a line is a heading, by its ``#`` or by the line under it."""
    if _ATX_HEADING.match(text, line_start, line_end):
        return True
    end = text.find("\n", line_end + 1)
    following = text[line_end + 1 : len(text) if end < 0 else end]
    return bool(re.fullmatch(r"(?:=+|-+)[ \t]*", following))


_SCHEME = re.compile(r"\]\([ \t]*(?P<scheme>[A-Za-z]{3,12})[ \t]*:(?!//)")


def _find_misspelt(mask: str, lines: _PageLines) -> list[Finding]:
    """Links whose scheme is nearly one of ours: they would be links to nowhere."""
    findings = []
    kinds = [kind.value for kind in ClaimKind]
    for match in _SCHEME.finditer(mask):
        scheme = match["scheme"]
        near = difflib.get_close_matches(scheme.lower(), kinds, n=1, cutoff=0.7)
        if near and not mask.startswith(f"]({near[0]}:", match.start()):
            findings.append(
                _link_finding(
                    lines.place(match.start("scheme")),
                    f"`{match[0][1:]}`",
                    f"`{scheme}` is no kind of link, and no scheme of an address",
                    f"write `({near[0]}:`",
                )
            )
    return findings


def _find_other_forms(mask: str, lines: _PageLines) -> list[Finding]:
    """Claims written as reference definitions, autolinks or raw HTML."""
    return _find_misspelt(mask, lines) + [
        _link_finding(
            lines.place(match.start()),
            f"`{match[0].strip()}`",
            f"{what} cannot cite",
            "write `[text](claim:expression)` where the number stands",
        )
        for pattern, what in ((_REFERENCE, "a reference definition"), (_RAW, "raw HTML"))
        for match in pattern.finditer(mask)
    ]


def _check_headings(text: str, claims: list[Claim]) -> list[Finding]:
    """A claim in a heading needs an explicit id, or its digits would move the anchor."""
    findings = []
    for claim in claims:
        if not claim.in_heading:
            continue
        line_end = text.find("\n", claim.end)
        line = text[claim.end : len(text) if line_end < 0 else line_end]
        if not _ends_with_id(line):
            findings.append(
                _link_finding(
                    claim.place,
                    f"`{text[claim.start : claim.end]}` in a heading",
                    "the heading has no id of its own, so its anchor changes with the number",
                    "end the heading with an id, as `{#speed-up}`",
                )
            )
    return findings


def _ends_with_id(line: str) -> bool:
    """Whether a heading's line ends with attributes that name an id, as ``{#speed-up}``."""
    text = line.rstrip().rstrip("#").rstrip()
    return text.endswith("}") and bool(_EXPLICIT_ID.match(text[:-1].rpartition("{")[2]))
