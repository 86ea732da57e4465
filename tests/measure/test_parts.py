"""Do profiler, sanitizer, compiler and mutants become evidence, each part by itself?

The profiler and the sanitizer are stand-ins that print the tools' own forms; nvcc, processes and
files are real.
"""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.loaded import Shelf
from build_tools.evidence.part_model import (
    Counters,
    Listings,
    LoadedPart,
    Mutants,
    PartKind,
    Sanitizers,
)
from build_tools.evidence.parts import find_newest
from build_tools.evidence.shelf import read_shelf
from build_tools.measure.bench import Bench
from build_tools.measure.bundle import record_bundle, write_bundle
from build_tools.measure.campaign import measure_wanted
from build_tools.measure.compile import compile_program
from build_tools.measure.ground import Ground, Repeats, Want
from build_tools.measure.ledger import Ledger, describe_ledger
from build_tools.measure.part_campaign import measure_part, start_needed
from build_tools.measure.toolchain import Toolchain
from build_tools.measure.tools import CUOBJDUMP, Tool, find_tool
from build_tools.source.settings import read_settings
from build_tools.source.tokens import scan_source
from tests.course_factory import CHECK, DEVICE, load_program, make_course
from tests.measure.fake_tools import install_fakes
from tests.parts_factory import ASKED, DECLARATION, PROGRAM

pytestmark = pytest.mark.compiler

TOOK = ["took 1.25 ms\n"] * 10
FOLDER = "evidence/add/nvidia-h200"
Make = Callable[..., list[Finding]]


@dataclass
class Workshop:
    """A course with all parts, and the builds they were made with."""

    root: Path
    bench: Bench
    told: list[str]


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory, toolchain: Toolchain) -> Iterator[Workshop]:
    base = tmp_path_factory.mktemp("workshop")
    root, fakes, out = base / "course", base / "fakes", base / "out"
    install_fakes(fakes)
    out.mkdir()
    make_course(root, {"add": PROGRAM}, {"add": DECLARATION}, {"add": TOOK}, checks={"add": CHECK})
    program = load_program(root, "add")
    compiled, findings = compile_program(root, program, toolchain, "sm_90", out)
    assert compiled is not None, findings
    told: list[str] = []
    bench = Bench(root, program, compiled, out, toolchain, "sm_90", Ledger(), told.append)
    with ThreadPoolExecutor(2) as pool, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{fakes}:{os.environ['PATH']}")
        start_needed(bench, pool, ASKED)
        ground = Ground(root, read_settings(root)[0], DEVICE, None, told.append)
        for kind in ASKED:
            _, findings = measure_part(ground, bench, kind)
            wrong = [f for f in findings if "cuobjdump" not in f.true]
            assert not wrong, "\n".join(map(str, wrong))
        yield Workshop(root, bench, told)


@pytest.fixture
def course(workshop: Workshop, tmp_path: Path) -> Path:
    return Path(shutil.copytree(workshop.root, tmp_path / "course"))


