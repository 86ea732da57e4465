"""How do processes that ended well become records, checked as a reader would check them?"""

from __future__ import annotations

import platform
from collections.abc import Sequence

import msgspec

from build_tools.diagnostics.finding import Finding
from build_tools.evidence.compose import (
    Circumstances,
    Ran,
    compose_loaded,
    compose_record,
    judge_runs,
)
from build_tools.evidence.model import ReaderCheck
from build_tools.evidence.outliers import describe_apart
from build_tools.evidence.verify import digest_declaration
from build_tools.measure.campaign_findings import report_check, report_disk, report_lock
from build_tools.measure.deposit import (
    LockHeldError,
    check_record_file,
    choose_identity,
    deposit_runs,
    stamp_files,
)
from build_tools.measure.ground import Ground
from build_tools.measure.host import describe_host
from build_tools.measure.ledger import GPU
from build_tools.measure.reader_check import check_reader_units
from build_tools.measure.room import Room, map_side_by_side
from build_tools.measure.rounds import Job
from build_tools.measure.version import find_version
from build_tools.source.model import Program, slugify_device


def record_jobs(
    ground: Ground, jobs: Sequence[Job], room: Room, files: dict[str, bytes]
) -> list[Finding]:
    """Judge the runs of programs, check them as readers would, and write their records.

    A program with a finding of its own is marked as failed.
    """
    judged = {job.program.name: judge_runs(job.program, job.runs) for job in jobs}
    sound = [job for job in jobs if not judged[job.program.name] and job.program.check_path]

    def check_job(job: Job) -> ReaderCheck:
        ground.progress(f"{job.program.name}: checking what a reader can copy")
        with ground.ledger.spend(GPU, "readers' checks"):
            return check_reader_units(ground.root, job.program, room=room)

    checked = map_side_by_side(room, check_job, sound)
    checks = {job.program.name: check for job, check in zip(sound, checked, strict=True)}
    findings: list[Finding] = []
    for job in jobs:
        written: dict[str, bytes] = {}
        wrong = judged[job.program.name]
        if not wrong:
            written, wrong = _record_job(ground, job, checks.get(job.program.name))
        files.update(written)
        ground.note_findings(wrong)
        findings += wrong
        job.failed = any(finding.checked for finding in wrong)
    return findings


def _record_job(
    ground: Ground, job: Job, check: ReaderCheck | None
) -> tuple[dict[str, bytes], list[Finding]]:
    """Write a program's record, unless its reader's check fails."""
    program = job.program
    findings = report_check(program, check) if check is not None else []
    if any(finding.checked for finding in findings):
        return {}, findings
    where = describe_circumstances(ground, job, check)
    for line in describe_apart(compose_loaded(program, where, job.runs).transcripts):
        ground.progress(f"{program.name}: {line}")
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


def describe_circumstances(ground: Ground, job: Job, check: ReaderCheck | None) -> Circumstances:
    """Everything a record says beside what the processes printed."""
    return Circumstances(
        started=job.started,
        device=ground.device,
        build=job.compiled.build,
        report=job.compiled.report,
        declaration_digest=digest_declaration(ground.root, job.program),
        course=find_version(),
        python=platform.python_version(),
        reader_check=check,
        rejections=tuple(job.rejections),
        ending=job.ending or msgspec.UNSET,
        campaign=ground.campaign,
        turns_with=job.turns_with,
        host=describe_host(),
    )


def find_unmet(ground: Ground, job: Job) -> Sequence[str]:
    """Which criteria a record of the job's processes so far would not meet, in words.

    Runs that are no evidence meet none either, but more of them would not help.
    """
    if judge_runs(job.program, job.runs):
        return ()
    where = describe_circumstances(ground, job, None)
    return ground.find_unmet(job.program, compose_loaded(job.program, where, job.runs))
