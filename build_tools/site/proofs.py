"""Which part of what stands behind a page's claims lies beside the page, and not in it?

What a claim states and what was measured, where and when, stands in the page, with a link to the
record. How it came about, the values of all processes, formulas and lines of the transcript, would
be most of a page with hundreds of claims: there it is a file beside the page, which the page's
script asks for when a reader comes to the first of its claims.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape, unescape
from pathlib import Path

MOST = 64_000
"""Characters of it that a page may hold."""

MARK = "data-course-proofs"
"""The attribute of a page's foot that names the file."""

_MORE = '<span class="course-proof__more">'
_FOOT = re.compile(r"<footer\b(?=[^>]*\bdata-course-foot\b)[^>]*")
_PROOF = re.compile(
    r'(?P<head><bdi\b[^>]*\bid="(?P<identity>claim-\d+-proof)"[^>]*>(?:(?!</bdi>).)*?)'
    rf"(?P<more>{_MORE}(?:(?!</bdi>).)*?</span>\s*)?"
    r'(?P<tail>(?:<span class="course-proof__links">(?:(?!</bdi>).)*)?</bdi>)',
    re.DOTALL,
)
_NAMED = re.compile(rf'<footer\b[^>]*?\s{MARK}="(?P<name>[^"/]+)"')


def part_proofs(html: str, name: str) -> tuple[str, Mapping[str, str]]:
    """The page less what may come later, and that by the ids of the proofs it belongs to.

    ``name`` is the file that will hold it. A page with little of it stays as it is, and so does
    one without our foot, which says where the file is.
    """
    if _bound_more(html) <= MOST:
        return html, {}
    found = [match for match in _PROOF.finditer(html) if match["more"]]
    foot = _FOOT.search(html)
    if foot is None or sum(len(match["more"]) for match in found) <= MOST:
        return html, {}
    more = {match["identity"]: match["more"] for match in found}
    lean = _PROOF.sub(lambda match: match["head"] + match["tail"], html)
    named = f'{foot[0]} {MARK}="{escape(name)}"'
    return lean.replace(foot[0], named, 1), more


def _bound_more(html: str) -> int:
    """A number of characters that is not exceeded by what may come later: told at a look."""
    pieces = html.split(_MORE)[1:]
    ends = [piece.find("</bdi>") for piece in pieces]
    return sum(
        len(_MORE) + (end if end >= 0 else len(p)) for p, end in zip(pieces, ends, strict=True)
    )


def join_proofs(html: str, folder: Path) -> str:
    """A page as it is once its script has put everything in its place.

    What the file beside it in ``folder`` does not say stays away, and is missed by the check.
    """
    named = _NAMED.search(html)
    more = read_proofs(folder / unescape(named["name"])) if named else {}
    if not more:
        return html

    def join(match: re.Match[str]) -> str:
        return match["head"] + (match["more"] or more.get(match["identity"], "")) + match["tail"]

    return _PROOF.sub(join, html)


def read_proofs(path: Path) -> Mapping[str, str]:
    """What such a file holds; nothing where it cannot be read."""
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(held, dict):
        return {}
    return {key: text for key, text in held.items() if isinstance(text, str)}


def write_proofs(path: Path, more: Mapping[str, str]) -> None:
    """Write what was parted from a page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(more, ensure_ascii=False, indent=0, separators=(",", ":"))
    path.write_text(f"{text}\n", encoding="utf-8")


def name_proofs(page: str) -> str:
    """The file beside the built page at ``page``: ``x/proofs.json``, or ``x.proofs.json``."""
    stem = page.removesuffix(".html")
    is_index = stem.rpartition("/")[2] == "index"
    return f"{stem.removesuffix('index')}proofs.json" if is_index else f"{stem}.proofs.json"
