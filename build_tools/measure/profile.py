"""What do the hardware's counters say of a program's kernels, apart from all timing?"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.counter_log import CounterLog, LogError, list_errors, read_counter_log
from build_tools.evidence.part_model import CounterSession, ProfilerRun
from build_tools.evidence.record import describe_file
from build_tools.measure.bench import Bench, Executed, list_last_lines, run_binary
from build_tools.measure.run import execute
from build_tools.measure.tools import Tool
from build_tools.source.part_rules import CounterRule

_QUERY_LIMIT = 120.0
_QUERY_CAP = 16 * 1024 * 1024
_METRIC_NAME = re.compile(r"^(?P<name>[a-z][a-z0-9_]*__[a-z0-9_]+)\b", re.MULTILINE)
_OF_PROGRAM = re.compile(r"application returned an error code", re.IGNORECASE)
"""What the profiler says when the program itself fails."""


@dataclass(frozen=True)
class Profiled:
    """A session's runs and their files; or why there are none, in the profiler's words."""

    session: CounterSession
    files: dict[str, bytes]
    findings: list[Finding]
    refusal: str = ""
    refusal_log: bytes = b""


def compose_profile(rule: CounterRule, metrics: Sequence[str]) -> tuple[str, ...]:
    """The profiler's options for some metrics of a session; the program and its arguments follow.

    Clocks are left alone, as they are when the program is timed; caches are flushed before each
    pass or left alone, as the session says.
    """
    kernels = "|".join(re.escape(kernel) for kernel in rule.kernels)
    return (
        "--csv",
        "--page",
        "raw",
        "--print-units",
        "base",
        "--print-kernel-base",
        "function",
        "--clock-control",
        "none",
        "--cache-control",
        "all" if rule.caches == "cold" else "none",
        "--target-processes",
        "application-only",
        "--kernel-name-base",
        "function",
        "--kernel-name",
        f"regex:^({kernels})$",
        "--metrics",
        ",".join(metrics),
        "--log-file",
        "{log}",
    )


def query_metrics(tool: Tool, bench: Bench) -> frozenset[str]:
    """The metrics of this machine's GPU, without suffixes; none when the profiler tells none."""
    done = execute(
        [str(tool.path), "--query-metrics"],
        cwd=bench.folder,
        time_limit=_QUERY_LIMIT,
        output_cap=_QUERY_CAP,
        more_environment={"HOME": str(bench.folder), **tool.environment},
    )
    return read_metric_names(done.stdout.decode("utf-8", "replace"))


def read_metric_names(text: str) -> frozenset[str]:
    """The first word of each line that is a metric's name."""
    return frozenset(match["name"] for match in _METRIC_NAME.finditer(text))


def check_metrics(rule: CounterRule, known: frozenset[str]) -> list[Finding]:
    """A finding for each metric that the GPU does not have, with near matches.

    ``known`` holds names without suffixes; when it is empty nothing can be said.
    """
    findings = []
    for metric in rule.metrics.values() if known else ():
        base, _, suffix = metric.metric.partition(".")
        if base in known or base.startswith(("launch__", "device__", "derived__")):
            continue
        near = difflib.get_close_matches(base, known, n=3, cutoff=0.6)
        names = [f"`{name}{'.' if suffix else ''}{suffix}`" for name in near]
        advice = f"did you mean {' or '.join(names)}?" if names else "see `ncu --query-metrics`"
        true = "the profiler knows no such metric of this GPU"
        stated = f"`{metric.metric}`"
        findings.append(Finding(Kind.DECLARATION, metric.metric_place, stated, true, advice))
    return findings


def profile_session(bench: Bench, rule: CounterRule, tool: Tool, stem: str) -> Profiled:
    """Run a session as often as its launches need.

    With hot caches each launch must take one pass: metrics that do not fit one are spread over
    several runs. ``stem`` is the path of the part's files from the root. Raises OSError.
    """
    empty = CounterSession(name=rule.name, caches=rule.caches, runs=())
    waiting = [[metric.metric for metric in rule.metrics.values()]]
    kept: list[Executed] = []
    while waiting:
        group = waiting.pop(0)
        launches = turn = 0
        while turn < rule.launches and launches < rule.launches:
            executed = _profile_once(bench, rule, tool, group, turn)
            log = _read_log(executed, group)
            refusal = _explain_refusal(executed, log)
            if refusal:
                return Profiled(empty, {}, [], refusal, executed.log)
            if executed.exit_status or executed.cut:
                return Profiled(empty, {}, [_report_failure(rule, executed)])
            if rule.caches == "hot" and log is not None and log.passes > 1 and len(group) > 1:
                middle = (len(group) + 1) // 2
                waiting[:0] = [group[:middle], group[middle:]]
                break
            kept.append(executed)
            turn += 1
            seen = _count_launches(rule, log)
            launches += seen
            if not seen:
                break  # Deriving the values says which kernel was not launched.
    files: dict[str, bytes] = {}
    runs = []
    for number, executed in enumerate(kept, 1):
        path = f"{stem}/{rule.name}-{number:02}.csv"
        files[path] = executed.log
        runs.append(
            ProfilerRun(
                command=executed.command,
                log=describe_file(path, executed.log),
                exit_status=executed.exit_status,
                seconds=round(executed.seconds, 6),
            )
        )
    session = CounterSession(name=rule.name, caches=rule.caches, runs=tuple(runs))
    return Profiled(session, files, [])


def _profile_once(
    bench: Bench, rule: CounterRule, tool: Tool, metrics: Sequence[str], turn: int
) -> Executed:
    options = compose_profile(rule, metrics)
    return run_binary(bench, bench.compiled, rule.args, "counters", (tool, options), turn)


def _read_log(executed: Executed, metrics: Sequence[str]) -> CounterLog | None:
    """The log; None where it has another form, which deriving its values then places."""
    try:
        return read_counter_log(executed.log.decode("utf-8", "replace"), metrics)
    except LogError:
        return None


def _explain_refusal(executed: Executed, log: CounterLog | None) -> str:
    """Why the profiler counted nothing, in its own words; empty when it counted something."""
    if log is not None and log.launches:
        return ""
    text = executed.log + b"\n" + executed.output
    errors = [e for e in list_errors(text.decode("utf-8", "replace")) if not _OF_PROGRAM.search(e)]
    if errors:
        return " ".join(dict.fromkeys(errors))[:600]
    if not executed.log and not executed.exit_status:
        return "the profiler wrote nothing"
    return ""


def _count_launches(rule: CounterRule, log: CounterLog | None) -> int:
    """How often the kernel that was launched least was; 0 when one was not."""
    if log is None:
        return 0
    return min(sum(launch.kernel == kernel for launch in log.launches) for kernel in rule.kernels)


def _report_failure(rule: CounterRule, executed: Executed) -> Finding:
    said = list_last_lines(executed)
    how = executed.cut or f"it ended with exit status {executed.exit_status}"
    return Finding(
        Kind.RUN,
        rule.place,
        f"the program runs to its end under the profiler (`{' '.join(rule.args)}`)",
        how + (f"; its last lines: {said}" if said else ""),
        "run it by hand with these arguments; nothing was recorded",
    )
