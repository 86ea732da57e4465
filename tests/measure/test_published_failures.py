"""Is each way in which published numbers went wrong kept from a page, and for the right reason?

One test a failure that was reported in public; each makes the same mistake in a course of its
own, through what an author would use, and finds it told by kind, place and advice.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace

from build_tools.claims.check import check_course, check_scan
from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.part_model import PartKind
from build_tools.measure.campaign_findings import report_check
from build_tools.measure.compile import compile_program
from build_tools.measure.reader_check import check_reader_units
from build_tools.measure.toolchain import Toolchain
from build_tools.source.programs import read_program
from tests.course_factory import (
    CHECK,
    DECLARATION,
    DEVICE,
    PROGRAM,
    add_record,
    load_program,
    make_course,
    make_transcripts,
)
from tests.measure.fake_cupy import CHECK as SOUND
from tests.measure.fake_cupy import install_cupy
from tests.parts_factory import DECLARATION as PARTS
from tests.parts_factory import PROGRAM as PARTS_PROGRAM
from tests.parts_factory import add_part, compose_log, draft_part, make_parts_course

TOML = "snippets/add/program.toml"
FACTS = """
[peak]
value = "4.8"
unit = "TB/s"
gpu = "NVIDIA H200"
source = "the card's data sheet"
quote = "4.8 TB/s"
date = "2026-11-30"
"""


@dataclass
class Bench:
    """A course that is edited, and what is then found in it."""

    root: Path

    def load(self) -> Course:
        return load_course(self.root)

    def edit(self, path: str, *edits: tuple[str, str]) -> None:
        text = (self.root / path).read_text()
        for old, new in edits:
            assert old in text, old
            text = text.replace(old, new, 1)
        (self.root / path).write_text(text)

    def read(self, markdown: str) -> list[Finding]:
        """What is wrong with a page of this text."""
        return check_scan(self.load(), scan_page(markdown, "docs/p.md"))

    def check(self) -> list[Finding]:
        """What is wrong with sources and evidence alone."""
        return check_course(self.load(), [])

    def quote(self, finding: Finding) -> str:
        """What stands at the finding's place."""
        line = (self.root / finding.place.path).read_text().split("\n")[finding.place.line - 1]
        return line[finding.place.column - 1 :]


def make(
    root: Path, more: str = "", transcripts: Sequence[str] | None = None, program: str = PROGRAM
) -> Bench:
    """A course with one program whose kernels are timed at two sizes."""
    make_course(
        root,
        {"add": program.format(name="add") if program is PROGRAM else program},
        {"add": DECLARATION + more},
        {"add": make_transcripts() if transcripts is None else transcripts},
        checks={"add": CHECK},
    )
    return Bench(root)


@pytest.fixture
def timed(tmp_path: Path) -> Bench:
    return make(tmp_path / "course")


@pytest.fixture
def parts(tmp_path: Path) -> Bench:
    """A course with counters, sanitizers and mutants."""
    make_parts_course(tmp_path / "course")
    return Bench(tmp_path / "course")


