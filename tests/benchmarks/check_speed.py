"""How long does ``course check`` take, and how much memory, as a course grows?

Run by ``make bench-check``; it prints a table and judges nothing but that the course agrees.
Each page has the shape of a lesson: some six hundred words, ten claims, two snippets, a table, a
transcript, a table of its own, lists, code, versions and labels. One program serves ten pages.
Each size is checked three times by a process of its own, and the median is printed: the time on
the clock, and that on the processor, which other work on the machine lengthens less.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import click

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.course_factory import (  # noqa: E402 - found beside this file, however it is started
    CHECK,
    DECLARATION,
    PROGRAM,
    SETTINGS,
    make_course,
    make_transcripts,
)

SIZES = (50, 100, 200, 400, 1000)
PAGES_PER_PROGRAM = 10
ROUNDS = 3

PROSE = """\
A kernel is launched by the host and runs on the device, and each of its threads reads its own
index before it does anything else. What a warp asks of memory in one instruction is served in
sectors, so the order in which neighbours read decides how many of them are moved for nothing. A
thread that leaves early leaves its warp behind, and a barrier waits for those that remain.
"""

PAGE = """\
---
title: Lesson {number}
description: What this lesson is about.
---

# Day {number}: vectors, {word}

{prose}
Each block has [256](claim:{name}.source.kBlock) threads, on a GPU with
[132](claim:{name}.device.sm_count) multiprocessors and [60 MiB](claim:{name}.device.l2_bytes) of L2.

/// snippet | {name}#block
///

## 1. What it does

{prose}
- The wide kernel takes [0.626 ms](claim:{name}.time["large", "wide"]) on the large case.
- The narrow one takes [1.25 ms](claim:{name}.time["large", "narrow"]), so the gain is
  [2.1×](claim:{name}.speedup["large"]), *not* what float32 alone would give.
- In Lesson {number}, Figure 3 and lines 12–17 nothing else was said.

/// snippet | {name}#add-kernel
///

```cpp
for (int i = 0; i < 1024; i += 32) {{ total += a[i] * 0.5f; }}
```

{prose}
| what | where | how many |
|------|-------|---------:|
| threads | each block | [256](claim:{name}.source.kBlock) |
| registers | each thread | [12](claim:{name}.compiler["add"].registers) |
| cases | the program | [2](claim:len({name}.case[:])) |

!!! note "Versions"

    Built with CUDA 13.0 and driver 580.159.03 on 2026-12-01; see
    [the manual](https://docs.example.org/cuda/13.0/index.html#section-5) for `-arch=sm_90`.

## 2. What was measured

{prose}
/// table | {name}
///

1. [Wide is faster](claim:all({name}.speedup[:] > 1)) in every case.
2. From case to case the gain is [1.5–2.1×](claim:{name}.speedup[:]).
3. `x = 17` stands in code, and so does the rest.

{prose}
{prose}
/// transcript | {name}
///

{prose}
"""


@dataclass(frozen=True)
class Measured:
    """One size: seconds on the clock and on the processor, and megabytes, each the median."""

    pages: int
    programs: int
    seconds: float
    processor: float
    megabytes: float


def write_course(root: Path, pages: int, programs: int) -> None:
    """A course of so many pages and programs, without findings."""
    names = [f"add{index}" for index in range(programs)]
    make_course(
        root,
        {name: PROGRAM.format(name=name) for name in names},
        dict.fromkeys(names, DECLARATION),
        dict.fromkeys(names, make_transcripts()),
        SETTINGS,
        dict.fromkeys(names, CHECK),
    )
    folder = root / "docs" / "lessons"
    folder.mkdir(parents=True)
    for index in range(pages):
        text = PAGE.format(
            number=index + 1,
            word="again" * (index % 3),
            name=names[index % programs],
            prose=PROSE,
        )
        (folder / f"day-{index + 1:04d}.md").write_text(text, encoding="utf-8")


def check_once(root: Path) -> tuple[float, float, float]:
    """What one ``course check`` took: seconds, the processor's seconds, megabytes.

    Raises RuntimeError on a finding.
    """
    code = (
        "import resource, sys\n"
        "from build_tools.command.main import main\n"
        "try:\n    main()\n"
        "finally:\n"
        "    own = resource.getrusage(resource.RUSAGE_SELF)\n"
        "    others = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "    used = own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime\n"
        "    print(used, own.ru_maxrss + others.ru_maxrss, file=sys.stderr)\n"
    )
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, "--root", str(root), "check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - started
    if done.returncode:
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    processor, kibibytes = map(float, done.stderr.split()[-2:])
    return seconds, processor, kibibytes / 1024


def measure_size(pages: int, programs: int, rounds: int) -> Measured:
    """The median of several checks of a course of this size."""
    folder = Path(tempfile.mkdtemp(prefix="course-bench-"))
    try:
        write_course(folder, pages, programs)
        taken = [check_once(folder) for _ in range(rounds)]
    finally:
        shutil.rmtree(folder)
    seconds, processor, megabytes = (statistics.median(row) for row in zip(*taken, strict=True))
    return Measured(pages, programs, seconds, processor, megabytes)


def main() -> None:
    """Print the curve."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sizes", nargs="*", type=int, default=list(SIZES), metavar="PAGES")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--pages-per-program", type=int, default=PAGES_PER_PROGRAM)
    options = parser.parse_args()
    heads = ("pages", "programs", "s", "cpu_s", "MB", "cpu_ms/page", "cpu_ms/page_more")
    click.echo(" ".join(f"{head:>8}" for head in heads))
    before: Measured | None = None
    for pages in options.sizes:
        programs = max(1, pages // options.pages_per_program)
        now = measure_size(pages, programs, options.rounds)
        cells = [f"{now.pages}", f"{now.programs}", f"{now.seconds:.2f}", f"{now.processor:.2f}"]
        cells += [f"{now.megabytes:.0f}", f"{now.processor / now.pages * 1e3:.2f}"]
        if before and now.pages != before.pages:
            # What each further page cost, without what starting Python costs once.
            more = (now.processor - before.processor) / (now.pages - before.pages)
            cells.append(f"{more * 1e3:.2f}")
        widths = (max(8, len(head)) for head in heads)
        click.echo(" ".join(f"{c:>{w}}" for c, w in zip(cells, widths, strict=False)))
        before = now


if __name__ == "__main__":
    main()
