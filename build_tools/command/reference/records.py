"""What does a record hold, where does it lie, and what makes it stale?"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Iterator
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from build_tools.claims.conditions import list_conditions
from build_tools.command.docstrings import read_attribute_docs
from build_tools.command.reference.example import PROGRAM, Example
from build_tools.command.reference.markdown import (
    read_docstring,
    state_number,
    write_fence,
    write_table,
)
from build_tools.evidence.model import FORMAT, Record
from build_tools.evidence.part_model import PART_TYPES, Part, PartKind
from build_tools.evidence.record import LARGEST_RECORD, LARGEST_SIDE_FILE
from build_tools.quantity.spread import MINIMUM_PROCESSES

_TYPES = {str: "text", int: "whole number", float: "number", bool: "true or false"}


def compose_parts(example: Example) -> dict[str, str]:
    """The parts of the page on records."""
    program = example.course.programs[PROGRAM]
    record = example.course.shelves[PROGRAM].shown_record
    assert record is not None  # noqa: S101 - the example was recorded
    conditions = list_conditions(example.course, program, record.record, ())
    return {
        "layout": write_fence("\n".join(list_evidence(example))),
        "conditions": "\n".join(f"- {condition.what}" for condition in conditions),
        "format": state_number(FORMAT),
        "minimum-processes": state_number(MINIMUM_PROCESSES),
        "largest-record": state_number(LARGEST_RECORD // 1024),
        "largest-side-file": state_number(LARGEST_SIDE_FILE // 1024),
        "fields": "\n\n".join(describe_shape(shape) for shape in walk_shapes(Record)),
        "part-layout": write_fence(
            "\n".join(
                f"evidence/{PROGRAM}/{record.path.split('/')[2]}/{kind}-2026-12-01.json"
                for kind in PartKind
            )
        ),
        "part-fields": "\n\n".join(describe_shape(shape) for shape in walk_part_shapes()),
    }


def list_evidence(example: Example) -> Iterator[str]:
    """The files of the example's evidence; of processes the first and the last."""
    paths = sorted(
        path.relative_to(example.root).as_posix()
        for path in (example.root / "evidence").rglob("*")
        if path.is_file()
    )
    for path in paths:
        number = re.search(r"process-(\d+)", path)
        if number is None or int(number[1]) in (1, len(paths)):
            yield path
    more = sum("process-" in path for path in paths) - 2
    yield f"… and {more} more files of the processes"


def walk_shapes(shape: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    """A type of the record and all that its fields hold, each once, in the order of the fields."""
    waiting, seen = [shape], []
    while waiting:
        current = waiting.pop(0)
        if current in seen:
            continue
        seen.append(current)
        yield current
        for hint in get_type_hints(current).values():
            waiting += _find_shapes(hint)


def walk_part_shapes() -> Iterator[type[msgspec.Struct]]:
    """What every part holds, then the types of each kind, those of a record left out."""
    known = [*walk_shapes(Record), Part]
    yield Part
    for kind in PartKind:
        for shape in walk_shapes(PART_TYPES[kind]):
            if shape not in known:
                known.append(shape)
                yield shape


def _find_shapes(hint: object) -> list[type[msgspec.Struct]]:
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return [hint]
    return [shape for argument in get_args(hint) for shape in _find_shapes(argument)]


def describe_shape(shape: type[msgspec.Struct]) -> str:
    """A section: heading, what the type is, its fields with type and meaning."""
    meanings = read_attribute_docs(shape)
    hints = get_type_hints(shape)
    is_kind = issubclass(shape, Part) and shape is not Part
    names = [n for n in shape.__struct_fields__ if not (is_kind and n in Part.__struct_fields__)]
    items = [
        (f"`{name}`", f"*{name_type(hints[name])}.* {read_docstring(meanings[name])}")
        for name in names
    ]
    about = read_docstring(inspect.getdoc(shape) or "")
    if is_kind:
        about += " Beside what every [part](#part) holds:"
    return f"### {name_shape(shape)}\n\n{about}\n\n{write_table(('field', 'what it is'), items)}"


def name_shape(shape: type) -> str:
    """``KernelFacts`` as words: ``Kernel facts``."""
    return re.sub(r"(?<=[a-z])[A-Z]", lambda m: f" {m[0].lower()}", shape.__name__)


def name_type(hint: object) -> str:
    """A type in words, as JSON has it; those of the record link to their sections."""
    if isinstance(hint, type) and hint in _TYPES:
        return _TYPES[hint]
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        name = name_shape(hint)
        return f"[{name.lower()}](#{name.lower().replace(' ', '-')})"
    if hint is Any:
        return "anything"
    arguments = get_args(hint)
    if get_origin(hint) is tuple:
        return f"list: {name_type(arguments[0])}"
    if get_origin(hint) is dict:
        return f"object by name: {name_type(arguments[1])}"
    if isinstance(hint, types.UnionType):
        told = [name_type(a) for a in arguments if a not in (type(None), msgspec.UnsetType)]
        told += ["null"] if type(None) in arguments else []
        return f"{' or '.join(told)}{', or absent' * (msgspec.UnsetType in arguments)}"
    raise TypeError(f"no word for {hint!r}")
