"""Which pages and files does the course add to the site: programs, their records, downloads?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from build_tools.claims.model import Course
from build_tools.evidence.loaded import LoadedRecord
from build_tools.evidence.part_derive import list_part_files
from build_tools.evidence.part_digest import list_asked_parts
from build_tools.evidence.part_model import PartKind
from build_tools.evidence.parts import find_newest
from build_tools.evidence.verify import list_files
from build_tools.pages.claim_report import ReportedPage, report_pages
from build_tools.pages.hrefs import STARTERS
from build_tools.pages.listing import find_listing
from build_tools.pages.lookup import list_speaking_records
from build_tools.site.hrefs import (
    name_download,
    name_evidence,
    name_program_page,
    name_record_page,
    name_unit,
)
from build_tools.source.model import Program
from build_tools.source.reader_unit import compose_unit
from build_tools.source.starters import compose_starter, name_file

CITATION = "CITATION.cff"
"""How to cite the course, where it says so."""
PROGRAMS = "programs/"
INDEX = f"{PROGRAMS}index.md"
CLAIMS = "claims.md"
"""The page that reports every claim."""


PROGRAMS_TOLD = (
    "Every program of the course: what it does, how it is built and run, and its source."
)
CLAIMS_TOLD = (
    "Every number and statement of the course that is bound to something: value, band, margin, "
    "record and state."
)
LONGEST_DESCRIPTION = 200
"""Characters that those who list pages still show."""
_SENTENCE = re.compile(r".+?(?:[.!?](?=\s|$)|$)")


CLAIMS_PREFACE = """\
Every number and statement of the prose that is bound to something, and how it stands.

