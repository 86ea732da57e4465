"""Which errors do the tools of compute-sanitizer find, and do they see the program at all?"""

from __future__ import annotations

from build_tools.evidence.part_model import SanitizerRun
from build_tools.evidence.record import describe_file
from build_tools.evidence.sanitizer_log import FOUND_STATUS
from build_tools.measure.bench import Bench, Executed, run_binary
from build_tools.measure.compile import Compiled
from build_tools.measure.tools import Tool

_MORE = {"racecheck": ("--print-level", "info")}
"""Options of single tools: racecheck hides hazards of the level INFO unless it is asked."""


def compose_sanitizer(tool: str) -> tuple[str, ...]:
    """The sanitizer's options for one of its tools; the program and its arguments follow.

    No kernel is filtered out: a filter that matches nothing finds nothing.
    """
    return (
        "--tool",
        tool,
        "--error-exitcode",
        str(FOUND_STATUS),
        *_MORE.get(tool, ()),
        "--log-file",
        "{log}",
    )


def execute_sanitizer(
    bench: Bench, compiled: Compiled, sanitizer: Tool, tool: str, args: tuple[str, ...]
) -> Executed:
    """A binary under one tool. Raises OSError."""
    options = compose_sanitizer(tool)
    return run_binary(bench, compiled, args, f"sanitizers: {tool}", (sanitizer, options))


def describe_sanitizer_run(
    executed: Executed, tool: str, mutant: str, stem: str
) -> tuple[SanitizerRun, dict[str, bytes]]:
    """The run as a part holds it, its verdict still to be derived, and its files."""
    name = f"{stem}/{tool}" + (f"-{mutant}" if mutant else "")
    log, output = f"{name}.log.txt", f"{name}.output.txt"
    run = SanitizerRun(
        tool=tool,
        mutant=mutant,
        command=executed.command,
        log=describe_file(log, executed.log),
        output=describe_file(output, executed.output),
        exit_status=executed.exit_status,
        seconds=round(executed.seconds, 6),
        cut=executed.cut,
    )
    return run, {log: executed.log, output: executed.output}
