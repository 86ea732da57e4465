"""Does a record's file read as it was written, and is any other byte of it noticed?"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from build_tools.evidence.canonical import find_place, format_json, locate_values
from build_tools.evidence.model import Record
from build_tools.evidence.record import (
    check_form,
    decode_record,
    encode_record,
    generate_schema,
    read_schema_text,
    seal_record,
)

PATH = "evidence/add/nvidia-h200/run-2026-12-01.json"


@pytest.fixture(scope="session")
def text(example: Path) -> str:
    return (example / PATH).read_text()


def decode(text: str) -> Record:
    record, findings = decode_record(text, PATH)
    assert record is not None, findings
    return record


def test_a_record_reads_as_written(text: str) -> None:
    record = decode(text)
    assert encode_record(record) == text
    assert not check_form(text, record, PATH)
    assert seal_record(record) == record
    assert text.endswith("}\n")


def test_arrays_of_plain_values_stand_on_one_line_and_keys_are_sorted() -> None:
    value = {"b": [1.5, 2.0], "a": [{"y": "é", "x": None}, {}], "c": [], "d": {}}
    assert format_json(value) == (
        '{\n  "a": [\n    {\n      "x": null,\n      "y": "é"\n    },\n    {}\n  ],\n'
        '  "b": [1.5, 2.0],\n  "c": [],\n  "d": {}\n}\n'
    )
    with pytest.raises(ValueError, match="not JSON compliant"):
        format_json({"a": float("nan")})


def list_scalars(text: str) -> Iterator[tuple[tuple[str | int, ...], int, Any]]:
    for path, offset, value in locate_values(text):
        if not isinstance(value, dict | list):
            yield path, offset, value


def change(value: object) -> object:
    """Another value of the same type."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return value + "x"
        case _:
            return 1


def test_every_value_of_a_record_is_sealed(text: str) -> None:
    """One value changed at a time: each is named at its own field. Of arrays, the first two."""
    count = 0
    for path, _, value in list_scalars(text):
        if any(isinstance(step, int) and step > 1 for step in path):
            continue
        edited = json.loads(text)
        holder = edited
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = change(value)
        changed = format_json(edited)
        record, findings = decode_record(changed, PATH)
        if record is not None:
            findings = check_form(changed, record, PATH)
        assert findings, path
        line = findings[0].place.line
        field = path[1] if path[0] == "seals" else path[0]
        if path[0] != "format":
            assert f'"{field}"' in changed.split("\n")[line - 1] or path[0] == "reader_check", path
        count += 1
    assert count > 100


def test_every_cut_is_said_where_the_file_ends(text: str) -> None:
    for length in range(0, len(text) - 2, 211):
        record, (finding,) = decode_record(text[:length], PATH)
        assert record is None
        assert "cannot be read" in finding.true
        assert finding.place.line == text[:length].rstrip().count("\n") + 1 or length == 0
        assert "restore the file" in finding.advice


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"sm_count": 132', '"sm_count": "132"', ["expected `int`, got `str`", "device.sm_count"]),
        ('"sm_count": 132,', "", ["missing required field `sm_count`"]),
        ('"sm_count": 132', '"sm_count": 132,\n    "sm_counts": 1', ["unknown field `sm_counts`"]),
        ('"registers": 12', '"registers": 1.5', ["expected `int`, got `float`"]),
        ('"median": ', '"median": "a", "median_": ', ["expected `float`, got `str`"]),
    ],
)
def test_a_value_of_the_wrong_type_is_placed(
    text: str, old: str, new: str, words: list[str]
) -> None:
    changed = text.replace(old, new, 1)
    record, (finding,) = decode_record(changed, PATH)
    assert record is None
    said = f"{finding.stated} {finding.true}"
    for word in words:
        assert word in said
    line = changed.split("\n")[finding.place.line - 1]
    assert new.split(":", maxsplit=1)[0].strip('",\n ') in line or not new
    if not new:  # the object that lacks the field
        assert line.lstrip().startswith('"device"')


def test_another_format_is_said_as_such(text: str) -> None:
    record, (finding,) = decode_record(text.replace('"format": 1', '"format": 2'), PATH)
    assert record is None
    assert not finding.checked
    assert (finding.stated, finding.true) == ("format 2", "this version reads format 1")
    assert finding.place.line == text[: text.index('"format"')].count("\n") + 1


@pytest.mark.parametrize(
    "junk", ["", "[]", "null", "{}", '{"format": "1"}', "[" * 100_000, '{"a": 1e}']
)
def test_junk_is_no_record(junk: str) -> None:
    record, findings = decode_record(junk, PATH)
    assert record is None
    assert len(findings) == 1


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text + "\n",
        lambda text: text[:-1],
        lambda text: text.replace("  ", " "),
        lambda text: text.replace("700.0", "700"),
        lambda text: text.replace('"shown": 5', '"shown": 5,\n  "shown": 5'),
        lambda text: text.replace("\n", "\r\n"),
    ],
)
def test_the_same_values_in_another_form_are_noticed(text: str, edit: Any) -> None:
    changed = edit(text)
    assert changed != text
    record = decode(changed)
    (finding,) = check_form(changed, record, PATH)
    assert "the same record is written" in finding.true


def test_a_value_is_found_again_by_its_path(text: str) -> None:
    places = {path: offset for path, offset, _ in locate_values(text)}
    samples = places["measurements", 0, "samples", 3]
    value = json.loads(text)["measurements"][0]["samples"][3]
    assert text[samples:].startswith(json.dumps(value))
    line, column = find_place(text, samples)
    assert text.split("\n")[line - 1][column - 1 :].startswith(json.dumps(value))


def test_the_published_schema_is_that_of_the_types(text: str) -> None:
    assert read_schema_text() == generate_schema(), (
        "write it again: python -c 'from build_tools.evidence.record import *; "
        'open("build_tools/evidence/record.schema.json", "w").write(generate_schema())\''
    )
    schema = json.loads(read_schema_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(text), schema)
    wrong = json.loads(text)
    wrong["device"]["sm_count"] = "132"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, schema)


def test_a_seal_of_a_field_that_is_none_is_noticed(text: str) -> None:
    record = decode(text)
    more = msgspec.structs.replace(record, seals={**record.seals, "extra": "0"})
    changed = encode_record(more)
    (finding,) = check_form(changed, more, PATH)
    assert finding.stated == "a seal of `extra`"
    assert '"extra"' in changed.split("\n")[finding.place.line - 1]
