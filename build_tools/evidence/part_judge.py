"""What does the evidence of parts say against a program, and what can it not say?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.evidence.loaded import Shelf
from build_tools.evidence.part_derive import ACCEPTS, REJECTS
from build_tools.evidence.part_digest import list_asked_parts, place_part
from build_tools.evidence.part_model import (
    LoadedPart,
    Mutants,
    MutantTrial,
    SanitizerRun,
    Sanitizers,
)
from build_tools.evidence.parts import find_newest
from build_tools.evidence.record import encode_record, place_value
from build_tools.source.model import Program
from build_tools.source.part_rules import MutantRule


def judge_parts(program: Program, shelf: Shelf) -> list[Finding]:
    """The findings of the newest fresh part of each kind that the program asks for."""
    findings: list[Finding] = []
    for kind in list_asked_parts(program):
        loaded = find_newest(shelf, kind)
        if loaded is not None:
            findings += judge_part(program, loaded)
    return findings


def judge_part(program: Program, loaded: LoadedPart) -> list[Finding]:
    """What a part says against the program, and what it cannot say."""
    if loaded.part.could_not_check:
        return [_report_refusal(program, loaded)]
    if isinstance(loaded.part, Sanitizers):
        return list(judge_sanitizers(program, loaded))
    if isinstance(loaded.part, Mutants):
        return list(judge_mutants(program, loaded))
    return []


def _report_refusal(program: Program, loaded: LoadedPart) -> Finding:
    return Finding(
        Kind.CHECK,
        place_part(program, loaded.kind),
        f"{loaded.kind} of `{program.name}` ({loaded.path})",
        loaded.part.could_not_check,
        f"make the tool work there, then: course run --parts {loaded.kind} {program.name}",
        checked=False,
    )


def explain_tool(part: Sanitizers, tool: str) -> str:
    """Why a tool's word on the program is not to be believed; empty when it is.

    It has to notice the mutant that proves it, under the same command, and come to its end.
    """
    own = next((run for run in part.runs if run.tool == tool and not run.mutant), None)
    if own is None:
        return "the program was not run under it"
    proofs = [run for run in part.runs if run.tool == tool and run.mutant]
    if not proofs:
        return f"no mutant shows that {tool} sees this program's kernels"
    noticed = [run for run in proofs if run.errors or run.warnings]
    if not noticed:
        names = ", ".join(f"`{run.mutant}`" for run in proofs)
        why = next((f": {run.could_not_check}" for run in proofs if run.could_not_check), "")
        return f"{tool} does not notice {names} under the same command{why}"
    return own.could_not_check


def find_proof(part: Sanitizers, tool: str) -> SanitizerRun | None:
    """The run of a mutant that shows that the tool sees the program's kernels."""
    return next(
        (r for r in part.runs if r.tool == tool and r.mutant and (r.errors or r.warnings)), None
    )


def judge_sanitizers(program: Program, loaded: LoadedPart) -> Iterator[Finding]:
    """Tools that found something, and tools whose word is not to be believed."""
    part, rule = loaded.part, program.declaration.parts.sanitizers
    if not isinstance(part, Sanitizers) or rule is None:
        return
    text = encode_record(part)
    for tool in rule.tools:
        index, own = next(
            ((i, r) for i, r in enumerate(part.runs) if r.tool == tool and not r.mutant),
            (0, None),
        )
        why = explain_tool(part, tool)
        if own is not None and not own.passed and not own.could_not_check:
            # Found is found, whether the tool sees everything or not.
            yield Finding(
                Kind.CHECK,
                place_value(text, loaded.path, "runs", index, "errors"),
                f"`{program.name}` under {tool}",
                _say_found(own),
                f"see {own.log.path}; correct the program and measure again",
            )
        elif why:
            yield Finding(
                Kind.CHECK,
                rule.place,
                f"{tool} on `{program.name}`",
                why,
                f'declare a mutant with proves = "{tool}" that it notices, or leave it out of '
                "tools",
                checked=False,
            )


def _say_found(run: SanitizerRun) -> str:
    if run.errors or run.warnings:
        return f"it found {_count(run.errors, 'error')} and {_count(run.warnings, 'warning')}"
    return f"the program ended with exit status {run.exit_status}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def explain_unsound(part: Mutants) -> str:
    """Why no verdict on a mutant counts: a check that rejects the program; empty otherwise."""
    trial = _find_unsound(part.sound)
    return f"{trial.by} rejects the program itself: {trial.said}" if trial is not None else ""


def _find_unsound(trials: Sequence[MutantTrial]) -> MutantTrial | None:
    return next((trial for trial in trials if trial.outcome == REJECTS), None)


def judge_mutants(program: Program, loaded: LoadedPart) -> Iterator[Finding]:
    """Mutants that survive, and those that should."""
    part = loaded.part
    if not isinstance(part, Mutants):
        return
    trial = _find_unsound(part.sound)
    if trial is not None:
        yield Finding(
            Kind.CHECK,
            place_part(program, loaded.kind),
            f"the checks accept `{program.name}` itself",
            f"{trial.by} rejects it: {trial.said}",
            "correct the program or its arguments; until then no mutant is judged",
        )
        return
    for mutant in part.mutants:
        rule = program.declaration.parts.mutants.get(mutant.name)
        if rule is None:
            continue
        if mutant.caught and rule.equivalent:
            yield _report(
                rule.place,
                f"mutant `{mutant.name}` is equivalent",
                f"{mutant.caught_by} rejects it",
                "take `equivalent` out",
            )
        unchecked = next((t for t in mutant.trials if t.outcome not in (ACCEPTS, REJECTS)), None)
        if mutant.caught or rule.equivalent:
            continue
        if unchecked is not None:
            yield Finding(
                Kind.CHECK,
                rule.place,
                f"{rule.stated} is rejected",
                f"{unchecked.by} could not check it: {unchecked.said}",
                f"make that check work there, then: course run --parts mutants {program.name}",
                checked=False,
            )
        else:
            tried = ", ".join(trial.by for trial in mutant.trials)
            yield _report(
                rule.place,
                f"{rule.stated} is rejected",
                f"it survives {tried}",
                _advise_on(rule),
            )


def _advise_on(rule: MutantRule) -> str:
    """What to do about a mutant that no check rejects."""
    if rule.exercise:
        return "leave more of the solution to the reader, so that a check rejects what is left"
    if rule.is_silent:
        return (
            "have the program fill outputs with NaN before it launches, and compare them with "
            "`!(fabs(got - want) <= tolerance)`"
        )
    return "write a check that rejects it, or say in `equivalent` why none can"


def _report(place: Place, stated: str, true: str, advice: str) -> Finding:
    return Finding(Kind.CHECK, place, stated, true, advice)
