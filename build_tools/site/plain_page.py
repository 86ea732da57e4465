"""What does a page say as one file of Markdown, with its blocks written out and its claims told?

The prose is the author's. In place of a block stands what the built page shows there, in place of a
claim its text; at the end a table tells what is behind each claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape

from selectolax.lexbor import LexborHTMLParser

from build_tools.claims.blank import blank_blocks, find_front_matter
from build_tools.claims.inline import blank_inline
from build_tools.claims.model import Claim, Directive, Proof, ProofKind, Verdict
from build_tools.pages.conversion import Conversion
from build_tools.site.pairing import DIRECTIVE, read_number
from build_tools.site.plain_html import Link, convert_element

BEHIND = "What is behind the numbers"
"""The heading of the table at the end."""

_REWRITTEN = re.compile(
    r"\]\((?P<href>[^()\s]+)(?:\s+\"[^\"\n]*\")?\)|&#(?:3[3-79]|4[0-7]|58|59|6[134]|9[1-6]|12[3-6]);"
)
"""The address of a link, and references to marks of ASCII that mean nothing to HTML."""
_SILENT = re.compile(r"^#{1,6} [^\n]*$|<!--.*?-->", re.MULTILINE | re.DOTALL)
_SAID = re.compile(r"\S")
_HEADING_ATTRIBUTES = re.compile(r"^(#{1,6} .*?)[ \t]*\{[#.:][^{}\n]*\}[ \t]*$", re.MULTILINE)


def compose_plain(conversion: Conversion, tree: LexborHTMLParser, prose: Link, built: Link) -> str:
    """The page as Markdown.

    ``prose`` turns the address of a link in the page's source into one of the Markdown, ``built``
    that of a link on the built page ``tree``.
    """
    scan = conversion.scan
    blocks = {
        read_number(node, DIRECTIVE): convert_element(node, built)
        for node in tree.css(f"[{DIRECTIVE}]")
    }
    text = "".join(_list_pieces(scan.text, (*scan.claims, *scan.directives), blocks, prose))
    text = _HEADING_ATTRIBUTES.sub(r"\1", text)
    if not _SAID.search(_SILENT.sub("", text)):
        # Another plugin fills the page, as that of tags does.
        article = tree.css_first("article") or tree.css_first("[role=main], main")
        text = convert_element(article, built) if article is not None else text
    behind = "\n".join(_list_behind(conversion.verdicts))
    parts = [re.sub(r"\n{3,}", "\n\n", text).strip()]
    if behind:
        parts.append(f"## {BEHIND}\n\n{behind}")
    return "\n\n".join(parts) + "\n"


def _list_pieces(
    text: str,
    items: tuple[Claim | Directive, ...],
    blocks: Mapping[int, str],
    prose: Link,
) -> Iterator[str]:
    front = find_front_matter(text)
    position = front[1] if front is not None else 0
    mask = blank_inline(blank_blocks(text))
    for item in sorted(items, key=lambda item: item.start):
        yield _rewrite_prose(text[position : item.start], mask[position : item.start], prose)
        if isinstance(item, Claim):
            yield item.text
        else:
            yield "\n".join(
                f"{item.indent}{line}".rstrip() for line in blocks.get(item.number, "").split("\n")
            )
        position = item.end
    yield _rewrite_prose(text[position:], mask[position:], prose)


def _rewrite_prose(text: str, mask: str, prose: Link) -> str:
    """The text with the addresses of its links turned, digits and marks for references to them.

    Code stays as it is.
    """
    pieces = []
    position = 0
    for match in _REWRITTEN.finditer(mask):
        if match["href"]:
            start, end = match.span("href")
            written = prose(text[start:end])
        else:
            start, end = match.span()
            written = unescape(text[start:end])
        pieces += [text[position:start], written]
        position = end
    return "".join([*pieces, text[position:]])


def _list_behind(verdicts: Mapping[int, Verdict]) -> Iterator[str]:
    """The rows of the table; those of mere examples say nothing and are left out."""
    rows = [
        _compose_row(verdict.claim, verdict.proof)
        for verdict in verdicts.values()
        if verdict.proof is not None and verdict.proof.kind is not ProofKind.STATED
    ]
    if rows:
        yield "| text | kind | value | band | from |"
        yield "|---|---|---|---|---|"
        yield from rows


def _compose_row(claim: Claim, proof: Proof) -> str:
    source = proof.source or f"`{proof.expression}`"
    if proof.record:
        source += f", {proof.device}, {proof.date}, {proof.record}.json"
    cells = (claim.text, proof.kind.value, proof.value, proof.band, source)
    return f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in cells)} |"
