"""How many processes are run, which of them count, and are their raw samples kept?

One program plays all the parts: its arguments say which.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.compose import Circumstances, compose_record, judge_runs
from build_tools.evidence.model import Record, Window
from build_tools.evidence.record import decode_record
from build_tools.evidence.shelf import read_shelf
from build_tools.measure.campaign import measure_programs
from build_tools.measure.compile import Compiled, compile_program
from build_tools.measure.ground import Ground, Repeats
from build_tools.measure.record_runs import describe_circumstances
from build_tools.measure.rounds import Job, Sampling, find_reasons, run_rounds
from build_tools.measure.toolchain import Toolchain
from build_tools.source.model import Program
from build_tools.source.settings import read_settings
from tests.course_factory import DEVICE, WINDOW, load_program, make_course

pytestmark = pytest.mark.compiler

SAMPLER = r"""// Day 1: write all samples.
//
// Build: nvcc -std=c++17 -arch=sm_90 -o sampler sampler.cu
// Run:   ./sampler

#include <cstdio>
#include <cstring>

int main(int argc, char **argv) {
    std::puts("case   time (ms)\n-----  ---------\nsmall      1.250\nlarge      4.500");
    std::fputs("timed begin small\ntimed end small\n", stderr);
    const char *file = nullptr, *part = "";
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--samples") == 0) file = argv[++i];
        else part = argv[i];
    }
    if (!file || std::strcmp(part, "lazy") == 0) return 0;
    std::FILE *csv = std::fopen(file, "w");
    if (!csv) return 1;
    const bool other = std::strcmp(part, "other") == 0, torn = std::strcmp(part, "torn") == 0;
    std::fputs(std::strcmp(part, "header") == 0 ? "case,ms\n" : "case,sample,time_ms\n", csv);
    for (int i = 0; i < 3; ++i) std::fprintf(csv, "small,%d,%.6f\n", i, 1.2503 + 0.01 * (i - 1));
    if (torn) std::fputs("large,0\n", csv);
    if (std::strcmp(part, "short") != 0)
        for (int i = 0; i < 3; ++i)
            std::fprintf(csv, "large,%d,%.6f\n", i, (other ? 4.6 : 4.4998) + 0.01 * (i - 1));
    return std::fclose(csv) != 0;
}
"""
DECLARATION = """
[tables.timings]
columns = { case = "key", time = "time (ms)" }
rows = 2

