"""How does a test get a program with counters, sanitizers, mutants and listings?

The program runs on the host: it tries the function that its kernel uses, and prints what a tool
would have seen, so that stand-ins for the tools can find it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from build_tools.diagnostics.finding import Finding
from build_tools.evidence.model import File
from build_tools.evidence.part_compose import compose_part
from build_tools.evidence.part_derive import PROGRAM_CHECK
from build_tools.evidence.part_digest import compose_asked, compute_part_digest
from build_tools.evidence.part_model import (
    PART_TYPES,
    CounterSession,
    LoadedPart,
    MutantOutcome,
    MutantTrial,
    PartKind,
    ProfilerRun,
    RegionListing,
    SanitizerRun,
)
from build_tools.evidence.record import describe_file
from build_tools.evidence.shelf import read_shelf
from build_tools.measure.deposit import write_files
from build_tools.measure.listing import anchor_lines
from build_tools.source.settings import read_settings
from tests.course_factory import CHECK, load_program, make_course

CASES = Path(__file__).parent / "cases" / "listing"
"""What cuobjdump and nvdisasm 13.5 wrote of the program below, compiled by nvcc 13.0."""

ASKED = tuple(kind for kind in PartKind if kind is not PartKind.CHECK)
"""The parts that the declaration below asks for."""

PROGRAM = """\
// Day 1: add two vectors.
//
// Build: nvcc -std=c++17 -O3 -arch=sm_90 -o add add.cu
// Run:   ./add

#include <cstdio>

// snippet: block
constexpr int kBlock = 256;
// end snippet: block

// snippet: add-kernel
constexpr bool kGuard = true;
constexpr bool kBarrier = true;

__host__ __device__ inline float addOne(float a, float b) { return a + b; }

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (!kGuard || i < n) c[i] = addOne(a[i], b[i]);
    if (kBarrier) __syncthreads();
}
// end snippet: add-kernel

int main() {
    if (addOne(1, 2) != 3) {
        std::puts("element 0 differs");
        return 1;
    }
    if (!kGuard) std::puts("memcheck sees it");
    if (!kBarrier) std::puts("racecheck sees it");
    std::puts("took 1.25 ms");
    return 0;
}
"""

DECLARATION = """\
[lines]
took = { pattern = "took {took:g} ms", units = { took = "ms" } }

[regions.add-kernel]
needs = ["block"]

[counters.small]
kernels = ["add"]
args = "--once --n 64"
caches = "hot"
launches = 3
[counters.small.metrics]
loads = { metric = "smsp__inst_executed_op_global_ld.sum", unit = "instructions" }
dram_read = { metric = "dram__bytes_read.sum", unit = "B" }

[sanitizers]
args = "--once --n 48"
tools = ["memcheck", "racecheck"]

[mutants.no-guard]
region = "add-kernel"
replace = "kGuard = true"
with = "kGuard = false"
proves = "memcheck"

[mutants.no-barrier]
region = "add-kernel"
replace = "kBarrier = true"
with = "kBarrier = false"
proves = "racecheck"

[mutants.subtracts]
region = "add-kernel"
replace = "return a + b;"
with = "return a - b;"

[mutants.turned]
region = "add-kernel"
replace = "return a + b;"
with = "return b + a;"
equivalent = "a sum does not depend on its order"

