"""What are a record and its side files, given what was built and run? Pure composition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.evidence.compiler import read_resource_report
from build_tools.evidence.derive import check_agreement, choose_shown, derive_measurements
from build_tools.evidence.loaded import LoadedRecord, State
from build_tools.evidence.model import (
    FORMAT,
    Build,
    Device,
    Ending,
    File,
    Process,
    ReaderCheck,
    Record,
    Rejection,
    Window,
)
from build_tools.evidence.privacy import find_private
from build_tools.evidence.record import (
    LARGEST_SIDE_FILE,
    describe_file,
    encode_record,
    seal_record,
)
from build_tools.evidence.samples import check_samples
from build_tools.evidence.transcript import decode_transcript, read_transcript
from build_tools.source.model import Program, slugify_device


@dataclass(frozen=True)
class Ran:
    """One process that ended well: what it was called with, what it printed, how long it took."""

    command: tuple[str, ...]
    stdout: bytes
    stderr: bytes
    seconds: float
    window: Window | None = None
    samples: bytes | None = None
    """All its raw samples, where the program offers them."""
    windows: Mapping[str, Window] = field(default_factory=dict)
    """``window`` for each name that the program gave its timed windows."""


@dataclass(frozen=True)
class Circumstances:
    """Where, when and with what a program's processes ran."""

    started: str
    """UTC, ``2026-12-01T09:30:00Z``."""
    device: Device
    build: Build
    """Its kernels and report are filled in from ``report``."""
    report: bytes
    """What the compiler printed."""
    declaration_digest: str
    course: str
    python: str
    reader_check: ReaderCheck | None = None
    rejections: tuple[Rejection, ...] | msgspec.UnsetType = msgspec.UNSET
    ending: Ending | msgspec.UnsetType = msgspec.UNSET
    campaign: str | msgspec.UnsetType = msgspec.UNSET
    turns_with: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    host: Mapping[str, str] | msgspec.UnsetType = msgspec.UNSET


def judge_runs(program: Program, runs: Sequence[Ran]) -> list[Finding]:
    """What keeps these runs from being evidence, placed at the program's Run command.

    They are not written anywhere yet, so each message quotes the output's own line. What is larger
    than evidence may be is not read, however much of it there is.
    """
    names = [f"process {number}'s output" for number in range(1, len(runs) + 1)]
    findings = [
        _explain_large(program, label)
        for ran, name in zip(runs, names, strict=True)
        for label, stream in _list_streams(ran, name)
        if len(stream) > LARGEST_SIDE_FILE
    ]
    if findings:
        return findings
    transcripts = []
    said: set[tuple[int, int, str, str]] = set()
    for ran, name in zip(runs, names, strict=True):
        text = decode_transcript(ran.stdout)
        transcript, wrong = read_transcript(text, program.declaration, name)
        transcripts.append(transcript)
        placed = [(finding, text) for finding in wrong]
        rule = program.declaration.parts.samples
        if ran.samples is not None and rule is not None:
            written = decode_transcript(ran.samples)
            label = name.replace("output", "samples")
            placed += [(f, written) for f in check_samples(written, rule, transcript, label)]
        for finding, said_in in placed:
            key = (finding.place.line, finding.place.column, finding.stated, finding.true)
            if key not in said:  # once, though every process prints it
                said.add(key)
                findings.append(_move_finding(finding, program, said_in))
        for label, stream in _list_streams(ran, name):
            findings += [
                _move_finding(finding, program, "")
                for finding in find_private(decode_transcript(stream), label)
            ]
    wrong = check_agreement(transcripts, names)
    findings += [_move_finding(finding, program, "") for finding in wrong]
    return list(dict.fromkeys(findings))


def _list_streams(ran: Ran, name: str) -> list[tuple[str, bytes]]:
    """What a process wrote, each stream behind its label."""
    return [
        (name, ran.stdout),
        (name.replace("output", "stderr"), ran.stderr),
        (name.replace("output", "samples"), ran.samples or b""),
    ]


def _explain_large(program: Program, label: str) -> Finding:
    return Finding(
        Kind.RUN,
        program.header.run_place,
        label,
        f"it holds more than {LARGEST_SIDE_FILE // 1024} KiB",
        "have the program print less",
    )


