"""Would a page agree if these characters of it were others? Judged before anything is written."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from build_tools.claims.check import judge_scan
from build_tools.claims.model import Claim, ClaimKind, Course, PageScan
from build_tools.claims.numbers import NUMBER
from build_tools.claims.patch import PatchError, apply_patches
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Finding, Kind, Patch, Place

_TICKS = "`"


@dataclass(frozen=True)
class Mend:
    """A patch of a page, and which of the page's claims it changes."""

    patch: Patch
    claim: int | None
    """The claim's number; None for a number that gets a link around it."""


def change_text(claim: Claim, text: str) -> Mend:
    """Another text for a claim's link."""
    place = replace(claim.place, column=claim.place.column + 1)
    return Mend(Patch(place, claim.text, text), claim.number)


def change_link(scan: PageScan, claim: Claim, link: str) -> Mend:
    """Another link, ``[text](claim:…)``, in a claim's place."""
    return Mend(Patch(claim.place, scan.text[claim.start : claim.end], link), claim.number)


def propose_bindings(scan: PageScan, finding: Finding, target: str) -> list[Mend]:
    """Links around an unbound number; ``target`` is ``claim:…``, ``given:…`` or ``stated:``.

    The number with its unit first; then without, since a word for what is counted, as in
    ``256 threads``, may be no part of the value. Raises PatchError when the number is not where
    the finding says.
    """
    number = finding.stated.strip(_TICKS)
    mends = [_bind_text(scan, finding.place, number, target)]
    match = NUMBER.match(number)
    bare = number[: match.start("unit")].rstrip() if match and match["unit"] else ""
    if bare:
        mends.append(_bind_text(scan, finding.place, bare, target))
    return mends


def _bind_text(scan: PageScan, place: Place, number: str, target: str) -> Mend:
    """A link around a text of the page, and around ticks that hold nothing else.

    Dollars that hold nothing else go: a link cannot hold maths.
    """
    line = scan.text.split("\n")[place.line - 1]
    start = place.column - 1
    end = start + len(number)
    if line[start:end] != number:
        raise PatchError(place, f"`{number}` does not stand there", "review the page again")
    shown = number
    while start and line[start - 1] == line[end : end + 1] == _TICKS:
        start, end = start - 1, end + 1
        shown = line[start:end]
    if start and line[start - 1] == line[end : end + 1] == "$":
        start, end = start - 1, end + 1
    place = replace(place, column=start + 1)
    return Mend(Patch(place, line[start:end], f"[{shown}]({target})"), None)


def is_link(text: str) -> bool:
    """Whether a text is one whole link that cites, and nothing beside it."""
    scan = scan_page(text, "")
    return len(scan.claims) == 1 and (scan.claims[0].start, scan.claims[0].end) == (0, len(text))


def complete_target(typed: str) -> str:
    """What a link points to, from what an author typed: an expression, or with its kind."""
    typed = typed.strip()
    known = tuple(f"{kind}:" for kind in ClaimKind)
    return typed if typed.startswith(known) else f"{ClaimKind.CLAIM}:{typed}"


def judge_mends(course: Course, scan: PageScan, mends: Sequence[Mend]) -> list[Finding]:
    """What would be wrong with the mended places, and with the page around them; none is good.

    ``scan`` is of the page as it is. A finding of a mended claim counts, whatever it is; so does
    one of how the page is written, unless it was there before.
    """
    try:
        text = apply_patches(scan.text, [mend.patch for mend in mends])
    except PatchError as error:
        stated = "a page as it was read"
        return [Finding(Kind.PAGE, error.place, stated, str(error), error.advice)]
    after = scan_page(text, scan.path)
    known = Counter((f.kind, f.stated, f.true) for f in scan.findings)
    findings = []
    for finding in after.findings:
        key = (finding.kind, finding.stated, finding.true)
        known[key] -= 1
        if known[key] < 0:
            findings.append(finding)
    if findings:
        return findings
    numbers = number_mended(scan, mends)
    changed = _compare_reading(scan, after, mends, numbers)
    if changed is not None:
        return [changed]
    wanted = set(numbers)
    mended = replace(after, claims=tuple(c for c in after.claims if c.number in wanted))
    for verdict in judge_scan(course, mended):
        findings += verdict.findings
    return findings


def number_mended(scan: PageScan, mends: Sequence[Mend]) -> list[int]:
    """The number of each mended claim in the page as it will be, in the order of the mends.

    A number that gets a link moves every later claim on by one.
    """
    bound = sorted(_order(mend.patch.place) for mend in mends if mend.claim is None)
    places = [_order(claim.place) for claim in scan.claims]
    numbers = []
    for mend in mends:
        at = _order(mend.patch.place)
        before = bisect.bisect_left(bound, at)
        if mend.claim is None:
            numbers.append(before + bisect.bisect_left(places, at))
        else:
            numbers.append(before + mend.claim)
    return numbers


def _order(place: Place) -> tuple[int, int]:
    return place.line, place.column


def _compare_reading(
    before: PageScan, after: PageScan, mends: Sequence[Mend], numbers: Sequence[int]
) -> Finding | None:
    """A finding when the page would be read otherwise beyond the mended places."""
    mended = set(numbers)
    kept = [(c.kind, c.text, c.target) for c in after.claims if c.number not in mended]
    touched = {mend.claim for mend in mends}
    wanted = [(c.kind, c.text, c.target) for c in before.claims if c.number not in touched]
    blocks = [(d.name, d.argument) for d in after.directives]
    same = blocks == [(d.name, d.argument) for d in before.directives]
    if same and kept == wanted and mended <= {c.number for c in after.claims}:
        return None
    first = mends[0].patch
    return Finding(
        Kind.LINK,
        first.place,
        f"`{first.new}`",
        "with this the page's links or blocks are read otherwise",
        "write plain text without brackets, ticks or slashes that are not closed",
    )
