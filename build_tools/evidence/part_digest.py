"""What does a program ask of each part, and which digest does the part's freshness hang on?"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from build_tools.diagnostics.finding import Place
from build_tools.evidence.canonical import format_json
from build_tools.evidence.part_model import PartKind
from build_tools.evidence.reader import compute_reader_digest
from build_tools.source.model import Program
from build_tools.source.part_rules import MutantRule

_VERSION = "part digest 1"


def list_asked_parts(program: Program) -> tuple[PartKind, ...]:
    """The parts that a program's declaration asks for; the reader's check is the record's own."""
    parts = program.declaration.parts
    asked = {
        PartKind.COUNTERS: bool(parts.counters),
        PartKind.SANITIZERS: parts.sanitizers is not None,
        PartKind.MUTANTS: bool(parts.mutants),
        PartKind.LISTINGS: bool(parts.listings),
    }
    return tuple(kind for kind, is_asked in asked.items() if is_asked)


def place_part(program: Program, kind: PartKind) -> Place:
    """Where program.toml asks for a part; the file's beginning when it does not."""
    if kind is PartKind.CHECK:
        return Place(program.check_path)
    parts = program.declaration.parts
    places = {
        PartKind.COUNTERS: [rule.place for rule in parts.counters.values()],
        PartKind.SANITIZERS: [parts.sanitizers.place] if parts.sanitizers else [],
        PartKind.MUTANTS: _place_mutants(parts.mutants.values()),
        PartKind.LISTINGS: [rule.place for rule in parts.listings.values()],
    }[kind]
    return min(places, default=Place(program.declaration.path))


def _place_mutants(rules: Iterable[MutantRule]) -> list[Place]:
    """Where mutants are declared; where there is none, where exercises are."""
    listed = list(rules)
    return [rule.place for rule in listed if rule.is_declared] or [r.place for r in listed]


def compose_asked(root: Path, program: Program, kind: PartKind) -> dict[str, Any]:
    """What is asked of a part, as plain values: all that its outcome hangs on but the code."""
    parts = program.declaration.parts
    match kind:
        case PartKind.COUNTERS:
            return {
                name: {
                    "kernels": list(rule.kernels),
                    "args": list(rule.args),
                    "caches": rule.caches,
                    "launches": rule.launches,
                    "metrics": {
                        metric.name: {"metric": metric.metric, "unit": metric.unit}
                        for metric in rule.metrics.values()
                    },
                }
                for name, rule in parts.counters.items()
            }
        case PartKind.SANITIZERS:
            proofs = [rule for rule in parts.mutants.values() if rule.proves]
            return {
                **_describe_sanitizers(program),
                "proofs": {
                    rule.name: {**_describe_mutant(rule), "proves": rule.proves} for rule in proofs
                },
            }
        case PartKind.MUTANTS:
            rules = parts.mutants.values()
            starters = [rule for rule in rules if rule.exercise]
            silent = sorted(rule.region for rule in rules if rule.is_silent)
            return {
                "mutants": {
                    rule.name: {**_describe_mutant(rule), "args": list(rule.args)}
                    for rule in rules
                    if rule.is_declared
                },
                # A part of a program without exercises says nothing of them.
                **(
                    {"starters": {r.exercise: _describe_mutant(r) for r in starters}}
                    if starters
                    else {}
                ),
                **({"silent": silent} if silent else {}),
                "sanitizers": _describe_sanitizers(program),
                "check": _digest_check(root, program),
            }
        case PartKind.LISTINGS:
            return {name: {"kernels": list(r.kernels)} for name, r in parts.listings.items()}
        case PartKind.CHECK:
            return {"check": _digest_check(root, program)}


def compute_part_digest(root: Path, program: Program, kind: PartKind) -> str:
    """SHA-256, in hex, over the program's code digest and what is asked."""
    content = {
        "version": _VERSION,
        "code": program.code_digest,
        "part": kind.value,
        "asked": compose_asked(root, program, kind),
    }
    return hashlib.sha256(format_json(content).encode()).hexdigest()


def _describe_sanitizers(program: Program) -> dict[str, Any]:
    rule = program.declaration.parts.sanitizers
    return {"args": list(rule.args), "tools": list(rule.tools)} if rule else {}


def _describe_mutant(rule: MutantRule) -> dict[str, Any]:
    return {"region": rule.region, "replace": rule.replace, "with": rule.replacement}


def _digest_check(root: Path, program: Program) -> str:
    """The reader's check that the mutants go through; empty when there is none."""
    if not program.check_path:
        return ""
    try:
        return compute_reader_digest(root, program)
    except OSError:
        return "unreadable"
