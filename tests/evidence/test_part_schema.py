"""The schema of each kind of part: it is that of real parts, and of nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from build_tools.command.main import PART_KINDS
from build_tools.evidence.part_model import Check, PartKind
from build_tools.evidence.part_schema import generate_part_schema
from build_tools.evidence.record import seal_record
from tests.command.asking import ask
from tests.parts_factory import ASKED, make_parts_course

ROOT = Path(__file__).parents[2]


def read_parts(root: Path, kind: PartKind) -> list[dict[str, Any]]:
    found = sorted(root.glob(f"evidence/*/*/{kind}-*.json"))
    return [json.loads(path.read_text("utf-8")) for path in found]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("schemas")
    make_parts_course(root)
    return root


def make_check(made: Path) -> dict[str, Any]:
    """A reader's check made again, with what is common to all parts from another."""
    (like,) = read_parts(made, PartKind.LISTINGS)
    common = {name: like[name] for name in like if name in Check.__struct_fields__}
    part = msgspec.convert({**common, "part": "check", "seals": {}}, Check)
    sealed: dict[str, Any] = json.loads(msgspec.json.encode(seal_record(part)))
    return sealed


@pytest.mark.parametrize("kind", PartKind)
def test_real_parts_keep_to_it(made: Path, kind: PartKind) -> None:
    schema = json.loads(generate_part_schema(kind))
    jsonschema.Draft202012Validator.check_schema(schema)
    parts = [make_check(made)] if kind is PartKind.CHECK else read_parts(made, kind)
    if kind in ASKED:
        parts += read_parts(ROOT, kind)
        assert len(parts) > 3  # the course's own programs have them
    for part in parts:
        jsonschema.validate(part, schema)
        for wrong in (
            {**part, "more": 1},
            {**part, "part": "run"},
            {**part, "device": {**part["device"], "sm_count": "132"}},
            {name: part[name] for name in part if name != "digest"},
        ):
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate(wrong, schema)


@pytest.mark.parametrize("kind", ASKED)
def test_parts_of_one_kind_do_not_keep_to_that_of_another(made: Path, kind: PartKind) -> None:
    (part,) = read_parts(made, kind)
    for other in PartKind:
        valid = jsonschema.Draft202012Validator(json.loads(generate_part_schema(other)))
        assert valid.is_valid(part) == (other is kind)


def test_the_command_prints_them(made: Path) -> None:
    assert tuple(kind.value for kind in PartKind) == PART_KINDS
    for kind in PartKind:
        assert ask(made, "schema", kind.value) == (0, generate_part_schema(kind))
