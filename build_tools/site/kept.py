"""What did an earlier build find out that still holds? A clean course, and what follows from it.

A course without findings is kept as it was read, under a digest of everything that it is read
from, and beside it what follows from it: claims that agree, pages without findings, directives as
HTML, and which built pages show what they should. Whatever is wrong is never kept, so a finding is
always made anew, from the files.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.pages.highlight import count_colored, list_colored, recall_colored
from build_tools.source.settings import SETTINGS_PATH
from build_tools.source.store import (
    Store,
    digest_files,
    digest_tools,
    open_store,
    read_entry,
    write_entry,
)

READ_FROM = (SETTINGS_PATH, "snippets", "evidence")
"""Everything that a course is read from, from its root; ``can_be_kept`` sees to the rest."""


@dataclass(frozen=True)
class Kept:
    """Where things are kept of a course, and under which digests."""

    store: Store
    key: str
    """Of the course on disk when it was read."""
    colored: int
    """How many pieces of programs came with their colours."""


def read_kept_course(root: Path, environment: Mapping[str, str]) -> tuple[Course, Kept | None]:
    """The course under ``root``, and what is kept of it; None where nothing is to be kept."""
    store = open_store(root, environment)
    if store is None:
        recall_colored({})
        return load_course(root), None
    colored = read_entry(store, "colours", digest_tools())
    recall_colored(colored if isinstance(colored, dict) else {})
    kept = Kept(store, digest_course(root), count_colored())
    course = read_entry(store, "course", kept.key)
    if isinstance(course, Course) and course.root == root:
        return course, kept
    course = load_course(root)
    if can_be_kept(course) and digest_course(root) == kept.key:
        write_entry(store, "course", kept.key, course)
    return course, kept


def recall_memo(kept: Kept, course: Course) -> None:
    """Give a course what is known of it: the one that was read, or it less its drafts."""
    if can_be_kept(course):
        name = _name_memo(kept, course)
        answers = read_entry(kept.store, "memo", name)
        more = read_entry(kept.store, "more", name)
        if isinstance(answers, dict):
            course.memo.take(answers, more if isinstance(more, dict) else {})


def keep_memo(kept: Kept, course: Course) -> None:
    """Leave for the next build what is known of a course, unless its files changed meanwhile."""
    if count_colored() != kept.colored:
        colored = list_colored(program.text for program in course.programs.values())
        write_entry(kept.store, "colours", digest_tools(), colored)
    if not can_be_kept(course) or not course.memo.has_changed():
        return
    if digest_course(course.root) == kept.key:
        more = course.memo.list_more()
        if more is not None:
            write_entry(kept.store, "more", _name_memo(kept, course), more)
            return
        write_entry(kept.store, "memo", _name_memo(kept, course), course.memo.list_used())
        write_entry(kept.store, "more", _name_memo(kept, course), {})


def digest_course(root: Path) -> str:
    """A digest of everything that the course is read from, and of what reads it.

    The day is in it: a fact's date must not lie ahead.
    """
    today = dt.datetime.now(dt.UTC).date()
    return _digest(digest_tools(), str(root), str(today), digest_files(root, READ_FROM))


def can_be_kept(course: Course) -> bool:
    """Whether nothing is wrong with the course, and it was read from the known places alone.

    With ``-I`` an include may lie elsewhere, or be hidden by a file that is added elsewhere.
    """
    return not course.findings and not any(
        " -I" in program.header.build
        or any(not path.startswith("snippets/") for path in program.includes)
        for program in course.programs.values()
    )


def _name_memo(kept: Kept, course: Course) -> str:
    return _digest(kept.key, *sorted(course.left_out), *sorted(course.programs))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
