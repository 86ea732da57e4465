"""Is a record still what was measured? Its side files, and every value derived from them again."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.evidence.changed_units import compare_units
from build_tools.evidence.compiler import read_resource_report
from build_tools.evidence.derive import check_agreement, choose_shown, derive_measurements
from build_tools.evidence.kernel_words import describe_difference
from build_tools.evidence.loaded import Transcript
from build_tools.evidence.model import (
    File,
    KernelFacts,
    Record,
    Samples,
)
from build_tools.evidence.printed import describe_keys
from build_tools.evidence.record import LARGEST_SIDE_FILE, place_value
from build_tools.evidence.samples import check_samples
from build_tools.evidence.transcript import decode_transcript, read_transcript
from build_tools.source.model import Program
from build_tools.source.plain_files import read_plain

_ADVICE = "restore the file from version control, or measure again: course run {name}"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Contents:
    """What the side files of a record say."""

    transcripts: tuple[Transcript, ...]
    shown_text: str
    report_text: str


def list_files(record: Record) -> dict[tuple[str | int, ...], File]:
    """Every side file the record names, by where in the JSON its path stands."""
    files: dict[tuple[str | int, ...], File] = {}
    for index, process in enumerate(record.processes):
        files["processes", index, "stdout", "path"] = process.stdout
        files["processes", index, "stderr", "path"] = process.stderr
        if process.samples is not msgspec.UNSET:
            files["processes", index, "samples", "path"] = process.samples
    if record.build.report is not None:
        files["build", "report", "path"] = record.build.report
    return files


def digest_declaration(root: Path, program: Program) -> str:
    """SHA-256 of program.toml; of nothing when there is none."""
    location = root / program.declaration.path
    return hashlib.sha256(location.read_bytes() if location.is_file() else b"").hexdigest()


def keep_first(found: Sequence[Sequence[Finding]]) -> list[Finding]:
    """The findings of several transcripts, each said of the first only where it is so."""
    first: dict[tuple[int, int, str, str], Finding] = {}
    for findings in found:
        for finding in findings:
            place = finding.place
            key = (place.line, place.column, finding.stated, finding.true)
            first.setdefault(key, finding)
    return list(first.values())


def stays_beside(path: str, json_path: str) -> bool:
    """Whether a side file's path is ``run-DATE.txt`` or in ``run-DATE/``, beside the JSON."""
    stem = json_path.removesuffix(".json")
    if path == f"{stem}.txt":
        return True
    return path.startswith(f"{stem}/") and bool(_NAME.fullmatch(path.removeprefix(f"{stem}/")))


def verify_record(
    root: Path, program: Program, record: Record, path: str, text: str
) -> tuple[Contents | None, list[Finding]]:
    """The side files' contents, or None when they cannot be had, and all that is wrong.

    ``path`` is the JSON's from the root, ``text`` what it holds.
    """
    findings: list[Finding] = []
    contents: dict[str, bytes] = {}
    intact: set[str] = set()
    for keys, file in list_files(record).items():
        # Looked for only where something is wrong: it takes a reading of the whole record.
        place = partial(place_value, text, path, *keys)
        data, wrong = read_side_file(root, file, path, place, program.name)
        findings += wrong
        if data is not None:
            contents[file.path] = data
            if not wrong:
                intact.add(file.path)
    if not 0 <= record.shown < len(record.processes):
        findings.append(
            Finding(
                Kind.RECORD,
                place_value(text, path, "shown"),
                f"process {record.shown} is shown",
                f"the record has {len(record.processes)} processes",
                _ADVICE.format(name=program.name),
            )
        )
        return None, findings
    findings += _check_exits(record, path, text, program.name)
    paths = [process.stdout.path for process in record.processes]
    if any(p not in contents for p in paths):
        return None, findings
    read = [read_transcript(decode_transcript(contents[p]), program.declaration, p) for p in paths]
    transcripts = tuple(transcript for transcript, _ in read)
    findings += keep_first([wrong for _, wrong in read])
    findings += check_agreement(transcripts, paths)
    findings += _check_samples(program, record, transcripts, contents)
    if intact.issuperset(paths):
        same = record.declaration_digest == digest_declaration(root, program)
        findings += _compare_values(record, transcripts, (path, text), program.name, same=same)
    report_text = ""
    if record.build.report is not None and record.build.report.path in contents:
        report_text = decode_transcript(contents[record.build.report.path])
        if record.build.report.path in intact:
            findings += _compare_kernels(record, report_text, path, text, program.name)
    shown_text = decode_transcript(contents[paths[record.shown]])
    return Contents(transcripts, shown_text, report_text), findings


