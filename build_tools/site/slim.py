"""Which words of a site's own scripts and style sheets need not travel to its readers?

Comments and indents, of the files that each page loads. Whoever wrote them keeps them: only what
the site holds is shorter. A file that cannot be read line by line, or that says under which
terms it may be used, is left as it is.
"""

from __future__ import annotations

import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

_TERMS = re.compile(r"licen[cs]e|copyright|/\*!", re.IGNORECASE)
_CSS = re.compile(
    r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|url\([^"')]*\))|/\*.*?\*/""", re.DOTALL
)
_COMMENT_LINE = re.compile(r"^[ \t]*//.*\n?", re.MULTILINE)
_INDENT = re.compile(r"^\s+", re.MULTILINE)


def slim_files(files: Files, config: MkDocsConfig) -> None:
    """Replace those of ``files`` that each page loads by shorter ones that do the same."""
    for listed in (*config.extra_css, *config.extra_javascript):
        place = str(getattr(listed, "path", listed))
        file = files.get_file_from_path(place)
        slim = {".css": slim_css, ".js": slim_js}.get(place[place.rfind(".") :])
        if file is None or slim is None or file.generated_by is not None:
            continue
        text = file.content_string
        shorter = slim(text)
        if shorter != text:
            files.remove(file)
            files.append(File.generated(config, place, content=shorter, inclusion=file.inclusion))


def slim_css(text: str) -> str:
    """A style sheet without comments, indents and empty lines."""
    if _TERMS.search(text) or "\\\n" in text:
        return text
    return _INDENT.sub("", _CSS.sub(lambda found: found[1] or "", text))


def slim_js(text: str) -> str:
    """A script without lines that are comments, indents and empty lines.

    What may go on over lines, such as a template or a block comment, is not told apart from code.
    """
    lines = text.split("\n")
    goes_on = any(line.count("`") % 2 or line.endswith("\\") for line in lines)
    if _TERMS.search(text) or goes_on or "\\`" in text or "/*" in text:
        return text
    return _INDENT.sub("", _COMMENT_LINE.sub("", text))
