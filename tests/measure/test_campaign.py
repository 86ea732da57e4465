"""Do programs become evidence, and does nothing else?

The GPU is made up, the rest is real: nvcc, processes, files. The programs run on the host.
"""

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from build_tools.diagnostics.finding import Finding, Kind, compute_exit_status
from build_tools.evidence.model import Device
from build_tools.evidence.shelf import read_shelf
from build_tools.measure.bundle import record_bundle
from build_tools.measure.campaign import measure_programs, run_campaign
from build_tools.measure.device import describe_device
from build_tools.measure.ground import Extent, Front, Ground, Repeats
from build_tools.source.programs import read_programs
from build_tools.source.settings import read_settings
from tests.course_factory import DEVICE, SETTINGS, load_program, make_course

pytestmark = pytest.mark.compiler

HEADER = """\
// Day 1: {name}.
//
// Build: nvcc -std=c++17 -arch=sm_90 -o {name} {name}.cu
// Run:   ./{name}

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

int main() {{
"""
GOOD = 'std::printf("took %.3f ms\\n", 1 + getpid() % 100 / 1e3); std::fprintf(stderr, "note\\n");'
Measure = Callable[..., list[Finding]]


def write_program(name: str, body: str) -> str:
    return HEADER.format(name=name) + f"    {body}\n    return 0;\n}}\n"


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def measure(tmp_path: Path, told: list[str]) -> Measure:
    """Makes a course of these bodies and measures all its programs."""

    def measure_it(
        bodies: dict[str, str],
        repeats: int = 3,
        device: Device = DEVICE,
        bundle: Path | None = None,
        declaration: str = '[lines]\ntook = { pattern = "took {took:g} ms", units = { took = "ms" } }\n',
    ) -> list[Finding]:
        make_course(
            tmp_path,
            {name: write_program(name, body) for name, body in bodies.items()},
            dict.fromkeys(bodies, declaration),
        )
        settings, _ = read_settings(tmp_path)
        programs, findings = read_programs(tmp_path, settings)
        assert not findings, "\n".join(map(str, findings))
        ground = Ground(tmp_path, settings, device, bundle, told.append)
        return measure_programs(ground, list(programs.values()), Repeats(repeats, repeats))

    return measure_it


def list_evidence(root: Path) -> list[str]:
    base = root / "evidence"
    return sorted(p.relative_to(base).as_posix() for p in base.rglob("*") if p.is_file())


def test_programs_become_records_in_turn(measure: Measure, tmp_path: Path, told: list[str]) -> None:
    assert not measure({"one": GOOD, "two": GOOD})
    turns = [line.split(":")[0] for line in told if ": process" in line]
    assert turns == ["one", "two", "two", "one", "one", "two"]
    assert any("3 of 3" in line and " left" in line for line in told)
    settings, _ = read_settings(tmp_path)
    for name in ("one", "two"):
        program = load_program(tmp_path, name)
        shelf, findings = read_shelf(tmp_path, program, settings)
        assert not findings, "\n".join(map(str, findings))
        shown = shelf.shown_record
        assert shown is not None
        assert shown.record.processes[0].window is None
        assert shown.record.build.command[0] == "nvcc"
        assert program.header.verified is not None
        assert (tmp_path / f"snippets/{name}/README.md").is_file()
    stems = {path.split("/")[2].split(".")[0] for path in list_evidence(tmp_path)}
    assert len(stems) == 1
    files = [path.rpartition("/")[2] for path in list_evidence(tmp_path) if path.startswith("one/")]
    assert len([name for name in files if name.endswith(".stderr.txt")]) == 3
    assert len([name for name in files if name.endswith(".stdout.txt")]) == 2


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('std::puts("took 1 ms"); return 3;', "exit status 3; its last lines: took 1 ms"),
        ('std::puts("took nan ms");', "not finite"),
    ],
)
def test_a_run_that_fails_never_becomes_evidence(
    measure: Measure, tmp_path: Path, body: str, said: str
) -> None:
    findings = measure({"bad": body})
    assert compute_exit_status(findings) == 1
    assert {str(f.place) for f in findings} == {"snippets/bad/bad.cu:4:11"}
    assert any(said in f.true for f in findings), findings
    assert list_evidence(tmp_path) == []
    assert "Verified" not in (tmp_path / "snippets/bad/bad.cu").read_text()


