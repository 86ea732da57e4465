"""Is the header's own command what is executed, and is the right nvcc found?"""

from dataclasses import replace
from pathlib import Path

import pytest

from build_tools.measure.toolchain import (
    Toolchain,
    check_build,
    explain_unmet,
    find_binary_name,
    find_nvcc,
    plan_build,
)
from build_tools.source.header import read_header
from build_tools.source.model import Program
from tests.course_factory import load_program

NVCC = Toolchain(Path("/cuda/bin/nvcc"), "V13.0.88", "13.0", ("-L/cuda/lib",))


@pytest.fixture(scope="module")
def program(example: Path) -> Program:
    return load_program(example, "add")


def build_by(program: Program, build: str, run: str = "./add", requires: str = "") -> Program:
    header, _ = read_header(f"// Build: {build}\n// Run: {run}\n", program.path)
    declaration = replace(program.declaration, requires_compute_capability=requires)
    return replace(program, header=header, declaration=declaration)


@pytest.mark.parametrize(
    ("build", "arch", "command", "replaced"),
    [
        ("nvcc -O3 -arch=sm_90 -o add add.cu", None, "-O3 -arch=sm_90 -o add add.cu", ""),
        ("nvcc -O3 -arch=sm_90 -o add add.cu", "sm_90", "-O3 -arch=sm_90 -o add add.cu", ""),
        (
            "nvcc -O3 -arch=sm_90 -o add add.cu",
            "sm_89",
            "-O3 -arch=sm_89 -o add add.cu",
            "sm_90 -> sm_89",
        ),
        ("nvcc -arch sm_90 -o add add.cu", "sm_89", "-arch sm_89 -o add add.cu", "sm_90 -> sm_89"),
        (
            "nvcc --gpu-architecture=sm_90 -o add add.cu",
            "sm_100",
            "--gpu-architecture=sm_100 -o add add.cu",
            "sm_90 -> sm_100",
        ),
        ("nvcc -arch=sm_90a -o add add.cu", "sm_89", "-arch=sm_90a -o add add.cu", ""),
        ("nvcc -arch=native -o add add.cu", "sm_89", "-arch=native -o add add.cu", ""),
        ("nvcc -arch=compute_80 -o add add.cu", "sm_89", "-arch=compute_80 -o add add.cu", ""),
        (
            "nvcc -gencode arch=compute_90,code=sm_90 -o add add.cu",
            "sm_89",
            "-gencode arch=compute_90,code=sm_90 -o add add.cu",
            "",
        ),
        ("nvcc -o add add.cu", "sm_89", "-o add add.cu", ""),
        ("nvcc '-DNAME=\"a b\"' -o add add.cu", None, '-DNAME="a b" -o add add.cu', ""),
    ],
)
def test_one_plain_architecture_is_replaced_and_nothing_else(
    program: Program, build: str, arch: str | None, command: str, replaced: str
) -> None:
    plan = plan_build(build_by(program, build), NVCC, arch, Path("/tmp/x/add"))
    assert " ".join(plan.recorded) == f"nvcc {command}"
    executed = command.replace("-o add", "-o /tmp/x/add")
    assert " ".join(plan.command) == f"/cuda/bin/nvcc {executed} -Xptxas -v -L/cuda/lib"
    assert plan.arch_replaced == replaced


def test_a_binary_without_a_name_is_a_out(program: Program) -> None:
    built = build_by(program, "nvcc add.cu", "./a.out")
    assert not check_build(built)
    assert find_binary_name(built) == "a.out"
    assert plan_build(built, NVCC, None, Path("/x/a.out")).command[-3:-1] == ("-o", "/x/a.out")


