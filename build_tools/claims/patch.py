"""What does a page's file hold after some of its characters were replaced, and nothing else?

Places are those of the scanned text: without BOM, line ends as LF. A file has its own; only the
characters of a patch change, so that BOM, line ends, tabs and a missing last newline stay.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from build_tools.claims.model import Claim
from build_tools.diagnostics.finding import Patch, Place

_LINE_END = re.compile(r"\r\n|\r|\n")
_BOM = "\ufeff"


class PatchError(ValueError):
    """A patch that does not fit the text; ``place`` says where, ``advice`` what to do."""

    def __init__(self, place: Place, message: str, advice: str) -> None:
        super().__init__(message)
        self.place = place
        self.advice = advice


def compose_patch(claim: Claim, text: str) -> Patch | None:
    """Another text for a claim's link; None for an empty one."""
    if not text:
        return None
    place = replace(claim.place, column=claim.place.column + 1)
    return Patch(place, claim.text, text)


@dataclass(frozen=True)
class Located:
    """A patch with the offset in a text at which its characters begin."""

    start: int
    patch: Patch

    @property
    def end(self) -> int:
        return self.start + len(self.patch.old)


def locate_patches(text: str, patches: Sequence[Patch]) -> list[Located]:
    """Where each patch begins in a text with any line ends, first to last.

    Raises PatchError when the text does not hold what is to be replaced, or two patches overlap.
    """
    first = 1 if text.startswith(_BOM) else 0
    starts = [first, *(match.end() for match in _LINE_END.finditer(text))]
    located = sorted(
        (_locate(text, starts, patch) for patch in patches), key=lambda found: found.start
    )
    for before, after in itertools.pairwise(located):
        if after.start < before.end or after.start == before.start:
            raise PatchError(
                after.patch.place,
                f"`{after.patch.old}` and `{before.patch.old}` overlap",
                "take one of them, and review the page again",
            )
    return located


def _locate(text: str, starts: Sequence[int], patch: Patch) -> Located:
    place = patch.place
    if _LINE_END.search(patch.old + patch.new):
        raise PatchError(place, "a line end stands in what is replaced", "keep to one line")
    found = ""
    if 0 < place.line <= len(starts) and place.column > 0:
        start = starts[place.line - 1] + place.column - 1
        found = text[start : start + len(patch.old)]
        if patch.old and found == patch.old:
            return Located(start, patch)
    raise PatchError(
        place,
        f"`{found}` stands there, not `{patch.old}`",
        "the page is another one than was read; review it again",
    )


def apply_patches(text: str, patches: Sequence[Patch]) -> str:
    """The text with each patch's characters replaced. Raises PatchError."""
    parts = []
    position = 0
    for found in locate_patches(text, patches):
        parts += [text[position : found.start], found.patch.new]
        position = found.end
    return "".join(parts) + text[position:]


def patch_bytes(data: bytes, patches: Sequence[Patch]) -> bytes:
    """A page's bytes, UTF-8, with each patch's characters replaced. Raises PatchError."""
    return apply_patches(data.decode("utf-8"), patches).encode("utf-8")
