"""What do a part's raw files come to? Everything in its JSON that follows from them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import msgspec

from build_tools.diagnostics.finding import Finding, Kind, suggest_names
from build_tools.evidence.counts import derive_session
from build_tools.evidence.machine_code import count_opcodes, read_machine_code
from build_tools.evidence.model import File
from build_tools.evidence.part_model import (
    Check,
    Counters,
    KernelListing,
    Listings,
    Mutants,
    MutantTrial,
    Part,
    RegionListing,
    SanitizerRun,
    Sanitizers,
)
from build_tools.evidence.sanitizer_log import read_sanitizer_log
from build_tools.source.model import Program
from build_tools.source.part_rules import SANITIZERS

PROGRAM_CHECK = "the program's check"
READER_CHECK = "the reader's check"

ACCEPTS, REJECTS, UNCHECKED = "accepts", "rejects", "could not check"
"""What a check may say of a mutant."""

_SAID_AT_MOST = 300


def list_part_files(part: Part) -> dict[tuple[str | int, ...], File]:
    """Every raw file a part names, by where in the JSON its path stands."""
    files: dict[tuple[str | int, ...], File | None] = {("refusal", "path"): part.refusal}
    match part:
        case Counters():
            for i, session in enumerate(part.sessions):
                for j, run in enumerate(session.runs):
                    files["sessions", i, "runs", j, "log", "path"] = run.log
        case Sanitizers():
            for i, execution in enumerate(part.runs):
                files["runs", i, "log", "path"] = execution.log
                files["runs", i, "output", "path"] = execution.output
        case Mutants():
            for i, trial in enumerate(part.sound):
                files["sound", i, "log", "path"] = trial.log
            for i, mutant in enumerate(part.mutants):
                for j, trial in enumerate(mutant.trials):
                    files["mutants", i, "trials", j, "log", "path"] = trial.log
        case Listings():
            files["sass", "path"] = part.sass
            files["lines", "path"] = part.lines
            files["ptx", "path"] = part.ptx
    return {route: file for route, file in files.items() if file is not None}


def derive_part(
    program: Program, part: Part, texts: Mapping[str, str]
) -> tuple[Part, list[Finding]]:
    """The part with all that follows from its files, and what of what was asked is not there.

    ``texts`` are its files by path; ``program`` asks as it did when the part was made.
    """
    if part.could_not_check:
        return part, []
    match part:
        case Counters():
            return _derive_counters(program, part, texts)
        case Sanitizers():
            runs = tuple(_derive_run(run, texts) for run in part.runs)
            return msgspec.structs.replace(part, runs=runs), []
        case Mutants():
            return _derive_mutants(part, texts), []
        case Listings():
            return _derive_listings(program, part, texts)
        case Check():
            return part, []
    raise AssertionError(part)


def _derive_counters(
    program: Program, part: Counters, texts: Mapping[str, str]
) -> tuple[Counters, list[Finding]]:
    rules = program.declaration.parts.counters
    findings: list[Finding] = []
    sessions = []
    for session in part.sessions:
        if session.name not in rules:
            sessions.append(session)
            continue
        derived, wrong = derive_session(session, rules[session.name], texts)
        sessions.append(derived)
        findings += wrong
    return msgspec.structs.replace(part, sessions=tuple(sessions)), findings


def _derive_run(run: SanitizerRun, texts: Mapping[str, str]) -> SanitizerRun:
    verdict = read_sanitizer_log(texts.get(run.log.path, ""), run.exit_status, run.cut)
    return msgspec.structs.replace(
        run,
        errors=verdict.errors,
        warnings=verdict.warnings,
        passed=verdict.passed,
        could_not_check=verdict.could_not_check,
    )


def _derive_mutants(part: Mutants, texts: Mapping[str, str]) -> Mutants:
    mutants = []
    for mutant in part.mutants:
        trials = tuple(derive_trial(trial, texts) for trial in mutant.trials)
        by = next((trial.by for trial in trials if trial.outcome == REJECTS), "")
        mutants.append(
            msgspec.structs.replace(mutant, trials=trials, caught=bool(by), caught_by=by)
        )
    sound = tuple(derive_trial(trial, texts) for trial in part.sound)
    return msgspec.structs.replace(part, sound=sound, mutants=tuple(mutants))


def derive_trial(trial: MutantTrial, texts: Mapping[str, str]) -> MutantTrial:
    """The trial with its outcome and the words that show it."""
    text = texts.get(trial.log.path, "")
    if trial.by in SANITIZERS:
        verdict = read_sanitizer_log(text, trial.exit_status, trial.cut)
        outcome = ACCEPTS if verdict.passed else REJECTS
        outcome = UNCHECKED if verdict.could_not_check else outcome
        said = verdict.could_not_check or verdict.said
    elif trial.by == READER_CHECK:
        outcome, said = _read_reader_log(text)
    else:
        rejects = bool(trial.exit_status or trial.cut)
        outcome = REJECTS if rejects else ACCEPTS
        said = _find_last_words(text, trial) if rejects else ""
    return msgspec.structs.replace(trial, outcome=outcome, said=said[:_SAID_AT_MOST])


def find_sound(part: Mutants, trial: MutantTrial) -> MutantTrial | None:
    """What the check that made ``trial`` said of the program itself, run in the same way."""
    asked = _list_asked(trial)
    return next(
        (sound for sound in part.sound if sound.by == trial.by and _list_asked(sound) == asked),
        None,
    )


def _list_asked(trial: MutantTrial) -> tuple[str, ...]:
    """What a check was asked: the region, or the program's command, a tool's own words left out."""
    if trial.by == READER_CHECK:
        return trial.command[:2]  # the seed may be another
    binary = (i for i, word in enumerate(trial.command) if word.startswith("./"))
    return trial.command[next(binary, 0) :]


def quote_trial(trial: MutantTrial, texts: Mapping[str, str]) -> str:
    """The words that show a trial's outcome, also where the program's own check accepts."""
    return trial.said or _find_last_words(texts.get(trial.log.path, ""), trial)[:_SAID_AT_MOST]


def _read_reader_log(text: str) -> tuple[str, str]:
    """The reader's trial, as its process wrote it down."""
    try:
        told = json.loads(text)
        outcome, said = str(told["outcome"]), str(told["said"])
    except (ValueError, KeyError, TypeError):
        return UNCHECKED, "the reader's trial left no outcome"
    known = {"agrees": ACCEPTS, "fails": REJECTS}
    return known.get(outcome, UNCHECKED), said


