"""With which link does Compiler Explorer open a text, or why is there none?

The link holds everything: nothing is asked of the other site before a reader follows it. Its
form is `GET /clientstate/<base64>` of Compiler Explorer's docs/API.md. The state may be packed by
zlib: its lib/handlers/route-api.ts inflates what begins with zlib's header, and a link is then
less than half as long.
"""

from __future__ import annotations

import base64
import json
import re
import shlex
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote

from build_tools.claims.model import Course
from build_tools.evidence.reader import list_kernel_regions
from build_tools.pages.lookup import Absence, find_shown_record
from build_tools.source.model import Exercise, Program, Region, Settings
from build_tools.source.reader_unit import compose_unit, list_unit
from build_tools.source.starters import begin_exercise

SITE = "https://godbolt.org"

LONGEST = 8000
"""Characters of a whole link. The site stands behind Amazon CloudFront, whose documented quota
for a URL is 8,192 bytes; the rest is left to what readers' proxies add."""

COMPILERS: Mapping[str, str] = {"12.8": "nvcc128u1", "12.9": "nvcc129u1", "13.0": "nvcc130u2"}
"""The site's name of nvcc by release of CUDA: major and minor number, and the update
behind `u`. That of 13.0 is the one whose nvcc says V13.0.88. ``[course.explorer]`` of course.toml
adds to these."""


_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"', re.MULTILINE)


@dataclass(frozen=True)
class ExplorerLink:
    """A link, what it opens with, and why there is none where it is empty."""

    url: str = ""
    says: str = ""
    """Compiler and flags."""
    why: str = ""


def explore_region(course: Course, program: Program, region: Region) -> ExplorerLink:
    """The link that opens a region with what it needs."""
    if region not in list_kernel_regions(program):
        return ExplorerLink(why="no kernel is in it")
    return link_explorer(course, program, compose_unit(program, region.name))


def explore_starter(
    course: Course, program: Program, exercise: Exercise, region: str
) -> ExplorerLink:
    """The link that opens the kernel around a region, with what it needs, as a starter has them.

    Where no kernel is around it that opens which needs the region; of several the shortest.
    """
    begun = begin_exercise(program, exercise)
    shown = begun.regions[region]

    def holds(other: Region) -> bool:
        return other.first <= shown.first and shown.last <= other.last

    kernels = list_kernel_regions(begun)
    around = [kernel for kernel in kernels if holds(kernel)]
    using = [kernel for kernel in kernels if any(map(holds, list_unit(begun, kernel.name)))]
    chosen = min(around or using, key=lambda kernel: len(kernel.lines), default=shown)
    return explore_region(course, begun, chosen)


def explore_program(course: Course, program: Program) -> ExplorerLink:
    """The link that opens the whole program."""
    return link_explorer(course, program, program.text)


def link_explorer(course: Course, program: Program, text: str) -> ExplorerLink:
    """The link that opens ``text`` of ``program`` with its Build line's flags and its compiler.

    Where the site's name of that is not known the newest known compiler takes its place.
    """
    if program.includes and _INCLUDE.search(text):
        return ExplorerLink(why="it includes a file of the course")
    record = find_shown_record(course, program)
    cuda = "" if isinstance(record, Absence) else record.record.build.cuda
    compiler = choose_compiler(course.settings, cuda)
    options = read_options(program.header.build)
    url = compose_url(text, compiler, options)
    if len(url) > LONGEST:
        # How long it is hangs on the build of zlib: a page that says so would not be checked
        # alike everywhere.
        return ExplorerLink(why=f"a link of {LONGEST:,} characters cannot hold it")
    return ExplorerLink(url, f"{compiler} {options}".strip())


def choose_compiler(settings: Settings, cuda: str) -> str:
    """The site's name of nvcc of release ``cuda``; of the newest that is known for any other."""
    known = {**COMPILERS, **dict(settings.explorer)}
    newest = max(known, key=lambda release: [int(part) for part in release.split(".")])
    return known.get(cuda, known[newest])


def read_options(build: str) -> str:
    """The flags of a Build line: without the compiler, its output and the source."""
    try:
        words = shlex.split(build)[1:]
    except ValueError:  # A quote is open, which is a finding of the header.
        return ""
    kept = []
    for before, word in zip(["", *words], words, strict=False):
        if "-o" not in (before, word) and not word.endswith(".cu"):
            kept.append(word)
    return shlex.join(kept)


def compose_url(text: str, compiler: str, options: str) -> str:
    """The link to one editor with ``text`` and one compiler beside it."""
    state = {
        "sessions": [
            {
                "id": 1,
                "language": "cuda",
                "source": text,
                "compilers": [{"id": compiler, "options": options}],
            }
        ]
    }
    packed = zlib.compress(json.dumps(state, separators=(",", ":")).encode(), 9)
    return f"{SITE}/clientstate/{quote(base64.b64encode(packed).decode(), safe='')}"


def read_url(url: str) -> tuple[str, str, str] | None:
    """Text, compiler and options of such a link; None where it is none.

    Two builds of zlib may pack one text differently, so links are compared by what they hold.
    """
    head = f"{SITE}/clientstate/"
    try:
        packed = base64.b64decode(unquote(url.removeprefix(head)), validate=True)
        (session,) = json.loads(zlib.decompress(packed))["sessions"]
        (compiler,) = session["compilers"]
        held = session["source"], compiler["id"], compiler["options"]
    except (ValueError, KeyError, TypeError, zlib.error):
        return None
    return held if url.startswith(head) else None
