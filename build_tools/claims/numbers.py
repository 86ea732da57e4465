"""Which numbers does a text of prose hold, beside those that a named pattern takes away?"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from build_tools.claims.blank import blank_matches
from build_tools.claims.fold_digits import fold_digits, fold_marks
from build_tools.claims.patterns import PATTERNS, Pattern
from build_tools.claims.tables import find_cells
from build_tools.claims.unit_words import COUNTED, MORE, UNITED
from build_tools.quantity.units import SYMBOLS
from build_tools.quantity.vocabulary import HEDGES

_SHAPE = rf"\d+(?:\s?[x×]\s?\d+)+(?!\w|[.,]\d|{UNITED})"
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+|\^-?\d+|[⁻⁰¹²³⁴-⁹]+|/\d+)?"
_SCALE = r"(?:\s(?:thousand|million|billion|trillion)\b|[kKMB](?![\w-]))"
_RANGE = rf"[-−+]?{_DIGITS}(?:(?:\s?–\s?|-|\sto\s){_DIGITS})?"
NUMBER = re.compile(
    rf"(?<![\w.])(?!0[xX])(?:{_SHAPE}|{_RANGE}{_SCALE}?(?:(?P<unit>{UNITED})|(?P<noun>\s{COUNTED}))?)"
)
"""A number or range of prose with what makes it a measurement, or with the noun it counts."""

_WORDED = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|sixteen|twenty)"
    rf"(?:-?fold\b| times\b(?=\s+(?:{MORE})\b))",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"(?:^|(?<=[\s(\"'“*_|]))("
    + "|".join(
        re.escape(h) + (r"[ \u00a0]" if h[-1].isalpha() else r"[ \u00a0]?")
        for h in sorted(HEDGES, key=len, reverse=True)
    )
    + r")$",
    re.IGNORECASE,
)
_LONGEST_HEDGE = max(map(len, HEDGES)) + 2
_FACTOR_OF = re.compile(r"\bfactors?\sof\s(?:\w+\s){0,2}$", re.IGNORECASE)
_LINKED = re.compile(r"[*_]{0,2}(?:(?P<comma>,\s)|,?\s(?:and|or|to|by)\s|\s?/\s?)[*_]{0,2}")
"""What stands between the numbers of a list that has its unit once, behind the last."""
_UNIT_BEHIND_MARKS = re.compile(rf"[*_]{{1,3}}{UNITED}")
"""The end of emphasis and a unit: ``**42** ms`` is a time."""
_DIGIT = re.compile(r"\d")
_RATE_WORDS = re.compile(r"(?:×|x|%|fold|times|percent|per cent)$")


@dataclass(frozen=True)
class FoundNumber:
    """A number of the prose: where it begins, and what a link around it would hold."""

    start: int
    text: str
    """The number with its hedge and its unit, as written."""
    has_unit: bool
    """Whether it is a measurement, a rate, a share or a factor: found by the policy ``units``."""
    counted: str = ""
    """The number with the noun that it counts behind it; empty when it counts none."""
    column_unit: str = ""
    """The unit in the head of its table's column, where it has none of its own."""


def find_numbers(
    prose: str, patterns: Iterable[Pattern] = tuple(PATTERNS.values())
) -> Iterator[FoundNumber]:
    """The numbers of a prose text that no pattern takes away, in order."""
    names = set()
    written = prose
    prose = fold_marks(fold_digits(prose))
    condensed = _condense(prose)
    left = condensed.text
    for pattern in patterns:
        names.add(pattern.name)
        left = blank_matches(left, pattern.regex)
    found = [_read_number(left, match) for match in NUMBER.finditer(left)]
    _spread_units(left, found)
    found = [_restore(number, condensed, written) for number in found]
    found += [FoundNumber(m.start(), m[0], True) for m in _WORDED.finditer(prose)]
    found.sort(key=lambda number: number.start)
    cells = find_cells(prose) if "|" in prose else {}
    for number in found:
        cell = cells.get(number.start)
        if cell is None or not cell.holds(number):
            yield number
        elif cell.unit and not number.has_unit:
            yield replace(number, has_unit=True, column_unit=cell.unit)
        elif not cell.labels or "label" not in names:
            yield number


def is_number(text: str) -> bool:
    """Whether a text is one number and nothing else, with hedge and unit or without."""
    found = list(find_numbers(text, ()))
    return len(found) == 1 and found[0].start == 0 and len(found[0].text) == len(text)


def find_stated_number(statement: str) -> FoundNumber | None:
    """The first number of a statement in words: any digit that is not part of a name.

    A name is no name where it measures: ``X50``, ``H200-50 ms``, ``kernel_50 ms``.
    """
    found = next(find_numbers(statement, (PATTERNS["joined-to-letters"],)), None)
    joined = _MEASURED_NAME.search(fold_digits(statement))
    if joined is None or (found is not None and found.start < joined.start()):
        return found
    return FoundNumber(joined.start(), joined[0], True)


