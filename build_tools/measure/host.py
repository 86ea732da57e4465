"""On what host was measured? Its system and its C++ compiler, and nothing that names it."""

from __future__ import annotations

import platform
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path

from build_tools.measure.run import execute

_COMPILER = "g++"
"""What nvcc calls for the host's code where nothing else is named."""


@lru_cache(maxsize=1)
def describe_host() -> dict[str, str]:
    """``system`` and ``compiler`` in their own words; ``unknown`` where they do not say."""
    return {"system": _name_system(), "compiler": _name_compiler()}


def _name_system() -> str:
    try:
        name = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        name = ""
    return name or platform.system() or "unknown"


def _name_compiler() -> str:
    if shutil.which(_COMPILER) is None:
        return "unknown"
    try:
        done = execute(
            [_COMPILER, "--version"],
            cwd=Path(tempfile.gettempdir()),
            time_limit=20,
            output_cap=65536,
        )
    except OSError:
        return "unknown"
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    return lines[0].strip() if lines and not done.failure else "unknown"
