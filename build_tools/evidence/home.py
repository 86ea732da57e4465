"""Where does evidence lie, under which names, and does a file lie where it belongs?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.evidence.model import Record
from build_tools.evidence.part_model import Part, PartKind
from build_tools.evidence.record import LARGEST_RECORD, place_value
from build_tools.source.model import slugify_device

EVIDENCE = "evidence"
"""The folder of all records and parts, from the root."""

RUN = "run"
"""The word that a record's files begin with; a part's begin with its kind."""

_IDENTITY = re.compile(
    rf"(?P<word>{'|'.join((RUN, *PartKind))})-(?P<date>\d{{4}}-\d{{2}}-\d{{2}})"
    r"(?:-(?P<count>[2-9]|[1-9]\d+))?"
)


def list_identities(names: Iterable[str], word: str = RUN) -> list[str]:
    """The short names of records, or of one kind of part, among file names, oldest first."""
    stems = {name.removesuffix(".json") for name in names if name.endswith(".json")}
    return sorted((s for s in stems if find_word(s) == word), key=order_identity)


def find_word(identity: str) -> str:
    """What a short name begins with: ``run`` or a part's kind; empty when it is none."""
    match = _IDENTITY.fullmatch(identity)
    return match["word"] if match else ""


def order_identity(identity: str) -> tuple[str, int]:
    """What sorts records by date, then by number within the day."""
    match = _IDENTITY.fullmatch(identity)
    return (match["date"], int(match["count"] or 1)) if match else ("", 0)


def is_record_path(path: str) -> bool:
    """Whether a path from the root is that of a record's JSON."""
    return _find_path_word(path) == RUN


def find_part_kind(path: str) -> PartKind | None:
    """The kind of the part whose JSON has this path from the root; None for any other path."""
    word = _find_path_word(path)
    return PartKind(word) if word and word != RUN else None


def is_part_file(path: str) -> bool:
    """Whether a path from the root is that of a part's JSON, or of a file in its folder."""
    parts = path.split("/")
    word = find_word(parts[3].removesuffix(".json")) if len(parts) > 3 else ""
    return parts[0] == EVIDENCE and word not in ("", RUN)


def _find_path_word(path: str) -> str:
    parts = path.split("/")
    if len(parts) != 4 or not path.endswith(".json"):
        return ""
    return find_word(parts[-1].removesuffix(".json"))


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


def check_home(record: Record | Part, path: str, text: str, name: str) -> list[Finding]:
    """Whether the record or part lies in its own program's, GPU's and day's file."""
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
