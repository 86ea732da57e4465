"""How does an answer leave as JSON, and which schema does it keep to?

Each answer is a frozen dataclass whose ``format`` is its version: fields are added without a new
number, and one that goes or changes its meaning gets one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, TypeVar

import click
import msgspec

from build_tools.command.docstrings import read_attribute_docs
from build_tools.diagnostics.formats.document import encode_json
from build_tools.diagnostics.visible import show_on_line

SHAPES = {
    "eval": ("build_tools.claims.describe", "Evaluation", "what an expression comes to"),
    "why": ("build_tools.claims.chain", "Chain", "what stands behind a claim"),
    "status": ("build_tools.claims.status", "CourseStatus", "the state of the course"),
    "diff": ("build_tools.claims.compare", "Comparison", "how two records differ"),
    "history": ("build_tools.claims.history", "History", "values over a program's records"),
    "prune": ("build_tools.claims.prune", "Pruning", "which records go, and why others stay"),
    "list": ("build_tools.claims.describe", "Listing", "what pages can show and cite"),
}
"""The answers by command: module, type, and what the answer is."""


Answer = TypeVar("Answer")


def print_answer(
    answer: Answer, describe: Callable[[Answer], Iterable[str]], as_json: bool
) -> None:
    """Print an answer in lines of text, or as JSON in the order of its fields.

    Control bytes of records and pages do not reach the terminal, in JSON neither.
    """
    if as_json:
        click.echo(encode_json(msgspec.to_builtins(answer)), nl=False)
        return
    for line in describe(answer):
        click.echo(show_on_line(line))


def format_answer_schema(command: str) -> str:
    """The JSON Schema of a command's answer as text."""
    return json.dumps(generate_answer_schema(command), indent=2, ensure_ascii=False) + "\n"


def generate_answer_schema(command: str) -> dict[str, Any]:
    """The JSON Schema of a command's answer, with the fields' docstrings as descriptions.

    Raises KeyError for a command without one.
    """
    module, name, what = SHAPES[command]
    shape = getattr(import_module(module), name)
    schema: dict[str, Any] = msgspec.json.schema(shape)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = f"The answer of `course {command} --json`: {what}"
    for defined, description in schema.get("$defs", {}).items():
        described = read_attribute_docs(_find_shape(shape, defined))
        for field, properties in description.get("properties", {}).items():
            if field in described:
                properties["description"] = described[field]
    return schema


def _find_shape(shape: type, name: str) -> type:
    """A type by its name: of the answer's module, or of one that is read for it."""
    own = getattr(sys.modules[shape.__module__], name, None)
    if isinstance(own, type):
        return own
    for module in list(sys.modules.values()):
        found = getattr(module, name, None)
        if (
            getattr(module, "__name__", "").startswith("build_tools.")
            and isinstance(found, type)
            and found.__name__ == name
        ):
            return found
    raise KeyError(name)
