"""Does a page make a number read otherwise than it is written? By marks without width, or by markup.

A browser orders characters by controls that nobody sees, joins digits across marks without
width, strikes text through and writes text out of a style sheet. What a reader sees then is not
what was checked.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator

from build_tools.claims.blank import blank_blocks, blank_spans
from build_tools.claims.inline import blank_code
from build_tools.claims.lines import Lines
from build_tools.claims.model import PageScan
from build_tools.diagnostics.finding import Finding, Kind

_ORDERING = "\u202a-\u202e\u2066-\u2069"
_UNSEEN = "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2060-\u2064\u206a-\u206f\ufe00-\ufe0f\ufeff"
_MARK = re.compile(
    f"[{_ORDERING}{_UNSEEN}]|&(?:#\\d{{1,7}}|#[xX][0-9a-fA-F]{{1,6}}|[A-Za-z]{{2,30}});"
)
_ORDERS = re.compile(f"[{_ORDERING}]")
_HIDES = re.compile(f"[{_ORDERING}{_UNSEEN}]")
_KEYCAP = "\ufe0f\u20e3"
_MIXED = re.compile(r"\d(?:[\d.,']{0,30}\d)?")
_ELEMENT = re.compile(
    r"(?<!\\)<(?P<name>bdo|style|script|del|s|strike)(?=[\s>/])(?P<rest>[^<>]{0,300})>"
    r"|(?<!\\)<(?P<turned>[a-z]+)(?=\s)[^<>]{0,300}?\bdir\s*=\s*[\"']?rtl\b[^<>]{0,300}>",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"[\d²³¹⁰⁴-⁹½]")
_STRUCK = frozenset({"del", "s", "strike"})
_LONGEST_STRUCK = 2000
"""Characters read for the end of what is struck out."""
_ADVICE = {
    "bdo": "write the text in the order in which it is read",
    "style": "put the rules into a file named under `extra_css` in mkdocs.yml",
    "script": "put the script into a file named under `extra_javascript` in mkdocs.yml",
}


def find_disguises(scan: PageScan) -> list[Finding]:
    """What could make a number of the page read as another; code is left alone."""
    lines = Lines(scan.path, scan.text)
    embedded = [(item.start, item.end) for item in (*scan.directives, *scan.rejected)]
    text = blank_code(blank_spans(blank_blocks(scan.text), embedded))
    return [
        *_find_marks(text, lines),
        *_find_mixed(text, lines),
        *_find_elements(text, lines),
    ]


def _find_marks(text: str, lines: Lines) -> Iterator[Finding]:
    """Controls of the reading order on a line with digits, unseen marks in or beside a number."""
    line_end, numeric = -1, False
    for match in _MARK.finditer(text):
        mark = html.unescape(match[0])
        if len(mark) != 1 or not _HIDES.match(mark):
            continue
        start, end = match.span()
        if _ORDERS.match(mark):
            if start > line_end:
                line_end = _find_line_end(text, end)
                line = text[text.rfind("\n", 0, start) + 1 : line_end]
                numeric = any(c.isnumeric() for c in _MARK.sub("", line))
            if not numeric:
                continue
            true = "it changes the order in which a reader sees the line, and so its numbers"
        elif text.startswith(_KEYCAP, start) or not (
            text[start - 1 : start].isnumeric() or text[end : end + 1].isnumeric()
        ):
            continue
        else:
            true = "it stands in or beside a number, and no reader sees it"
        yield Finding(
            Kind.ENCODING,
            lines.place(start),
            f"U+{ord(mark):04X} {unicodedata.name(mark, 'a control character')}",
            true,
            "remove it",
            length=end - start,
        )


def _find_line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return len(text) if end < 0 else end


def _find_mixed(text: str, lines: Lines) -> Iterator[Finding]:
    """Numbers whose digits are of several scripts: one of them may look like another digit."""
    if text.isascii():
        return
    for match in _MIXED.finditer(text):
        if match[0].isascii():
            continue
        zeros = {ord(c) - unicodedata.decimal(c) for c in match[0] if c.isdecimal()}
        if len(zeros) > 1:
            plain = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in match[0])
            yield Finding(
                Kind.ENCODING,
                lines.place(match.start()),
                f"`{match[0]}`",
                f"its digits are of {len(zeros)} scripts; it reads as {plain}",
                "write the number with digits of one script",
                length=len(match[0]),
            )


def _find_elements(text: str, lines: Lines) -> Iterator[Finding]:
    """Raw HTML that turns, strikes out or writes text."""
    for match in _ELEMENT.finditer(text):
        name = (match["name"] or "").lower()
        if name in _STRUCK:
            end = text.find(f"</{match['name']}", match.end(), match.end() + _LONGEST_STRUCK)
            struck = text[match.end() : end if end >= 0 else match.end() + _LONGEST_STRUCK]
            if not _DIGIT.search(struck):
                continue
            true, advice = "it strikes a number out", "take out the number, or the element"
        elif name in ("style", "script"):
            true = f"a {name} on the page can show what no check reads"
            advice = _ADVICE[name]
        else:
            true = "it turns the order in which a reader sees the text, and so its numbers"
            advice = _ADVICE["bdo"]
        shown = match[0] if len(match[0]) <= 40 else match[0][:39] + "…"
        yield Finding(
            Kind.PAGE, lines.place(match.start()), f"`{shown}`", true, advice, length=len(match[0])
        )
