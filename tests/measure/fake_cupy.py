"""A stand-in for CuPy that runs kernels on the host: as much of it as the tests' checks use.

The text is compiled whole by the host's C++ compiler, one thread after the other executes it, and
arguments are passed as CuPy passes them: by their bytes, whatever the kernel takes. So a wrong
kernel and a wrong check go wrong here as they would on a GPU.
"""

from pathlib import Path

MODULE = r'''
import array, ctypes, subprocess, tempfile
from pathlib import Path
from types import SimpleNamespace

__version__ = "14.2.0"

SHIM = """
#include <cstddef>
#include <utility>
#define __global__
#define __device__
#define __launch_bounds__(...)
struct Dim3 { unsigned x, y, z; };
static Dim3 threadIdx, blockIdx, blockDim, gridDim;
"""
LAUNCH = """
template <class... P, size_t... I>
static void call(void (*f)(P...), void** a, std::index_sequence<I...>) { f(*(P*)a[I]...); }
template <class... P>
static void launch(void (*f)(P...), void** a) { call(f, a, std::index_sequence_for<P...>{}); }
extern "C" void run(unsigned grid, unsigned block, void** a) {
    gridDim = {grid, 1, 1}; blockDim = {block, 1, 1};
    for (unsigned b = 0; b < grid; ++b)
        for (unsigned t = 0; t < block; ++t) {
            blockIdx = {b, 0, 0}; threadIdx = {t, 0, 0}; launch(KERNEL, a);
        }
}
"""


class CompileException(Exception):
    pass


class Memory:
    def __init__(self, cells):
        self.cells = cells

    def memset_async(self, value, size):
        ctypes.memset(self.cells, value, size)


class ndarray:
    def __init__(self, numbers, code):
        self.kind = {"f": ctypes.c_float, "i": ctypes.c_int}[code]
        self.cells = (self.kind * len(numbers))(*numbers)
        self.dtype = SimpleNamespace(name={"f": "float32", "i": "int32"}[code])
        self.itemsize, self.size = ctypes.sizeof(self.kind), len(numbers)
        self.nbytes = self.itemsize * self.size
        self.flags = SimpleNamespace(c_contiguous=True, f_contiguous=True)
        self.data = Memory(self.cells)

    def get(self):
        return array.array("f" if self.kind is ctypes.c_float else "i", self.cells)


class generic:
    def __init__(self, value):
        self.cell, self.dtype = self.kind(value), SimpleNamespace(name=type(self).__name__)

    def __repr__(self):
        return f"{type(self).__name__}({self.cell.value})"


class int32(generic):
    kind = ctypes.c_int


class int64(generic):
    kind = ctypes.c_longlong


class float32(generic):
    kind = ctypes.c_float


def floats(numbers):
    return ndarray(list(numbers), "f")


class RawKernel:
    def __init__(self, code, name, options=()):
        folder = Path(tempfile.mkdtemp())
        (folder / "unit.cpp").write_text(SHIM + code + LAUNCH.replace("KERNEL", name))
        done = subprocess.run(
            ["g++", "-std=c++17", "-O0", "-w", "-shared", "-fPIC", "-o", "unit.so", "unit.cpp"],
            cwd=folder, capture_output=True, text=True,
        )
        if done.returncode:
            raise CompileException(done.stderr)
        self.built = ctypes.CDLL(str(folder / "unit.so"))

    def __call__(self, grid, block, args):
        cells = []
        for argument in args:
            if isinstance(argument, ndarray):
                cells.append(ctypes.c_void_p(ctypes.addressof(argument.cells)))
            elif isinstance(argument, generic):
                cells.append(argument.cell)
            else:
                kind = ctypes.c_double if isinstance(argument, float) else ctypes.c_longlong
                cells.append(kind(argument))
        pointers = (ctypes.c_void_p * len(cells))(*(ctypes.addressof(cell) for cell in cells))
        self.built.run(grid[0], block[0], pointers)


class RawModule:
    def __init__(self, code, options=(), name_expressions=()):
        self.kernels = {name: RawKernel(code, name) for name in name_expressions}

    def get_function(self, name):
        return self.kernels[name]


class cuda:
    runtime = SimpleNamespace(getDeviceCount=lambda: 1)
    nvrtc = SimpleNamespace(getVersion=lambda: (13, 0))
'''

CHECK = """\
import math
import random

import cupy

REGIONS = ("add-kernel",)
BLOCK = 256


def check(region: str, source: str, seed: int) -> str:
    kernel = cupy.RawModule(code=source, name_expressions=("add",)).get_function("add")
    drawn = random.Random(seed)
    for size in (1, 255, 700):
        a, b = ([float(drawn.randint(-9, 9)) + 0.5 for _ in range(size)] for _ in range(2))
        c = cupy.floats([math.nan] * size)
        grid = ((size + BLOCK - 1) // BLOCK,)
        kernel(grid, (BLOCK,), (cupy.floats(a), cupy.floats(b), c, cupy.int32(size)))
        for i, got in enumerate(c.get()):
            want = a[i] + b[i]
            assert abs(got - want) <= 0.0, f"size {size}: element {i} is {got}, want {want}"
    return "add: three sizes agree"
"""
"""A sound check of the tests' ``add``; what it demands is edited away, one demand a test."""


def install_cupy(folder: Path) -> None:
    """Put the stand-in into a folder, which then goes on the path where modules are found."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cupy.py").write_text(MODULE)
