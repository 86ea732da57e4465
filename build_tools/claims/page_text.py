"""Which pages does the course have, and what is the text of each?"""

from __future__ import annotations

import hashlib
from pathlib import Path

from build_tools.claims.model import Course
from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.source.plain_files import read_plain
from build_tools.source.settings import SETTINGS_PATH
from build_tools.source.toml_text import read_toml


def list_pages(course: Course) -> list[str]:
    """The Markdown files whose prose is checked, as paths from the root, sorted.

    Drafts that were left out are none of them.
    """
    found: set[str] = set()
    for pattern in course.settings.prose:
        found.update(
            path.relative_to(course.root).as_posix()
            for path in course.root.glob(pattern)
            if path.is_file()
        )
    return sorted(found - course.left_out)


def digest_prose(course: Course, page: str = "") -> str:
    """A digest of all pages whose prose is checked, or of one: of what can be told of them."""
    total = hashlib.sha256()
    for path in [page] if page else list_pages(course):
        data, findings = read_page_bytes(course.root, path)
        said = f"{findings}".encode() if data is None else data
        name = path.encode("utf-8", "surrogateescape")
        total.update(hashlib.sha256(name + b"\0" + said).digest())
    return total.hexdigest()


def check_globs(course: Course) -> list[Finding]:
    """A finding for each glob of ``prose`` that names no file, at its place in course.toml."""
    globs = [glob for glob in course.settings.prose if not any(course.root.glob(glob))]
    toml, _ = read_toml(course.root, SETTINGS_PATH, Kind.SETTINGS)
    written = toml.data.get("course", {}).get("prose") if toml is not None else None
    if toml is None or not isinstance(written, list):
        if len(globs) < len(course.settings.prose) or course.left_out:
            return []
        stated = "prose = " + ", ".join(f'"{glob}"' for glob in globs)
        return [_report_glob(Place(SETTINGS_PATH), stated, 0)]
    return [
        _report_glob(
            toml.place_value("course", "prose", index), f'"{glob}" in `prose`', len(glob) + 2
        )
        for index, glob in enumerate(written)
        if glob in globs
    ]


def _report_glob(place: Place, stated: str, length: int) -> Finding:
    return Finding(
        Kind.PAGE,
        place,
        stated,
        "no page matches",
        "name the Markdown files whose prose is checked",
        length=length,
    )


def read_page(root: Path, path: str) -> tuple[str | None, list[Finding]]:
    """A page's text with LF line ends, without BOM; None with a finding when it is not read."""
    data, findings = read_page_bytes(root, path)
    return (None, findings) if data is None else decode_page(data, path)


def read_page_bytes(root: Path, path: str) -> tuple[bytes | None, list[Finding]]:
    """A page's bytes; None with a finding when they cannot be had."""
    try:
        return read_plain(root / path), []
    except OSError as error:
        return None, [
            Finding(
                Kind.PAGE,
                Place(path),
                "a page",
                f"it is not read: {error.strerror or error}",
                "name a Markdown file of the course",
                checked=False,
            )
        ]


def decode_page(data: bytes, path: str) -> tuple[str | None, list[Finding]]:
    """A page's bytes as text with LF line ends, without BOM; None with a finding otherwise."""
    try:
        # Not utf-8-sig: its errors count from behind the byte order mark.
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = (
            data[: error.start]
            .decode("utf-8")
            .removeprefix("\ufeff")
            .replace("\r\n", "\n")
            .replace("\r", "\n")
        )
        line = before.count("\n") + 1
        column = len(before) - before.rfind("\n")
        return None, [
            Finding(
                Kind.ENCODING,
                Place(path, line, column),
                "a page",
                f"byte {error.start} is not UTF-8",
                "save the file as UTF-8",
                checked=False,
            )
        ]
    return text.replace("\r\n", "\n").replace("\r", "\n"), []
