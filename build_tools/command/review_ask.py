"""What does the author decide about one finding? One key at a time; nothing is taken unjudged."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from build_tools.claims.mend import (
    Mend,
    change_link,
    change_text,
    complete_target,
    is_link,
    judge_mends,
    propose_bindings,
)
from build_tools.claims.patch import PatchError
from build_tools.claims.reviewing import Item, Reading, ReadPage
from build_tools.diagnostics.finding import Kind
from build_tools.diagnostics.visible import show_on_line

Say = Callable[[str], object]

_MOST_BINDINGS = 9
"""Bindings are chosen by one digit."""


@dataclass(frozen=True)
class Asking:
    """How an author is asked; both raise EOFError at the end of the input."""

    read_key: Callable[[str], str]
    """Given the question."""
    read_line: Callable[[str, str], str]
    """Given the question, and a text to start from."""


@dataclass(frozen=True)
class Answer:
    """What an author decided about one item; without a mend it stays as it is."""

    mend: Mend | None = None
    whole_file: bool = False
    """Every later literal of this file is taken without asking."""
    quits: bool = False


@dataclass(frozen=True)
class Choice:
    """A key, or several digits, with a word for the question and a line for the help."""

    keys: str
    word: str
    explained: str

    @property
    def label(self) -> str:
        return f"{self.keys[0]}-{self.keys[-1]}" if len(self.keys) > 1 else self.keys


_ACCEPT = Choice("a", "accept", "put the new text in the place of the old one")
_FILE = Choice("f", "all in this file", "accept this and every later new text of this file")
_EDIT = Choice("e", "edit", "type another text for the link, or a whole link")
_BIND = Choice("e", "edit", "type what the number is bound to: an expression, given:KEY or stated:")
_SKIP = Choice("s", "skip", "leave it as it is")
_QUIT = Choice("q", "quit", "write what was accepted, and leave the rest as it is")
_HELP = Choice("?", "help", "say what each key does")

CHOICES = (_ACCEPT, _FILE, _EDIT, _BIND, _SKIP, _QUIT, _HELP)
"""Every key but the digits, each of which takes one of the bindings shown."""


def ask_item(reading: Reading, page: ReadPage, item: Item, asking: Asking, say: Say) -> Answer:
    """Ask until there is an answer; a change is taken only when it holds."""
    bindings = _list_good_bindings(reading, page, item)
    for number, binding in enumerate(bindings, 1):
        say(f"  {number}:      {show_on_line(binding.patch.new)}")
    choices = _list_choices(item, len(bindings))
    question = ", ".join(f"[{choice.label}] {choice.word}" for choice in choices) + ": "
    while True:
        try:
            key = asking.read_key(question).strip().lower()[:1]
            if key == _SKIP.keys:
                return Answer()
            if key == _QUIT.keys:
                return Answer(quits=True)
            offered = _offer_mend(reading, page, item, key, bindings, asking)
        except EOFError:
            return Answer(quits=True)
        if isinstance(offered, Mend):
            return Answer(offered, whole_file=key == _FILE.keys)
        if offered is None:
            for choice in choices:
                say(f"  {choice.label:<4}{choice.explained}")
        for refusal in offered or ():
            say(f"  not taken: {refusal}")


def explain_refusal(reading: Reading, page: ReadPage, mend: Mend) -> list[str]:
    """Why a change would not hold, a line each; empty when it does."""
    return [
        show_on_line(f"{finding.stated}: {finding.true}; {finding.advice}")
        for finding in judge_mends(reading.course, page.scan, [mend])
    ]


def _list_good_bindings(reading: Reading, page: ReadPage, item: Item) -> list[Mend]:
    """Links for an unbound number by its candidates, best first; those that hold."""
    bindings = []
    for candidate in item.finding.candidates:
        mend = _bind_number(reading, page, item, candidate)
        if isinstance(mend, Mend):
            bindings.append(mend)
    return bindings[:_MOST_BINDINGS]


def _bind_number(reading: Reading, page: ReadPage, item: Item, typed: str) -> Mend | list[str]:
    """The link around a number that holds, or why none does."""
    try:
        mends = propose_bindings(page.scan, item.finding, complete_target(typed))
    except PatchError as error:
        return [f"{error}; {error.advice}"]
    refusals = [explain_refusal(reading, page, mend) for mend in mends]
    holding = (mend for mend, refusal in zip(mends, refusals, strict=True) if not refusal)
    return next(holding, refusals[0])


def _offer_mend(
    reading: Reading, page: ReadPage, item: Item, key: str, bindings: list[Mend], asking: Asking
) -> Mend | list[str] | None:
    """The change that a key asks for, when it holds, or why not; None for a key without meaning."""
    if key in (_ACCEPT.keys, _FILE.keys):
        return item.mend and _judge_mend(reading, page, item.mend)
    if key.isdecimal():
        number = int(key)
        return bindings[number - 1] if 0 < number <= len(bindings) else None
    unbound = item.finding.kind is Kind.UNBOUND
    if key != _EDIT.keys or (item.verdict is None and not unbound):
        return None
    question, start = _begin_edit(item)
    typed = asking.read_line(question, start).strip()
    if not typed:
        return ["nothing was typed"]
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in typed):
        return ["it holds a control character, or bytes that are not UTF-8"]
    if item.verdict is None:
        return _bind_number(reading, page, item, typed)
    claim = item.verdict.claim
    if is_link(typed):
        return _judge_mend(reading, page, change_link(page.scan, claim, typed))
    return _judge_mend(reading, page, change_text(claim, typed))


def _judge_mend(reading: Reading, page: ReadPage, mend: Mend) -> Mend | list[str]:
    return explain_refusal(reading, page, mend) or mend


def _begin_edit(item: Item) -> tuple[str, str]:
    """What is asked for, and the text that is there to be changed."""
    if item.verdict is None:
        return "bind to: ", next((complete_target(c) for c in item.finding.candidates), "claim:")
    text, patch = item.verdict.claim.text, item.finding.patch
    return "new text: ", patch.new if patch is not None and patch.old == text else text


def _list_choices(item: Item, bindings: int) -> list[Choice]:
    """The keys that make sense for an item."""
    choices = []
    if bindings:
        digits = "".join(str(number) for number in range(1, bindings + 1))
        choices.append(Choice(digits, "bind", "bind the number as the line of this digit says"))
    if item.mend is not None:
        choices += [_ACCEPT, _FILE]
    if item.verdict is not None:
        choices.append(_EDIT)
    elif item.finding.kind is Kind.UNBOUND:
        choices.append(_BIND)
    return [*choices, _SKIP, _QUIT, _HELP]
