"""Which parts does a program have beside its records, which are fresh, and what is wrong?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import msgspec

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.evidence.canonical import find_difference
from build_tools.evidence.home import check_home, list_identities, order_identity, read_json
from build_tools.evidence.loaded import Shelf, State
from build_tools.evidence.part_derive import derive_part, list_part_files
from build_tools.evidence.part_digest import (
    compose_asked,
    compute_part_digest,
    list_asked_parts,
    place_part,
)
from build_tools.evidence.part_model import PART_TYPES, LoadedPart, Part, PartKind
from build_tools.evidence.pool import describe_ground
from build_tools.evidence.record import check_form, decode_sealed, encode_record, place_value
from build_tools.evidence.transcript import decode_transcript
from build_tools.evidence.verify import read_side_file
from build_tools.source.model import Program, slugify_device


@dataclass
class PartFolder:
    """The parts in one device's folder."""

    parts: list[LoadedPart] = field(default_factory=list)
    """Newest first."""
    named: set[str] = field(default_factory=set)
    """Paths of all their files."""
    unread: list[str] = field(default_factory=list)
    """Short names of those that could not be read."""
    rejected: set[PartKind] = field(default_factory=set)
    """Kinds of those that are not what was written: their own findings say so."""


def read_part_folder(root: Path, program: Program, folder: str) -> tuple[PartFolder, list[Finding]]:
    """All parts of a folder; fresh ones are verified to the last digit, of others only the JSON.

    A part that is not what was written, or not what its files come to, is left out: nothing rests
    on it.
    """
    found = PartFolder()
    findings: list[Finding] = []
    location = root / folder
    names = [entry.name for entry in location.iterdir()] if location.is_dir() else []
    for kind in PartKind:
        loaded: list[LoadedPart] = []
        for identity in list_identities(names, kind.value):
            path = f"{folder}/{identity}.json"
            part, text, wrong = read_part(root, path, kind, program.name)
            findings += wrong
            if part is None:
                found.unread.append(identity)
                found.rejected.add(kind)
                continue
            found.named |= {path, *(file.path for file in list_part_files(part).values())}
            opened, more = open_part(root, program, part, path, text)
            findings += more
            if opened is None or wrong:
                found.rejected.add(kind)
            else:
                loaded.append(opened)
        loaded.sort(key=lambda p: (p.part.started, order_identity(p.identity)), reverse=True)
        found.parts += loaded
    return found, findings


def read_part(
    root: Path, path: str, kind: PartKind, name: str
) -> tuple[Part | None, str, list[Finding]]:
    """A part's JSON, decoded, its text, and what is wrong with its form and place."""
    text, findings = read_json(root, path)
    if text is None:
        return None, "", findings
    part, findings = decode_sealed(text, path, PART_TYPES[kind])
    if part is None:
        return None, text, findings
    findings = check_home(part, path, text, name) + check_form(text, part, path)
    if part.part != kind.value:
        place = place_value(text, path, "part")
        advice = "keep parts where they were written; move the file back"
        true = f"the file is named {kind.value}"
        findings.append(Finding(Kind.RECORD, place, f"`{part.part}`", true, advice))
    return part, text, findings


def open_part(
    root: Path, program: Program, part: Part, path: str, text: str
) -> tuple[LoadedPart | None, list[Finding]]:
    """The part with its raw files and whether it is fresh; None when it is not what they say.

    ``text`` is what the JSON at ``path`` holds.
    """
    kind = PartKind(part.part)
    if part.program != program.name or part.digest != compute_part_digest(root, program, kind):
        return LoadedPart(part, path, State.STALE), []
    findings: list[Finding] = []
    texts: dict[str, str] = {}
    for route, file in list_part_files(part).items():
        place = partial(place_value, text, path, *route)
        data, wrong = read_side_file(root, file, path, place, program.name)
        findings += wrong
        if data is not None:
            texts[file.path] = decode_transcript(data)
    if findings:
        return None, findings
    derived, findings = derive_part(program, part, texts)
    findings += _compare(part, derived, path, text, program.name)
    if findings:
        return None, findings
    return LoadedPart(part, path, State.FRESH, texts), []


