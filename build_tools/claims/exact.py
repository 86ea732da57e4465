"""What do names mean that stand for something exact? Constants of a program, and cited facts."""

from __future__ import annotations

from dataclasses import dataclass

from build_tools.claims.faults import find_fact_fault, find_settings_fault
from build_tools.claims.model import Course
from build_tools.claims.names import FaultError, miss_name
from build_tools.quantity.combine import bound_value
from build_tools.quantity.expression import Namespace
from build_tools.quantity.numeral import UnreadableError
from build_tools.quantity.operations import Key
from build_tools.quantity.printed import parse_printed
from build_tools.quantity.units import UnitError
from build_tools.quantity.value import (
    Number,
    OperationError,
    Several,
    Value,
    make_exact,
)
from build_tools.source.facts import select_fact
from build_tools.source.model import Constant, Fact, Program


@dataclass(frozen=True)
class SourceScope:
    """A program's constants."""

    program: Program

    def get_attribute(self, name: str) -> Value | Namespace:
        constant = self.program.constants.get(name)
        if constant is None:
            raise miss_name(name, f"`{self.program.name}.source`", self.program.constants)
        return read_constant(constant)

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        raise OperationError(f"`source` has no keys {keys}", "write `source.name`")

    def describe(self) -> str:
        return f"the constants of `{self.program.name}`"


def read_constant(constant: Constant) -> Value:
    """A constant's value. Raises OperationError when its initializer is beyond what is read."""
    if constant.value is None:
        raise OperationError(
            f"the value of `{constant.name}` is not read: {constant.reason}",
            "use a constant with a plain initializer",
        )
    if isinstance(constant.value, tuple):
        return Several(tuple(make_exact(bound_value(v)) for v in constant.value))
    return make_exact(bound_value(constant.value))


def read_fact(fact: Fact) -> Number:
    """A cited fact as an exact number that says it is cited."""
    try:
        printed = parse_printed(f"{fact.value} {fact.unit}".strip())
    except (UnreadableError, UnitError) as error:
        raise OperationError(f"the fact `{fact.key}` is not read: {error}", "mend it") from None
    value = bound_value(printed.low.value * printed.factor)
    return Number(printed.unit.dimensions, value, cited=True)


@dataclass(frozen=True)
class FactScope:
    """The cited facts, as they are on a GPU: ``given["memory-bandwidth"]``."""

    course: Course
    gpu: str

    def get_attribute(self, name: str) -> Value | Namespace:
        fact = self.course.facts.get(name)
        if fact is None:
            fault = find_fact_fault(self.course, name)
            raise FaultError(fault) if fault else miss_name(name, "given", self.course.facts)
        return read_fact(choose_fact(self.course, fact, self.gpu))

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        if len(keys) == 1 and keys[0] is not None:
            return self.get_attribute(keys[0])
        raise OperationError("given takes one key", 'write `given["name"]`')

    def describe(self) -> str:
        return "given"


def choose_fact(course: Course, fact: Fact, gpu: str) -> Fact:
    """The fact as it is on a GPU. Raises OperationError, FaultError where no GPU is known."""
    chosen = select_fact(fact, gpu)
    if chosen is not None:
        return chosen
    fault = None if gpu else find_settings_fault(course)
    raise FaultError(fault) if fault else miss_fact(fact, gpu)


def miss_fact(fact: Fact, gpu: str) -> OperationError:
    """The error for a fact without a value for a GPU."""
    known = ", ".join(f"`{variant.gpu}`" for variant in fact.variants)
    return OperationError(
        f"the fact `{fact.key}` ({fact.place}) has no value for `{gpu}`, only for {known}",
        f'add `[{fact.key}.gpu."{gpu}"]` with its value, source, quote and date',
    )
