"""Which regions does a program name, and what is their text?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.source.exercises import list_marker_lines
from build_tools.source.model import Region, SourceLine
from build_tools.source.tokens import Comment, Scan, scan_source

_OPENING = re.compile(r"// snippet: ([A-Za-z0-9._-]+)")
_CLOSING = re.compile(r"// end snippet(?:: ([A-Za-z0-9._-]+))?")
_LIKE_CLOSING = re.compile(
    r"\W*end[\s_:-]*snippets?\s*(?::.*|[\w.-]*\W*)|\W*end of (?:the )?snippet\W*|"
    r"\W*snippet[\s_:-]+end\W*",
    re.IGNORECASE,
)
_LIKE_OPENING = re.compile(
    r"\W*(?:(?:begin|start|open)[\s_:-]*)?"
    r"(?:snippet\s*(?::.*|[:-]?\s*[\w.-]+\W*)|snippets\s*:\s*[\w.-]+\W*)",
    re.IGNORECASE,
)
_LIKE_BLOCK = re.compile(r"/\*+\s*(?:end[ _-]?)?snippet\b(?:\s*:.*)?\s*\*+/", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_MARKERS = "`// snippet: NAME` and `// end snippet`, each on a line of its own"


def decode_source(data: bytes, path: str) -> tuple[str | None, list[Finding]]:
    """A file's text: UTF-8, BOM dropped, CRLF and lone CR as LF; None when it is not UTF-8."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = _unify_line_ends(data[: error.start].decode("utf-8")).removeprefix("\ufeff")
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        finding = Finding(
            Kind.ENCODING,
            Place(path, line, column),
            f"byte {error.start + 1} of the file is 0x{data[error.start]:02x}",
            "the text is not UTF-8 from there on",
            "save the file as UTF-8",
        )
        return None, [finding]
    return _unify_line_ends(text).removeprefix("\ufeff"), []


def _unify_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


@dataclass
class _Opened:
    """A region whose end has not come yet. ``name`` is empty behind a marker that is none."""

    name: str
    comment: Comment
    lines: list[SourceLine] = field(default_factory=list)
    is_reported: bool = False
    """Whether a finding already speaks of it, so that its missing end is not another one."""


def find_regions(
    text: str, program: str, path: str, scan: Scan | None = None
) -> tuple[dict[str, Region], list[Finding]]:
    """The regions of a decoded text by name, in the order they open.

    A region with a finding is left out, but the first of two of one name is kept. The markers of
    exercises belong to no region.
    """
    reader = _RegionReader(program, path)
    scan = scan or scan_source(text)
    markers = {c.line: c for c in scan.comments if _is_marker_like(c)}
    hidden = list_marker_lines(scan)
    for number, line in enumerate(text.split("\n"), 1):
        if number in hidden:
            continue
        marker = markers.get(number)
        if marker is None or not reader.take_marker(marker):
            reader.take_line(SourceLine(number, line))
    reader.finish()
    return reader.regions, reader.findings


def list_all_marker_lines(text: str) -> frozenset[int]:
    """The lines of a decoded text that hold nothing but a marker of a region or an exercise."""
    scan = scan_source(text)
    return list_marker_lines(scan) | {
        comment.line
        for comment in scan.comments
        if comment.is_alone
        and any(form.fullmatch(comment.text.rstrip(" \t")) for form in (_OPENING, _CLOSING))
    }


def _is_marker_like(comment: Comment) -> bool:
    if comment.is_block:
        is_line = comment.is_alone and "\n" not in comment.text
        return is_line and bool(_LIKE_BLOCK.fullmatch(comment.text))
    text = comment.text[2:].partition("\n")[0]
    return bool(_LIKE_CLOSING.fullmatch(text) or _LIKE_OPENING.fullmatch(text))


