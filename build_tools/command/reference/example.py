"""On which course are the examples of the reference run? The one of the how-to, with its evidence.

The files are those that ``docs/writing/first-lesson.md`` tells its reader to write, the evidence
that of the bundle with which the tests follow that page. The lesson is one without findings.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.diagnostics.finding import Finding
from build_tools.measure.bundle import record_bundle

HOW_TO = "docs/writing/first-lesson.md"
BUNDLE = "tests/cases/copy_order.tar.gz"
PROGRAM = "copy_order"
PAGE = "docs/index.md"

LESSON = """\
# Copy along the rows

Down the columns of a matrix of [8,192](claim:copy_order.source.kSide) rows,
the same copy takes [4.6×](claim:copy_order.gain) as long
as along its rows. There it moves [52 %](claim:rows_share)
of the [4.8 TB/s](given:peak_bandwidth) that the data sheet promises,
in blocks of [256](stated:) threads.

/// snippet | copy_order#rows-kernel
///

/// snippet | copy_order#columns-kernel
///
"""

FACTS = """\
[peak_bandwidth]
value = "4.8"
unit = "TB/s"
source = "NVIDIA H200 Tensor Core GPU, data sheet"
quote = "GPU Memory Bandwidth 4.8TB/s"
date = 2026-11-30

[quantities]
rows_share = 'copy_order.rate["rows"] / given["peak_bandwidth"]'
"""

_FILE = re.compile(r'^(`{3,})\w+ title="([^"]+)"\n(.*?)^\1$', re.MULTILINE | re.DOTALL)


class NoExampleError(Exception):
    """The example cannot be made; the message says why."""


@dataclass(frozen=True)
class Example:
    """The example course on disk, without findings."""

    root: Path
    course: Course

    @contextmanager
    def copy(self) -> Iterator[Path]:
        """A copy of it to break, for as long as the context lasts."""
        with tempfile.TemporaryDirectory(prefix="course-") as folder:
            root = Path(folder) / "course"
            shutil.copytree(self.root, root)
            yield root


@contextmanager
def open_example(root: Path) -> Iterator[Example]:
    """The example of the checkout at ``root``, for as long as the context lasts.

    Raises NoExampleError where the how-to or its bundle is not there, or is not as it must be.
    """
    files = read_files(root)
    with tempfile.TemporaryDirectory(prefix="course-") as folder:
        course = Path(folder)
        for path, text in {**files, PAGE: LESSON, "snippets/quantities.toml": FACTS}.items():
            (course / path).parent.mkdir(parents=True, exist_ok=True)
            (course / path).write_text(text, encoding="utf-8")
        require_none(record_bundle(course, root / BUNDLE))
        yield Example(course, load_course(course))


def require_none(findings: Sequence[Finding]) -> None:
    """Raise NoExampleError with the first finding, where there is one: an example must hold."""
    if findings:
        raise NoExampleError(f"an example of the reference does not hold:\n{findings[0]}")


def read_files(root: Path) -> dict[str, str]:
    """The files that the how-to tells its reader to write, by path. Raises NoExampleError."""
    try:
        page = (root / HOW_TO).read_text(encoding="utf-8")
    except OSError as error:
        raise NoExampleError(
            f"{root / HOW_TO}: {error.strerror}; the reference is made in a checkout"
        ) from None
    return {match[2]: match[3] for match in _FILE.finditer(page)}
