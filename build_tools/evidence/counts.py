"""What do a session's logs come to: each counter of each kernel over its launches?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import msgspec

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.evidence.counter_log import (
    PASSES,
    Count,
    CounterLog,
    LogError,
    read_counter_log,
    read_profiler_unit,
)
from build_tools.evidence.part_model import CounterSession, CounterValues
from build_tools.quantity.spread import compute_band, compute_median
from build_tools.quantity.units import Unit, format_dimensions, parse_unit
from build_tools.source.part_rules import CounterRule, MetricRule

_PHYSICAL = frozenset({"B", "s", "W", "FLOP"})
"""Dimensions that are no nouns: the profiler's unit and the declared one must agree on them."""


@dataclass(frozen=True)
class KernelCounts:
    """One counter of one kernel: a value a launch, in base units, and where it was read."""

    unit: Unit
    values: tuple[Fraction, ...]
    half: Fraction
    """The largest half-width that a printed value leaves open."""
    lines: tuple[tuple[str, int], ...]
    """The log's path and line of each launch."""
    texts: tuple[str, ...] = ()
    """As printed."""


Counts = Mapping[tuple[str, str], KernelCounts]
"""By kernel and counter."""


def read_session(
    session: CounterSession, rule: CounterRule, texts: Mapping[str, str]
) -> tuple[Counts, int, list[Finding]]:
    """What the logs of a session hold of what its rule asks for, and the most passes.

    ``texts`` are the logs by path. The first launches of each kernel count, as many as asked.
    """
    findings: list[Finding] = []
    logs: list[tuple[str, CounterLog]] = []
    for run in session.runs:
        if run.log.path not in texts:
            continue
        try:
            log = read_counter_log(texts[run.log.path], list_metrics(rule))
            logs.append((run.log.path, log))
        except LogError as error:
            findings.append(
                Finding(
                    Kind.RECORD,
                    Place(run.log.path, error.line),
                    "a profiler's log",
                    str(error),
                    "this version of the profiler writes another form; keep the log and report it",
                )
            )
        else:
            if rule.caches == "hot" and log.launches and not log.passes:
                findings.append(_report_unknown_passes(run.log.path, log))
    counts: dict[tuple[str, str], KernelCounts] = {}
    for kernel in rule.kernels:
        for metric in rule.metrics.values():
            found = _collect(kernel, metric, rule, logs)
            if isinstance(found, Finding):
                findings.append(found)
            else:
                counts[kernel, metric.name] = found
    passes = max((log.passes for _, log in logs), default=0)
    return counts, passes, _keep_one_a_kernel(findings)


def list_metrics(rule: CounterRule) -> frozenset[str]:
    """The profiler's names of what a session asks for."""
    return frozenset(metric.metric for metric in rule.metrics.values())


def _report_unknown_passes(path: str, log: CounterLog) -> Finding:
    return Finding(
        Kind.RECORD,
        Place(path, log.launches[0].line),
        "launches that took one pass each, with hot caches",
        f"the log has no column `{PASSES}`",
        'this version of the profiler writes another form; say `caches = "cold"`, or report it',
    )


def _collect(
    kernel: str, metric: MetricRule, rule: CounterRule, logs: list[tuple[str, CounterLog]]
) -> KernelCounts | Finding:
    unit = parse_unit(metric.unit)
    found: list[tuple[str, Count, str]] = []
    launches = elsewhere = 0
    for path, log in logs:
        if metric.metric not in log.units:
            elsewhere += sum(launch.kernel == kernel for launch in log.launches)
            continue
        for launch in log.launches:
            if launch.kernel != kernel:
                continue
            launches += 1
            count = launch.counts[metric.metric]
            if count is None:
                return _report(
                    metric.metric_place,
                    f"`{metric.metric}` of `{kernel}`",
                    f"the profiler has no value of it on this GPU ({path}:{launch.line})",
                    "count something else",
                )
            found.append((path, count, log.units[metric.metric]))
    if elsewhere and not launches:
        # Unasked-for columns would hide it: the profiler says nothing of what it does not know.
        return _report(
            metric.metric_place,
            f"`{metric.metric}`",
            "the profiler left it out of what it counted, without a word",
            "see `ncu --query-metrics` for the name, and its manual for what may follow the dot",
        )
    if launches < rule.launches:
        true = f"the profiler saw {launches} of them"
        if not launches:
            true = "the profiler saw none: the program did not launch it, or the profiler not it"
        index = rule.kernels.index(kernel)
        return _report(
            rule.kernel_places[index],
            f"{rule.launches} launches of `{kernel}` under `{' '.join(rule.args)}`",
            true,
            "have the program launch it with these arguments",
        )
    chosen = found[: rule.launches]
    theirs = read_profiler_unit(chosen[0][2])
    mismatch = _explain_mismatch(metric, unit, chosen[0][2], theirs)
    if mismatch:
        return mismatch
    factor = theirs.factor if theirs is not None else unit.factor
    return KernelCounts(
        unit,
        tuple(count.value * factor for _, count, _ in chosen),
        max(count.half for _, count, _ in chosen) * factor,
        tuple((path, count.line) for path, count, _ in chosen),
        tuple(count.text for _, count, _ in chosen),
    )


