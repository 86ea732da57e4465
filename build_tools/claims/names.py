"""What can be said of a record beside its measurements? The device, the compiler, the check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from build_tools.diagnostics.finding import Finding, suggest_names
from build_tools.evidence.loaded import LoadedRecord
from build_tools.quantity.expression import Namespace
from build_tools.quantity.operations import Key
from build_tools.quantity.units import parse_unit
from build_tools.quantity.value import (
    Number,
    OperationError,
    Text,
    Truth,
    Value,
    make_exact,
)


class NoEvidenceError(OperationError):
    """The expression rests on a program that has no fresh record."""

    def __init__(self, program: str) -> None:
        super().__init__(
            f"`{program}` has no fresh record", f"run `course run {program}` on the reference GPU"
        )
        self.program = program
        self.checked = True
        """False when evidence is there and cannot tell."""
        self.stale: bool | None = None
        """Whether what is lacking is stale, not missing; None where the records tell it."""


class NoPartError(NoEvidenceError):
    """The expression rests on a part that is not there, or that holds no verdict."""

    def __init__(
        self,
        program: str,
        message: str,
        advice: str,
        *,
        stale: bool = False,
        checked: bool = True,
    ) -> None:
        OperationError.__init__(self, message, advice)
        self.program = program
        self.checked = checked
        self.stale = stale


class FaultError(NoEvidenceError):
    """The expression rests on something that is itself at fault; ``cause`` is the finding of it."""

    def __init__(self, cause: Finding) -> None:
        message = f"what it rests on is at fault: {cause.place}: {cause.stated}: {cause.true}"
        OperationError.__init__(self, message, "mend that first, then check again")
        self.program = ""
        self.cause = cause


def miss_name(name: str, owner: str, known: Iterable[str]) -> OperationError:
    """The error for a name that its owner lacks, with near matches."""
    return OperationError(f"{owner} has no `{name}`", suggest_names(name, list(known)))


@dataclass(frozen=True)
class Names:
    """A plain set of names, each with its value."""

    what: str
    values: Mapping[str, Value | Namespace]

    def get_attribute(self, name: str) -> Value | Namespace:
        if name in self.values:
            return self.values[name]
        raise miss_name(name, self.what, self.values)

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        if len(keys) == 1 and keys[0] is not None:
            return self.get_attribute(keys[0])
        raise OperationError(f"{self.what} takes one key", 'write `["name"]`')

    def describe(self) -> str:
        return self.what


def read_record_names(what: str, program: str, record: LoadedRecord) -> Namespace:
    """The device, the compiler's word or the reader's check of the newest fresh record."""
    builders: dict[str, Callable[[LoadedRecord], Mapping[str, Value | Namespace]]] = {
        "device": read_device_names,
        "compiler": read_compiler_names,
        "check": read_check_names,
    }
    return Names(f"`{program}.{what}`", builders[what](record))


_DEVICE_UNITS = {
    "memory_bytes": "B",
    "l2_bytes": "B",
    "shared_bytes_per_block": "B",
    "shared_bytes_per_block_optin": "B",
    "shared_bytes_per_sm": "B",
    "max_sm_clock_hz": "Hz",
    "max_memory_clock_hz": "Hz",
    "power_limit_watts": "W",
}


def read_device_names(record: LoadedRecord) -> dict[str, Value | Namespace]:
    """The device's facts: numbers exact, in their units, and names as texts."""
    names: dict[str, Value | Namespace] = {}
    device = record.record.device
    for name in device.__struct_fields__:
        value = getattr(device, name)
        if isinstance(value, bool):
            names[name] = Truth(value)
        elif isinstance(value, (int, float)):
            unit = parse_unit(_DEVICE_UNITS.get(name, ""))
            names[name] = make_exact(Fraction(str(value)), unit.dimensions)
        elif isinstance(value, str):
            names[name] = Text(value)
    return names


def read_compiler_names(record: LoadedRecord) -> dict[str, Value | Namespace]:
    """The compiler's word on each kernel: registers, shared memory, spills."""
    names: dict[str, Value | Namespace] = {}
    for kernel, facts in record.record.build.kernels.items():
        values: dict[str, Value | Namespace] = {
            "registers": make_exact(facts.registers),
            "spill_bytes": _bytes(facts.spill_store_bytes + facts.spill_load_bytes),
        }
        for name in ("shared_bytes", "constant_bytes", "stack_bytes"):
            values[name] = _bytes(getattr(facts, name))
        names[kernel] = Names(f"the kernel `{kernel}`", values)
    return names


def _bytes(count: int) -> Number:
    return make_exact(count, (("B", 1),))


def read_check_names(record: LoadedRecord) -> dict[str, Value | Namespace]:
    """The reader's check: whether it passed, on how many seeds."""
    check = record.reader_check
    if check is None or check.could_not_check:
        return {}
    return {
        "passed": Truth(check.passed),
        "seeds": make_exact(len(check.seeds)),
        "regions": make_exact(len(check.regions)),
    }
