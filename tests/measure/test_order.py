"""In which order is a campaign's work done, and what is left of it after an interrupt?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tarfile
import textwrap
import time
from pathlib import Path

import pytest

from build_tools.evidence.part_model import PartKind
from build_tools.measure.campaign import measure_wanted
from build_tools.measure.ground import Ground, Repeats, Want
from build_tools.measure.ledger import Span
from build_tools.source.settings import read_settings
from tests.course_factory import DEVICE, load_program, make_course
from tests.measure.fake_tools import install_fakes
from tests.parts_factory import DECLARATION, PROGRAM

pytestmark = pytest.mark.compiler


def rename(name: str, text: str) -> str:
    return (
        text.replace("add.cu", f"{name}.cu")
        .replace("-o add", f"-o {name}")
        .replace("./add", f"./{name}")
    )


def list_overlaps(spans: list[Span], others: list[Span]) -> list[tuple[Span, Span]]:
    return [
        (a, b) for a in spans for b in others if a is not b and a.begin < b.end and b.begin < a.end
    ]


def test_times_and_counters_are_taken_alone_and_all_else_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_fakes(tmp_path / "fakes")
    monkeypatch.setenv("PATH", f"{tmp_path / 'fakes'}:{os.environ['PATH']}")
    declared = DECLARATION[: DECLARATION.index("[mutants.no-guard]")]
    slower = PROGRAM.replace("int main() {", "int main() {\n    usleep(100000);")
    slower = slower.replace("#include <cstdio>", "#include <cstdio>\n#include <unistd.h>")
    names = ("add", "sum")
    root = tmp_path / "course"
    make_course(root, {n: rename(n, slower) for n in names}, dict.fromkeys(names, declared))
    told: list[str] = []
    ground = Ground(root, read_settings(root)[0], DEVICE, None, told.append)
    kinds = (PartKind.COUNTERS, PartKind.SANITIZERS)
    wants = [Want(load_program(root, n), True, kinds) for n in names]
    findings = measure_wanted(ground, wants, Repeats(2, 2))
    # No mutant proves any of the two tools: said for each program, as soon as it is known.
    assert [f.place.path for f in findings] == [
        f"snippets/{n}/program.toml" for n in names for _ in "12"
    ]
    assert sorted(map(str, ground.found)) == sorted(map(str, findings))
    assert all(any(f.true in line for line in told) for f in findings)
    spans = ground.ledger.spans
    alone = [span for span in spans if span.what in ("runs", "counters")]
    tools = [span for span in spans if span.what.startswith("sanitizers")]
    builds = [span for span in spans if span.what != "counters" and span not in tools + alone]
    assert len(alone) == 4 + 6
    assert len(tools) == 4
    assert not list_overlaps(alone, alone + tools)
    assert not list_overlaps([s for s in alone if s.what == "runs"], builds)
    assert list_overlaps(tools, tools)  # 2 tools of 2 programs


def test_an_interrupt_loses_neither_findings_nor_whole_evidence_nor_timings(
    tmp_path: Path,
) -> None:
    """One program fails, the other has its record and hangs in a mutant."""
    root, bundle, pids = tmp_path / "course", tmp_path / "evidence.tar.gz", tmp_path / "pids"
    hang = (
        f'if (argc > 1) {{ FILE *f = std::fopen("{pids}", "a"); std::fprintf(f, "%d\\n", getpid()); '
        "std::fclose(f); pause(); }"
    )
    source = PROGRAM.replace("int main() {", f"int main(int argc, char **) {{\n    {hang}")
    source = source.replace("#include <cstdio>", "#include <cstdio>\n#include <unistd.h>")
    declared = DECLARATION[: DECLARATION.index("[counters")]
    mutant = (
        '[mutants.subtracts]\nregion = "add-kernel"\nargs = "--once"\n'
        'replace = "return a + b;"\nwith = "return a;"\n'
    )
    bad = rename("bad", PROGRAM).replace("return 0;", "return 3;")
    make_course(root, {"add": source, "bad": bad}, {"add": declared + mutant, "bad": declared})
    code = f"""
        import signal, sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r})
        # Whoever runs the tests in the background ignores it, and so would we.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        from pathlib import Path
        from build_tools.measure import campaign
        from build_tools.measure.ground import Extent, Front, Repeats
        from build_tools.source.programs import read_programs
        from build_tools.source.settings import read_settings
        from tests.course_factory import DEVICE
        campaign.describe_device = lambda: DEVICE
        root = Path({str(root)!r})
        settings = read_settings(root)[0]
        campaign.run_campaign(
            root, read_programs(root, settings)[0], settings, (), repeats=Repeats(1, 1), front=Front(print),
            bundle=Path({str(bundle)!r}), extent=Extent(timings=True),
        )
    """
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(2400):
        if (pids.is_file() and pids.read_text().endswith("\n")) or parent.poll() is not None:
            break
        time.sleep(0.05)
    assert parent.poll() is None, parent.communicate()
    parent.send_signal(signal.SIGINT)
    told, _ = parent.communicate(timeout=60)
    assert parent.returncode == -signal.SIGINT
    for pid in pids.read_text().split():
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)
    lines = told.split("\n")
    place = "snippets/bad/bad.cu:4:11: run"
    brief = next(n for n, line in enumerate(lines) if line.startswith(f"{place}: "))
    whole = max(n for n, line in enumerate(lines) if line == place)
    assert "exit status 3" in lines[brief]
    assert brief < lines.index("add: mutants") < whole
    assert "run it by hand" in "\n".join(lines[whole:])
    assert any(line.startswith("time: ") for line in lines[whole:])
    assert any("mutants: the program's check (" in line for line in lines[whole:])
    with tarfile.open(bundle) as opened:
        names = opened.getnames()
    assert any("/add/nvidia-h200/run-" in name and name.endswith(".json") for name in names)
    assert not any("mutants" in name for name in names)
    assert not (root / "evidence").exists()
