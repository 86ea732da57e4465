import re

import pytest

from build_tools.source.syntax import find_kernels, parse_scan
from build_tools.source.tokens import scan_source


def find(text: str) -> dict[str, int]:
    scan = scan_source(text)
    return find_kernels(parse_scan(scan), scan)


@pytest.mark.parametrize(
    "kernel",
    [
        "__global__ void f(int n) {}",
        "static __global__ void f(int n) {}",
        'extern "C" __global__ void f(int n) {}',
        "template <typename T, int N> __global__ void f(T* x) {}",
        "template <> __global__ void f<3>(int x) {}",
        "__global__ void __launch_bounds__(256, 2) f(int n) {}",
        "__global__ __launch_bounds__(kThreads) void f(int n) {}",
        "__global__ void __cluster_dims__(2, 1, 1) f(int n) {}",
        "__cluster_dims__(2, 1, 1) __global__ void f(int n) {}",
        "__global__ void __maxnreg__((32)) f(int n) {}",
        "__global__ void f(const __grid_constant__ CUtensorMap m) {}",
        "__global__ [[maybe_unused]] void f(int n) {}",
        "namespace a { namespace { __global__ void f(int n) {} } }",
        "#ifdef A\n#endif\n__global__ void f(int n) {}",
        "template <class T, class = enable_if_t<(sizeof(T) > 4)>>\n__global__ auto f(T* x) -> void {}",
        '#define GLOB "src/*.cu"\n__global__ void f(int n) {} /* c */',
        '__global__ void f(int n) { asm volatile("ld.v2 {%0, %1};" : "=r"(a), "=r"(b)); }',
        "__global__ void f(int n) { extern __shared__ float s[]; g<<<1, 2>>>(s); }",
        "__global__ void f(int n) {} __global__ void f(float n) {}",
        "/* ü */ __global__ void\nf(int größe) {}",
    ],
)
def test_kernels_are_found_by_name_and_line(kernel: str) -> None:
    lines = kernel.split("\n")
    expected = next(i for i, line in enumerate(lines, 1) if re.search(r"\bf[(<]", line))
    assert find(kernel + "\n") == {"f": expected}


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void f(int n);",
        "__device__ void f(int n) {}",
        "// __global__ void f(int n) {}",
        'const char* s = R"(__global__ void f(int n) {})";',
        "__maxnreg__(",
    ],
)
def test_what_is_no_kernel(text: str) -> None:
    assert find(text + "\n") == {}
