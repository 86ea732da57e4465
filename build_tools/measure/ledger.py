"""Where did a campaign's time go: to the compiler, to the GPU, or to neither?

Builds overlap each other and what runs on the GPU, so shares are of the clock on the wall: a
moment counts for the GPU when anything ran there, else for the compiler when anything compiled.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

GPU = "GPU"
COMPILER = "compiler"


@dataclass(frozen=True)
class Span:
    """One thing that took time: seconds of the monotonic clock."""

    kind: str
    what: str
    begin: float
    end: float


@dataclass
class Ledger:
    """What was done when; any thread may write into it."""

    begin: float = field(default_factory=time.monotonic)
    spans: list[Span] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextlib.contextmanager
    def spend(self, kind: str, what: str) -> Iterator[None]:
        """Time spent on ``what``, also when it fails."""
        begin = time.monotonic()
        try:
            yield
        finally:
            span = Span(kind, what, begin, time.monotonic())
            with self._lock:
                self.spans.append(span)


def describe_ledger(ledger: Ledger, end: float) -> list[str]:
    """What took how long, and which share was neither compiler nor GPU work."""
    whole = max(end - ledger.begin, 1e-9)
    gpu = _measure_union([s for s in ledger.spans if s.kind == GPU])
    either = _measure_union(ledger.spans)
    totals: dict[tuple[str, str], tuple[int, float]] = {}
    for span in ledger.spans:
        count, seconds = totals.get((span.kind, span.what), (0, 0.0))
        totals[span.kind, span.what] = (count + 1, seconds + span.end - span.begin)
    lines = [f"time: {whole:.1f} s in all"]
    for kind, seconds in (
        (GPU, gpu),
        ("compiler alone", either - gpu),
        ("neither", whole - either),
    ):
        lines.append(f"  {kind:<16} {seconds:7.1f} s  {100 * seconds / whole:5.1f} %")
    lines.append("of it, side by side where they overlap:")
    for (kind, what), (count, seconds) in sorted(totals.items(), key=lambda i: -i[1][1]):
        times = f"{count} time{'s' * (count != 1)}"
        lines.append(f"  {seconds:7.1f} s  {kind:<9} {what} ({times})")
    return lines


def _measure_union(spans: Sequence[Span]) -> float:
    """Seconds in which at least one of them went on."""
    total, reached = 0.0, float("-inf")
    for span in sorted(spans, key=lambda s: s.begin):
        begin = max(span.begin, reached)
        if span.end > begin:
            total += span.end - begin
            reached = span.end
    return total
