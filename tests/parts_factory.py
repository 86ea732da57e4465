"""How does a test get a program with counters, sanitizers, mutants and listings?

The program runs on the host: it tries the function that its kernel uses, and prints what a tool
would have seen, so that stand-ins for the tools can find it.
"""

from __future__ import annotations

PROGRAM = """\
// Day 1: add two vectors.
//
// Build: nvcc -std=c++17 -O3 -arch=sm_90 -o add add.cu
// Run:   ./add

#include <cstdio>

// snippet: block
constexpr int kBlock = 256;
// end snippet: block

// snippet: add-kernel
constexpr bool kGuard = true;
constexpr bool kBarrier = true;

__host__ __device__ inline float addOne(float a, float b) { return a + b; }

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (!kGuard || i < n) c[i] = addOne(a[i], b[i]);
    if (kBarrier) __syncthreads();
}
// end snippet: add-kernel

int main() {
    if (addOne(1, 2) != 3) {
        std::puts("element 0 differs");
        return 1;
    }
    if (!kGuard) std::puts("memcheck sees it");
    if (!kBarrier) std::puts("racecheck sees it");
    std::puts("took 1.25 ms");
    return 0;
}
"""

DECLARATION = """\
[lines]
took = { pattern = "took {took:g} ms", units = { took = "ms" } }

[regions.add-kernel]
needs = ["block"]

[counters.small]
kernels = ["add"]
args = "--once --n 64"
caches = "hot"
launches = 3
[counters.small.metrics]
loads = { metric = "smsp__inst_executed_op_global_ld.sum", unit = "instructions" }
dram_read = { metric = "dram__bytes_read.sum", unit = "B" }

[sanitizers]
args = "--once --n 48"
tools = ["memcheck", "racecheck"]

[mutants.no-guard]
region = "add-kernel"
replace = "kGuard = true"
with = "kGuard = false"
proves = "memcheck"

[mutants.no-barrier]
region = "add-kernel"
replace = "kBarrier = true"
with = "kBarrier = false"
proves = "racecheck"

[mutants.subtracts]
region = "add-kernel"
replace = "return a + b;"
with = "return a - b;"

[mutants.turned]
region = "add-kernel"
replace = "return a + b;"
with = "return b + a;"
equivalent = "a sum does not depend on its order"

[listings.add-kernel]
"""
