"""Which record does a text name, of whatever device and however old, and what does it hold?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from build_tools.diagnostics.finding import Finding, Kind, suggest_names
from build_tools.evidence.loaded import LoadedRecord, State
from build_tools.evidence.record import check_form, decode_record
from build_tools.evidence.shelf import EVIDENCE, check_home, read_json
from build_tools.evidence.verify import verify_record
from build_tools.source.model import Program
from build_tools.source.plain_files import is_file, is_folder


def open_record(
    root: Path, programs: Mapping[str, Program], path: str
) -> tuple[LoadedRecord | None, list[Finding]]:
    """A record by the path of its JSON, with its transcripts read, and what is wrong with it.

    Its transcripts are read by the program's declaration as it is now, and what that does not
    find in them is no finding here: only an edit of what was recorded is.
    """
    text, findings = read_json(root, path)
    if text is None:
        return None, findings
    record, findings = decode_record(text, path)
    if record is None:
        return None, findings
    name = path.split("/")[1]
    findings = check_home(record, path, text, name) + check_form(text, record, path)
    program = programs.get(name)
    if program is None:
        return LoadedRecord(record, path, State.STALE, (), ""), findings
    is_fresh = record.program == name and record.code_digest == program.code_digest
    contents, wrong = verify_record(root, program, record, path, text)
    findings += [finding for finding in wrong if finding.kind is Kind.RECORD]
    if contents is None:
        return None, findings
    return LoadedRecord(
        record,
        path,
        State.FRESH if is_fresh else State.STALE,
        contents.transcripts,
        contents.shown_text,
        contents.report_text,
    ), findings


_SPEC = re.compile(
    r"(?:(?P<program>[a-z][a-z0-9_]*)@)?(?P<identity>run-\d{4}-\d{2}-\d{2}(?:-\d+)?)"
)
_FILE = re.compile(
    rf"{EVIDENCE}/(?P<program>[^/]+)/(?P<slug>[^/]+)/(?P<identity>run-[\d-]+\d)(?:[./].*)?"
)


def suggest_records(root: Path, programs: Iterable[str], text: str) -> str | None:
    """Near matches of a text that has the form of a record's name; None for any other text."""
    if not _SPEC.fullmatch(text) and not _FILE.fullmatch(text.removeprefix("./")):
        return None
    known = [
        f"{name}@{path.stem}"
        for name in sorted(programs)
        for path in sorted((root / EVIDENCE / name).glob("*/run-*.json"))
    ]
    return suggest_names(text, known)


def find_record_paths(root: Path, programs: Iterable[str], text: str) -> list[str]:
    """The JSON paths of the records that a text names, of any device; none when it names none.

    A record is named by a path of one of its files, by ``run-DATE``, or by ``PROGRAM@run-DATE``.
    """
    match = _FILE.fullmatch(text.removeprefix("./"))
    if match:
        path = f"{EVIDENCE}/{match['program']}/{match['slug']}/{match['identity']}.json"
        return [path] if is_file(root / path) else []
    match = _SPEC.fullmatch(text)
    if match is None:
        return []
    wanted = [match["program"]] if match["program"] else sorted(programs)
    return [
        path.relative_to(root).as_posix()
        for name in wanted
        if is_folder(root / EVIDENCE / name)
        for path in sorted((root / EVIDENCE / name).glob(f"*/{match['identity']}.json"))
    ]