def read_side_file(
    root: Path, file: File, json_path: str, place: Callable[[], Place], name: str
) -> tuple[bytes | None, list[Finding]]:
    """A side file's bytes as they are, and what is wrong with it; ``place`` names it."""
    advice = _ADVICE.format(name=name)
    if not stays_beside(file.path, json_path):
        true = f"a record's files stand beside it, as {json_path.removesuffix('.json')}.txt does"
        return None, [Finding(Kind.RECORD, place(), f"the file `{file.path}`", true, advice)]
    location = root / file.path
    if location.is_symlink() or location.parent.is_symlink():
        true = "a link stands there"
        return None, [Finding(Kind.RECORD, place(), f"the file `{file.path}`", true, advice)]
    try:
        if location.stat().st_size > LARGEST_SIDE_FILE:
            true = f"it holds more than {LARGEST_SIDE_FILE // 1024} KiB"
            return None, [Finding(Kind.RECORD, place(), f"the file `{file.path}`", true, advice)]
        data = read_plain(location)
    except OSError as error:
        true = "there is no such file" if not location.exists() else str(error.strerror)
        return None, [Finding(Kind.RECORD, place(), f"the file `{file.path}`", true, advice)]
    if hashlib.sha256(data).hexdigest() == file.sha256:
        return data, []
    return data, [_report_edit(file, data, place(), advice)]


def _report_edit(file: File, data: bytes, place: Place, advice: str) -> Finding:
    """Where a side file was edited, by the digests of its lines."""
    lines = data.split(b"\n")
    digests = [hashlib.sha256(line).hexdigest()[:8] for line in lines]
    stated = list(file.line_digests)
    number = next(
        (
            index
            for index, (now, then) in enumerate(zip(digests, stated, strict=False))
            if now != then
        ),
        min(len(digests), len(stated)),
    )
    if digests == stated or not stated:
        true = f"it was another file when {place} was written"
        return Finding(Kind.RECORD, Place(file.path), "a run's output", true, advice)
    shown = decode_transcript(lines[number]) if number < len(lines) else "the end of the file"
    true = f"its digest in the record ({place}) was made for another line"
    if len(digests) != len(stated):
        true += f"; the file had {_count_lines(stated)} and now has {_count_lines(digests)}"
    return Finding(Kind.RECORD, Place(file.path, number + 1), f"`{shown[:100]}`", true, advice)


def _count_lines(digests: list[str]) -> str:
    return f"{len(digests)} line{'' if len(digests) == 1 else 's'}"


def _check_samples(
    program: Program,
    record: Record,
    transcripts: tuple[Transcript, ...],
    contents: Mapping[str, bytes],
) -> list[Finding]:
    """Whether each process's raw samples come to what it printed; the first that does not."""
    rule = program.declaration.parts.samples
    if rule is None:
        return []
    found = [
        check_samples(decode_transcript(contents[p.samples.path]), rule, transcript, p.samples.path)
        for p, transcript in zip(record.processes, transcripts, strict=True)
        if p.samples is not msgspec.UNSET and p.samples.path in contents
    ]
    return keep_first(found)


def _check_exits(record: Record, path: str, text: str, name: str) -> list[Finding]:
    return [
        Finding(
            Kind.RECORD,
            place_value(text, path, "processes", index, "exit_status"),
            f"process {index} ended with exit status {process.exit_status}",
            "a failing run is no evidence",
            _ADVICE.format(name=name),
        )
        for index, process in enumerate(record.processes)
        if process.exit_status != 0
    ]