def _find_last_words(text: str, trial: MutantTrial) -> str:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    ended = trial.cut or f"exit status {trial.exit_status}"
    return f"{lines[-1]} ({ended})" if lines else ended


def _derive_listings(
    program: Program, part: Listings, texts: Mapping[str, str]
) -> tuple[Listings, list[Finding]]:
    functions = read_machine_code(texts.get(part.sass.path, "")) if part.sass else {}
    findings: list[Finding] = []
    regions = []
    for region in part.regions:
        kernels = []
        for kernel, function in region.functions.items():
            code = functions.get(function)
            if code is None:
                findings += _report_absent(program, region, kernel, functions)
                continue
            kernels.append(
                KernelListing(
                    kernel=kernel,
                    function=function,
                    instructions=len(code),
                    opcodes=count_opcodes(code),
                )
            )
        regions.append(msgspec.structs.replace(region, kernels=tuple(kernels)))
    return msgspec.structs.replace(part, regions=tuple(regions)), findings


def _report_absent(
    program: Program, region: RegionListing, kernel: str, functions: Mapping[str, object]
) -> Iterator[Finding]:
    rule = program.declaration.parts.listings.get(region.region)
    if rule is not None:
        yield Finding(
            Kind.DECLARATION,
            rule.place,
            f"the machine code of `{kernel}`",
            "the binary holds no such function",
            suggest_names(kernel, functions),
        )
