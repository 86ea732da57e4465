"""Which link does somebody paste where an expression is asked for, and what does it cite?

Tools print links, ``[1.5×](claim:add.speedup)``, and what they point to, ``claim:add.speedup``; both
come back as they were printed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from build_tools.claims.model import ClaimKind

_KINDS = "|".join(kind.value for kind in ClaimKind)
_LINK = re.compile(rf"\[(?P<text>.*)\]\((?P<kind>{_KINDS}):(?P<target>.*)\)", re.DOTALL)
_TARGET = re.compile(rf"(?P<kind>{_KINDS}):(?P<target>.*)", re.DOTALL)


@dataclass(frozen=True)
class Pasted:
    """A link, or what one points to."""

    kind: ClaimKind
    target: str
    text: str | None = None
    """The link's words; None where only its target was pasted."""

    @property
    def expression(self) -> str:
        """What it cites as an expression; empty for ``stated:``, which cites nothing."""
        match self.kind:
            case ClaimKind.CLAIM:
                return self.target
            case ClaimKind.GIVEN:
                return f'given["{self.target}"]'
        return ""


def read_pasted(typed: str) -> Pasted | None:
    """The link in a text that is one, with nothing beside it; None for any other text."""
    stripped = typed.strip()
    link = _LINK.fullmatch(stripped)
    match = link or _TARGET.fullmatch(stripped)
    if match is None:
        return None
    text = link["text"] if link else None
    return Pasted(ClaimKind(match["kind"]), match["target"].strip(), text)