@pytest.fixture
def make(workshop: Workshop, course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes parts anew, with wishes for the tools, after editing program.toml."""
    fakes = tmp_path / "fakes"
    monkeypatch.setenv("PATH", f"{fakes}:{os.environ['PATH']}")

    def make_them(
        kind: PartKind, edit: tuple[str, str] = ("", ""), **wishes: object
    ) -> list[Finding]:
        install_fakes(fakes, **wishes)
        target = course / "snippets/add/program.toml"
        text = target.read_text()
        assert edit[0] in text
        target.write_text(text.replace(*edit, 1) if edit[0] else text)
        bench = replace(workshop.bench, root=course, program=load_program(course, "add"))
        bench.folder = tmp_path / "bench"
        bench.folder.mkdir(exist_ok=True)
        bench.tools, bench.executed = {}, {}
        rules = bench.program.declaration.parts.mutants
        before = workshop.bench.program.declaration.parts.mutants
        bench.mutants = {
            name: build
            for name, build in workshop.bench.mutants.items()
            if rules[name].replacement == before[name].replacement
        }
        ground = Ground(course, read_settings(course)[0], DEVICE, None, lambda _: None)
        with ThreadPoolExecutor(1) as pool:
            start_needed(bench, pool, [kind])
            return measure_part(ground, bench, kind)[1]

    return make_them


def read(root: Path) -> tuple[Shelf, list[Finding]]:
    """The shelf, and its findings but that this machine has no cuobjdump."""
    settings, _ = read_settings(root)
    shelf, findings = read_shelf(root, load_program(root, "add"), settings)
    return shelf, [finding for finding in findings if "no cuobjdump" not in finding.true]


def take(root: Path, kind: PartKind) -> LoadedPart:
    loaded = find_newest(read(root)[0], kind)
    assert loaded is not None
    return loaded


def list_parts(root: Path) -> list[str]:
    return sorted(p.name for p in (root / FOLDER).glob("*.json"))


def quote(root: Path, finding: Finding) -> str:
    line = (root / finding.place.path).read_text().split("\n")[finding.place.line - 1]
    return line[finding.place.column - 1 :]


def test_each_part_is_evidence_of_its_own(workshop: Workshop) -> None:
    root, told = workshop.root, workshop.told
    shelf, findings = read(root)
    assert {p.kind for p in shelf.parts} == set(ASKED)
    assert not findings
    assert any("mutant subtracts is rejected by the program's check" in line for line in told)
    assert {p.identity for p in shelf.parts} == {
        f"{part.kind}-{part.part.started[:10]}" for part in shelf.parts
    }


def test_counters_are_counted_thrice_and_kept_with_their_commands(
    workshop: Workshop,
) -> None:
    loaded = take(workshop.root, PartKind.COUNTERS)
    part = loaded.part
    assert isinstance(part, Counters)
    assert part.tools == {"ncu": "2025.3.1.0"}
    (session,) = part.sessions
    values = {value.counter: value for value in session.values}
    assert values["dram_read"].samples == (33554432.0, 33554464.0, 33554496.0)
    assert values["loads"].samples == (8192.0,) * 3
    assert (values["loads"].band_low, values["loads"].band_high) == (8192.0, 8192.0)
    assert [run.passes for run in session.runs] == [1, 1, 1]
    command = " ".join(session.runs[0].command)
    assert command.startswith("ncu --csv --page raw --print-units base")
    assert "--clock-control none --cache-control none" in command
    assert "--kernel-name regex:^(add)$" in command
    assert command.endswith(".log ./add --once --n 64")
    for run in session.runs:
        assert str(workshop.root.parent) not in loaded.texts[run.log.path]
        assert "/tmp" not in loaded.texts[run.log.path]


def test_sanitizers_are_believed_because_of_their_mutants(workshop: Workshop) -> None:
    part = take(workshop.root, PartKind.SANITIZERS).part
    assert isinstance(part, Sanitizers)
    assert part.line_info
    runs = {(run.tool, run.mutant): run for run in part.runs}
    assert runs["memcheck", ""].passed
    assert runs["racecheck", ""].passed
    assert (runs["memcheck", "no-guard"].errors, runs["racecheck", "no-barrier"].errors) == (1, 1)
    own, proof = runs["racecheck", ""].command, runs["racecheck", "no-barrier"].command
    assert [w for w in own if ".log" not in w] == [w for w in proof if ".log" not in w]


def test_each_mutant_has_who_caught_it(workshop: Workshop) -> None:
    part = take(workshop.root, PartKind.MUTANTS).part
    assert isinstance(part, Mutants)
    caught = {mutant.name: mutant.caught_by for mutant in part.mutants}
    assert caught == {
        "no-guard": "memcheck",
        "no-barrier": "racecheck",
        "subtracts": "the program's check",
        "turned": "",
        "silent-add-kernel": "the reader's check",
    }
    subtracts = next(m for m in part.mutants if m.name == "subtracts")
    assert subtracts.trials[0].said == "element 0 differs (exit status 1)"
    assert [trial.outcome for trial in part.sound] == ["accepts"] * 4
    no_barrier = next(m for m in part.mutants if m.name == "no-barrier")
    assert [t.by for t in no_barrier.trials] == [
        "the program's check",
        "the reader's check",
        "memcheck",
        "racecheck",
    ]
    assert no_barrier.trials[-1].said.startswith("Error: Race reported between Write access")


# --- starters


EXERCISE = """\
// solution: sum
// starter: __host__ __device__ inline float addOne(float a, float b) {{ return {starter}; }}
{line}
// end solution
"""
SUM = "__host__ __device__ inline float addOne(float a, float b) { return a + b; }"


def set_exercise(course: Path, starter: str) -> Path:
    target = course / "snippets/add/add.cu"
    exercise = EXERCISE.format(starter=starter, line=SUM)
    target.write_text(target.read_text().replace(f"{SUM}\n", exercise))
    return target


def test_a_new_exercise_makes_mutants_stale_and_nothing_else(course: Path) -> None:
    set_exercise(course, "a")
    (finding,) = [f for f in read(course)[1] if f.kind is Kind.STALE]
    assert "mutants of `add`, made on" in finding.stated
    assert finding.true == "what is asked changed since: `starters` is new"
    assert "course run --parts mutants add" in finding.advice


def test_a_starter_is_tried_like_a_mutant(course: Path, make: Make) -> None:
    set_exercise(course, "a")
    assert not make(PartKind.MUTANTS)
    assert not [f for f in read(course)[1] if f.kind is Kind.STALE]
    part = take(course, PartKind.MUTANTS).part
    assert isinstance(part, Mutants)
    starter = next(m for m in part.mutants if m.name == "starter-sum")
    assert starter.caught_by == "the program's check"
    assert starter.trials[-1].said == "element 0 differs (exit status 1)"
    assert {m.name for m in part.mutants} > {"no-guard", "subtracts"}


def test_a_starter_that_no_check_rejects_is_a_finding_at_its_markers(
    course: Path, make: Make
) -> None:
    target = set_exercise(course, "b + a")
    (finding,) = make(PartKind.MUTANTS)
    assert finding.kind is Kind.CHECK
    line = target.read_text().split("\n").index("// solution: sum") + 1
    assert str(finding.place) == f"snippets/add/add.cu:{line}:1"
    assert finding.stated == "starter `sum` is rejected"
    assert finding.true.startswith("it survives the program's check")
    assert "leave more of the solution to the reader" in finding.advice
    assert finding in read(course)[1]


def test_a_starter_that_does_not_compile_is_a_finding_and_nothing_is_kept(
    course: Path, make: Make
) -> None:
    set_exercise(course, "c")
    before = list_parts(course)
    (finding,) = make(PartKind.MUTANTS)
    assert finding.stated == "starter `sum`"
    assert "it does not compile" in finding.true
    assert "change the starter" in finding.advice
    assert list_parts(course) == before


# --- freshness


def test_a_new_metric_makes_counters_stale_and_nothing_else(course: Path, make: Make) -> None:
    before = list_parts(course)
    target = course / "snippets/add/program.toml"
    more = 'waves = { metric = "l1tex__data_pipe_lsu_wavefronts.sum", unit = "wavefronts" }\n'
    target.write_text(target.read_text().replace("dram_read =", more + "dram_read ="))
    shelf, findings = read(course)
    (finding,) = [f for f in findings if f.kind is Kind.STALE]
    assert quote(course, finding).startswith("small]")
    assert "counters of `add`, made on" in finding.stated
    assert finding.true == "what is asked changed since: `small.metrics.waves` is new"
    assert "course run --parts counters add" in finding.advice
    assert shelf.shown_record is not None
    assert not make(PartKind.COUNTERS)
    added = [name for name in list_parts(course) if name not in before]
    assert len(added) == 1
    assert added[0].endswith("-2.json")
    part = take(course, PartKind.COUNTERS).part
    assert isinstance(part, Counters)
    assert "waves" in {value.counter for value in part.sessions[0].values}


def test_a_changed_program_makes_all_stale_and_says_it_once(course: Path) -> None:
    source = course / "snippets/add/add.cu"
    source.write_text(source.read_text().replace("return 0;", "return 0 + 0;"))
    shelf, findings = read(course)
    assert {p.state.value for p in shelf.parts} == {"stale"}
    assert [f.kind for f in findings] == [Kind.STALE]


def test_an_argument_for_equivalence_runs_nothing_again(course: Path) -> None:
    target = course / "snippets/add/program.toml"
    target.write_text(target.read_text().replace("its order", "the order"))
    assert not [f for f in read(course)[1] if f.kind is Kind.STALE]


def test_what_was_never_made_is_missing(course: Path) -> None:
    for path in (course / FOLDER).glob("counters-*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    (finding,) = [f for f in read(course)[1] if f.kind is Kind.MISSING]
    assert finding.stated == "counters of `add`"
    assert finding.true == f"there is none in {FOLDER}"


def test_a_program_that_asks_for_nothing_has_orphans(course: Path) -> None:
    target = course / "snippets/add/program.toml"
    text = target.read_text()
    target.write_text(text[: text.index("[counters")])
    _, findings = read(course)
    assert {f.kind for f in findings} <= {Kind.CHECK}


# --- edits


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        (PartKind.COUNTERS, "33,554,432", "33,554,433"),
        (PartKind.SANITIZERS, "ERROR SUMMARY: 0 errors", "ERROR SUMMARY: 2 errors"),
        (PartKind.MUTANTS, "element 0 differs", "element 1 differs"),
    ],
)
def test_an_edited_raw_file_is_named_by_its_line(
    course: Path, kind: PartKind, old: str, new: str
) -> None:
    files = [f for f in (course / FOLDER).glob(f"{kind}-*/*") if old in f.read_text()]
    files[0].write_text(files[0].read_text().replace(old, new, 1))
    shelf, findings = read(course)
    (finding,) = [f for f in findings if f.kind is Kind.RECORD]
    assert new in quote(course, finding)
    assert "made for another line" in finding.true
    assert find_newest(shelf, kind) is None  # nothing rests on it
    assert not [f for f in findings if f.kind is Kind.MISSING]  # and that is said once


def test_an_edited_value_is_named_by_its_field(course: Path) -> None:
    path = next((course / FOLDER).glob("counters-*.json"))
    path.write_text(path.read_text().replace('"median": 8192.0', '"median": 8191.0'))
    _, findings = read(course)
    assert any("`sessions` as it stands" in f.stated for f in findings)
    assert any('its raw files come to `"median": 8192.0' in f.true for f in findings)


def test_a_part_in_another_parts_file(course: Path) -> None:
    folder = course / FOLDER
    path = next(folder.glob("counters-*.json"))
    path.rename(folder / path.name.replace("counters", "mutants"))
    _, findings = read(course)
    assert any(f.kind is Kind.RECORD for f in findings)


# --- tools that refuse, and words they say


def test_a_refusing_profiler_leaves_its_words_and_nothing_else_is_lost(
    course: Path, make: Make
) -> None:
    words = "ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU counters."
    edit = ("launches = 3", "launches = 4")
    (finding,) = make(PartKind.COUNTERS, edit=edit, refuse=words)
    assert (finding.kind, finding.checked) == (Kind.CHECK, False)
    assert finding.true == words
    part = take(course, PartKind.COUNTERS)
    assert part.part.could_not_check == words
    assert part.part.refusal is not None
    assert "==ERROR== ERR_NVGPUCTRPERM" in part.texts[part.part.refusal.path]
    before = list_parts(course)
    assert make(PartKind.COUNTERS, refuse=words) == [finding]
    assert list_parts(course) == before  # the same words are not kept twice
    assert not make(PartKind.COUNTERS)
    assert not take(course, PartKind.COUNTERS).part.could_not_check


def test_no_profiler_at_all(
    course: Path, make: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nvcc = shutil.which("nvcc")
    assert nvcc is not None
    edit = ("launches = 3", "launches = 4")
    monkeypatch.setenv("PATH", f"{tmp_path / 'only'}:/usr/bin:/bin")
    (tmp_path / "only").mkdir()
    (tmp_path / "only/nvcc").symlink_to(nvcc)
    if isinstance(find_tool("ncu"), Tool):
        pytest.skip("this machine has a profiler in its usual place")
    (finding,) = make(PartKind.COUNTERS, edit=edit)
    assert "no ncu that works" in finding.true
    assert not finding.checked


@pytest.mark.parametrize(
    ("edit", "wishes", "at", "true", "advice"),
    [
        (
            ("dram__bytes_read.sum", "dram__bytes_reed.sum"),
            {},
            '"dram__bytes_reed.sum"',
            "knows no such metric",
            "did you mean `dram__bytes_read.sum`",
        ),
        (
            ('unit = "B"', 'unit = "sectors"'),
            {},
            '"sectors"',
            "the profiler gives it in `byte`",
            'unit = "B"',
        ),
        (
            ('unit = "instructions"', 'unit = "ms"'),
            {},
            '"ms"',
            "the profiler gives it in `inst`",
            "declare that unit",
        ),
        (
            ("launches = 3", "launches = 4"),
            {"not_launched": ["add"]},
            '"add"',
            "the profiler saw none",
            "have the program launch it",
        ),
        (
            ("launches = 3", "launches = 4"),
            {"values": {"dram__bytes_read.sum": "n/a"}},
            '"dram__bytes_read.sum"',
            "has no value of it on this GPU",
            "count something else",
        ),
        (
            ("dram__bytes_read.sum", "dram__bytes_read.total"),
            {"left_out": ["dram__bytes_read.total"]},
            '"dram__bytes_read.total"',
            "the profiler left it out",
            "`ncu --query-metrics` for the name",
        ),
        (
            ("launches = 3", "launches = 4"),
            {"passes": {"1": 2, "2": 2}},
            '"hot"',
            "in 2 passes",
            "a session of its own",
        ),
    ],
)
def test_what_cannot_be_counted_is_placed(
    course: Path,
    make: Make,
    edit: tuple[str, str],
    wishes: dict[str, object],
    at: str,
    true: str,
    advice: str,
) -> None:
    before = list_parts(course)
    findings = make(PartKind.COUNTERS, edit=edit, **wishes)
    assert len({(f.place, f.true) for f in findings}) == 1, findings
    finding = findings[0]
    assert quote(course, finding).startswith(at)
    assert true in finding.true
    assert advice in finding.advice
    assert list_parts(course) == before


def test_a_log_of_another_form_is_placed_in_the_log(course: Path, make: Make) -> None:
    findings = make(
        PartKind.COUNTERS, edit=("launches = 3", "launches = 4"), more_lines=['"3","66"']
    )
    assert findings[0].place.path.endswith("small-01.csv")
    assert "2 cells and the header 16" in findings[0].true


def test_hot_counters_need_to_be_told_their_passes(course: Path, make: Make) -> None:
    edit = ("launches = 3", "launches = 4")
    findings = make(PartKind.COUNTERS, edit=edit, without=["profiler__replayer_passes"])
    assert findings[0].place.path.endswith("small-01.csv")
    assert findings[0].true == "the log has no column `profiler__replayer_passes`"
    assert 'caches = "cold"' in findings[0].advice


def test_hot_counters_are_spread_over_runs_of_one_pass(course: Path, make: Make) -> None:
    assert not make(PartKind.COUNTERS, edit=("launches = 3", "launches = 4"), passes={"2": 3})
    part = take(course, PartKind.COUNTERS).part
    assert isinstance(part, Counters)
    (session,) = part.sessions
    assert [run.passes for run in session.runs] == [1] * 8
    metrics = {run.command[run.command.index("--metrics") + 1] for run in session.runs}
    assert metrics == {"smsp__inst_executed_op_global_ld.sum", "dram__bytes_read.sum"}


def test_cold_counters_take_as_many_passes_as_they_need(course: Path, make: Make) -> None:
    assert not make(PartKind.COUNTERS, edit=('"hot"', '"cold"'), passes={"2": 3})
    part = take(course, PartKind.COUNTERS).part
    assert isinstance(part, Counters)
    assert [run.passes for run in part.sessions[0].runs] == [3] * 3
    assert "--cache-control all" in " ".join(part.sessions[0].runs[0].command)


def test_a_tool_that_does_not_see_its_mutant_is_not_believed(course: Path, make: Make) -> None:
    edit = ("--once --n 48", "--once --n 32")
    findings = make(PartKind.SANITIZERS, edit=edit, blind=["racecheck"])
    (finding,) = findings
    assert (finding.kind, finding.checked) == (Kind.CHECK, False)
    assert quote(course, finding).startswith("sanitizers]")
    assert finding.true == "racecheck does not notice `no-barrier` under the same command"
    assert 'proves = "racecheck"' in finding.advice
    assert finding in read(course)[1]


def test_a_tool_without_any_mutant_is_not_believed(course: Path, make: Make) -> None:
    (finding,) = make(PartKind.SANITIZERS, edit=('proves = "racecheck"', ""))
    assert not finding.checked
    assert finding.true == "no mutant shows that racecheck sees this program's kernels"


def test_what_a_tool_finds_is_found(course: Path, make: Make) -> None:
    edit = ("--once --n 48", "--once --n 32")
    (finding,) = make(PartKind.SANITIZERS, edit=edit, finds=["racecheck"])
    assert finding.checked
    assert finding.stated == "`add` under racecheck"
    assert finding.true == "it found 1 error and 0 warnings"
    assert "racecheck.log.txt" in finding.advice
    assert quote(course, finding) == '"errors": 1,'


def test_a_sanitizer_that_refuses(course: Path, make: Make) -> None:
    edit = ("--once --n 48", "--once --n 32")
    words = "Device not supported"
    refuses = {"memcheck": words, "racecheck": words}
    (finding,) = make(PartKind.SANITIZERS, edit=edit, sanitizer_refuses=refuses)
    assert not finding.checked
    assert finding.true.startswith(f"Error: {words}")
    refuses = {"racecheck": words}
    (finding,) = make(PartKind.SANITIZERS, edit=("--n 32", "--n 16"), sanitizer_refuses=refuses)
    assert not finding.checked
    assert words in finding.true
    part = take(course, PartKind.SANITIZERS).part
    assert isinstance(part, Sanitizers)
    assert next(r for r in part.runs if r.tool == "memcheck").passed


# --- mutants


def test_a_mutant_that_survives_is_a_finding_at_its_place(course: Path, make: Make) -> None:
    argument = 'equivalent = "a sum does not depend on its order"\n'
    target = course / "snippets/add/program.toml"
    target.write_text(target.read_text().replace(argument, ""))
    (finding,) = [f for f in read(course)[1] if f.place.path.endswith("program.toml")]
    assert finding.kind is Kind.CHECK
    assert quote(course, finding).startswith("turned]")
    assert (
        finding.true == "it survives the program's check, the reader's check, memcheck, racecheck"
    )
    assert "`equivalent`" in finding.advice


def test_a_mutant_declared_equivalent_that_is_caught(course: Path) -> None:
    target = course / "snippets/add/program.toml"
    old = 'with = "return a - b;"\n'
    target.write_text(target.read_text().replace(old, f'{old}equivalent = "it is the same"\n'))
    (finding,) = [f for f in read(course)[1] if f.place.path.endswith("program.toml")]
    assert finding.true == "the program's check rejects it"
    assert "take `equivalent` out" in finding.advice


def test_a_mutant_that_does_not_compile_shows_nothing(course: Path, make: Make) -> None:
    before = list_parts(course)
    (finding,) = make(PartKind.MUTANTS, edit=('with = "return a - b;"', 'with = "return q;"'))
    assert quote(course, finding).startswith('"return a + b;"')
    assert 'does not compile: identifier "q" is undefined' in finding.true
    assert list_parts(course) == before


def test_survivors_without_a_sanitizer_are_not_known(course: Path, make: Make) -> None:
    words = "Device not supported"
    findings = make(
        PartKind.MUTANTS,
        edit=("--once --n 48", "--once --n 32"),
        sanitizer_refuses={"memcheck": words, "racecheck": words},
    )
    assert {quote(course, f).split("]")[0] for f in findings} == {"no-guard", "no-barrier"}
    assert {f.checked for f in findings} == {False}
    assert all(words in f.true for f in findings)


def test_a_program_that_its_own_checks_reject_judges_no_mutant(course: Path, make: Make) -> None:
    (finding,) = make(
        PartKind.MUTANTS, edit=("--once --n 48", "--once --n 32"), finds=["racecheck"]
    )
    assert finding.checked
    assert finding.stated == "the checks accept `add` itself"
    assert finding.true.startswith("racecheck rejects it: Error: Race reported")


def test_the_real_listing_of_the_binary(workshop: Workshop) -> None:
    if isinstance(find_tool(CUOBJDUMP), str):
        pytest.skip("cuobjdump is not installed")
    loaded = take(workshop.root, PartKind.LISTINGS)
    part = loaded.part
    assert isinstance(part, Listings)
    (region,) = part.regions
    assert list(region.functions) == ["add"]
    (kernel,) = region.kernels
    assert kernel.opcodes["FADD"] == 1
    assert kernel.instructions == sum(kernel.opcodes.values())
    assert part.lines is not None
    assert "/tmp" not in loaded.texts[part.lines.path]
    lines = (workshop.root / "snippets/add/add.cu").read_text().split("\n")
    number = next(n for n, text in enumerate(lines, 1) if "int i = blockIdx" in text)
    scan = scan_source("\n".join(lines))
    token = scan.tokens[part.anchors[str(number)]]
    assert (token.text, scan.locate(token.start)[0]) == ("int", number)


# --- bundles


def bundle_parts(workshop: Workshop, tmp_path: Path) -> tuple[Path, dict[str, bytes]]:
    """A tree without evidence of parts, and the files of a bundle that holds them."""
    root = tmp_path / "tree"
    shutil.copytree(workshop.root, root)
    files = {}
    for path in sorted((root / FOLDER).rglob("*")):
        relative = path.relative_to(root).as_posix()
        if path.is_file() and not relative.startswith(f"{FOLDER}/run-"):
            files[relative] = path.read_bytes()
            path.unlink()
    return root, files


def test_a_bundle_carries_parts(workshop: Workshop, tmp_path: Path) -> None:
    root, files = bundle_parts(workshop, tmp_path)
    assert {f.kind for f in read(root)[1]} >= {Kind.MISSING}
    (tmp_path / "b.tgz").write_bytes(write_bundle(files))
    assert not record_bundle(root, tmp_path / "b.tgz")
    assert {p.kind for p in read(root)[0].parts} == set(ASKED)
    assert not record_bundle(root, tmp_path / "b.tgz")  # once more changes nothing


def test_a_bundle_with_an_edited_part_is_refused_whole(workshop: Workshop, tmp_path: Path) -> None:
    root, files = bundle_parts(workshop, tmp_path)
    path = next(p for p in files if "/counters-" in p and p.endswith(".csv"))
    files[path] = files[path].replace(b"33,554,432", b"33,554,433")
    (tmp_path / "b.tgz").write_bytes(write_bundle(files))
    (finding,) = record_bundle(root, tmp_path / "b.tgz")
    assert finding.place.path == path
    assert "made for another line" in finding.true
    assert not read(root)[0].parts


def test_a_bundle_for_another_declaration_is_refused(workshop: Workshop, tmp_path: Path) -> None:
    root, files = bundle_parts(workshop, tmp_path)
    declaration = root / "snippets/add/program.toml"
    declaration.write_text(declaration.read_text().replace("launches = 3", "launches = 5"))
    (tmp_path / "b.tgz").write_bytes(write_bundle(files))
    (finding,) = record_bundle(root, tmp_path / "b.tgz")
    assert finding.kind is Kind.STALE
    assert finding.true == "what is asked changed since: `small.launches` is another"
    assert "make the bundle again" in finding.advice


def test_a_file_that_no_part_names_is_refused(workshop: Workshop, tmp_path: Path) -> None:
    root, files = bundle_parts(workshop, tmp_path)
    path = next(p for p in files if "/counters-" in p and p.endswith(".csv"))
    files[path.replace(".csv", "-more.csv")] = b"x"
    (tmp_path / "b.tgz").write_bytes(write_bundle(files))
    (finding,) = record_bundle(root, tmp_path / "b.tgz")
    assert "no record in it names it" in finding.true


def test_a_whole_campaign_measures_what_is_wanted_and_tells_where_time_went(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that fails under the profiler, beside one that does not."""
    install_fakes(tmp_path / "fakes")
    monkeypatch.setenv("PATH", f"{tmp_path / 'fakes'}:{os.environ['PATH']}")
    counters = DECLARATION[: DECLARATION.index("[sanitizers]")]
    bad = PROGRAM.replace("add.cu", "bad.cu").replace("-o add", "-o bad").replace("./add", "./bad")
    bad = bad.replace("int main() {", "int main(int argc, char **) {")
    bad = bad.replace("return 0;", "return argc > 1 ? 3 : 0;")
    root = tmp_path / "course"
    make_course(root, {"add": PROGRAM, "bad": bad}, {"add": counters, "bad": counters})
    told: list[str] = []
    ground = Ground(root, read_settings(root)[0], DEVICE, None, told.append)
    kinds = (PartKind.COUNTERS,)
    wants = [Want(load_program(root, name), True, kinds) for name in ("add", "bad")]
    (finding,) = measure_wanted(ground, wants, Repeats(2, 2))
    assert finding.kind is Kind.RUN
    assert finding.place.path == "snippets/bad/program.toml"
    assert "exit status 3; its last lines: took 1.25 ms" in finding.true
    assert len(list_parts(root)) == 2
    assert not list((root / "evidence/bad/nvidia-h200").glob("counters*"))
    assert (root / "evidence/bad/nvidia-h200").is_dir()
    compiled = max(n for n, line in enumerate(told) if "compiling" in line)
    ran = min(n for n, line in enumerate(told) if "process 1 of 2" in line)
    assert compiled < ran < told.index("add: counters")
    lines = describe_ledger(ground.ledger, time.monotonic())
    assert any("compiler" in line and "programs (2 times)" in line for line in lines)
    assert any("GPU" in line and "runs (4 times)" in line for line in lines)
    assert any(line.strip().startswith("neither") for line in lines)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_what_runs_side_by_side(tmp_path: Path, number: int) -> None:
    """While mutants hang: children gone, nothing written, nothing left behind."""
    root, temporary = tmp_path / "course", tmp_path / "tmp"
    temporary.mkdir()
    hang = f'FILE *f = std::fopen("{tmp_path}/pids", "a"); std::fprintf(f, "%d\\n", getpid()); std::fclose(f); pause();'
    source = PROGRAM.replace("#include <cstdio>", "#include <cstdio>\n#include <unistd.h>")
    source = source.replace(
        "    if (addOne(1, 2) != 3) {", f"    {hang}\n    if (addOne(1, 2) != 3) {{"
    )
    declared = DECLARATION[: DECLARATION.index("[counters")] + (
        '[mutants.subtracts]\nregion = "add-kernel"\nreplace = "return a + b;"\nwith = "return a;"\n'
    )
    make_course(root, {"add": source}, {"add": declared})
    code = f"""
        import signal, sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r})
        # Whoever runs the tests in the background ignores these, and so would we.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        from pathlib import Path
        from build_tools.evidence.part_model import PartKind
        from build_tools.measure.campaign import measure_wanted
        from build_tools.measure.ground import Ground, Repeats, Want
        from build_tools.source.settings import read_settings
        from tests.course_factory import DEVICE, load_program
        root = Path({str(root)!r})
        ground = Ground(root, read_settings(root)[0], DEVICE, None, print)
        measure_wanted(ground, [Want(load_program(root, "add"), False, (PartKind.MUTANTS,))], Repeats(1, 1))
    """
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    pids = tmp_path / "pids"
    for _ in range(2400):
        if (pids.is_file() and pids.read_text().endswith("\n")) or parent.poll() is not None:
            break
        time.sleep(0.05)
    assert parent.poll() is None, parent.communicate()
    parent.send_signal(number)
    parent.communicate(timeout=60)
    assert parent.returncode in (-number, 128 + number)
    for pid in pids.read_text().split():
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)
    assert not (root / "evidence").exists()
    assert list(temporary.iterdir()) == []
