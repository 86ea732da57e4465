"""What does a program's header say, and how is its Verified paragraph written?"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.source.model import Header, Verified
from build_tools.source.release import check_release

_ENTRY = re.compile(r"(build|run|compile)[ \t]*:[ \t]*(.*)", re.IGNORECASE)
_VERIFIED_LINES = (
    re.compile(
        r"Verified (?P<date>\d{4}-\d{2}-\d{2}) on an? (?P<device>\S.*?)"
        r" \(compute capability (?P<compute_capability>\d+\.\d+)\),"
    ),
    re.compile(r"driver (?P<driver>\d[\d.]*), CUDA (?P<cuda>\d[\d.]*) \((?P<nvcc>[^()]+)\)\."),
    re.compile(r"Transcript:"),
    re.compile(r"(?P<transcript>evidence/\S+)"),
)
_VERIFIED_FORM = (
    "Verified DATE on an DEVICE (compute capability N.N),",
    "driver N, CUDA N.N (VN.N.N).",
    "Transcript:",
    "evidence/PROGRAM/GPU/run-DATE.txt",
)
_COMMENT_LINE = re.compile(r"//[ \t]?(.*)", re.DOTALL)
_SHELL = set("();<>|&")


@dataclass(frozen=True)
class _Line:
    """A line of the header: its number, its text behind ``//``, and where that text begins."""

    number: int
    text: str
    column: int


def read_header(text: str, path: str) -> tuple[Header, list[Finding]]:
    """What the leading ``//`` comment of a decoded program says.

    Wrapped lines of the description, of Build and of Run are joined by spaces.
    """
    lines = _take_header_lines(text)
    findings: list[Finding] = []
    paragraphs = _split_paragraphs(lines)
    entries: dict[str, tuple[str, Place]] = {}
    prose: list[list[_Line]] = []
    verified: Verified | None = None
    seen_verified: _Line | None = None
    for paragraph in paragraphs:
        first = paragraph[0]
        if _is_verified(first.text):
            if seen_verified is not None:
                findings.append(_report_second(path, first, "Verified", seen_verified.number))
                continue
            seen_verified = first
            verified, trouble = _read_verified(paragraph, path)
            findings += trouble
            continue
        prose += _read_prose_and_entries(paragraph, path, entries, findings)
    for name in ("Build", "Run"):
        if name not in entries:
            findings.append(_report_missing(path, name, lines))
        else:
            findings += _check_command(name, *entries[name])
    if "Build" in entries:
        findings += check_release(*entries["Build"])
    nowhere = Place(path)
    build, build_place = entries.get("Build", ("", nowhere))
    run, run_place = entries.get("Run", ("", nowhere))
    description, places = _join_prose(prose, path)
    header = Header(
        description=description,
        build=build,
        build_place=build_place,
        run=run,
        run_place=run_place,
        verified=verified,
        insert_line=max((line.number for line in lines if line.text.strip()), default=0),
        description_places=places,
    )
    return header, findings


def _join_prose(
    paragraphs: list[list[_Line]], path: str
) -> tuple[str, tuple[tuple[int, Place], ...]]:
    """The description, its wrapped lines joined, and where each of them begins in it."""
    texts = []
    places = []
    at = 0
    for paragraph in paragraphs:
        stripped = [line.text.strip() for line in paragraph]
        for line, text in zip(paragraph, stripped, strict=True):
            indent = len(line.text) - len(line.text.lstrip())
            places.append((at, Place(path, line.number, line.column + indent)))
            at += len(text) + 1
        texts.append(" ".join(stripped))
        at += 1  # of the empty line between paragraphs
    return "\n\n".join(texts), tuple(places)


def format_verified(verified: Verified) -> list[str]:
    """The paragraph's four lines, without ``//``."""
    article = "an" if re.match(r"NVIDIA|[AEIO]", verified.device) else "a"
    device = f"{verified.device} (compute capability {verified.compute_capability})"
    return [
        f"Verified {verified.date} on {article} {device},",
        f"driver {verified.driver}, CUDA {verified.cuda} ({verified.nvcc}).",
        "Transcript:",
        verified.transcript,
    ]


def write_verified(source_bytes: bytes, verified: Verified) -> bytes:
    """The program with this Verified paragraph in its header, replaced or added at its end.

    All other bytes stay: BOM, line ends, what is not UTF-8. Replacing a paragraph of four
    lines keeps the number of lines.
    """
    text = source_bytes.decode("utf-8", "surrogateescape")
    pieces = re.split(r"(\r\n|\n|\r)", text)
    texts, ends = pieces[::2], [*pieces[1::2], ""]
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    lines = _take_header_lines("\n".join(texts).removeprefix("\ufeff"))
    usual_end = ends[0] or "\n"
    written = [f"// {line}" for line in format_verified(verified)]
    old = next((p for p in _split_paragraphs(lines) if _is_verified(p[0].text)), None)
    if old is not None:
        start, count = old[0].number - 1, len(old)
    else:
        start = max((line.number for line in lines if line.text.strip()), default=0)
        count = 0
        written = ["//", *written] if start else [*written, ""]
    kept = ends[start : start + count]
    new_ends = [*kept[:-1], *[usual_end] * len(written)][: len(written)]
    if kept:
        new_ends[-1] = kept[-1]
    if start and not ends[start - 1]:  # the header ends the file without a line end
        ends[start - 1], new_ends[-1] = usual_end, ""
    texts[0] = texts[0].removeprefix("\ufeff")
    texts[start : start + count], ends[start : start + count] = written, new_ends
    joined = bom + "".join(line + end for line, end in zip(texts, ends, strict=True))
    return joined.encode("utf-8", "surrogateescape")


