"""Does what stands beside a link leave its number what was judged?"""

from __future__ import annotations

from dataclasses import replace

from build_tools.claims.around import MEANT_BEHIND, Beside, find_beside
from build_tools.claims.judge_page import judge_claim
from build_tools.claims.model import Claim, ClaimKind, Course, Verdict
from build_tools.claims.numbers import states_choice
from build_tools.claims.proof import list_numbers
from build_tools.diagnostics.finding import Finding, Kind, Patch, Place
from build_tools.quantity.fold import fold_text
from build_tools.quantity.nearest import find_nearest, holds_text
from build_tools.quantity.numeral import UnreadableError
from build_tools.quantity.printed import parse_printed
from build_tools.quantity.units import NOUNS, SYMBOLS
from build_tools.quantity.value import Number, Several, Truth, Value
from build_tools.quantity.vocabulary import Form, Hedge

_EXACTLY = ("exactly", "precisely")


def judge_around(text: str, verdict: Verdict) -> Verdict:
    """The verdict with what stands beside the link in ``text``, the whole page.

    What belongs to the number and stands outside takes the place of the other findings: they
    were about half of what a reader reads.
    """
    claim = verdict.claim
    beside = find_beside(text, claim.start, claim.end, claim.text)
    if beside is None or not _matters(verdict, beside):
        return _keep_noun(text, verdict)
    finding = _report(text, claim, beside, verdict.value)
    basis = next((f.basis for f in verdict.findings if f.basis), None)
    return replace(verdict, findings=(replace(finding, basis=basis),))


def judge_cell(course: Course, verdict: Verdict, unit: str) -> Verdict:
    """The verdict on a number whose unit stands in its column's head."""
    claim = verdict.claim
    if claim.kind is ClaimKind.STATED or not isinstance(verdict.value, Number):
        return verdict
    try:
        printed = parse_printed(claim.text)
    except UnreadableError:
        return verdict
    if printed.unit_text or printed.form is not Form.NUMBER:
        return verdict
    united = judge_claim(course, replace(claim, text=f"{claim.text} {unit}"))
    findings = []
    for finding in united.findings:
        patch = finding.patch
        if patch is not None:
            new = patch.new.removesuffix(unit).rstrip()
            kept = new != patch.new.rstrip()
            patch = Patch(patch.place, claim.text, new) if kept else None
        stated = f"`{claim.text}` under `{unit}`"
        findings.append(replace(finding, stated=stated, patch=patch, length=claim.length))
    return replace(verdict, findings=tuple(findings))


def _keep_noun(text: str, verdict: Verdict) -> Verdict:
    """The verdict whose patch moves a noun out of the link, where the value counts nothing.

    ``[90 registers](…)`` for a bare number becomes ``[30](…) registers``.
    """
    claim = verdict.claim
    finding = verdict.findings[0] if len(verdict.findings) == 1 else None
    if finding is None or finding.kind is not Kind.UNIT or finding.patch is None:
        return verdict
    noun = parse_printed(claim.text).unit_text
    if SYMBOLS.get(noun) is None or SYMBOLS[noun].dimensions[0][0] not in NOUNS:
        return verdict
    if noun in finding.patch.new:
        return verdict
    old = text[claim.start + 1 : claim.end]
    new = finding.patch.new + old[len(claim.text) :] + f" {noun}"
    advice = f"write `[{finding.patch.new}](…) {noun}`: what is counted goes behind the link"
    patch = Patch(finding.patch.place, old, new)
    return replace(verdict, findings=(replace(finding, patch=patch, advice=advice),))


def _matters(verdict: Verdict, beside: Beside) -> bool:
    """Whether it changes what the claim says."""
    value = verdict.value
    if verdict.claim.kind is ClaimKind.STATED:
        rate = beside.what == "unit" and not states_choice(fold_text(beside.inside))
        return rate or beside.what in ("digits", "sign")
    if value is None:
        return False
    if isinstance(value, Truth):
        return beside.what == "negation"
    if not isinstance(value, Number | Several):
        return beside.what == "digits"
    if beside.words.lower() in _EXACTLY:
        return any(number.exact is None for number in list_numbers(value))
    try:
        shape = parse_printed(verdict.claim.text).form is Form.SHAPE
    except UnreadableError:
        return beside.what != "negation"
    return not (shape and beside.what == "hedge")


