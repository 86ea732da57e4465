"""Was there nothing to run the last time this was asked, and has no byte changed since?

`course run` reads and verifies all evidence before it knows that nothing is to be done. Its answer
hangs on files alone, so it is kept with a digest of all of them: of the sources, the evidence, the
settings and these tools themselves. Whatever changes, the next run verifies anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import build_tools
from build_tools.source.environment import may_keep

MEMORY = ".cache/course/nothing-to-run.json"
"""From the root: the digest of the last run that had nothing to do, and what it said."""

_LARGEST = 65536
"""Bytes; a larger file was not written by this."""


def compute_ground_digest(root: Path, names: Sequence[str], parts: Iterable[str] | None) -> str:
    """SHA-256 over all that `course run` looks at when it decides what is to be done.

    ``names`` and ``parts`` are what it was asked for, None for all parts. Raises OSError when something of it cannot
    be read.
    """
    digest = hashlib.sha256()
    for word in (sys.version, *names, "", *(sorted(parts) if parts is not None else ("all",))):
        digest.update(f"{word}\0".encode())
    tools = Path(build_tools.__file__).parent
    for top in (root / "course.toml", root / "snippets", root / "evidence", tools):
        for path in _list_files(top):
            data = path.read_bytes()
            digest.update(f"{path.relative_to(top)}\0{len(data)}\0".encode())
            digest.update(data)
    return digest.hexdigest()


def recall_nothing(
    root: Path, names: Sequence[str], parts: Iterable[str] | None
) -> list[str] | None:
    """What the last run said that had nothing to do; None when anything may have changed."""
    if not may_keep(os.environ):
        return None
    try:
        data = (root / MEMORY).read_bytes()[:_LARGEST]
        kept = json.loads(data)
        lines = kept["lines"]
        if kept["digest"] != compute_ground_digest(root, names, parts):
            return None
        return [str(line) for line in lines] if isinstance(lines, list) else None
    except (OSError, ValueError, LookupError, TypeError):
        return None


def remember_nothing(
    root: Path, names: Sequence[str], parts: Iterable[str] | None, lines: Sequence[str]
) -> None:
    """Keep that there was nothing to do, and what was said; where it cannot be kept, it is not."""
    if not may_keep(os.environ):
        return
    with contextlib.suppress(OSError):
        kept = {"digest": compute_ground_digest(root, names, parts), "lines": list(lines)}
        target = root / MEMORY
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f"{target.name}.{os.getpid()}")
        part.write_text(json.dumps(kept, indent=1), "utf-8")
        part.replace(target)


def tell_progress(line: str) -> None:
    """A line on what happens, beside what the command prints."""
    print(line, file=sys.stderr, flush=True)  # noqa: T201 - progress


def _list_files(top: Path) -> list[Path]:
    """A file itself, or all files in a folder, in the order of their paths."""
    if top.is_file():
        return [top]
    found = []
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name != "__pycache__"]
        found += [Path(folder, name) for name in names]
    return sorted(found)