def _compare(part: Part, derived: Part, path: str, text: str, name: str) -> list[Finding]:
    """Where the JSON first differs from what its raw files come to; seals stand aside."""
    true = encode_record(msgspec.structs.replace(derived, seals=part.seals))
    if true == text or derived == part:
        return []
    line, column, stated, wanted = find_difference(text, true)
    return [
        Finding(
            Kind.RECORD,
            Place(path, line, column),
            f"`{stated.strip()[:100]}`",
            f"its raw files come to `{wanted.strip()[:100]}`",
            f"restore the file from version control, or measure again: course run {name}",
        )
    ]


def list_fresh(shelf: Shelf, kind: PartKind) -> tuple[LoadedPart, ...]:
    """The fresh parts of a kind, newest first; those that hold nothing left out."""
    return tuple(
        p for p in shelf.parts if p.kind is kind and _is_fresh(p) and not p.part.could_not_check
    )


def find_newest(shelf: Shelf, kind: PartKind) -> LoadedPart | None:
    """The newest fresh part of a kind, also one that holds only why there is nothing in it."""
    return next((p for p in shelf.parts if p.kind is kind and _is_fresh(p)), None)


def select_part_pool(shelf: Shelf, kind: PartKind) -> tuple[LoadedPart, ...]:
    """The fresh parts of a kind that speak together: made on what the newest was made on."""
    fresh = list_fresh(shelf, kind)
    grounds = [describe_ground(loaded.part.device, loaded.part.build) for loaded in fresh]
    return tuple(part for part, ground in zip(fresh, grounds, strict=True) if ground == grounds[0])


def _is_fresh(loaded: LoadedPart) -> bool:
    return loaded.state is State.FRESH


def check_asked(
    root: Path, program: Program, shelf: Shelf, gpu: str, rejected: Collection[PartKind]
) -> list[Finding]:
    """A finding for each part that is asked for and has no fresh evidence.

    Those that were ``rejected`` have findings of their own. A program without a fresh record has that said already, and the same run makes both.
    """
    if not shelf.fresh:
        return []
    findings = []
    for kind in list_asked_parts(program):
        if find_newest(shelf, kind) is not None or kind in rejected:
            continue
        place = place_part(program, kind)
        advice = f"on an {gpu}: course run --parts {kind} {program.name}"
        stale = next((p for p in shelf.parts if p.kind is kind), None)
        if stale is None:
            stated = f"{kind} of `{program.name}`"
            true = f"there is none in evidence/{program.name}/{slugify_device(gpu)}"
            findings.append(Finding(Kind.MISSING, place, stated, true, advice))
            continue
        stated = f"{kind} of `{program.name}`, made on {stale.part.started[:10]} ({stale.path})"
        true = describe_part_change(root, program, stale.part)
        findings.append(Finding(Kind.STALE, place, stated, true, advice))
    return findings


def describe_part_change(root: Path, program: Program, part: Part) -> str:
    """What is known to differ between what a part was made for and what is asked now."""
    if part.code_digest != program.code_digest:
        return "the program's code changed since"
    asked = compose_asked(root, program, PartKind(part.part))
    return "what is asked changed since: " + "; ".join(
        list(_list_changes(part.asked, asked, ""))[:3]
    )


def _list_changes(
    before: Mapping[str, object], after: Mapping[str, object], name: str
) -> Iterable[str]:
    for key in sorted({*before, *after}):
        was, now = before.get(key), after.get(key)
        if was == now:
            continue
        here = f"{name}.{key}" if name else key
        if isinstance(was, Mapping) and isinstance(now, Mapping):
            yield from _list_changes(was, now, here)
        elif key not in before:
            yield f"`{here}` is new"
        elif key not in after:
            yield f"`{here}` is gone"
        else:
            yield f"`{here}` is another"
