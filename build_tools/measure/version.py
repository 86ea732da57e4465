"""In which version are these tools?"""

from __future__ import annotations

import contextlib
from importlib import metadata


def find_version() -> str:
    """The version of these tools, as installed."""
    with contextlib.suppress(metadata.PackageNotFoundError):
        return metadata.version("cuda-course")
    return "not installed"
