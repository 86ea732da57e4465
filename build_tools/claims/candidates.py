"""Which expressions come to an unbound number? Best first, so that the first can be pasted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

from build_tools.claims.citable import CitableIndex, index_citables
from build_tools.claims.list_citables import RATIO, Citable, find_constant, fold_key, is_linkable
from build_tools.claims.model import Course, PageScan
from build_tools.claims.numbers import FoundNumber
from build_tools.claims.proof import list_numbers
from build_tools.claims.unbound import Suggest, Suggestion
from build_tools.quantity.judge import find_thin_series, judge_value
from build_tools.quantity.numeral import UnreadableError
from build_tools.quantity.printed import Printed, parse_printed
from build_tools.quantity.spread import MINIMUM_PROCESSES
from build_tools.quantity.units import UnitError
from build_tools.quantity.vocabulary import Form, Hedge

MOST_OFFERED = 5
"""Expressions offered for a number."""
MOST_JUDGED = 40
"""Expressions judged for a number, the likeliest first."""
MOST_SEARCHED = 300
"""Different numbers of a page for which expressions are looked for."""
_SLACK = 1.02
"""The index holds shown values as floats; a band may reach a little beyond."""


def compose_suggest(course: Course, scan: PageScan) -> Suggest:
    """What looks for expressions for the numbers of one page; nothing is read before it is asked."""
    programs = list_page_programs(course, scan)
    known: dict[FoundNumber, Suggestion] = {}

    def suggest(number: FoundNumber) -> Suggestion:
        key = replace(number, start=0)
        if key not in known:
            if len(known) == MOST_SEARCHED:
                return Suggestion(number.text, (), MOST_SEARCHED)
            known[key] = find_candidates(index_citables(course), number, programs)
        return known[key]

    return suggest


def list_page_programs(course: Course, scan: PageScan) -> frozenset[str]:
    """The programs that a page's blocks and claims name."""
    words = {directive.argument.partition("#")[0] for directive in scan.directives}
    for claim in scan.claims:
        words.update(re.findall(r"[a-z][a-z0-9_]*", claim.target))
    return frozenset(words & course.programs.keys())


def find_candidates(
    index: CitableIndex, number: FoundNumber, programs: frozenset[str] = frozenset()
) -> Suggestion:
    """Expressions whose value fits a number: with the noun that it counts, or else without."""
    if number.column_unit:
        whole = f"{number.text} {number.column_unit}"
        return Suggestion(number.text, tuple(_list_fitting(index, whole, programs)))
    for text in filter(None, (number.counted, number.text)):
        found = list(_list_fitting(index, text, programs))
        if found:
            return Suggestion(text, tuple(found))
    return Suggestion(number.text, ())


def _list_fitting(index: CitableIndex, text: str, programs: frozenset[str]) -> Iterator[str]:
    try:
        printed = parse_printed(text)
    except (UnreadableError, UnitError, ValueError):
        return  # The author writes it anew when binding it.
    likely = sorted(
        _list_likely(index, printed, programs), key=lambda c: _rank(c, printed, programs)
    )
    offered: set[str] = set()
    count = judged = 0
    for citable in likely:
        if count == MOST_OFFERED or judged == MOST_JUDGED:
            return
        if (citable.group or citable.target) in offered:
            continue
        judged += 1
        if _fits(index, printed, citable.target):
            offered.add(citable.group or citable.target)
            count += 1
            yield citable.target


def _rank(
    citable: Citable, printed: Printed, programs: frozenset[str]
) -> tuple[bool, bool, int, float, int, str]:
    """The page's own programs first, then the same unit, one name before two, the nearest value."""
    stated = float(printed.low.value * printed.factor)
    distance = abs(citable.low - stated) / max(abs(stated), 1e-300)
    return (
        bool(citable.program) and citable.program not in programs,
        citable.unit != printed.unit_text,
        citable.cost,
        round(distance, 3),
        len(citable.target),
        citable.target,
    )


def _fits(index: CitableIndex, printed: Printed, target: str) -> bool:
    """Whether the text would agree, bound to this."""
    value = index.evaluate(target)
    if value is None:
        return False
    if any(find_thin_series(number, MINIMUM_PROCESSES) for number in list_numbers(value)):
        return False
    return judge_value(printed, value) is None


def _list_likely(
    index: CitableIndex, printed: Printed, programs: frozenset[str]
) -> Iterable[Citable]:
    """Citables whose shown value is near enough to be judged."""
    if printed.form is Form.SHAPE:
        yield from _list_shapes(index, printed, programs)
        return
    low, high = _find_reach(printed)
    dimensions = printed.unit.dimensions
    yield from index.find_numbers(dimensions, low, high)
    if printed.high is not None:
        for citable in index.slices.get(dimensions, ()):
            if low <= citable.low and citable.high <= high:
                yield citable
    if dimensions or not _may_be_ratio(printed):
        return
    yield from index.find_ratios(low, high)
    if printed.form is Form.PERCENT:
        # 24 % less, 50 % more.
        for citable in index.find_ratios(1 - high, 1 - low):
            yield replace(citable, target=f"1 - {citable.target}", cost=RATIO + 1)
        for citable in index.find_ratios(1 + low, 1 + high):
            yield replace(citable, target=f"{citable.target} - 1", cost=RATIO + 1)


def _may_be_ratio(printed: Printed) -> bool:
    """A bare whole number is a count: by chance it is the ratio of something, too."""
    return printed.form in (Form.FACTOR, Form.PERCENT) or printed.low.decimals > 0


def _find_reach(printed: Printed) -> tuple[float, float]:
    """The values that a text can hold against, in base units, and a little more."""
    stated = printed.low.value * printed.factor
    top = stated if printed.high is None else printed.high.value * printed.factor
    unit = max(printed.low.unit, printed.high.unit if printed.high else Fraction(0))
    reach = max(unit * printed.factor, abs(stated) / 20)
    low, high = stated - reach, top + reach
    match printed.hedge:
        case Hedge.ABOUT | Hedge.NEARLY | Hedge.JUST_OVER:
            low, high = stated - abs(stated) / 8, stated + abs(stated) / 8
        case Hedge.OVER | Hedge.AT_LEAST:
            high = max(high, 2 * stated)
        case Hedge.UNDER | Hedge.AT_MOST:
            low = min(low, stated / 2)
    return _widen(float(low), down=True), _widen(float(high), down=False)


def _widen(end: float, *, down: bool) -> float:
    return end / _SLACK if (end > 0) == down else end * _SLACK


def _list_shapes(
    index: CitableIndex, printed: Printed, programs: frozenset[str]
) -> Iterator[Citable]:
    """Keys that read as the shape, and the constants of its sides."""
    yield from index.texts.get(fold_key(printed.text), ())
    for name in sorted(programs):
        program = index.course.programs[name]
        sides = [find_constant(program, Fraction(side)) for side in printed.shape]
        target = f"({', '.join(sides)})"
        if all(sides) and is_linkable(target):
            yield Citable(target, name, (), 0.0, 0.0, cost=RATIO)
