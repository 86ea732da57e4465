"""A build with source lines is used only where its machine code is the program's own."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path

import msgspec
import pytest

from build_tools.evidence.model import Build
from build_tools.measure.bench import Bench, take_lines
from build_tools.measure.compile import Compiled
from build_tools.measure.ledger import Ledger
from build_tools.measure.toolchain import Toolchain
from tests.course_factory import load_program, make_example

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
