"""How is a part of a program's evidence made: its tools run, its files written?

A tool that is missing or refuses leaves a part that holds its words, and everything else is
made all the same.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any

import msgspec

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.model import FORMAT, Device
from build_tools.evidence.part_derive import derive_part
from build_tools.evidence.part_digest import compose_asked, compute_part_digest, place_part
from build_tools.evidence.part_model import (
    Check,
    Counters,
    Listings,
    MutantOutcome,
    Mutants,
    Part,
    PartKind,
    Sanitizers,
)
from build_tools.evidence.record import describe_file
from build_tools.evidence.transcript import decode_transcript
from build_tools.measure.bench import Bench, name_tools, take_lines
from build_tools.measure.campaign_findings import report_check
from build_tools.measure.compile import Compiled
from build_tools.measure.ledger import GPU
from build_tools.measure.listing import anchor_lines, list_code, name_region_functions
from build_tools.measure.mutants import Trials, try_mutant
from build_tools.measure.profile import check_metrics, profile_session, query_metrics
from build_tools.measure.reader_check import check_reader_units
from build_tools.measure.room import make_once, map_side_by_side
from build_tools.measure.sanitize import describe_sanitizer_run, execute_sanitizer
from build_tools.measure.tools import CUOBJDUMP, NCU, NVDISASM, SANITIZER
from build_tools.measure.version import find_version
from build_tools.source.part_rules import MutantRule


@dataclass
class Draft:
    """A part on its way: what is known of it, its files, and what is wrong."""

    part: Part | None = None
    """None when nothing is to be recorded."""
    files: dict[str, bytes] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def make_part(bench: Bench, device: Device, kind: PartKind, stem: str) -> Draft:
    """Run a part's tools; ``stem`` is the path of its JSON from the root without the ending.

    What follows from its files is not in it yet. Raises OSError when a binary or a tool that
    told its version cannot be started.
    """
    started = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    head = _Head(bench, device, kind, stem, started)
    return _MAKERS[kind](head)


@dataclass(frozen=True)
class _Head:
    """What every part begins with."""

    bench: Bench
    device: Device
    kind: PartKind
    stem: str
    started: str

    def fill(self, sort: type[Part], tools: Iterable[str], **more: Any) -> Part:
        """A part with these fields beside those that all have."""
        bench = self.bench
        return sort(
            format=FORMAT,
            part=self.kind.value,
            program=bench.program.name,
            started=self.started,
            code_digest=bench.program.code_digest,
            digest=compute_part_digest(bench.root, bench.program, self.kind),
            asked=compose_asked(bench.root, bench.program, self.kind),
            course=find_version(),
            python=platform.python_version(),
            device=self.device,
            build=bench.compiled.build,
            tools=dict(name_tools(bench, list(tools))),
            seals={},
            campaign=bench.campaign or msgspec.UNSET,
            **more,
        )

    def refuse(self, sort: type[Part], tools: Iterable[str], why: str, said: bytes = b"") -> Draft:
        """A part that holds only why there is nothing in it."""
        path = f"{self.stem}/refusal.txt"
        files = {path: said} if said else {}
        refusal = describe_file(path, said) if said else None
        return Draft(self.fill(sort, tools, could_not_check=why, refusal=refusal), files)


def _make_counters(head: _Head) -> Draft:
    bench = head.bench
    tool = bench.find(NCU)
    if isinstance(tool, str):
        return head.refuse(Counters, (), tool)
    rules = bench.program.declaration.parts.counters
    known = make_once(
        bench.lock, bench.known_metrics, tool.path, lambda: query_metrics(tool, bench)
    )
    findings = [finding for rule in rules.values() for finding in check_metrics(rule, known)]
    if findings:
        return Draft(findings=findings)
    files: dict[str, bytes] = {}
    sessions = []
    for rule in rules.values():
        profiled = profile_session(bench, rule, tool, head.stem)
        if profiled.refusal:
            return head.refuse(Counters, (NCU,), profiled.refusal, profiled.refusal_log)
        if profiled.findings:
            return Draft(findings=profiled.findings)
        files |= profiled.files
        sessions.append(profiled.session)
    return Draft(head.fill(Counters, (NCU,), sessions=tuple(sessions)), files)


def _make_sanitizers(head: _Head) -> Draft:
    bench = head.bench
    parts = bench.program.declaration.parts
    tool = bench.find(SANITIZER)
    if isinstance(tool, str):
        return head.refuse(Sanitizers, (), tool)
    assert parts.sanitizers is not None  # noqa: S101 - it was asked for
    lines = take_lines(bench)
    own = lines[0] if lines else bench.compiled
    wanted: list[tuple[str, str, Compiled]] = []
    for name in parts.sanitizers.tools:
        wanted.append((name, "", own))
        for rule in parts.mutants.values():
            if rule.proves != name:
                continue
            variant = bench.mutants[rule.name].result()
            if isinstance(variant, Finding):
                return Draft(findings=[variant])
            wanted.append((name, rule.name, variant.compiled))
    args = parts.sanitizers.args
    executions = map_side_by_side(
        bench.room, lambda w: execute_sanitizer(bench, w[2], tool, w[0], args), wanted
    )
    files: dict[str, bytes] = {}
    runs = []
    for (name, mutant, _), executed in zip(wanted, executions, strict=True):
        run, more = describe_sanitizer_run(executed, name, mutant, head.stem)
        runs.append(run)
        files |= more
    part = head.fill(Sanitizers, (SANITIZER,), line_info=lines is not None, runs=tuple(runs))
    return _give_up_if_silent(head, Draft(part, files))


def _give_up_if_silent(head: _Head, draft: Draft) -> Draft:
    """When no tool came to any verdict, the part holds the first one's words."""
    assert draft.part is not None  # noqa: S101
    texts = {path: data.decode("utf-8", "replace") for path, data in draft.files.items()}
    derived, _ = derive_part(head.bench.program, draft.part, texts)
    assert isinstance(derived, Sanitizers)  # noqa: S101
    if not all(run.could_not_check for run in derived.runs):
        return draft
    first = derived.runs[0]
    said = draft.files[first.log.path]
    return head.refuse(Sanitizers, (SANITIZER,), first.could_not_check, said)


