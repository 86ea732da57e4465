"""Where are a page's claims and directives, and are they written as they must be?

Every link that cites and every block that embeds is found here with its place and given a
number; the renderer looks the number up, and the built page must hold exactly those.
"""

from __future__ import annotations

import bisect
import re

from build_tools.claims.blank import blank_blocks, blank_code_spans, blank_span
from build_tools.claims.blocks import scan_directives
from build_tools.claims.model import Claim, ClaimKind, PageScan
from build_tools.diagnostics.finding import Finding, Kind, Place

_OPENING = re.compile(r"\](\s?)\((claim|given|stated):")
_REFERENCE = re.compile(r"^[ >]*\[[^\]\n]+\]:\s*<?(claim|given|stated):", re.MULTILINE)
_RAW = re.compile(
    r"""<(?:claim|given|stated):[^>\n]*>|(?:href|src)\s*=\s*["']?(?:claim|given|stated):"""
)
_ATX_HEADING = re.compile(r"[ >]*#{1,6}(?:\s|$)")
_EXPLICIT_ID = re.compile(r"\{[^}]*#[\w-]+[^}]*\}\s*#*\s*$")
_FORBIDDEN = re.compile(r"[|$\\]")


class _Lines:
    """The offsets at which a text's lines start, for quick places."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.starts = [0] + [match.end() for match in re.finditer("\n", text)]

    def place(self, offset: int) -> Place:
        index = bisect.bisect_right(self.starts, offset) - 1
        return Place(self.path, index + 1, offset - self.starts[index] + 1)


def scan_page(text: str, path: str, generated: bool = False) -> PageScan:
    """Scan a page's Markdown, line ends as LF.

    ``generated`` admits the directives kept for generated pages.
    """
    lines = _Lines(path, text)
    blocks = blank_blocks(text)
    directives, findings, bodies = scan_directives(text, blocks, lines.place, generated)
    for start, end in bodies:
        blocks = blank_span(blocks, start, end)
    mask = blank_code_spans(blocks)
    claims: list[Claim] = []
    for match in _OPENING.finditer(mask):
        found = _read_claim(text, mask, match, lines, len(claims))
        if isinstance(found, Claim):
            claims.append(found)
        else:
            findings.append(found)
    findings += _find_other_forms(mask, lines)
    findings += _check_headings(text, claims)
    return PageScan(path, text, tuple(claims), tuple(directives), tuple(findings))


def _link_finding(place: Place, stated: str, true: str, advice: str) -> Finding:
    return Finding(Kind.LINK, place, stated, true, advice)


def _read_claim(
    text: str, mask: str, match: re.Match[str], lines: _Lines, number: int
) -> Claim | Finding:
    """The claim whose ``](claim:`` is at ``match``, or what is wrong with it."""
    place = lines.place(match.start())
    line_start = text.rfind("\n", 0, match.start()) + 1
    line_end = text.find("\n", match.end())
    line_end = len(text) if line_end < 0 else line_end
    start = _find_bracket(mask, line_start, match.start())
    if match[1] or start is None:
        return _link_finding(
            place,
            f"`{text[match.start() : min(line_end, match.end() + 20)]}`",
            "this is not a link with its text on the same line",
            "write `[text](claim:expression)` on one line, nothing between `]` and `(`",
        )
    place = lines.place(start)
    end = _find_parenthesis(text, match.end(), line_end)
    if end is None:
        return _link_finding(
            place,
            f"`{text[start : min(line_end, match.end() + 30)]}`",
            "the link is not closed on its line",
            "close quotes, brackets and the parenthesis of the link on the same line",
        )
    target = text[match.end() : end].strip()
    shown = text[start : end + 1]
    problem = _check_link(text, mask, start, end, target, line_end)
    if problem:
        return _link_finding(place, f"`{shown}`", *problem)
    kind = ClaimKind(match[2])
    return Claim(
        number,
        kind,
        text[start + 1 : match.start()],
        target,
        place,
        start,
        end + 1,
        _stands_in_heading(text, line_start, line_end),
    )


def _find_bracket(mask: str, line_start: int, closing: int) -> int | None:
    """The ``[`` that the ``]`` at ``closing`` closes, on the same line."""
    depth = 0
    for index in range(closing, line_start - 1, -1):
        if mask[index] == "]":
            depth += 1
        elif mask[index] == "[":
            depth -= 1
            if depth == 0:
                return index
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


def _check_link(
    text: str, mask: str, start: int, end: int, target: str, line_end: int
) -> tuple[str, str] | None:
    """What is true of a badly written link, and what to do; None for a good one."""
    link = text[start : end + 1]
    if start > 0 and mask[start - 1] == "!":
        return "an image cannot cite", "write the claim as a link in the sentence"
    forbidden = _FORBIDDEN.search(link)
    if forbidden:
        return (
            f"it holds `{forbidden[0]}`, which tables and maths read first",
            "name the expression in program.toml under [quantities] and cite the name",
        )
    line_start = text.rfind("\n", 0, start) + 1
    outer = _find_outer_link(mask, line_start, start, end, line_end)
    if outer:
        return "it stands inside another link", "let the other link end before the claim"
    kind = link[link.index("](") + 2 :].split(":", 1)[0] if "](" in link else "claim"
    if not target and kind != "stated":
        return f"nothing follows `{kind}:`", f"write what is cited, as `{kind}:name`"
    if not text[start + 1 : end].split("](", 1)[0].strip():
        return "its text is empty", "write the number or the statement between the brackets"
    return None


def _find_outer_link(mask: str, line_start: int, start: int, end: int, line_end: int) -> bool:
    """Whether an open ``[`` before the claim is closed as a link after it."""
    depth = 0
    for index in range(start - 1, line_start - 1, -1):
        if mask[index] == "]":
            depth += 1
        elif mask[index] == "[":
            if depth == 0:
                break
            depth -= 1
    else:
        return False
    depth = 0
    for index in range(end + 1, line_end):
        if mask[index] == "[":
            depth += 1
        elif mask[index] == "]":
            if depth == 0:
                return index + 1 < line_end and mask[index + 1] in "(["
            depth -= 1
    return False


def _stands_in_heading(text: str, line_start: int, line_end: int) -> bool:
    """Whether a line is a heading, by its ``#`` or by the line under it."""
    if _ATX_HEADING.match(text, line_start, line_end):
        return True
    following = text[line_end + 1 : text.find("\n", line_end + 1)] if line_end < len(text) else ""
    return bool(re.fullmatch(r"(?:=+|-+)[ \t]*", following))


def _find_other_forms(mask: str, lines: _Lines) -> list[Finding]:
    """Claims written as reference definitions, autolinks or raw HTML."""
    return [
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
        if not _EXPLICIT_ID.search(line):
            findings.append(
                _link_finding(
                    claim.place,
                    f"`{text[claim.start : claim.end]}` in a heading",
                    "the heading has no id of its own, so its anchor changes with the number",
                    "end the heading with an id, as `{#speed-up}`",
                )
            )
    return findings
