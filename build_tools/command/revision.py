"""What did the course hold at a revision of version control? Asked of git, without a checkout."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

COURSE_PARTS = ("course.toml", "snippets", "evidence")
"""What of a course decides its records."""

_OF_ANOTHER = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"})
"""What a hook sets for the repository that it was started in."""

_TIME_LIMIT = 60.0
"""Seconds for one git command."""


class RevisionError(Exception):
    """Git cannot tell; the message says why."""


def run_git(root: Path, *arguments: str, given: bytes = b"") -> bytes:
    """What git prints when run in the course's root. Raises RevisionError."""
    environment = {k: v for k, v in os.environ.items() if k not in _OF_ANOTHER}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", "--literal-pathspecs", *arguments],
            cwd=root,
            env=environment,
            input=given,
            capture_output=True,
            timeout=_TIME_LIMIT,
            check=False,
        )
    except FileNotFoundError:
        raise RevisionError("git is not installed") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RevisionError(f"git cannot be run: {error}") from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        raise RevisionError(said.removeprefix("fatal: ") or f"git ended with {done.returncode}")
    return done.stdout


def resolve_revision(root: Path, name: str) -> str | None:
    """The commit that a name stands for; None when it is none. Raises RevisionError."""
    if not name or name.startswith("-"):
        return None
    run_git(root, "rev-parse", "--git-dir")
    try:
        found = run_git(root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    except RevisionError:
        return None
    return found.decode().strip()


def list_revisions(root: Path, paths: Sequence[str], limit: int) -> list[str]:
    """The newest commits that changed one of these paths, newest first. Raises RevisionError."""
    found = run_git(root, "log", f"--max-count={limit}", "--format=%H", "--", *paths)
    return found.decode().split()


def list_uncommitted(root: Path, folder: str) -> list[str]:
    """The files of a folder that version control does not hold as they are, ignored ones too.

    Raises RevisionError, also when the course is under no version control.
    """
    found = run_git(
        root, "status", "--porcelain", "--ignored", "--untracked-files=all", "-z", "--", folder
    )
    entries = found.decode("utf-8", "surrogateescape").split("\0")
    prefix = run_git(root, "rev-parse", "--show-prefix").decode().strip()
    paths = []
    renamed = False
    for entry in entries:
        if renamed or not entry:  # the second half of a rename is the old name
            renamed = False
            continue
        renamed = entry[0] in "RC"
        paths.append(entry[3:].removeprefix(prefix))
    return paths


def extract_revision(root: Path, revision: str, parts: Sequence[str], folder: Path) -> None:
    """Write what the course's parts held at a commit into a folder. Raises RevisionError.

    Blobs are written byte for byte; links and submodules are left out.
    """
    listed = run_git(root, "ls-tree", "-r", "-z", revision, "--", *parts)
    wanted: list[tuple[str, str]] = []
    for entry in listed.decode("utf-8", "surrogateescape").split("\0"):
        described, _, path = entry.partition("\t")
        fields = described.split()
        if len(fields) == 3 and fields[1] == "blob" and fields[0] != "120000":
            wanted.append((fields[2], path))
    asked = "".join(f"{name}\n" for name, _ in wanted).encode()
    printed = run_git(root, "cat-file", "--batch", given=asked) if wanted else b""
    position = 0
    for _, path in wanted:
        line_end = printed.index(b"\n", position)
        size = int(printed[position:line_end].split()[2])
        data = printed[line_end + 1 : line_end + 1 + size]
        position = line_end + 1 + size + 1
        if ".." in PurePosixPath(path).parts:
            continue
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


@contextmanager
def open_revision(root: Path, revision: str, parts: Sequence[str] = COURSE_PARTS) -> Iterator[Path]:
    """A temporary folder that holds the course's parts as they were. Raises RevisionError."""
    with tempfile.TemporaryDirectory(prefix="course-") as name:
        folder = Path(name)
        extract_revision(root, revision, parts, folder)
        yield folder