def _make_mutants(head: _Head) -> Draft:
    bench = head.bench
    trials = Trials(bench, head.stem, bench.find(SANITIZER))
    outcomes = []
    findings: list[Finding] = []
    rules = bench.program.declaration.parts.mutants.values()
    tried = map_side_by_side(bench.room, partial(_try_and_tell, trials), rules)
    for outcome in tried:
        if isinstance(outcome, Finding):
            findings.append(outcome)
        else:
            outcomes.append(outcome)
    if findings:
        return Draft(findings=findings)
    part = head.fill(Mutants, (SANITIZER,), sound=trials.list_sound(), mutants=tuple(outcomes))
    return Draft(part, trials.files)


def _try_and_tell(trials: Trials, rule: MutantRule) -> MutantOutcome | Finding:
    outcome = try_mutant(trials, rule)
    if isinstance(outcome, MutantOutcome):
        caught = next((t.by for t in outcome.trials if t.outcome == "rejects"), "no check")
        name = trials.bench.program.name
        trials.bench.progress(f"{name}: mutant {outcome.name} is rejected by {caught}")
    return outcome


def _make_listings(head: _Head) -> Draft:
    bench = head.bench
    cuobjdump = bench.find(CUOBJDUMP)
    if isinstance(cuobjdump, str):
        return head.refuse(Listings, (), cuobjdump)
    report = bench.compiled.report.decode("utf-8", "replace")
    regions = []
    findings: list[Finding] = []
    for rule in bench.program.declaration.parts.listings.values():
        region, wrong = name_region_functions(bench.program, rule, report)
        regions.append(region)
        findings += wrong
    if findings:
        return Draft(findings=findings)
    functions = sorted({name for region in regions for name in region.functions.values()})
    listed = list_code(bench, functions, cuobjdump, bench.find(NVDISASM))
    if listed.refusal:
        return head.refuse(Listings, (CUOBJDUMP, NVDISASM), listed.refusal)
    named = {"sass": listed.sass, "lines": listed.lines, "ptx": listed.ptx}
    file = bench.program.path.rsplit("/", 1)[-1]
    paths = {name: f"{head.stem}/{name}.txt" for name, data in named.items() if data}
    part = head.fill(
        Listings,
        (CUOBJDUMP, NVDISASM),
        anchors=anchor_lines(
            file, listed.text, decode_transcript(listed.lines), decode_transcript(listed.ptx)
        ),
        regions=tuple(regions),
        **{name: describe_file(path, named[name]) for name, path in paths.items()},
    )
    return Draft(part, {path: named[name] for name, path in paths.items()})


def _make_check(head: _Head) -> Draft:
    bench = head.bench
    with bench.ledger.spend(GPU, "readers' checks"):
        check = check_reader_units(bench.root, bench.program, room=bench.room)
    if check.could_not_check:
        return head.refuse(Check, (), check.could_not_check)
    findings = report_check(bench.program, check)
    return Draft(findings=findings) if findings else Draft(head.fill(Check, (), check=check))


_MAKERS: Mapping[PartKind, Callable[[_Head], Draft]] = {
    PartKind.COUNTERS: _make_counters,
    PartKind.SANITIZERS: _make_sanitizers,
    PartKind.MUTANTS: _make_mutants,
    PartKind.LISTINGS: _make_listings,
    PartKind.CHECK: _make_check,
}


def report_start(bench: Bench, kind: PartKind, error: OSError) -> Finding:
    """For a binary or a tool that cannot be started."""
    return Finding(
        Kind.RUN,
        place_part(bench.program, kind),
        f"{kind} of `{bench.program.name}`",
        f"something cannot be started: {error.strerror} ({error.filename})",
        "make it executable here, and run again",
        checked=False,
    )