def compose_record(
    program: Program, identity: str, where: Circumstances, runs: Sequence[Ran]
) -> tuple[Record, dict[str, bytes]]:
    """The sealed record of these runs under this short name, and its files by path.

    The files hold the record's JSON, as the last. ``identity`` is ``run-DATE`` or
    ``run-DATE-2``; the runs must have been judged.
    """
    stem = f"evidence/{program.name}/{slugify_device(where.device.model)}/{identity}"
    transcripts = [
        read_transcript(decode_transcript(ran.stdout), program.declaration, stem)[0] for ran in runs
    ]
    shown = choose_shown(transcripts)
    files: dict[str, bytes] = {}
    processes = []
    for index, ran in enumerate(runs):
        number = f"{index + 1:02}"
        out = f"{stem}.txt" if index == shown else f"{stem}/process-{number}.stdout.txt"
        err = f"{stem}/process-{number}.stderr.txt"
        files[out], files[err] = ran.stdout, ran.stderr
        processes.append(
            Process(
                command=ran.command,
                stdout=describe_file(out, ran.stdout),
                stderr=describe_file(err, ran.stderr),
                exit_status=0,
                seconds=round(ran.seconds, 6),
                window=ran.window,
                windows=dict(ran.windows) or msgspec.UNSET,
                samples=_file_samples(f"{stem}/process-{number}.samples.csv", ran, files),
            )
        )
    report_path = f"{stem}/build.txt"
    files[report_path] = where.report
    build = msgspec.structs.replace(
        where.build,
        kernels=read_resource_report(decode_transcript(where.report)),
        report=describe_file(report_path, where.report),
    )
    required = program.declaration.requires_compute_capability
    record = seal_record(
        Record(
            format=FORMAT,
            program=program.name,
            started=where.started,
            code_digest=program.code_digest,
            declaration_digest=where.declaration_digest,
            course=where.course,
            python=where.python,
            requirements={"compute_capability": required} if required else {},
            device=where.device,
            build=build,
            processes=tuple(processes),
            shown=shown,
            measurements=derive_measurements(transcripts),
            reader_check=where.reader_check,
            rejections=where.rejections,
            ending=where.ending,
            campaign=where.campaign,
            turns_with=where.turns_with,
            host=where.host if where.host is msgspec.UNSET else dict(where.host),
            seals={},
        )
    )
    ordered = dict(sorted(files.items()))
    ordered[f"{stem}.json"] = encode_record(record).encode()
    return record, ordered


def _file_samples(path: str, ran: Ran, files: dict[str, bytes]) -> File | msgspec.UnsetType:
    """The entry of a process's raw samples, which go among the files; none where it has none."""
    if ran.samples is None:
        return msgspec.UNSET
    files[path] = ran.samples
    # Without digests by line: samples are many, and an edit shows in the medians.
    return msgspec.structs.replace(describe_file(path, ran.samples), line_digests=())


def compose_loaded(program: Program, where: Circumstances, runs: Sequence[Ran]) -> LoadedRecord:
    """The record of these runs as it would be read again; nothing is written."""
    record, files = compose_record(program, "run-unwritten", where, runs)
    texts = [decode_transcript(files[process.stdout.path]) for process in record.processes]
    transcripts = tuple(read_transcript(t, program.declaration, program.name)[0] for t in texts)
    path = next(path for path in files if path.endswith(".json"))
    return LoadedRecord(record, path, State.FRESH, transcripts, texts[record.shown])


def _move_finding(finding: Finding, program: Program, text: str) -> Finding:
    """The finding at the program's Run command, with the line of the output it speaks of."""
    place: Place = finding.place
    lines = text.split("\n")
    quoted = (
        f": `{lines[place.line - 1].strip()[:100]}`" if place.line <= len(lines) and text else ""
    )
    where = f"line {place.line}, column {place.column} of {place.path}{quoted}"
    return replace(
        finding,
        kind=Kind.RUN if finding.kind is Kind.RECORD else finding.kind,
        place=program.header.run_place,
        true=f"{finding.true} ({where})",
    )
