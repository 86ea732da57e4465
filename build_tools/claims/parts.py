"""What do names mean that stand for counters, sanitizers, mutants and listings?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from build_tools.claims.names import NoPartError, miss_name
from build_tools.diagnostics.finding import suggest_names
from build_tools.evidence.counts import Counts, read_session
from build_tools.evidence.machine_code import count_matching
from build_tools.evidence.model import Shelf
from build_tools.evidence.part_digest import list_asked_parts
from build_tools.evidence.part_judge import explain_tool, explain_unsound, find_proof
from build_tools.evidence.part_model import (
    Counters,
    CounterSession,
    KernelListing,
    Listings,
    LoadedPart,
    MutantOutcome,
    Mutants,
    Part,
    PartKind,
    Sanitizers,
)
from build_tools.evidence.parts import find_newest, list_fresh
from build_tools.evidence.pool import describe_ground
from build_tools.quantity.expression import Namespace
from build_tools.quantity.operations import Key
from build_tools.quantity.spread import find_shown
from build_tools.quantity.value import (
    Number,
    OperationError,
    Series,
    Several,
    Text,
    Truth,
    Value,
    make_exact,
)
from build_tools.source.model import Program
from build_tools.source.part_rules import LEAST_LAUNCHES, CounterRule

PART_NAMES: Mapping[str, PartKind] = {
    "counters": PartKind.COUNTERS,
    "sanitizer": PartKind.SANITIZERS,
    "mutants": PartKind.MUTANTS,
    "listing": PartKind.LISTINGS,
}
"""What stands behind a program's name for what its parts hold."""

Sort = TypeVar("Sort", bound=Part)


def open_part_names(name: str, program: Program, shelf: Shelf) -> Namespace:
    """The names behind ``program.counters`` and the like. Raises NoPartError, OperationError."""
    kind = PART_NAMES[name]
    if kind not in list_asked_parts(program):
        advice = f"declare them in {program.declaration.path}"
        raise OperationError(f"`{program.name}` asks for no {kind}", advice)
    return _OPENERS[name](program, shelf)


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
class _Keyed:
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
            return _Slice(self)
        if len(keys) != 1 or keys[0] is None:
            raise OperationError(f"{self.what} take one key", 'write `["…"]` with a name')
        if keys[0] not in self.members:
            advice = suggest_names(keys[0], self.members)
            raise OperationError(f"{self.what} have no `{keys[0]}`", advice)
        return self.members[keys[0]]()

    def describe(self) -> str:
        return self.what


@dataclass(frozen=True)
class _Slice:
    """All members of a namespace at once: ``mutants[:].caught``."""

    keyed: _Keyed

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
class _Plain:
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


# --- counters


@dataclass(frozen=True)
class _Sessions:
    """``program.counters``: its sessions, and with one session that one's kernels."""

    program: Program
    sessions: Mapping[str, _Keyed]

    def get_attribute(self, name: str) -> Value | Namespace:
        if name in self.sessions:
            return self.sessions[name]
        raise miss_name(name, f"`{self.program.name}.counters`", self.sessions)

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        if len(self.sessions) == 1:
            return next(iter(self.sessions.values())).get_item(keys)
        names = " or ".join(f"`counters.{name}[…]`" for name in self.sessions)
        raise OperationError(f"`{self.program.name}` has several sessions", f"write {names}")

    def describe(self) -> str:
        return f"the counters of `{self.program.name}`"


def _open_counters(program: Program, shelf: Shelf) -> Namespace:
    take_part(program, shelf, PartKind.COUNTERS, Counters)
    parts = list_fresh(shelf, PartKind.COUNTERS)
    return _Sessions(
        program,
        {
            name: _open_session(program, rule, parts)
            for name, rule in program.declaration.parts.counters.items()
        },
    )


def _open_session(program: Program, rule: CounterRule, parts: tuple[LoadedPart, ...]) -> _Keyed:
    def open_kernel(kernel: str) -> Namespace:
        values = {name: _collect(rule, kernel, name, parts) for name in rule.metrics}
        return _Plain(f"the kernel `{kernel}` in session `{rule.name}`", values)

    members = {kernel: (lambda k=kernel: open_kernel(k)) for kernel in rule.kernels}
    what = f"the kernels of `{program.name}.counters.{rule.name}`"
    return _Keyed(what, members, rule.kernels)


def _collect(rule: CounterRule, kernel: str, counter: str, parts: tuple[LoadedPart, ...]) -> Number:
    """A counter over its launches, in every fresh part."""
    series = []
    newest = describe_ground(parts[0].part.device, parts[0].part.build)
    dimensions = None
    for loaded in parts:
        session = find_session(loaded, rule.name)
        if session is None:
            continue
        counts = read_counts(loaded, session, rule)
        found = counts[kernel, counter]
        dimensions = found.unit.dimensions
        index = find_shown([c.values for c in counts.values()])
        series.append(
            Series(
                frozenset({name_origin(loaded, rule.name)}),
                found.values[index],
                found.values,
                found.half,
                describe_ground(loaded.part.device, loaded.part.build) == newest,
                enough=LEAST_LAUNCHES,
            )
        )
    if dimensions is None:
        raise OperationError(f"no part holds session `{rule.name}`", "measure it again")
    return Number(dimensions, None, tuple(series))


def name_origin(loaded: LoadedPart, session: str) -> str:
    """What tells values of one session from those of others: launches of two are no pairs."""
    return f"{loaded.path}#{session}"


