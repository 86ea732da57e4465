"""What of a course's style sheets and scripts need no browser read? Comments, and white space.

Both are for those who write such a file, and every page would bring them to those who read it. No
name is changed and nothing is moved; where it cannot be told at a look what a text means, it stays.
"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

_STYLE = re.compile(
    r"""(?P<kept>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|url\([^)]*\)|/\*!.*?\*/)"""
    r"""|(?P<blank>(?:\s|/\*(?!!).*?\*/)+)""",
    re.DOTALL,
)
_OPEN = "{};,:"
"""Marks of a style sheet behind which white space means nothing."""
_CLOSED = "{};,"
"""Those before which it means nothing: before a colon it is a descendant."""

_ESCAPE = re.compile(r"\\[0-9a-fA-F]{1,6}$")
"""An escape that white space ends."""

_COMMENT = re.compile(r"[ \t]*//(?!!|#).*")
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
_TEMPLATE = re.compile(r"`((?:\\.|[^`\\])*)(`?)")


def lighten_assets(config: MkDocsConfig, folder: Path) -> None:
    """Rewrite, in the built site's ``folder``, the files of its own that every page loads."""
    for name in (*config.extra_css, *map(str, config.extra_javascript)):
        path = folder / name
        if ".min." in name or "//" in name or not path.is_file():
            continue
        lighten = {".css": lighten_style, ".js": lighten_script}.get(path.suffix)
        if lighten is None:
            continue
        try:
            text = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue
        path.write_bytes(lighten(text).encode("utf-8"))


def lighten_style(text: str) -> str:
    """A style sheet without comments, but for those that begin with ``/*!``, on one line."""

    def shorten(match: re.Match[str]) -> str:
        blank = match["blank"]
        if blank is None:
            return match[0]
        if _ESCAPE.search(text, max(0, match.start() - 7), match.start()):
            return match[0]
        before = text[max(0, match.start() - 1) : match.start()]
        behind = text[match.end() : match.end() + 1]
        if before in _OPEN or behind in _CLOSED:  # At an end of the text as well.
            return ""
        # A comment alone parts two words and no more; white space may be a descendant.
        return " " if re.search(r"\s", re.sub(r"/\*.*?\*/", "", blank, flags=re.DOTALL)) else "/**/"

    return _STYLE.sub(shorten, text)


def lighten_script(text: str) -> str:
    """A script without its lines of comment and its indents.

    A text that reaches over lines would lose them, too: a script that may hold one stays whole.
    So do comments that begin with ``//!`` or ``//#``, and those that may open or close another.
    """
    lines = [
        line
        for line in text.split("\n")
        if not _COMMENT.fullmatch(line) or "*/" in line or "/*" in line
    ]
    if any(_may_go_on(line) for line in lines):
        return text
    return _INDENT.sub("", "\n".join(lines))


def _may_go_on(line: str) -> bool:
    """Whether a text that begins on a line of a script may end on a later one."""
    return line.rstrip("\r").endswith("\\") or any(
        not end or held.count("${") > held.count("}") for held, end in _TEMPLATE.findall(line)
    )
