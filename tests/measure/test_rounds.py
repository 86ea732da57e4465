"""Is every way in which a process can go wrong said, and does it then count for nothing?

One program plays all the parts: its first argument says which.
"""

import tempfile
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from build_tools.diagnostics.finding import Finding, compute_exit_status
from build_tools.evidence.compose import judge_runs
from build_tools.measure.compile import Compiled, compile_program
from build_tools.measure.ground import Repeats
from build_tools.measure.rounds import Job, Sampling, hold_device, run_rounds
from build_tools.measure.toolchain import Toolchain
from build_tools.source.model import Program
from tests.course_factory import load_program, make_course

pytestmark = pytest.mark.compiler

ACTOR = r"""// Day 1: play a part.
//
// Build: nvcc -std=c++17 -arch=sm_90 -o actor actor.cu
// Run:   ./actor

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

int main(int argc, char **argv) {
    const char *part = argc > 1 ? argv[1] : "";
    auto plays = [part](const char *name) { return std::strcmp(part, name) == 0; };
    if (plays("crash")) std::abort();
    if (plays("fault")) *static_cast<volatile int *>(nullptr) = 1;
    if (plays("hang")) {
        std::puts("before");
        std::fflush(stdout);
        for (;;) pause();
    }
    while (plays("flood")) std::puts("flood flood flood");
    if (plays("html")) return std::puts("took <b>1</b> ms") < 0;
    if (plays("ansi")) return std::puts("\x1b[1mtook 1 ms\x1b[0m") < 0;
    if (plays("nul")) return std::fwrite("took 1 ms\0\n", 1, 11, stdout) != 11;
    std::puts("took 1 ms");
    if (plays("uuid")) std::puts("on GPU-5f1d2c3b-aaaa-bbbb-cccc-12345");
    if (plays("home")) std::fputs("cannot open /home/ada/x\n", stderr);
    if (plays("fail")) std::fputs("timed begin x\nkernel tiled: element 3 differs\n", stderr);
    return plays("fail") ? 3 : 0;
}
"""


@pytest.fixture(scope="module")
def stage(
    tmp_path_factory: pytest.TempPathFactory, toolchain: Toolchain
) -> tuple[Program, Compiled, Path]:
    root = tmp_path_factory.mktemp("stage")
    declaration = '[lines]\ntook = { pattern = "took {took:g} ms", units = { took = "ms" } }\n'
    make_course(root, {"actor": ACTOR}, {"actor": declaration})
    program = load_program(root, "actor")
    folder = root / "out"
    folder.mkdir()
    compiled, findings = compile_program(root, program, toolchain, None, folder)
    assert compiled is not None, findings
    return program, compiled, folder


def play(stage: tuple[Program, Compiled, Path], part: str) -> tuple[Job, list[Finding]]:
    program, compiled, folder = stage
    header = replace(program.header, run=f"./actor {part}")
    limit = 2.0 if part == "hang" else 120.0
    declaration = replace(program.declaration, time_limit=limit)
    job = Job(replace(program, header=header, declaration=declaration), compiled, folder)
    findings = run_rounds([job], Repeats(2, 2), Sampling(), lambda _: None)
    return job, findings or judge_runs(job.program, job.runs)


def test_a_good_part(stage: tuple[Program, Compiled, Path]) -> None:
    job, findings = play(stage, "well")
    assert not findings
    assert [ran.command for ran in job.runs] == [("./actor", "well")] * 2
    assert len(job.started) == len("2026-12-01T09:30:00Z")


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("fail", "it ended with exit status 3; its last lines: kernel tiled: element 3 differs"),
        ("crash", "it was ended by SIGABRT (aborted)"),
        ("fault", "it was ended by SIGSEGV (segmentation fault)"),
        ("hang", "it took longer than 2 s and was killed; its last lines: before"),
        ("flood", "it printed more than 1024 KiB and was killed; its last lines: flood"),
        ("html", "the nearest line is `took <b>1</b> ms`"),
        ("ansi", "it holds the control byte 0x1b (line 1, column 1 of process 1's output"),
        ("nul", "it holds the control byte 0x00"),
        ("uuid", "names no machine and no person (line 2, column 4 of process 1's output)"),
        ("home", "names no machine and no person (line 1, column 13 of process 1's stderr)"),
    ],
)
def test_a_bad_part_is_said_at_the_run_command_with_the_outputs_own_line(
    stage: tuple[Program, Compiled, Path], part: str, said: str
) -> None:
    job, findings = play(stage, part)
    assert compute_exit_status(findings) == 1
    assert {str(f.place) for f in findings} == {"snippets/actor/actor.cu:4:11"}
    assert said in findings[0].true
    assert findings[0].advice
    assert job.failed == (not job.runs)
    assert "ada" not in str(findings)


def test_a_binary_that_is_gone_could_not_be_run(
    stage: tuple[Program, Compiled, Path], tmp_path: Path
) -> None:
    program, compiled, _ = stage
    job = Job(program, compiled, tmp_path)
    (finding,) = run_rounds([job], Repeats(2, 2), Sampling(), lambda _: None)
    assert "cannot be started" in finding.true
    assert not finding.checked


def test_one_campaign_measures_on_a_gpu_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    told: list[str] = []
    first_done = threading.Event()
    order: list[str] = []

    def wait_for_it() -> None:
        with hold_device("0000:1B:00.0", told.append):
            order.append("second")

    with hold_device("0000:1B:00.0", told.append):
        second = threading.Thread(target=wait_for_it)
        second.start()
        while not told:
            first_done.wait(0.01)
        order.append("first")
    second.join(timeout=30)
    assert order == ["first", "second"]
    assert told == ["another run measures on this GPU: waiting for it to end"]
    with hold_device("0000:2A:00.0", told.append):
        assert len(told) == 1
