"""How do programs become evidence? Compile all, run them in turn, check, and write records.

A program that is verified already is left alone. A run that fails is never evidence: the program
keeps what it had, and the finding says what happened.
"""

from __future__ import annotations

import contextlib
import platform
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.compose import Circumstances, Ran, compose_record, judge_runs
from build_tools.evidence.model import Device, LoadedRecord, ReaderCheck
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
from build_tools.measure.compile import compile_program, report_no_nvcc
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
from build_tools.measure.reader_check import check_reader_units
from build_tools.measure.rounds import Job, open_sampling, run_rounds
from build_tools.measure.toolchain import explain_unmet, find_nvcc
from build_tools.source.model import Program, Settings, slugify_device

Progress = Callable[[str], object]


@dataclass(frozen=True)
class Ground:
    """Where a campaign stands: the tree, the device, where evidence goes, who is told."""

    root: Path
    settings: Settings
    device: Device
    bundle: Path | None
    progress: Progress

    @property
    def is_reference(self) -> bool:
        return self.device.model == self.settings.reference_gpu


def run_campaign(
    root: Path,
    programs: Mapping[str, Program],
    settings: Settings,
    names: Sequence[str],
    *,
    repeats: int,
    progress: Progress,
    bundle: Path | None,
    force: bool,
) -> list[Finding]:
    """Record the programs named, or all, on this machine's GPU; what went wrong.

    Verified programs are passed over unless ``force``; their header and README are brought up
    to date. ``progress`` is told what happens, line by line. With ``bundle`` the evidence goes
    into that file and the tree stays as it is. On an interrupt nothing half written is left.
    """
    unknown = [name for name in names if name not in programs]
    if unknown:
        return [report_unknown(name, programs) for name in unknown]
    chosen = [programs[name] for name in dict.fromkeys(names)] or list(programs.values())
    wanted, findings = _pass_over_verified(
        root, chosen, settings, progress, force=force, stamp=bundle is None
    )
    if not wanted:
        return findings
    findings += check_writable(root, wanted[0], bundle)
    if findings:
        return findings
    device = describe_device()
    if isinstance(device, str):
        return [*findings, *(report_no_device(program, device) for program in wanted)]
    progress(f"on {device.model}, driver {device.driver}")
    ground = Ground(root, settings, device, bundle, progress)
    return findings + measure_programs(ground, wanted, repeats)


def measure_programs(ground: Ground, programs: Sequence[Program], repeats: int) -> list[Finding]:
    """Compile, run, check and record these programs on the ground's device."""
    with tempfile.TemporaryDirectory(prefix="course-") as folder:
        jobs, findings = _compile_all(ground, programs, Path(folder))
        if not jobs:
            return findings
        with open_sampling(ground.progress) as sampling:
            findings += run_rounds(jobs, repeats, sampling, ground.progress)
        files: dict[str, bytes] = {}
        for job in jobs:
            if not job.failed:
                written, wrong = _record_job(ground, job)
                findings += wrong
                files |= written
    if ground.bundle is not None and files:
        replace_file(ground.bundle.absolute(), write_bundle(files))
        ground.progress(f"bundle {ground.bundle}: {len(files)} files; next: course record FILE")
    return findings


def _pass_over_verified(
    root: Path,
    programs: Sequence[Program],
    settings: Settings,
    progress: Progress,
    *,
    force: bool,
    stamp: bool,
) -> tuple[list[Program], list[Finding]]:
    """The programs to run; the header and README of the others are refreshed."""
    wanted = []
    findings: list[Finding] = []
    for program in programs:
        shown = None if force else find_verified(root, program, settings)
        if shown is None:
            wanted.append(program)
            continue
        progress(f"{program.name}: verified by {shown.identity}, not run again")
        if not stamp:
            continue
        try:
            for path in stamp_loaded(root, program, shown):
                progress(f"{program.name}: wrote {path}")
        except OSError as error:
            findings.append(report_disk(program, error))
    return wanted, findings


def find_verified(root: Path, program: Program, settings: Settings) -> LoadedRecord | None:
    """The shown record, when the program has one that nothing but its stamp is wrong with."""
    shelf, findings = read_shelf(root, program, settings)
    if any(finding.kind not in (Kind.STAMP, Kind.ORPHAN) for finding in findings):
        return None
    return shelf.shown_record


def _compile_all(
    ground: Ground, programs: Sequence[Program], folder: Path
) -> tuple[list[Job], list[Finding]]:
    toolchain = find_nvcc()
    if isinstance(toolchain, str):
        return [], [report_no_nvcc(toolchain)]
    findings: list[Finding] = []
    jobs = []
    capability = ground.device.compute_capability
    arch = f"sm_{capability.replace('.', '')}"
    for program in programs:
        unmet = explain_unmet(program, capability)
        if unmet:
            ground.progress(f"{program.name}: waived, because {unmet}")
            continue
        if program.check_path:
            _, wrong = read_covered(ground.root, program)
            if wrong:
                findings += wrong
                continue
        ground.progress(f"{program.name}: compiling with nvcc {toolchain.version}")
        place = folder / program.name
        place.mkdir()
        compiled, wrong = compile_program(ground.root, program, toolchain, arch, place)
        findings += wrong
        if compiled is not None:
            jobs.append(Job(program, compiled, place))
    return jobs, findings


def _record_job(ground: Ground, job: Job) -> tuple[dict[str, bytes], list[Finding]]:
    """Judge a program's runs, check it as a reader would, and write its record."""
    program = job.program
    findings = judge_runs(program, job.runs)
    if findings:
        return {}, findings
    check: ReaderCheck | None = None
    if program.check_path:
        ground.progress(f"{program.name}: checking what a reader can copy")
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


def find_version() -> str:
    """The version of these tools, as installed."""
    with contextlib.suppress(metadata.PackageNotFoundError):
        return metadata.version("cuda-course")
    return "not installed"
