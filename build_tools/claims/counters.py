"""What do names mean that stand for what the profiler counted?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from build_tools.claims.names import miss_name
from build_tools.claims.part_names import KeyedScope, PlainScope, take_part
from build_tools.diagnostics.finding import suggest_names
from build_tools.evidence.counts import Counts, read_session
from build_tools.evidence.loaded import Shelf
from build_tools.evidence.part_model import Counters, CounterSession, LoadedPart, PartKind
from build_tools.evidence.parts import list_fresh
from build_tools.evidence.pool import describe_ground
from build_tools.quantity.expression import Namespace
from build_tools.quantity.operations import Key
from build_tools.quantity.spread import find_shown
from build_tools.quantity.value import (
    Number,
    OperationError,
    Series,
    Value,
)
from build_tools.source.model import Program
from build_tools.source.part_rules import LEAST_LAUNCHES, CounterRule


@dataclass(frozen=True)
class SessionsScope:
    """``program.counters``: its sessions, and with one session that one's kernels."""

    program: Program
    sessions: Mapping[str, KeyedScope]

    def get_attribute(self, name: str) -> Value | Namespace:
        if name in self.sessions:
            return self.sessions[name]
        raise miss_name(name, f"`{self.program.name}.counters`", self.sessions)

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        if len(self.sessions) == 1:
            return next(iter(self.sessions.values())).get_item(keys)
        if len(keys) != 1 or keys[0] is None:
            names = " or ".join(f"`counters.{name}[…]`" for name in self.sessions)
            raise OperationError(f"`{self.program.name}` has several sessions", f"write {names}")
        kernels = {kernel for scope in self.sessions.values() for kernel in scope.members}
        if keys[0] not in kernels:
            advice = suggest_names(keys[0], sorted(kernels))
            raise OperationError(f"no session of `{self.program.name}` has `{keys[0]}`", advice)
        return AnySessionScope(self.program, self.sessions, keys[0])

    def describe(self) -> str:
        return f"the counters of `{self.program.name}`"


@dataclass(frozen=True)
class AnySessionScope:
    """``program.counters["kernel"]`` of several sessions: a counter that one of them alone has."""

    program: Program
    sessions: Mapping[str, KeyedScope]
    kernel: str

    def get_attribute(self, name: str) -> Value | Namespace:
        rules = self.program.declaration.parts.counters
        holders = [
            session
            for session, scope in self.sessions.items()
            if self.kernel in scope.members and name in rules[session].metrics
        ]
        if len(holders) == 1:
            return self.sessions[holders[0]].members[self.kernel]().get_attribute(name)
        if holders:
            forms = " or ".join(f'`counters.{s}["{self.kernel}"].{name}`' for s in holders)
            raise OperationError(f"several sessions count `{name}`", f"write {forms}")
        known = {m for s, r in rules.items() if self.kernel in r.kernels for m in r.metrics}
        raise miss_name(name, self.describe(), sorted(known))

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        raise OperationError(f"{self.describe()} has no keys {keys}", "name a counter: `.NAME`")

    def describe(self) -> str:
        return f"the kernel `{self.kernel}` of `{self.program.name}`"


def open_counters(program: Program, shelf: Shelf) -> Namespace:
    """``program.counters``: what all fresh parts counted."""
    take_part(program, shelf, PartKind.COUNTERS, Counters)
    parts = list_fresh(shelf, PartKind.COUNTERS)
    return SessionsScope(
        program,
        {
            name: open_session(program, rule, parts)
            for name, rule in program.declaration.parts.counters.items()
        },
    )


def open_session(program: Program, rule: CounterRule, parts: tuple[LoadedPart, ...]) -> KeyedScope:
    """The kernels of a session, each with its counters."""

    def open_kernel(kernel: str) -> Namespace:
        values = {name: collect_counts(rule, kernel, name, parts) for name in rule.metrics}
        return PlainScope(f"the kernel `{kernel}` in session `{rule.name}`", values)

    members = {kernel: (lambda k=kernel: open_kernel(k)) for kernel in rule.kernels}
    what = f"the kernels of `{program.name}.counters.{rule.name}`"
    return KeyedScope(what, members, rule.kernels)


def collect_counts(
    rule: CounterRule, kernel: str, counter: str, parts: tuple[LoadedPart, ...]
) -> Number:
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
        index = find_shown_launch(loaded, session, rule)
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


def find_shown_launch(loaded: LoadedPart, session: CounterSession, rule: CounterRule) -> int:
    """Which launch of each kernel is shown, by all that its session counted; found once a part."""
    if rule.name not in loaded.shown_launches:
        counts = read_counts(loaded, session, rule)
        loaded.shown_launches[rule.name] = find_shown([c.values for c in counts.values()])
    return loaded.shown_launches[rule.name]
