"""What do names mean that stand for the machine code of a region?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from build_tools.claims.names import miss_name
from build_tools.claims.part_names import KeyedScope, take_part
from build_tools.evidence.loaded import Shelf
from build_tools.evidence.machine_code import count_matching
from build_tools.evidence.part_model import KernelListing, Listings, PartKind
from build_tools.quantity.expression import Namespace
from build_tools.quantity.operations import Key
from build_tools.quantity.value import (
    OperationError,
    Several,
    Value,
    make_exact,
)
from build_tools.source.model import Program


def open_listings(program: Program, shelf: Shelf) -> Namespace:
    """``program.listing``: regions whose machine code is listed."""
    _, part = take_part(program, shelf, PartKind.LISTINGS, Listings)
    members = {
        region.region: (lambda r=region: CodeScope(r.region, r.kernels)) for region in part.regions
    }
    return KeyedScope(f"the listings of `{program.name}`", members, tuple(members))


@dataclass(frozen=True)
class CodeScope:
    """The machine code of a region's kernels."""

    region: str
    kernels: tuple[KernelListing, ...]

    def get_attribute(self, name: str) -> Value | Namespace:
        if name == "count":
            return CountScope(self)
        if name == "instructions":
            return self.tell(lambda kernel: kernel.instructions)
        raise miss_name(name, f"the listing of `{self.region}`", ("count", "instructions"))

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        chosen = tuple(kernel for kernel in self.kernels if keys == (kernel.kernel,))
        if not chosen:
            known = [kernel.kernel for kernel in self.kernels]
            raise miss_name(str(keys[0]), f"the listing of `{self.region}`", known)
        return CodeScope(self.region, chosen)

    def tell(self, count: Callable[[KernelListing], int]) -> Value:
        """A number of the one kernel, or of each of several."""
        if len(self.kernels) == 1:
            return make_exact(count(self.kernels[0]))
        return Several(
            tuple(make_exact(count(kernel)) for kernel in self.kernels),
            tuple((kernel.kernel,) for kernel in self.kernels),
        )

    def describe(self) -> str:
        return f"the listing of `{self.region}`"


@dataclass(frozen=True)
class CountScope:
    """``count("LDS.128")``: instructions with this opcode, or one that goes on behind it."""

    code: CodeScope

    def get_attribute(self, name: str) -> Value | Namespace:
        raise OperationError(f"`count` has no `{name}`", 'write `count("LDS.128")`')

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        opcode = keys[0] if len(keys) == 1 else None
        if not opcode:
            raise OperationError("`count` takes one opcode", 'write `count("LDS.128")`')
        return self.code.tell(lambda kernel: count_matching(kernel.opcodes, opcode))

    def describe(self) -> str:
        return "a count of instructions"