def _take_header_lines(text: str) -> list[_Line]:
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        match = _COMMENT_LINE.fullmatch(line)
        if match is None:
            break
        lines.append(_Line(number, match[1].rstrip(), match.start(1) + 1))
    return lines


def _split_paragraphs(lines: list[_Line]) -> list[list[_Line]]:
    """Runs of lines with text; a Verified line begins a paragraph wherever it stands."""
    paragraphs: list[list[_Line]] = [[]]
    for line in lines:
        if not line.text.strip() or _is_verified(line.text):
            paragraphs.append([])
        if line.text.strip():
            paragraphs[-1].append(line)
    return [paragraph for paragraph in paragraphs if paragraph]


def _is_verified(text: str) -> bool:
    return re.match(r"\s*verified\b[\s:]*(?:\d|$)", text, re.IGNORECASE) is not None


def _read_prose_and_entries(
    paragraph: list[_Line],
    path: str,
    entries: dict[str, tuple[str, Place]],
    findings: list[Finding],
) -> list[list[_Line]]:
    """The paragraph's prose, at most one; its Build and Run go into ``entries``."""
    prose: list[_Line] = []
    current: str | None = None
    for line in paragraph:
        text = line.text.strip()
        match = _ENTRY.fullmatch(text)
        if match is not None:
            current = "Run" if match[1].lower() == "run" else "Build"
            if not match[0].startswith(f"{current}:"):
                findings.append(_report_entry_form(path, line))
            if current in entries:
                findings.append(_report_second(path, line, current, entries[current][1].line))
                current = ""
                continue
            indent = len(line.text) - len(line.text.lstrip())
            place = Place(path, line.number, line.column + indent + match.start(2))
            entries[current] = (_join_command("", match[2]), place)
        elif current:
            command, place = entries[current]
            entries[current] = (_join_command(command, text), place)
        elif current is None and not text.startswith("SPDX-"):
            prose.append(line)
    return [prose] if prose else []


def _join_command(command: str, more: str) -> str:
    """A wrapped command as one line; a backslash that only continues a line is dropped."""
    more = more.removesuffix("\\").strip()
    return f"{command} {more}".strip()


def _read_verified(paragraph: list[_Line], path: str) -> tuple[Verified | None, list[Finding]]:
    found: dict[str, str] = {}
    for index, pattern in enumerate(_VERIFIED_LINES):
        line = paragraph[index] if index < len(paragraph) else None
        match = pattern.fullmatch(line.text) if line is not None else None
        if match is None:
            last = paragraph[-1]
            place = Place(path, line.number, line.column) if line else Place(path, last.number + 1)
            stated = f"`{line.text}`" if line else f"the paragraph ends after line {last.number}"
            return None, [_report_verified_form(place, stated, index)]
        found |= match.groupdict()
    if len(paragraph) > len(_VERIFIED_LINES):
        extra = paragraph[len(_VERIFIED_LINES)]
        place = Place(path, extra.number, extra.column)
        return None, [_report_verified_form(place, f"`{extra.text}`", len(_VERIFIED_LINES))]
    place = Place(path, paragraph[0].number, paragraph[0].column)
    return Verified(**found, place=place), []


def _report_verified_form(place: Place, stated: str, index: int) -> Finding:
    true = "the Verified paragraph has four lines"
    if index < len(_VERIFIED_FORM):
        true = f"line {index + 1} of the Verified paragraph reads `{_VERIFIED_FORM[index]}`"
    return Finding(
        Kind.HEADER,
        place,
        stated,
        true,
        "let `course run` write the paragraph, or remove it",
    )


def _report_second(path: str, line: _Line, name: str, first: int) -> Finding:
    return Finding(
        Kind.HEADER,
        Place(path, line.number, line.column),
        f"a second `{name}`",
        f"the first is at line {first}",
        "keep one of them",
    )


def _report_entry_form(path: str, line: _Line) -> Finding:
    return Finding(
        Kind.HEADER,
        Place(path, line.number, line.column),
        f"`{line.text.strip()}`",
        "a header's commands are named `Build:` and `Run:`, spelled so",
        "write `Build: nvcc …` or `Run: ./…`",
    )


def _report_missing(path: str, name: str, lines: list[_Line]) -> Finding:
    form = {"Build": "// Build: nvcc -O3 -arch=sm_90 -o NAME NAME.cu", "Run": "// Run:   ./NAME"}
    stated = "the leading `//` comment" if lines else "the program begins without a `//` comment"
    return Finding(
        Kind.HEADER,
        Place(path),
        stated,
        f"it has no `{name}:` line",
        f"add a line such as `{form[name]}`",
    )


def _check_command(name: str, command: str, place: Place) -> list[Finding]:
    """A command is run as a list of words, without a shell."""
    advice = "write one plain command, without a shell's operators"
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError as error:
        true = f"it cannot be split into words: {str(error).lower()}"
        return [Finding(Kind.HEADER, place, f"{name}: {command}", true, "close the quote")]
    if not words:
        true = f"`{name}:` has no command"
        return [Finding(Kind.HEADER, place, f"{name}:", true, "write the command behind it")]
    operators = [word for word in words if set(word) <= _SHELL]
    if operators:
        true = f"no shell runs it, so `{operators[0]}` would be an argument"
        return [Finding(Kind.HEADER, place, f"{name}: {command}", true, advice)]
    return []
