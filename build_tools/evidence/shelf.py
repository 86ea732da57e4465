"""Which records does a program have, which are fresh, and what is wrong with them?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.evidence.model import LoadedRecord, Record, Shelf, State
from build_tools.evidence.reader import check_reader
from build_tools.evidence.readme import check_readme
from build_tools.evidence.record import (
    LARGEST_RECORD,
    check_form,
    decode_record,
    place_value,
)
from build_tools.evidence.stamp import check_stamp
from build_tools.evidence.verify import list_files, verify_record
from build_tools.source.model import Program, Settings, slugify_device

EVIDENCE = "evidence"
"""The folder of all records, from the root."""

_IDENTITY = re.compile(r"run-(?P<date>\d{4}-\d{2}-\d{2})(?:-(?P<count>[2-9]|[1-9]\d+))?")


@dataclass(frozen=True)
class _Shelved:
    """A record's file that could be read."""

    record: Record
    path: str
    text: str


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
    shelf, found = _load_shelf(root, program, settings.reference_gpu, folder, shelved, unread)
    findings += found
    shown = shelf.shown_record
    if shown is None:
        findings.append(_report_unverified(program, settings, shelf, len(unread)))
    else:
        text = next(item.text for item in shelved if item.path == shown.path)
        findings += check_reader(root, program, shown, text)
    findings += check_stamp(program, shown)
    findings += check_readme(root, program, shown)
    return shelf, findings


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
        shelf, found = _load_shelf(root, program, model, folder, shelved, unread)
        findings += found
        if shelf.records:
            shelves[slug] = shelf
    return shelves, findings


def _load_shelf(
    root: Path, program: Program, gpu: str, folder: str, shelved: list[_Shelved], unread: list[str]
) -> tuple[Shelf, list[Finding]]:
    """The records of one device's folder, newest first, and what belongs to none of them."""
    findings = _find_orphans(root, folder, shelved, unread)
    loaded: list[LoadedRecord] = []
    for item in sorted(shelved, key=_order, reverse=True):
        record, wrong = _load_record(root, program, gpu, item)
        findings += wrong
        if record is not None:
            loaded.append(record)
    return Shelf(program.name, tuple(loaded)), findings


def list_identities(names: Iterable[str]) -> list[str]:
    """The records' short names among a folder's file names, oldest first."""
    stems = {name.removesuffix(".json") for name in names if name.endswith(".json")}
    return sorted((s for s in stems if _IDENTITY.fullmatch(s)), key=order_identity)


def order_identity(identity: str) -> tuple[str, int]:
    """What sorts records by date, then by number within the day."""
    match = _IDENTITY.fullmatch(identity)
    return (match["date"], int(match["count"] or 1)) if match else ("", 0)


def is_record_path(path: str) -> bool:
    """Whether a path from the root is that of a record's JSON."""
    parts = path.split("/")
    name = parts[-1].removesuffix(".json")
    return len(parts) == 4 and path.endswith(".json") and bool(_IDENTITY.fullmatch(name))


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


def read_json(root: Path, path: str) -> tuple[str | None, list[Finding]]:
    """A record's file as text, or why it cannot be had."""
    location = root / path
    advice = "restore the file from version control, or measure again: course run"
    try:
        if location.is_symlink() or not location.is_file():
            true = "evidence is kept in plain files, and this is none"
            return None, [Finding(Kind.RECORD, Place(path), "a record", true, advice)]
        data = location.read_bytes()
    except OSError as error:
        true = f"it cannot be read: {error.strerror}"
        return None, [Finding(Kind.RECORD, Place(path), "a record", true, advice, checked=False)]
    if len(data) > LARGEST_RECORD:
        true = f"it holds more than {LARGEST_RECORD // 1024} KiB"
        return None, [Finding(Kind.RECORD, Place(path), "a record", true, advice)]
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8")) + 1
        true = f"byte {error.start} is no UTF-8"
        return None, [Finding(Kind.RECORD, Place(path, line, column), "a record", true, advice)]


def check_home(record: Record, path: str, text: str, name: str) -> list[Finding]:
    """Whether the record lies in its own program's, GPU's and day's file."""
    _, _, slug, file = path.split("/")
    match = _IDENTITY.fullmatch(file.removesuffix(".json"))
    date = match["date"] if match else ""
    wrong = [
        (("program",), record.program, f"the folder is that of `{name}`", record.program == name),
        (
            ("device", "model"),
            record.device.model,
            f"the folder is that of `{slug}`",
            slugify_device(record.device.model) == slug,
        ),
        (("started",), record.started, f"the file is named {date}", record.started[:10] == date),
    ]
    return [
        Finding(
            Kind.RECORD,
            place_value(text, path, *keys),
            f"`{stated}`",
            true,
            "keep records where they were written; move the file back",
        )
        for keys, stated, true, agrees in wrong
        if not agrees
    ]


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


def _find_orphans(
    root: Path, folder: str, shelved: list[_Shelved], unread: list[str]
) -> list[Finding]:
    """Files of the folder that no record names; those of unreadable records are left in peace."""
    location = root / folder
    if not location.is_dir():
        return []
    named = {item.path for item in shelved}
    named |= {file.path for item in shelved for file in list_files(item.record).values()}
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
    command = " ".join(record.processes[0].command) if record.processes else ""
    run = " ".join(program.header.run.split())
    if command != run:
        changes.append(f"its Run was `{command}` and is `{run}`")
    return "; ".join(changes) or "its code, or that of a file it includes, changed since"
