"""What does a course of many lessons look like to a benchmark? Written with the real writers.

Each lesson has a program of its own with three kernels of 30 to 60 lines, some six hundred words,
ten claims, a table and a list. No two lessons hold the same code or the same sentences in the same
order, so nothing is cheap for being read twice.
"""

from __future__ import annotations

import random
import textwrap
from pathlib import Path

from tests.course_factory import CHECK, DECLARATION, SETTINGS, make_course, make_transcripts

PROGRAM = """\
// SPDX-License-Identifier: MIT
//
// Day 1: a product, a sum and a stencil, for lesson @LESSON.
//
// Build: nvcc -std=c++17 -O3 -arch=sm_90 -o @NAME @NAME.cu
// Run:   ./@NAME

#include <cstdio>

// snippet: block
constexpr int kBlock = 256;
constexpr int kTile = @TILE;
// end snippet: block

// snippet: product-kernel
// Each block computes one tile of C. A warp reads neighbouring floats of A and of B, so that each
// of its requests moves whole sectors, and each float that was read is used kTile times.
__global__ void product@LESSON(const float* __restrict__ A, const float* __restrict__ B,
                               float* __restrict__ C, int M, int N, int K, float alpha,
                               float beta) {
    __shared__ float tileA[kTile][kTile];
    __shared__ float tileB[kTile][kTile + 1];  // one column more, against bank conflicts

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * kTile + ty;
    const int column = blockIdx.x * kTile + tx;

    float sum = @FLOAT.0f;
    for (int start = 0; start < K; start += kTile) {
        // A thread outside of the matrices still has to take part in filling the tiles: it writes
        // zeros, which change no sum.
        const int columnA = start + tx;
        const int rowB = start + ty;
        tileA[ty][tx] = row < M && columnA < K ? A[row * K + columnA] : 0.0f;
        tileB[ty][tx] = rowB < K && column < N ? B[rowB * N + column] : 0.0f;
        __syncthreads();

#pragma unroll
        for (int k = 0; k < kTile; ++k) {
            sum += tileA[ty][k] * tileB[k][tx];
        }
        __syncthreads();
    }

    if (row >= M || column >= N) {
        return;  // behind the last barrier, where nobody waits for this thread any more
    }

    // What was there before counts as well: C = alpha * A * B + beta * C, as libraries have it.
    // With beta zero C is not read at all, so that it may hold anything, and no number among it.
    const size_t place = static_cast<size_t>(row) * N + column;
    if (beta == 0.0f) {
        C[place] = alpha * sum;
    } else {
        C[place] = alpha * sum + beta * C[place];
    }
}
// end snippet: product-kernel

// snippet: sum-kernel
// Each warp adds what its lanes hold by shuffles, the first warp adds the sums of the warps.
__inline__ __device__ float addWarp@LESSON(float value) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, offset);
    }
    return value;
}

__global__ void sum@LESSON(const float* __restrict__ in, float* __restrict__ out, int n) {
    __shared__ float warpSums[kBlock / 32];
    const int lane = threadIdx.x % warpSize;
    const int warp = threadIdx.x / warpSize;

    // Four floats a load while there are four: a quarter of the instructions for the same bytes.
    // The vector begins at an address that cudaMalloc gave, so it is aligned.
    float value = @FLOAT.0f;
    const int stride = gridDim.x * blockDim.x;
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    const float4* vectors = reinterpret_cast<const float4*>(in);
    for (int i = first; i < n / 4; i += stride) {
        const float4 four = vectors[i];
        value += (four.x + four.y) + (four.z + four.w);
    }
    // What is left over, at most three, is added one by one.
    for (int i = n / 4 * 4 + first; i < n; i += stride) {
        value += in[i];
    }

    value = addWarp@LESSON(value);
    if (lane == 0) warpSums[warp] = value;
    __syncthreads();

    if (warp == 0) {
        value = lane < kBlock / 32 ? warpSums[lane] : 0.0f;
        value = addWarp@LESSON(value);
        if (lane == 0) atomicAdd(out, value);
    }
}
// end snippet: sum-kernel

// snippet: stencil-kernel
/* A stencil of radius kRadius@LESSON over a vector, its halo read by the block's first threads.
   Every thread reads its own element once; the halo is what costs more than a copy. */
constexpr int kRadius@LESSON = 3;

template <typename T>
__global__ void stencil@LESSON(const T* __restrict__ in, T* __restrict__ out, int n) {
    __shared__ T line[kBlock + 2 * kRadius@LESSON];
    const int i = blockIdx.x * kBlock + threadIdx.x;
    const int local = threadIdx.x + kRadius@LESSON;

    line[local] = i < n ? in[i] : T(0);
    if (threadIdx.x < kRadius@LESSON) {
        const int left = i - kRadius@LESSON;
        const int right = i + kBlock;
        line[local - kRadius@LESSON] = left >= 0 ? in[left] : T(0);
        line[local + kBlock] = right < n ? in[right] : T(0);
    }
    __syncthreads();

    // The sum of a window differs from its neighbour's by one element that comes and one that
    // goes, but each thread has a window of its own, so it adds all of it. Where the window hangs
    // over an end of the vector, only what is inside counts.
    T total = T(0);
    int count = 0;
#pragma unroll
    for (int offset = -kRadius@LESSON; offset <= kRadius@LESSON; ++offset) {
        const int neighbour = i + offset;
        if (neighbour >= 0 && neighbour < n) {
            total += line[local + offset];
            ++count;
        }
    }
    if (i < n) {
        out[i] = total / T(count);
    }
}
// end snippet: stencil-kernel

int main() {
    std::puts("lesson @LESSON is done");
    return 0;
}
"""

