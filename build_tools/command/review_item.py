"""What is an author shown of one finding under review?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import click

from build_tools.claims.mend import Mend
from build_tools.claims.model import Verdict
from build_tools.claims.patch import PatchError, apply_patches
from build_tools.claims.rests import find_companions
from build_tools.claims.reviewing import Item, Reading, ReadPage
from build_tools.diagnostics.excerpt import SourceLine, draw_line
from build_tools.diagnostics.finding import Basis, Place
from build_tools.diagnostics.visible import show_on_line

_TARGET = re.compile(
    r"""\]\((?:claim|given|stated):(?:[^()"']|"[^"]*"|'[^']*'|\((?:[^()]|\([^()]*\))*\))*\)"""
)
_NEIGHBOURS = 4
"""Lines of the paragraph shown before and after the finding's own."""
_WIDTH = 96
"""Characters of a row; longer lines are broken into several."""
_LONGEST = 960
"""Characters shown of a line; a longer one is cut around the finding."""
_WHOLE = 8 * _WIDTH
"""Columns enough for any row."""
_MOST_COMPANIONS = 8


def describe_item(
    reading: Reading, page: ReadPage, item: Item, count: str, taken: Sequence[Mend] = ()
) -> Iterator[str]:
    """The item in lines: place and kind, the paragraph, old and new, what they rest on.

    The paragraph is shown as it will be with the mends that were taken already.
    """
    finding = item.finding
    verdict = finding.kind.value if finding.checked else f"{finding.kind.value}: could not check"
    yield click.style(f"[{count}] {finding.place}: {verdict}", bold=True)
    yield ""
    yield from _show_paragraph(page, item, taken)
    yield ""
    patch = finding.patch
    if patch is not None:
        yield f"  old:    {click.style(show_link(patch.old), fg='red')}"
        yield f"  new:    {click.style(show_link(patch.new), fg='green')}"
    else:
        yield f"  stated: {show_on_line(finding.stated)}"
    yield f"  true:   {show_on_line(finding.true)}"
    basis = finding.basis or _find_basis(item.verdict)
    for name in ("value", "band", "gpu", "record"):
        text = getattr(basis, name) if basis else ""
        if text:
            yield f"  {name + ':':<8}{show_on_line(text)}"
    yield f"  do:     {show_on_line(finding.advice)}"
    yield from _list_companions(reading, page, item)


def show_link(text: str) -> str:
    """What a patch replaces or writes: where it holds part of a link, the link with its target cut.

    ``about [2 ms`` is ``about [2 ms](…)``.
    """
    shown = _TARGET.sub("](…)", text)
    opened, closed = shown.find("["), shown.find("]")
    if closed >= 0 and not 0 <= opened < closed:
        shown = "[" + shown
    elif opened >= 0 and closed < 0:
        shown += "](…)"
    return show_on_line(shown)


def _find_basis(verdict: Verdict | None) -> Basis | None:
    """What the claim's proof rests on, where the finding itself does not say."""
    if verdict is None or verdict.proof is None:
        return None
    proof = verdict.proof
    record = f"{proof.record}.json" if proof.record else ""
    return Basis(proof.value, proof.band, proof.device, record)


def _apply_taken(page: ReadPage, place: Place, taken: Sequence[Mend]) -> tuple[list[str], Place]:
    """The page's lines with what was taken already, and where a place is then."""
    patches = [mend.patch for mend in taken]
    try:
        text = apply_patches(page.scan.text, patches)
    except PatchError:  # Two that overlap: writing says so.
        return page.scan.text.split("\n"), place
    before = (p for p in patches if p.place.line == place.line and p.place.column < place.column)
    shift = sum(len(patch.new) - len(patch.old) for patch in before)
    return text.split("\n"), replace(place, column=place.column + shift)


def _show_paragraph(page: ReadPage, item: Item, taken: Sequence[Mend]) -> Iterator[str]:
    """The lines around the finding, up to empty ones, with a mark under what it speaks of."""
    lines, place = _apply_taken(page, item.finding.place, taken)
    here = min(place.line, len(lines)) - 1
    first = last = here
    while first > 0 and here - first < _NEIGHBOURS and lines[first - 1].strip():
        first -= 1
    while last + 1 < len(lines) and last - here < _NEIGHBOURS and lines[last + 1].strip():
        last += 1
    wide = len(str(last + 1))
    for index in range(first, last + 1):
        if index == here:
            start = place.column - 1
            line = _cut_line(SourceLine(lines[index], start, start + _measure_mark(item)))
        else:
            line = _cut_line(SourceLine(lines[index], 0, 0))
        for row, (text, mark) in enumerate(_wrap_line(line)):
            yield f"  {'' if row else index + 1:>{wide}} | {text}".rstrip()
            if mark:
                yield f"  {'':>{wide}} | {mark}"


def _measure_mark(item: Item) -> int:
    """How many characters are marked: the link's text with its brackets, or as much as known."""
    finding = item.finding
    if item.verdict is not None and finding.place == item.verdict.claim.place:
        return len(item.verdict.claim.text) + 2
    return finding.length or max(1, len(finding.stated.strip("`")))


def _cut_line(line: SourceLine) -> SourceLine:
    """A very long line cut around its mark, so that it does not fill the screen."""
    length = len(line.text)
    start = max(0, min(line.start, length - 1))
    end = min(line.end, length, start + _LONGEST // 2)
    if length <= _LONGEST:
        return SourceLine(line.text, start, end)
    first = max(0, min(start - _LONGEST // 4, length - _LONGEST))
    last = first + _LONGEST
    before, after = "…" if first else "", "…" if last < length else ""
    moved = len(before) - first
    return SourceLine(before + line.text[first:last] + after, start + moved, end + moved)


def _wrap_line(line: SourceLine) -> Iterator[tuple[str, str]]:
    """The line in rows broken at spaces, each with its mark, or an empty text for none."""
    position = 0
    text = line.text
    while True:
        end = len(text)
        if end - position > _WIDTH:
            space = text.rfind(" ", position + 1, position + _WIDTH)
            end = space + 1 if space > 0 else position + _WIDTH
        inside = position <= line.start < end and line.end > line.start
        start = max(0, line.start - position)
        part = SourceLine(text[position:end], start, min(line.end, end) - position)
        row, mark = draw_line(part if inside else SourceLine(part.text, 0, 0), _WHOLE)
        yield row, mark if inside else ""
        position = end
        if position >= len(text):
            return


def _list_companions(reading: Reading, page: ReadPage, item: Item) -> Iterator[str]:
    """Other claims that rest on the same, each with whether it holds."""
    if item.verdict is None:
        return
    claim = item.verdict.claim
    companions = find_companions(reading.course, reading.rests, page.path, claim)
    if not companions:
        return
    yield "  resting on the same:"
    for companion in companions[:_MOST_COMPANIONS]:
        other = companion.claim
        verdict = reading.pages[companion.path].verdicts[other.number]
        state = ", ".join(finding.kind.value for finding in verdict.findings) or "holds"
        same = " (the same expression)" if companion.same_expression else ""
        yield f"    {other.place}: `{show_on_line(other.text)}` {state}{same}"
    more = len(companions) - _MOST_COMPANIONS
    if more > 0:
        yield f"    and {more} more"
