"""Does a kernel that a reader copies compute a matrix product, on sizes it was never shown?

The text is compiled by NVRTC exactly as it stands, and run on fresh random float32 inputs, on
sizes that no tile divides and on sizes smaller than a tile. Inputs and output lie between bands
of NaN. The expected product is computed apart from it, in float64.
"""

import math
import re
from dataclasses import dataclass

import cupy
import numpy as np

REGIONS: tuple[str, ...] = ("naive-kernel", "tiled-kernel", "pairs-kernel")

KERNELS = {
    "naive-kernel": "matmulNaive",
    "tiled-kernel": "matmulTiled",
    "pairs-kernel": "matmulPairs",
}
ELEMENTS = {"matmulNaive": 1, "matmulTiled": 1, "matmulPairs": 2}  # of a thread, in a column of C
NAIVE_BLOCKS = ((16, 16), (32, 8), (5, 3))  # (x, y): the naive kernel takes any block
FIXED_SHAPES = (  # (M, N, K)
    (1, 1, 1),
    (5, 3, 7),  # smaller than a tile on every axis
    (16, 16, 16),
    (48, 32, 64),  # divided by 16 on every axis, and no two alike
    (17, 31, 33),
    (1, 67, 18),
    (67, 1, 95),
    (131, 97, 61),
)
RANDOM_SHAPES = 4
UNIT_ROUNDOFF = 2.0**-24  # of float32, rounding to nearest
# Two NaNs of float32, unlike each other: one that is read beside an input and computed with can't
# pass for one that nobody wrote beside the output.
INPUT_POISON = 0xFFFFFFFF
OUTPUT_POISON = 0x7FC0BEEF


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
    name = KERNELS[region]
    module = cupy.RawModule(code=source, options=("-std=c++17",), name_expressions=(name,))
    kernel = module.get_function(name)
    random = np.random.default_rng(seed)
    shapes = [Shape(*sides) for sides in FIXED_SHAPES]
    shapes += [draw_ragged_shape(random) for _ in range(RANDOM_SHAPES)]
    blocks = NAIVE_BLOCKS if region == "naive-kernel" else (read_tile_block(source),)
    worst = 0.0
    for shape in shapes:
        a = random.standard_normal((shape.m, shape.k), dtype=np.float32)
        b = random.standard_normal((shape.k, shape.n), dtype=np.float32)
        for block in blocks:
            worst = max(worst, run_and_compare(kernel, name, block, shape, a, b))
    block_names = ", ".join(f"{x} x {y}" for x, y in blocks)
    return (
        f"{name}: {len(shapes)} shapes in blocks of {block_names} agree with a float64 product;"
        f" largest error {worst:.2f} of the float32 bound, nothing written outside C"
    )


def read_tile_block(source: str) -> tuple[int, int]:
    """The block a kernel with tiles must be launched with: the source's own kTile, both ways."""
    stated = re.search(r"^constexpr int kTile = (\d+);", source, re.MULTILINE)
    assert stated, "the source has no line `constexpr int kTile = …;`, so its block is unknown"
    return int(stated[1]), int(stated[1])


def draw_ragged_shape(random: np.random.Generator) -> Shape:
    """Three random sides from 1 to 159, none divisible by 16."""
    m, n, k = (16 * int(random.integers(10)) + int(random.integers(1, 16)) for _ in range(3))
    return Shape(m, n, k)


def run_and_compare(
    kernel: cupy.RawKernel,
    name: str,
    block: tuple[int, int],
    shape: Shape,
    a: np.ndarray,
    b: np.ndarray,
) -> float:
    """Run once; return the largest error as a share of the bound, or raise AssertionError."""
    # A kernel that misses a guard oversteps by less than what a block covers, so the bands are
    # wider than that many rows. They keep the 256-byte alignment that cudaMalloc would give.
    rows = block[1] * ELEMENTS[name]
    most = max(rows, block[0])
    band = 64 * math.ceil((most + 1) * (max(shape.m, shape.n, shape.k) + most) / 64)
    banded_a, inner_a = place_between_bands(band, a, INPUT_POISON)
    banded_b, inner_b = place_between_bands(band, b, INPUT_POISON)
    nothing = np.full((shape.m, shape.n), np.nan, np.float32)
    banded_c, inner_c = place_between_bands(band, nothing, OUTPUT_POISON)
    grid = (math.ceil(shape.n / block[0]), math.ceil(shape.m / rows))
    sides = (np.int32(shape.m), np.int32(shape.n), np.int32(shape.k))
    kernel(grid, block, (inner_a, inner_b, inner_c, *sides))
    cupy.cuda.get_current_stream().synchronize()

    what = f"{name} in blocks of {block[0]} x {block[1]}, shape {shape}"
    size = shape.m * shape.n
    outside = cupy.concatenate((banded_c[:band], banded_c[band + size :])).view(cupy.uint32)
    written = cupy.flatnonzero(outside != cupy.uint32(OUTPUT_POISON))
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
    # Rounding K products and sums, in any order, fused or not, errs by at most
    # K u / (1 - K u) times the sum of |A[i, k] B[k, j]|.
    tolerance = cupy.abs(terms).sum(axis=1) * (
        shape.k * UNIT_ROUNDOFF / (1 - shape.k * UNIT_ROUNDOFF)
    )
    error = cupy.abs(inner_c.astype(cupy.float64) - want)
    wrong = cupy.flatnonzero(~(error <= tolerance))  # a NaN is in no order, so it is wrong
    if wrong.size:
        row, column = divmod(int(wrong[0]), shape.n)
        raise AssertionError(
            f"{what}: {wrong.size} of {size} elements are wrong, the first in row {row}, column"
            f" {column}: got {float(inner_c[row, column])!r}, want {float(want[row, column])!r}"
            f" to within {float(tolerance[row, column]):.3g}"
        )
    return float((error / tolerance).max())


def place_between_bands(
    band: int, values: np.ndarray, poison: int
) -> tuple[cupy.ndarray, cupy.ndarray]:
    """`values` on the GPU between two bands of `band` poisoned floats: the whole, the inside."""
    whole = cupy.full(values.size + 2 * band, poison, cupy.uint32).view(cupy.float32)
    inside = whole[band : band + values.size].reshape(values.shape)
    inside[...] = cupy.asarray(values)
    return whole, inside