[listings.add-kernel]
"""


def compose_log(turn: int, metrics: Mapping[str, tuple[str, str]] | None = None) -> str:
    """What the profiler writes of one launch: by metric, its unit and its value."""
    told = metrics or {
        "smsp__inst_executed_op_global_ld.sum": ("inst", "8,192"),
        "dram__bytes_read.sum": ("byte", f"{33_554_432 + 32 * turn:,}"),
    }
    fixed = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Device", "CC"]
    fixed += ["device__attribute_display_name", "profiler__replayer_passes"]
    row = ["0", "66", "add", "127.0.0.1", "add", "0", "9.0", "NVIDIA H200", "1"]
    lines = [
        "==PROF== Connected to process 66 (add)",
        "==PROF== Disconnected from process 66",
    ]
    for cells in (
        [*fixed, *told],
        [*[""] * len(fixed), *(unit for unit, _ in told.values())],
        [*row, *(value for _, value in told.values())],
    ):
        lines.append(",".join(f'"{cell}"' for cell in cells))
    return "\n".join(lines) + "\n"


def compose_sanitizer_log(tool: str, *, found: bool) -> str:
    """What a tool writes that finds one error, or none."""
    if tool == "racecheck":
        counts = "1 hazard displayed (1 error, 0 warnings)"
        counts = counts if found else "0 hazards displayed (0 errors, 0 warnings)"
        race = "========= Error: Race reported between Write access at add+0x90\n" if found else ""
        return f"========= COMPUTE-SANITIZER\n{race}========= RACECHECK SUMMARY: {counts}\n"
    write = "========= Invalid __global__ write of size 4 bytes\n" if found else ""
    count = "1 error" if found else "0 errors"
    return f"========= COMPUTE-SANITIZER\n{write}========= ERROR SUMMARY: {count}\n"


class Bag:
    """Files of a part, by path."""

    def __init__(self, stem: str) -> None:
        self.stem = stem
        self.files: dict[str, bytes] = {}

    def add(self, name: str, text: str) -> File:
        path = f"{self.stem}/{name}"
        self.files[path] = text.encode()
        return describe_file(path, text.encode())


def make_parts_course(root: Path) -> None:
    """A course with the program ``add``, its record, and all its parts, on a made-up GPU."""
    make_course(
        root,
        {"add": PROGRAM},
        {"add": DECLARATION},
        {"add": ["took 1.25 ms\n"] * 10},
        checks={"add": CHECK},
    )
    for kind in ASKED:
        add_part(root, kind)


def add_part(root: Path, kind: PartKind, date: str = "2026-12-01", **changed: Any) -> str:
    """Write a part of ``add`` as its tools would have had it; its JSON's path from the root."""
    loaded, files, findings = draft_part(root, kind, date, **changed)
    assert loaded is not None, findings
    write_files(root, files)
    return loaded.path


def draft_part(
    root: Path, kind: PartKind, date: str = "2026-12-01", **changed: Any
) -> tuple[LoadedPart | None, dict[str, bytes], list[Finding]]:
    """A part of ``add`` as its tools would have had it, its files, or why it is not kept.

    ``logs`` are the profiler's, ``flags`` its options on caches; ``finds`` names tools that find errors in the program itself,
    ``blind`` those that notice no mutant; ``caught`` who rejects each mutant; ``bare_ptx`` leaves
    the lines of the source out of the PTX; other words are fields of the part.
    """
    program = load_program(root, "add")
    settings, _ = read_settings(root)
    shelf, _ = read_shelf(root, program, settings)
    shown = shelf.shown_record
    assert shown is not None
    bag = Bag(f"evidence/add/nvidia-h200/{kind}-{date}")
    fields: dict[str, Any] = {}
    if not changed.get("could_not_check"):
        fields = _FIELDS[kind](bag, changed)
    else:
        fields = {"refusal": bag.add("refusal.txt", "==ERROR== " + changed["could_not_check"])}
    others = {k: v for k, v in changed.items() if k not in _NO_FIELDS}
    draft = PART_TYPES[kind](
        **{
            "format": 1,
            "part": kind.value,
            "program": "add",
            "started": f"{date[:10]}T10:00:00Z",
            "code_digest": program.code_digest,
            "digest": compute_part_digest(root, program, kind),
            "asked": compose_asked(root, program, kind),
            "course": "0.1.0",
            "python": "3.11.7",
            "device": shown.record.device,
            "build": shown.record.build,
            "tools": {_TOOLS[kind]: "2025.3.1.0"},
            "seals": {},
            **fields,
            **others,
        }
    )
    return compose_part(program, draft, bag.stem, bag.files)


_NO_FIELDS = ("logs", "flags", "finds", "blind", "caught", "bare_ptx")

_TOOLS = {
    PartKind.COUNTERS: "ncu",
    PartKind.SANITIZERS: "compute-sanitizer",
    PartKind.MUTANTS: "compute-sanitizer",
    PartKind.LISTINGS: "cuobjdump",
}


