"""Which words behind a number of prose are its unit? Those of a measurement, and nouns counted.

The table of units says what can be bound; prose also has units spelled out and rates of things
that the table does not know. They are found all the same: binding them tells what to write.
"""

from __future__ import annotations

import re

from build_tools.quantity.units import NOUNS, SYMBOLS

_COUNTED = {
    spelling
    for spelling, unit in SYMBOLS.items()
    if unit.factor == 1 and len(unit.dimensions) == 1 and unit.dimensions[0][0] in NOUNS
}
_MEASURED_NOUNS = {"cycle", "cycles"}
"""A time in clock cycles is a measurement; a number of threads is a count."""

_SPELLED = (
    r"(?:nano|micro|milli)?seconds?|secs?|msecs?|usecs?|minutes?|hours?"
    r"|(?:kilo|mega|giga|tera|kibi|mebi|gibi)?(?:bytes?|hertz|watts?|flops)|joules?"
    r"|[kKMGTP]?FLOPs|[KMGTP]?FLOP?/s|[kKMGT]?[Ff]lop/s|[GMT]bps|[GMT]b/s|[GM]T/s|degrees?|[CF]"
    r"|clock cycles?|clocks?"
)
_RATED = (
    r"[A-Za-z]{2,20}/(?:s|sec|ms|second|cycle|clk|clock|thread|warp|block|SM|step|iteration|element|"
    r"request|instruction|byte|B)"
)


def _write_symbols(symbols: set[str]) -> str:
    """An alternation of symbols, longest first, with every letter that is used for micro."""
    written = set(symbols)
    for symbol in symbols:
        if symbol == "us":
            written |= {"\N{MICRO SIGN}s", "\N{GREEK SMALL LETTER MU}s"}
    return "|".join(re.escape(s) for s in sorted(written, key=lambda s: (-len(s), s)))


_symbols = {s for s in SYMBOLS if s != "%" and (s not in _COUNTED or s in _MEASURED_NOUNS)}
MEASURED = rf"(?:{_RATED}|(?:{_write_symbols(_symbols)}|{_SPELLED})(?:/[A-Za-z]+)?)(?![A-Za-z\d_/])"
"""A regular expression of the units that make a number a measurement, a rate or a size."""

COUNTED = rf"(?:{_write_symbols(_COUNTED - _MEASURED_NOUNS)})(?![\w/])"
"""A regular expression of the nouns that are counted."""

MORE = (
    r"as|more|less|fewer|faster|slower|larger|smaller|bigger|higher|lower|longer|shorter|better|"
    r"worse|quicker|cheaper|the|that|those|what|a|an|its|of"
)
FACTOR = (
    rf"(?:\s?×(?!\s?\d)|\s?x(?![A-Za-z\d]|\s\d)|X(?![A-Za-z\d])|-fold\b|\s?fold\b|-times\b|\stimes\b(?=\s+(?:{MORE})\b)|\s?%|[\s-]percent\b"
    r"|[\s-]per[\s-]cent\b|-way\b)"
)
"""A regular expression of what makes a number a factor, a share or a degree."""

_NAMING = r"-(?!bytes?\b|[BCFK]\b)"
"""A hyphen before a unit; ``32-byte`` names a kind of access, as ``32-bit`` does one of word."""
UNITED = rf"(?:{FACTOR}|(?:[ \u00a0\u202f]|{_NAMING})?{MEASURED})"
"""A regular expression of everything behind a number by which the policy ``units`` finds it."""
