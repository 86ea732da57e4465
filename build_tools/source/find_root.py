"""Which folder is the course's? Looked for from where one is, upwards."""

from __future__ import annotations

from pathlib import Path

PROJECT_FILE = "course.toml"


class NoCourseError(Exception):
    """There is no course at all where one was looked for."""


def find_root(start: Path) -> Path:
    """The nearest folder, upwards from ``start``, with a ``course.toml``.

    Raises NoCourseError when there is none.
    """
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / PROJECT_FILE).is_file():
            return folder
    raise NoCourseError(
        f"no {PROJECT_FILE} in {start} or any folder above it: "
        "run this inside a course, or name its folder with --root"
    )
