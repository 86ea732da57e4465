"""How does a record stand in its JSON file, and is what stands there what was written?"""

from __future__ import annotations

import hashlib
import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.evidence.canonical import (
    find_difference,
    find_place,
    format_json,
    locate_values,
)
from build_tools.evidence.model import FORMAT, File, Record

Sealed = TypeVar("Sealed", bound=msgspec.Struct)
"""A record, or a part of the evidence that is sealed like one."""

LARGEST_RECORD = 256 * 1024
"""Bytes of a record's JSON."""
LARGEST_SIDE_FILE = 1024 * 1024
"""Bytes of a side file."""

_POSITION = re.compile(r"\(byte (\d+)\)")
_AT = re.compile(r" - at `(?P<path>[^`]*)`$")
_STEP = re.compile(r"\.(?P<key>[A-Za-z_][A-Za-z_0-9]*)|\[(?P<index>\.\.\.|\d+)\]")
_NAMED = re.compile(r"(?:field|unknown field) `(?P<name>[^`]*)`")
_GOT = re.compile(r"got `(?P<got>\w+)`")
_JSON_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (float,),
    "bool": (bool,),
    "null": (type(None),),
    "object": (dict,),
    "array": (list,),
}
_ADVICE = "restore the file from version control, or measure again: course run"


def encode_record(record: msgspec.Struct) -> str:
    """The record's JSON: sorted keys, two-space indent, one array of samples a line."""
    return format_json(msgspec.to_builtins(record))


def seal_record(record: Sealed) -> Sealed:
    """The record with the seals of all its other fields, so that an edit is named by field."""
    return msgspec.structs.replace(record, seals=compute_seals(record))


def compute_seals(record: msgspec.Struct) -> dict[str, str]:
    """For each field but the seals, the SHA-256 of its canonical JSON."""
    return _seal_fields(_format_fields(record))


def _format_fields(record: msgspec.Struct) -> dict[str, str]:
    """Each field's canonical JSON, as if it stood alone."""
    return {name: format_json(value) for name, value in msgspec.to_builtins(record).items()}


def _seal_fields(fields: dict[str, str]) -> dict[str, str]:
    return {
        name: hashlib.sha256(text.encode()).hexdigest()
        for name, text in fields.items()
        if name != "seals"
    }


def _join_fields(fields: dict[str, str]) -> str:
    """What ``encode_record`` makes of the same record, without formatting it once more."""
    parts = (
        f'  "{name}": ' + text.rstrip("\n").replace("\n", "\n  ")
        for name, text in sorted(fields.items())
    )
    return "{\n" + ",\n".join(parts) + "\n}\n"


def describe_file(path: str, data: bytes) -> File:
    """A side file's entry: its digest, and those of its lines, so that an edit can be placed."""
    return File(
        path=path,
        sha256=hashlib.sha256(data).hexdigest(),
        line_digests=tuple(hashlib.sha256(line).hexdigest()[:8] for line in data.split(b"\n")),
    )


def decode_record(text: str, path: str) -> tuple[Record | None, list[Finding]]:
    """The record, or None with what keeps it from being read, placed at its line and column."""
    return decode_sealed(text, path, Record)


def decode_sealed(
    text: str, path: str, sealed: type[Sealed]
) -> tuple[Sealed | None, list[Finding]]:
    """A record or a part, or None with what keeps it from being read."""
    found: dict[str, Any] | None = None
    try:
        decoded = msgspec.json.decode(text)
        found = decoded if isinstance(decoded, dict) else None
    except (msgspec.DecodeError, RecursionError) as error:
        return None, [_report_syntax(text, path, str(error))]
    number = found.get("format") if found is not None else None
    if number != FORMAT:
        line, column = _find_key(text, ("format",))
        return None, [
            Finding(
                Kind.RECORD,
                Place(path, line, column),
                f"format {json.dumps(number)}",
                f"this version reads format {FORMAT}",
                "use the version of the course's tools that wrote it, or a later one",
                checked=False,
            )
        ]
    try:
        return msgspec.json.decode(text, type=sealed, strict=True), []
    except msgspec.ValidationError as error:
        return None, [_report_type(text, path, str(error))]