[samples]
args = "--samples {file}"
of = "time"
value = "time_ms"
unit = "ms"
"""

Stage = tuple[Path, Program, Compiled]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory, toolchain: Toolchain) -> Stage:
    root = tmp_path_factory.mktemp("stage")
    make_course(root, {"sampler": SAMPLER}, {"sampler": DECLARATION})
    program = load_program(root, "sampler")
    folder = root / "out"
    folder.mkdir()
    compiled, findings = compile_program(root, program, toolchain, None, folder)
    assert compiled is not None, findings
    return root, program, compiled


def play(
    stage: Stage,
    repeats: Repeats,
    part: str = "",
    find_unmet: Callable[[Job], Sequence[str]] = lambda _: (),
    sampling: Sampling | None = None,
) -> tuple[Job, list[Finding], list[str]]:
    _, program, compiled = stage
    header = replace(program.header, run=f"./sampler {part}".strip())
    job = Job(replace(program, header=header), compiled, compiled.binary.parent)
    told: list[str] = []
    findings = run_rounds(
        [job], repeats, sampling or Sampling(), told.append, find_unmet=find_unmet
    )
    return job, findings, told


def test_it_goes_on_while_a_criterion_is_not_met(stage: Stage) -> None:
    asked: list[int] = []

    def find_unmet(job: Job) -> Sequence[str]:
        asked.append(len(job.runs))
        return ["docs/a.md:3:4: `1.25x`: it varies"] if len(job.runs) < 5 else ()

    job, findings, told = play(stage, Repeats(3, 8), find_unmet=find_unmet)
    assert not findings
    assert (len(job.runs), asked) == (5, [3, 4, 5])
    assert job.ending is not None
    assert (job.ending.least, job.ending.most, job.ending.unmet) == (3, 8, ())
    assert (
        "sampler: goes on after 3 processes, because of docs/a.md:3:4: `1.25x`: it varies" in told
    )


def test_at_the_limit_it_ends_and_names_what_is_not_met(stage: Stage) -> None:
    job, findings, told = play(stage, Repeats(2, 4), find_unmet=lambda _: ["first", "second"])
    assert not findings  # what pages say too precisely is found where they are checked
    assert len(job.runs) == 4
    assert job.ending is not None
    assert job.ending.unmet == ("first", "second")
    assert "sampler: ends after 4 processes, its limit, with first and 1 more" in told


def test_who_has_enough_waits_for_nobody(stage: Stage) -> None:
    """Each program ends by itself; who goes on goes on alone."""
    _, program, compiled = stage
    jobs = [Job(replace(program, name=name), compiled, compiled.binary.parent) for name in "ab"]

    def find_unmet(job: Job) -> Sequence[str]:
        return ["more"] if job.program.name == "b" and len(job.runs) < 4 else ()

    run_rounds(jobs, Repeats(2, 9), Sampling(), lambda _: None, find_unmet=find_unmet)
    assert [len(job.runs) for job in jobs] == [2, 4]
    assert [job.turns_with for job in jobs] == [("b",), ("a",)]


def test_raw_samples_are_kept(stage: Stage) -> None:
    job, findings, _ = play(stage, Repeats(2, 2))
    assert not findings
    assert [run.command for run in job.runs] == [("./sampler", "--samples", "samples.csv")] * 2
    assert all(
        (run.samples or b"").startswith(b"case,sample,time_ms\nsmall,0,") for run in job.runs
    )
    assert not (job.folder / "samples.csv").exists()
    assert not judge_runs(job.program, job.runs)


@pytest.mark.parametrize(
    ("part", "stated", "true"),
    [
        (
            "other",
            "`time` for case `large` is `4.500`, in line 4 of the transcript",
            "the median of its 3 samples is 4.6 (line 1, column 1 of process 1's samples",
        ),
        ("short", "`time` for case `large`", "the file holds no sample of it"),
        ("header", "a column `time_ms`", "the file's header is `case, ms`"),
        ("torn", "a raw sample", "it has 2 of 3 columns (line 5, column 1 of process 1's samples"),
    ],
)
def test_samples_that_do_not_come_to_what_is_printed(
    stage: Stage, part: str, stated: str, true: str
) -> None:
    job, findings, _ = play(stage, Repeats(1, 1), part)
    assert not findings
    (finding,) = judge_runs(job.program, job.runs)
    assert (finding.kind, finding.stated) == (Kind.TRANSCRIPT, stated)
    assert true in finding.true
    assert finding.advice
    assert str(finding.place) == "snippets/sampler/sampler.cu:4:11"


def test_a_program_that_writes_no_samples_fails(stage: Stage) -> None:
    job, (finding,), _ = play(stage, Repeats(2, 2), "lazy")
    assert job.failed
    assert "it wrote no `samples.csv`, though `./sampler lazy --samples samples.csv` asks" in str(
        finding.true
    )


def change(window: Window, **more: Any) -> Window:
    return msgspec.structs.replace(window, **more)


@pytest.mark.parametrize(
    ("window", "reasons"),
    [
        (WINDOW, ()),
        (None, ()),
        (change(WINDOW, throttle_reasons=("software power cap",)), ()),
        (
            change(WINDOW, throttle_reasons=("software power cap", "power brake")),
            ("power brake",),
        ),
        (change(WINDOW, other_processes=1), ("another process on the GPU",)),
        (change(WINDOW, memory_before_bytes=4 * 2**20), ()),
        (
            change(WINDOW, memory_before_bytes=512 * 2**20),
            ("another process on the GPU, since 512 MiB of its memory were in use before",),
        ),
    ],
)
def test_what_makes_a_process_not_count(window: Window | None, reasons: tuple[str, ...]) -> None:
    assert find_reasons(window) == reasons


class BusyNvml:
    """An NVML of a GPU on which somebody holds memory for the first few looks."""

    NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU, nvmlMemory_v2 = 1, 2, 0, 2  # noqa: N815

    class NVMLError(Exception):
        pass

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def nvmlDeviceGetMemoryInfo(self, _: object, version: int) -> Any:  # noqa: N802 - NVML's
        assert version == self.nvmlMemory_v2
        self.looks -= 1
        used = 900 * 2**20 if self.looks >= 0 else 0
        return type("Info", (), {"used": used})

    def nvmlDeviceGetComputeRunningProcesses(self, _: object) -> list[int]:  # noqa: N802
        return [1]

    def __getattr__(self, name: str) -> Callable[..., int]:
        return lambda *_: 0


TIMED = 'std::fputs("timed begin small\\n", stderr); usleep(60000);'


@pytest.fixture(scope="module")
def slow_stage(tmp_path_factory: pytest.TempPathFactory, toolchain: Toolchain) -> Stage:
    """The same program with a window long enough for a sample."""
    text = SAMPLER.replace("#include <cstdio>", "#include <cstdio>\n#include <unistd.h>")
    text = text.replace(
        'std::fputs("timed begin small\\ntimed end small\\n", stderr);',
        TIMED + ' std::fputs("timed end small\\n", stderr);',
    )
    assert TIMED in text
    root = tmp_path_factory.mktemp("slow")
    make_course(root, {"sampler": text}, {"sampler": DECLARATION})
    program = load_program(root, "sampler")
    (root / "out").mkdir()
    compiled, findings = compile_program(root, program, toolchain, None, root / "out")
    assert compiled is not None, findings
    return root, program, compiled


def test_a_neighbour_is_waited_for_and_kept_on_record(slow_stage: Stage) -> None:
    root, _, _ = slow_stage
    job, findings, _ = play(slow_stage, Repeats(2, 2), sampling=Sampling(BusyNvml(2), None))
    assert not findings
    assert len(job.runs) == 2
    assert [(r.process, r.reasons) for r in job.rejections] == [
        (0, ("another process on the GPU, since 900 MiB of its memory were in use before",))
    ] * 2
    ground = Ground(root, read_settings(root)[0], DEVICE, None, print)
    record = compose(job, describe_circumstances(ground, job, None))
    assert record.rejections == tuple(job.rejections)
    assert record.campaign == ground.campaign
    assert record.processes[0].windows is not msgspec.UNSET
    assert set(record.processes[0].windows) == {"small"}
    assert record.processes[0].window is not None
    assert record.processes[0].window.memory_before_bytes == 0


def compose(job: Job, where: Circumstances) -> Record:
    """The record as it is read again."""
    _, files = compose_record(job.program, "run-2026-12-01", where, job.runs)
    path = next(path for path in files if path.endswith(".json"))
    record, findings = decode_record(files[path].decode(), path)
    assert record is not None, findings
    return record


def test_a_neighbour_that_stays_ends_the_run(slow_stage: Stage) -> None:
    job, (finding,), _ = play(slow_stage, Repeats(2, 2), sampling=Sampling(BusyNvml(99), None))
    assert job.failed
    assert (finding.kind, finding.checked) == (Kind.DEVICE, False)
    assert "it was disturbed in 3 tries: another process on the GPU, since 900 MiB" in finding.true
    assert "its neighbours" in finding.advice


def test_a_record_keeps_its_samples_and_checks_them_on_reading(
    tmp_path: Path, toolchain: Toolchain
) -> None:
    assert toolchain
    make_course(tmp_path, {"sampler": SAMPLER}, {"sampler": DECLARATION})
    settings = read_settings(tmp_path)[0]
    program = load_program(tmp_path, "sampler")
    ground = Ground(tmp_path, settings, DEVICE, None, print)
    assert not measure_programs(ground, [program], Repeats(3, 3))
    program = load_program(tmp_path, "sampler")
    shelf, findings = read_shelf(tmp_path, program, settings)
    assert not findings
    assert shelf.shown_record is not None
    record = shelf.shown_record.record
    assert record.ending is not msgspec.UNSET
    assert (record.ending.least, record.ending.unmet) == (3, ())
    assert record.host is not msgspec.UNSET
    assert set(record.host) == {"system", "compiler"}
    assert os.uname().nodename not in str(record.host)
    kept = [process.samples for process in record.processes]
    assert all(file is not msgspec.UNSET for file in kept)
    place = tmp_path / kept[1].path  # type: ignore[union-attr]
    place.write_text(place.read_text().replace("large,1,4.4", "large,1,4.7"))
    _, findings = read_shelf(tmp_path, program, settings)
    paths = {finding.place.path for finding in findings}
    assert place.relative_to(tmp_path).as_posix() in paths
    said = " / ".join(finding.true for finding in findings)
    assert "the median of its 3 samples is 4.5098" in said


@pytest.mark.parametrize(
    ("old", "new", "place", "stated", "advice"),
    [
        ('of = "time"', 'of = "tme"', "8:6", '`of = "tme"`', "did you mean `time`?"),
        ('unit = "ms"', 'unit = "mss"', "10:8", "the samples", "did you mean `ms`?"),
        ('"--samples {file}"', '"--samples"', "7:8", '`args = "--samples"`', "write `{file}`"),
        ('of = "time"\n', "", "6:2", "`[samples]`", 'write `args = "--samples {file}"`'),
        ('of = "time"', 'off = "time"', "8:1", "key `off`", "did you mean `of`?"),
    ],
)
def test_what_is_wrong_with_the_declaration(
    tmp_path: Path, old: str, new: str, place: str, stated: str, advice: str
) -> None:
    assert old in DECLARATION
    make_course(tmp_path, {"sampler": SAMPLER}, {"sampler": DECLARATION.replace(old, new)})
    from build_tools.source.programs import read_program

    _, findings = read_program(tmp_path, "sampler")
    found = next(f for f in findings if stated in f.stated)
    assert str(found.place) == f"snippets/sampler/program.toml:{place}"
    assert advice in found.advice + found.true
