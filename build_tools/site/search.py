"""What does the search index need of a page, and what must the page look like afterwards?

A search plugin parses each page's HTML tag by tag, and highlighted code is mostly tags: most of
a build's time went there. So the index is fed a lean page, and the real one is put back.

A hit shows the whole block it is in, so code is cut into pieces of a few lines, and a program's
source into sections, one a region: a hit in a kernel leads to that kernel. An exercise is a section
as well, found by its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import escape

from build_tools.pages.hrefs import name_region_anchor
from build_tools.source.model import Program, Region

PIECE = 5
"""Lines of code that a hit shows at once."""

_PRE = re.compile(r"<pre\b.*?</pre>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_SOURCE = re.compile(r'<div\b[^>]*\bdata-course-program-source="(?P<program>[^"]*)"[^>]*>')
_EXERCISE = re.compile(
    r'<div class="course-exercise" id="(?P<id>[^"]*)"[^>]*'
    r' data-course-exercise="[^"#]*#(?P<name>[^"]*)"[^>]*>'
)
_TITLE = re.compile(r'<p class="course-exercise__title"><span\b[^>]*>[^<]*</span>(.*?)</p>')
_SPAN = re.compile(r"</?span\b[^>]*>")
_EXCLUDED = re.compile(r"<(?P<tag>span|bdi|div)\b[^>]*\bdata-search-exclude\b[^>]*>")
_SEARCH_ATTRIBUTE = re.compile(r"data-search-\w+=\"[^\"]+\"")
"""What Material's search plugin takes out of a page, once it has read it, with one space before."""


def compose_lean_html(html: str, programs: Mapping[str, Program] | None = None) -> str:
    """``html`` as the index reads it: code without colours, claims without proof, no pictures.

    With ``programs`` code is cut into pieces, the source of a program into its regions, and each
    exercise comes under a heading of its own at the end: for an index that takes a heading for a
    section whether or not the page's contents hold it, which Material's does.
    """
    if programs is None:
        return _PRE.sub(lambda match: _SPAN.sub("", match[0]), drop_excluded(html))
    parted = _part_exercises(_part_sources(html, programs))
    return _PRE.sub(lambda match: _cut_code(match[0]), drop_excluded(parted))


def _part_sources(html: str, programs: Mapping[str, Program]) -> str:
    """``html`` with a heading for each region in place of a program's source."""
    kept, position = [], 0
    while match := _SOURCE.search(html, position):
        end = _find_end(html, match.end(), "div")
        program = programs.get(match["program"])
        whole = html[match.start() : end]
        kept += [html[position : match.start()], _part_source(program) if program else whole]
        position = end
    return "".join([*kept, html[position:]])


def _part_exercises(html: str) -> str:
    """``html`` with its exercises behind all else: what follows one is of the section around it."""
    kept, moved, position = [], [], 0
    while match := _EXERCISE.search(html, position):
        end = _find_end(html, match.end(), "div")
        whole = html[match.start() : end]
        title = _TITLE.search(whole)
        words = _TAG.sub("", title[1]).strip() if title else ""
        told = f": {words}" if words not in ("", match["name"]) else ""
        moved.append(f'<h3 id="{match["id"]}">Exercise {match["name"]}{told}</h3>{whole}')
        kept.append(html[position : match.start()])
        position = end
    return "".join([*kept, html[position:], *moved])


def _part_source(program: Program) -> str:
    """What is in no region, then each region under its name and that of its kernels.

    A line of several regions is in the innermost.
    """
    owners: dict[int, Region] = {}
    for region in sorted(program.regions.values(), key=lambda r: len(r.lines), reverse=True):
        owners.update((line.number, region) for line in region.lines)
    texts: dict[str, list[str]] = {"": []}
    for number, line in enumerate(program.text.split("\n"), 1):
        owner = owners.get(number)
        texts.setdefault(owner.name if owner else "", []).append(line)
    parts = [_compose_pre(texts.pop(""))]
    for name, lines in texts.items():
        kernels = [k for k, line in program.kernels.items() if name == _name_owner(owners, line)]
        title = f"{', '.join(kernels)}: {name}" if kernels else name
        anchor = escape(name_region_anchor(name))
        parts.append(f'<h3 id="{anchor}">{escape(title)}</h3>{_compose_pre(lines)}')
    return "".join(parts)


def _name_owner(owners: Mapping[int, Region], line: int) -> str:
    return owners[line].name if line in owners else ""


def _compose_pre(lines: Iterable[str]) -> str:
    return f"<pre><code>{escape(chr(10).join(lines), quote=False)}</code></pre>"


def _cut_code(html: str) -> str:
    """A ``pre`` without its colours, as several of which each holds a few lines."""
    lines = _TAG.sub("", html).split("\n")
    pieces = ("\n".join(lines[i : i + PIECE]) for i in range(0, len(lines), PIECE))
    return "".join(f"<pre><code>{piece}\n</code></pre>" for piece in pieces if piece.strip())


def strip_search_attributes(html: str) -> str:
    """``html`` as Material's search plugin leaves it."""
    kept = []
    position = 0
    for match in _SEARCH_ATTRIBUTE.finditer(html):
        # An expression that begins with a space that may be there would try every character.
        spaced = match.start() > position and html[match.start() - 1].isspace()
        kept.append(html[position : match.start() - spaced])
        position = match.end()
    kept.append(html[position:])
    return "".join(kept)


def drop_excluded(html: str) -> str:
    """``html`` without the elements, and what is in them, that are kept out of the index."""
    kept = []
    position = 0
    while match := _EXCLUDED.search(html, position):
        kept.append(html[position : match.start()])
        position = _find_end(html, match.end(), match["tag"])
    kept.append(html[position:])
    return "".join(kept)


def _find_end(html: str, start: int, tag: str) -> int:
    """The offset behind the end tag of the element whose start tag ends at ``start``."""
    depth = 1
    for match in re.compile(rf"</?{tag}\b[^>]*>").finditer(html, start):
        depth += -1 if match[0].startswith("</") else 1
        if depth == 0:
            return match.end()
    return len(html)
