"""Was there nothing to run the last time this was asked, and has no byte changed since?

`course run` reads and verifies all evidence before it knows that nothing is to be done. Its answer
hangs on files alone, so it is kept under a digest of all of them: of the sources, the evidence, the
settings and these tools themselves. Whatever changes, the next run verifies anew.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from build_tools.source.find_root import PROJECT_FILE
from build_tools.source.store import (
    digest_files,
    digest_tools,
    open_store,
    read_entry,
    write_entry,
)

KIND = "nothing-to-run"
"""What the entries of such answers are called."""

_READ = (PROJECT_FILE, "snippets", "evidence")


def compute_ground_digest(root: Path, names: Sequence[str], parts: Iterable[str] | None) -> str:
    """A digest of all that `course run` looks at when it decides what is to be done.

    ``names`` and ``parts`` are what it was asked for, None for all parts.
    """
    asked = (*names, "", *(sorted(parts) if parts is not None else ("all",)))
    words = (digest_tools(), digest_files(root, _READ), *asked)
    return hashlib.sha256("\0".join(words).encode("utf-8", "surrogateescape")).hexdigest()


def recall_nothing(
    root: Path, names: Sequence[str], parts: Iterable[str] | None
) -> list[str] | None:
    """What a run said that had nothing to do; None when anything may have changed since."""
    store = open_store(root, os.environ)
    if store is None:
        return None
    lines = read_entry(store, KIND, compute_ground_digest(root, names, parts))
    is_whole = isinstance(lines, list) and all(isinstance(line, str) for line in lines)
    return lines if is_whole else None


def remember_nothing(
    root: Path, names: Sequence[str], parts: Iterable[str] | None, lines: Sequence[str]
) -> None:
    """Keep that there was nothing to do, and what was said."""
    store = open_store(root, os.environ)
    if store is not None:
        write_entry(store, KIND, compute_ground_digest(root, names, parts), list(lines))


def tell_progress(line: str) -> None:
    """A line on what happens, beside what the command prints."""
    print(line, file=sys.stderr, flush=True)  # noqa: T201 - progress
