"""In which sentence does a claim stand?"""

from __future__ import annotations

import re

from build_tools.claims.model import Claim, PageScan

_LINK = re.compile(r"!?\[(?P<words>[^\[\]\n]*)\]\((?:[^()\n]|\([^()\n]*\))*\)")
_END = re.compile(
    r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\bcf\.)[)\]*_\"'”’]*\s+(?=\S)"
)
_EDGE = re.compile(
    r"\n[ \t>]*\n|\n(?=[ \t>]*(?:(?:[-*+:]|\d+[.)]|#{1,6}|!!!|\?\?\?\+?|===|///)[ \t]|\|))"
)
_LEAD = re.compile(r"[ \t>]*(?:(?:[-*+:]|\d+[.)]|#{1,6})[ \t]+)?")

LONGEST_SENTENCE = 400
"""Characters of a sentence that are shown; what is beyond, on either side, is cut."""
_REACH = 4000
"""How far a sentence is looked for on either side."""


def find_sentence(scan: PageScan, claim: Claim) -> str:
    """The sentence that holds the claim, in one line, each link by its words alone.

    A sentence ends with its paragraph, list item or table row.
    """
    low, high = max(0, claim.start - _REACH), min(len(scan.text), claim.end + _REACH)
    claims = [c for c in scan.claims if low <= c.start and c.end <= high]
    masked = list(scan.text[low:high])
    for other in claims:  # a stop within a link ends no sentence
        masked[other.start - low : other.end - low] = "x" * (other.end - other.start)
    mask = "".join(masked)
    start, end = claim.start - low, claim.end - low
    edges = [match.end() for match in _EDGE.finditer(mask, 0, start)]
    first = edges[-1] if edges else 0
    after = _EDGE.search(mask, end)
    last = after.start() if after else len(mask)
    lead = _LEAD.match(mask, first, start)
    first = lead.end() if lead else first
    stops = [match.end() for match in _END.finditer(mask, first) if match.end() <= start]
    first = stops[-1] if stops else first
    stop = _END.search(mask, end, last)
    last = stop.start() + len(stop[0].rstrip()) if stop else last
    left = _read_plainly(scan.text, low + first, claim.start, claims)
    right = _read_plainly(scan.text, claim.end, low + last, claims)
    room = LONGEST_SENTENCE // 2
    left = left if len(left) <= room else "…" + left[-room:]
    right = right if len(right) <= room else right[:room] + "…"
    return f"{left}{claim.text}{right}".strip()


def _read_plainly(text: str, start: int, end: int, claims: list[Claim]) -> str:
    """A stretch of Markdown in one line, with links by their words."""
    parts = []
    for claim in claims:
        if start <= claim.start and claim.end <= end:
            parts += [text[start : claim.start], claim.text]
            start = claim.end
    plain = _LINK.sub(lambda match: match["words"], "".join([*parts, text[start:end]]))
    unquoted = re.sub(r"\n[ \t>]*", " ", plain)  # the marks of a block quote are no words
    return re.sub(r"\s+", " ", unquoted)
