"""What of the evidence stands behind a claim: the values of all processes, the transcript's lines?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from build_tools.claims.model import Course, Verdict
from build_tools.claims.names import NoEvidenceError
from build_tools.claims.trace import trace_expression
from build_tools.pages.hrefs import link_record
from build_tools.pages.lookup import Absence, find_record
from build_tools.pages.strip import Strip, draw_strip
from build_tools.pages.visible import mark_up, show_transcript
from build_tools.quantity.expression import ExpressionError
from build_tools.quantity.value import Number, OperationError, Several, Value

MOST_STRIPS = 6
"""A value that holds more numbers than these has no picture: it would say nothing."""
MOST_LINES = 2
"""Lines of a transcript that are quoted; of others the number is said."""
MOST_NUMBERS = 8
"""Lines of which the number is said; of still others, how many there are."""


@dataclass(frozen=True)
class Spread:
    """A number of the value, and how those of all processes lie."""

    label: str
    """Which of several it is; empty for the only one."""
    strip: Markup
    """Empty where nothing varies."""
    said: str = ""
    """Why there is no strip."""


@dataclass(frozen=True)
class Line:
    """A line of the shown process's transcript, and where its record shows it."""

    number: int
    text: str
    href: str


@dataclass(frozen=True)
class Lines:
    """The lines that a value was read from: those that are quoted, those that are named, the rest."""

    first: tuple[Line, ...] = ()
    named: tuple[Line, ...] = ()
    more: int = 0


def list_spreads(value: Value | None) -> list[Spread]:
    """How each measured number of a value lies; the strips of several share one scale.

    A statement has none of its own: each of the cases that decide it has.
    """
    listed = [(label, number) for label, number in _list_numbers(value) if number.exact is None]
    if not listed or len(listed) > MOST_STRIPS or len({n.dimensions for _, n in listed}) > 1:
        return []
    strips = draw_together([number for _, number in listed])
    spreads = [
        Spread(label, strip, "" if strip else tell_spread(number))
        for (label, number), strip in zip(listed, strips, strict=True)
    ]
    if len({(spread.strip, spread.said) for spread in spreads}) == 1:
        return [replace(spreads[0], label="")]
    return spreads


def draw_together(numbers: Sequence[Number]) -> list[Markup]:
    """A strip for each number, on one scale; empty for one whose values do not vary."""
    ends = [end for number in numbers for end in _list_ends(number)]
    reach = (min(ends), max(ends)) if len(numbers) > 1 and ends else None
    return [_draw(number, reach) if _varies(number) else Markup() for number in numbers]


def tell_spread(number: Number) -> str:
    """Why a measured number has no strip: all processes agree, or there is one value alone."""
    newest = number.series[0]
    count = len(newest.samples)
    if newest.joined is not None:
        return f"joined from {len(newest.origins)} measurements, by the ends of their bands"
    is_counted = all("#" in origin for origin in newest.origins)
    if count == 1:
        return "counted once, in one profiled launch" if is_counted else "from one process"
    return f"the same in all {count} {'profiled launches' if is_counted else 'processes'}"


def _list_numbers(value: Value | None) -> list[tuple[str, Number]]:
    match value:
        case Number():
            return [("", value)]
        case Several():
            labels = value.labels or ((),) * len(value.items)
            pairs = zip(labels, value.items, strict=True)
            return [(", ".join(keys), item) for keys, item in pairs if isinstance(item, Number)]
    return []


def _varies(number: Number) -> bool:
    return number.exact is None and len(set(number.series[0].samples)) > 1


def _list_samples(number: Number) -> Sequence[float]:
    samples = number.series[0].samples if number.series else ()
    # In order of size: one after another they would need more room on the page.
    return tuple(sorted(map(float, samples))) if len(samples) > 1 else ()


def _list_ends(number: Number) -> list[float]:
    if not _varies(number):
        return []
    band = number.series[0].band
    return [float(band.low), float(band.high), *_list_samples(number)]


def _draw(number: Number, reach: tuple[float, float] | None) -> Markup:
    samples = _list_samples(number)
    band = number.series[0].band
    middle = samples[len(samples) // 2]
    return draw_strip(Strip(samples, float(band.low), float(band.high), middle, reach=reach))


def list_lines(course: Course, verdict: Verdict) -> Lines:
    """The lines of the shown transcript that what the claim cites was read from, each once."""
    proof = verdict.proof
    if proof is None or not proof.record:
        return Lines()
    found = _find_lines(course, proof.expression, proof.record)
    named = found[MOST_LINES : MOST_LINES + MOST_NUMBERS]
    return Lines(found[:MOST_LINES], named, max(0, len(found) - MOST_LINES - MOST_NUMBERS))


def _find_lines(course: Course, expression: str, record: str) -> tuple[Line, ...]:
    """Looked for once: rendering and checking a page ask for the same."""
    key = ("lines", expression, record)
    found = course.memo.recall(key)
    if isinstance(found, tuple):
        return found
    lines = tuple(_read_lines(course, expression, record))
    course.memo.keep(key, lines)
    return lines


def _read_lines(course: Course, expression: str, record: str) -> list[Line]:
    loaded = find_record(course, record)
    if isinstance(loaded, Absence):
        return []
    try:
        cited = trace_expression(course, expression)
    except (ExpressionError, NoEvidenceError, OperationError):
        return []
    path = loaded.record.processes[loaded.record.shown].stdout.path
    shown = show_transcript(loaded.shown_text).lines
    texts = {
        origin.line: origin.text
        for name in cited
        for origin in name.origins
        if origin.path == path and origin.process
    }
    return [
        Line(number, " ".join(text.split()), link_record(record, name_line(number, shown)))
        for number, text in texts.items()
    ]


def name_line(number: int, shown: int) -> str:
    """The id of a transcript's line on the page of its record, which has the first ``shown``."""
    return f"T{number}" if number <= shown else "transcript"


def compose_lines(text: str, *, is_named: bool = True) -> Markup:
    """A transcript, its controls visible, each line an element, and with an id where ``is_named``."""
    line = Markup('<span class="course-line" id="T{}">')
    pieces = re.findall(r"[^\n]*\n|[^\n]+", text)
    return Markup("").join(
        (line.format(number) if is_named else Markup("<span>")) + mark_up(piece) + Markup("</span>")
        for number, piece in enumerate(pieces, start=1)
    )
