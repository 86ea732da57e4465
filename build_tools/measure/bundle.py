"""How does evidence travel as one file, and is what arrives what was measured?"""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from build_tools.diagnostics.finding import Finding, Kind, Place, suggest_names
from build_tools.evidence.home import find_part_kind
from build_tools.evidence.loaded import State
from build_tools.evidence.model import Record
from build_tools.evidence.part_derive import list_part_files
from build_tools.evidence.part_model import Part, PartKind
from build_tools.evidence.parts import describe_part_change, open_part, read_part
from build_tools.evidence.privacy import find_private
from build_tools.evidence.record import (
    LARGEST_RECORD,
    LARGEST_SIDE_FILE,
    check_form,
    decode_record,
)
from build_tools.evidence.repeats import find_repeats, report_repeat
from build_tools.evidence.shelf import (
    check_home,
    describe_change,
    is_record_path,
    read_json,
    read_shelf,
)
from build_tools.evidence.transcript import decode_transcript
from build_tools.evidence.verify import list_files, verify_record
from build_tools.measure.deposit import LockHeldError, hold_lock, stamp_loaded, write_files
from build_tools.source.model import Program, Settings
from build_tools.source.programs import read_programs
from build_tools.source.settings import read_settings

LARGEST_BUNDLE = 256 * 1024 * 1024
"""Bytes of all files in a bundle together."""
MOST_FILES = 50_000
"""Files that a bundle holds at most."""

_PATH = re.compile(r"evidence(?:/[A-Za-z0-9_][A-Za-z0-9._-]*){3,4}")
_ADVICE = "nothing was recorded; make the bundle again: course run --bundle FILE"


def write_bundle(files: Mapping[str, bytes]) -> bytes:
    """A gzipped tar of these files; the same files give the same bytes, whenever and wherever."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, data in sorted(files.items()):
            member = tarfile.TarInfo(path)
            member.size = len(data)
            member.mode = 0o644
            archive.addfile(member, io.BytesIO(data))
    return gzip.compress(buffer.getvalue(), compresslevel=9, mtime=0)


def read_bundle(data: bytes, name: str) -> tuple[dict[str, bytes], list[Finding]]:
    """A bundle's files by path, and what is wrong with the bundle; then there are none."""

    def refuse(stated: str, true: str) -> tuple[dict[str, bytes], list[Finding]]:
        return {}, [Finding(Kind.RECORD, Place(name), stated, true, _ADVICE)]

    files: dict[str, bytes] = {}
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as unpacked:
            tar = unpacked.read(LARGEST_BUNDLE + 1)
        if len(tar) > LARGEST_BUNDLE:
            return refuse("a bundle", f"it holds more than {LARGEST_BUNDLE >> 20} MiB")
        with tarfile.open(fileobj=io.BytesIO(tar), mode="r:") as archive:
            for member in archive:
                if not _PATH.fullmatch(member.name) or ".." in member.name:
                    return refuse(f"`{member.name}`", "a bundle's files belong under evidence/")
                stream = archive.extractfile(member) if member.isreg() else None
                if stream is None:
                    return refuse(f"`{member.name}`", "it is no plain file")
                if member.name in files:
                    return refuse(f"`{member.name}`", "the bundle holds it twice")
                limit = LARGEST_RECORD if member.name.endswith(".json") else LARGEST_SIDE_FILE
                if member.size > limit:
                    return refuse(f"`{member.name}`", f"it holds more than {limit // 1024} KiB")
                if len(files) == MOST_FILES:
                    return refuse("a bundle", f"it holds more than {MOST_FILES} files")
                files[member.name] = stream.read()
    except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
        return refuse("a bundle of evidence", f"it cannot be read: {error}")
    for path in files:
        folder = path.rpartition("/")[0]
        if folder in files:
            return refuse(f"`{folder}`", f"it cannot be a file and the folder of `{path}`")
    return files, []


