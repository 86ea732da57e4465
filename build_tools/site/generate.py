"""Which pages and files does the course add to the site: programs, their records, downloads?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from build_tools.claims.model import Course
from build_tools.evidence.model import LoadedRecord
from build_tools.evidence.part_derive import list_part_files
from build_tools.evidence.part_digest import list_asked_parts
from build_tools.evidence.parts import find_newest
from build_tools.evidence.verify import list_files
from build_tools.site.hrefs import (
    name_download,
    name_evidence,
    name_program_page,
    name_record_page,
)
from build_tools.source.model import Program

INDEX = "programs/index.md"


@dataclass(frozen=True)
class GeneratedPage:
    """A page written by the course: its source relative to the docs folder, and Markdown."""

    source: str
    markdown: str
    in_nav: bool = True


def compose_pages(course: Course) -> list[GeneratedPage]:
    """The index of programs, each program, and its shown record."""
    if not course.programs:
        return []
    pages = [GeneratedPage(INDEX, _compose_index(course))]
    for name, program in sorted(course.programs.items()):
        pages.append(GeneratedPage(name_program_page(name), _compose_program(program)))
        record = find_shown(course, name)
        if record is not None:
            source = name_record_page(_strip_json(record.path))
            pages.append(GeneratedPage(source, _compose_record(record), in_nav=False))
    return pages


def list_downloads(course: Course) -> dict[str, Path]:
    """Files of the site that are copied byte for byte: by place in the site, where they lie.

    Each program, and of its shown record and newest parts the JSON and every side file.
    """
    files = {}
    for name, program in course.programs.items():
        files[name_download(name)] = course.root / program.path
        record = find_shown(course, name)
        if record is None:
            continue
        sides = (file.path for file in list_files(record.record).values())
        for path in (record.path, *sides, *_list_part_paths(course, program)):
            files[name_evidence(path)] = course.root / path
    return {place: path for place, path in sorted(files.items()) if path.is_file()}


def _list_part_paths(course: Course, program: Program) -> Iterator[str]:
    """The files of the newest fresh part of each kind that the program asks for."""
    for kind in list_asked_parts(program):
        loaded = find_newest(course.shelves[program.name], kind)
        if loaded is not None:
            yield loaded.path
            yield from (file.path for file in list_part_files(loaded.part).values())


def find_shown(course: Course, program: str) -> LoadedRecord | None:
    """The newest fresh record of a program on the reference device, or None."""
    shelf = course.shelves.get(program)
    return shelf.shown_record if shelf else None


def add_programs_to_nav(nav: list[Any], pages: Iterable[GeneratedPage]) -> list[Any]:
    """``nav`` of mkdocs.yml with a section of programs behind it, unless it names one itself."""
    if any(path.startswith("programs/") for path in _list_nav_paths(nav)):
        return nav
    entries = [page.source for page in pages if page.in_nav]
    return [*nav, {"Programs": entries}] if entries else nav


def _list_nav_paths(nav: Any) -> Iterable[str]:
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, Mapping):
        for value in nav.values():
            yield from _list_nav_paths(value)
    elif isinstance(nav, list):
        for value in nav:
            yield from _list_nav_paths(value)


def _compose_index(course: Course) -> str:
    parts = [_compose_front_matter("Programs"), "# Programs\n"]
    for name in sorted(course.programs):
        parts.append(f"## [`{name}`](course:program/{name}) {{#{name}}}\n")
        parts.append(f"/// program | {name}\n///\n")
    return "\n".join(parts)


def _compose_program(program: Program) -> str:
    return "\n".join(
        [
            _compose_front_matter(program.name),
            f"# `{program.name}`\n",
            f"/// program | {program.name}\n///\n",
            "## Source {#source}\n",
            f"/// program-source | {program.name}\n///\n",
        ]
    )


def _compose_record(record: LoadedRecord) -> str:
    held = record.record
    title = f"{held.program} on {held.device.model}, {held.started[:10]}"
    return "\n".join(
        [
            # A transcript of ten processes would crowd the lessons out of a search.
            _compose_front_matter(title, "search:\n  exclude: true\n"),
            f"# {_escape_markdown(title)}\n",
            f"/// record | {_strip_json(record.path)}\n///\n",
        ]
    )


def _compose_front_matter(title: str, more: str = "") -> str:
    return f"---\ntitle: {json.dumps(title)}\n{more}---\n"


def _escape_markdown(text: str) -> str:
    """``text`` as Markdown that shows it as it is; empty lines part paragraphs."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(re.sub(r"[!-/:-@\[-`{-~]", _as_entity, line) for line in lines)


def _as_entity(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"


def _strip_json(path: str) -> str:
    return path.removesuffix(".json")
