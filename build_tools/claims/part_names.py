"""What is a name behind a key, and from which part is it read?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from build_tools.claims.names import NoPartError, miss_name
from build_tools.diagnostics.finding import suggest_names
from build_tools.evidence.loaded import Shelf
from build_tools.evidence.part_model import LoadedPart, Part, PartKind
from build_tools.evidence.parts import find_newest
from build_tools.quantity.expression import Namespace
from build_tools.quantity.operations import Key
from build_tools.quantity.value import (
    Number,
    OperationError,
    Several,
    Text,
    Truth,
    Value,
)
from build_tools.source.model import Program

Sort = TypeVar("Sort", bound=Part)


def take_part(
    program: Program, shelf: Shelf, kind: PartKind, sort: type[Sort]
) -> tuple[LoadedPart, Sort]:
    """The newest fresh part of a kind. Raises NoPartError when nothing can be read from it."""
    loaded = find_newest(shelf, kind)
    advice = f"run `course run --parts {kind} {program.name}` on the reference GPU"
    if loaded is None:
        known = any(part.kind is kind for part in shelf.parts)
        message = f"the {kind} of `{program.name}` are {'stale' if known else 'missing'}"
        raise NoPartError(program.name, message, advice, stale=known)
    if loaded.part.could_not_check or not isinstance(loaded.part, sort):
        message = f"{kind} of `{program.name}`: {loaded.part.could_not_check}"
        raise NoPartError(program.name, message, advice, checked=False)
    return loaded, loaded.part


@dataclass(frozen=True)
class KeyedScope:
    """Names that a key in brackets chooses from, each with names of its own.

    A slice gives the same name of all of them, with their keys.
    """

    what: str
    members: Mapping[str, Callable[[], Namespace]]
    sliced: tuple[str, ...] = ()
    """The keys that a slice stands for."""

    def get_attribute(self, name: str) -> Value | Namespace:
        if name in self.members:
            return self.members[name]()
        advice = f'write a key first, `["…"]`: {suggest_names(name, self.members)}'
        raise OperationError(f"{self.what} have no `{name}`", advice)

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        if keys == (None,):
            return SliceScope(self)
        if len(keys) != 1 or keys[0] is None:
            raise OperationError(f"{self.what} take one key", 'write `["…"]` with a name')
        if keys[0] not in self.members:
            advice = suggest_names(keys[0], self.members)
            raise OperationError(f"{self.what} have no `{keys[0]}`", advice)
        return self.members[keys[0]]()

    def describe(self) -> str:
        return self.what


@dataclass(frozen=True)
class SliceScope:
    """All members of a namespace at once: ``mutants[:].caught``."""

    keyed: KeyedScope

    def get_attribute(self, name: str) -> Value | Namespace:
        items: list[Value] = []
        labels = []
        for key in self.keyed.sliced:
            found = self.keyed.members[key]().get_attribute(name)
            if not isinstance(found, (Number, Truth, Text)):
                raise OperationError(f"`{name}` is no one value of each", "name one by its key")
            items.append(found)
            labels.append((key,))
        if not items:
            raise OperationError(f"{self.keyed.what} have no member", "declare some")
        return Several(tuple(items), tuple(labels))

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        raise OperationError(f"keys {keys} behind a slice", "name what is wanted of each")

    def describe(self) -> str:
        return f"all of {self.keyed.what}"


@dataclass(frozen=True)
class PlainScope:
    """A member's own names, each with a value."""

    what: str
    values: Mapping[str, Value | Namespace]

    def get_attribute(self, name: str) -> Value | Namespace:
        if name in self.values:
            return self.values[name]
        raise miss_name(name, self.what, self.values)

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        raise OperationError(
            f"{self.what} has no keys {keys}", f"write `.{'` or `.'.join(self.values)}`"
        )

    def describe(self) -> str:
        return self.what
