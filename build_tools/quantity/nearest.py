"""Which text, in the author's own style, would be true of a value?

Candidates are made from the author's text by changing as little as can be (the digits, then how
many of them, then unit or form), and the first that the judge agrees with is the answer: what is
proposed always holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from build_tools.diagnostics.finding import Kind
from build_tools.quantity.fold import fold_text
from build_tools.quantity.judge import Judgement, judge_value
from build_tools.quantity.numeral import UnreadableError
from build_tools.quantity.printed import Printed, parse_printed
from build_tools.quantity.proposing import propose_texts
from build_tools.quantity.ranking import read_ranking
from build_tools.quantity.value import Number, Text, Value, Word

_MOST_CANDIDATES = 200


def holds_text(text: str, value: Value) -> bool:
    """Whether a text holds against a value that is no statement; unreadable texts do not."""
    if isinstance(value, Word):
        return read_ranking(text) == value.value
    if isinstance(value, Text) and fold_text(text) == value.value:
        return True
    try:
        return judge_value(parse_printed(text), value) is None
    except UnreadableError:
        return False


def explain_value(printed: Printed, value: Value) -> Judgement | None:
    """None when the text holds against the value, else why not and the nearest that would."""
    judgement = judge_value(printed, value)
    if judgement is None:
        return None
    nearest = find_nearest(printed, value)
    if not nearest:
        return judgement
    advice = {
        Kind.DRIFT: f"write `{nearest}`{_list_older(printed, value, nearest)}, or find out what "
        "changed",
        Kind.OVER_PRECISE: f"write `{nearest}`, with fewer digits",
        Kind.LOOSE: f"write `{nearest}`, a bound nearer the value",
    }.get(judgement.kind, f"write `{nearest}`, or {judgement.advice}")
    return replace(judgement, nearest=nearest, advice=advice)


def _list_older(printed: Printed, value: Value, nearest: str) -> str:
    """What older fresh records would have said in the same style, when something else."""
    if not isinstance(value, Number) or printed.high is not None or printed.hedge:
        return ""
    older = (replace(value, series=(series,)) for series in value.series[1:])
    texts = {find_nearest(printed, number) for number in islice(older, 8)} - {nearest, ""}
    return f" (older records: {', '.join(sorted(texts))})" if texts else ""


def find_nearest(printed: Printed, value: Value) -> str:
    """The nearest text that holds; empty when there is none."""
    return _take_first(propose_texts(printed, value), value)


def find_readable(error: UnreadableError, value: Value) -> str:
    """A readable text for one that is not, where its remedy is known; it holds for ``value``."""
    if not error.remedy:
        return ""
    if holds_text(error.remedy, value):
        return error.remedy
    try:
        return find_nearest(parse_printed(error.remedy), value)
    except UnreadableError:
        return ""


def _take_first(candidates: Iterator[str], value: Value) -> str:
    tried = dict.fromkeys(islice(candidates, _MOST_CANDIDATES))
    return next((text for text in tried if holds_text(text, value)), "")
