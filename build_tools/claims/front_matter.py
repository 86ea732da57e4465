"""What does a page's front matter say to the course: is it a draft, and which rules are its own?

::

    draft: true
    course:
      unbound: units
      patterns_off: [year]

Of YAML only what these need is read, each on lines of its own; a key that is written in another
way is a finding, so that none is overlooked. All other keys are left to the site's generator.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from build_tools.claims.blank import find_front_matter
from build_tools.claims.model import PageOptions
from build_tools.diagnostics.finding import Finding, Kind, Place, suggest_names

_PAIR = re.compile(r"""(?P<quote>["']?)(?P<key>[\w-]+)(?P=quote)[ \t]*:(?:[ \t]+(?P<value>.*))?""")
_ITEM = re.compile(r"-[ \t]+(?P<value>.*)")
_COMMENT = re.compile(r"(?:^|\s)#.*")
_WORDS = {
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"), False),
}
"""What YAML reads as true or false."""
POLICIES = {
    "off": "No number must be bound.",
    "units": "Those that state a time, a size, a rate, a share or a factor must be bound.",
    "all": "Every number must be bound.",
}
"""What each policy for unbound numbers asks for; each more than the one before."""
TOP_KEYS = {
    "draft": "`true` for a lesson that is not ready: it may lack evidence, is shown under "
    "`mkdocs serve` and left out of a build.",
    "course": "The page's own rules.",
}
"""The keys of front matter that are ours."""
KEYS = {
    "unbound": "The policy of this page, in the place of the course's.",
    "patterns_off": "Patterns of numbers that are switched off on this page, besides the course's.",
}
"""The keys below ``course``."""


@dataclass(frozen=True)
class _Line:
    """A line of front matter: how far it is indented, its text, and where that begins."""

    indent: int
    text: str
    offset: int


@dataclass
class _Reading:
    """What has been read, and what is wrong with it."""

    place: Callable[[int], Place]
    draft: Place | None = None
    own: Place | None = None
    unbound: str = ""
    patterns_off: dict[str, Place] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def report(self, offset: int, stated: str, true: str, advice: str) -> None:
        self.findings.append(Finding(Kind.SETTINGS, self.place(offset), stated, true, advice))


def read_front_matter(
    text: str, place: Callable[[int], Place]
) -> tuple[PageOptions, list[Finding]]:
    """What a page says of itself; ``place`` gives line and column of an offset."""
    span = find_front_matter(text)
    if span is None:
        return PageOptions(), []
    lines = list(_list_lines(text, *span))
    reading = _Reading(place)
    seen: set[str] = set()
    for index, line in enumerate(lines):
        if line.indent:
            continue
        pair = _PAIR.fullmatch(line.text)
        if pair is None:
            if line.text.startswith("{") and re.search(r"\b(?:draft|course)\b", line.text):
                advice = "write each key on a line of its own"
                reading.report(line.offset, "front matter in braces", "it is not read", advice)
            continue
        key = pair["key"]
        if key in TOP_KEYS and key in seen:
            reading.report(line.offset, f"`{key}`", "the key is there twice", "keep one")
        seen.add(key)
        if key == "draft":
            _read_draft(reading, line, pair["value"] or "")
        elif key == "course":
            inner = _take_inner(lines, index + 1)
            _read_course(reading, line, (pair["value"] or "").strip(), inner)
        elif key.lower() in ("draft", "drafts", "course"):
            advice = suggest_names(key.lower(), TOP_KEYS)
            reading.report(line.offset, f"`{key}`", "nothing reads this key", advice)
    options = PageOptions(reading.draft, reading.own, reading.unbound, reading.patterns_off)
    return options, reading.findings


def _list_lines(text: str, start: int, end: int) -> Iterator[_Line]:
    """The lines between the dashes that say something, without their comments."""
    offset = start
    for number, line in enumerate(text[start:end].split("\n")):
        stripped = line.strip()
        closing = number and re.fullmatch(r"---|\.\.\.", line.rstrip())
        if closing:
            return
        if number and stripped and not stripped.startswith("#"):
            indent = len(line) - len(line.lstrip(" "))
            body = _COMMENT.sub("", line[indent:]).rstrip()
            yield _Line(indent, body, offset + indent)
        offset += len(line) + 1


def _take_inner(lines: list[_Line], start: int) -> list[_Line]:
    """The lines indented below a key."""
    inner = []
    for line in lines[start:]:
        if not line.indent:
            break
        inner.append(line)
    return inner


def _read_draft(reading: _Reading, line: _Line, value: str) -> None:
    said = _WORDS.get(value.strip())
    if said is None:
        reading.report(
            line.offset, f"`{line.text}`", "a lesson is a draft or is none", "write `draft: true`"
        )
    # A slip here must not publish what is not meant to be.
    if said is not False:
        reading.draft = reading.place(line.offset)


def _read_course(reading: _Reading, line: _Line, value: str, inner: list[_Line]) -> None:
    """The keys below ``course:``, or those in braces behind it."""
    reading.own = reading.place(line.offset)
    if value:
        at = line.offset + line.text.index(value, line.text.index(":") + 1)
        if not (value.startswith("{") and value.endswith("}")):
            advice = "write `unbound:` or `patterns_off:` below it, indented by two"
            reading.report(line.offset, f"`{line.text}`", "`course` holds keys", advice)
            return
        inner = [
            _Line(2, piece.strip(), at + 1 + begin + len(piece) - len(piece.lstrip()))
            for begin, piece in _split_flow(value[1:-1])
            if piece.strip()
        ]
    index = 0
    while index < len(inner):
        pair = _PAIR.fullmatch(inner[index].text)
        items = []
        for following in inner[index + 1 :]:
            if not following.text.startswith("- "):
                break
            items.append(following)
        if pair is None:
            _refuse(reading, inner[index])
        else:
            _read_key(reading, inner[index], pair, items)
        index += 1 + (len(items) if pair else 0)


def _refuse(reading: _Reading, line: _Line) -> None:
    advice = "write `unbound: units`, or `patterns_off: [name, name]`, each on one line"
    reading.report(line.offset, f"`{line.text}`", "this is not read", advice)


def _read_key(reading: _Reading, line: _Line, pair: re.Match[str], items: list[_Line]) -> None:
    key, value = pair["key"], (pair["value"] or "").strip()
    if key == "unbound":
        policy = _unquote(value)
        # YAML reads a bare `off` as false; it is the word all the same.
        policy = "off" if value in _WORDS and not _WORDS[value] else policy
        if policy not in POLICIES or items:
            advice = f"write one of {', '.join(POLICIES)}; {suggest_names(policy, POLICIES)}"
            reading.report(line.offset, f"`{line.text}`", "it is no policy", advice)
        else:
            reading.unbound = policy
    elif key == "patterns_off":
        names = _read_names(line, value, items)
        if names is None:
            _refuse(reading, line)
        else:
            reading.patterns_off.update({n: reading.place(offset) for n, offset in names})
    else:
        advice = suggest_names(key, KEYS)
        reading.report(line.offset, f"`{key}`", "`course` has no such key", advice)


def _read_names(line: _Line, value: str, items: list[_Line]) -> list[tuple[str, int]] | None:
    """Names in brackets, or one on each of the lines below; None for anything else."""
    if items and not value:
        found = [(item, _ITEM.fullmatch(item.text)) for item in items]
        return [(_unquote(m["value"]), item.offset + m.start("value")) for item, m in found if m]
    if not (value.startswith("[") and value.endswith("]")) or items:
        return None
    begin = line.offset + line.text.rindex(value) + 1
    return [
        (_unquote(piece.strip()), begin + at + len(piece) - len(piece.lstrip()))
        for at, piece in _split_flow(value[1:-1])
        if piece.strip()
    ]


def _split_flow(text: str) -> Iterator[tuple[int, str]]:
    """The parts between commas, each with its offset; those in brackets stay whole."""
    depth = start = 0
    for index, character in enumerate(text):
        depth += {"[": 1, "]": -1}.get(character, 0)
        if character == "," and depth <= 0:
            yield start, text[start:index]
            start = index + 1
    yield start, text[start:]


def _unquote(value: str) -> str:
    if len(value) > 1 and value[0] in "\"'" and value[-1] == value[0]:
        return value[1:-1]
    return value
