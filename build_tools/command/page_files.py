"""How does a changed page reach the disk: whole, over what was read and nothing else?"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

LOCK = ".course-review.lock"
"""The lock's file, from the root: one review at a time."""


class RefusedError(Exception):
    """A page was not written; ``advice`` says what to do."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.advice = advice


@contextmanager
def hold_review_lock(root: Path) -> Iterator[None]:
    """Be the only review in this tree. Raises RefusedError at once when there is another."""
    lock = FileLock(root / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise RefusedError(
            "another `course review` is at work in this tree",
            "let it end, or quit it with q; then review again",
        ) from None
    except OSError as error:
        raise RefusedError(
            f"{LOCK} cannot be written: {error.strerror}", "make the course's folder writable"
        ) from None
    try:
        yield
    finally:
        lock.release()


def write_page(root: Path, path: str, before: bytes, after: bytes) -> None:
    """Replace a page that still holds ``before`` by ``after``, in one step; its mode stays.

    A link within the course is followed to its file and stays a link. Raises RefusedError, with
    the file as it was, when it holds something else, lies outside the course or cannot be
    written.
    """
    from build_tools.measure.deposit import replace_file

    try:
        target = (root / path).resolve(strict=True)
        if not target.is_relative_to(root.resolve()):
            raise RefusedError(
                f"its file lies outside the course, in {target.parent}", "change that file by hand"
            )
        if target.read_bytes() != before:
            raise RefusedError(
                "the page changed since it was read", "run `course review` again: nothing is lost"
            )
        replace_file(target, after)
    except OSError as error:
        raise RefusedError(
            f"it cannot be written: {error.strerror or error}",
            "make the page and its folder writable, and review it again",
        ) from None


def format_page_diff(path: str, before: bytes, after: bytes) -> bytes:
    """The change of a page as a unified diff that ``git apply`` and ``patch -p1`` take.

    Lines end at LF alone, and their other bytes are kept; empty when nothing changed.
    """
    lines = difflib.diff_bytes(
        difflib.unified_diff,
        _split_lines(before),
        _split_lines(after),
        f"a/{path}".encode(),
        f"b/{path}".encode(),
    )
    return b"".join(
        line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"
        for line in lines
    )


def _split_lines(data: bytes) -> list[bytes]:
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]