def _report(text: str, claim: Claim, beside: Beside, value: Value | None) -> Finding:
    first = min(beside.start, claim.start)
    line_break = text.rfind("\n", first, claim.start) >= 0
    place = claim.place
    if not line_break:
        place = replace(place, column=place.column - (claim.start - first))
    length = beside.end - first if "\n" not in text[first : beside.end] else claim.length
    new = _find_inside(claim, beside, value)
    patch = _compose_patch(text, claim, beside, place, new) if new and not line_break else None
    kind = Kind.UNIT if beside.what == "unit" else Kind.HEDGE
    if beside.what in ("digits", "sign"):
        kind = Kind.UNREADABLE
    stated = " ".join(text[first : claim.start].split()) + f" [{claim.text}](…)"
    if beside.after:
        stated = f"[{claim.text}](…){text[claim.end : beside.end]}"
    true, advice = _explain(beside, claim, new)
    return Finding(kind, place, f"`{stated.strip()}`", true, advice, length=length, patch=patch)


def _find_inside(claim: Claim, beside: Beside, value: Value | None) -> str:
    """The link's text with what stands beside it, as it would hold; empty where none would."""
    if value is None or isinstance(value, Truth) or beside.words.lower() in _EXACTLY:
        return ""
    inside = beside.inside
    if beside.what == "hedge" and beside.after:
        inside = f"{MEANT_BEHIND.get(beside.words.split()[-1].lower(), 'at least')} {claim.text}"
    try:
        own = parse_printed(claim.text)
    except UnreadableError:
        own = None
    said_twice = own is not None and (
        (beside.what == "hedge" and own.hedge is not Hedge.NONE)
        or (beside.what == "unit" and (own.unit_text or own.form is not Form.NUMBER))
    )
    if said_twice:
        return claim.text if holds_text(claim.text, value) else ""
    if not inside or holds_text(inside, value):
        return inside
    if beside.what == "sign":
        return ""
    try:
        reading = parse_printed(inside)
    except UnreadableError:
        return ""
    nearest = find_nearest(reading, value)
    # What only holds without the unit is another sentence, and the author's to write.
    kept = beside.what != "unit" or (reading.unit_text and reading.unit_text in nearest)
    return nearest if kept else ""


def _compose_patch(text: str, claim: Claim, beside: Beside, place: Place, new: str) -> Patch | None:
    """What stands beside the link taken away, and the link's text as it would hold."""
    first = min(beside.start, claim.start)
    end = beside.end if beside.after else claim.start + 1 + len(claim.text)
    old = text[first:end]
    between = text[beside.start : claim.start] + text[claim.end : beside.end]
    if "\n" in old or any(mark in between for mark in "*_`<"):
        return None  # Emphasis that opens or closes there would be torn apart.
    target = text[claim.start + 1 + len(claim.text) : claim.end] if beside.after else ""
    if beside.after:
        # The bracket stays where it is.
        place, old = replace(claim.place, column=claim.place.column + 1), old[1:]
        return Patch(place, old, new + target)
    return Patch(place, old, "[" + new)


def _explain(beside: Beside, claim: Claim, new: str) -> tuple[str, str]:
    """What is so, and what to do."""
    words = f"`{beside.words}`"
    if beside.what == "negation":
        return (
            f"{words} before the link turns around what is checked",
            "say what is so, in words that the expression checks as they stand",
        )
    if beside.words.lower() in _EXACTLY:
        return f"the value is measured, and {words} says that it is exact", f"leave {words} out"
    if beside.what == "digits":
        return (
            f"{words} touches the link, and a reader takes both for one number",
            "put it inside the link, or a space between",
        )
    said = {"unit": "the unit", "sign": "the sign", "hedge": "the hedge"}[beside.what]
    true = f"{said} {words} stands outside the link, where it is not judged"
    where = "behind" if beside.after else "before"
    if new == claim.text:
        return f"{said} is said twice, and {words} stands outside the link", (
            f"take {words} away {where} the link"
        )
    if new:
        return true, f"write `[{new}](…)`, and take {words} away {where} it"
    return true, f"put {words} inside the link if it is true of the value, or leave it out"
