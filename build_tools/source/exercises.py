"""Which exercises does a program hold? Spans of a region that a starter goes without.

``// solution: NAME`` and ``// end solution`` stand around what a reader is to write, and what
the starter has in its place stands between them, each line behind ``// starter: ``. Spans of one
name are one exercise; a program's only one needs no name. A span of comments goes with the code
of its exercise, where they would give it away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.source.model import Exercise, Region, Solution, SourceLine
from build_tools.source.tokens import Comment, Scan, scan_source

ONLY = "exercise"
"""The name of a program's only exercise, where its markers give none."""

_NAME = r"[a-z0-9][a-z0-9._-]*"
_OPENING = re.compile(rf"// solution(?:: ({_NAME}))?")
_CLOSING = re.compile(rf"// end solution(?:: ({_NAME}))?")
_STARTER = re.compile(r"// starter:(?: (.*))?")
_REGION = re.compile(r"// (?:end )?snippet\b.*")
_LIKE_CLOSING = re.compile(
    r"\W*end[\s_:-]*(?:of[\s_:-]*(?:the[\s_:-]*)?)?solutions?\s*(?::.*|[\w.-]*\W*)|"
    r"\W*solution[\s_:-]+end\W*",
    re.IGNORECASE,
)
_LIKE_OPENING = re.compile(
    r"\W*(?:begin|start|open)[\s_:-]*solutions?\s*[:-]?\s*[\w.-]*\W*|"
    r"\W*solutions?(?:\s*:\s*[\w.-]*)?\W*",
    re.IGNORECASE,
)
_LIKE_STARTER = re.compile(r"\W*starters?\s*:.*", re.IGNORECASE)
_LIKE_BLOCK = re.compile(
    r"/\*+\s*(?:end[ _-]?)?(?:solution|starter)\b(?:\s*:.*)?\s*\*+/", re.IGNORECASE
)
_MARKERS = (
    "`// solution: NAME`, `// starter: LINE` and `// end solution`, each on a line of its own, "
    "with names of small letters, digits, `.`, `_`, `-`"
)


@dataclass
class _Opened:
    """A solution whose end has not come yet."""

    name: str
    comment: Comment
    starter: list[SourceLine] = field(default_factory=list)
    crossing: Comment | None = None
    """The first marker of a region after it."""
    is_reported: bool = False


def list_marker_lines(scan: Scan) -> frozenset[int]:
    """The lines that hold nothing but a marker of an exercise: they belong to no region."""
    return frozenset(
        comment.line
        for comment in scan.comments
        if comment.is_alone and _read_marker(comment) is not None
    )


def _read_marker(comment: Comment) -> re.Match[str] | None:
    text = comment.text.rstrip(" \t")
    for form in (_OPENING, _CLOSING, _STARTER):
        match = form.fullmatch(text)
        if match is not None:
            return match
    return None


def find_exercises(
    scan: Scan, path: str, regions: Mapping[str, Region], *, whole: bool = True
) -> tuple[dict[str, Exercise], list[Finding]]:
    """The exercises of a program by name, in the order they open; one with a finding is left out.

    ``whole`` says that ``regions`` are all that the program has, none left out for a finding.
    """
    reader = _ExerciseReader(scan, path)
    for comment in scan.comments:
        reader.take(comment)
    reader.finish()
    exercises = {}
    for name, solutions in reader.group().items():
        begins = next(solution for solution in solutions if solution.has_code)
        place = Place(path, begins.first, begins.column)
        holding = _list_holding(solutions, regions)
        if holding:
            exercises[name] = Exercise(name, place, tuple(solutions), holding)
        elif whole:
            true = "no region holds all of it, so no page can show it"
            advice = "put its markers between those of a region"
            reader.report(place, f"exercise `{name}`", true, advice)
    reader.findings.sort(key=lambda finding: finding.place)
    return exercises, reader.findings


def _list_holding(solutions: Iterable[Solution], regions: Mapping[str, Region]) -> tuple[str, ...]:
    """The regions with all code of the solutions, the shortest first."""
    numbers = {line.number for s in solutions if s.has_code for line in s.lines}
    holding = [
        region for region in regions.values() if numbers <= {line.number for line in region.lines}
    ]
    return tuple(region.name for region in sorted(holding, key=lambda r: len(r.lines)))


