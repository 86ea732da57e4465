"""Does a program time, between two of its events, what belongs outside of them?

Allocations, and writes or flushes that only prepare the next launch, take longer than many a
kernel, and look like the kernel's own time. Only calls that stand between the two events in the
same function are seen: what a function does that is called there is its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.source.tokens import Scan, Token, TokenKind

_EVENT = "cudaEventRecord"
_ALLOCATES = re.compile(
    r"cuda(?:Malloc|Free|HostAlloc|HostRegister|HostUnregister|ImportExternalMemory)\w*"
)
_FLUSHES = re.compile(r"cudaMemset\w*|(?!fflush)\w*(?:flush|evict|scrub)\w*", re.IGNORECASE)
_ADVICE = "move it before the first event or behind the last, and measure again"


def check_timed_calls(scan: Scan, path: str) -> list[Finding]:
    """A finding for each call between two events that cannot be part of what is timed."""
    findings = []
    for name in _list_timed_calls(scan.tokens):
        what = _describe_call(name.text)
        if what:
            line, column = scan.locate(name.start)
            findings.append(
                Finding(
                    Kind.SANITY,
                    Place(path, line, column),
                    f"`{name.text}` between two events",
                    f"{what} is timed together with the kernel",
                    _ADVICE,
                )
            )
    return findings


def _describe_call(name: str) -> str:
    if _ALLOCATES.fullmatch(name):
        return "memory management"
    if _FLUSHES.fullmatch(name):
        return "what empties a cache or clears memory"
    return ""


def _list_timed_calls(tokens: Sequence[Token]) -> Iterator[Token]:
    """The names called or launched between the first and the second event of a function."""
    depth = 0
    is_open = False
    for index, token in enumerate(tokens):
        if token.text in ("{", "}"):
            depth += 1 if token.text == "{" else -1
            is_open = is_open and depth > 0
        following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if token.kind is not TokenKind.WORD or following not in ("(", "<<<"):
            continue
        if token.text == _EVENT:
            is_open = depth > 0 and not is_open
        elif is_open:
            yield token
