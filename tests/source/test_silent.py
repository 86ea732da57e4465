"""What would a text be whose kernels write nothing, and which kernels are that?"""

from pathlib import Path

import pytest

from build_tools.source.mutants import compose_mutant
from build_tools.source.silent import list_kernel_signatures, silence_kernels
from tests.course_factory import load_program, make_course
from tests.parts_factory import DECLARATION, PROGRAM


@pytest.mark.parametrize(
    ("text", "silent"),
    [
        ("__global__ void f(int n) {}", "__global__ void f(int n) { return;}"),
        (
            "template <class T>\n__global__ void\nf(T* a) {\n  a[0] = 1;\n}\n",
            "template <class T>\n__global__ void\nf(T* a) { return;\n  a[0] = 1;\n}\n",
        ),
        (
            '/* ü { */ extern "C" __global__ void __launch_bounds__(256) f() { g(); }',
            '/* ü { */ extern "C" __global__ void __launch_bounds__(256) f() { return; g(); }',
        ),
        ("__device__ void f() { g(); }", "__device__ void f() { g(); }"),
        (
            "namespace a { __global__ void f() {} } __global__ void f(int) {}",
            "namespace a { __global__ void f() { return;} } __global__ void f(int) { return;}",
        ),
        ("__global__ void f(int n);", "__global__ void f(int n);"),
    ],
)
def test_every_kernel_returns_at_once(text: str, silent: str) -> None:
    assert silence_kernels(text) == silent


@pytest.mark.parametrize(
    ("declared", "type_name", "is_pointer", "is_written"),
    [
        ("float* a", "float", True, True),
        ("float *__restrict__ a", "float", True, True),
        ("const float4* __restrict__ a", "float4", True, False),
        ("float const* a", "float", True, False),
        ("float* const a", "float", True, True),
        ("int a[]", "int", True, True),
        ("unsigned long long n", "unsigned long long", False, False),
        ("unsigned", "unsigned", False, False),
        ("const size_t n", "size_t", False, False),
        ("float f = 2.0f", "float", False, False),
        ("const __grid_constant__ CUtensorMap map", "CUtensorMap", False, False),
        ("struct Shape shape", "Shape", False, False),
    ],
)
def test_what_a_parameter_takes(
    declared: str, type_name: str, is_pointer: bool, is_written: bool
) -> None:
    (signature,) = list_kernel_signatures(f"__global__ void f({declared}) {{}}")
    (parameter,) = signature.parameters
    assert parameter.type == type_name
    assert (parameter.is_pointer, parameter.is_written) == (is_pointer, is_written)


def test_a_program_with_mutants_has_one_more_for_each_region_of_kernels(tmp_path: Path) -> None:
    make_course(tmp_path, {"add": PROGRAM}, {"add": DECLARATION})
    program = load_program(tmp_path, "add")
    rules = program.declaration.parts.mutants
    assert [name for name, rule in rules.items() if rule.is_silent] == ["silent-add-kernel"]
    rule = rules["silent-add-kernel"]
    assert not rule.is_declared
    assert rule.place == program.regions["add-kernel"].place
    text = compose_mutant(program, rule)
    assert text.replace(" return;", "", 1) == program.text
    assert "float *c, int n) { return;\n" in text


def test_a_program_without_mutants_has_none(tmp_path: Path) -> None:
    declared = DECLARATION[: DECLARATION.index("[mutants.")]
    make_course(tmp_path, {"add": PROGRAM}, {"add": declared})
    assert not load_program(tmp_path, "add").declaration.parts.mutants


def test_host_code_is_not_silenced(tmp_path: Path) -> None:
    declared = DECLARATION.replace(
        "[regions.add-kernel]\n", '[regions.add-kernel]\nkind = "host"\n'
    )
    make_course(tmp_path, {"add": PROGRAM}, {"add": declared})
    rules = load_program(tmp_path, "add").declaration.parts.mutants
    assert not [rule for rule in rules.values() if rule.is_silent]
