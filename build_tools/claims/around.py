"""What stands right beside a link and changes what its number says?

A claim's text is judged, and the characters around it are read with it: a digit that touches it,
a sign, a unit, a hedge or a negation. What belongs to the number must stand inside the link.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from build_tools.claims.unit_words import UNITED
from build_tools.quantity.fold import fold_text
from build_tools.quantity.vocabulary import HEDGES, SCALE_WORDS

_WIDEST = 80
"""Characters before and after a link that are looked at."""

_QUOTE_MARKS = re.compile(r"^[ \t]*>[ \t>]*", re.MULTILINE)
"""What a quoted line begins with: a sign of Markdown, and none of the sentence."""
_GLUED_BEFORE = re.compile(r"(?:\d[.,:/]|[^\W_]|(?<![\w)\]])[-−+±.])[*_`]{0,3}\Z")
_GLUED_AFTER = re.compile(
    r"(?:[*_`\u200b-\u200f\u2060\ufeff]|<[A-Za-z][^<>\n]{0,60}>){0,4}(?P<glued>[⁻⁺⁰¹²³⁴-⁹²³¹]+|\^-?\d+|[.,]?\d[\d.,]*|e[-+]?\d+|/[A-Za-z]+|[A-Za-z%×°µ]+"
    r"|\[(?!\^))"
)
_SCALE_AFTER = re.compile(
    r"[*_`]{0,3}\s(?P<scale>" + "|".join(SCALE_WORDS) + r")s?\b(?!-)", re.IGNORECASE
)
_UNIT_AFTER = re.compile(rf"[*_`]{{0,3}}(?P<unit>{UNITED})")
MEANT_BEHIND = {
    "more": "at least",
    "higher": "at least",
    "above": "at least",
    "over": "at least",
    "up": "at least",
    "less": "at most",
    "fewer": "at most",
    "lower": "at most",
    "below": "at most",
    "so": "about",
}
"""The hedge that says before a number what these words say behind it."""

_MORE_AFTER = re.compile(
    r"[*_`]{0,3}\s(?P<more>or (?:more|less|fewer|so|higher|lower|above|below|over|better|worse)"
    r"|and (?:more|up|above|over)|plus)\b(?!\s+\[)",
    re.IGNORECASE,
)
_OTHER_HEDGES = (
    "beyond",
    "exactly",
    "precisely",
    "ca.",
    "circa",
    "or so",
    "upwards of",
    "close on",
)
_HEDGE_BEFORE = re.compile(
    r"(?:^|[\s(])(?:(?P<negation>no|not|never|hardly|n't)\s+)?[*_]{0,3}(?P<hedge>"
    + "|".join(
        re.escape(h).replace(r"\ ", r"\s+")
        for h in sorted((*HEDGES, *_OTHER_HEDGES), key=len, reverse=True)
    )
    + r")(?P<space>[\s*_]*)$",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"(?:^|[\s(])(?P<negation>minus|negative|not|never|hardly|nor|without|isn't|aren't|wasn't|doesn't|don't)"
    r"\s+[*_]{0,3}$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Beside:
    """What stands beside a link and belongs to its number.

    ``start`` and ``end`` are offsets in the page's text from the first character of what stands
    before the link, or the link's first, to behind what stands after it. ``inside`` is what the
    link's text would be with it; empty where it cannot be moved in.
    """

    what: str
    """``hedge``, ``negation``, ``unit``, ``sign`` or ``digits``."""
    words: str
    start: int
    end: int
    inside: str = ""
    after: bool = False


def find_beside(text: str, start: int, end: int, words: str) -> Beside | None:
    """What changes the number of the link from ``start`` to ``end``; ``words`` is its text."""
    # A paragraph ends the reach.
    before = text[max(0, start - _WIDEST) : start].rpartition("\n\n")[2]
    before = _QUOTE_MARKS.sub(lambda match: " " * len(match[0]), before)
    plain = _blank_markup(before)
    after = text[end : end + _WIDEST].partition("\n\n")[0]
    glued = _GLUED_BEFORE.search(before)
    if glued:
        shown = glued[0].strip("*_`")
        what = "digits" if shown[0].isdigit() else "sign"
        if not (what == "sign" and shown in "-." and _joins_words(before)):
            inside = shown + words if what == "sign" and shown in "-−+" else ""
            return Beside(what, shown, start - len(glued[0]), end, inside)
    return _find_after(start, end, words, after) or _find_hedge(plain, start, end, words)


_MARKUP = re.compile(
    r"<!--.*?-->|</?[A-Za-z][^<>\n]{0,60}>|&(?:nbsp|thinsp|#160);|[*_\\]|:(?=\s*$)"
)
_SIGNS = {"&gt;": ">", "&lt;": "<", "&ge;": "≥", "&le;": "≤", "&asymp;": "≈"}


def _blank_markup(before: str) -> str:
    """The text with what a reader does not see as spaces; each character keeps its place."""
    plain = _MARKUP.sub(lambda match: " " * len(match[0]), before)
    for reference, sign in _SIGNS.items():
        plain = plain.replace(reference, sign.rjust(len(reference)))
    return plain


def _joins_words(before: str) -> bool:
    """Whether a mark before the link ends a word or a sentence."""
    return bool(re.search(r"[\w)\]][-.][*_`]*$", before))


def _find_after(start: int, end: int, words: str, after: str) -> Beside | None:
    for pattern, name, what in (
        (_SCALE_AFTER, "scale", "unit"),
        (_UNIT_AFTER, "unit", "unit"),
        (_GLUED_AFTER, "glued", "digits"),
        (_MORE_AFTER, "more", "hedge"),
    ):
        found = pattern.match(after)
        if found is None:
            continue
        shown = found[name].strip()
        # A sign between two links multiplies them: it belongs to neither.
        if re.match(r"\s?[×x]\s*[*_`]{0,3}\[", after):
            return None
        if name == "glued" and shown.isalpha() and fold_text(words)[-1:].isalpha():
            continue
        inside = words + after[: found.end()] if what == "unit" and "*" not in found[0] else ""
        return Beside(what, shown, start, end + found.end(), inside, after=True)
    return None


def _find_hedge(before: str, start: int, end: int, words: str) -> Beside | None:
    found = _HEDGE_BEFORE.search(before)
    if found is None:
        negation = _NEGATION.search(before)
        if negation is None:
            return None
        at = start - (len(before) - negation.start("negation"))
        return Beside("negation", negation["negation"], at, end)
    first = "negation" if found["negation"] else "hedge"
    at = start - (len(before) - found.start(first))
    hedge = " ".join(found["hedge"].split())
    spoken = " ".join(part for part in (found["negation"], hedge) if part).lower()
    if spoken in HEDGES:
        hedge = " ".join(before[found.start(first) : found.end("hedge")].split())
    elif found["negation"]:
        return Beside("negation", spoken, at, end)
    known = hedge.lower() in HEDGES or spoken in HEDGES
    space = " " if hedge[-1:].isalpha() else ""
    inside = f"{hedge}{space}{words}" if known else ""
    return Beside("hedge", hedge, at, end, inside)
