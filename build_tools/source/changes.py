"""What changed between a program as it was and as it is, and where first?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from build_tools.diagnostics.finding import Place
from build_tools.source.model import Program
from build_tools.source.regions import decode_source
from build_tools.source.tokens import Token, TokenKind, scan_source


@dataclass(frozen=True)
class Change:
    """One thing that the code digest covers and that differs."""

    what: str
    """``token``, ``Build``, ``Run``, ``runs``, ``requires``, ``include`` or ``code``; the last
    where it is known that something changed, and not what."""
    place: Place
    """Where it stands now."""
    was: str
    """As it was; empty for what is new, or not known."""
    now: str
    """As it is; empty for what is gone, or not known."""


def read_texts(root: Path, program: Program) -> dict[str, str]:
    """The texts of a program and of what it includes, by path; what cannot be read is left out."""
    texts = {program.path: program.text}
    for path in program.includes:
        try:
            text, _ = decode_source((root / path).read_bytes(), path)
        except OSError:
            continue
        if text is not None:
            texts[path] = text
    return texts


def compare_programs(
    before: Program,
    after: Program,
    texts_before: Mapping[str, str],
    texts_after: Mapping[str, str],
) -> tuple[Change, ...]:
    """All that the code digest covers and that differs: commands, and each file's first token.

    The texts are those of ``read_texts``.
    """
    changes = []
    header, old = after.header, before.header
    declared, stated = after.declaration, before.declaration
    for what, place, was, now in (
        ("Build", header.build_place, _fold(old.build), _fold(header.build)),
        ("Run", header.run_place, _fold(old.run), _fold(header.run)),
        (
            "requires",
            Place(declared.path),
            stated.requires_compute_capability,
            declared.requires_compute_capability,
        ),
    ):
        if was != now:
            changes.append(Change(what, place, was, now))
    for name in sorted({*stated.runs, *declared.runs}):
        if stated.runs.get(name) != declared.runs.get(name):
            was, now = (" ".join(runs.get(name, ())) for runs in (stated.runs, declared.runs))
            changes.append(Change("runs", Place(declared.path), f"{name}: {was}", f"{name}: {now}"))
    for path in dict.fromkeys([after.path, *after.includes, *before.includes]):
        if path not in texts_after:
            changes.append(Change("include", Place(after.path), path, ""))
        elif path not in texts_before:
            changes.append(Change("include", Place(path), "", path))
        else:
            change = find_changed_token(path, texts_before[path], texts_after[path])
            if change is not None:
                changes.append(change)
    return tuple(changes)


def find_changed_token(path: str, before: str, after: str) -> Change | None:
    """The first token that differs, placed in the text as it is; None when none does."""
    scan = scan_source(after)
    for was, now in zip_longest(scan_source(before).tokens, scan.tokens):
        if _mean(was) == _mean(now):
            continue
        line, column = scan.locate(now.start if now is not None else len(after.rstrip()))
        return Change("token", Place(path, line, column), _mean(was), _mean(now))
    return None


def _mean(token: Token | None) -> str:
    """A token as the code digest takes it: a directive's end is the end of its line."""
    if token is None:
        return ""
    return "\n" if token.kind is TokenKind.END else token.text


def _fold(command: str) -> str:
    return " ".join(command.split())
