"""In which order are the parts of all programs made, and how do they reach the disk?

Nothing is timed any more by then, so compilers work beside the GPU. Counters see all that goes on
on the GPU, so they are counted alone; then everything else of all programs is made side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from datetime import UTC, datetime

from build_tools.diagnostics.finding import Finding
from build_tools.evidence.part_compose import compose_part
from build_tools.evidence.part_judge import judge_part
from build_tools.evidence.part_model import LoadedPart, PartKind
from build_tools.evidence.parts import find_newest
from build_tools.evidence.shelf import read_shelf
from build_tools.measure.bench import Bench, start_builds
from build_tools.measure.campaign_findings import report_disk, report_lock
from build_tools.measure.deposit import LockHeldError, choose_identity, hold_lock, write_files
from build_tools.measure.ground import Ground, Want
from build_tools.measure.part_runs import Draft, make_part, report_start
from build_tools.measure.room import Room
from build_tools.measure.rounds import Job
from build_tools.measure.toolchain import Toolchain
from build_tools.source.model import slugify_device

Files = dict[str, bytes]


def open_benches(
    ground: Ground,
    jobs: Sequence[Job],
    wants: Mapping[str, Want],
    toolchain: Toolchain,
    room: Room,
    pool: Executor,
) -> dict[str, Bench]:
    """What the parts of each program are made with; their mutants begin to be compiled."""
    benches: dict[str, Bench] = {}
    first: Bench | None = None
    for job in jobs:
        bench = Bench(
            ground.root,
            job.program,
            job.compiled,
            job.folder,
            toolchain,
            ground.arch,
            ground.ledger,
            ground.progress,
            room=room,
            campaign=ground.campaign,
        )
        first = first or bench
        bench.tools, bench.known_metrics = first.tools, first.known_metrics
        # The header's stamp moves lines yet, so the build with lines has to wait.
        start_needed(bench, pool, wants[job.program.name].kinds, lines=False)
        benches[job.program.name] = bench
    return benches


def measure_parts(
    ground: Ground,
    benches: Sequence[Bench],
    wants: Mapping[str, Want],
    room: Room,
    pool: Executor,
    take: Callable[[Files], object],
) -> list[Finding]:
    """Make the parts that are wanted of these programs; what is wrong.

    ``take`` gets the files for a bundle as they come.
    """
    for bench in benches:
        start_needed(bench, pool, wants[bench.program.name].kinds)
    asked = [(bench, kind) for bench in benches for kind in wants[bench.program.name].kinds]
    wrong: dict[tuple[str, PartKind], list[Finding]] = {}

    def finish(bench: Bench, kind: PartKind, stem: str, draft: Draft | Finding) -> None:
        written, findings = write_part(ground, bench, stem, draft)
        take(written)
        ground.note_findings(findings)
        wrong[bench.program.name, kind] = findings

    for bench, kind in asked:
        if kind is PartKind.COUNTERS:
            finish(bench, kind, *draft_part(ground, bench, kind))
    beside = [(bench, kind) for bench, kind in asked if kind is not PartKind.COUNTERS]
    with ThreadPoolExecutor(_DRAFTS_AT_ONCE) as drafts:
        try:
            started: dict[Future[tuple[str, Draft | Finding]], tuple[Bench, PartKind]] = {
                drafts.submit(draft_part, ground, bench, kind): (bench, kind)
                for bench, kind in beside
            }
            for future in as_completed(started):
                finish(*started[future], *future.result())
        except BaseException:
            room.stop.set()  # before the pool waits for its threads
            drafts.shutdown(wait=False, cancel_futures=True)
            raise
    return [f for bench, kind in asked for f in wrong[bench.program.name, kind]]


_DRAFTS_AT_ONCE = 16
"""Parts that are made at once; how many processes run then is the room's to say."""


def start_needed(
    bench: Bench, pool: Executor, kinds: Sequence[PartKind], *, lines: bool = True
) -> None:
    """Begin all builds that these parts need and that were not begun yet."""
    rules = bench.program.declaration.parts.mutants
    names = list(rules) if PartKind.MUTANTS in kinds else []
    if PartKind.SANITIZERS in kinds:
        names += [rule.name for rule in rules.values() if rule.proves and rule.name not in names]
    lines = lines and (PartKind.SANITIZERS in kinds or PartKind.LISTINGS in kinds)
    wanted = [name for name in names if name not in bench.mutants]
    start_builds(bench, pool, lines=lines and bench.with_lines is None, mutants=wanted)


def measure_part(ground: Ground, bench: Bench, kind: PartKind) -> tuple[Files, list[Finding]]:
    """Make one part and write it; what it says against the program is among the findings."""
    return write_part(ground, bench, *draft_part(ground, bench, kind))


def draft_part(ground: Ground, bench: Bench, kind: PartKind) -> tuple[str, Draft | Finding]:
    """Run a part's tools: where the part will lie, and what came of it."""
    program = bench.program
    ground.progress(f"{program.name}: {kind}")
    folder = f"evidence/{program.name}/{slugify_device(ground.device.model)}"
    date = datetime.now(UTC).strftime("%Y-%m-%d")
    stem = f"{folder}/{choose_identity(ground.root, folder, date, kind.value)}"
    try:
        return stem, make_part(bench, ground.device, kind, stem)
    except OSError as error:
        return stem, report_start(bench, kind, error)


def write_part(
    ground: Ground, bench: Bench, stem: str, draft: Draft | Finding
) -> tuple[Files, list[Finding]]:
    """Derive what follows from a part's files and write it; the files, if for a bundle."""
    program = bench.program
    if isinstance(draft, Finding):
        return {}, [draft]
    if draft.part is None or draft.findings:
        return {}, draft.findings
    loaded, files, findings = compose_part(program, draft.part, stem, draft.files)
    if loaded is None:
        return {}, findings
    findings = judge_part(program, loaded)
    known = _find_same_refusal(ground, bench, loaded)
    if known is not None:
        return {}, judge_part(program, known)
    if ground.bundle is not None:
        return files, findings
    try:
        with hold_lock(ground.root):
            write_files(ground.root, files)
    except LockHeldError:
        return {}, [*findings, report_lock(program)]
    except OSError as error:
        return {}, [*findings, report_disk(program, error)]
    ground.progress(f"{program.name}: wrote {loaded.path}")
    return {}, findings


def _find_same_refusal(ground: Ground, bench: Bench, loaded: LoadedPart) -> LoadedPart | None:
    """The newest part of the kind, when it holds the same refusal already."""
    if not loaded.part.could_not_check or not ground.is_reference:
        return None
    shelf, _ = read_shelf(ground.root, bench.program, ground.settings)
    newest = find_newest(shelf, loaded.kind)
    same = newest is not None and newest.part.could_not_check == loaded.part.could_not_check
    return newest if same else None
