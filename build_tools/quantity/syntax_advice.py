"""What did the author mean by a text that is no expression, and how is that written?"""

from __future__ import annotations

import re

_WRITTEN = {
    "&&": "and",
    "||": "or",
    "!=": "",
    "==": "",
    "<=": "",
    ">=": "",
    "!": "not",
    "=": "==",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "×": "*",
    "·": "*",
    "÷": "/",
    "−": "-",
    "–": "-",
    "²": "**2",
    "³": "**3",
    "%": "/ 100",
}
"""What people write for an operator, and the language's own; empty for what is right already."""

_CURLY = "“”„«»‘’‚"
_TOKEN = re.compile(
    r""""[^"]*"|'[^']*'|"""
    + "|".join(re.escape(text) for text in sorted(_WRITTEN, key=len, reverse=True))
    + f"|[{_CURLY}]"
)
_BARE_KEY = re.compile(r"""(?<=[\[,])\s*(?P<key>[^\s\[\]()"',:][^\[\]()"',:]*?)\s*(?=[,\]])""")
_OPEN = {"(": ")", "[": "]"}


def explain_syntax(text: str, said: str, column: int) -> tuple[str, str, int]:
    """What is wrong with a text that does not parse, what to write, and the column from 0.

    ``said`` and ``column`` are the parser's own words and place, taken where nothing is known
    better.
    """
    for match in _TOKEN.finditer(text):
        found = match[0]
        if found in _CURLY:
            return f"`{found}` is no quote here", 'write straight quotes, `"…"`', match.start()
        if _WRITTEN.get(found):
            advice = f"write `{_WRITTEN[found]}`"
            if found == "=":
                advice = "write `==` for exact things, or same(a, b) for measured ones"
            return f"`{found}` is not part of the language", advice, match.start()
    unclosed = find_unclosed(text)
    if unclosed is not None:
        opened = text[unclosed]
        what = "quote" if opened in "\"'" else "bracket"
        closing = _OPEN.get(opened, opened)
        return f"the {what} `{opened}` is not closed", f"close it with `{closing}`", unclosed
    for match in _BARE_KEY.finditer(text):
        if not match["key"].isidentifier() and not match["key"].isdigit():
            key = match["key"].strip()
            return f"the key `{key}` stands without quotes", f'write `"{key}"`', match.start("key")
    return f"not an expression: {said}", "mend the syntax at this column", column


def find_unclosed(text: str) -> int | None:
    """Where the first quote or bracket stands that the text does not close; None for none."""
    opened: list[int] = []
    quote: int | None = None
    for index, character in enumerate(text):
        if quote is not None:
            quote = None if character == text[quote] else quote
        elif character in "\"'":
            quote = index
        elif character in _OPEN:
            opened.append(index)
        elif opened and character == _OPEN[text[opened[-1]]]:
            opened.pop()
    if quote is not None:
        return quote
    return opened[-1] if opened else None
