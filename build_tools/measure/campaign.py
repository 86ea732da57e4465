"""How do programs become evidence? Compile all, run them in turn, check, and write records.

What is verified already is left alone, record and parts each by itself. A run that fails is
never evidence: the program keeps what it had, and the finding says what happened.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.home import RUN, is_part_file
from build_tools.evidence.loaded import LoadedRecord, Shelf
from build_tools.evidence.part_digest import list_asked_parts
from build_tools.evidence.part_model import PartKind
from build_tools.evidence.parts import find_newest
from build_tools.evidence.reader import read_covered, tells_rejections
from build_tools.evidence.shelf import read_shelf
from build_tools.measure.bundle import write_bundle
from build_tools.measure.campaign_findings import (
    report_disk,
    report_no_device,
    report_unknown,
)
from build_tools.measure.compile import Compiled, compile_program, report_no_nvcc
from build_tools.measure.deposit import (
    check_writable,
    replace_file,
    stamp_loaded,
)
from build_tools.measure.device import describe_device
from build_tools.measure.ground import (
    WHAT_IS_STALE,
    Extent,
    Front,
    Ground,
    Progress,
    Repeats,
    Want,
    say_in_turn,
)
from build_tools.measure.ledger import COMPILER, describe_ledger
from build_tools.measure.part_campaign import measure_parts, open_benches
from build_tools.measure.record_runs import find_unmet, record_jobs
from build_tools.measure.room import Room
from build_tools.measure.rounds import Job, open_sampling, run_rounds
from build_tools.measure.run import unwind_when_terminated
from build_tools.measure.toolchain import Toolchain, explain_unmet, find_nvcc
from build_tools.source.model import Program, Settings


def run_campaign(
    root: Path,
    programs: Mapping[str, Program],
    settings: Settings,
    names: Sequence[str],
    *,
    repeats: Repeats,
    front: Front,
    bundle: Path | None,
    extent: Extent = WHAT_IS_STALE,
) -> list[Finding]:
    """Measure the programs named, or all, on this machine's GPU; what went wrong.

    Only what is stale or missing is measured unless ``extent`` says more; header and README of
    verified programs are brought up to date. ``front`` is told what happens, line by line, and
    asked whether the processes so far are enough. With ``bundle`` the evidence goes into that file
    and the tree stays as it is. On an interrupt nothing half written is left; what is whole is
    kept, and what was found is said.
    """
    progress = say_in_turn(front.progress)
    unknown = [name for name in names if name not in programs]
    if unknown:
        return [report_unknown(name, programs) for name in unknown]
    chosen = [programs[name] for name in dict.fromkeys(names)] or list(programs.values())
    wants, findings = [], []
    for program in chosen:
        want, wrong = choose_wanted(root, program, settings, progress, extent, stamp=bundle is None)
        findings += wrong
        if want.run or want.kinds:
            wants.append(want)
    if not wants:
        return findings
    findings += check_writable(root, wants[0].program, bundle)
    if findings:
        return findings
    device = describe_device()
    if isinstance(device, str):
        return [*findings, *(report_no_device(want.program, device) for want in wants)]
    progress(f"on {device.model}, driver {device.driver}")
    front.before_measuring()
    ground = Ground(root, settings, device, bundle, progress, front.find_unmet)
    try:
        findings += measure_wanted(ground, wants, repeats)
    except (KeyboardInterrupt, SystemExit):
        for finding in [*findings, *ground.found]:
            progress(str(finding))
        raise
    finally:
        for line in describe_ledger(ground.ledger, time.monotonic()) if extent.timings else ():
            progress(line)
    return findings


def choose_wanted(
    root: Path,
    program: Program,
    settings: Settings,
    progress: Progress,
    extent: Extent,
    *,
    stamp: bool,
) -> tuple[Want, list[Finding]]:
    """What of a program is to be measured; header and README of a verified one are refreshed."""
    shelf, wrong = read_shelf(root, program, settings)
    shown, needs_check = find_verified(shelf, wrong, program)
    kinds = [
        kind
        for kind in list_asked_parts(program)
        if kind.value in extent.parts and (extent.force or not is_made(shelf, kind))
    ]
    run = RUN in extent.parts and (extent.force or shown is None)
    if not run and PartKind.CHECK in extent.parts and (needs_check or extent.force):
        # A run makes the reader's check with its record.
        kinds += [PartKind.CHECK] if program.check_path else []
    findings: list[Finding] = []
    if shown is not None and not run:
        progress(f"{program.name}: verified by {shown.identity}, not run again")
    if stamp and shown is not None and not run:
        try:
            for path in stamp_loaded(root, program, shown):
                progress(f"{program.name}: wrote {path}")
        except OSError as error:
            findings.append(report_disk(program, error))
    return Want(program, run, tuple(kinds)), findings


def measure_programs(
    ground: Ground, programs: Sequence[Program], repeats: Repeats
) -> list[Finding]:
    """Compile, run, check and record these programs with all their parts."""
    wants = [Want(program, True, list_asked_parts(program)) for program in programs]
    return measure_wanted(ground, wants, repeats)


def measure_wanted(ground: Ground, wants: Sequence[Want], repeats: Repeats) -> list[Finding]:
    """Measure what is wanted on the ground's device; times first, with nothing beside them."""
    files: dict[str, bytes] = {}
    with ExitStack() as stack:
        stack.enter_context(unwind_when_terminated())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="course-")))
        stack.callback(_close_bundle, ground, files)
        jobs, toolchain, findings = _compile_all(ground, wants, folder)
        ground.note_findings(findings)
        if toolchain is None or not jobs:
            return findings
        by_name = {want.program.name: want for want in wants}
        timed = [job for job in jobs if by_name[job.program.name].run]
        sampling = stack.enter_context(open_sampling(ground.progress, ground.ledger))
        findings += run_rounds(
            timed,
            repeats,
            sampling,
            ground.progress,
            ground.note_findings,
            lambda job: find_unmet(ground, job),
        )
        room = Room(folder / "cupy")
        pool = stack.enter_context(ThreadPoolExecutor(os.cpu_count() or 1))
        # Set before the pool waits for its threads, also on an interrupt.
        stack.callback(room.stop.set)
        going = [job for job in jobs if not job.failed]
        benches = open_benches(ground, going, by_name, toolchain, room, pool)
        findings += record_jobs(ground, [job for job in timed if not job.failed], room, files)
        left = [benches[job.program.name] for job in going if not job.failed]
        findings += measure_parts(ground, left, by_name, room, pool, files.update)
    return findings


