"""What does the README.md beside a program say, and is it up to date?"""

from __future__ import annotations

import re
from pathlib import Path

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.evidence.canonical import find_difference
from build_tools.evidence.loaded import LoadedRecord
from build_tools.evidence.model import Record
from build_tools.evidence.stamp import STAMP_ADVICE, transcript_path
from build_tools.source.model import Program
from build_tools.source.plain_files import read_plain

MARKER = "<!-- Written by recording a run: `course run`. Edits are lost. -->"

_LONGEST = 100
"""Characters of a line that a finding quotes."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def readme_path(program: Program) -> str:
    """Where the README stands, from the root."""
    return f"{program.path.rpartition('/')[0]}/README.md"


def compose_readme(program: Program, record: Record, transcript_text: str) -> str:
    """The README: what the program is, how to build and run it, and what to expect."""
    folder = program.path.rpartition("/")[0]
    up = "../" * (folder.count("/") + 1)
    transcript = transcript_path(record)
    device = record.device
    parts = [
        MARKER,
        f"# {program.name}",
        program.header.description,
        "## Build and run",
        _fence(f"{program.header.build}\n{program.header.run}\n", "sh"),
    ]
    if record.build.arch_replaced:
        parts.append(f"Built for the GPU below with `{record.build.arch_replaced}`.")
    if record.requirements:
        wanted = "; ".join(
            f"{name.replace('_', ' ')} {value} or later"
            for name, value in sorted(record.requirements.items())
        )
        parts.append(f"It requires {wanted}.")
    count = len(record.processes)
    processes = "one process" if count == 1 else f"{count} processes"
    recorded = (
        f"Recorded {record.started[:10]} on an {device.model} "
        f"(compute capability {device.compute_capability}), driver {device.driver}, "
        f"CUDA {record.build.cuda} ({record.build.nvcc}). This is the run nearest to the medians "
        f"of {processes}; times differ from run to run and from GPU to GPU."
    )
    files = (
        f"The output itself is [{transcript}]({up}{transcript}), "
        f"the record [{_json_path(transcript)}]({up}{_json_path(transcript)})."
    )
    output = _fence(show_controls(transcript_text), "text")
    parts += ["## Expected output", output, recorded, files]
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def check_readme(root: Path, program: Program, shown: LoadedRecord | None) -> list[Finding]:
    """Whether the README is the one that the shown record makes."""
    if shown is None:
        return []
    path = readme_path(program)
    advice = STAMP_ADVICE.format(what="it", name=program.name)
    true = compose_readme(program, shown.record, shown.shown_text)
    try:
        stated = read_plain(root / path).decode("utf-8", "replace")
    except OSError:
        said = f"{shown.path} says what it holds"
        return [Finding(Kind.STAMP, Place(path), "no README.md beside the program", said, advice)]
    if stated == true:
        return []
    line, column, left, right = find_difference(stated, true)
    return [
        Finding(
            Kind.STAMP,
            Place(path, line, column),
            f"`{_cut_around(left, column)}`",
            f"{shown.path} and the program make it `{_cut_around(right, column)}`",
            advice,
        )
    ]


def _cut_around(line: str, column: int) -> str:
    """The line, or of a long one what stands around a column."""
    if len(line) <= _LONGEST:
        return line.strip()
    start = max(0, column - 1 - _LONGEST // 3)
    end = start + _LONGEST
    return ("…" if start else "") + line[start:end].strip() + ("…" if end < len(line) else "")


def show_controls(text: str) -> str:
    """The text with each control byte as its visible symbol: ESC as U+241B."""
    return _CONTROL.sub(lambda match: _show_control(match[0]), text)


def _show_control(character: str) -> str:
    code = ord(character)
    return "\N{SYMBOL FOR DELETE}" if code == 0x7F else chr(0x2400 + code)


def _fence(text: str, language: str) -> str:
    """A fenced block whose fence is longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip(chr(10))}\n{fence}"


def _json_path(transcript: str) -> str:
    return transcript.removesuffix(".txt") + ".json"
