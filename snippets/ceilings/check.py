"""Does a kernel that a reader copies move every byte, or multiply as PTX lays its operands out?

The text is compiled by NVRTC exactly as it stands. Streams are run on lengths that fill no block,
tensor cores on several numbers of warps and steps; inputs and outputs lie between bands of NaN.
What is expected is computed apart from it, sums and products in float64.
"""

import re
from dataclasses import dataclass

import cupy
import numpy as np

REGIONS: tuple[str, ...] = (
    "read-kernel",
    "write-kernel",
    "copy-kernel",
    "add-kernel",
    "mma-half-kernel",
    "mma-bfloat16-kernel",
)

KERNELS = {
    "read-kernel": "readOnly",
    "write-kernel": "writeOnly",
    "copy-kernel": "copyPieces",
    "add-kernel": "addPieces",
    "mma-half-kernel": "mmaHalf",
    "mma-bfloat16-kernel": "mmaBfloat16",
}
LENGTHS = (1, 31, 255, 256, 1023, 1024, 1025, 4097)  # in pieces of four floats
RANDOM_LENGTHS = 3
BAND = 1 << 15  # floats: more than a block moves, and 256-byte alignment is kept
LARGEST_INPUT = 8  # of whole numbers, so that no sum is rounded
UNIT_ROUNDOFF = 2.0**-24  # of float32, rounding to nearest
CUT = 2.0**-22  # of a sum: what tensor cores may lose in one addition, with room to spare
# A and B of a warp, row-major and column-major, and its C: PTX prescribes the depth.
ROWS, COLUMNS, DEPTH = 32, 32, 16
LAUNCHES = ((1, 32, 1), (1, 256, 2), (3, 96, 7), (2, 64, 0))  # (blocks, threads, steps)
# Two NaNs of float32, unlike each other: one that is read beside an input and computed with can't
# pass for one that nobody wrote beside the output.
INPUT_POISON = 0xFFFFFFFF
OUTPUT_POISON = 0x7FC0BEEF


@dataclass(frozen=True)
class Output:
    """An output on the GPU between two bands, and what it is called in messages."""

    what: str
    whole: cupy.ndarray
    inside: cupy.ndarray


