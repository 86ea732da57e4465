"""What do names mean that stand for counters, sanitizers, mutants and listings?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from build_tools.claims.counters import open_counters
from build_tools.claims.listings import open_listings
from build_tools.claims.names import NoPartError
from build_tools.claims.part_names import KeyedScope, PlainScope, take_part
from build_tools.evidence.loaded import Shelf
from build_tools.evidence.part_digest import list_asked_parts
from build_tools.evidence.part_judge import explain_tool, explain_unsound, find_proof
from build_tools.evidence.part_model import MutantOutcome, Mutants, PartKind, Sanitizers
from build_tools.evidence.parts import find_newest
from build_tools.quantity.expression import Namespace
from build_tools.quantity.value import (
    OperationError,
    Text,
    Truth,
    Value,
    make_exact,
)
from build_tools.source.model import Program

PART_NAMES: Mapping[str, PartKind] = {
    "counters": PartKind.COUNTERS,
    "sanitizer": PartKind.SANITIZERS,
    "mutants": PartKind.MUTANTS,
    "listing": PartKind.LISTINGS,
}
"""What stands behind a program's name for what its parts hold."""


def open_part_names(name: str, program: Program, shelf: Shelf) -> Namespace:
    """The names behind ``program.counters`` and the like. Raises NoPartError, OperationError."""
    kind = PART_NAMES[name]
    if kind not in list_asked_parts(program):
        advice = f"declare them in {program.declaration.path}"
        raise OperationError(f"`{program.name}` asks for no {kind}", advice)
    return _OPENERS[name](program, shelf)


def open_sanitizers(program: Program, shelf: Shelf) -> Namespace:
    """``program.sanitizer``: tools, those that are not believed without a verdict."""
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
        return PlainScope(f"`{program.name}` under {tool}", values)

    members = {tool: (lambda t=tool: open_tool(t)) for tool in tools}
    return KeyedScope(f"the sanitizers of `{program.name}`", members, tools)


def open_mutants(program: Program, shelf: Shelf) -> Namespace:
    """``program.mutants``; a slice holds the declared ones that are not equivalent."""
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
        return PlainScope(f"the mutant `{mutant.name}`", values)

    members = {m.name: (lambda m=m: open_mutant(m)) for m in part.mutants if m.name in rules}
    sliced = tuple(n for n in members if not rules[n].equivalent and rules[n].is_declared)
    return KeyedScope(f"the mutants of `{program.name}`", members, sliced)


_OPENERS: Mapping[str, Callable[[Program, Shelf], Namespace]] = {
    "counters": open_counters,
    "sanitizer": open_sanitizers,
    "mutants": open_mutants,
    "listing": open_listings,
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
        for name in (rule.name for rule in rules.mutants.values() if not rule.is_silent):
            yield f'mutants["{name}"].caught_by'
    if find_newest(shelf, PartKind.LISTINGS):
        for region in rules.listings:
            yield f'listing["{region}"].instructions'
