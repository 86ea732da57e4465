"""Where does a link of a page lead? ``course:`` hrefs, and how a host finishes them.

Every link into the generated pages is emitted as one of

- ``course:program/NAME``, ``course:program/NAME#L12``, ``course:program/NAME#region-REGION``,
  ``course:program/NAME#listing-REGION`` and ``course:program/NAME#quantity-QUANTITY``, a program's
  page, its lines, regions, their machine code and quantities,
- ``course:record/NAME/GPU/RUN`` with an anchor or without, a record's page,
- ``course:download/NAME/NAME.cu``, the program as a file,
- ``course:download/NAME/regions/REGION.cu``, a region with what it needs as a file,
- ``course:download/NAME/starters/EXERCISE.cu``, the starter of an exercise as a file,
- ``course:transcript/NAME/GPU/RUN.txt``, any raw file of the evidence,
- ``course:page/PATH`` with an anchor or without, a page of the prose by its path from the root.

A host that has such pages finishes them by ``resolve_hrefs`` with addresses of its own. Where
there are none, ``compose_source_resolver`` leads to the project's sources.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote, unquote

from build_tools.claims.model import Course
from build_tools.source.model import Program

SCHEME = "course:"
STARTERS = "starters"
"""The folder of a program's starters."""

_ANCHOR = re.compile(
    r'<a(?P<before>(?:\s[^<>]*?)?)\shref="(?P<href>course:[^"<>]*)"(?P<after>[^<>]*)>'
    r"(?P<inner>.*?)</a>",
    re.DOTALL,
)
_LINK_ONLY = re.compile(r'\s(?:target|rel|download|hreflang|type)(?:="[^"]*")?')


def link_program(name: str, line: int | None = None) -> str:
    """The href of a program's page, or of one of its lines."""
    return f"{SCHEME}program/{name}" + (f"#L{line}" if line else "")


def name_region_anchor(region: str) -> str:
    """The id of a region's first line on its program's page."""
    return f"region-{region}"


def link_region(name: str, region: str) -> str:
    """The href of a region on its program's page; it holds while the region keeps its name."""
    return f"{SCHEME}program/{name}#{name_region_anchor(region)}"


def name_listing_anchor(region: str) -> str:
    """The id of a region's machine code on its program's page."""
    return f"listing-{region}"


def link_listing(name: str, region: str) -> str:
    """The href of a region's machine code on its program's page."""
    return f"{SCHEME}program/{name}#{name_listing_anchor(region)}"


def name_quantity_anchor(quantity: str) -> str:
    """The id of a quantity's row on its program's page."""
    return f"quantity-{quantity}"


def link_quantity(name: str, quantity: str) -> str:
    """The href of a program's quantity: its formula and value."""
    return f"{SCHEME}program/{name}#{name_quantity_anchor(quantity)}"


def link_record(path: str, anchor: str = "") -> str:
    """The href of a record's page; ``path`` from the root, with ``.json`` or without."""
    bare = path.removesuffix(".json").removeprefix("evidence/")
    return f"{SCHEME}record/{bare}" + (f"#{anchor}" if anchor else "")


def link_download(name: str) -> str:
    """The href of a program as a file."""
    return f"{SCHEME}download/{name}/{name}.cu"


def link_unit(name: str, region: str) -> str:
    """The href of a region with what it needs as a file."""
    return f"{SCHEME}download/{name}/regions/{region}.cu"


def link_starter(program: str, file: str) -> str:
    """The href of the starter of an exercise of a program, as a file."""
    return f"{SCHEME}download/{program}/{STARTERS}/{file}"


def link_evidence(path: str) -> str:
    """The href of a raw file of the evidence; ``path`` from the root."""
    return f"{SCHEME}transcript/{path.removeprefix('evidence/')}"


def link_page(path: str, anchor: str = "") -> str:
    """The href of a page of the prose, ``path`` from the root; it may hold any character."""
    return f"{SCHEME}page/{quote(path)}" + (f"#{anchor}" if anchor else "")


def resolve_hrefs(html: str, resolve: Callable[[str], str | None]) -> str:
    """``html`` with each link to ``course:…`` finished.

    ``resolve`` gets the whole href, ``course:program/tiled_matmul#L12``, and gives an address,
    or None where the host has no such page: then the link becomes a span and its text stays.
    A span that something describes can still be focused, so that its proof can be read.
    """
    if SCHEME not in html:
        return html  # Finished already, as most pages of a build are.

    def finish(match: re.Match[str]) -> str:
        address = resolve(_unescape_attribute(match["href"]))
        attributes = match["before"] + match["after"]
        if address is not None:
            return f'<a{match["before"]} href="{_escape_attribute(address)}"{match["after"]}>{match["inner"]}</a>'
        bare = _LINK_ONLY.sub("", attributes)
        focus = ' tabindex="0"' if "aria-describedby=" in bare else ""
        return f"<span{bare}{focus}>{match['inner']}</span>"

    return _ANCHOR.sub(finish, html)


def compose_source_resolver(course: Course) -> Callable[[str], str | None]:
    """A function from a ``course:`` href to the project's sources, by ``source_url``.

    It gives None for everything when the settings have no ``source_url``.
    """

    def resolve(href: str) -> str | None:
        located = locate_source(course, href)
        if not course.settings.source_url or located is None:
            return None
        path, line = located
        # Plain replacement: the pattern comes from the settings and may hold other braces.
        return course.settings.source_url.replace("{path}", quote(path)).replace(
            "{line}", str(line)
        )

    return resolve


def locate_source(course: Course, href: str) -> tuple[str, int] | None:
    """The file and line, from the project's root, that a ``course:`` href speaks of."""
    bare, _, anchor = href.removeprefix(SCHEME).partition("#")
    kind, _, rest = bare.partition("/")
    if kind in ("program", "download"):
        name, _, file = rest.partition("/")
        if file.startswith(f"{STARTERS}/"):
            return None  # It is made for a site, and lies nowhere among the sources.
        program = course.programs.get(name)
        return (program.path, _find_line(program, anchor, file)) if program else None
    if kind == "record" and rest:
        return f"evidence/{rest}.json", 1
    if kind == "transcript" and rest:
        return f"evidence/{rest}", 1
    if kind == "page" and rest:
        return unquote(rest), 1
    return None


def _find_line(program: Program, anchor: str, file: str) -> int:
    """The line that an anchor or a region's file speaks of; the first where it names none."""
    if re.fullmatch(r"L[1-9][0-9]*", anchor):
        return int(anchor[1:])
    for name, region in program.regions.items():
        anchors = (name_region_anchor(name), name_listing_anchor(name))
        if anchor in anchors or file == f"regions/{name}.cu":
            return region.first
    return 1


def _unescape_attribute(text: str) -> str:
    return text.replace("&#34;", '"').replace("&quot;", '"').replace("&amp;", "&")


def _escape_attribute(text: str) -> str:
    escaped = text.replace("&", "&amp;").replace('"', "&quot;")
    return escaped.replace("<", "&lt;").replace(">", "&gt;")