def check(region: str, source: str, seed: int) -> str:
    """Compile `source`, run the kernel of `region`, and say what agreed.

    `source` is what a reader can copy: the region behind what it needs. Raises AssertionError
    naming length and element when the kernel is wrong, CuPy's CompileException when the text does
    not compile, and KeyError for a region this check does not know.
    """
    name = KERNELS[region]
    module = cupy.RawModule(code=source, options=("-std=c++17",), name_expressions=(name,))
    kernel = module.get_function(name)
    random = np.random.default_rng(seed)
    if region.startswith("mma"):
        return check_mma(kernel, name, random, is_half="half" in region)
    lengths = [*LENGTHS, *(int(length) for length in random.integers(1, 20000, RANDOM_LENGTHS))]
    threads, rounds = read_constant(source, "kThreads"), read_constant(source, "kPieces")
    run = {
        "read-kernel": check_read,
        "write-kernel": check_write,
        "copy-kernel": check_copy,
        "add-kernel": check_add,
    }[region]
    for pieces in lengths:
        blocks = -(-pieces // (threads * rounds))
        run(kernel, (blocks, threads, rounds), pieces, source, random)
    return f"{name}: {len(lengths)} lengths agree, nothing written outside the output"


def read_constant(source: str, name: str) -> int:
    """A constant of the source: what the launch, or the numbers written, must agree with."""
    stated = re.search(rf"^constexpr int {name} = (\d+);", source, re.MULTILINE)
    assert stated, f"the source has no line `constexpr int {name} = …;`"
    return int(stated[1])


def check_read(
    kernel: cupy.RawKernel,
    shape: tuple[int, int, int],
    pieces: int,
    source: str,  # noqa: ARG001 - the streams are checked alike
    random: np.random.Generator,
) -> None:
    """Sums of warps: exact for whole numbers, within the bound of float32 for others."""
    blocks, threads, rounds = shape
    warps = blocks * threads // 32
    for exact in (True, False):
        numbers = draw_numbers(random, 4 * pieces, exact=exact)
        output = make_output(f"readOnly, {pieces} pieces", warps)
        run_kernel(kernel, blocks, threads, [numbers], output, pieces)
        padded = np.zeros(blocks * rounds * threads * 4)
        padded[: numbers.size] = numbers
        # A block's rounds, its warps in each, and the 32 lanes with four floats each.
        terms = padded.reshape(blocks, rounds, threads // 32, 128)
        want = terms.sum(axis=(1, 3)).ravel()
        bound = 0.0 if exact else rounds * 128 * UNIT_ROUNDOFF
        compare(output, want, bound * np.abs(terms).sum(axis=(1, 3)).ravel())


def check_write(
    kernel: cupy.RawKernel,
    shape: tuple[int, int, int],
    pieces: int,
    source: str,
    random: np.random.Generator,  # noqa: ARG001 - nothing is read
) -> None:
    """Each piece full of its own number."""
    numbers = read_constant(source, "kWrittenNumbers")
    output = make_output(f"writeOnly, {pieces} pieces", 4 * pieces)
    run_kernel(kernel, *shape[:2], [], output, pieces)
    compare(output, np.repeat(np.arange(pieces) % numbers, 4), 0.0)


def check_copy(
    kernel: cupy.RawKernel,
    shape: tuple[int, int, int],
    pieces: int,
    source: str,  # noqa: ARG001 - the streams are checked alike
    random: np.random.Generator,
) -> None:
    """The same numbers in the same places."""
    numbers = draw_numbers(random, 4 * pieces, exact=False)
    output = make_output(f"copyPieces, {pieces} pieces", 4 * pieces)
    run_kernel(kernel, *shape[:2], [numbers], output, pieces)
    compare(output, numbers, 0.0)


def check_add(
    kernel: cupy.RawKernel,
    shape: tuple[int, int, int],
    pieces: int,
    source: str,  # noqa: ARG001 - the streams are checked alike
    random: np.random.Generator,
) -> None:
    """Sums as float32 rounds them: one addition has one right result."""
    one, other = (draw_numbers(random, 4 * pieces, exact=False) for _ in range(2))
    output = make_output(f"addPieces, {pieces} pieces", 4 * pieces)
    run_kernel(kernel, *shape[:2], [one, other], output, pieces)
    compare(output, one + other, 0.0)


def check_mma(
    kernel: cupy.RawKernel, name: str, random: np.random.Generator, *, is_half: bool
) -> str:
    """Every warp must hold `steps` times A B: exactly, for whole numbers."""
    for blocks, threads, steps in LAUNCHES:
        for exact in (True, False):
            a, b = (
                round_operand(draw_numbers(random, side * DEPTH, exact=exact), is_half=is_half)
                for side in (ROWS, COLUMNS)
            )
            warps = blocks * threads // 32
            numbers = "whole" if exact else "random"
            what = f"{name}, {warps} warps, {steps} steps, {numbers} numbers"
            output = make_output(what, warps * ROWS * COLUMNS)
            words = [pack_operand(operand, is_half=is_half) for operand in (a, b)]
            placed = [place_between_bands(word, INPUT_POISON)[1] for word in words]
            kernel((blocks,), (threads,), (*placed, output.inside, np.int32(steps)))
            cupy.cuda.get_current_stream().synchronize()
            # terms[i, j, k] = A[i, k] B[k, j], and B lies column by column.
            terms = a.reshape(ROWS, 1, DEPTH).astype(np.float64) * b.reshape(1, COLUMNS, DEPTH)
            want = np.tile(steps * terms.sum(axis=2).ravel(), warps)
            bound = 0.0 if exact else steps * DEPTH * CUT
            limit = bound * steps * np.abs(terms).sum(axis=2).ravel()
            compare(output, want, np.tile(limit, warps))
    return f"{name}: {len(LAUNCHES)} launches agree with a float64 product, nothing written outside"


def draw_numbers(random: np.random.Generator, count: int, *, exact: bool) -> np.ndarray:
    """Whole numbers whose sums are exact, or real ones; float32."""
    if exact:
        return random.integers(-LARGEST_INPUT, LARGEST_INPUT + 1, count).astype(np.float32)
    return random.standard_normal(count, dtype=np.float32)


def round_operand(numbers: np.ndarray, *, is_half: bool) -> np.ndarray:
    """The numbers as half or bfloat16 holds them, in float32; bfloat16 is float32 cut short."""
    if is_half:
        return numbers.astype(np.float16).astype(np.float32)
    return (numbers.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)


def pack_operand(numbers: np.ndarray, *, is_half: bool) -> np.ndarray:
    """Rounded numbers as the kernel takes them: two neighbours in a word of 32 bits."""
    if is_half:
        return numbers.astype(np.float16).view(np.float32)
    return (numbers.view(np.uint32) >> np.uint32(16)).astype(np.uint16).view(np.float32)


def make_output(what: str, count: int) -> Output:
    """An output of `count` floats that nobody has written."""
    nothing = np.full(count, OUTPUT_POISON, np.uint32).view(np.float32)
    return Output(what, *place_between_bands(nothing, OUTPUT_POISON))


def run_kernel(
    kernel: cupy.RawKernel,
    blocks: int,
    threads: int,
    inputs: list[np.ndarray],
    output: Output,
    pieces: int,
) -> None:
    """Run a stream once on inputs between bands."""
    placed = [place_between_bands(numbers, INPUT_POISON)[1] for numbers in inputs]
    kernel((blocks,), (threads,), (*placed, output.inside, np.uint64(pieces)))
    cupy.cuda.get_current_stream().synchronize()
    for number, (before, after) in enumerate(zip(inputs, placed, strict=True)):
        assert (after == cupy.asarray(before)).all(), f"{output.what}: wrote to input {number}"


def compare(output: Output, want: np.ndarray, limit: np.ndarray | float) -> None:
    """Raise AssertionError unless the output is what it must be and its bands are untouched."""
    size = output.inside.size
    outside = cupy.concatenate((output.whole[:BAND], output.whole[BAND + size :]))
    written = cupy.flatnonzero(outside.view(cupy.uint32) != cupy.uint32(OUTPUT_POISON))
    if written.size:
        first = int(written[0])
        place = f"{BAND - first} before" if first < BAND else f"{first - BAND + 1} past the end of"
        raise AssertionError(f"{output.what}: wrote {written.size} floats, the first {place} it")
    error = cupy.abs(output.inside.astype(cupy.float64) - cupy.asarray(want, cupy.float64))
    wrong = cupy.flatnonzero(~(error <= cupy.asarray(limit)))  # a NaN is in no order: wrong
    if wrong.size:
        at = int(wrong[0])
        raise AssertionError(
            f"{output.what}: {wrong.size} of {size} floats are wrong, the first at {at}:"
            f" got {float(output.inside[at])!r}, want {float(want[at])!r}"
        )


def place_between_bands(values: np.ndarray, poison: int) -> tuple[cupy.ndarray, cupy.ndarray]:
    """`values` on the GPU between two bands of poisoned floats: the whole, the inside."""
    whole = cupy.full(values.size + 2 * BAND, poison, cupy.uint32).view(cupy.float32)
    inside = whole[BAND : BAND + values.size]
    inside[...] = cupy.asarray(values)
    return whole, inside
