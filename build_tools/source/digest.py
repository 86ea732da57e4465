"""Is the code the same? One digest over all that decides what a program does when it runs.

Covered: the program's tokens, those of what it includes with quotes, the Build and Run commands,
further runs' arguments and the requirements. Not covered: comments, spacing, line ends, and so
the stamp and the markers; patterns, quantities, names of tables.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence

from build_tools.source.includes import Included
from build_tools.source.model import Declaration
from build_tools.source.tokens import Token, TokenKind

_VERSION = "code digest 1"


def compute_code_digest(
    tokens: Sequence[Token],
    includes: Iterable[Included],
    build: str,
    run: str,
    declaration: Declaration,
) -> str:
    """SHA-256, in hex, of what is covered, written as JSON so that nothing can run together."""
    content = {
        "version": _VERSION,
        "tokens": _list_texts(tokens),
        "includes": [[included.path, _list_texts(included.tokens)] for included in includes],
        "build": " ".join(build.split()),
        "run": " ".join(run.split()),
        "runs": {name: list(args) for name, args in declaration.runs.items()},
        "requires": declaration.requires_compute_capability,
    }
    written = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()


def _list_texts(tokens: Iterable[Token]) -> list[str]:
    """A directive's end is a token, since the line's end is part of its meaning."""
    return ["\n" if token.kind is TokenKind.END else token.text for token in tokens]
