"""What does the compiler complain of, and at which line and column of which file?"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.source.model import Program

_NVCC = re.compile(
    r"(?P<file>[^\s():][^():]*)\((?P<line>\d+)\): "
    r"(?P<sort>(?:catastrophic )?error|warning)(?P<code> #[\w-]+)?: (?P<said>.*)"
)
_GCC = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d+):(?P<column>\d+): "
    r"(?P<sort>(?:fatal )?error|warning): (?P<said>.*)"
)
_TOOL = re.compile(
    r"(?P<tool>nvcc|ptxas|nvlink|fatbinary|cicc)\b[^:]*?\b(?P<sort>fatal|error|warning)\s*: "
    r"(?P<said>.*)"
)
_LINKER = re.compile(
    r".*(?:undefined reference to|ld returned|cannot find -l|multiple definition).*"
)
_CARET = re.compile(r"\s*\^\s*")
_EXPANDED = re.compile(r"__attribute__\(\((?P<name>global|device|host|shared|constant)\)\)")
_SHOWN_AT_MOST = 20


@dataclass(frozen=True)
class _Complaint:
    file: str
    line: int
    column: int
    is_error: bool
    said: str


def read_diagnostics(text: str, root: Path, program: Program, failure: str) -> list[Finding]:
    """The compiler's errors and warnings as findings, in the order printed.

    ``failure`` is how the compiler ended, empty when it ended well. A failure that nothing
    explains is reported with the last lines of what was printed.
    """
    lines = text.split("\n")
    complaints = list(dict.fromkeys(_find_complaints(lines, root, program)))
    findings = [_report(complaint, program) for complaint in complaints[:_SHOWN_AT_MOST]]
    if len(complaints) > _SHOWN_AT_MOST:
        more = len(complaints) - _SHOWN_AT_MOST
        place = program.header.build_place
        said = f"the compiler complains {more} times more"
        findings.append(
            Finding(Kind.BUILD, place, program.header.build, said, "correct these first")
        )
    if failure and not any(complaint.is_error for complaint in complaints):
        last = " / ".join([line.strip() for line in lines if line.strip()][-3:])
        said = f"nvcc failed: {failure}" + (f"; it said: {last[:300]}" if last else "")
        findings.append(
            Finding(
                Kind.BUILD,
                program.header.build_place,
                f"`{program.header.build}`",
                said,
                "try the command by hand in the program's folder",
                checked=False,
            )
        )
    return findings


def _find_complaints(lines: list[str], root: Path, program: Program) -> Iterator[_Complaint]:
    folder = posixpath.dirname(program.path)
    for index, line in enumerate(lines):
        nvcc, gcc, tool = _NVCC.fullmatch(line), _GCC.fullmatch(line), _TOOL.fullmatch(line)
        match = nvcc or gcc
        if match:
            path = _relate(match["file"], folder, root)
            number = int(match["line"])
            column = (
                int(gcc["column"]) if gcc else _find_column(lines[index + 1 :], root / path, number)
            )
            is_error = match["sort"] != "warning"
            yield _Complaint(path, number, column, is_error, match["said"].strip())
        elif tool:
            is_error = tool["sort"] != "warning"
            yield _Complaint("", 0, 0, is_error, f"{tool['tool']}: {tool['said'].strip()}")
        elif _LINKER.fullmatch(line):
            yield _Complaint("", 0, 0, True, "the linker: " + line.rpartition("): ")[2].strip())


def _relate(file: str, folder: str, root: Path) -> str:
    """A file as the compiler names it, as a path from the root where it lies within."""
    if file.startswith("/"):
        path = Path(file)
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else file
    return posixpath.normpath(posixpath.join(folder, file))


def _find_column(below: list[str], source: Path, number: int) -> int:
    """The column of a caret that stands under a line of source, printed below a complaint.

    nvcc prints the line with other indentation and its keywords expanded.
    """
    if len(below) < 2 or not _CARET.fullmatch(below[1]):
        return 1
    before = _EXPANDED.sub(r"__\g<name>__", below[0][: below[1].index("^")]).lstrip()
    try:
        line = source.read_text("utf-8", "replace").split("\n")[number - 1]
    except (OSError, IndexError):
        return 1
    stripped = line.lstrip()
    return len(line) - len(stripped) + len(before) + 1 if stripped.startswith(before) else 1


def _report(complaint: _Complaint, program: Program) -> Finding:
    place = program.header.build_place
    if complaint.file:
        place = Place(complaint.file, complaint.line, complaint.column)
    if complaint.is_error:
        stated, advice = f"`{program.name}` compiles", "correct the program"
    else:
        stated, advice = f"`{program.name}` compiles without warnings", "remove the warning's cause"
    return Finding(
        Kind.BUILD, place, stated, complaint.said, advice, checked=not complaint.is_error
    )
