"""Which check notices each mutant: the program's own, the reader's, or a sanitizer's tool?"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from threading import Lock

from msgspec.structs import replace

from build_tools.diagnostics.finding import Finding
from build_tools.evidence.part_derive import (
    ACCEPTS,
    PROGRAM_CHECK,
    READER_CHECK,
    REJECTS,
    UNCHECKED,
    derive_trial,
)
from build_tools.evidence.part_model import MutantOutcome, MutantTrial
from build_tools.evidence.reader import read_covered
from build_tools.evidence.record import describe_file
from build_tools.measure.bench import Bench, Executed, Variant, run_binary, take_lines
from build_tools.measure.ledger import GPU
from build_tools.measure.reader_check import try_text
from build_tools.measure.room import make_once
from build_tools.measure.sanitize import execute_sanitizer
from build_tools.measure.tools import SANITIZER, Tool
from build_tools.source.part_rules import MutantRule
from build_tools.source.reader_unit import compose_reader_unit, list_needed
from build_tools.source.starters import list_trial_args


@dataclass
class Trials:
    """The trials of one program's mutants: what they are made with, and the files so far."""

    bench: Bench
    stem: str
    """The path of the part's files from the root."""
    sanitizer: Tool | str
    seeds: tuple[int, int] = field(
        default_factory=lambda: (secrets.randbelow(2**31), secrets.randbelow(2**31))
    )
    files: dict[str, bytes] = field(default_factory=dict)
    sound: dict[tuple[str, ...], Future[MutantTrial]] = field(default_factory=dict)
    """What each check says of the program itself."""
    lock: Lock = field(default_factory=Lock)
    """Mutants are tried side by side, the program itself once."""

    def list_sound(self) -> tuple[MutantTrial, ...]:
        """What each check says of the program itself."""
        return tuple(trial.result() for trial in self.sound.values())


_LEAST_LIMIT = 60.0
_SLOWER_AT_MOST = 20
"""A mutant that takes so many times as long as the program, and a minute, is taken to hang."""


def try_mutant(trials: Trials, rule: MutantRule) -> MutantOutcome | Finding:
    """A mutant through all checks, up to the first that rejects it. Raises OSError.

    Each check must accept the program itself; that is tried once.
    """
    bench = trials.bench
    variant = bench.mutants[rule.name].result()
    if isinstance(variant, Finding):
        return variant
    lines = take_lines(bench)
    original = Variant(bench.root, bench.program, lines[0] if lines else bench.compiled)
    made: list[MutantTrial] = []
    for number, (key, make) in enumerate(_list_checks(trials, rule), 1):
        sound = make_once(
            trials.lock,
            trials.sound,
            key,
            lambda k=key, m=make: _settle(  # type: ignore[misc]
                trials, m(original, None), f"program-{list(trials.sound).index(k) + 1}"
            ),
        )
        if sound.outcome == UNCHECKED:
            made.append(sound)  # who survives then is not known
        if sound.outcome != ACCEPTS:
            continue
        limit = max(_LEAST_LIMIT, _SLOWER_AT_MOST * sound.seconds)
        trial = _settle(trials, make(variant, limit), f"mutant-{rule.name}-{number}")
        made.append(trial)
        if trial.outcome == REJECTS:
            break
    return MutantOutcome(name=rule.name, trials=tuple(made))


Draft = tuple[MutantTrial, bytes]
"""A trial without its file, and what the file holds."""


def _list_checks(
    trials: Trials, rule: MutantRule
) -> Iterator[tuple[tuple[str, ...], Callable[[Variant, float | None], Draft]]]:
    """The checks in their order, each with what tells it from others on the program itself."""
    bench = trials.bench
    args = rule.args or list_trial_args(bench.program)
    yield (PROGRAM_CHECK, *args), partial(_run_program, trials, args)
    for region in list_reader_regions(bench, rule.region):
        yield (READER_CHECK, region), partial(_run_reader, trials, region)
    declared = bench.program.declaration.parts.sanitizers
    if declared is None:
        return
    for tool in declared.tools:
        yield (tool, *args), partial(_run_tool, trials, tool, args)


def list_reader_regions(bench: Bench, region: str) -> list[str]:
    """The regions that check.py covers and that a reader copies together with this one."""
    program = bench.program
    if not program.check_path:
        return []
    covered, findings = read_covered(bench.root, program)
    if findings:
        return []
    return [name for name in covered if region in list_needed(program.regions, name)]


def _run_program(
    trials: Trials, args: tuple[str, ...], variant: Variant, limit: float | None
) -> Draft:
    bench, what = trials.bench, "mutants: the program's check"
    executed = run_binary(bench, variant.compiled, args, what, limit=limit)
    return _draft(PROGRAM_CHECK, executed), executed.output


def _run_tool(
    trials: Trials, tool: str, args: tuple[str, ...], variant: Variant, limit: float | None
) -> Draft:
    del limit  # the same execution may be a proof of the sanitizers, which have the program's own
    if isinstance(trials.sanitizer, str):
        words = f"========= {trials.sanitizer}\n".encode()
        nothing = Executed((SANITIZER, "--tool", tool), words, b"", 1, 0.0, "")
        return _draft(tool, nothing), words
    executed = execute_sanitizer(trials.bench, variant.compiled, trials.sanitizer, tool, args)
    return _draft(tool, executed), executed.log


def _draft(by: str, executed: Executed) -> MutantTrial:
    return MutantTrial(
        by=by,
        command=executed.command,
        log=describe_file("", b""),
        exit_status=executed.exit_status,
        seconds=round(executed.seconds, 6),
        cut=executed.cut,
    )


def _run_reader(trials: Trials, region: str, variant: Variant, limit: float | None) -> Draft:
    del limit  # a check.py has its own
    text = compose_reader_unit(variant.program, region)
    begin = time.monotonic()
    with trials.bench.ledger.spend(GPU, "mutants: the reader's check"):
        trial = try_text(
            variant.root, variant.program, region, text, trials.seeds[:1], trials.bench.room
        )
    told = {"outcome": trial.outcome, "said": trial.said, "region": region}
    draft = MutantTrial(
        by=READER_CHECK,
        command=("check.py", region, str(trials.seeds[0])),
        log=describe_file("", b""),
        exit_status=0,
        seconds=round(time.monotonic() - begin, 6),
    )
    return draft, (json.dumps(told, indent=2, ensure_ascii=False) + "\n").encode()


def _settle(trials: Trials, draft: Draft, name: str) -> MutantTrial:
    """The trial with its file under this name, its outcome derived from it."""
    trial, data = draft
    path = f"{trials.stem}/{name}.txt"
    trials.files[path] = data
    trial = replace(trial, log=describe_file(path, data))
    return derive_trial(trial, {path: data.decode("utf-8", "replace")})
