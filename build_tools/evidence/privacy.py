"""Does a text name the machine or the person it comes from?

Evidence is published: no host or user name, no home folder, no GPU's UUID or serial number.
"""

from __future__ import annotations

import contextlib
import getpass
import re
import socket
from collections.abc import Collection
from functools import lru_cache

from build_tools.diagnostics.finding import Finding, Kind, Place

_NOBODY = frozenset(
    [
        "root",
        "localhost",
        "localdomain",
        "user",
        "nobody",
        "admin",
        "docker",
        "ubuntu",
        "debian",
        "runner",
        "gpu",
        "cuda",
        "nvidia",
        "host",
        "build",
        "test",
    ]
)
"""Names that single out neither a person nor a machine, and may be words of an output."""

_PATTERNS = (
    (re.compile(r"\b(?:GPU|MIG)-[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F-]{4,}"), "a GPU's UUID"),
    (
        re.compile(
            r"\bserial(?:[ _-]?(?:number|no\.?))?[\"']?\s*[:=]\s*[\"']?\d{6,}", re.IGNORECASE
        ),
        "a serial number",
    ),
    (re.compile(r"(?<![\w.])/(?:home|Users)/[A-Za-z0-9._-]+"), "a home folder"),
    (re.compile(r"(?<![\w.])/root/[A-Za-z0-9._-]+"), "a home folder"),
    (re.compile(r"\b[A-Za-z]:\\Users\\[A-Za-z0-9._-]+"), "a home folder"),
)


@lru_cache(maxsize=1)
def find_own_names() -> frozenset[str]:
    """This machine's host names and this user's name, those that single out nobody left out."""
    names = {socket.gethostname(), socket.gethostname().split(".")[0]}
    with contextlib.suppress(KeyError, OSError):  # a user without an entry has no name to tell
        names.add(getpass.getuser())
    return frozenset(n for n in names if len(n) >= 3 and n.lower() not in _NOBODY)


def find_private(text: str, path: str, names: Collection[str] | None = None) -> list[Finding]:
    """A finding for each place of ``text`` that names a machine, a person or one GPU.

    ``names`` are host and user names; those of this machine and user when not given. What is
    found is not repeated in the message.
    """
    known = find_own_names() if names is None else names
    patterns = list(_PATTERNS)
    for name in sorted(known):
        # A hyphen joins a host's name to nothing else: `h200` is not in `nvidia-h200`.
        pattern = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        patterns.append((pattern, "a host or user name"))
    findings = []
    for number, line in enumerate(text.split("\n"), 1):
        for pattern, what in patterns:
            match = pattern.search(line)
            if match:
                findings.append(
                    Finding(
                        Kind.RECORD,
                        Place(path, number, match.start() + 1),
                        f"{what} stands here",
                        "evidence is published, and names no machine and no person",
                        "change what the program prints, and measure again",
                    )
                )
    return findings
