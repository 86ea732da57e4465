"""What do the names in an expression mean? Programs, their measurements, constants and device."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from build_tools.claims.exact import FactScope, SourceScope
from build_tools.claims.faults import (
    find_declared_fault,
    find_evidence_fault,
    find_name_fault,
)
from build_tools.claims.measured import Measured, TableScope
from build_tools.claims.model import Course
from build_tools.claims.name_advice import name_whole, qualify_name
from build_tools.claims.names import FaultError, NoEvidenceError, miss_name, read_record_names
from build_tools.claims.parts import PART_NAMES, open_part_names
from build_tools.claims.quantity_error import QuantityError
from build_tools.claims.windows import open_windows
from build_tools.diagnostics.finding import Kind, suggest_names
from build_tools.evidence.loaded import LoadedRecord, Shelf
from build_tools.quantity.combine import attach_unit
from build_tools.quantity.expression import ExpressionError, Namespace, evaluate_expression
from build_tools.quantity.operations import Key
from build_tools.quantity.units import Unit, format_unit_of, parse_unit
from build_tools.quantity.value import (
    Number,
    OperationError,
    Several,
    Value,
    describe_value,
)
from build_tools.source.model import Program, QuantityRule, slugify_device

RECORD_NAMES = {
    "source": "The program's constants by their names, exact.",
    "device": "What the record says of the GPU, exact.",
    "compiler": "The compiler's word on a kernel, which is named in brackets.",
    "check": "The reader's check: whether it passed, its seeds, its regions.",
    "windows": "What the driver said while the program timed something, whose name is in brackets.",
    "counters": "What the profiler counted of a kernel, which is named in brackets.",
    "sanitizer": "What a tool of the sanitizer found; the tool is named in brackets.",
    "mutants": "Which check rejects a mutant, which is named in brackets.",
    "listing": "The machine code of a region, which is named in brackets.",
    "on": "The same names by the records of another GPU, which is named in brackets.",
    "records": "The same names by one record, which is named in brackets.",
}
"""What stands behind every program's name, beside what it measured and its quantities."""


@dataclass(frozen=True)
class CourseScope:
    """The names of the course: programs, its own quantities, and ``given`` for cited facts."""

    course: Course
    pending: tuple[str, ...] = ()
    """The quantities being evaluated, for cycles."""
    gpu: str = ""
    """The model that facts are asked for; the reference device when empty."""

    def get_attribute(self, name: str) -> Value | Namespace:
        if name in self.course.programs:
            return ProgramScope(self.course, self.course.programs[name], self.pending)
        if name in self.course.quantities:
            return evaluate_rule(self.course.quantities[name], name, self.pending, self.enter)
        if name == "given":
            gpu = self.gpu or self.course.settings.reference_gpu
            return FactScope(self.course, gpu)
        fault = find_name_fault(self.course, name)
        if fault is not None:
            raise FaultError(fault)
        known = [*self.course.programs, *self.course.quantities, "given"]
        advice = suggest_names(name, known)
        raise OperationError(
            f"there is no program or quantity `{name}`", qualify_name(self.course, name) or advice
        )

    def enter(self, pending: tuple[str, ...]) -> Namespace:
        """The same names, inside one more quantity."""
        return replace(self, pending=pending)

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        raise OperationError(f"the course has no keys {keys}", "start with a program's name")

    def describe(self) -> str:
        return "the course"


@dataclass(frozen=True)
class ProgramScope:
    """The names of one program."""

    course: Course
    program: Program
    pending: tuple[str, ...] = ()
    """The quantities being evaluated, for cycles."""
    local: bool = False
    """Whether names of the course are found too, as in a quantity of program.toml."""
    selection: Shelf | None = None
    """The records spoken of, where not all of the reference device's are."""

    @property
    def measured(self) -> Measured:
        """What the records spoken of measured."""
        shelf = self.selection or self.course.shelves[self.program.name]
        return Measured(self.program, shelf)

    def get_attribute(self, name: str) -> Value | Namespace:
        declaration = self.program.declaration
        if name == "source":
            return SourceScope(self.program)
        if name in declaration.quantities:
            return self.evaluate_quantity(declaration.quantities[name])
        self.require_sound(name)
        if name in ("device", "compiler", "check"):
            return read_record_names(name, self.program.name, self.newest())
        if name in ("on", "records", "windows"):
            return self._open_keyed(name)
        if name in PART_NAMES:
            return open_part_names(name, self.program, self.measured.shelf)
        if any(table.name == name for table in declaration.tables):
            return TableScope(self.measured, name)
        found = self.measured.find(name)
        if found is not None:
            return found
        known = self.list_names()
        if self.local:
            outer = CourseScope(self.course, self.pending, self._name_gpu())
            around = ["given", *self.course.programs, *self.course.quantities]
            if name in around:
                return outer.get_attribute(name)
            known += around
        fault = find_declared_fault(self.course, self.program, name)
        if fault is not None:
            raise FaultError(fault)
        error = miss_name(name, f"`{self.program.name}`", known)
        owner = "" if self.local else f"{self.program.name}."
        error.advice = name_whole(self.course, self.program, name, owner) or error.advice
        raise error

    def _open_keyed(self, name: str) -> Namespace:
        if name == "on":
            return _Choice(self, "GPU", _list_devices(self.course, self.program.name))
        if name == "records":
            return _Choice(self, "record", _list_records(self.measured.shelf))
        return open_windows(self.program, self.measured.shelf)

    def require_sound(self, name: str) -> None:
        """Raise FaultError where the name stands for what faulty evidence says."""
        shelf = self.measured.shelf
        fault = find_evidence_fault(self.course, self.program, shelf)
        if fault is None or name in ("on", "records"):
            return
        tables = (table.name for table in self.program.declaration.tables)
        known = (*self.measured.list_names(), *tables, "device", "compiler", "check", "windows")
        if name in known or fault.kind is Kind.DECLARATION:
            raise FaultError(fault)

    def _name_gpu(self) -> str:
        record = self.measured.shelf.shown_record
        return record.record.device.model if record else ""

    def list_names(self) -> list[str]:
        """Every name of the program that a claim may use."""
        names = [*self.measured.list_names(), *self.program.declaration.quantities, *RECORD_NAMES]
        return list(dict.fromkeys(names))

    def newest(self) -> LoadedRecord:
        """The newest fresh record of those spoken of. Raises NoEvidenceError."""
        return self.measured.newest()

    def evaluate_quantity(self, rule: QuantityRule) -> Value:
        """A named quantity's value, with its unit. Raises QuantityError, NoEvidenceError."""
        name = f"{self.program.name}.{rule.name}"
        key = ("quantity", name, rule.expression, rule.unit)
        known: Value | None = None if self.selection else self.course.memo.recall(key)
        if known is None:
            known = evaluate_rule(rule, name, self.pending, self.enter)
            if self.selection is None:
                self.course.memo.keep(key, known)
        return known

    def enter(self, pending: tuple[str, ...]) -> Namespace:
        """The same names and those of the course, inside one more quantity."""
        return replace(self, pending=pending, local=True)

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        raise OperationError(
            f"`{self.program.name}` has no keys {keys}", "name a measurement before the brackets"
        )

    def describe(self) -> str:
        return f"the program `{self.program.name}`"


