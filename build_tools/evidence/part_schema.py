"""Which JSON Schema does a part keep to?"""

from __future__ import annotations

import msgspec

from build_tools.evidence.canonical import format_json
from build_tools.evidence.part_model import PART_TYPES, PartKind


def generate_part_schema(kind: PartKind) -> str:
    """The JSON Schema of the parts of a kind, made from their type."""
    shape = PART_TYPES[kind]
    schema = msgspec.json.schema(shape)
    schema["$defs"][shape.__name__]["properties"]["part"] = {"const": kind.value}
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = f"The {kind} of one program"
    return format_json(schema)