def _close_bundle(ground: Ground, files: dict[str, bytes]) -> None:
    """Write what is whole into the bundle, also when something ended the campaign early."""
    if ground.bundle is not None and files:
        replace_file(ground.bundle.absolute(), write_bundle(files))
        ground.progress(f"bundle {ground.bundle}: {len(files)} files; next: course record FILE")


def find_verified(
    shelf: Shelf, findings: Sequence[Finding], program: Program
) -> tuple[LoadedRecord | None, bool]:
    """The shown record, when nothing but its stamp is wrong with it; whether it lacks a check.

    ``findings`` are the shelf's. What is wrong with parts is not the record's.
    """
    shown = shelf.shown_record
    if shown is None:
        return None, False
    needs_check = False
    for finding in findings:
        path = finding.place.path
        is_of_check = path == program.check_path or (
            path == shown.path and finding.kind is Kind.CHECK
        )
        if finding.kind in (Kind.STAMP, Kind.ORPHAN):
            continue
        if is_part_file(path) or path == program.declaration.path:
            continue
        if is_of_check and finding.kind in (Kind.STALE, Kind.CHECK):
            needs_check = True
        else:
            return None, False
    made = shown.reader_check
    return shown, needs_check or (made is not None and not tells_rejections(made))


def is_made(shelf: Shelf, kind: PartKind) -> bool:
    """Whether a part is there, fresh, and holds more than why there is nothing in it."""
    newest = find_newest(shelf, kind)
    return newest is not None and not newest.part.could_not_check


def _compile_all(
    ground: Ground, wants: Sequence[Want], folder: Path
) -> tuple[list[Job], Toolchain | None, list[Finding]]:
    """All programs that this device can run, compiled side by side."""
    toolchain = find_nvcc()
    if isinstance(toolchain, str):
        return [], None, [report_no_nvcc(toolchain)]
    findings: list[Finding] = []
    ready: list[Program] = []
    for program in (want.program for want in wants):
        unmet = explain_unmet(program, ground.device.compute_capability)
        if unmet:
            ground.progress(f"{program.name}: waived, because {unmet}")
            continue
        if program.check_path:
            _, wrong = read_covered(ground.root, program)
            if wrong:
                findings += wrong
                continue
        ready.append(program)
    jobs = []
    stop = threading.Event()

    def compile_one(program: Program) -> tuple[Compiled | None, list[Finding]]:
        place = folder / program.name
        place.mkdir()
        ground.progress(f"{program.name}: compiling with nvcc {toolchain.version}")
        with ground.ledger.spend(COMPILER, "programs"):
            return compile_program(ground.root, program, toolchain, ground.arch, place, (), stop)

    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(os.cpu_count() or 1))
        # Set before the pool waits for its threads, also on an interrupt.
        stack.callback(stop.set)
        started = [(program, pool.submit(compile_one, program)) for program in ready]
        for program, future in started:
            compiled, wrong = future.result()
            findings += wrong
            if compiled is not None:
                jobs.append(Job(program, compiled, folder / program.name))
    return jobs, toolchain, findings