def test_hostile_output_without_measurements_is_kept_as_it_is(
    measure: Measure, tmp_path: Path
) -> None:
    body = (
        'std::puts("took 1 ms"); std::fwrite("<b>\\0\\xff\\x02wzxhzdk:0\\x03\\n", 1, 17, stdout);'
    )
    assert not measure({"odd": body})
    shown = next(p for p in list_evidence(tmp_path) if p.count("/") == 2 and p.endswith(".txt"))
    data = (tmp_path / "evidence" / shown).read_bytes()
    assert data.endswith(b"<b>\0\xff\x02wzxhzdk:0\x03\n"[:17])
    assert "␀" in (tmp_path / "snippets/odd/README.md").read_text()


def test_one_program_that_fails_does_not_keep_the_others(measure: Measure, tmp_path: Path) -> None:
    findings = measure({"bad": "return 1;", "broken": "q;", "good": GOOD})
    assert sorted({f.place.path for f in findings}) == [
        "snippets/bad/bad.cu",
        "snippets/broken/broken.cu",
    ]
    assert {path.split("/")[0] for path in list_evidence(tmp_path)} == {"good"}


def test_values_that_differ_from_process_to_process_in_kind(measure: Measure) -> None:
    body = """
    FILE *seen = std::fopen("seen", "a+");
    std::fputs("x", seen); long count = std::ftell(seen); std::fclose(seen);
    std::printf("case %s took 1 ms\\n", count > 2 ? "b" : "a");
    """
    declaration = (
        '[lines]\ntook = { pattern = "case {case} took {took:g} ms", units = { took = "ms" } }\n'
    )
    findings = measure({"odd": body}, declaration=declaration)
    assert any("case `a`" in f.stated and "printed none" in f.true for f in findings)


def test_another_device_gets_a_folder_of_its_own(
    measure: Measure, tmp_path: Path, told: list[str]
) -> None:
    import msgspec

    other = msgspec.structs.replace(DEVICE, model="NVIDIA L4", compute_capability="8.9")
    assert not measure({"one": GOOD}, device=other)
    assert all(path.startswith("one/nvidia-l4/") for path in list_evidence(tmp_path))
    assert "Verified" not in (tmp_path / "snippets/one/one.cu").read_text()
    assert not (tmp_path / "snippets/one/README.md").exists()
    assert any("the course speaks of NVIDIA H200" in line for line in told)


def test_requirements_unmet_are_waived_with_the_reason(
    measure: Measure, tmp_path: Path, told: list[str]
) -> None:
    declaration = (
        '[lines]\ntook = { pattern = "took {took:g} ms", units = { took = "ms" } }\n'
        '[requires]\ncompute_capability = "10.0"\n'
    )
    assert not measure({"one": GOOD}, declaration=declaration)
    assert told == [
        "one: waived, because it requires compute capability 10.0, and this GPU has 9.0"
    ]
    assert list_evidence(tmp_path) == []


def test_a_bundle_leaves_the_tree_as_it_is(measure: Measure, tmp_path: Path) -> None:
    bundle = tmp_path / "b.tgz"
    assert not measure({"one": GOOD}, bundle=bundle)
    assert list_evidence(tmp_path) == []
    assert "Verified" not in (tmp_path / "snippets/one/one.cu").read_text()
    assert not record_bundle(tmp_path, bundle)
    settings, _ = read_settings(tmp_path)
    shelf, findings = read_shelf(tmp_path, load_program(tmp_path, "one"), settings)
    assert not findings
    assert shelf.shown_record is not None


