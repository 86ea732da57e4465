"""Does a kernel that a reader copies compute a matrix product, in float32 or on tensor cores?

The text is compiled by NVRTC exactly as it stands, and run on whole numbers, where it must agree
exactly, and on fresh random numbers, on shapes that tell M, N and K apart. Inputs and output lie
between bands of NaN. The expected product is computed apart from it, in float64.
"""

import math
import os
import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import cupy
import numpy as np

REGIONS: tuple[str, ...] = (
    "scalar-kernel",
    "register-kernel",
    "wmma-kernel",
    "wmma-four-kernel",
)


@dataclass(frozen=True)
class Subject:
    """A kernel: its name, the type of A and B, and what it must be launched with.

    ``multiple`` is what must divide M, N and K; ``tile`` how many elements of C, down and across,
    one thread computes, or one warp of ``lanes`` threads.
    """

    name: str
    operand: type[np.floating]
    multiple: int
    tile: int
    lanes: int
    blocks: tuple[tuple[int, int], ...]


SUBJECTS = {
    "scalar-kernel": Subject("matmulScalar", np.float32, 1, 1, 1, ((16, 16), (32, 8), (5, 3))),
    "register-kernel": Subject("matmulRegisters", np.float32, 4, 4, 1, ((16, 16), (8, 4))),
    "wmma-kernel": Subject("matmulWmma", np.float16, 16, 16, 32, ((64, 2), (32, 1), (128, 3))),
    "wmma-four-kernel": Subject(
        "matmulWmmaFour", np.float16, 16, 32, 32, ((64, 2), (32, 1), (128, 3))
    ),
}
FIXED_SHAPES = (  # (M, N, K), in multiples: no two of a shape's sides are alike
    (3, 5, 7),
    (1, 4, 2),
    (5, 1, 3),
    (7, 3, 1),
    (9, 11, 6),
)
RANDOM_SHAPES = 4
LARGEST_INPUT = 8  # of whole numbers, so that no sum is rounded
# One addition errs by at most this share of what it adds up: tensor cores may cut where others
# round, so it is a whole unit in the last place and not half of one.
UNIT = 2.0**-23
# NaNs by their bits, those of the inputs unlike those of the output: one that is read beside an
# input and computed with can't pass for one that nobody wrote beside the output.
INPUT_POISON = {np.float32: np.uint32(0xFFFFFFFF), np.float16: np.uint16(0xFFFF)}
OUTPUT_POISON = np.uint32(0x7FC0BEEF)


@dataclass(frozen=True)
class Shape:
    """C is m x n, A is m x k, B is k x n."""

    m: int
    n: int
    k: int

    def __str__(self) -> str:
        return f"{self.m}x{self.n}x{self.k}"


def check(region: str, source: str, seed: int) -> str:
    """Compile `source`, run the kernel of `region`, and say what agreed.

    `source` is what a reader can copy: the region behind what it needs. Raises AssertionError
    naming block, shape and element when the kernel is wrong, CuPy's CompileException when the
    text does not compile, and KeyError for a region this check does not know.
    """
    subject = SUBJECTS[region]
    options = ("-std=c++17", *(f"-I{folder}" for folder in find_headers()))
    module = cupy.RawModule(code=source, options=options, name_expressions=(subject.name,))
    kernel = module.get_function(subject.name)
    random = np.random.default_rng(seed)
    multiples = [*FIXED_SHAPES, *(draw_multiples(random) for _ in range(RANDOM_SHAPES))]
    shapes = [Shape(*(side * subject.multiple for side in sides)) for sides in multiples]
    worst = 0.0
    for shape in shapes:
        whole = [
            random.integers(-LARGEST_INPUT, LARGEST_INPUT + 1, size).astype(subject.operand)
            for size in ((shape.m, shape.k), (shape.k, shape.n))
        ]
        real = [
            random.standard_normal(size, dtype=np.float32).astype(np.float16)
            for size in ((shape.m, shape.k), (shape.k, shape.n))
        ]
        for block in subject.blocks:
            run_and_compare(kernel, subject, block, shape, whole, exact=True)
            operands = [operand.astype(subject.operand) for operand in real]
            error = run_and_compare(kernel, subject, block, shape, operands, exact=False)
            worst = max(worst, error)
    block_names = ", ".join(f"{x} x {y}" for x, y in subject.blocks)
    return (
        f"{subject.name}: {len(shapes)} shapes in blocks of {block_names} agree with a float64"
        f" product, exactly for whole numbers; largest error {worst:.2f} of the float32 bound,"
        " nothing written outside C"
    )


