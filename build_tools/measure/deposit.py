"""How does evidence reach the disk, whole or not at all?

Side files first, the JSON last, under a lock, never over what is there. Then the program's
header and README are brought in line with the shown record.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.compose import Circumstances, Ran, compose_record
from build_tools.evidence.loaded import LoadedRecord
from build_tools.evidence.model import Record
from build_tools.evidence.privacy import find_private
from build_tools.evidence.readme import compose_readme, readme_path
from build_tools.evidence.record import LARGEST_RECORD
from build_tools.evidence.stamp import compose_verified, transcript_path
from build_tools.evidence.transcript import decode_transcript
from build_tools.source.header import write_verified
from build_tools.source.model import Program, slugify_device

LOCK = ".course.lock"
"""The lock's file, from the root: one writer of evidence at a time."""

_LOCK_PATIENCE = 30.0
"""Seconds to wait for another writer."""


class LockHeldError(Exception):
    """Another process keeps writing evidence in this tree."""


@contextmanager
def hold_lock(root: Path, patience: float = _LOCK_PATIENCE) -> Iterator[None]:
    """Be the only writer of evidence in this tree. Raises LockHeldError, OSError."""
    lock = FileLock(root / LOCK)
    try:
        lock.acquire(timeout=patience)
    except Timeout as error:
        raise LockHeldError from error
    try:
        yield
    finally:
        lock.release()


def check_writable(root: Path, program: Program, bundle: Path | None) -> list[Finding]:
    """Whether evidence can be written, into the tree or the bundle, before anything long is run."""
    nearest = root / "evidence"
    while not nearest.exists():
        nearest = nearest.parent
    folders = [root, nearest, (root / program.path).parent]
    advice = "make the tree writable, or take the record along with --bundle FILE"
    if bundle is not None:
        folders, advice = [bundle.absolute().parent], "name a file in a folder that can be written"
    for folder in folders:
        try:
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            true = f"nothing can be written into {folder}: {error.strerror}"
            stated = "a run that is to be recorded"
            place = program.header.run_place
            return [Finding(Kind.RUN, place, stated, true, advice, checked=False)]
    return []


def choose_identity(root: Path, folder: str, date: str, word: str = "run") -> str:
    """``run-DATE``, or with ``-2``, ``-3`` the first above all that stand there.

    A number that became free is not given again: names stay in the order of time.
    """
    place = root / folder
    stem = f"{word}-{date}"
    taken = re.compile(rf"{re.escape(stem)}(?:-(?P<number>[0-9]+))?(?:\.json|\.txt)?")
    names = [entry.name for entry in place.iterdir()] if place.is_dir() else []
    numbers = [int(m["number"] or 1) for m in map(taken.fullmatch, names) if m]
    count = max(numbers, default=0) + 1
    return stem + (f"-{count}" if count > 1 else "")


def deposit_runs(
    root: Path, program: Program, where: Circumstances, runs: tuple[Ran, ...]
) -> tuple[Record | None, dict[str, bytes], list[Finding]]:
    """Compose the record of these runs and write it; what was written, or what forbids it.

    Raises LockHeldError when another process keeps the lock, OSError when the disk fails.
    """
    folder = f"evidence/{program.name}/{slugify_device(where.device.model)}"
    with hold_lock(root):
        identity = choose_identity(root, folder, where.started[:10])
        record, files = compose_record(program, identity, where, runs)
        findings = check_record_file(program, files)
        if findings:
            return None, {}, findings
        write_files(root, files)
    return record, files, []


def check_record_file(program: Program, files: Mapping[str, bytes]) -> list[Finding]:
    """Whether the record's JSON is small enough and names nobody."""
    path = next(path for path in files if path.endswith(".json"))
    findings = find_private(files[path].decode(), path)
    if len(files[path]) > LARGEST_RECORD:
        findings.append(
            Finding(
                Kind.RUN,
                program.header.run_place,
                "a record of this run",
                f"its JSON would hold more than {LARGEST_RECORD // 1024} KiB",
                "have the program print fewer lines, or start fewer processes",
            )
        )
    return findings


def write_files(root: Path, files: Mapping[str, bytes]) -> None:
    """Write new files in this order, all or none; each appears whole.

    Raises FileExistsError rather than write over one, OSError when the disk fails.
    """
    done: list[Callable[[], None]] = []
    try:
        for path, data in files.items():
            target = root / path
            for folder in reversed([target.parent, *target.parent.parents]):
                if not folder.exists():
                    folder.mkdir()
                    done.append(folder.rmdir)
            _write_new(target, data)
            done.append(target.unlink)
    except BaseException:
        for undo in reversed(done):
            undo()
        raise


def replace_file(target: Path, data: bytes) -> None:
    """Give a file this content in one step; its permissions stay. Raises OSError."""
    mode = target.stat().st_mode & 0o7777 if target.exists() else 0o644
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".", delete=False) as part:
        try:
            part.write(data)
            part.flush()
            os.fsync(part.fileno())
            Path(part.name).chmod(mode)
            Path(part.name).replace(target)
        except BaseException:
            Path(part.name).unlink(missing_ok=True)
            raise


@dataclass(frozen=True)
class Written:
    """A file of the tree that was written, and what that did to it."""

    path: str
    """From the root."""
    what: str

    def __str__(self) -> str:
        return f"{self.path} ({self.what})"


def stamp_record(
    root: Path, program: Program, record: Record, transcript_text: str
) -> list[Written]:
    """Bring header and README in line with this record; the files that changed.

    Raises OSError when one of them cannot be written.
    """
    changed = []
    source = root / program.path
    before = source.read_bytes()
    after = write_verified(before, compose_verified(record, transcript_path(record)))
    if after != before:
        replace_file(source, after)
        changed.append(Written(program.path, _describe_stamp(before, after)))
    readme = root / readme_path(program)
    text = compose_readme(program, record, transcript_text).encode()
    is_new = not readme.is_file()
    if is_new or readme.read_bytes() != text:
        replace_file(readme, text)
        what = "new" if is_new else "made again from header and record"
        changed.append(Written(readme_path(program), what))
    return changed


def _describe_stamp(before: bytes, after: bytes) -> str:
    """What a new Verified paragraph does to the lines of a header."""
    more = after.count(b"\n") - before.count(b"\n")
    if not more:
        return "its Verified paragraph"
    lines = f"{abs(more)} line{'s' * (abs(more) != 1)} {'more' if more > 0 else 'fewer'}"
    return f"its Verified paragraph: {lines}, so all below it moved"


def stamp_loaded(root: Path, program: Program, shown: LoadedRecord) -> list[Written]:
    """Bring header and README in line with the record that is shown already."""
    return stamp_record(root, program, shown.record, shown.shown_text)


def stamp_files(
    root: Path, program: Program, record: Record, files: Mapping[str, bytes]
) -> list[Written]:
    """Bring header and README in line with a record just written."""
    return stamp_record(root, program, record, decode_transcript(files[transcript_path(record)]))


def _write_new(target: Path, data: bytes) -> None:
    """A file that did not exist, whole or not at all."""
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".", delete=False) as part:
        try:
            part.write(data)
            part.flush()
            os.fsync(part.fileno())
            Path(part.name).chmod(0o644)
            os.link(part.name, target)
        finally:
            Path(part.name).unlink(missing_ok=True)
