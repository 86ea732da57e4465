"""Which templates are compiled already? Those that the same user filled on this machine before.

Compiling a theme's templates takes as long as filling them for dozens of pages. What is compiled is
code, so it is kept where nobody else writes: in the folder that Jinja makes for a user among the
system's temporary files, and never beside a course, whose cache may come from elsewhere.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from jinja2 import BytecodeCache, Environment, FileSystemBytecodeCache
from jinja2.bccache import Bucket

from build_tools.source.environment import may_keep
from build_tools.source.store import digest_tools

_DIGEST = hashlib.sha256().digest_size


class CompiledTemplates(FileSystemBytecodeCache):
    """Compiled templates as files, each behind a digest of itself: a scrambled one is none."""

    def __init__(self, version: str, is_known: Callable[[Environment], bool]) -> None:
        super().__init__(pattern=f"{version}%s")
        self._is_known = is_known

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give the bucket its code, if it is kept as it was compiled."""
        if not self._is_known(bucket.environment):
            return
        with contextlib.suppress(OSError):
            data = Path(self._get_cache_filename(bucket)).read_bytes()
            if hashlib.sha256(data[_DIGEST:]).digest() == data[:_DIGEST]:
                bucket.bytecode_from_string(data[_DIGEST:])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the bucket's code, whole or not at all; a folder that cannot be written stays so."""
        if not self._is_known(bucket.environment):
            return
        path = Path(self._get_cache_filename(bucket))
        new = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        code = bucket.bytecode_to_string()
        try:
            new.write_bytes(hashlib.sha256(code).digest() + code)
            new.replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                new.unlink()


def open_compiled_templates(
    is_known: Callable[[Environment], bool] = lambda _: True,
) -> BytecodeCache | None:
    """Where compiled templates are kept; None where ``COURSE_CACHE`` or the system keeps nothing.

    ``is_known`` says whether an environment has no filters, tests and globals but those that come
    with ``RESTS_ON`` or this package; what any other compiles is not kept.
    """
    if not may_keep(os.environ):
        return None
    # What a filter makes of a constant is compiled as well, so each filter's package counts.
    version = f"course-{digest_tools()[:32]}-"
    try:
        kept = CompiledTemplates(version, is_known)
        for path in Path(kept.directory).glob("course-*"):
            if not path.name.startswith(version):
                path.unlink()
    except (OSError, RuntimeError):  # No folder of the user's own can be had.
        return None
    return kept