def find_headers() -> list[Path]:
    """The folders of the toolkit's headers, for mma.h: beside nvcc, or in the PyPI wheels."""
    homes = [Path(os.environ[name]) for name in ("CUDA_PATH", "CUDA_HOME") if name in os.environ]
    nvcc = shutil.which("nvcc")
    if nvcc:
        homes.append(Path(nvcc).resolve().parents[1])
    package = find_spec("nvidia")
    for folder in package.submodule_search_locations or [] if package else []:
        homes += sorted(Path(folder).glob("cu*"), reverse=True)
    homes.append(Path("/usr/local/cuda"))
    found = [home / "include" for home in homes if (home / "include" / "mma.h").is_file()]
    return found[:1]  # headers of two versions don't mix


def draw_multiples(random: np.random.Generator) -> tuple[int, int, int]:
    """Three random sides, in multiples, from 1 to 10."""
    m, n, k = (int(random.integers(1, 11)) for _ in range(3))
    return m, n, k


def run_and_compare(
    kernel: cupy.RawKernel,
    subject: Subject,
    block: tuple[int, int],
    shape: Shape,
    operands: list[np.ndarray],
    *,
    exact: bool,
) -> float:
    """Run once; return the largest error as a share of the bound, or raise AssertionError."""
    a, b = operands
    # A kernel that misses a guard oversteps by less than a block, so the bands are wider than
    # a block of rows. They keep the 256-byte alignment that cudaMalloc would give.
    reach = max(block) * subject.tile
    band = 128 * math.ceil((reach + 1) * (max(shape.m, shape.n, shape.k) + reach) / 128)
    banded_a, inner_a = place_between_bands(band, a, INPUT_POISON[subject.operand])
    banded_b, inner_b = place_between_bands(band, b, INPUT_POISON[subject.operand])
    nothing = np.full((shape.m, shape.n), np.nan, np.float32)
    banded_c, inner_c = place_between_bands(band, nothing, OUTPUT_POISON)
    covered = (block[0] // subject.lanes * subject.tile, block[1] * subject.tile)
    grid = (math.ceil(shape.n / covered[0]), math.ceil(shape.m / covered[1]))
    sides = (np.int32(shape.m), np.int32(shape.n), np.int32(shape.k))
    kernel(grid, block, (inner_a, inner_b, inner_c, *sides))
    cupy.cuda.get_current_stream().synchronize()

    numbers = "whole numbers" if exact else "random numbers"
    what = f"{subject.name} in blocks of {block[0]} x {block[1]}, shape {shape}, {numbers}"
    size = shape.m * shape.n
    outside = cupy.concatenate((banded_c[:band], banded_c[band + size :])).view(cupy.uint32)
    written = cupy.flatnonzero(outside != OUTPUT_POISON)
    if written.size:
        first = int(written[0])
        place = f"{band - first} before" if first < band else f"{first - band + 1} past the end of"
        raise AssertionError(f"{what}: wrote {written.size} floats outside C, the first {place} it")
    assert (banded_a[band : band + a.size] == cupy.asarray(a).ravel()).all(), f"{what}: wrote to A"
    assert (banded_b[band : band + b.size] == cupy.asarray(b).ravel()).all(), f"{what}: wrote to B"

    # Element by element and in float64, so that neither the kernel's order of summation nor any
    # library's product is trusted: terms[i, k, j] = A[i, k] B[k, j].
    terms = cupy.asarray(a, cupy.float64)[:, :, None] * cupy.asarray(b, cupy.float64)[None, :, :]
    want = terms.sum(axis=1)
    # Products of two halves are exact in float32; a sum of K of them, in any order, errs by at
    # most K units to first order, of the sum of |A[i, k] B[k, j]|.
    bound = shape.k * UNIT / (1 - shape.k * UNIT)
    tolerance = cupy.abs(terms).sum(axis=1) * (0.0 if exact else bound)
    error = cupy.abs(inner_c.astype(cupy.float64) - want)
    wrong = cupy.flatnonzero(~(error <= tolerance))  # a NaN is in no order, so it is wrong
    if wrong.size:
        row, column = divmod(int(wrong[0]), shape.n)
        raise AssertionError(
            f"{what}: {wrong.size} of {size} elements are wrong, the first in row {row}, column"
            f" {column}: got {float(inner_c[row, column])!r}, want {float(want[row, column])!r}"
            f" to within {float(tolerance[row, column]):.3g}"
        )
    return 0.0 if exact else float((error / tolerance).max())


def place_between_bands(
    band: int, values: np.ndarray, poison: np.unsignedinteger
) -> tuple[cupy.ndarray, cupy.ndarray]:
    """`values` on the GPU between two bands of `band` poisoned numbers: the whole, the inside."""
    whole = cupy.full(values.size + 2 * band, poison, poison.dtype).view(values.dtype)
    inside = whole[band : band + values.size].reshape(values.shape)
    inside[...] = cupy.asarray(values)
    return whole, inside