class _ExerciseReader:
    """Holds the solutions open so far while the comments go by."""

    def __init__(self, scan: Scan, path: str) -> None:
        self.findings: list[Finding] = []
        self._path = path
        self._lines = scan.text.split("\n")
        self._hidden = list_marker_lines(scan)
        self._open: list[_Opened] = []
        self._found: list[tuple[str, Solution]] = []
        self._spoilt: set[str] = set()
        """Names of exercises of which some part has a finding."""

    def take(self, comment: Comment) -> None:
        """Read one comment, in the order of the file."""
        text = comment.text.rstrip(" \t")
        if not comment.is_alone or _read_marker(comment) is None:
            if comment.is_alone and self._open and _REGION.fullmatch(text):
                self._open[-1].crossing = self._open[-1].crossing or comment
            elif _is_marker_like(comment):
                self._report_look_alike(comment)
            return
        opening, closing = _OPENING.fullmatch(text), _CLOSING.fullmatch(text)
        if opening:
            self._take_opening(comment, opening[1] or "")
        elif closing:
            self._take_closing(comment, closing[1])
        else:
            self._take_starter(comment, text)

    def _take_opening(self, comment: Comment, name: str) -> None:
        opened = _Opened(name, comment)
        if self._open:
            outer = self._open[-1]
            true = f"the solution from line {outer.comment.line} is still open"
            advice = "close that one before with `// end solution`: solutions do not nest"
            self._tell(comment, f"`{comment.text.strip()}`", true, advice)
            opened.is_reported = outer.is_reported = True
        self._open.append(opened)

    def _take_closing(self, comment: Comment, name: str | None) -> None:
        stated = f"`{comment.text.strip()}`"
        if not self._open:
            advice = "remove the line, or open a solution above it with `// solution: NAME`"
            self._tell(comment, stated, "no solution is open here", advice)
            return
        opened = self._open.pop()
        if name is not None and name != opened.name and not opened.is_reported:
            known = f"`{opened.name}`" if opened.name else "one without a name"
            true = f"the solution open here is {known}, from line {opened.comment.line}"
            self._tell(comment, stated, true, "write its name, or none")
            opened.is_reported = True
        if opened.crossing is not None and not opened.is_reported:
            self._report_crossing(opened, opened.crossing)
        if opened.is_reported:
            self._spoilt.add(opened.name)
        else:
            self._close(opened, comment)

    def _take_starter(self, comment: Comment, text: str) -> None:
        if not self._open:
            advice = "move it between `// solution: NAME` and `// end solution`"
            self._tell(comment, f"`{text}`", "no solution is open here that it replaces", advice)
            return
        match = _STARTER.fullmatch(text)
        shown = (match[1] if match else None) or ""
        indent = self._lines[comment.line - 1][: comment.column - 1] if shown else ""
        self._open[-1].starter.append(SourceLine(comment.line, indent + shown))

    def _close(self, opened: _Opened, closing: Comment) -> None:
        first, last = opened.comment.line, closing.line
        lines = tuple(
            SourceLine(number, self._lines[number - 1])
            for number in range(first + 1, last)
            if number not in self._hidden
        )
        code, starter = _list_tokens(lines), _list_tokens(opened.starter)
        has_text = any(line.text.strip() for line in lines)
        if not code and (starter or not has_text):
            self._report_empty(opened.name, first, opened.comment.column)
        elif code and code == starter:
            advice = "let the starter be wrong or lack something, or remove the markers"
            stated = f"`{opened.comment.text.strip()}`"
            self._tell(opened.comment, stated, "the starter has the same code", advice)
            self._spoilt.add(opened.name)
        else:
            found = Solution(
                first,
                last,
                opened.comment.column,
                lines,
                tuple(opened.starter),
                has_code=bool(code),
            )
            self._found.append((opened.name, found))

    def _report_empty(self, name: str, line: int, column: int) -> None:
        advice = "put the lines that a reader is to write between its markers"
        stated = f"`// solution: {name}`" if name else "`// solution`"
        self.report(Place(self._path, line, column), stated, "it holds no code", advice)
        self._spoilt.add(name)

    def finish(self) -> None:
        """Report what is still open."""
        for opened in self._open:
            self._spoilt.add(opened.name)
            if not opened.is_reported:
                stated = f"`{opened.comment.text.strip()}`"
                advice = "close it with `// end solution`"
                self._tell(opened.comment, stated, "nothing closes it", advice)

    def group(self) -> dict[str, list[Solution]]:
        """The sound exercises with their solutions."""
        written = {name for name, solution in self._found if solution.has_code}
        for name, solution in self._found:
            if name not in written | self._spoilt:  # only comments, wherever it stands
                self._report_empty(name, solution.first, solution.column)
        names = {name for name, _ in self._found} | self._spoilt
        grouped: dict[str, list[Solution]] = {}
        for name, solution in self._found:
            if name in self._spoilt:
                continue
            if not name and len(names) > 1:
                advice = "name each, as `// solution: NAME`"
                place = Place(self._path, solution.first, solution.column)
                true = "the program has other exercises, and this one has no name"
                self.report(place, "`// solution`", true, advice)
                continue
            grouped.setdefault(name or ONLY, []).append(solution)
        return grouped

    def _report_crossing(self, opened: _Opened, crossing: Comment) -> None:
        opened.is_reported = True
        true = f"it stands within the solution from line {opened.comment.line}"
        advice = "close the solution before it: a solution lies between two markers of regions"
        self._tell(crossing, f"`{crossing.text.strip()}`", true, advice)

    def _report_look_alike(self, comment: Comment) -> None:
        text = " ".join(comment.text.partition("\n")[0].split())
        true = "it looks like an exercise's marker and is none"
        if not comment.is_alone:
            true += ", since it shares its line with other text"
        for opened in self._open:
            opened.is_reported = True
        advice = f"markers are {_MARKERS}; else reword the comment"
        place = Place(self._path, comment.line, comment.column)
        self.findings.append(Finding(Kind.MARKER, place, f"`{text}`", true, advice))

    def _tell(self, comment: Comment, stated: str, true: str, advice: str) -> None:
        self.report(Place(self._path, comment.line, comment.column), stated, true, advice)

    def report(self, place: Place, stated: str, true: str, advice: str) -> None:
        """Add a finding about an exercise."""
        self.findings.append(Finding(Kind.EXERCISE, place, stated, true, advice))


def _is_marker_like(comment: Comment) -> bool:
    if comment.is_block:
        is_line = comment.is_alone and "\n" not in comment.text
        return is_line and bool(_LIKE_BLOCK.fullmatch(comment.text))
    text = comment.text[2:].partition("\n")[0]
    return any(form.fullmatch(text) for form in (_LIKE_CLOSING, _LIKE_OPENING, _LIKE_STARTER))


def _list_tokens(lines: Iterable[SourceLine]) -> list[str]:
    return [token.text for token in scan_source("".join(f"{x.text}\n" for x in lines)).tokens]
