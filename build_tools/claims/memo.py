"""What was worked out of a course already? Answers that follow from the course and their key alone.

Checking, reporting, rendering and comparing ask the same things, and so does the next build of the
same course. Only what is as it should be is kept: a finding has its place, and is made anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

OF_PAGES = frozenset({"claims", "claims-summary", "state"})
"""Directives that show what pages say: these change while a course stays as it was read, so
nothing that hangs on them is kept without the texts of those pages in its key."""


@dataclass
class Memo:
    """Answers by their keys: those known from before, and those that were used or made since.

    A key says what is asked and everything that the answer follows from beside the course itself;
    a text stands in it by its digest.
    """

    _known: dict[Hashable, Any] = field(default_factory=dict)
    _used: dict[Hashable, Any] = field(default_factory=dict)
    _has_new: bool = False

    def recall(self, key: Hashable) -> Any:
        """The answer under a key, or None."""
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

    def take(self, answers: Mapping[Hashable, Any]) -> None:
        """Know what an earlier build left."""
        self._known = dict(answers)

    def list_used(self) -> dict[Hashable, Any]:
        """What a next build of the same pages may ask for."""
        return dict(self._used)

    def has_changed(self) -> bool:
        """Whether a next build would be served better than this one was."""
        return self._has_new or len(self._used) != len(self._known)


def digest_text(text: str) -> str:
    """What stands for a text in a key."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
