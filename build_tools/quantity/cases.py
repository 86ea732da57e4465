"""By which cases was a statement decided? Each comparison's two sides, noted as they are compared."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from build_tools.quantity.value import Case, Number, Several, Text, Truth, Value, Word

_Outcome = TypeVar("_Outcome", bound=Value)
Label = tuple[str, ...]

_BRACKETS = re.compile(r"\[(?:[^\[\]\"']|\"[^\"]*\"|'[^']*')*\]")
_QUOTED_OR_OPEN = re.compile(r"\"[^\"]*\"|'[^']*'|:")
_NAME = re.compile(r"[\w.]+")


def note_comparison(
    outcome: _Outcome, relation: str, left: tuple[str, Value], right: tuple[str, Value]
) -> _Outcome | Several:
    """The outcome of a comparison, with its sides as they are written and what they came to.

    Of several outcomes each has the sides of its own keys.
    """
    match outcome:
        case Truth() | Word():
            return replace(outcome, cases=_compose_case(outcome, relation, left, right))
        case Several():
            labels = outcome.labels or ((),) * len(outcome.items)
            items = tuple(
                note_comparison(item, relation, _pick(left, at, label), _pick(right, at, label))
                for at, (item, label) in enumerate(zip(outcome.items, labels, strict=True))
            )
            return replace(outcome, items=items)
    return outcome


def lacks_cases(found: Value) -> bool:
    """Whether this is a truth, or several, of which nothing says yet what it is the truth of."""
    first = found.items[0] if isinstance(found, Several) and found.items else found
    return isinstance(first, Truth) and not first.cases


def note_truth(found: _Outcome, text: str) -> _Outcome | Several:
    """What a name stands for, a truth with its name; one that has cases keeps them."""
    match found:
        case Truth() if not found.cases:
            return replace(found, cases=(Case(text, found.value),))
        case Several() if found.items and isinstance(found.items[0], Truth):
            labels = found.labels or ((),) * len(found.items)
            items = tuple(
                note_truth(item, fill_keys(text, label))
                for item, label in zip(found.items, labels, strict=True)
            )
            return replace(found, items=items)
    return found


def join_cases(truths: Iterable[Truth]) -> tuple[Case, ...]:
    """The cases of several statements, in their order."""
    return tuple(case for truth in truths for case in truth.cases)


def _compose_case(
    outcome: Truth | Word, relation: str, left: tuple[str, Value], right: tuple[str, Value]
) -> tuple[Case, ...]:
    (text, value), (other_text, other) = left, right
    if isinstance(outcome, Truth) and isinstance(value, Word) and value.cases:
        # A verdict that is compared with a word: what was compared is what the verdict compared.
        return value.cases
    if not isinstance(value, Number | Text) or not isinstance(other, Number | Text):
        return ()
    decided = outcome.value if isinstance(outcome, Truth) else True
    said = outcome.value if isinstance(outcome, Word) else relation
    return (Case(text, decided, value, said, other_text, other),)


def _pick(side: tuple[str, Value], at: int, label: Label) -> tuple[str, Value]:
    """One of several on a side, by its keys; a side that is one value stays."""
    text, value = side
    if not isinstance(value, Several):
        return side
    return fill_keys(text, label), value.items[at]


def fill_keys(text: str, label: Label) -> str:
    """An expression of several values as it would be written for the one with these keys.

    ``time["4096", :]`` becomes ``time["4096", "tiled"]``. A name without brackets gets some.
    """
    if not label:
        return text

    def fill(match: re.Match[str]) -> str:
        rest = iter(label)

        def put(inner: re.Match[str]) -> str:
            return f'"{next(rest, ":")}"' if inner[0] == ":" else inner[0]

        return _QUOTED_OR_OPEN.sub(put, match[0])

    filled = _BRACKETS.sub(fill, text)
    if filled != text:
        return filled
    keys = ", ".join(f'"{key}"' for key in label)
    return f"{text}[{keys}]" if _NAME.fullmatch(text) else f"{text} at [{keys}]"
