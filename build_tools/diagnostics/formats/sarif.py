"""How do findings stand in SARIF 2.1.0, which code hosts and editors read?

Section numbers are those of the standard with its first errata. A check that could not be made
is a result of kind ``open``, and a notification at level ``error``: that says by 3.20.21 that
the results are not complete, so the run is not called successful.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from build_tools.diagnostics.excerpt import SourceLine
from build_tools.diagnostics.finding import Finding, Kind, Patch, Place, speaks_of_file
from build_tools.diagnostics.formats.document import encode_json, find_version
from build_tools.diagnostics.formats.report import Report, read_lines
from build_tools.diagnostics.kinds import MEANINGS

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
BASE = "%SRCROOT%"
"""What relative addresses are relative to: the course's root, wherever it lies."""
FINGERPRINT = "courseFinding/v1"
LONGEST_LINE = 1000
"""Characters of a line that is still quoted whole, as the context of its region."""

_RULES = {kind: index for index, kind in enumerate(Kind)}
_LINK = re.compile(r"\[([^\[\]]*)\](?=\()")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")


def format_sarif(report: Report) -> str:
    """The report as a SARIF log with one run; the same bytes for the same findings."""
    read = list(read_lines(report))
    marks = compute_fingerprints(read)
    unchecked = [finding for finding in report.findings if not finding.checked]
    invocation = {
        "executionSuccessful": not unchecked,
        "exitCode": report.exit_status,
        "exitCodeDescription": report.summary,
        "toolExecutionNotifications": [_compose_notification(finding) for finding in unchecked],
    }
    run = {
        "tool": {
            "driver": {
                "name": "course",
                "fullName": "The checks of a CUDA course against its evidence",
                "version": find_version(),
                "rules": [_compose_rule(kind) for kind in Kind],
            }
        },
        "automationDetails": {"id": f"course-{report.command}/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {BASE: {"description": {"text": "The folder of course.toml."}}},
        "invocations": [invocation],
        "results": [
            _compose_result(finding, line, mark)
            for (finding, line), mark in zip(read, marks, strict=True)
        ],
    }
    return encode_json({"version": "2.1.0", "$schema": SCHEMA, "runs": [run]})


def _compose_rule(kind: Kind) -> dict[str, Any]:
    meaning = MEANINGS[kind]
    return {
        "id": kind.value,
        "name": "".join(word.capitalize() for word in kind.value.split("-")),
        "shortDescription": {"text": _escape(meaning.short)},
        "fullDescription": {"text": _escape(meaning.full)},
        "help": {"text": _escape(meaning.help), "markdown": meaning.help},
        "defaultConfiguration": {"level": "error"},
    }


def _compose_result(finding: Finding, line: SourceLine | None, mark: str) -> dict[str, Any]:
    result = {
        "ruleId": finding.kind.value,
        "ruleIndex": _RULES[finding.kind],
        # By 3.27.10 whatever did not fail has no level.
        "kind": "fail" if finding.checked else "open",
        "level": "error" if finding.checked else "none",
        "message": _compose_message(finding),
        "locations": [_locate_finding(finding, line)],
        "partialFingerprints": {FINGERPRINT: mark},
        "properties": {
            "stated": finding.stated,
            "true": finding.true,
            "advice": finding.advice,
            "candidates": list(finding.candidates),
        },
    }
    if finding.basis is not None and finding.basis.record:
        where = {"physicalLocation": {"artifactLocation": _locate_file(finding.basis.record)}}
        result["relatedLocations"] = [{"message": {"text": "the record"}, **where}]
    if finding.patch is not None:
        result["fixes"] = [_compose_fix(finding.patch)]
    return result


def _compose_notification(finding: Finding) -> dict[str, Any]:
    return {
        "level": "error",
        "message": _compose_message(finding),
        "associatedRule": {"id": finding.kind.value, "index": _RULES[finding.kind]},
        "locations": [_locate_finding(finding, None)],
    }


def _compose_message(finding: Finding) -> dict[str, Any]:
    said = [f"Stated: {finding.stated}", f"True: {finding.true}", f"To do: {finding.advice}"]
    if not finding.checked:
        said.insert(0, "Could not check")
    text = " ".join(part if part.endswith((".", "?", "!")) else f"{part}." for part in said)
    return {"text": _escape(text)}


def _escape(text: str) -> str:
    """A plain text message: no braces that are placeholders, no brackets that are a link."""
    return _LINK.sub(r"\\[\1\\]", text.replace("{", "{{").replace("}", "}}"))


def _locate_finding(finding: Finding, line: SourceLine | None) -> dict[str, Any]:
    place = finding.place
    if _VARIABLE.fullmatch(place.path) and speaks_of_file(finding):
        # A variable of the environment lies in no file.
        return {"logicalLocations": [{"name": place.path, "kind": "variable"}]}
    where: dict[str, Any] = {"artifactLocation": _locate_file(place.path)}
    if not speaks_of_file(finding):
        length = line.end - line.start if line is not None else finding.length
        where["region"] = _compose_region(place, length)
        if line is not None and length:
            where["region"]["snippet"] = {"text": line.text[line.start : line.end]}
        if line is not None and len(line.text) <= LONGEST_LINE:
            where["contextRegion"] = {"startLine": place.line, "snippet": {"text": line.text}}
    return {"physicalLocation": where}


def _compose_region(place: Place, length: int) -> dict[str, Any]:
    """The characters from a place on; to the end of the line where their number is not known."""
    region = {"startLine": place.line, "startColumn": place.column}
    if length:
        # The column behind the last character, by 3.30.8.
        region |= {"endLine": place.line, "endColumn": place.column + length}
    return region


def _locate_file(path: str) -> dict[str, Any]:
    uri = quote(path.encode("utf-8", "surrogateescape"))
    if PurePosixPath(path).is_absolute():
        return {"uri": f"file://{uri}"}
    return {"uri": uri, "uriBaseId": BASE}


def _compose_fix(patch: Patch) -> dict[str, Any]:
    end = patch.place.column + len(patch.old)
    deleted = _compose_region(patch.place, 0) | {"endLine": patch.place.line, "endColumn": end}
    replacement = {"deletedRegion": deleted, "insertedContent": {"text": patch.new}}
    change = {
        "artifactLocation": _locate_file(patch.place.path),
        "replacements": [replacement],
    }
    text = _escape(f"Write `{patch.new}`." if patch.new else f"Remove `{patch.old}`.")
    return {"description": {"text": text}, "artifactChanges": [change]}


def compute_fingerprints(read: list[tuple[Finding, SourceLine | None]]) -> list[str]:
    """A mark for each finding that stays while its line moves within the file.

    It is of the kind, the path, what is stated and the line's text; those that have all of it
    in common are counted. It changes with the line, not with what was measured.
    """
    seen: Counter[str] = Counter()
    marks = []
    for finding, line in read:
        text = " ".join(line.text.split()) if line else ""
        parts = (finding.kind.value, finding.place.path, finding.stated, text)
        data = "\0".join(parts).encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(data).hexdigest()[:32]
        seen[digest] += 1
        marks.append(f"{digest}:{seen[digest]}")
    return marks
