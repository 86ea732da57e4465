"""What does the search index need of a page, and what must the page look like afterwards?

A search plugin parses each page's HTML tag by tag, and highlighted code is mostly tags: most of
a build's time went there. So the index is fed a lean page, and the real one is put back.
"""

from __future__ import annotations

import re

_PRE = re.compile(r"<pre\b.*?</pre>", re.DOTALL)
_SPAN = re.compile(r"</?span\b[^>]*>")
_EXCLUDED = re.compile(r"<(?P<tag>span|bdi|div)\b[^>]*\bdata-search-exclude\b[^>]*>")
_SEARCH_ATTRIBUTE = re.compile(r"\s?data-search-\w+=\"[^\"]+\"")
"""What Material's search plugin takes out of a page, once it has read it."""


def compose_lean_html(html: str) -> str:
    """``html`` as the index reads it: code without colours, claims without proof, no pictures."""
    return _PRE.sub(lambda match: _SPAN.sub("", match[0]), drop_excluded(html))


def restore_html(html: str, lean: str, left: str, *, strips: bool) -> str:
    """``html`` as the page would be, had the search plugin read it and not the lean one.

    ``left`` is what the other plugins left of the page ``lean``. Material's search plugin
    ``strips`` its attributes. Raises ValueError when another plugin changed the page meanwhile:
    its change would be lost.
    """
    if left not in (lean, strip_search_attributes(lean)):
        raise ValueError(
            "another plugin changes page.content in on_page_context; "
            "let it do so in on_page_content, where every plugin sees the change"
        )
    return strip_search_attributes(html) if strips else html


def strip_search_attributes(html: str) -> str:
    """``html`` as Material's search plugin leaves it."""
    return _SEARCH_ATTRIBUTE.sub("", html) if "data-search-" in html else html


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
