"""How do claims and directives survive Markdown? By number: rewritten before, found after.

A token carries a digest of the page, which no text of that page can hold by accident or by
intent: what looks like a token in the source is not one.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property

from markupsafe import escape

from build_tools.claims.model import Claim, Directive, PageScan

# The page's own digest is compared afterwards: one expression for all pages is compiled once.
_CLAIM = re.compile(r"\]\(claim:#([0-9]+)\.([0-9a-f]{12})\)")
_DIRECTIVE = re.compile(r"course-directive-([0-9]+)-([0-9a-f]{12})")
_LINE = re.compile(rf" {{0,3}}{_DIRECTIVE.pattern}\s*")


@dataclass(frozen=True)
class Numbering:
    """The tokens of one scanned page."""

    scan: PageScan

    @cached_property
    def key(self) -> str:
        """Twelve hex digits of the page's own digest."""
        text = self.scan.text.encode("utf-8", "surrogatepass")
        return hashlib.sha256(text).hexdigest()[:12]

    def read_claim_end(self, text: str, position: int) -> tuple[int, int] | None:
        """The number of the claim whose text ends at ``position``, and where its token ends."""
        match = _CLAIM.match(text, position)
        return (int(match[1]), match.end()) if match and match[2] == self.key else None

    def read_directive(self, block: str) -> int | None:
        """The number of the directive that a block is, and nothing else; None for other blocks."""
        match = _LINE.fullmatch(block)
        return int(match[1]) if match and match[2] == self.key else None

    def write_claim(self, claim: Claim) -> str:
        """The claim's text as a link to its number."""
        return f"[{claim.text}](claim:#{claim.number}.{self.key})"

    def write_directive(self, directive: Directive) -> str:
        """The line that stands for the directive, parted from its neighbours by empty lines.

        No second empty line is made: footnotes end at two.
        """
        empty = directive.indent.rstrip()
        line = f"{directive.indent}course-directive-{directive.number}-{self.key}"
        above = self.scan.text[: directive.start].removesuffix("\n").rpartition("\n")[2]
        below = self.scan.text[directive.end :].removeprefix("\n").partition("\n")[0]
        before = f"{empty}\n" if above.strip(" \t>") else ""
        after = f"\n{empty}" if below.strip(" \t>") else ""
        return before + line + after

    def rewrite(self) -> str:
        """The page's text with each accepted claim and directive as its token."""
        edits = [(c.start, c.end, self.write_claim(c)) for c in self.scan.claims]
        edits += [(d.start, d.end, self.write_directive(d)) for d in self.scan.directives]
        parts = []
        position = 0
        for start, end, token in sorted(edits):
            parts += [self.scan.text[position:start], token]
            position = end
        parts.append(self.scan.text[position:])
        return "".join(parts)

    def restore(self, html: str) -> str:
        """``html`` with each token that was not rendered as the source that it stands for.

        So a page never shows a token, and a check finds what it expects to find: raw text.
        """
        text = self.scan.text
        if self.key not in html:
            return html
        claims = {claim.number: claim for claim in self.scan.claims}
        directives = {directive.number: directive for directive in self.scan.directives}

        def restore_claim(match: re.Match[str]) -> str:
            if match[2] != self.key:
                return match[0]
            claim = claims[int(match[1])]
            written = text[claim.start : claim.end]
            return str(escape(written[len(claim.text) + 1 :]))

        def restore_directive(match: re.Match[str]) -> str:
            if match[2] != self.key:
                return match[0]
            directive = directives[int(match[1])]
            written = text[directive.start : directive.end]
            return str(escape(written.strip()))

        return _DIRECTIVE.sub(restore_directive, _CLAIM.sub(restore_claim, html))
