"""What was worked out of a course already? Answers that follow from the course and their key alone.

Checking, reporting, rendering and comparing ask the same things, and so does the next build of the
same course. Only what is as it should be is kept: a finding has its place, and is made anew.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

OF_ALL_PAGES = "claims-summary"
OF_PAGES = frozenset({"claims", OF_ALL_PAGES, "state"})
"""Directives that show what pages say, the one they name or all of them: these change while a course
stays as it was read, so nothing that hangs on them is kept without those texts in its key."""
KEPT_FOR_EACH = 8
"""Answers that are kept on for each that is asked for: a build asks for few of the first one's, as
what they went into is known as a whole."""
WORTH_A_FILE = 6
"""Answers that were known first for each that came later, as long as those are kept by themselves:
after a change of one page all others' need not be written again."""
_SHOWS_PAGES = re.compile(rf"///[ \t]*(?:{'|'.join(sorted(OF_PAGES))})\b")


@dataclass
class Watch:
    """What was asked while something larger was made."""

    keys: set[Hashable] = field(default_factory=set)
    is_lasting: bool = True
    """Whether all of it follows from the course and the keys."""


@dataclass
class Notes:
    """Answers that were made while notes were taken: what another process has to be told."""

    answers: dict[Hashable, Any] = field(default_factory=dict)
    covered: set[Hashable] = field(default_factory=set)


@dataclass
class Memo:
    """Answers by their keys: those known from before, and those that were used or made since.

    A key says what is asked and everything that the answer follows from beside the course itself;
    a text stands in it by its digest.
    """

    _known: dict[Hashable, Any] = field(default_factory=dict)
    _used: dict[Hashable, Any] = field(default_factory=dict)
    _covered: set[Hashable] = field(default_factory=set)
    _first: frozenset[Hashable] = frozenset()
    _watch: Watch | None = None
    _notes: Notes | None = None
    _has_new: bool = False

    def recall(self, key: Hashable) -> Any:
        """The answer under a key, or None."""
        if self._watch is not None:
            self._watch.keys.add(key)
        found = self._used.get(key)
        if found is None and self._known:
            found = self._known.get(key)
            if found is not None:
                self._used[key] = found
        return found

    def keep(self, key: Hashable, answer: object) -> None:
        """Remember an answer; not None, which says that there is none."""
        self._used[key] = answer
        self._has_new = True
        if self._notes is not None:
            self._notes.answers[key] = answer

    def take(
        self, answers: Mapping[Hashable, Any], more: Mapping[Hashable, Any] = MappingProxyType({})
    ) -> None:
        """Know what an earlier build left, and ``more`` that later ones found out."""
        self._known = {**answers, **more}
        self._first = frozenset(answers)

    @property
    def is_new(self) -> bool:
        """Whether nothing is known from before."""
        return not self._known

    def list_used(self) -> dict[Hashable, Any]:
        """What a next build of the same pages may ask for."""
        return {key: self._used[key] for key in self._used.keys() - self._covered}

    def list_more(self) -> dict[Hashable, Any] | None:
        """What came to the answers that were known first; None when that is much of all."""
        more = {key: told for key, told in self.list_used().items() if key not in self._first}
        return more if len(more) * WORTH_A_FILE < len(self._first) else None

    def has_changed(self) -> bool:
        """Whether a next build would be served better than this one was.

        What nobody asks for any more takes room and time, too, once it is most of all.
        """
        asked = len(self._used.keys() - self._covered)
        return self._has_new or asked * KEPT_FOR_EACH < len(self._known)

    @contextmanager
    def watch(self) -> Iterator[Watch]:
        """Note what is asked meanwhile."""
        before, self._watch = self._watch, Watch()
        try:
            yield self._watch
        finally:
            self._watch = before

    def refuse(self) -> None:
        """Say that what is being made does not follow from the course and its key alone, or is wrong."""
        if self._watch is not None:
            self._watch.is_lasting = False

    def cover(self, keys: Iterable[Hashable]) -> None:
        """Answers that a next build does not ask for: what they went into is kept whole."""
        covered = set(keys)
        self._covered |= covered
        if self._notes is not None:
            self._notes.covered |= covered

    @contextmanager
    def note(self) -> Iterator[Notes]:
        """Note what is kept meanwhile."""
        self._notes = Notes()
        try:
            yield self._notes
        finally:
            self._notes = None

    def take_notes(self, notes: Notes) -> None:
        """Know what another process found out of the same course."""
        self._used.update(notes.answers)
        self._covered |= notes.covered
        self._has_new = self._has_new or bool(notes.answers)


def may_show_pages(text: str) -> bool:
    """Whether a page's text may hold a directive of ``OF_PAGES``."""
    return _SHOWS_PAGES.search(text) is not None


def digest_text(text: str) -> str:
    """What stands for a text in a key."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
