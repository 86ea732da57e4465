"""Does the reader's check in a record belong to the check and the regions as they are now?"""

from __future__ import annotations

import hashlib
from pathlib import Path

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.evidence.model import LoadedRecord, ReaderCheck
from build_tools.evidence.record import place_value
from build_tools.source.model import Program, Region
from build_tools.source.reader_unit import compose_reader_unit


def list_kernel_regions(program: Program) -> tuple[Region, ...]:
    """The regions a reader's check must cover: of kind ``kernel``, with a kernel inside."""
    return tuple(
        region
        for region in program.regions.values()
        if region.kind == "kernel" and "__global__" in region.text
    )


def compute_reader_digest(root: Path, program: Program) -> str:
    """SHA-256 over check.py and what a reader can copy of every kernel region.

    The ``#line`` directives are left out: a line added elsewhere changes nothing for a reader.
    Raises OSError when check.py cannot be read.
    """
    parts = [(root / program.check_path).read_bytes()]
    for region in list_kernel_regions(program):
        unit = compose_reader_unit(program, region.name)
        lines = [line for line in unit.split("\n") if not line.startswith("#line ")]
        needs = ",".join(region.needs)
        parts.append(f"{region.name}\0{needs}\0".encode() + "\n".join(lines).encode())
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def check_reader(root: Path, program: Program, loaded: LoadedRecord, text: str) -> list[Finding]:
    """What is wrong with the record's reader's check; ``text`` is the record's JSON."""
    check = loaded.record.reader_check
    advice = f"run the reader's check again: course run {program.name}"
    if not program.check_path:
        if not list_kernel_regions(program):
            return []
        names = ", ".join(f"`{region.name}`" for region in list_kernel_regions(program))
        return [
            Finding(
                Kind.CHECK,
                Place(program.path),
                f"regions that readers copy: {names}",
                "there is no check.py beside the program, so nobody has tried them",
                'write a check.py, or declare regions that hold host code with kind = "host"',
            )
        ]
    if check is None:
        return [
            Finding(
                Kind.CHECK,
                Place(program.check_path),
                "a reader's check",
                f"{loaded.path} was recorded without it",
                advice,
            )
        ]
    if check.digest != compute_reader_digest(root, program):
        return [
            Finding(
                Kind.STALE,
                Place(program.check_path),
                f"the reader's check passed on {loaded.record.started[:10]}",
                "check.py, a region or its needs changed since",
                advice,
            )
        ]
    return _report_verdicts(check, program, loaded.path, text, advice)


def _report_verdicts(
    check: ReaderCheck, program: Program, path: str, text: str, advice: str
) -> list[Finding]:
    place = place_value(text, path, "reader_check", "could_not_check")
    if check.could_not_check:
        return [
            Finding(
                Kind.CHECK,
                place,
                "the reader's check",
                check.could_not_check,
                advice,
                checked=False,
            )
        ]
    findings = [
        Finding(
            Kind.CHECK,
            place_value(text, path, "reader_check", "regions", index),
            f"region `{verdict.region}` works as a reader copies it",
            verdict.said,
            "correct the region, its needs or check.py, and measure again",
        )
        for index, verdict in enumerate(check.regions)
        if not verdict.passed
    ]
    for index, verdict in enumerate(check.regions):
        findings += [
            Finding(
                Kind.CHECK,
                place_value(text, path, "reader_check", "regions", index),
                f"region `{verdict.region}` needs `{need}`",
                "it passes its check without",
                f"take `{need}` out of the needs in program.toml",
            )
            for need, failure in verdict.needs_shown_necessary.items()
            if not failure
        ]
    covered = {verdict.region for verdict in check.regions}
    for region in list_kernel_regions(program):
        if region.name not in covered:
            findings.append(
                Finding(
                    Kind.CHECK,
                    region.place,
                    f"region `{region.name}` holds a kernel",
                    "the reader's check does not cover it",
                    f'name it in REGIONS of {program.check_path}, or declare it with kind = "host"',
                )
            )
    if not findings and not check.passed:
        findings.append(Finding(Kind.CHECK, place, "the reader's check", "it did not pass", advice))
    return findings
