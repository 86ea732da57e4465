"""How does evidence leave the disk, whole records at a time?

A record's files are moved into one folder of the root, the JSON first. When all are there the
folder gets another name, and only then are they deleted. So what ends before that is moved back,
at once or, after a hard end, by the next call; what ends later is deleted to the end.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

TRASH = ".course-trash-"
"""How the folder's name begins that files are moved into."""
GONE = ".course-gone-"
"""How its name begins when all of them are there."""


def withdraw_files(root: Path, files: Iterable[str]) -> None:
    """Remove these files, all or none, and the folders that they leave empty.

    The paths are from the root; one that is not there is passed over. The caller holds the lock.
    Raises OSError when the disk fails; then everything is where it was.
    """
    trash = Path(tempfile.mkdtemp(prefix=TRASH, dir=root))
    moved: list[str] = []
    try:
        for path in dict.fromkeys(files):
            if (root / path).is_file() or (root / path).is_symlink():
                _move(root / path, trash / path)
                moved.append(path)
    except BaseException:
        for path in reversed(moved):
            _move(trash / path, root / path)
        shutil.rmtree(trash, ignore_errors=True)
        raise
    gone = trash.rename(root / trash.name.replace(TRASH, GONE, 1))
    for folder in sorted({(root / path).parent for path in moved}, reverse=True):
        _remove_empty(root, folder)
    shutil.rmtree(gone)


def restore_trash(root: Path) -> list[str]:
    """Move back what an earlier call left half-way when it was ended hard; the paths moved.

    What that call had taken whole is deleted. Raises OSError when the disk fails.
    """
    for gone in root.glob(f"{GONE}*"):
        shutil.rmtree(gone)
    restored = []
    for trash in sorted(root.glob(f"{TRASH}*")):
        for path in _list_files(trash):
            if not (root / path).exists():
                _move(trash / path, root / path)
                restored.append(path)
        shutil.rmtree(trash)
    return restored


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    source.rename(target)


def _list_files(folder: Path) -> Iterator[str]:
    """The files below a folder, from it, so that a record's JSON comes last."""
    found = [entry.relative_to(folder).as_posix() for entry in folder.rglob("*") if entry.is_file()]
    yield from sorted(found, key=lambda path: (path.endswith(".json"), path))


def _remove_empty(root: Path, folder: Path) -> None:
    """Remove a folder, and those around it, as long as they are empty and within the evidence."""
    while root not in (folder, folder.parent) and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
