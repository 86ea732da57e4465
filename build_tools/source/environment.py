"""Which variables of the environment do the tools read, and what does each do?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

COURSE_RUN = "COURSE_RUN"
COURSE_ENABLED = "COURSE_ENABLED"
COURSE_FINDINGS = "COURSE_FINDINGS"
COURSE_CACHE = "COURSE_CACHE"
COURSE_JOBS = "COURSE_JOBS"
CI = "CI"
GITHUB_WORKSPACE = "GITHUB_WORKSPACE"
CUDA_HOMES = ("CUDA_HOME", "CUDA_PATH")
"""The variables that may name a CUDA toolkit's folder, in the order they are asked."""
PASSED_ON = ("PATH", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "TMPDIR")
"""All that programs and compilers are given of the environment, beside a fixed locale."""


_OFF = ("0", "false", "no", "off")


def may_keep(environment: Mapping[str, str]) -> bool:
    """Whether anything may be kept for the next time, as ``COURSE_CACHE`` says."""
    return environment.get(COURSE_CACHE, "").strip().lower() not in _OFF


@dataclass(frozen=True)
class Variable:
    """A variable: who reads it, and what it does. Ticks mark code."""

    read_by: str
    meaning: str


_BUILD = "`mkdocs build`, `mkdocs serve`"

VARIABLES: Mapping[str, Variable] = {
    COURSE_RUN: Variable(
        "`mkdocs build`",
        "Which programs are run before the pages are rendered: `auto`, as when it is not set, "
        "runs what is stale or missing where the reference GPU is, and nothing where `CI` is set; "
        "`always` runs every program, and fails without the GPU; `never` runs none.",
    ),
    COURSE_ENABLED: Variable(
        _BUILD,
        "`false`, `no`, `off` or a zero switches the checks off, for a quick look at a page. "
        "Every page then says so.",
    ),
    COURSE_FINDINGS: Variable(
        "`mkdocs build`",
        "A file that gets the findings as well: `.json` by our own schema, `.sarif` for code hosts "
        "and editors, `.txt` as printed. Nothing is written without it.",
    ),
    COURSE_CACHE: Variable(
        "`course run`, `mkdocs build`",
        "`off`, `no`, `false` or a zero keeps nothing in `.cache/course`, no compiled template among "
        "the user's temporary files, and reads nothing from there. The answers are the same.",
    ),
    COURSE_JOBS: Variable(
        "`course check`, `mkdocs build`",
        "How many processes share the work on programs, records and pages; one a processor where "
        "it is not set. The answers are the same.",
    ),
    CI: Variable("`mkdocs build`", "Where it is set to anything, `COURSE_RUN=auto` runs nothing."),
    GITHUB_WORKSPACE: Variable(
        "`--format github`",
        "The folder of the checkout, from which annotations name their files. GitHub Actions "
        "sets it.",
    ),
    "CUDA_HOME": Variable(
        "`course compile`, `course run`",
        "The folder of a CUDA toolkit, whose `nvcc` is used where none is on `PATH`.",
    ),
    "CUDA_PATH": Variable("`course compile`, `course run`", "The same, asked after `CUDA_HOME`."),
    "PATH": Variable(
        "`course compile`, `course run`", "Where `nvcc` is looked for first; given to programs."
    ),
    "CUDA_VISIBLE_DEVICES": Variable(
        "`course run`", "Which GPU programs see; given to programs as it is."
    ),
    "LD_LIBRARY_PATH": Variable("`course run`", "Given to programs as it is."),
    "TMPDIR": Variable(
        "`course compile`, `course run`", "Where temporary folders are made; given to programs."
    ),
}
"""Each variable by name. Programs see nothing else of the environment."""