The *value* is that of the shown run; the *band* is where the next process is expected. The
*margin* is the share by which what was measured, band and all, may fall (−) or rise (+) before
the text is no longer true: the nearer of the two. Where runs scatter by more than that, the next
record may well end it. What is *exact* follows from a program's code and has no margin.
"""


@dataclass(frozen=True)
class GeneratedPage:
    """A page written by the course: its source relative to the docs folder, and Markdown."""

    source: str
    markdown: str
    in_nav: bool = True


def compose_pages(course: Course) -> list[GeneratedPage]:
    """The index of programs, each program, the records that speak for it, and all claims."""
    pages = [GeneratedPage(INDEX, _compose_index(course))] if course.programs else []
    for name, program in sorted(course.programs.items()):
        pages.append(GeneratedPage(name_program_page(name), _compose_program(course, program)))
        for record in list_speaking_records(course, name):
            source = name_record_page(_strip_json(record.path))
            pages.append(GeneratedPage(source, _compose_record(record), in_nav=False))
    reported = report_pages(course)
    if reported:
        pages.append(GeneratedPage(CLAIMS, _compose_claims(reported)))
    return pages


def list_downloads(course: Course) -> dict[str, Path]:
    """Files of the site that are copied byte for byte: by place in the site, where they lie.

    Each program, and of the records that speak for it and its newest parts the JSON and every side
    file.
    """
    files = {}
    for name, program in course.programs.items():
        files[name_download(name)] = course.root / program.path
        pool = list_speaking_records(course, name)
        if not pool:
            continue
        own = [p for r in pool for p in (r.path, *(f.path for f in list_files(r.record).values()))]
        for path in (*own, *_list_part_paths(course, program)):
            files[name_evidence(path)] = course.root / path
    files[CITATION] = course.root / CITATION
    return {place: path for place, path in sorted(files.items()) if path.is_file()}


def list_units(course: Course) -> dict[str, str]:
    """Files of the site that are made of sources: by place, each region with what it needs."""
    return {
        name_unit(name, region): compose_unit(program, region)
        for name, program in sorted(course.programs.items())
        for region in program.regions
    }


def compose_starters(course: Course) -> dict[str, str]:
    """The starters of exercises as files of the site: by place in it, their text."""
    return {
        f"downloads/{program.name}/{STARTERS}/{name_file(exercise)}": compose_starter(
            program, exercise
        )
        for program in course.programs.values()
        for exercise in program.exercises.values()
    }


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


def add_pages_to_nav(nav: list[Any], pages: Iterable[GeneratedPage]) -> list[Any]:
    """``nav`` of mkdocs.yml with a section of programs and the report of claims behind it.

    What it names itself stays where it is: a program's page keeps the section out.
    """
    named = set(_list_nav_paths(nav))
    entries = [page.source for page in pages if page.in_nav]
    programs = [source for source in entries if source.startswith(PROGRAMS)]
    added: list[Any] = []
    if programs and not any(path.startswith(PROGRAMS) for path in named):
        added.append({"Programs": programs})
    if CLAIMS in entries and CLAIMS not in named:
        added.append(CLAIMS)
    return [*nav, *added]


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
    parts = [_compose_front_matter("Programs", PROGRAMS_TOLD), "# Programs\n"]
    for name in sorted(course.programs):
        parts.append(f"## [`{name}`](course:program/{name})\n")
        parts.append(f"/// program-entry | {name}\n///\n")
    return "\n".join(parts)


def _compose_program(course: Course, program: Program) -> str:
    parts = [
        # Code and machine code beside each other want the room of the contents.
        _compose_front_matter(program.name, describe_program(program), "hide:\n  - toc\n"),
        f"# `{program.name}`\n",
        f"/// program-head | {program.name}\n///\n",
        "## Source\n",
        f"/// program-source | {program.name}\n///\n",
    ]
    listed = list_listed(course, program)
    if listed:
        parts.append("## Machine code\n")
    for region in listed:
        parts.append(f"/// listing | {program.name}#{region}\n    code: both\n///\n")
    if program.declaration.quantities:
        parts.append("## Quantities\n")
        parts.append(f"/// program-quantities | {program.name}\n///\n")
    parts += _compose_devices(course, program)
    headings = [part[3:].strip() for part in parts if part.startswith("## ")]
    parts.insert(2, " · ".join(f"[{h}](#{h.lower().replace(' ', '-')})" for h in headings) + "\n")
    return "\n".join(parts)


def list_listed(course: Course, program: Program) -> list[str]:
    """The regions whose machine code is recorded as the program is now."""
    shelf = course.shelves.get(program.name)
    loaded = find_newest(shelf, PartKind.LISTINGS) if shelf else None
    asked = program.declaration.parts.listings
    return [name for name in asked if loaded is not None and find_listing(loaded, name)]


def _compose_devices(course: Course, program: Program) -> list[str]:
    shown = find_shown(course, program.name) is not None
    return ["## On your GPU\n", f"/// device | {program.name}\n///\n"] if shown else []


def _compose_record(record: LoadedRecord) -> str:
    title = name_record(record)
    return "\n".join(
        [
            # A transcript of ten processes would crowd the lessons out of a search.
            # Its own headings are no Markdown, and its tables want the room of the contents.
            _compose_front_matter(
                title, describe_record(record), "search:\n  exclude: true\nhide:\n  - toc\n"
            ),
            f"# {_escape_markdown(title)}\n",
            f"/// record | {_strip_json(record.path)}\n///\n",
        ]
    )


def _compose_claims(pages: Sequence[ReportedPage]) -> str:
    parts = [
        # Every text of it stands on its own page, too. The tables want the room of the contents.
        _compose_front_matter("Claims", CLAIMS_TOLD, "search:\n  exclude: true\nhide:\n  - toc\n"),
        "# Every claim\n",
        f"{CLAIMS_PREFACE}\n",
        "/// claims-summary | course\n///\n",
    ]
    for page in pages:
        title = " ".join(_escape_markdown(page.title).split())
        parts.append(f"## {title}\n")
        parts.append(f"/// claims | {page.path}\n///\n")
    return "\n".join(parts)


def _compose_front_matter(title: str, description: str, more: str = "") -> str:
    """Themes write a description into an attribute as it stands, so its marks are references."""
    told = json.dumps(escape(" ".join(description.split())))
    return f"---\ntitle: {json.dumps(title)}\ndescription: {told}\n{more}---\n"


def name_record(record: LoadedRecord) -> str:
    """The title of a record's page: a program may have several of one day."""
    held = record.record
    return f"{held.program} on {held.device.model}, {held.started[:10]} {held.started[11:16]} UTC"


def describe_program(program: Program) -> str:
    """What its header begins with: the first sentence, and those behind it that still fit."""
    first = program.header.description.partition("\n\n")[0]
    told = ""
    for sentence in _SENTENCE.findall(first):
        longer = f"{told} {sentence.strip()}".strip()
        if told and len(longer) > LONGEST_DESCRIPTION:
            break
        told = longer
    return told or f"The program {program.name}, and what it printed."


def describe_record(record: LoadedRecord) -> str:
    """What was run, how often, where and when."""
    held = record.record
    count = len(held.processes)
    return (
        f"{count} {'process' if count == 1 else 'processes'} of {held.program} on "
        f"{held.device.model}, driver {held.device.driver}, CUDA {held.build.cuda}, begun "
        f"{held.started[:10]} {held.started[11:16]} UTC: what they printed, and every value."
    )


def _escape_markdown(text: str) -> str:
    """``text`` as Markdown that shows it as it is; empty lines part paragraphs."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(re.sub(r"[!-/:-@\[-`{-~]", _as_entity, line) for line in lines)


def _as_entity(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"


def _strip_json(path: str) -> str:
    return path.removesuffix(".json")