_MEASURED_NAME = re.compile(
    rf"(?<![\w-])[xX](?!86\b)\d[\d.,]*(?![\w-])|(?<=\w[-_])\d+(?:[.,]\d+)*{UNITED}(?![\w-])"
)


@dataclass(frozen=True)
class _Condensed:
    """The lines of a text that hold digits and those beside them, and where each stood.

    Most lines hold none, and every pattern would read them all.
    """

    text: str
    starts: tuple[int, ...]
    """Where each line begins here."""
    origins: tuple[int, ...]
    """Where it begins in the whole text."""

    def restore(self, offset: int) -> int:
        """An offset of the whole text."""
        index = bisect.bisect_right(self.starts, offset) - 1
        return self.origins[index] + offset - self.starts[index]


def _restore(number: FoundNumber, condensed: _Condensed, written: str) -> FoundNumber:
    """A number where it stands in the whole text, with its characters as they are written."""
    start = condensed.restore(number.start)
    text = written[start : start + len(number.text)]
    counted = written[start : start + len(number.counted)]
    return replace(number, start=start, text=text, counted=counted)


def _condense(prose: str) -> _Condensed:
    lines = prose.split("\n")
    digits = [bool(_DIGIT.search(line)) for line in lines]
    near = zip([False, *digits[:-1]], digits, [*digits[1:], False], strict=True)
    kept: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    at = origin = last = 0
    for index, (line, around) in enumerate(zip(lines, near, strict=True)):
        if any(around):
            if kept and last != index - 1:
                # Lines that were apart stay apart.
                kept.append("")
                starts.append(at)
                origins.append(origin)
                at += 1
            kept.append(line)
            starts.append(at)
            origins.append(origin)
            at += len(line) + 1
            last = index
        origin += len(line) + 1
    return _Condensed("\n".join(kept), tuple(starts), tuple(origins))


def _read_number(text: str, match: re.Match[str]) -> FoundNumber:
    """A number with the hedge before it on its line."""
    start, end = match.span()
    noun = match["noun"]
    has_unit = bool(match["unit"] or (not noun and _UNIT_BEHIND_MARKS.match(text, end)))
    before = text[max(0, start - 40) : start].rpartition("\n")[2]
    hedge = _HEDGE.search(before[-_LONGEST_HEDGE:])
    if not has_unit and not match[0].count("x") and _FACTOR_OF.search(before):
        has_unit = True
    # A quote's mark at the line's start is no bound.
    if hedge and before[: -len(hedge[0])].strip(" >") + hedge[0].strip(" >"):
        start -= len(hedge[0])
    whole = text[start:end]
    number = text[start : match.start("noun")] if noun else whole
    return FoundNumber(start, number, has_unit, whole if noun else "")


def _spread_units(text: str, found: list[FoundNumber]) -> None:
    """Give numbers of a list the unit that stands once, behind its last: ``1.3, 1.1 and 0.9 ms``."""
    inherits = False
    for index in range(len(found) - 2, -1, -1):
        number, following = found[index], found[index + 1]
        between = text[number.start + len(number.text) : following.start]
        linked = _LINKED.fullmatch(between) if len(between) <= 8 else None
        if (
            linked is None
            # A comma alone parts two things, but for the middle of a list.
            or (linked["comma"] and not inherits)
            or number.has_unit
            or number.counted
            or not following.has_unit
            or not (following.text[0].isdigit() or following.text[0] in "-−+")
        ):
            inherits = False
            continue
        found[index] = replace(number, has_unit=True)
        inherits = True


_NO_CHOICE = re.compile(
    r"\btimes\b|-?fold\b|\b(?:twice|thrice|double|half|third|quarter|per|percent)\b|[%‰×/:]"
    r"|\d\s?[xX](?!\s?\d)(?![A-Za-z])|[½⅓⅔¼¾]|\d[- ]?(?:[A-Za-z]*(?:bps|Bps|OPS|FLOPS|fps|FPS))\b"
    r"|-(?:ns|us|µs|ms|s)\b|(?![–−’“”…≤≥≈])[^\x00-\x7f]",
)
"""What no example, choice or definition holds: a share, a factor, a rate, letters of other scripts."""


def states_choice(text: str) -> bool:
    """Whether a text can be a choice or a definition: a count, a size or a shape, and no rate."""
    return not states_rate(text) and not _NO_CHOICE.search(text)


def states_rate(text: str) -> bool:
    """Whether a text holds a number with a unit of time, a rate or a ratio."""
    for number in NUMBER.finditer(text):
        unit = (number["unit"] or "").strip()
        if _RATE_WORDS.search(unit) or "/" in unit:
            return True
        symbol = SYMBOLS.get(unit.replace("µ", "u").replace("\N{GREEK SMALL LETTER MU}", "u"))
        if symbol and any(name == "s" for name, _ in symbol.dimensions):
            return True
        if re.search(r"seconds?$|secs?$|minutes?$|hours?$|cycles?$|clocks?$|bps$", unit):
            return True
    return bool(_WORDED.search(text))
