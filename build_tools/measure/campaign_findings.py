"""What is said when a campaign cannot do what it was asked to?"""

from __future__ import annotations

from collections.abc import Iterable

from build_tools.diagnostics.finding import Finding, Kind, Place, suggest_names
from build_tools.evidence.model import ReaderCheck
from build_tools.evidence.reader import list_acceptances, say_acceptance
from build_tools.source.model import Program


def report_unknown(name: str, known: Iterable[str]) -> Finding:
    """For a program that is none."""
    true = "there is no such program"
    return Finding(Kind.RUN, Place("snippets"), f"`{name}`", true, suggest_names(name, known))


def report_no_device(program: Program, reason: str) -> Finding:
    """For a machine without a GPU that can be used."""
    return Finding(
        Kind.DEVICE,
        program.header.run_place,
        f"`{program.header.run}` runs on this machine's GPU",
        reason,
        "run it where there is one; `course run --bundle FILE` there, `course record FILE` here",
        checked=False,
    )


def report_disk(program: Program, error: OSError) -> Finding:
    """For a disk that takes no evidence."""
    where = f" ({error.filename})" if error.filename else ""
    return Finding(
        Kind.RUN,
        program.header.run_place,
        "evidence is written into the tree",
        f"it cannot be: {error.strerror}{where}",
        "make the tree writable, or take the record along with --bundle FILE",
        checked=False,
    )


def report_lock(program: Program) -> Finding:
    """For a tree in which another process writes evidence."""
    return Finding(
        Kind.RUN,
        program.header.run_place,
        "evidence is written into the tree",
        "another process keeps the lock .course.lock",
        "let the other build or run end, and run again",
        checked=False,
    )


def report_check(program: Program, check: ReaderCheck) -> list[Finding]:
    """For a reader's check that could not be made, or that failed."""
    if check.could_not_check:
        return [
            Finding(
                Kind.CHECK,
                Place(program.check_path),
                "the reader's check",
                check.could_not_check,
                "make CuPy work here, pip install 'cuda-course[gpu]', and run again",
                checked=False,
            )
        ]
    findings = []
    for verdict in check.regions:
        place = program.regions[verdict.region].place
        if not verdict.passed:
            stated = f"region `{verdict.region}` works as a reader copies it"
            advice = "correct the region, its needs or check.py; nothing was recorded"
            if "CUDA_ERROR_NOT_FOUND" in verdict.said:
                # The compiler mangles the names of C++ kernels; every author meets this once.
                advice = (
                    "get the kernel by its C++ name: module = cupy.RawModule(code=source, "
                    "name_expressions=(name,)), then module.get_function(name); nothing was "
                    "recorded"
                )
            findings.append(Finding(Kind.CHECK, place, stated, verdict.said, advice))
        findings += [
            Finding(
                Kind.CHECK,
                place,
                f"region `{verdict.region}` needs `{need}`",
                "it passes its check without",
                f"take `{need}` out of the needs in program.toml; nothing was recorded",
            )
            for need, failure in verdict.needs_shown_necessary.items()
            if not failure
        ]
    for _, region, left in list_acceptances(check):
        stated, true, advice = say_acceptance(region, left)
        place = Place(program.check_path)
        findings.append(Finding(Kind.CHECK, place, stated, true, f"{advice}; nothing was recorded"))
    return findings
