"""A build with source lines is used only where its machine code, and PTX, is the program's own."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from build_tools.evidence.model import Build
from build_tools.evidence.ptx import PtxLine, read_ptx
from build_tools.measure.bench import Bench, start_builds, take_lines
from build_tools.measure.compile import Compiled, compile_program
from build_tools.measure.ledger import Ledger
from build_tools.measure.listing import Listed, anchor_lines, list_code
from build_tools.measure.toolchain import Toolchain
from build_tools.measure.tools import CUOBJDUMP, NVDISASM
from build_tools.source.tokens import scan_source
from tests.course_factory import load_program, make_course, make_example

BUILD = Build(
    command=("nvcc",),
    stated_command="nvcc",
    arch_replaced="",
    nvcc="V13.0.88",
    cuda="13.0",
    machine_code_digest="5" * 64,
    kernels={},
)


@pytest.mark.parametrize(("digest", "is_used"), [("5" * 64, True), ("6" * 64, False)])
def test_source_lines_that_change_the_machine_code(
    tmp_path: Path, digest: str, is_used: bool
) -> None:
    make_example(tmp_path)
    told: list[str] = []
    own = Compiled(BUILD, b"", tmp_path / "add")
    other = msgspec.structs.replace(BUILD, machine_code_digest=digest)
    toolchain = Toolchain(Path("nvcc"), "V13.0.88", "13.0", ())
    program = load_program(tmp_path, "add")
    bench = Bench(tmp_path, program, own, tmp_path, toolchain, "sm_90", Ledger(), told.append)
    assert take_lines(bench) is None  # nobody asked for it
    bench.with_lines = Future()
    bench.with_lines.set_result((Compiled(other, b"", tmp_path / "lines/add"), "text"))
    assert [take_lines(bench) is not None for _ in range(3)] == [is_used] * 3
    said = ["add: -lineinfo changes the machine code, so it is done without"]
    assert told == ([] if is_used else said)  # once, whoever asks


PROGRAM = """\
// Day 1: inline.
//
// Build: nvcc -std=c++17 -O3 -arch=sm_90 -o add add.cu
// Run:   ./add

#include <cstdio>
#include "halve.cuh"

// snippet: add-kernel
__device__ float addOne(float a, float b) {
    return a + b;
}

__device__ int isSet(int mask) {
    int set;
    asm("{\\n"
        ".reg .pred p;\\n"
        "setp.ne.b32 p, %1, 0;\\n"
        "selp.s32 %0, 1, 0, p;\\n"
        "}\\n" : "=r"(set) : "r"(mask));
    return set;
}

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = threadIdx.x;
    if (isSet(n) == 0) printf("nothing\\n");
    float sum = addOne(a[i], b[i]);
    c[i] = halve(sum);
}
// end snippet: add-kernel

int main() {
    std::puts("took 1.25 ms");
}
"""

HEADER = """\
#pragma once
__device__ inline float times(float a, float b) {
    return a * b;
}
__device__ inline float halve(float a) {
    return times(a, 0.5f);
}
"""
ADD = "_Z3addPKfS0_Pfi"


def list_lines(root: Path, toolchain: Toolchain, *, edited: bool = False) -> Listed:
    """What the real tools list; ``edited``: the source changed between the two builds."""
    make_course(root, {"add": PROGRAM})
    (root / "snippets/add/halve.cuh").write_text(HEADER)
    out = root.parent / "out"
    out.mkdir()
    program = load_program(root, "add")
    compiled, findings = compile_program(root, program, toolchain, "sm_90", out)
    assert compiled is not None, findings
    bench = Bench(root, program, compiled, out, toolchain, "sm_90", Ledger(), lambda _: None)
    if edited:
        source = root / program.path
        source.write_text(source.read_text().replace("b[i])", "b[2 * i])"))
    with ThreadPoolExecutor(1) as pool:
        start_builds(bench, pool, lines=True, mutants=())
        tools = bench.find(CUOBJDUMP), bench.find(NVDISASM)
        if edited:
            assert bench.with_lines is not None
            other, text = bench.with_lines.result()
            assert other is not None
            # As if the machine code were the same all the same.
            same = Compiled(compiled.build, other.report, other.binary, other.cubins)
            bench.with_lines = Future()
            bench.with_lines.set_result((same, text))
        if isinstance(tools[0], str):
            pytest.skip(tools[0])
        listed = list_code(bench, [ADD], tools[0], tools[1])
    assert not listed.refusal
    return listed


def find_ptx(listed: Listed, start: str) -> PtxLine:
    """The one line of the kernel's PTX that begins so."""
    lines = read_ptx(listed.ptx.decode())[ADD]
    (line,) = [line for line in lines if line.text.startswith(start)]
    return line


def find_number(text: str) -> int:
    (number,) = [n for n, line in enumerate(PROGRAM.split("\n"), 1) if text in line]
    return number


@pytest.mark.compiler
def test_the_ptx_names_lines_of_the_source(tmp_path: Path, toolchain: Toolchain) -> None:
    listed = list_lines(tmp_path / "course", toolchain)
    assert str(tmp_path) not in listed.ptx.decode()
    assert '"snippets/add/add.cu"' in listed.ptx.decode()
    expected = {
        "add.f32": "return a + b",
        "mul.f32": "c[i] = halve(sum)",  # of a header, at the program's line
        "setp.ne.b32 p": '"=r"(set) : "r"(mask)',  # where the statement ends
        "call.uni": "printf(",
        "vprintf": "printf(",
        "st.global.f32": "c[i] = halve(sum)",
    }
    for start, text in expected.items():
        assert find_ptx(listed, start).find_line("add.cu") == find_number(text), start
    multiplied = find_ptx(listed, "mul.f32").places
    assert [name for name, _ in multiplied] == ["halve.cuh", "halve.cuh", "add.cu"]
    assert find_ptx(listed, "add.f32").places == (
        ("add.cu", find_number("return a + b")),
        ("add.cu", find_number("addOne(a[i], b[i])")),
    )
    # A line that only PTX names is anchored as well.
    anchors = anchor_lines("add.cu", listed.text, "", listed.ptx.decode())
    scan = scan_source(PROGRAM)
    for text in ("return a + b", "c[i] = halve(sum)", "__global__ void add"):
        number = find_number(text)
        assert scan.locate(scan.tokens[anchors[str(number)]].start)[0] == number


@pytest.mark.compiler
def test_other_ptx_behind_the_same_machine_code_is_not_taken(
    tmp_path: Path, toolchain: Toolchain
) -> None:
    listed = list_lines(tmp_path / "course", toolchain, edited=True)
    lines = read_ptx(listed.ptx.decode())[ADD]
    assert any(line.text.startswith("add.f32") for line in lines)
    assert not any(line.places for line in lines)
