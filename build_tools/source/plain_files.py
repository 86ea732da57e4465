"""Is this a plain file, and what does it hold? Of paths that anyone may have typed or made.

A pipe or a device in the place of a file would be read for ever, and a word too long for a name
makes ``pathlib`` raise where it is asked whether there is such a file.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def is_file(path: Path) -> bool:
    """Whether a plain file stands there; a path that can be none is not one."""
    return os.path.isfile(path)  # noqa: PTH113 - a Path raises


def is_folder(path: Path) -> bool:
    """Whether a folder stands there; a path that can be none is not one."""
    return os.path.isdir(path)  # noqa: PTH112 - a Path raises


def read_plain(path: Path) -> bytes:
    """A plain file's bytes. Raises OSError for everything else, without opening it."""
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError(errno.EINVAL, "it is no plain file")
    return path.read_bytes()
