"""In which order are the parts of all programs made, and how do they reach the disk?

Nothing is timed any more by then, so compilers work beside the GPU: while the first program is
profiled, the mutants of all are built.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime

from build_tools.diagnostics.finding import Finding
from build_tools.evidence.part_compose import compose_part
from build_tools.evidence.part_judge import judge_part
from build_tools.evidence.part_model import LoadedPart, PartKind
from build_tools.evidence.parts import find_newest
from build_tools.evidence.shelf import read_shelf
from build_tools.measure.bench import Bench, start_builds
from build_tools.measure.campaign_findings import report_disk, report_lock
from build_tools.measure.deposit import LockHeldError, choose_identity, hold_lock, write_files
from build_tools.measure.ground import Ground, Want
from build_tools.measure.part_runs import make_part, report_start
from build_tools.measure.rounds import Job
from build_tools.measure.toolchain import Toolchain
from build_tools.measure.tools import Tool
from build_tools.source.model import slugify_device


def measure_parts(
    ground: Ground, jobs: Sequence[Job], wants: Mapping[str, Want], toolchain: Toolchain
) -> tuple[dict[str, bytes], list[Finding]]:
    """Make the parts that are wanted of these programs; the files for a bundle, and what is wrong."""
    files: dict[str, bytes] = {}
    findings: list[Finding] = []
    tools: dict[str, Tool | str] = {}
    stop = threading.Event()
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(os.cpu_count() or 1))
        # Set before the pool waits for its threads, also on an interrupt.
        stack.callback(stop.set)
        benches = []
        for job in jobs:
            bench = Bench(
                ground.root,
                job.program,
                job.compiled,
                job.folder,
                toolchain,
                ground.arch,
                ground.ledger,
                ground.progress,
                tools,
                stop,
            )
            start_needed(bench, pool, wants[job.program.name].kinds)
            benches.append(bench)
        for bench in benches:
            for kind in wants[bench.program.name].kinds:
                written, wrong = measure_part(ground, bench, kind)
                files |= written
                findings += wrong
    return files, findings


def start_needed(bench: Bench, pool: Executor, kinds: Sequence[PartKind]) -> None:
    """Begin all builds that these parts need and that were not begun yet."""
    rules = bench.program.declaration.parts.mutants
    names = list(rules) if PartKind.MUTANTS in kinds else []
    if PartKind.SANITIZERS in kinds:
        names += [rule.name for rule in rules.values() if rule.proves and rule.name not in names]
    lines = PartKind.SANITIZERS in kinds or PartKind.LISTINGS in kinds
    wanted = [name for name in names if name not in bench.mutants]
    start_builds(bench, pool, lines=lines and bench.with_lines is None, mutants=wanted)


def measure_part(
    ground: Ground, bench: Bench, kind: PartKind
) -> tuple[dict[str, bytes], list[Finding]]:
    """Make one part and write it; what it says against the program is among the findings."""
    program = bench.program
    ground.progress(f"{program.name}: {kind}")
    folder = f"evidence/{program.name}/{slugify_device(ground.device.model)}"
    date = datetime.now(UTC).strftime("%Y-%m-%d")
    stem = f"{folder}/{choose_identity(ground.root, folder, date, kind.value)}"
    try:
        draft = make_part(bench, ground.device, kind, stem)
    except OSError as error:
        return {}, [report_start(bench, kind, error)]
    if draft.part is None or draft.findings:
        return {}, draft.findings
    loaded, files, findings = compose_part(program, draft.part, stem, draft.files)
    if loaded is None:
        return {}, findings
    findings = judge_part(program, loaded)
    known = _find_same_refusal(ground, bench, loaded)
    if known is not None:
        return {}, judge_part(program, known)
    if ground.bundle is not None:
        return files, findings
    try:
        with hold_lock(ground.root):
            write_files(ground.root, files)
    except LockHeldError:
        return {}, [*findings, report_lock(program)]
    except OSError as error:
        return {}, [*findings, report_disk(program, error)]
    ground.progress(f"{program.name}: wrote {loaded.path}")
    return {}, findings


def _find_same_refusal(ground: Ground, bench: Bench, loaded: LoadedPart) -> LoadedPart | None:
    """The newest part of the kind, when it holds the same refusal already."""
    if not loaded.part.could_not_check or not ground.is_reference:
        return None
    shelf, _ = read_shelf(ground.root, bench.program, ground.settings)
    newest = find_newest(shelf, loaded.kind)
    same = newest is not None and newest.part.could_not_check == loaded.part.could_not_check
    return newest if same else None