class _RegionReader:
    """Holds the regions open so far while the lines go by."""

    def __init__(self, program: str, path: str) -> None:
        self.program = program
        self.path = path
        self.regions: dict[str, Region] = {}
        self.findings: list[Finding] = []
        self._open: list[_Opened] = []
        self._seen: dict[str, int] = {}

    def take_line(self, line: SourceLine) -> None:
        for opened in self._open:
            opened.lines.append(line)

    def take_marker(self, comment: Comment) -> bool:
        """Whether the comment's line is a marker's, and so is never shown."""
        text = comment.text.rstrip(" \t")
        opening, closing = _OPENING.fullmatch(text), _CLOSING.fullmatch(text)
        if comment.is_alone and opening:
            self._take_opening(comment, opening[1])
        elif comment.is_alone and closing:
            self._take_closing(comment, closing[1])
        else:
            self._report_look_alike(comment)
            return comment.is_alone
        return True

    def _take_opening(self, comment: Comment, name: str) -> None:
        opened = _Opened(name, comment)
        if name in self._seen:
            opened.is_reported = True
            opened.name = ""
            self._report(
                Kind.REGION,
                comment,
                f"region `{name}` opens",
                f"also opened at line {self._seen[name]}",
                "give each region of a program a name of its own",
            )
        self._seen.setdefault(name, comment.line)
        self._open.append(opened)

    def _take_closing(self, comment: Comment, name: str | None) -> None:
        if not self._open:
            self._report(
                Kind.REGION,
                comment,
                f"`{comment.text.strip()}`",
                "no region is open here",
                "remove the line, or open a region above it with `// snippet: NAME`",
            )
            return
        names = [opened.name for opened in self._open]
        if name is None:
            self._close(self._open.pop())
        elif name in names:
            self._close(self._open.pop(names.index(name)))
        elif "" in names:  # the end of a region whose opening was reported
            self._open.pop(len(names) - 1 - names[::-1].index(""))
        else:
            open_now = ", ".join(f"`{o.name}` from line {o.comment.line}" for o in self._open)
            self._report(
                Kind.REGION,
                comment,
                f"ends region `{name}`",
                f"`{name}` is not open; open here: {open_now}",
                f"write `// end snippet: {names[-1]}`, or open `{name}` before",
            )
            self._open[-1].is_reported = True

    def _close(self, opened: _Opened) -> None:
        if not opened.name:
            return
        if all(not line.text.strip() for line in opened.lines):
            self._report(
                Kind.REGION,
                opened.comment,
                f"region `{opened.name}`",
                "it holds no line of text",
                "put code between its markers, or remove both",
            )
            return
        self._report_control_bytes(opened)
        self.regions[opened.name] = Region(
            program=self.program,
            name=opened.name,
            place=Place(self.path, opened.comment.line, opened.comment.column),
            lines=tuple(opened.lines),
            text=dedent_lines([line.text for line in opened.lines]),
        )

    def _report_control_bytes(self, opened: _Opened) -> None:
        reported = {finding.place for finding in self.findings}
        for line in opened.lines:
            for match in _CONTROL.finditer(line.text):
                finding = Finding(
                    Kind.ENCODING,
                    Place(self.path, line.number, match.start() + 1),
                    f"control byte 0x{ord(match[0]):02x} in region `{opened.name}`",
                    "a page cannot show it, so a reader could not copy it",
                    "remove it, or write it as an escape in a literal",
                )
                if finding.place not in reported:
                    self.findings.append(finding)

    def _report_look_alike(self, comment: Comment) -> None:
        text = " ".join(comment.text.partition("\n")[0].split())
        is_closing = bool(_LIKE_CLOSING.fullmatch(comment.text[2:].partition("\n")[0]))
        true = "it looks like a marker and is none"
        if not comment.is_alone:
            true = "it looks like a marker and is none, since it shares its line with other text"
        elif _OPENING.match(text) or re.fullmatch(r"// snippet:.*", text):
            true = "it looks like a marker and is none, since a region's name is letters, digits, `.`, `_`, `-`"
        if is_closing and self._open:
            opened = self._open[-1]
            true += f"; the region stays open from line {opened.comment.line}"
            opened.is_reported = True
        elif not is_closing and comment.is_alone:
            self._open.append(_Opened("", comment, is_reported=True))
        self._report(
            Kind.MARKER,
            comment,
            f"`{text}`",
            true,
            f"markers are {_MARKERS}; else reword the comment",
        )

    def finish(self) -> None:
        """Report what is still open."""
        for opened in self._open:
            if not opened.is_reported:
                self._report(
                    Kind.REGION,
                    opened.comment,
                    f"region `{opened.name}` opens",
                    "nothing closes it",
                    "close it with `// end snippet`",
                )
        self.findings.sort(key=lambda finding: finding.place)
        in_order = sorted(self.regions, key=self._seen.__getitem__)
        self.regions = {name: self.regions[name] for name in in_order}

    def _report(self, kind: Kind, comment: Comment, stated: str, true: str, advice: str) -> None:
        place = Place(self.path, comment.line, comment.column)
        self.findings.append(Finding(kind, place, stated, true, advice))


def dedent_lines(lines: Iterable[str]) -> str:
    """The lines with LF ends, less the white space all lines with text begin with."""
    listed = list(lines)
    margins = [line[: len(line) - len(line.lstrip(" \t"))] for line in listed if line.strip()]
    margin = share_start(*margins)
    return "".join(line[len(share_start(line, margin)) :] + "\n" for line in listed)


def share_start(*texts: str) -> str:
    """What all the texts begin with; empty for none."""
    if not texts:
        return ""
    low, high = min(texts), max(texts)
    length = next((i for i, c in enumerate(low) if high[i : i + 1] != c), len(low))
    return low[:length]