def _compare_values(
    record: Record,
    transcripts: tuple[Transcript, ...],
    where: tuple[str, str],
    name: str,
    *,
    same: bool,
) -> list[Finding]:
    """The record's measurements against those of the transcripts, value by value.

    ``same`` says whether program.toml is as it was. When it changed, what it newly reads or no
    longer reads is no disagreement, and the shown run stays the one that was chosen.
    """
    path, text = where
    advice = _ADVICE.format(name=name)
    true = {(entry.name, entry.keys): entry for entry in derive_measurements(transcripts)}
    stated = {(entry.name, entry.keys): i for i, entry in enumerate(record.measurements)}
    findings = [] if same else compare_units(record, true, where)
    for key, index in stated.items():
        if key in true:
            entry = record.measurements[index]
            if same or entry.unit == true[key].unit:
                findings += _compare_entry(
                    entry, true[key], (path, text, index), transcripts, advice
                )
        elif same:
            findings.append(
                Finding(
                    Kind.RECORD,
                    place_value(text, path, "measurements", index),
                    _describe(transcripts, *key),
                    "the transcripts have no such value",
                    advice,
                )
            )
    if not same:
        return findings
    findings += [
        Finding(
            Kind.RECORD,
            place_value(text, path, "measurements"),
            "all measurements of its transcripts",
            f"{_describe(transcripts, *key)} stands in the transcripts and not here",
            advice,
        )
        for key in true
        if key not in stated
    ]
    shown = choose_shown(transcripts)
    if shown != record.shown:
        findings.append(
            Finding(
                Kind.RECORD,
                place_value(text, path, "shown"),
                f"process {record.shown} is shown",
                f"process {shown} lies nearest to the medians",
                advice,
            )
        )
    return findings


def _compare_entry(
    stated: Samples,
    true: Samples,
    where: tuple[str, str, int],
    transcripts: tuple[Transcript, ...],
    advice: str,
) -> list[Finding]:
    path, text, index = where
    what = _describe(transcripts, true.name, true.keys)
    differing: list[tuple[tuple[str | int, ...], object, object, str]] = []
    for field in ("unit", "median", "band_low", "band_high"):
        said, is_so = getattr(stated, field), getattr(true, field)
        if said != is_so:
            differing.append(((field,), said, is_so, "the transcripts come to"))
    if len(stated.samples) != len(true.samples):
        differing.append(
            (("samples",), len(stated.samples), len(true.samples), "the number of processes is")
        )
    for process, (said, is_so) in enumerate(zip(stated.samples, true.samples, strict=False)):
        if said != is_so:
            reading = transcripts[process].measurements[true.name].readings[true.keys]
            source = f"its transcript says `{reading.text}` in line {reading.line}, which is"
            differing.append((("samples", process), said, is_so, source))
    return [
        Finding(
            Kind.RECORD,
            place_value(text, path, "measurements", index, *keys),
            f"{what}: {keys[0]} {said}",
            f"{source} {is_so}",
            advice,
        )
        for keys, said, is_so, source in differing
    ]


def _compare_kernels(record: Record, report: str, path: str, text: str, name: str) -> list[Finding]:
    """The record's facts of each kernel against the compiler's report."""
    true: Mapping[str, KernelFacts] = read_resource_report(report)
    stated: Mapping[str, KernelFacts] = record.build.kernels
    findings = []
    for kernel in sorted(set(true) | set(stated)):
        if true.get(kernel) == stated.get(kernel):
            continue
        said, so = describe_difference(stated.get(kernel), true.get(kernel))
        findings.append(
            Finding(
                Kind.RECORD,
                place_value(text, path, "build", "kernels", kernel),
                f"kernel `{kernel}`: {said}",
                f"the compiler's report says {so}",
                _ADVICE.format(name=name),
            )
        )
    return findings


def _describe(transcripts: tuple[Transcript, ...], name: str, keys: tuple[str, ...]) -> str:
    measurement = transcripts[0].measurements.get(name)
    if measurement is None or len(measurement.key_names) != len(keys):
        return f"`{name}` for {', '.join(keys) or 'the whole run'}"
    return f"`{name}` for {describe_keys(measurement.key_names, keys)}"
