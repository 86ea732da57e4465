"""Is the course that was read still the one on disk? Read again only when a file changed."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from build_tools.claims.course import load_course
from build_tools.claims.model import Course

Stamp = tuple[tuple[str, int, int], ...]

_courses: dict[Path, tuple[Stamp, Course]] = {}
_lock = threading.Lock()


def read_course(root: Path) -> Course:
    """The course under ``root``; the same object until a file of it changes."""
    resolved = root.resolve()
    with _lock:
        stamp = take_stamp(resolved)
        held = _courses.get(resolved)
        if held is not None and held[0] == stamp:
            return held[1]
        course = load_course(resolved)
        _courses[resolved] = (stamp, course)
        return course


def take_stamp(root: Path) -> Stamp:
    """Path, time of change (ns) and size of every file that a course is read from."""
    found = []
    for start in (root / "course.toml", root / "snippets", root / "evidence"):
        if start.is_file():
            found.append(_describe(start))
        for folder, _, names in os.walk(start):
            found += [_describe(Path(folder, name)) for name in names]
    return tuple(sorted(found))


def _describe(path: Path) -> tuple[str, int, int]:
    try:
        status = path.stat()
    except OSError:
        return (str(path), 0, 0)  # Gone meanwhile, or a broken link: that, too, is a state.
    return (str(path), status.st_mtime_ns, status.st_size)
