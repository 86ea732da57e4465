"""Is a program built as it would be used, so that its times and registers are the kernel's?"""

from __future__ import annotations

import re

from build_tools.diagnostics.finding import Finding, Kind, Place

_DEBUG = re.compile(
    r"(?<!\S)(?:-G|--device-debug|-O0|-O[ =]0|--optimize[ =]0"
    r"|(?:-Xptxas|--ptxas-options)[ =](?:\S*,)?-?-O[ =]?[01]\S*)(?!\S)"
)
"""Options of nvcc that leave code as it was written, without optimization."""


def check_release(build: str, place: Place) -> list[Finding]:
    """A finding for each option of a Build command that makes a debug build."""
    return [
        Finding(
            Kind.HEADER,
            place,
            f"`{option[0]}` in the Build command",
            "it makes a debug build, whose times, registers and counters are not the kernel's",
            "take it out, and build for debugging by hand",
        )
        for option in _DEBUG.finditer(build)
    ]