def _explain_mismatch(
    metric: MetricRule, unit: Unit, text: str, theirs: Unit | None
) -> Finding | None:
    mine = {name for name, _ in unit.dimensions} & _PHYSICAL
    if theirs is None and not mine:
        return None
    if theirs is not None and theirs.dimensions == unit.dimensions:
        return None
    said = f"the profiler gives it in `{text}`" if text else "the profiler gives it no unit"
    advice = "declare that unit"
    if theirs is not None:
        advice = f'write unit = "{format_dimensions(theirs) if theirs.dimensions else ""}"'
    return _report(metric.unit_place, f"`{metric.metric}` in `{metric.unit}`", said, advice)


def _keep_one_a_kernel(findings: list[Finding]) -> list[Finding]:
    """A kernel that was not launched lacks every counter, and is said once."""
    return list(dict.fromkeys(findings))


def _report(place: Place, stated: str, true: str, advice: str) -> Finding:
    return Finding(Kind.DECLARATION, place, stated, true, advice)


def check_passes(rule: CounterRule, passes: int) -> Iterator[Finding]:
    """Hot caches and several passes do not go together: each pass but the first finds others."""
    if rule.caches == "hot" and passes > 1:
        yield _report(
            rule.caches_place,
            f'`caches = "hot"` of session `{rule.name}`',
            f"the profiler replayed each launch in {passes} passes, and restored memory between",
            'count what fits one pass, in a session of its own, or say `caches = "cold"`',
        )


_CACHE_CONTROL = "--cache-control"
_FLUSHES = "all"
"""What the profiler does where it is told nothing: it flushes all caches before each pass."""


def check_caches(session: CounterSession, rule: CounterRule) -> Iterator[Finding]:
    """What the session says of caches must be what its commands had the profiler do."""
    for run in session.runs:
        words = (*run.command, "")
        control = _FLUSHES
        if _CACHE_CONTROL in words:
            control = words[words.index(_CACHE_CONTROL) + 1]
        if (control == _FLUSHES) == (rule.caches == "cold"):
            continue
        did = "flushed all caches before each pass" if control == _FLUSHES else "flushed no cache"
        yield _report(
            rule.caches_place,
            f'`caches = "{rule.caches}"` of session `{rule.name}`',
            f"the profiler {did}: its command in {run.log.path} "
            + (f"says `{_CACHE_CONTROL} {control}`" if _CACHE_CONTROL in words else "says nothing"),
            "say what was done, or count again",
        )
        return


def derive_session(
    session: CounterSession, rule: CounterRule, texts: Mapping[str, str]
) -> tuple[CounterSession, list[Finding]]:
    """The session with its values and passes from its logs, and what is wrong with them."""
    counts, passes, findings = read_session(session, rule, texts)
    findings += check_passes(rule, passes)
    findings += check_caches(session, rule)
    runs = []
    for run in session.runs:
        own = 0
        if run.log.path in texts:
            try:
                own = read_counter_log(texts[run.log.path], ()).passes
            except LogError:
                own = 0
        runs.append(msgspec.structs.replace(run, passes=own))
    values = []
    for (kernel, counter), found in counts.items():
        band = compute_band(found.values, found.half)
        values.append(
            CounterValues(
                kernel=kernel,
                counter=counter,
                unit=rule.metrics[counter].unit,
                samples=tuple(float(value) for value in found.values),
                median=float(compute_median(found.values)),
                band_low=float(band.low),
                band_high=float(band.high),
            )
        )
    replaced = msgspec.structs.replace(session, runs=tuple(runs), values=tuple(values))
    return replaced, findings