def test_a_kernel_nobody_checks_stops_before_anything_runs(tmp_path: Path, course: Path) -> None:
    (course / "snippets/add/check.py").write_text("REGIONS = ()\n")
    settings, _ = read_settings(course)
    told: list[str] = []
    ground = Ground(course, settings, DEVICE, None, told.append)
    (finding,) = measure_programs(ground, [load_program(course, "add")], Repeats(1, 1))
    assert finding.kind is Kind.CHECK
    assert not any("compiling" in line for line in told)
    assert finding.true in told[0]  # said when it is found


def run_here(root: Path, told: list[str], *names: str, force: bool = False) -> list[Finding]:
    settings, _ = read_settings(root)
    programs, _ = read_programs(root, settings)
    return run_campaign(
        root,
        programs,
        settings,
        names,
        repeats=Repeats(1, 1),
        front=Front(told.append),
        bundle=None,
        extent=Extent(force=force),
    )


def test_what_is_verified_is_not_run_again_and_its_stamp_is_refreshed(
    course: Path, told: list[str]
) -> None:
    assert not run_here(course, told)
    assert told == ["add: verified by run-2026-12-01, not run again"]
    source = course / "snippets/add/add.cu"
    source.write_text(source.read_text().replace("add two vectors", "add up two vectors"))
    assert not run_here(course, told, "add")
    assert told[-1] == "add: wrote snippets/add/README.md (made again from header and record)"
    settings, _ = read_settings(course)
    assert not read_shelf(course, load_program(course, "add"), settings)[1]


def test_a_name_that_is_no_program(course: Path, told: list[str]) -> None:
    (finding,) = run_here(course, told, "ad")
    assert finding.stated == "`ad`"
    assert "did you mean `add`?" in finding.advice


@pytest.mark.skipif(not isinstance(describe_device(), str), reason="this machine has a GPU")
def test_without_a_gpu_nothing_could_be_checked(course: Path, told: list[str]) -> None:
    (finding,) = run_here(course, told, force=True)
    assert (finding.kind, finding.checked) == (Kind.DEVICE, False)
    assert "driver" in finding.true
    assert "course record FILE" in finding.advice
    record = course / "evidence/add/nvidia-h200/run-2026-12-01.json"
    record.write_text(record.read_text().replace('"sm_count": 132', '"sm_count": 133'))
    (finding,) = run_here(course, told)  # an edited record verifies nothing
    assert finding.kind is Kind.DEVICE


def test_an_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    """Ctrl-C while a program runs: children gone, nothing half written, ended by the interrupt."""
    root = tmp_path / "course"
    body = 'FILE *f = std::fopen("PID", "w"); std::fprintf(f, "%d", getpid()); std::fclose(f); pause();'
    body = body.replace("PID", str(tmp_path / "pid"))
    make_course(root, {"slow": write_program("slow", body)}, settings=SETTINGS)
    before = sorted(p.name for p in root.rglob("*"))
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    code = f"""
        import signal, sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r})
        # Whoever runs the tests in the background ignores these, and so would we.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        from pathlib import Path
        from build_tools.measure.campaign import measure_programs
        from build_tools.measure.ground import Ground, Repeats
        from build_tools.source.settings import read_settings
        from tests.course_factory import DEVICE, load_program
        root = Path({str(root)!r})
        ground = Ground(root, read_settings(root)[0], DEVICE, None, print)
        measure_programs(ground, [load_program(root, "slow")], Repeats(2, 2))
    """
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    pid_file = tmp_path / "pid"
    for _ in range(2400):
        if (pid_file.is_file() and pid_file.read_text()) or parent.poll() is not None:
            break
        time.sleep(0.05)
    assert parent.poll() is None, parent.communicate()
    child = int(pid_file.read_text())
    os.kill(parent.pid, signal.SIGINT)
    parent.communicate(timeout=60)
    assert parent.returncode == -signal.SIGINT
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    assert sorted(p.name for p in root.rglob("*")) == before
    assert list(temporary.iterdir()) == []
