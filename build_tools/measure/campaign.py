"""How do programs become evidence? Compile all, run them in turn, check, and write records.

What is verified already is left alone, record and parts each by itself. A run that fails is
never evidence: the program keeps what it had, and the finding says what happened.
"""

from __future__ import annotations

import os
import platform
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.compose import Circumstances, Ran, compose_record, judge_runs
from build_tools.evidence.home import RUN, is_part_file
from build_tools.evidence.model import Device, LoadedRecord, ReaderCheck, Shelf
from build_tools.evidence.part_digest import list_asked_parts
from build_tools.evidence.part_model import PartKind
from build_tools.evidence.parts import find_newest
from build_tools.evidence.reader import read_covered
from build_tools.evidence.shelf import read_shelf
from build_tools.evidence.verify import digest_declaration
from build_tools.measure.bundle import write_bundle
from build_tools.measure.campaign_findings import (
    report_check,
    report_disk,
    report_lock,
    report_no_device,
    report_unknown,
)
from build_tools.measure.compile import Compiled, compile_program, report_no_nvcc
from build_tools.measure.deposit import (
    LockHeldError,
    check_record_file,
    check_writable,
    choose_identity,
    deposit_runs,
    replace_file,
    stamp_files,
    stamp_loaded,
)
from build_tools.measure.device import describe_device
from build_tools.measure.ground import WHAT_IS_STALE, Extent, Ground, Progress, Want
from build_tools.measure.ledger import COMPILER, GPU, describe_ledger
from build_tools.measure.part_campaign import measure_parts
from build_tools.measure.reader_check import check_reader_units
from build_tools.measure.rounds import Job, open_sampling, run_rounds
from build_tools.measure.run import unwind_when_terminated
from build_tools.measure.toolchain import Toolchain, explain_unmet, find_nvcc
from build_tools.measure.version import find_version
from build_tools.source.model import Program, Settings, slugify_device


def run_campaign(
    root: Path,
    programs: Mapping[str, Program],
    settings: Settings,
    names: Sequence[str],
    *,
    repeats: int,
    progress: Progress,
    bundle: Path | None,
    extent: Extent = WHAT_IS_STALE,
) -> list[Finding]:
    """Measure the programs named, or all, on this machine's GPU; what went wrong.

    Only what is stale or missing is measured unless ``extent`` says more; header and README of
    verified programs are brought up to date. ``progress`` is told what happens, line by line. With
    ``bundle`` the evidence goes into that file and the tree stays as it is. On an interrupt
    nothing half written is left.
    """
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
    ground = Ground(root, settings, device, bundle, progress)
    findings += measure_wanted(ground, wants, repeats)
    if extent.timings:
        for line in describe_ledger(ground.ledger, time.monotonic()):
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


def measure_programs(ground: Ground, programs: Sequence[Program], repeats: int) -> list[Finding]:
    """Compile, run, check and record these programs with all their parts."""
    wants = [Want(program, True, list_asked_parts(program)) for program in programs]
    return measure_wanted(ground, wants, repeats)


def measure_wanted(ground: Ground, wants: Sequence[Want], repeats: int) -> list[Finding]:
    """Measure what is wanted on the ground's device; times first, with nothing beside them."""
    with unwind_when_terminated(), tempfile.TemporaryDirectory(prefix="course-") as folder:
        jobs, toolchain, findings = _compile_all(ground, wants, Path(folder))
        if toolchain is None or not jobs:
            return findings
        by_name = {want.program.name: want for want in wants}
        timed = [job for job in jobs if by_name[job.program.name].run]
        files: dict[str, bytes] = {}
        with open_sampling(ground.progress, ground.ledger) as sampling:
            findings += run_rounds(timed, repeats, sampling, ground.progress)
            for job in timed:
                if not job.failed:
                    written, wrong = _record_job(ground, job)
                    findings += wrong
                    files |= written
                    job.failed = any(finding.checked for finding in wrong)
            going = [job for job in jobs if not job.failed]
            written, wrong = measure_parts(ground, going, by_name, toolchain)
            findings += wrong
            files |= written
    if ground.bundle is not None and files:
        replace_file(ground.bundle.absolute(), write_bundle(files))
        ground.progress(f"bundle {ground.bundle}: {len(files)} files; next: course record FILE")
    return findings


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
    return shown, needs_check


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


def _record_job(ground: Ground, job: Job) -> tuple[dict[str, bytes], list[Finding]]:
    """Judge a program's runs, check it as a reader would, and write its record."""
    program = job.program
    findings = judge_runs(program, job.runs)
    if findings:
        return {}, findings
    check: ReaderCheck | None = None
    if program.check_path:
        ground.progress(f"{program.name}: checking what a reader can copy")
        with ground.ledger.spend(GPU, "readers' checks"):
            check = check_reader_units(ground.root, program)
        findings = report_check(program, check)
        if any(finding.checked for finding in findings):
            return {}, findings
    where = describe_circumstances(ground.root, ground.device, job, check)
    try:
        files, wrong = _write_record(ground, program, where, tuple(job.runs))
    except LockHeldError:
        return {}, [*findings, report_lock(program)]
    except OSError as error:
        return {}, [*findings, report_disk(program, error)]
    return files, findings + wrong


def _write_record(
    ground: Ground, program: Program, where: Circumstances, runs: tuple[Ran, ...]
) -> tuple[dict[str, bytes], list[Finding]]:
    if ground.bundle is not None:
        folder = f"evidence/{program.name}/{slugify_device(ground.device.model)}"
        identity = choose_identity(ground.root, folder, where.started[:10])
        _, files = compose_record(program, identity, where, runs)
        findings = check_record_file(program, files)
        return ({} if findings else files), findings
    record, files, findings = deposit_runs(ground.root, program, where, runs)
    if record is None:
        return {}, findings
    ground.progress(f"{program.name}: wrote {next(p for p in files if p.endswith('.json'))}")
    if ground.is_reference:
        for path in stamp_files(ground.root, program, record, files):
            ground.progress(f"{program.name}: wrote {path}")
    else:
        ground.progress(
            f"{program.name}: the course speaks of {ground.settings.reference_gpu}, "
            "so header and README stay"
        )
    return files, []


def describe_circumstances(
    root: Path, device: Device, job: Job, check: ReaderCheck | None
) -> Circumstances:
    """Everything a record says beside what the processes printed."""
    return Circumstances(
        started=job.started,
        device=device,
        build=job.compiled.build,
        report=job.compiled.report,
        declaration_digest=digest_declaration(root, job.program),
        course=find_version(),
        python=platform.python_version(),
        reader_check=check,
    )