CHAPTER = 10
"""Lessons of a chapter."""
REGIONS = ("product-kernel", "sum-kernel", "stencil-kernel")

SENTENCES = [
    (
        "A kernel is launched by the host and runs on the device, and each of its threads reads "
        "its own index before it does anything else."
    ),
    (
        "What a warp asks of memory in one instruction is served in sectors, so the order in "
        "which neighbours read decides how many of them are moved for nothing."
    ),
    (
        "A thread that leaves early leaves its warp behind, and a *barrier* waits for those that "
        "remain."
    ),
    (
        "Nothing of this is visible in the source, which is why every page shows what was "
        "measured beside what was written."
    ),
    (
        "The compiler keeps the sum in a register as long as it can, and `spills` it where it "
        "cannot."
    ),
    (
        "Shared memory is a scratch pad of the block: it is filled together, read together, and "
        "gone when the block ends."
    ),
    (
        "Where neighbours of a warp ask for the same bank, the requests are served one after "
        "another."
    ),
    (
        "A ragged size is the rule and not the exception, so the guard stands in every kernel, "
        "and a test takes it out to see the check fail."
    ),
    (
        "The host does not wait for the device unless it is told to, and a clock on the host "
        "measures the launch and not the work."
    ),
    (
        "What is read twice is found in the cache the second time, unless something else was read "
        "in between that is larger than the cache."
    ),
    (
        "A block that is too large leaves no room for a second one, and then nobody works while "
        "it waits at its barrier."
    ),
    (
        "It is worth while to read the listing once: the loads stand before the loop's end, and "
        "the multiply-adds behind them."
    ),
]

PAGE = """\
---
title: Lesson @LESSON
description: What this lesson is about.
---

# Day @LESSON: a product, a sum and a stencil

@PROSE

Each block has [256](claim:@NAME.source.kBlock) threads and a tile of
[@TILE](claim:@NAME.source.kTile), on a GPU with [132](claim:@NAME.device.sm_count)
multiprocessors and [60 MiB](claim:@NAME.device.l2_bytes) of L2.

/// snippet | @NAME#product-kernel
///

@PROSE

- The wide kernel takes [0.626 ms](claim:@NAME.time["large", "wide"]) on the large case.
- The narrow one takes [1.25 ms](claim:@NAME.time["large", "narrow"]), so the gain is
  [2.1×](claim:@NAME.speedup["large"]).

## What is added

@PROSE

/// snippet | @NAME#sum-kernel
///

@PROSE

## What is smoothed

@PROSE

/// snippet | @NAME#stencil-kernel
///

!!! note "A guard"

    Without its guard the kernel reads past the end of the vector, and nothing says so.

## What was measured

/// table | @NAME
///

[Wide is faster](claim:all(@NAME.speedup[:] > 1)) in every case, and from case to case the gain is
[1.5–2.1×](claim:@NAME.speedup[:]) in [2](claim:len(@NAME.case[:])) cases.

@PROSE
"""


def write_lessons(root: Path, lessons: int) -> None:
    """A course of so many lessons under ``root``, with mkdocs.yml, without findings."""
    names = {f"lesson{number:04d}": number for number in range(1, lessons + 1)}
    declaration = DECLARATION.split("[regions.")[0] + "".join(
        f'[regions.{region}]\nneeds = ["block"]\n\n' for region in REGIONS
    )
    check = CHECK.replace('("add-kernel",)', repr(REGIONS))
    make_course(
        root,
        {name: _fill(PROGRAM, name, number) for name, number in names.items()},
        dict.fromkeys(names, declaration),
        dict.fromkeys(names, make_transcripts()),
        SETTINGS,
        dict.fromkeys(names, check),
    )
    for name, number in names.items():
        # In chapters, as nobody lists a hundred lessons one below the other.
        folder = root / "docs" / f"chapter-{(number - 1) // CHAPTER + 1:02d}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.md").write_text(_fill(PAGE, name, number), encoding="utf-8")
    (root / "docs" / "index.md").write_text("# A course\n\nIts lessons are beside this page.\n")


def _fill(text: str, name: str, number: int) -> str:
    """``text`` as that of one lesson, always the same for the same number."""
    chance = random.Random(number)  # noqa: S311 - always the same
    text = text.replace("@LESSON", str(number)).replace("@NAME", name)
    text = text.replace("@TILE", "16" if number % 2 else "32").replace("@FLOAT", "0")
    while "@PROSE" in text:
        text = text.replace(
            "@PROSE", "\n".join(textwrap.fill(one, 98) for one in chance.sample(SENTENCES, 4)), 1
        )
    return text
