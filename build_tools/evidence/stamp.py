"""Does a program's Verified paragraph agree with the record it names?"""

from __future__ import annotations

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.evidence.loaded import LoadedRecord
from build_tools.evidence.model import Record
from build_tools.source.model import Program, Verified

STAMP_ADVICE = (
    "let the tools write {what}: `course run {name}`, which needs no GPU and runs nothing while "
    "the record is fresh"
)


def compose_verified(record: Record, transcript_path: str) -> Verified:
    """The Verified paragraph of a record; ``transcript_path`` is from the root."""
    return Verified(
        date=record.started[:10],
        device=record.device.model,
        compute_capability=record.device.compute_capability,
        driver=record.device.driver,
        cuda=record.build.cuda,
        nvcc=record.build.nvcc,
        transcript=transcript_path,
        place=Place(transcript_path),
    )


def check_stamp(program: Program, shown: LoadedRecord | None) -> list[Finding]:
    """Whether the header names the shown record and says what it says.

    Without a fresh record nothing is compared: that it is stale or missing is said elsewhere.
    """
    if shown is None:
        return []
    advice = STAMP_ADVICE.format(what="the paragraph", name=program.name)
    true = compose_verified(shown.record, transcript_path(shown.record))
    stated = program.header.verified
    if stated is None:
        place = Place(program.path, max(program.header.insert_line, 1))
        true_text = f"{true.transcript} was recorded {true.date} on {true.device}"
        return [
            Finding(Kind.STAMP, place, "a header without a Verified paragraph", true_text, advice)
        ]
    findings = []
    for offset, name, label in (
        (0, "date", "Verified"),
        (0, "device", "on"),
        (0, "compute_capability", "compute capability"),
        (1, "driver", "driver"),
        (1, "cuda", "CUDA"),
        (1, "nvcc", "nvcc"),
        (3, "transcript", "transcript"),
    ):
        said, is_so = str(getattr(stated, name)), str(getattr(true, name))
        if said != is_so:
            place = Place(stated.place.path, stated.place.line + offset, stated.place.column)
            findings.append(
                Finding(
                    Kind.STAMP,
                    place,
                    f"{label} `{said}`",
                    f"the shown record {shown.path} says `{is_so}`",
                    advice,
                )
            )
    return findings


def transcript_path(record: Record) -> str:
    """The shown run's transcript, from the root."""
    return record.processes[record.shown].stdout.path
