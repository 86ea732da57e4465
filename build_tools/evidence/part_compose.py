"""What are a part's JSON and files, given what its tools wrote? Pure composition."""

from __future__ import annotations

from collections.abc import Mapping

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.loaded import State
from build_tools.evidence.part_derive import derive_part
from build_tools.evidence.part_digest import place_part
from build_tools.evidence.part_model import LoadedPart, Part, PartKind
from build_tools.evidence.privacy import find_private
from build_tools.evidence.record import (
    LARGEST_RECORD,
    LARGEST_SIDE_FILE,
    encode_record,
    seal_record,
)
from build_tools.evidence.transcript import decode_transcript
from build_tools.source.model import Program


def compose_part(
    program: Program, draft: Part, stem: str, files: Mapping[str, bytes]
) -> tuple[LoadedPart | None, dict[str, bytes], list[Finding]]:
    """The part with all that follows from its files, its files with the JSON last, or why not.

    ``draft`` is the part without what is derived and without seals, ``stem`` the path of its
    JSON from the root without the ending.
    """
    texts = {path: decode_transcript(data) for path, data in files.items()}
    derived, findings = derive_part(program, draft, texts)
    if findings:
        return None, {}, findings
    part = seal_record(derived)
    path = f"{stem}.json"
    ordered = dict(sorted(files.items()))
    ordered[path] = encode_record(part).encode()
    findings = _check_files(program, part, ordered)
    if findings:
        return None, {}, findings
    return LoadedPart(part, path, State.FRESH, texts), ordered, []


def _check_files(program: Program, part: Part, files: Mapping[str, bytes]) -> list[Finding]:
    """Whether all files are small enough and name nobody."""
    place = place_part(program, PartKind(part.part))
    findings: list[Finding] = []
    for path, data in files.items():
        findings += find_private(decode_transcript(data), path)
        limit = LARGEST_RECORD if path.endswith(".json") else LARGEST_SIDE_FILE
        if len(data) > limit:
            true = f"{path} would hold more than {limit // 1024} KiB"
            stated = f"{part.part} of `{program.name}`"
            findings.append(
                Finding(
                    Kind.RUN, place, stated, true, "ask for less, in several programs if need be"
                )
            )
    return findings