def _count(bag: Bag, changed: Mapping[str, Any]) -> dict[str, Any]:
    logs = changed.get("logs") or [compose_log(turn) for turn in range(3)]
    flags = changed.get("flags", ("--cache-control", "none"))
    runs = tuple(
        ProfilerRun(
            command=("ncu", "--csv", *flags, "./add", "--once", "--n", "64"),
            log=bag.add(f"small-{number:02}.csv", log),
            exit_status=0,
            seconds=1.5,
        )
        for number, log in enumerate(logs, 1)
    )
    return {"sessions": (CounterSession(name="small", caches="hot", runs=runs),)}


def _sanitize(bag: Bag, changed: Mapping[str, Any]) -> dict[str, Any]:
    runs = []
    for tool, mutant in (
        ("memcheck", ""),
        ("memcheck", "no-guard"),
        ("racecheck", ""),
        ("racecheck", "no-barrier"),
    ):
        found = tool not in changed.get("blind", ()) if mutant else tool in changed.get("finds", ())
        runs.append(
            SanitizerRun(
                tool=tool,
                mutant=mutant,
                command=("compute-sanitizer", "--tool", tool, "./add"),
                log=bag.add(f"{tool}{mutant}.log.txt", compose_sanitizer_log(tool, found=found)),
                output=bag.add(f"{tool}{mutant}.output.txt", "took 1.25 ms\n"),
                exit_status=86 if found else 0,
                seconds=2.0,
            )
        )
    return {"line_info": True, "runs": tuple(runs)}


def _try(bag: Bag, name: str, by: str, rejects: bool) -> MutantTrial:
    is_tool = by in ("memcheck", "racecheck")
    said = "element 0 differs\n" if rejects else "took 1.25 ms\nall elements agree\n"
    text = compose_sanitizer_log(by, found=rejects) if is_tool else said
    return MutantTrial(
        by=by,
        command=(
            *(("compute-sanitizer", "--log-file", name) if is_tool else ()),
            "./add",
            "--once",
        ),
        log=bag.add(f"{name}.txt", text),
        exit_status=int(rejects),
        seconds=0.5,
    )


def _mutate(bag: Bag, changed: Mapping[str, Any]) -> dict[str, Any]:
    usual = {
        "no-guard": "memcheck",
        "no-barrier": "racecheck",
        "subtracts": PROGRAM_CHECK,
        "turned": "",
        "silent-add-kernel": PROGRAM_CHECK,
    }
    caught = {**usual, **changed.get("caught", {})}
    checks = (PROGRAM_CHECK, "memcheck", "racecheck")
    mutants = []
    for name, by in caught.items():
        tried = checks[: checks.index(by) + 1] if by else checks
        trials = [_try(bag, f"mutant-{name}-{i}", c, c == by) for i, c in enumerate(tried)]
        mutants.append(MutantOutcome(name=name, trials=tuple(trials)))
    sound = tuple(_try(bag, f"program-{i}", c, False) for i, c in enumerate(checks))
    return {"sound": sound, "mutants": tuple(mutants)}


def _list(bag: Bag, changed: Mapping[str, Any]) -> dict[str, Any]:
    texts = {n: (CASES / f"{n}.txt").read_text() for n in ("sass", "lines", "ptx")}
    if changed.get("bare_ptx"):
        texts["ptx"] = re.sub(r"(?m)^\.(?:loc|file)\b.*\n", "", texts["ptx"])
    return {
        **{name: bag.add(f"{name}.txt", text) for name, text in texts.items()},
        "anchors": anchor_lines("add.cu", PROGRAM, texts["lines"], texts["ptx"]),
        "regions": (RegionListing(region="add-kernel", functions={"add": "_Z3addPKfS0_Pfi"}),),
    }


_FIELDS = {
    PartKind.COUNTERS: _count,
    PartKind.SANITIZERS: _sanitize,
    PartKind.MUTANTS: _mutate,
    PartKind.LISTINGS: _list,
}