def record_bundle(
    root: Path, file: Path, progress: Callable[[str], object] = lambda _line: None
) -> list[Finding]:
    """Take a bundle's records and parts into the tree, all or none, after checking all of them.

    Headers and READMEs of programs on the reference device are brought in line. A bundle that
    was recorded already changes nothing. ``progress`` is told each thing that is written.
    """
    try:
        if file.exists() and not file.is_file():
            true, advice = "it is no plain file", "name the file that `course run --bundle` wrote"
            return [Finding(Kind.RECORD, Place(str(file)), "a bundle", true, advice, checked=False)]
        if file.stat().st_size > LARGEST_BUNDLE:
            true = f"it holds more than {LARGEST_BUNDLE >> 20} MiB"
            return [Finding(Kind.RECORD, Place(file.name), "a bundle", true, _ADVICE)]
        data = file.read_bytes()
    except OSError as error:
        true = f"it cannot be read: {error.strerror}"
        advice = "name the file that `course run --bundle FILE` wrote"
        place = Place(str(file))
        return [Finding(Kind.RECORD, place, "a bundle", true, advice, checked=False)]
    files, findings = read_bundle(data, file.name)
    if findings:
        return findings
    settings, _ = read_settings(root)
    programs, _ = read_programs(root, settings)
    records, findings = check_bundle(root, programs, files, file.name)
    findings += _check_collisions(root, files)
    if findings:
        return findings
    new = {path: content for path, content in files.items() if not (root / path).exists()}
    try:
        with hold_lock(root):
            write_files(root, dict(sorted(new.items(), key=lambda item: item[0].endswith(".json"))))
            for line in _describe_new(new):
                progress(line)
            for line in _stamp_shown(root, programs, settings, records):
                progress(line)
    except (LockHeldError, OSError) as error:
        why = getattr(error, "strerror", None) or "another process keeps the lock .course.lock"
        stated = "evidence is written into the tree"
        advice = "make the tree writable and let other runs end, then record again"
        true = f"it cannot be: {why}"
        return [Finding(Kind.RECORD, Place(file.name), stated, true, advice, checked=False)]
    return []


def check_bundle(
    root: Path, programs: Mapping[str, Program], files: Mapping[str, bytes], name: str
) -> tuple[list[Record], list[Finding]]:
    """The bundle's records, oldest first, and everything that forbids to take it."""
    findings: list[Finding] = []
    for path, data in files.items():
        findings += find_private(decode_transcript(data), path)
    records: list[Record] = []
    named: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="course-") as folder:
        apart = Path(folder)
        for path, data in files.items():  # for a moment only: nothing need reach the disk
            (apart / path).parent.mkdir(parents=True, exist_ok=True)
            (apart / path).write_bytes(data)
        for path in sorted(p for p in files if is_record_path(p)):
            named.add(path)
            record, wrong = _check_record(root, apart, programs, path, files)
            findings += wrong
            if record is not None:
                records.append(record)
                named |= {entry.path for entry in list_files(record).values()}
        for path in sorted(files):
            kind = find_part_kind(path)
            if kind is not None:
                named.add(path)
                part, wrong = _check_part(root, apart, programs, path, kind)
                findings += wrong
                if part is not None:
                    named |= {entry.path for entry in list_part_files(part).values()}
    findings += _check_repeats(root, files)
    if not named and not findings:
        stated = "a bundle of evidence"
        findings.append(Finding(Kind.RECORD, Place(name), stated, "it holds no record", _ADVICE))
    findings += [
        Finding(Kind.RECORD, Place(path), "a bundle's file", "no record in it names it", _ADVICE)
        for path in files
        if named and path not in named
    ]
    return sorted(records, key=lambda record: record.started), findings


def _check_record(
    root: Path,
    apart: Path,
    programs: Mapping[str, Program],
    path: str,
    files: Mapping[str, bytes],
) -> tuple[Record | None, list[Finding]]:
    try:
        text = files[path].decode("utf-8")
    except UnicodeDecodeError as error:
        true = f"byte {error.start} is no UTF-8"
        return None, [Finding(Kind.RECORD, Place(path), "a record", true, _ADVICE)]
    record, findings = decode_record(text, path)
    if record is None:
        return None, findings
    name = path.split("/")[1]
    findings = check_home(record, path, text, name) + check_form(text, record, path)
    program = programs.get(name)
    if program is None:
        true = f"the tree has no such program; {suggest_names(name, programs)}"
        return record, [
            *findings,
            Finding(Kind.RECORD, Place(path), f"a record of `{name}`", true, _ADVICE),
        ]
    if record.code_digest != program.code_digest:
        return record, [
            *findings,
            Finding(
                Kind.STALE,
                Place(path),
                f"a record of `{name}` as it is in this tree",
                describe_change(record, program),
                _ADVICE,
            ),
        ]
    # verify_record reads beside the record, and the declaration's digest from the same root.
    _copy_source(root, apart, program.declaration.path)
    _, wrong = verify_record(apart, program, record, path, text)
    return record, findings + wrong


