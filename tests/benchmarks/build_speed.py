"""How much longer does a site take with the course's tools than the same site without them?

Run by ``make bench``. The same pages, generated ones included, are built by plain Material for
MkDocs with code as fences, and by our plugin: with no cache, with nothing changed since, and with
one lesson changed. Builds alternate, so that what else the machine does hits all of them; medians
and their ratios to the plain build are printed: time on the clock, time on the processor (which
other work lengthens less) and the peak of memory. Sites lie in memory where the system has a place
for that: the file system of a disk can be slow to make files where as many were removed a moment
ago, which is no matter of either.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import click

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.lesson_course import write_lessons  # noqa: E402 - found beside this file
from tests.benchmarks.plain_site import write_plain  # noqa: E402 - likewise

SIZES = (10, 100)
MEMORY = Path("/dev/shm")
TEMPORARY = ".temporary"
ROUNDS = 5
HEADS = ("lessons", "build", "s", "cpu_s", "MB", "x_s", "x_cpu", "x_MB")

SETTINGS = """\
site_name: A course
theme:
  name: material
  font: false
  features: [content.code.copy, navigation.footer, navigation.prune]
markdown_extensions:
  - admonition
  - attr_list
  - md_in_html
  - tables
  - toc:
      permalink: true
  - pymdownx.highlight
  - pymdownx.superfences
"""
# Records are reached from programs in both.
PLAIN = SETTINGS + "plugins: [search]\nnot_in_nav: /records/\n"
OURS = SETTINGS + "  - build_tools.pages\nplugins: [search, course]\n"


@dataclass(frozen=True)
class Taken:
    """What one build took: seconds on the clock and on the processor, megabytes."""

    seconds: float
    processor: float
    megabytes: float


def build_site(folder: Path) -> Taken:
    """Build the site in ``folder``. Raises RuntimeError when the build fails.

    Modules are compiled beside it, once, as installing a package compiles its own.
    """
    environment = {**os.environ, "COURSE_RUN": "never", "NO_MKDOCS_2_WARNING": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PYTHONPYCACHEPREFIX"] = str(folder.parent / "compiled")
    environment["PYTHONPATH"] = str(ROOT)
    environment["TMPDIR"] = str(folder / TEMPORARY)
    (folder / TEMPORARY).mkdir(exist_ok=True)
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "mkdocs", "build", "--quiet"],
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=output,
        )
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            raise RuntimeError(output.read().decode()[-4000:])
    return Taken(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def write_both(folder: Path, lessons: int) -> tuple[Path, Path]:
    """The plain course and ours, each with its mkdocs.yml, below ``folder``."""
    ours, plain = folder / "ours", folder / "plain"
    write_ours(ours, lessons)
    write_plain(ours, plain)
    (plain / "mkdocs.yml").write_text(PLAIN, encoding="utf-8")
    return plain, ours


def write_ours(root: Path, lessons: int) -> None:
    """A course of so many lessons under ``root``, with the settings of a site of ours."""
    write_lessons(root, lessons)
    (root / "mkdocs.yml").write_text(OURS, encoding="utf-8")


def forget_everything(ours: Path) -> None:
    """Remove the site, the cache, and compiled templates, which lie among temporary files."""
    for name in ("site", ".cache", TEMPORARY):
        shutil.rmtree(ours / name, ignore_errors=True)


def change_a_lesson(ours: Path) -> None:
    """Add a sentence to a lesson in the middle of the course."""
    lessons = sorted((ours / "docs").glob("chapter-*/*.md"))
    with lessons[len(lessons) // 2].open("a", encoding="utf-8") as file:
        file.write("\nWhat is new is said at the end.\n")


def measure_size(lessons: int, rounds: int) -> dict[str, list[Taken]]:
    """What each kind of build took, in every round."""
    place = MEMORY if os.access(MEMORY, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="course-bench-", dir=place))
    try:
        plain, ours = write_both(folder, lessons)
        steps: Mapping[str, tuple[Path, Callable[[Path], None]]] = {
            "plain": (plain, forget_everything),
            "cold": (ours, forget_everything),
            "unchanged": (ours, lambda _: None),
            "one-lesson": (ours, change_a_lesson),
        }
        taken: dict[str, list[Taken]] = {name: [] for name in steps}
        for place in (plain, ours):
            build_site(place)
        for _ in range(rounds):
            for name, (place, prepare) in steps.items():
                prepare(place)
                taken[name].append(build_site(place))
    finally:
        shutil.rmtree(folder)
    return taken


def take_median(taken: list[Taken]) -> Taken:
    """Each quantity's median."""
    return Taken(
        statistics.median(one.seconds for one in taken),
        statistics.median(one.processor for one in taken),
        statistics.median(one.megabytes for one in taken),
    )


def compose_row(lessons: int, name: str, now: Taken, plain: Taken) -> list[str]:
    """A row of the table: medians, and ratios to the plain build."""
    return [
        f"{lessons}",
        name,
        f"{now.seconds:.2f}",
        f"{now.processor:.2f}",
        f"{now.megabytes:.0f}",
        f"{now.seconds / plain.seconds:.2f}",
        f"{now.processor / plain.processor:.2f}",
        f"{now.megabytes / plain.megabytes:.2f}",
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sizes", nargs="*", type=int, default=list(SIZES), metavar="LESSONS")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    click.echo(" ".join(f"{head:>10}" for head in HEADS))
    for lessons in options.sizes:
        medians = {n: take_median(t) for n, t in measure_size(lessons, options.rounds).items()}
        for name, median in medians.items():
            row = compose_row(lessons, name, median, medians["plain"])
            click.echo(" ".join(f"{cell:>10}" for cell in row))


if __name__ == "__main__":
    main()
