"""Which records does a program have, which are fresh, and what is wrong with them?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.evidence.home import (
    EVIDENCE,
    check_home,
    is_record_path,
    list_identities,
    order_identity,
    read_json,
)
from build_tools.evidence.loaded import LoadedRecord, Shelf, State
from build_tools.evidence.model import Record
from build_tools.evidence.part_judge import judge_parts
from build_tools.evidence.part_model import Check, PartKind
from build_tools.evidence.parts import PartFolder, check_asked, find_newest, read_part_folder
from build_tools.evidence.reader import check_reader, is_check_current
from build_tools.evidence.readme import check_readme
from build_tools.evidence.record import check_form, decode_record, place_value
from build_tools.evidence.repeats import find_repeats, report_repeat
from build_tools.evidence.stamp import check_stamp
from build_tools.evidence.verify import list_files, verify_record
from build_tools.source.model import Program, Settings, slugify_device

__all__ = [
    "EVIDENCE",
    "check_home",
    "describe_change",
    "find_strays",
    "is_record_path",
    "list_identities",
    "order_identity",
    "read_json",
    "read_other_shelves",
    "read_shelf",
]


@dataclass(frozen=True)
class _Shelved:
    """A record's file that could be read."""

    record: Record
    path: str
    text: str


@dataclass(frozen=True)
class _Read:
    """All that was read of one device's folder."""

    folder: str
    shelved: list[_Shelved]
    unread: list[str]
    """Short names of records that could not be read."""
    parts: PartFolder


def read_shelf(root: Path, program: Program, settings: Settings) -> tuple[Shelf, list[Finding]]:
    """The program's records of the reference device, newest first, and all that is wrong.

    Fresh records are verified to the last digit; of stale ones only the JSON is. A program
    without a fresh record is itself a finding.
    """
    slug = settings.reference_slug
    if not slug:
        return Shelf(program.name, ()), []  # said already, by the settings
    folder = f"{EVIDENCE}/{program.name}/{slug}"
    shelved, findings, unread = _read_folder(root, folder, program.name)
    parts, found = read_part_folder(root, program, folder)
    findings += found
    read = _Read(folder, shelved, unread, parts)
    shelf, found = _load_shelf(root, program, settings.reference_gpu, read)
    findings += found
    shelf = _take_later_check(root, program, shelf)
    shown = shelf.shown_record
    if shown is None:
        findings.append(_report_unverified(program, settings, shelf, len(unread)))
    else:
        text = next(item.text for item in shelved if item.path == shown.path)
        findings += check_reader(root, program, shown, text)
    findings += check_stamp(program, shown)
    findings += check_readme(root, program, shown)
    findings += check_asked(root, program, shelf, settings.reference_gpu, parts.rejected)
    findings += judge_parts(program, shelf)
    return shelf, findings


def _take_later_check(root: Path, program: Program, shelf: Shelf) -> Shelf:
    """The shelf whose shown record has the newest reader's check, where its own is stale."""
    shown = shelf.shown_record
    newest = find_newest(shelf, PartKind.CHECK)
    part = newest.part if newest is not None else None
    if shown is None or not isinstance(part, Check) or part.check is None:
        return shelf
    if is_check_current(root, program, shown.record.reader_check):
        return shelf
    later = replace(shown, later_check=part.check)
    records = tuple(later if record is shown else record for record in shelf.records)
    return replace(shelf, records=records)


def read_other_shelves(
    root: Path, program: Program, settings: Settings
) -> tuple[dict[str, Shelf], list[Finding]]:
    """The program's records of other devices by their folder's name, verified like any.

    That none is fresh is no finding: the course speaks of the reference device.
    """
    shelves: dict[str, Shelf] = {}
    findings: list[Finding] = []
    base = root / EVIDENCE / program.name
    for location in sorted(base.iterdir()) if base.is_dir() else []:
        slug = location.name
        if not location.is_dir() or slug in ("", settings.reference_slug):
            continue
        folder = f"{EVIDENCE}/{program.name}/{slug}"
        shelved, found, unread = _read_folder(root, folder, program.name)
        findings += found
        newest = max(shelved, key=_order, default=None)
        model = newest.record.device.model if newest else ""
        parts, found = read_part_folder(root, program, folder)
        findings += found
        read = _Read(folder, shelved, unread, parts)
        shelf, found = _load_shelf(root, program, model, read)
        findings += found
        if shelf.records:
            shelves[slug] = shelf
    return shelves, findings


def _load_shelf(root: Path, program: Program, gpu: str, read: _Read) -> tuple[Shelf, list[Finding]]:
    """The records and parts of one device's folder, newest first, and what belongs to none."""
    findings = _find_orphans(root, read)
    loaded: list[LoadedRecord] = []
    repeats = find_repeats({item.path: item.record for item in read.shelved})
    for item in sorted(read.shelved, key=_order, reverse=True):
        if item.path in repeats:
            first = repeats[item.path]
            findings.append(report_repeat(item.record, item.path, first, item.text))
            continue
        record, wrong = _load_record(root, program, gpu, item)
        findings += wrong
        if record is not None:
            loaded.append(record)
    return Shelf(program.name, tuple(loaded), tuple(read.parts.parts)), findings