def _check_repeats(root: Path, files: Mapping[str, bytes]) -> list[Finding]:
    """Records of the bundle that are another's session, of the bundle's or of the tree's."""
    paths = {path for path in files if is_record_path(path)}
    texts = {path: decode_transcript(files[path]) for path in paths}
    for folder in {path.rpartition("/")[0] for path in paths}:
        for location in (root / folder).glob("*.json"):
            path = location.relative_to(root).as_posix()
            if path not in texts and is_record_path(path):
                texts[path] = read_json(root, path)[0] or ""
    decoded = {path: decode_record(text, path)[0] for path, text in texts.items()}
    records = {path: record for path, record in decoded.items() if record is not None}
    return [
        report_repeat(records[path], path, first, texts[path])
        for path, first in find_repeats(records).items()
        if path in paths
    ]


def _copy_source(root: Path, apart: Path, path: str) -> None:
    """A file of the tree, where there is one, at the same place apart."""
    source = root / path
    if path and source.is_file():
        copy = apart / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(source.read_bytes())


def _check_part(
    root: Path, apart: Path, programs: Mapping[str, Program], path: str, kind: PartKind
) -> tuple[Part | None, list[Finding]]:
    """A part of the bundle, which lies apart, and everything that forbids to take it."""
    name = path.split("/")[1]
    part, text, findings = read_part(apart, path, kind, name)
    if part is None:
        return None, findings
    stated = f"{kind} of `{name}`"
    program = programs.get(name)
    if program is None:
        true = f"the tree has no such program; {suggest_names(name, programs)}"
        return part, [*findings, Finding(Kind.RECORD, Place(path), stated, true, _ADVICE)]
    _copy_source(root, apart, program.check_path)  # what is asked of mutants rests on it
    loaded, wrong = open_part(apart, program, part, path, text)
    if loaded is not None and loaded.state is State.STALE:
        true = describe_part_change(apart, program, part)
        stated = f"{kind} of `{name}` as it is in this tree"
        wrong = [Finding(Kind.STALE, Place(path), stated, true, _ADVICE)]
    return part, findings + wrong


def _check_collisions(root: Path, files: Mapping[str, bytes]) -> list[Finding]:
    """Evidence is never overwritten: what stands there must be the same, or nothing."""
    findings = []
    for path, data in files.items():
        target = root / path
        above = target.relative_to(root).parts
        steps = [root.joinpath(*above[: count + 1]) for count in range(len(above))]
        true = ""
        if any(step.is_symlink() for step in steps):
            true = "a link stands in its way"
        elif any(step.exists() and not step.is_dir() for step in steps[:-1]) or target.is_dir():
            true = "something else stands in its way"
        elif target.exists() and target.read_bytes() != data:
            true = "the tree holds another file of this name, and evidence is never overwritten"
        if true:
            findings.append(Finding(Kind.RECORD, Place(path), f"`{path}` is new", true, _ADVICE))
    return findings


def _describe_new(new: Mapping[str, bytes]) -> Iterator[str]:
    """What was written of the bundle, a line for each JSON, or that nothing was."""
    if not new:
        yield "the tree holds all of this evidence already"
    for path in sorted(new):
        if path.endswith(".json"):
            stem = path.removesuffix(".json")
            beside = sum(other.startswith((f"{stem}.txt", f"{stem}/")) for other in new)
            yield f"wrote {path}" + (f" and {beside} files beside it" if beside else "")


def _stamp_shown(
    root: Path, programs: Mapping[str, Program], settings: Settings, records: Sequence[Record]
) -> Iterator[str]:
    """Bring header and README of each program in line with the shown record; what was written."""
    for name in dict.fromkeys(record.program for record in records):
        shelf, _ = read_shelf(root, programs[name], settings)
        if shelf.shown_record is not None:
            for written in stamp_loaded(root, programs[name], shelf.shown_record):
                yield f"wrote {written}"