def check_form(text: str, record: msgspec.Struct, path: str) -> list[Finding]:
    """Whether the file is what would be written for this record or part, seals included."""
    findings = []
    stated_seals: dict[str, str] = getattr(record, "seals", {})
    fields = _format_fields(record)
    seals = _seal_fields(fields)
    for name, seal in seals.items():
        if stated_seals.get(name) != seal:
            line, column = _find_key(text, (name,))
            findings.append(
                Finding(
                    Kind.RECORD,
                    Place(path, line, column),
                    f"`{name}` as it stands",
                    "its seal was made for another content: it was edited after it was measured",
                    _ADVICE,
                )
            )
    for name in sorted(set(stated_seals) - set(seals)):
        line, column = _find_key(text, ("seals", name))
        findings.append(
            Finding(
                Kind.RECORD,
                Place(path, line, column),
                f"a seal of `{name}`",
                "a record has no such field",
                _ADVICE,
            )
        )
    canonical = _join_fields(fields)
    if canonical != text:
        line, column, stated, true = find_difference(text, canonical)
        findings.append(
            Finding(
                Kind.RECORD,
                Place(path, line, column),
                f"`{_shorten(stated)}`",
                f"the same record is written `{_shorten(true)}` here",
                _ADVICE,
            )
        )
    return findings


def place_value(text: str, path: str, *keys: str | int) -> Place:
    """Where the record's value under these keys and indexes stands."""
    line, column = _find_key(text, keys)
    return Place(path, line, column)


def generate_schema() -> str:
    """The JSON Schema of a record, as it is published beside this module."""
    schema = msgspec.json.schema(Record)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = f"A record of one program's run, format {FORMAT}"
    return format_json(schema)


@lru_cache(maxsize=4)
def _index_places(text: str) -> dict[tuple[str | int, ...], int]:
    """The offset of every value of well-formed JSON, by its path."""
    return {path: offset for path, offset, _ in locate_values(text)}


def _find_key(text: str, keys: tuple[str | int, ...]) -> tuple[int, int]:
    """Line and column of the deepest value on the way to ``keys``; 1:1 when there is none."""
    places = _index_places(text)
    while keys and keys not in places:
        keys = keys[:-1]
    return find_place(text, places.get(keys, 0))


def _report_syntax(text: str, path: str, message: str) -> Finding:
    position = _POSITION.search(message)
    if position:
        before = text.encode()[: int(position[1])].decode("utf-8", "ignore")
        line, column = find_place(text, len(before))
    else:
        line, column = find_place(text, len(text.rstrip()))
    said = _POSITION.sub("", message).strip()
    return Finding(
        Kind.RECORD,
        Place(path, line, column),
        "a record in JSON",
        f"the file cannot be read: {said}",
        _ADVICE,
    )


def _report_type(text: str, path: str, message: str) -> Finding:
    """A finding for a value of the wrong type, at the first value that the message fits."""
    at = _AT.search(message)
    said = message[: at.start()] if at else message
    steps = [m["key"] or None for m in _STEP.finditer(at["path"] if at else "")]
    named = _NAMED.search(said)
    got = _GOT.search(said)
    types = _JSON_TYPES.get(got["got"], ()) if got else ()
    missing = "missing" in said
    owners: dict[tuple[str | int, ...], int] = {}
    named_there: dict[tuple[str | int, ...], int] = {}
    offset = 0
    for found, start, value in locate_values(text):
        if _fits(found, steps) and (not types or type(value) in types):
            owners[found] = start
        if named and found and found[-1] == named["name"] and _fits(found[:-1], steps):
            named_there[found[:-1]] = start
    if named and missing:
        offset = next((s for f, s in owners.items() if f not in named_there), 0)
    elif named:
        offset = next(iter(named_there.values()), 0)
    else:
        offset = next(iter(owners.values()), 0)
    line, column = find_place(text, offset)
    where = ".".join("[…]" if step is None else step for step in steps) or "the record"
    return Finding(
        Kind.RECORD,
        Place(path, line, column),
        f"`{where}` as a record holds it",
        said[:1].lower() + said[1:],
        _ADVICE,
    )


def _fits(path: tuple[str | int, ...], steps: list[str | None]) -> bool:
    """Whether a path is one that the steps stand for; None is any key or index."""
    return len(path) == len(steps) and all(
        step is None or step == part for part, step in zip(path, steps, strict=True)
    )


def _shorten(text: str) -> str:
    stripped = text.strip()
    return stripped if len(stripped) <= 100 else stripped[:100] + "…"


def read_schema_text() -> str:
    """The published JSON Schema of a record, as it stands beside this module."""
    return Path(__file__).with_name("record.schema.json").read_text("utf-8")
