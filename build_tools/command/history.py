"""How are a program's values over its records printed?"""

from __future__ import annotations

from collections.abc import Iterator

from build_tools.claims.history import History, HistoryLine, HistoryRecord
from build_tools.evidence.loaded import State


def describe_history(history: History) -> Iterator[str]:
    """A history in lines: record by record for an expression, value by value without one."""
    if history.error:
        yield history.error
        yield f"    do: {history.advice}"
        return
    count = len(history.records)
    yield f"{history.program}, {history.device}: {count} record{'' if count == 1 else 's'}"
    for line in history.lines if history.expression else ():
        yield ""
        yield from _describe_line(history, line)
    if not history.expression:
        for record in history.records:
            yield f"  {_say_record(record)}"
        yield ""
        yield from _describe_all(history)
    if any(record.state is State.STALE for record in history.records):
        yield ""
        yield "stale records are read with the constants and quantities of the program as it is now"


def _say_record(record: HistoryRecord) -> str:
    state = ["shown"] * record.is_shown + ["newest pool"] * record.is_pooled
    return (
        f"{record.identity}  {record.started[11:16]}  {', '.join([record.state.value, *state])}  "
        f"driver {record.driver}, CUDA {record.cuda}, code {record.code_digest[:8]}, "
        f"machine code {record.machine_code_digest[:8]}, {record.processes} processes"
    )


def _say_change(line: HistoryLine) -> str:
    return f"{line.change:+.2%}".replace("%", " %") if line.change is not None else ""


def _describe_line(history: History, line: HistoryLine) -> Iterator[str]:
    change = _say_change(line)
    yield f"{line.name}  {line.strip}  {change}".rstrip()
    shown = [f.shown if f else "—" for f in line.figures]
    bands = [f.band if f and f.band else "" for f in line.figures]
    widths = max(map(len, shown)), max(map(len, bands))
    rows = zip(history.records, shown, bands, line.errors, strict=True)
    for record, value, band, error in rows:
        said = f"  ({error})" if error else ""
        yield (
            f"  {line.strip[history.records.index(record)]} {value:>{widths[0]}}  "
            f"{band:<{widths[1]}}  {_say_record(record)}{said}"
        )
    yield from _describe_pool(history, line)


def _describe_pool(history: History, line: HistoryLine) -> Iterator[str]:
    """The band that pages are held to, where it is that of more than one record."""
    pooled = sum(record.is_pooled for record in history.records)
    if line.pool is not None and line.pool.band and pooled > 1:
        yield (
            f"  pages are held to {line.pool.shown} (band {line.pool.band}): the bands of the "
            f"newest pool's {pooled} records together"
        )


def _describe_all(history: History) -> Iterator[str]:
    """Each value in one line: its strip, the oldest and the newest value, and the change."""
    names = max((len(line.name) for line in history.lines), default=0)
    for line in history.lines:
        known = [figure.shown for figure in line.figures if figure]
        ends = "no value" if not known else known[0]
        if len(known) > 1:
            ends += f" → {known[-1]}"
        yield f"  {line.name:<{names}}  {line.strip}  {ends}  {_say_change(line)}".rstrip()