def evaluate_rule(
    rule: QuantityRule,
    name: str,
    pending: tuple[str, ...],
    enter: Callable[[tuple[str, ...]], Namespace],
) -> Value:
    """A quantity's value by its qualified name. Raises QuantityError, NoEvidenceError."""
    if name in pending:
        circle = pending[pending.index(name) :]
        chain = " → ".join((*circle, name))
        problem = QuantityError(
            rule, f"quantities go round in a circle: {chain}", "break the circle", 0
        )
        problem.circle = frozenset(circle)
        raise problem
    try:
        value = evaluate_expression(rule.expression, enter((*pending, name)))
    except ExpressionError as error:
        cause = error.__cause__
        if isinstance(cause, NoEvidenceError | QuantityError):
            raise cause from None
        message = f"quantity `{name}` ({rule.origin}): {error.message}"
        raise QuantityError(rule, message, error.advice, error.column) from None
    try:
        return apply_unit(value, rule.unit)
    except OperationError as error:
        message = f"quantity `{name}` ({rule.unit_place}): {error}"
        raise QuantityError(rule, message, error.advice, -1) from None


def apply_unit(value: Value, unit_text: str) -> Value:
    """Give a bare value the unit, or require that it has its dimensions already."""
    if not unit_text:
        return value
    unit = parse_unit(unit_text)
    match value:
        case Number() if value.dimensions == unit.dimensions:
            return value
        case Number() if not value.dimensions and not value.is_moved and _is_measured_in(unit):
            advice = "leave the unit out, or cite what the value rests on"
            raise OperationError(
                f"the value rests on literals alone, and is declared in {unit_text}", advice
            )
        case Number() if not value.dimensions:
            return attach_unit(value, unit)
        case Several():
            return Several(tuple(apply_unit(i, unit_text) for i in value.items), value.labels)
        case Number():
            advice = f'write unit = "{format_unit_of(value.dimensions)}", or change the expression'
        case _:
            advice = "leave the unit out, or change the expression"
    raise OperationError(f"the value is {describe_value(value)}, declared in {unit_text}", advice)


def _is_measured_in(unit: Unit) -> bool:
    """Whether a unit is one of times, rates, power or heat, which no literal can be.

    Sizes and counts may be worked out: ``32`` in ``B/sector`` is a definition.
    """
    return any(name in ("s", "W", "°C") for name, _ in unit.dimensions)


@dataclass(frozen=True)
class _Choice:
    """``program.on["nvidia-h200"]`` or ``program.records["run-2026-11-30"]``."""

    program: ProgramScope
    what: str
    shelves: Mapping[str, Shelf]

    def get_attribute(self, name: str) -> Value | Namespace:
        raise OperationError(
            f"a {self.what} is chosen by a key, not by `.{name}`", 'write `["…"]` with its name'
        )

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        key = keys[0] if len(keys) == 1 else None
        slug = slugify_device(key or "") if self.what == "GPU" else key
        shelf = self.shelves.get(slug or "")
        owner = self.program.program.name
        if shelf is None:
            known = suggest_names(key or "", self.shelves)
            raise OperationError(f"`{owner}` has no records of the {self.what} `{key}`", known)
        if shelf.records and not shelf.fresh:
            raise OperationError(
                f"the records of `{owner}` for the {self.what} `{key}` are stale",
                "measure again there, or speak of a fresh one",
            )
        return replace(self.program, selection=shelf)

    def describe(self) -> str:
        return f"a choice of a {self.what} of `{self.program.program.name}`"


def _list_devices(course: Course, program: str) -> dict[str, Shelf]:
    """The program's records by the GPU's folder name."""
    reference = course.shelves[program]
    shelves = dict(course.other_shelves.get(program, {}))
    if reference.records:
        shelves[course.settings.reference_slug] = reference
    return shelves


def _list_records(shelf: Shelf) -> dict[str, Shelf]:
    """Each record alone, by its short name."""
    return {record.identity: replace(shelf, records=(record,)) for record in shelf.records}
