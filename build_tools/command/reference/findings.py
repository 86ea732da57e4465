"""What does each kind of finding mean, and how is one told? With each made by a broken course."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from build_tools.command.docstrings import read_attribute_docs
from build_tools.command.reference.broken import tell_broken
from build_tools.command.reference.example import Example
from build_tools.command.reference.markdown import (
    read_docstring,
    write_definitions,
    write_fence,
    write_folded,
    write_table,
)
from build_tools.diagnostics.finding import Kind
from build_tools.diagnostics.formats.document import read_schema_text
from build_tools.diagnostics.formats.report import Format
from build_tools.diagnostics.kinds import MEANINGS


def compose_parts(example: Example) -> dict[str, str]:
    """The parts of the page on findings."""
    told = {form: tell_broken(example, Kind.DRIFT, form) for form in Format}
    formats = read_attribute_docs(Format)
    schema = json.loads(read_schema_text())
    return {
        "text-example": write_fence(told[Format.TEXT]),
        "formats": write_definitions(
            (f"`--format {form}`", read_docstring(formats[form.name])) for form in Format
        ),
        "json-example": write_fence(
            write_json(json.loads(told[Format.JSON])["findings"][0]), "json"
        ),
        "document-fields": write_table(("field", "what it is"), list_fields(schema)),
        "finding-fields": write_table(
            ("field", "what it is"), list_fields(schema["$defs"]["Finding"])
        ),
        "sarif-example": write_folded(
            "The result in full",
            write_fence(
                write_json(json.loads(told[Format.SARIF])["runs"][0]["results"][0]), "json"
            ),
        ),
        "github-example": write_fence(told[Format.GITHUB]),
        "kinds-overview": write_table(
            ("kind", "means"), [(f"[{kind}](#{kind})", MEANINGS[kind].short) for kind in Kind]
        ),
        "kinds": "\n\n".join(describe_kind(example, kind) for kind in Kind),
    }


def write_json(value: Any) -> str:
    """JSON for people, two spaces a level."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def list_fields(schema: Mapping[str, Any], path: str = "") -> list[tuple[str, str]]:
    """Each field of a JSON Schema by its path, with its description; not those of a list's items."""
    found = []
    for choice in schema.get("anyOf", ()):
        found += list_fields(choice, path)
    for name, field in schema.get("properties", {}).items():
        inner = [field, *field.get("anyOf", ())]
        said = next(part["description"] for part in inner if "description" in part)
        found.append((f"`{path}{name}`", said))
        found += list_fields(field, f"{path}{name}.")
    return found


def describe_kind(example: Example, kind: Kind) -> str:
    """A section: what the kind means, what to do, and one as it is told."""
    meaning = MEANINGS[kind]
    return "\n\n".join(
        [
            f"### {kind}",
            f"**{meaning.short}** {meaning.full} {meaning.help}",
            write_fence(tell_broken(example, kind)),
        ]
    )