def find_strays(root: Path, programs: Iterable[str]) -> list[Finding]:
    """Whatever stands in the evidence folder and belongs to no program or no GPU."""
    base = root / EVIDENCE
    if not base.is_dir():
        return []
    known = set(programs)
    findings = []
    for entry in sorted(base.iterdir()):
        if entry.name == ".gitkeep":
            continue
        if entry.name not in known or not entry.is_dir():
            path = f"{EVIDENCE}/{entry.name}"
            findings.append(_report_orphan(path, "no program of this name is in snippets/"))
            continue
        findings += [
            _report_orphan(f"{EVIDENCE}/{entry.name}/{inner.name}", "it is no folder of a GPU")
            for inner in sorted(entry.iterdir())
            if not inner.is_dir() or slugify_device(inner.name) != inner.name
        ]
    return findings


def _order(item: _Shelved) -> tuple[str, tuple[str, int]]:
    stem = item.path.rsplit("/", 1)[-1].removesuffix(".json")
    return item.record.started, order_identity(stem)


def _read_folder(
    root: Path, folder: str, name: str
) -> tuple[list[_Shelved], list[Finding], list[str]]:
    """The records of a folder, what is wrong with others, and the short names of those."""
    location = root / folder
    if not location.is_dir():
        return [], [], []
    shelved: list[_Shelved] = []
    findings: list[Finding] = []
    unread: list[str] = []
    for identity in list_identities(entry.name for entry in location.iterdir()):
        path = f"{folder}/{identity}.json"
        text, wrong = read_json(root, path)
        record = None
        if text is not None:
            record, wrong = decode_record(text, path)
        findings += wrong
        if text is None or record is None:
            unread.append(identity)
            continue
        findings += check_home(record, path, text, name)
        findings += check_form(text, record, path)
        shelved.append(_Shelved(record, path, text))
    return shelved, findings, unread


def _load_record(
    root: Path, program: Program, gpu: str, item: _Shelved
) -> tuple[LoadedRecord | None, list[Finding]]:
    record = item.record
    if record.device.model != gpu:
        if slugify_device(record.device.model) != slugify_device(gpu):
            return None, []  # said already, by its folder
        return None, [
            Finding(
                Kind.RECORD,
                place_value(item.text, item.path, "device", "model"),
                f"`{record.device.model}`",
                f"the device of this folder is `{gpu}`",
                "name the GPU in course.toml as the driver does",
            )
        ]
    if record.program != program.name or record.code_digest != program.code_digest:
        return LoadedRecord(record, item.path, State.STALE, (), ""), []
    contents, findings = verify_record(root, program, record, item.path, item.text)
    if contents is None:
        return None, findings
    return LoadedRecord(
        record,
        item.path,
        State.FRESH,
        contents.transcripts,
        contents.shown_text,
        contents.report_text,
    ), findings


def _find_orphans(root: Path, read: _Read) -> list[Finding]:
    """Files of the folder that no record or part names; those of unreadable ones are left alone."""
    folder = read.folder
    location = root / folder
    if not location.is_dir():
        return []
    named = {item.path for item in read.shelved} | read.parts.named
    named |= {file.path for item in read.shelved for file in list_files(item.record).values()}
    unread = [*read.unread, *read.parts.unread]
    findings = []
    for entry in sorted(location.rglob("*")):
        path = entry.relative_to(root).as_posix()
        stem = entry.relative_to(location).parts[0].split(".")[0]
        if path in named or stem in unread or (entry.is_dir() and not entry.is_symlink()):
            continue
        findings.append(_report_orphan(path, f"no record in {folder} names it"))
    return findings


def _report_orphan(path: str, true: str) -> Finding:
    return Finding(
        Kind.ORPHAN,
        Place(path),
        f"evidence `{path.rsplit('/', 1)[-1]}`",
        true,
        "remove it, or restore what it belongs to",
    )


def _report_unverified(program: Program, settings: Settings, shelf: Shelf, unread: int) -> Finding:
    """The finding for a program without a fresh record: stale when there are others."""
    verified = program.header.verified
    place = verified.place if verified else Place(program.path)
    advice = f"on an {settings.reference_gpu}: course run {program.name}"
    if not shelf.records:
        true = f"{EVIDENCE}/{program.name}/{settings.reference_slug} holds no record"
        if unread:
            true += f" that could be used ({unread} could not be read)"
        return Finding(Kind.MISSING, place, f"program `{program.name}`", true, advice)
    newest = shelf.records[0]
    return Finding(
        Kind.STALE,
        place,
        f"`{program.name}` was verified on {newest.record.started[:10]} ({newest.path})",
        describe_change(newest.record, program),
        advice,
    )


def describe_change(record: Record, program: Program) -> str:
    """What is known to differ between a record's program and the program as it is now."""
    changes = []
    if record.build.stated_command != program.header.build:
        changes.append(
            f"its Build was `{record.build.stated_command}` and is `{program.header.build}`"
        )
    required = program.declaration.requires_compute_capability
    if record.requirements.get("compute_capability", "") != required:
        changes.append(f"it now requires compute capability {required or 'nothing'}")
    first = record.processes[0] if record.processes else None
    command = " ".join(first.command) if first else ""
    run = " ".join(program.header.run.split())
    # Behind the Run command it was told where its samples go.
    adds_samples = first is not None and first.samples is not msgspec.UNSET
    if command != run and not (adds_samples and command.startswith(f"{run} ")):
        changes.append(f"its Run was `{command}` and is `{run}`")
    return "; ".join(changes) or "its code, or that of a file it includes, changed since"
