"""How do the files that readers can take get into a site? Copied, or linked from the one before.

A course has thousands of them, and from one build to the next most stay the same. Making a file
takes a file system longer than giving it a second name. So where the published site holds a file
with the same bytes, the staged site shares it, until it takes the published one's place.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from mkdocs.structure.files import File

from build_tools.site.staging import Staging
from build_tools.source.forks import Beside, start_beside

LEAST = 64
"""Files that are worth a fork."""

_AS_IT_IS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Follow no link, wait for no writer of a pipe, translate no line ends."""


class Download(File):
    """A file that the course adds to the site, byte for byte as the course holds it."""

    placing: Placing | None = None

    def copy_file(self, dirty: bool = False) -> None:
        """Put the file where MkDocs wants it, unless it is there already."""
        if self.placing is None or not self.placing.has_placed(self):
            super().copy_file(dirty)


class Placing:
    """Puts files of the course into the staged site of one build.

    Downloads are put there beside what else the build does. A file of the published site is shared
    only where no plugin of others might write into it when it is in the staged one.
    """

    def __init__(
        self, staging: Staging, files: Iterable[File], jobs: int, *, is_shared: bool
    ) -> None:
        self._staging = staging
        self._is_shared = is_shared
        self._is_done = False
        self._beside: Beside | None = None
        if not is_shared:
            return
        downloads = [file for file in files if isinstance(file, Download)]
        for download in downloads:
            download.placing = self
        if len(downloads) >= LEAST:
            self._beside = start_beside(lambda: self._place_all(downloads), jobs)

    def has_placed(self, download: Download) -> bool:
        """Whether the file is in the staged site, now or for some time."""
        if self._beside is not None:
            beside, self._beside = self._beside, None
            self._is_done = beside.finish()
        return self._is_done or self._share(download)

    def write(self, place: str, text: str) -> None:
        """Write a file of UTF-8 at a place of the staged site that has none yet."""
        old, new = self._staging.site / place, self._staging.folder / place
        content = text.encode()
        if not self._is_shared or not share_file(old, new, content):
            new.write_bytes(content)

    def abandon(self) -> None:
        """Begin nothing more, and leave the staging folder to whoever removes it."""
        if self._beside is not None:
            self._beside.abandon()

    def _place_all(self, downloads: Iterable[Download]) -> None:
        for download in downloads:
            if not self._share(download):
                File.copy_file(download)

    def _share(self, download: Download) -> bool:
        place = download.dest_uri
        try:
            content = download.content_bytes
        except OSError:
            return False  # Copying it says why.
        return share_file(self._staging.site / place, self._staging.folder / place, content)


def share_file(old: Path, new: Path, content: bytes) -> bool:
    """Give the file ``old`` the name ``new`` as well, if it is just as one made anew would be.

    With other bytes, another owner or other rights than what is made in the folder of ``new``, or
    where no file can have two names, nothing happens and the answer is False.
    """
    try:
        # No Path: a course has thousands of files, and this runs in every build.
        file = os.open(old, os.O_RDONLY | _AS_IT_IS)
        try:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode) or status.st_size != len(content):
                return False
            os.makedirs(new.parent, exist_ok=True)  # noqa: PTH103
            folder = os.stat(new.parent)  # noqa: PTH116
            made = stat.S_IMODE(folder.st_mode) & 0o666, folder.st_uid, folder.st_gid
            if (stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid) != made:
                return False
            if _read_all(file) != content:
                return False
        finally:
            os.close(file)
        os.link(old, new, follow_symlinks=False)
    except FileExistsError:
        return new.samefile(old)  # It must not be written into, then.
    except (OSError, NotImplementedError):
        return False
    return True


def _read_all(file: int) -> bytes:
    with os.fdopen(os.dup(file), "rb", buffering=0) as opened:
        return opened.read()