@pytest.mark.parametrize(
    ("build", "run", "stated", "true", "advice"),
    [
        ("clang++ -o add add.cu", "./add", "`clang++`", "by nvcc", "-o add add.cu"),
        ("nvcc -o add main.cu", "./add", "main.cu", "does not compile add.cu", "-o add add.cu"),
        ("nvcc -o /tmp/add add.cu", "./add", "`/tmp/add`", "beside the program", "-o add"),
        ("nvcc -o adder add.cu", "./add", "`./add`", "makes `./adder`", "`./adder`"),
        ("nvcc -o add add.cu", "rm -rf x", "`rm`", "makes `./add`", "`./add`"),
    ],
)
def test_a_command_that_cannot_be_executed_here(
    program: Program, build: str, run: str, stated: str, true: str, advice: str
) -> None:
    built = build_by(program, build, run)
    (finding,) = check_build(built)
    assert finding.place.path == "snippets/add/add.cu"
    assert finding.place.line == (2 if "makes" in true else 1)
    assert stated in finding.stated
    assert true in finding.true
    assert advice in finding.advice


@pytest.mark.parametrize(
    ("build", "requires", "capability", "unmet"),
    [
        ("nvcc -arch=sm_90 -o add add.cu", "", "8.9", ""),
        ("nvcc -arch=sm_90 -o add add.cu", "9.0", "8.9", "requires compute capability 9.0"),
        ("nvcc -arch=sm_90 -o add add.cu", "7.5", "12.0", ""),
        ("nvcc -arch=sm_90a -o add add.cu", "", "9.0", ""),
        ("nvcc -arch=sm_90a -o add add.cu", "", "10.0", "built for sm_90a alone"),
        ("nvcc -arch=native -o add add.cu", "", "8.9", ""),
        ("nvcc -arch=compute_80 -o add add.cu", "", "8.9", ""),
        ("nvcc -arch=compute_90 -o add add.cu", "", "8.9", "built for compute_90 alone"),
        ("nvcc -gencode arch=compute_80,code=sm_80 -o add add.cu", "", "8.9", ""),
        ("nvcc -gencode=arch=compute_80,code=sm_80 -o add add.cu", "", "9.0", "for sm_80 alone"),
        (
            "nvcc -gencode arch=compute_90,code=[sm_90,compute_90] -o add add.cu",
            "",
            "10.0",
            "",
        ),
    ],
)
def test_requirements_that_a_device_does_not_meet(
    program: Program, build: str, requires: str, capability: str, unmet: str
) -> None:
    said = explain_unmet(build_by(program, build, requires=requires), capability)
    assert (unmet in said) if unmet else not said
    assert not said or capability in said


def test_an_nvcc_of_path_comes_first_then_of_cuda_home_then_the_wheels(tmp_path: Path) -> None:
    def put(folder: Path, version: str) -> Path:
        (folder / "bin").mkdir(parents=True)
        nvcc = folder / "bin" / "nvcc"
        nvcc.write_text(f"#!/bin/sh\necho 'Cuda compilation tools, release 12.9, V{version}'\n")
        nvcc.chmod(0o755)
        return nvcc

    first, second = put(tmp_path / "one", "12.9.1"), put(tmp_path / "two", "12.9.2")
    found = find_nvcc({"PATH": str(first.parent), "CUDA_HOME": str(second.parents[1])})
    assert found == Toolchain(first, "V12.9.1", "12.9")
    found = find_nvcc({"PATH": "/nowhere", "CUDA_HOME": str(second.parents[1])})
    assert found == Toolchain(second, "V12.9.2", "12.9")
    found = find_nvcc({"PATH": "/nowhere", "CUDA_PATH": str(second.parents[1])})
    assert found == Toolchain(second, "V12.9.2", "12.9")
    second.write_text("#!/bin/sh\nexit 1\n")
    found = find_nvcc({"PATH": "/nowhere", "CUDA_HOME": str(second.parents[1])})
    if isinstance(found, Toolchain):  # the wheels, where the test extra is installed
        assert "cu13" in str(found.nvcc)
        assert found.extra == (f"-L{found.nvcc.parents[1] / 'lib'}",)
    else:
        assert found.startswith("no nvcc that works: ")
        assert f"{second} does not tell its version: it ended with exit status 1" in found
