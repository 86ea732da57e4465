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
from dataclasses import dataclass, replace
from functools import lru_cache
from urllib.parse import unquote

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


_QUOTED = str.maketrans({"+": "%2B", "/": "%2F", "=": "%3D"})
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"', re.MULTILINE)


@dataclass(frozen=True)
class ExplorerLink:
    """A link, what it opens with, and why there is none where it is empty."""

    url: str = ""
    says: str = ""
    """Compiler and flags."""
    why: str = ""
    """Empty as well where nothing is for a GPU."""
    opens: str = ""
    """The region of the kernel that it opens, where that is not the one it stands under."""


def find_kernel_region(program: Program, region: Region) -> Region | None:
    """The region of the kernel that shows a region at work: itself, the one around, or one using it.

    Of several the shortest. None for a host's code, and for what no kernel uses.
    """

    def holds(other: Region) -> bool:
        return other.first <= region.first and region.last <= other.last

    kernels = list_kernel_regions(program)
    if region in kernels or region.kind == "host":
        return region if region in kernels else None
    around = [kernel for kernel in kernels if holds(kernel)]
    using = [kernel for kernel in kernels if any(map(holds, list_unit(program, kernel.name)))]
    return min(around or using, key=lambda kernel: len(kernel.lines), default=None)


def explore_region(course: Course, program: Program, region: Region) -> ExplorerLink:
    """The link that opens a region's kernel with what it needs."""
    kernel = find_kernel_region(program, region)
    if kernel is None:
        return ExplorerLink()
    link = link_explorer(course, program, compose_unit(program, kernel.name))
    return link if kernel == region else replace(link, opens=kernel.name)


def explore_starter(
    course: Course, program: Program, exercise: Exercise, region: str
) -> ExplorerLink:
    """The link that opens a region's kernel, with what it needs, as a starter has them."""
    begun = begin_exercise(program, exercise)
    return explore_region(course, begun, begun.regions[region])


def explore_program(course: Course, program: Program) -> ExplorerLink:
    """The link that opens what of a program runs on the GPU: its kernels and what they need."""
    text = compose_kernels(program)
    return link_explorer(course, program, text) if text else ExplorerLink()


def compose_kernels(program: Program) -> str:
    """All regions with kernels and what they need, each line once, in the order of the file."""
    regions = {
        part.name: part
        for kernel in list_kernel_regions(program)
        for part in list_unit(program, kernel.name)
    }
    lines = {line.number for part in regions.values() for line in part.lines}
    texts = []
    for part in sorted(regions.values(), key=lambda part: (part.first, -part.last)):
        numbers = {line.number for line in part.lines}
        if numbers & lines:  # Else another that is around it has its lines already.
            texts.append(part.text)
        lines -= numbers
    return "".join(texts)


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


@lru_cache(maxsize=1024)
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
    # All that Base64 has beside letters and digits.
    written = base64.b64encode(packed).decode().translate(_QUOTED)
    return f"{SITE}/clientstate/{written}"


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