def find_session(loaded: LoadedPart, name: str) -> CounterSession | None:
    """A session of a part of counters by its name."""
    part = loaded.part
    sessions = part.sessions if isinstance(part, Counters) else ()
    return next((session for session in sessions if session.name == name), None)


def read_counts(loaded: LoadedPart, session: CounterSession, rule: CounterRule) -> Counts:
    """A session's counts, read once for each part."""
    if rule.name not in loaded.counts:
        loaded.counts[rule.name] = read_session(session, rule, loaded.texts)[0]
    return loaded.counts[rule.name]


# --- sanitizers and mutants


def _open_sanitizers(program: Program, shelf: Shelf) -> Namespace:
    _, part = take_part(program, shelf, PartKind.SANITIZERS, Sanitizers)
    rule = program.declaration.parts.sanitizers
    tools = rule.tools if rule else ()

    def open_tool(tool: str) -> Namespace:
        why = explain_tool(part, tool)
        if why:
            advice = f'declare a mutant with proves = "{tool}" that it notices'
            raise NoPartError(program.name, f"{tool}: {why}", advice, checked=False)
        own = next(run for run in part.runs if run.tool == tool and not run.mutant)
        proof = find_proof(part, tool)
        values: dict[str, Value | Namespace] = {
            "passed": Truth(own.passed),
            "errors": make_exact(own.errors),
            "warnings": make_exact(own.warnings),
            "proved_by": Text(proof.mutant if proof else ""),
        }
        return _Plain(f"`{program.name}` under {tool}", values)

    members = {tool: (lambda t=tool: open_tool(t)) for tool in tools}
    return _Keyed(f"the sanitizers of `{program.name}`", members, tools)


def _open_mutants(program: Program, shelf: Shelf) -> Namespace:
    _, part = take_part(program, shelf, PartKind.MUTANTS, Mutants)
    rules = program.declaration.parts.mutants
    why = explain_unsound(part)
    if why:
        raise NoPartError(program.name, why, "correct the program first", checked=False)

    def open_mutant(mutant: MutantOutcome) -> Namespace:
        unchecked = next((t for t in mutant.trials if t.outcome == "could not check"), None)
        if unchecked is not None and not mutant.caught:
            message = f"mutant `{mutant.name}`: {unchecked.by} could not check it"
            raise NoPartError(program.name, message, unchecked.said, checked=False)
        values: dict[str, Value | Namespace] = {"caught": Truth(mutant.caught)}
        values["caught_by"] = Text(mutant.caught_by or "no check")
        return _Plain(f"the mutant `{mutant.name}`", values)

    members = {m.name: (lambda m=m: open_mutant(m)) for m in part.mutants if m.name in rules}
    sliced = tuple(name for name in members if not rules[name].equivalent)
    return _Keyed(f"the mutants of `{program.name}`", members, sliced)


# --- listings


def _open_listings(program: Program, shelf: Shelf) -> Namespace:
    _, part = take_part(program, shelf, PartKind.LISTINGS, Listings)
    members = {
        region.region: (lambda r=region: _RegionCode(r.region, r.kernels))
        for region in part.regions
    }
    return _Keyed(f"the listings of `{program.name}`", members, tuple(members))


@dataclass(frozen=True)
class _RegionCode:
    """The machine code of a region's kernels."""

    region: str
    kernels: tuple[KernelListing, ...]

    def get_attribute(self, name: str) -> Value | Namespace:
        if name == "count":
            return _OpcodeCount(self)
        if name == "instructions":
            return self.tell(lambda kernel: kernel.instructions)
        raise miss_name(name, f"the listing of `{self.region}`", ("count", "instructions"))

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        chosen = tuple(kernel for kernel in self.kernels if keys == (kernel.kernel,))
        if not chosen:
            known = [kernel.kernel for kernel in self.kernels]
            raise miss_name(str(keys[0]), f"the listing of `{self.region}`", known)
        return _RegionCode(self.region, chosen)

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
class _OpcodeCount:
    """``count("LDS.128")``: instructions with this opcode, or one that goes on behind it."""

    code: _RegionCode

    def get_attribute(self, name: str) -> Value | Namespace:
        raise OperationError(f"`count` has no `{name}`", 'write `count("LDS.128")`')

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        opcode = keys[0] if len(keys) == 1 else None
        if not opcode:
            raise OperationError("`count` takes one opcode", 'write `count("LDS.128")`')
        return self.code.tell(lambda kernel: count_matching(kernel.opcodes, opcode))

    def describe(self) -> str:
        return "a count of instructions"


_OPENERS: Mapping[str, Callable[[Program, Shelf], Namespace]] = {
    "counters": _open_counters,
    "sanitizer": _open_sanitizers,
    "mutants": _open_mutants,
    "listing": _open_listings,
}


def list_part_names(program: Program, shelf: Shelf) -> Iterator[str]:
    """What can be cited of a program's parts, as an expression within it."""
    rules = program.declaration.parts
    for rule in rules.counters.values() if find_newest(shelf, PartKind.COUNTERS) else ():
        session = f".{rule.name}" if len(rules.counters) > 1 else ""
        for kernel in rule.kernels:
            for counter in rule.metrics:
                yield f'counters{session}["{kernel}"].{counter}'
    if rules.sanitizers is not None and find_newest(shelf, PartKind.SANITIZERS):
        for tool in rules.sanitizers.tools:
            yield f'sanitizer["{tool}"].passed'
    if find_newest(shelf, PartKind.MUTANTS):
        for name in rules.mutants:
            yield f'mutants["{name}"].caught_by'
    if find_newest(shelf, PartKind.LISTINGS):
        for region in rules.listings:
            yield f'listing["{region}"].instructions'
