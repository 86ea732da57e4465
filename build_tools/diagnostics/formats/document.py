"""How do findings stand in our own JSON document? Everything a finding knows, by a schema."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from build_tools.diagnostics.excerpt import SourceLine
from build_tools.diagnostics.finding import Finding, Place
from build_tools.diagnostics.formats.report import Report, read_lines

FORMAT = 1
"""Counted up when a reader of the document would have to change."""
LONGEST_EXCERPT = 240
"""Characters of a line that the document holds at most."""

_SCHEMA = Path(__file__).with_name("findings.schema.json")


@lru_cache(maxsize=1)
def _list_acting() -> re.Pattern[str]:
    """The characters of the categories Cc, Cf, Zl and Zp, but for JSON's own line feed."""
    found = (
        chr(code)
        for code in range(0x20, sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in ("Cc", "Cf", "Zl", "Zp")
    )
    return re.compile(f"[{re.escape(''.join(found))}]")


@lru_cache(maxsize=1)
def find_version() -> str:
    """Our own version; empty where the package is not installed."""
    try:
        return metadata.version("cuda-course")
    except metadata.PackageNotFoundError:
        return ""


def read_schema_text() -> str:
    """The JSON Schema of the document."""
    return _SCHEMA.read_text(encoding="utf-8")


def format_document(report: Report) -> str:
    """The report as JSON, two-space indent, every field there; findings by their places."""
    document = {
        "format": FORMAT,
        "tool": {"name": "cuda-course", "version": find_version()},
        "command": report.command,
        "summary": report.summary,
        "exit_status": report.exit_status,
        "findings": [_list_fields(finding, line) for finding, line in read_lines(report)],
    }
    return encode_json(document)


def encode_json(document: Any) -> str:
    """JSON that can be written as UTF-8 and shown anywhere.

    Escaped are half a pair, as in a name that is no UTF-8, and every control, mark without a
    shape and separator of lines: in a terminal they would act.
    """
    text = json.dumps(document, ensure_ascii=False, indent=2)
    text = _list_acting().sub(lambda match: json.dumps(match[0])[1:-1], text)
    return text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n"


def _list_fields(finding: Finding, line: SourceLine | None) -> dict[str, Any]:
    basis, patch = finding.basis, finding.patch
    length = line.end - line.start if line is not None else finding.length
    return {
        "kind": finding.kind.value,
        "checked": finding.checked,
        "place": {**_list_place(finding.place), "length": length},
        "stated": finding.stated,
        "true": finding.true,
        "advice": finding.advice,
        "basis": basis
        and {
            "value": basis.value,
            "band": basis.band,
            "gpu": basis.gpu,
            "record": basis.record,
        },
        "patch": patch and {"place": _list_place(patch.place), "old": patch.old, "new": patch.new},
        "candidates": list(finding.candidates),
        "excerpt": line and _cut_excerpt(line),
    }


def _list_place(place: Place) -> dict[str, Any]:
    return {"path": place.path, "line": place.line, "column": place.column}


def _cut_excerpt(line: SourceLine) -> dict[str, Any]:
    """The line, or what of it fits, beginning a little before the place."""
    first = 0
    if len(line.text) > LONGEST_EXCERPT:
        first = max(0, min(line.start - LONGEST_EXCERPT // 4, len(line.text) - LONGEST_EXCERPT))
    return {"text": line.text[first : first + LONGEST_EXCERPT], "column": first + 1}