# --- vacuous checks


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A course whose check.py launches its kernel, with a stand-in for CuPy and the GPU."""
    install_cupy(tmp_path / "cupy")
    monkeypatch.syspath_prepend(str(tmp_path / "cupy"))
    bench = make(tmp_path / "course")
    (bench.root / "snippets/add/check.py").write_text(SOUND)
    assert try_reader(bench) == []
    return bench


def try_reader(bench: Bench) -> list[Finding]:
    program = load_program(bench.root, "add")
    check = check_reader_units(bench.root, program)
    findings = report_check(program, check)
    assert check.passed == (not findings)
    return findings


CHECK_PY = "snippets/add/check.py"
COMPARED = "assert abs(got - want) <= 0.0,"


def test_a_verifier_that_accepts_nan(reader: Bench) -> None:
    """`if (fabs(got - want) > tolerance) fail` lets every NaN pass: siboehm/SGEMM_CUDA, PR 20."""
    reader.edit(CHECK_PY, (COMPARED, "assert not abs(got - want) > 0.0,"))
    findings = try_reader(reader)
    assert [f.true for f in findings] == [
        "it accepts a kernel that writes nothing",
        "it accepts a kernel that leaves NaN",
    ]
    assert {(f.kind, f.place.path) for f in findings} == {(Kind.CHECK, CHECK_PY)}
    assert "compare with `not (abs(got - want) <= tolerance)`" in findings[1].advice


def test_all_zeros_pass(reader: Bench) -> None:
    """An output of zeros was within the tolerance: KernelBench, issue 165."""
    reader.edit(CHECK_PY, (COMPARED, "assert abs(got - want) <= 20.0,"))
    (finding,) = try_reader(reader)
    assert (finding.kind, finding.place.path) == (Kind.CHECK, CHECK_PY)
    assert finding.stated == "check.py rejects a wrong result of `add-kernel`"
    assert finding.true == "it accepts a kernel that leaves zeros"
    assert "draw inputs whose result is not zero" in finding.advice


def test_an_output_that_holds_the_result_already(reader: Bench) -> None:
    """A buffer that an earlier, right kernel had filled was compared after one that wrote none."""
    reader.edit(CHECK_PY, ("[math.nan] * size", "[x + y for x, y in zip(a, b)]"))
    (finding,) = try_reader(reader)
    assert finding.true == "it accepts a kernel that writes nothing"
    assert "fill the output with NaN before the launch" in finding.advice


def test_two_equally_wrong_kernels(reader: Bench) -> None:
    """A kernel compared with another that shares its fault: cuda-samples, fp16ScalarProduct."""
    twin = "want = c.get()[i]"
    reader.edit(CHECK_PY, ("want = a[i] + b[i]", twin))
    findings = try_reader(reader)
    assert "it accepts a kernel that leaves zeros" in [f.true for f in findings]


def test_constant_inputs(reader: Bench) -> None:
    """All elements were one number, so any index was right: cuda-samples, matrixMul."""
    reader.edit(CHECK_PY, ("float(drawn.randint(-9, 9)) + 0.5", "1.0 + 0 * drawn.random()"))
    (finding,) = try_reader(reader)
    assert finding.stated == "region `add-kernel` works as a reader copies it"
    assert finding.true.startswith("every input holds one number again and again")
    assert "draw random numbers" in finding.true


def test_a_scalar_that_arrives_as_another_number(reader: Bench) -> None:
    """CuPy passes a Python float as a double, and the kernel reads half of it."""
    reader.edit(CHECK_PY, ("cupy.int32(size)", "float(size)"))
    (finding,) = try_reader(reader)
    assert "the Python float 1.0 as argument 4, which CuPy passes as a double" in finding.true
    assert finding.place == load_program(reader.root, "add").regions["add-kernel"].place


def test_a_program_that_accepts_what_nobody_wrote(parts: Bench) -> None:
    """The same of the program's own check: a mutant of every region of kernels writes nothing."""
    for path in (parts.root / "evidence/add/nvidia-h200").glob("mutants-*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    add_part(parts.root, PartKind.MUTANTS, "2026-12-02", caught={"silent-add-kernel": ""})
    (finding,) = parts.check()
    assert finding.kind is Kind.CHECK
    assert finding.stated == "`add-kernel` with kernels that write nothing is rejected"
    assert parts.quote(finding) == "// snippet: add-kernel"
    assert finding.true == "it survives the program's check, memcheck, racecheck"
    assert "compare them with `!(fabs(got - want) <= tolerance)`" in finding.advice


def test_a_norm_that_matches_while_elements_are_off(parts: Bench) -> None:
    """A check of the norm let wrong elements pass, flash-attention, PR 2553: a mutant survives."""
    shutil.rmtree(parts.root / "evidence/add/nvidia-h200/mutants-2026-12-01")
    (parts.root / "evidence/add/nvidia-h200/mutants-2026-12-01.json").unlink()
    add_part(parts.root, PartKind.MUTANTS, "2026-12-02", caught={"subtracts": ""})
    (finding,) = parts.check()
    assert finding.kind is Kind.CHECK
    assert parts.quote(finding).startswith("subtracts]")
    assert finding.true == "it survives the program's check, memcheck, racecheck"
    assert "write a check that rejects it" in finding.advice


# --- the wrong device


def test_a_table_of_one_card_under_the_name_of_another(timed: Bench) -> None:
    """An A6000 table stood under an A100 heading: SGEMM_CUDA, 4820c60."""
    text = "# Adding\n\n## On an A100\n\n/// table | add\n///\n"
    (finding,) = timed.read(text)
    assert (finding.kind, str(finding.place)) == (Kind.FALSE, "docs/p.md:5:1")
    assert finding.true == (
        "it was measured on an NVIDIA H200, and a heading above it speaks of an A100"
    )
    assert finding.advice == "say there that it is of the NVIDIA H200, or take the other card out"
    assert timed.read(text.replace("A100", "H200, not A100")) == []
    assert timed.read(text + "\n## Elsewhere\n") != []


@pytest.mark.parametrize(
    "card", ["RTX A6000", "H100", "NVIDIA L4", "RTX 4090", "GH200", "V100", "H20"]
)
def test_a_time_of_one_card_said_of_another(timed: Bench, card: str) -> None:
    claim = '[0.626 ms](claim:add.time["large", "wide"])'
    (finding,) = timed.read(f"# A\n\nOn the {card} it takes {claim}.\n")
    assert (finding.kind, finding.stated) == (Kind.FALSE, "`0.626 ms`")
    article = "a" if card[0] in "GV" else "an"
    assert finding.true.endswith(f"its sentence speaks of {article} {card.removeprefix('NVIDIA ')}")
    assert timed.read(f"# A\n\nUnlike the {card}, the H200 takes {claim}.\n") == []
    assert timed.read(f"# A\n\nThe {card} is older. This one takes {claim}.\n") == []
    assert timed.read(f"# The {card}\n\nThe H200 takes {claim}.\n") == []


def test_a_record_of_another_card(tmp_path: Path) -> None:
    """What was measured on another card is no evidence for the one the course speaks of."""
    make_course(tmp_path, {"add": PROGRAM.format(name="add")}, {"add": DECLARATION})
    bench = Bench(tmp_path)
    other = replace(DEVICE, model="NVIDIA RTX A6000")
    add_record(bench.root, "add", make_transcripts(), device=other, stamp=False)
    (finding,) = bench.read('It takes [0.626 ms](claim:add.time["large", "wide"]).\n')
    assert finding.kind is Kind.MISSING
    assert "course run" in finding.advice


def test_an_l2_cache_of_another_size(timed: Bench) -> None:
    """The H200's L2 cache was given as 90 MB."""
    (finding,) = timed.read("Its L2 holds [90 MB](claim:add.device.l2_bytes).\n")
    assert (finding.kind, finding.place.column) == (Kind.DRIFT, 14)
    assert "62.9" in finding.true or "60" in finding.true
    assert timed.read("Its L2 holds [60 MiB](claim:add.device.l2_bytes).\n") == []


def test_a_peak_of_another_board(timed: Bench) -> None:
    """The SXM board's peak was used for the PCIe card: LLMs-from-scratch, issue 482."""
    fact = FACTS.replace('gpu = "NVIDIA H200"\n', "").replace("[peak]", "[peak]", 1)
    fact = fact.replace("[peak]", '[peak.gpu."NVIDIA H100 PCIe"]')
    (timed.root / "snippets/quantities.toml").write_text(fact)
    (finding,) = timed.read("Its peak is [4.8 TB/s](given:peak).\n")
    assert finding.kind is Kind.EXPRESSION
    assert "has no value for `NVIDIA H200`, only for `NVIDIA H100 PCIe`" in finding.true
    assert '[peak.gpu."NVIDIA H200"]' in finding.advice


# --- the impossible


def sanity(root: Path, rule: str) -> Finding:
    (finding,) = make(root, f"\n[sanity.it]\n{rule}\n").check()
    return finding


def test_more_than_the_hardware_can(tmp_path: Path) -> None:
    """3530 GB/s on a card of 864 GB/s, L2 left persisting: llm.c, PR 851."""
    rule = 'rate = \'rate["small", "wide"]\'\npeak = \'rate["small", "narrow"]\''
    finding = sanity(tmp_path, rule)
    assert (finding.kind, finding.place.path) == (Kind.SANITY, TOML)
    assert "180.0 % of" in finding.true
    assert "no hardware exceeds its own peak" in finding.advice


def test_dram_bandwidth_of_what_lies_in_the_cache(tmp_path: Path) -> None:
    """A working set within L2 was called DRAM bandwidth."""
    moved = "\n[quantities]\nmoved = { expression = '3 * 2 ** 24', unit = 'B' }\n"
    rule = "[sanity.it]\nrate = 'rate[\"small\", \"wide\"]'\nworking_set = 'moved'\n"
    (finding,) = make(tmp_path, moved + rule).check()
    assert finding.kind is Kind.SANITY
    assert finding.stated.endswith("is a rate of DRAM")
    assert "fits into the L2 cache" in finding.true
    assert "say that the rate is the cache's" in finding.advice


# --- timing

HOST = """\
#include <cuda_runtime.h>

void flushCache(char *);
int main() {{
    float *a = nullptr;
    cudaEvent_t begin, end;
    {before}
    cudaEventRecord(begin);
    {within}
    add<<<1, 1>>>(a, a, a, 1);
    cudaEventRecord(end);
    cudaFree(a);
    std::puts("done");
"""


def time_program(tmp_path: Path, within: str, before: str = ";") -> list[Finding]:
    text = PROGRAM.format(name="add")
    text = text.replace(
        'int main() {\n    std::puts("done");\n', HOST.format(within=within, before=before)
    )
    make_course(tmp_path, {"add": text}, {"add": "[regions.add-kernel]\nneeds = ['block']\n"})
    _, findings = read_program(tmp_path, "add")
    return findings


def test_an_allocation_timed_with_the_kernel(tmp_path: Path) -> None:
    """The allocation lay between the events, 333 times the kernel: mojo-gpu-puzzles, PR 93."""
    (finding,) = time_program(tmp_path, "cudaMalloc(&a, 4);")
    assert finding.kind is Kind.SANITY
    assert finding.stated == "`cudaMalloc` between two events"
    assert Bench(tmp_path).quote(finding).startswith("cudaMalloc(&a, 4);")
    assert "move it before the first event" in finding.advice
    assert time_program(tmp_path, ";", "cudaMalloc(&a, 4);") == []


@pytest.mark.parametrize(
    "call", ["cudaMemset(a, 0, 4);", "flushCache(0);", "evictL2<<<1, 1>>>();", "cudaMemsetAsync(a, 0, 4);"]
)  # fmt: skip
def test_a_flush_within_the_timed_window(tmp_path: Path, call: str) -> None:
    """The flush of L2 lay between the events, 0.058 ms for 0.004: TileOPs, issue 1725."""
    (finding,) = time_program(tmp_path, call)
    assert finding.kind is Kind.SANITY
    assert finding.true == "what empties a cache or clears memory is timed together with the kernel"
    assert Bench(tmp_path).quote(finding).startswith(re.split("[(<]", call, maxsplit=1)[0])
    assert time_program(tmp_path, ";", call) == []


def test_hot_counters_called_cold(parts: Bench) -> None:
    """Caches were warm and the text called them cold: flashinfer, issue 4468."""
    claim = '[8,192 instructions](claim:add.counters["add"].loads)'
    (finding,) = parts.read(f"With cold caches it executes {claim}.\n")
    assert (finding.kind, finding.stated) == (Kind.FALSE, "`8,192 instructions`")
    assert finding.true == "it was counted with hot caches, and its sentence says cold"
    assert 'cite a session that declares `caches = "cold"`' in finding.advice
    assert parts.read(f"With hot caches it executes {claim}.\n") == []
    assert parts.read(f"It executes {claim}.\n") == []


@pytest.mark.parametrize("flags", [("--cache-control", "all"), ()])
def test_caches_that_were_flushed_declared_hot(parts: Bench, flags: tuple[str, ...]) -> None:
    """The profiler flushes caches by default, whatever the author says of them."""
    loaded, _, findings = draft_part(parts.root, PartKind.COUNTERS, "2026-12-02", flags=flags)
    assert loaded is None
    (finding,) = findings
    assert finding.stated == '`caches = "hot"` of session `small`'
    assert finding.true.startswith("the profiler flushed all caches before each pass")
    assert parts.quote(finding) == '"hot"'
    assert "count again" in finding.advice


def test_a_profilers_duration_beside_a_time(parts: Bench) -> None:
    """One kernel took 7.0 us by events and 11.15 under the profiler, side by side in one table."""
    parts.edit(TOML, ("dram__bytes_read.sum", "gpu__time_duration.sum"))
    finding = next(f for f in parts.check() if f.kind is Kind.DECLARATION)
    assert parts.quote(finding).startswith('"gpu__time_duration.sum"')
    assert finding.true.startswith("the profiler's durations are no times")
    assert "time the kernel with events" in finding.advice


# --- debug builds


@pytest.mark.compiler
@pytest.mark.parametrize("flag", ["-G", "-Xptxas -O0"])
def test_registers_of_a_debug_build(tmp_path: Path, toolchain: Toolchain, flag: str) -> None:
    """19, 25 and 40 registers in the text, 16 in a release build: mojo-gpu-puzzles, p31."""
    text = PROGRAM.format(name="add")
    registers: list[int] = []
    findings: list[Finding] = []
    for name, build in (("release", text), ("debug", text.replace("-O3", f"-O3 {flag}"))):
        make_course(tmp_path / name, {"add": build})
        (tmp_path / name / "out").mkdir()
        program, findings = read_program(tmp_path / name, "add")
        assert program is not None
        compiled, wrong = compile_program(
            tmp_path / name, program, toolchain, "sm_90", tmp_path / name / "out"
        )
        assert compiled is not None, wrong
        registers.append(compiled.build.kernels["add"].registers)
    assert registers[0] != registers[1]  # so what the text says would hang on it
    (finding,) = findings
    assert finding.kind is Kind.HEADER
    assert finding.stated == f"`{flag}` in the Build command"
    assert "debug build, whose times, registers and counters" in finding.true
    assert Bench(tmp_path / "debug").quote(finding).startswith("nvcc ")


@pytest.mark.parametrize(
    ("options", "is_debug"),
    [
        ("-O3 -lineinfo -g", False),
        ("-O3 --device-debug", True),
        ("-O0", True),
        ("-O3 -Xptxas=-v,-O1", True),
        ("-O3 -Xptxas -v", False),
        ("-O2 -DG", False),
    ],
)
def test_which_builds_are_debug_builds(tmp_path: Path, options: str, is_debug: bool) -> None:
    make_course(tmp_path, {"add": PROGRAM.format(name="add").replace("-O3", options)})
    _, findings = read_program(tmp_path, "add")
    assert [f.kind for f in findings] == [Kind.HEADER] * is_debug


# --- causes that were not shown


STORES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
LOADS = "smsp__inst_executed_op_global_ld.sum"


def count_wavefronts(bench: Bench, date: str, loads: str, wavefronts: str) -> None:
    """A part whose second counter is of wavefronts, which conflicts add to."""
    told = {LOADS: ("inst", loads), STORES: ("", wavefronts)}
    add_part(bench.root, PartKind.COUNTERS, date, logs=[compose_log(0, told)] * 3)


WAVEFRONTS = (
    ("dram_read = ", "wavefronts = "),
    ("dram__bytes_read.sum", STORES),
    ('unit = "B"', 'unit = "instructions"'),
)
FREE = 'same(add.counters["add"].wavefronts, add.counters["add"].loads)'


def test_conflicts_in_a_kernel_said_to_have_none(parts: Bench) -> None:
    """It was in the kernel's name, and not in its counter: SGEMM_CUDA 8, cuda-samples 175."""
    parts.edit(TOML, *WAVEFRONTS)
    count_wavefronts(parts, "2026-12-02", "256", "288")
    (finding,) = parts.read(f"It has [no bank conflicts](claim:{FREE}).\n")
    assert (finding.kind, str(finding.place)) == (Kind.FALSE, "docs/p.md:1:8")
    assert "288" in finding.true


def test_a_kernel_that_has_none(parts: Bench) -> None:
    parts.edit(TOML, *WAVEFRONTS)
    count_wavefronts(parts, "2026-12-02", "256", "256")
    assert parts.read(f"It has [no bank conflicts](claim:{FREE}).\n") == []


@pytest.mark.parametrize(
    "words",
    ["has no bank conflicts", "is conflict-free", "runs without any conflicts", "avoids conflicts"],
)
def test_conflicts_denied_by_nothing(parts: Bench, words: str) -> None:
    (finding,) = parts.read(f"The padded kernel {words}.\n")
    assert finding.kind is Kind.UNBOUND
    assert finding.true == "nothing shows it: only counters see conflicts"
    assert "[no bank conflicts](claim:" in finding.advice
    assert words.split(" ", 1)[1] in finding.stated or words in finding.stated


def test_conflicts_denied_by_a_time(parts: Bench) -> None:
    """The kernel was faster, so its conflicts were said to be gone."""
    (finding,) = parts.read("It has [no bank conflicts](claim:add.took < 2 * add.took).\n")
    assert finding.kind is Kind.TYPE
    assert "rests on no counter" in finding.true


RATIOS = """\
[quantities]
time_ratio = 'padded / took'
wavefront_ratio = 'counters["add"].wavefronts / counters["add"].loads'

"""


def test_a_cause_whose_counter_does_not_move_with_the_time(tmp_path: Path) -> None:
    """Conflicts of 0 and of 256, and the same time; here the time moves, and the count does not."""
    declared = PARTS[: PARTS.index("[sanitizers]")]
    for old, new in (
        *WAVEFRONTS,
        ("took {took:g} ms", "took {took:g} ms, padded {padded:g} ms"),
        ('took = "ms"', 'took = "ms", padded = "ms"'),
        ("[regions.add-kernel]", RATIOS + "[regions.add-kernel]"),
    ):
        assert old in declared
        declared = declared.replace(old, new, 1)
    told = [f"took 1.25{i} ms, padded 2.50{2 * i % 10} ms\n" for i in range(10)]
    claim = "Padding costs time, [by the wavefronts that it adds](claim:{}).\n"
    claim = claim.format("same(add.time_ratio, add.wavefront_ratio)")
    found = {}
    for wavefronts in ("512", "256"):
        root = tmp_path / wavefronts
        text = {"add": PARTS_PROGRAM}
        make_course(root, text, {"add": declared}, {"add": told}, checks={"add": CHECK})
        count_wavefronts(Bench(root), "2026-12-01", "256", wavefronts)
        found[wavefronts] = Bench(root).read(claim)
    assert found["512"] == []
    (finding,) = found["256"]
    assert (finding.kind, finding.place.column) == (Kind.FALSE, 21)
    assert finding.true.endswith("is false: 2 (band 1.985 to 2.007), 1")


def test_a_half_that_is_63_percent(timed: Bench) -> None:
    """ "Stride 2 halves" beside a table that says 63 %."""
    ratio = 'add.time["large", "wide"] / add.time["large", "narrow"]'
    assert timed.read(f"It takes [half](claim:{ratio}) the time.\n") == []
    ratio = 'add.rate["small", "narrow"] / add.rate["small", "wide"]'
    (finding,) = timed.read(f"It reaches [half](claim:{ratio}) the rate.\n")
    assert (finding.kind, finding.place.column) == (Kind.DRIFT, 12)
    assert "0.55" in finding.true


# --- arithmetic


def test_a_copied_number_that_is_another(timed: Bench) -> None:
    """4092 for 4096, copied into eight repositories."""
    (finding,) = timed.read("A block has [252](claim:add.source.kBlock) threads.\n")
    assert (finding.kind, finding.place.column) == (Kind.DRIFT, 13)
    assert "write `256`" in finding.advice
    (finding,) = timed.read("A block has 252 threads.\n")
    assert finding.kind is Kind.UNBOUND


def test_bytes_by_a_formula_that_misses_some(parts: Bench) -> None:
    """SAXPY was said to move 8N bytes, and moves 12N."""
    rule = "\n[quantities]\nexpected = { expression = '2 * 2 ** 20 * 8', unit = 'B' }\n"
    rule += "[sanity.bytes]\nformula = 'expected'\ncounter = 'counters[\"add\"].dram_read'\n"
    (parts.root / TOML).write_text(PARTS + rule)
    (finding,) = parts.check()
    assert (finding.kind, finding.place.path) == (Kind.SANITY, TOML)
    assert "the formula gives 16" in finding.true
    assert "one of the two is wrong" in finding.advice


def test_giga_of_another_size(timed: Bench) -> None:
    """GB that were reckoned with 10e9."""
    (finding,) = timed.read('It reaches [98.05 GB/s](claim:add.rate["large", "wide"]).\n')
    assert finding.kind is Kind.DRIFT
    assert "980.5" in finding.true


# --- what the next session would not repeat


def test_two_sessions_that_differ_while_each_is_tight(timed: Bench) -> None:
    """Bimodal from session to session, each tight in itself: newton, issue 2534."""
    claim = 'It is [faster](claim:add.time["large", "wide"] < add.time["large", "narrow"]).\n'
    assert timed.read(claim) == []
    other = [t.replace("wide      0.62", "wide      1.31") for t in make_transcripts()]
    add_record(timed.root, "add", other, started="2026-12-02T09:30:00Z")
    (finding,) = timed.read(claim)
    assert finding.kind is Kind.AMBIGUOUS
    assert "same(a, b)" in finding.advice


def test_a_ranking_within_the_noise(tmp_path: Path) -> None:
    """Two kernels ranked that lie nearer to each other than one of them timed twice."""
    rows = """\
case   kernel  time (ms)    GB/s
-----  ------  ---------  ------
small  narrow    1.000{i}   500.1
small  wide      0.998{i}   900.2
small  again     {again}{i}   500.2
"""
    declared = DECLARATION[: DECLARATION.index("[lines]")].replace("rows = 4", "rows = 3")
    declared += '[regions.add-kernel]\nneeds = ["block"]\n'
    declared += '\n[again.kernel]\nfirst = "narrow"\nagain = "again"\n'
    claim = 'It is [faster](claim:add.time["small", "wide"] < add.time["small", "narrow"]).\n'
    found = {}
    for again in ("1.004", "1.000"):
        make_course(
            tmp_path / again,
            {"add": PROGRAM.format(name="add")},
            {"add": declared},
            {"add": [rows.format(i=i, again=again) for i in range(10)]},
            checks={"add": CHECK},
        )
        found[again] = Bench(tmp_path / again).read(claim)
    assert found["1.000"] == []
    (finding,) = found["1.004"]
    assert finding.kind is Kind.AMBIGUOUS
    assert "they differ by no more than the same kernel timed twice" in finding.true


# --- sanitizers


def test_a_racecheck_that_skipped_the_racy_kernel(parts: Bench) -> None:
    """A task skipped the racy program and reported it clean: mojo-gpu-puzzles, 71621a7c."""
    parts.edit(TOML, ("--once --n 48", "--once --n 32"))
    add_part(parts.root, PartKind.SANITIZERS, "2026-12-02", blind=["racecheck"])
    add_part(parts.root, PartKind.MUTANTS, "2026-12-02")
    (finding,) = parts.check()
    assert (finding.kind, finding.checked) == (Kind.CHECK, False)
    assert finding.true == "racecheck does not notice `no-barrier` under the same command"
    assert parts.quote(finding).startswith("sanitizers]")
    (finding,) = parts.read('It is [free of races](claim:add.sanitizer["racecheck"].passed).\n')
    assert (finding.kind, finding.checked) == (Kind.CHECK, False)
