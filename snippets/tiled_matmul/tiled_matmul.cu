// SPDX-License-Identifier: MIT
//
// Day 16: tiled matrix multiplication. C = A B in float32 by three kernels:
// one whose threads read every operand from global memory, one whose blocks
// share square tiles, and one that shares them likewise and has each thread
// make two elements. On sizes that the tile divides and on one that it does
// not divide.
//
// On another GPU, build with -arch=native instead of -arch=sm_90.
//
// Build: nvcc -std=c++17 -O3 -arch=sm_90 -o tiled_matmul tiled_matmul.cu
// Run:   ./tiled_matmul
//
// Verified 2026-12-01 on an NVIDIA H200 (compute capability 9.0),
// driver 580.159.04, CUDA 13.0 (V13.0.88).
// Transcript:
// evidence/tiled_matmul/nvidia-h200/run-2026-12-01-4.txt

#include <cuda_runtime.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

// ---------------------------------------------------------------------------
// The kernels. Matrices are row-major: A is M x K, B is K x N, C is M x N.
// ---------------------------------------------------------------------------

// snippet: naive-kernel
// One thread computes one element of C, from a row of A and a column of B.
//
// Memory: with 16 x 16 threads a warp covers 16 columns of two rows of C. At
// each k it loads two floats of A, one per row and the same for 16 lanes, and
// 16 neighbouring floats of B, the same for both rows. At the next k it
// starts again: nothing that was loaded is kept, and warps share nothing
// except by way of the caches.
// Launch: any two-dimensional block, and a grid that covers C.
// Guard: threads past the edge of C leave at once. They have nothing to
// compute, and nobody waits for them.
__global__ void matmulNaive(const float* __restrict__ A,
                            const float* __restrict__ B,
                            float* __restrict__ C, int M, int N, int K) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || column >= N) return;

    float sum = 0.0f;
    for (int k = 0; k < K; ++k) {
        sum += A[row * K + k] * B[k * N + column];
    }
    C[row * N + column] = sum;
}
// end snippet: naive-kernel

// snippet: tile-size
// A block has kTile x kTile threads; a tile has kTile x kTile floats.
constexpr int kTile = 16;
static_assert(kTile * kTile <= 1024, "a block has at most 1024 threads");
static_assert(
    2 * kTile * kTile * sizeof(float) <= 48 * 1024,
    "both tiles must fit in the 48 KiB of a block's static shared memory");
// end snippet: tile-size

// snippet: tiled-kernel
// One thread computes one element of C; one block computes one tile of C,
// walking a tile of A to the right and a tile of B downwards along K.
//
// Memory, as written: per step a thread loads one float of A and one of B into
// shared memory; then the whole block multiplies out of the two tiles, and each
// float that was loaded is used by kTile threads. With kTile = 16 a warp is
// two rows of the block. It loads two runs of 16 neighbouring floats from A,
// and two from B. In the inner loop it reads two words of tileA, each by 16
// lanes, and 16 neighbouring words of tileB, each by two lanes: no two lanes
// want different words of one bank.
// Launch: a block of exactly kTile x kTile threads, and a grid that covers C.
// solution: leave-too-early
// Guard: only what touches global memory is guarded, both loads and the
// store. A thread past the edge of C still loads its share of the tiles and
// still reaches both barriers, because the rest of its block needs what it
// loads and waits for it.
// end solution: leave-too-early
__global__ void matmulTiled(const float* __restrict__ A,
                            const float* __restrict__ B,
                            float* __restrict__ C, int M, int N, int K) {
    __shared__ float tileA[kTile][kTile];
    __shared__ float tileB[kTile][kTile];

    const int ty = threadIdx.y;
    const int tx = threadIdx.x;
    const int row = blockIdx.y * kTile + ty;
    const int column = blockIdx.x * kTile + tx;

    // solution: leave-too-early
    // starter: // Your turn: this is the guard of the naive kernel.
    // starter: if (row >= M || column >= N) return;
    // starter: float sum = 0.0f;
    float sum = 0.0f;
    // end solution: leave-too-early
    for (int step = 0; step < K; step += kTile) {
        // snippet: load-guard
        // Past an edge a tile is filled with zeros: they add nothing.
        const int columnA = step + tx;
        const int rowB = step + ty;
        tileA[ty][tx] = row < M && columnA < K ? A[row * K + columnA] : 0.0f;
        tileB[ty][tx] = rowB < K && column < N ? B[rowB * N + column] : 0.0f;
        // end snippet: load-guard
        __syncthreads();  // the tiles are full: now they may be read

        for (int k = 0; k < kTile; ++k) {
            sum += tileA[ty][k] * tileB[k][tx];
        }
        __syncthreads();  // the tiles are read: now they may be filled again
    }

    // snippet: store-guard
    // solution: leave-too-early
    // starter: C[row * N + column] = sum;
    if (row < M && column < N) C[row * N + column] = sum;
    // end solution: leave-too-early
    // end snippet: store-guard
}
// end snippet: tiled-kernel

// snippet: pairs-kernel
// One thread computes two elements of C, one kTile rows below the other; one
// block computes a piece of C that is kTile columns wide and 2 * kTile rows
// high.
// solution: two-per-thread
//
// Memory, as written: per step a thread loads two floats of A and one of B
// into shared memory. In the inner loop it reads two words of tileA (as
// compiled, four words of tileA at once) and one of tileB, so each word of
// tileB that was read serves two multiply-adds. Two rows of the block are a
// warp, as in the kernel with one element per thread, and no two lanes want
// different words of one bank here either.
// Guard: each of the two rows has its own, since the edge of C may lie between
// them. No thread leaves: every one has its share of the tiles to load.
// end solution: two-per-thread
// Launch: a block of exactly kTile x kTile threads, and a grid that covers C
// with blocks of 2 * kTile rows.
__global__ void matmulPairs(const float* __restrict__ A,
                            const float* __restrict__ B,
                            float* __restrict__ C, int M, int N, int K) {
    // solution: two-per-thread
    // starter: // Your turn: one element per thread leaves half of C undone.
    // starter: __shared__ float tileA[kTile][kTile];
    __shared__ float tileA[2 * kTile][kTile];
    // end solution: two-per-thread
    __shared__ float tileB[kTile][kTile];

    const int ty = threadIdx.y;
    const int tx = threadIdx.x;
    const int row = blockIdx.y * 2 * kTile + ty;
    const int column = blockIdx.x * kTile + tx;

    float sum = 0.0f;
    // solution: two-per-thread
    const int below = row + kTile;
    float sumBelow = 0.0f;
    // end solution: two-per-thread
    for (int step = 0; step < K; step += kTile) {
        const int columnA = step + tx;
        const int rowB = step + ty;
        tileA[ty][tx] = row < M && columnA < K ? A[row * K + columnA] : 0.0f;
        tileB[ty][tx] = rowB < K && column < N ? B[rowB * N + column] : 0.0f;
        // solution: two-per-thread
        tileA[ty + kTile][tx] =
            below < M && columnA < K ? A[below * K + columnA] : 0.0f;
        // end solution: two-per-thread
        __syncthreads();  // the tiles are full: now they may be read

        for (int k = 0; k < kTile; ++k) {
            // solution: two-per-thread
            // starter: sum += tileA[ty][k] * tileB[k][tx];
            const float b = tileB[k][tx];
            sum += tileA[ty][k] * b;
            sumBelow += tileA[ty + kTile][k] * b;
            // end solution: two-per-thread
        }
        __syncthreads();  // the tiles are read: now they may be filled again
    }

    if (row < M && column < N) C[row * N + column] = sum;
    // solution: two-per-thread
    if (below < M && column < N) C[below * N + column] = sumBelow;
    // end solution: two-per-thread
}
// end snippet: pairs-kernel

// ---------------------------------------------------------------------------
// From here on the host.
// ---------------------------------------------------------------------------

// snippet: check-macro
// Every call of the CUDA runtime goes through this: an error ends the program
// and says where it was noticed. A launch has no value, so cudaGetLastError()
// is what is checked after it; a fault inside a kernel shows at the next call
// that waits for the kernel.
#define CUDA_CHECK(call)                                                    \
    do {                                                                    \
        const cudaError_t status_ = (call);                                 \
        if (status_ != cudaSuccess) {                                       \
            std::fprintf(stderr, "%s:%d: %s: %s: %s\n", __FILE__, __LINE__, \
                         #call, cudaGetErrorName(status_),                  \
                         cudaGetErrorString(status_));                      \
            std::exit(EXIT_FAILURE);                                        \
        }                                                                   \
    } while (0)
// end snippet: check-macro

// snippet: inputs
// Inputs are whole numbers from -kLargestInput to kLargestInput. Then every
// product is a whole number, and so is every partial sum, whatever the order
// of summation; none is larger than K * kLargestInput^2. Up to 2^24 =
// 16777216 a float holds every whole number exactly. So nothing is ever
// rounded, and a right kernel agrees with the reference to the last bit.
// Random values, unlike constant ones, betray a wrong index.
constexpr int kLargestInput = 8;
constexpr int kExactLimit = 16777216;
constexpr int kLargestSize = 46340;  // the largest n whose n * n is an int
static_assert(kLargestSize * kLargestInput * kLargestInput <= kExactLimit,
              "sums over the largest K must be exact in float32");
static_assert(1LL * kLargestSize * kLargestSize <= INT_MAX &&
                  (kLargestSize + 1LL) * (kLargestSize + 1LL) > INT_MAX,
              "row * K + k is an int in the kernels");

std::vector<float> makeInputs(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);  // its sequence is the same on every machine
    std::vector<float> values(count);
    for (float& value : values) {
        value = static_cast<float>(
            static_cast<int>(random() % (2 * kLargestInput + 1)) -
            kLargestInput);
    }
    return values;
}
// end snippet: inputs

struct Shape {
    int M, N, K;
};

// The last case is ragged: the tile divides none of its sides, and each has
// its own remainder, so that mixing up two sides shows.
constexpr Shape kCases[] = {
    {256, 256, 256}, {512, 512, 512}, {611, 613, 617}};

// Small ones for tools that slow a program down. Both are ragged, and no two
// sides of a case are alike. In the first the edge of C lies within the lower
// elements of the last blocks of pairs, in the second within the upper ones.
constexpr Shape kSmallCases[] = {{49, 53, 57}, {67, 70, 75}};

constexpr bool isRagged(const Shape& shape) {
    const int m = shape.M % kTile, n = shape.N % kTile, k = shape.K % kTile;
    return m != 0 && n != 0 && k != 0 && m != n && n != k && k != m;
}
constexpr bool isSmallEnough(const Shape& shape) {
    return shape.M <= kLargestSize && shape.N <= kLargestSize &&
           shape.K <= kLargestSize;
}
static_assert(isRagged(kCases[2]) && isRagged(kSmallCases[0]) &&
                  isRagged(kSmallCases[1]),
              "kTile must divide no side of a ragged case");
static_assert(kSmallCases[0].M % (2 * kTile) > kTile &&
                  kSmallCases[1].M % (2 * kTile) < kTile,
              "each element of pairs must have a case with its edge");
static_assert(isSmallEnough(kCases[0]) && isSmallEnough(kCases[1]) &&
                  isSmallEnough(kCases[2]),
              "indices and sums must be exact in every case");

std::string nameCase(const Shape& shape) {
    return std::to_string(shape.M) + "x" + std::to_string(shape.N) + "x" +
           std::to_string(shape.K);
}

constexpr int divideRoundingUp(int count, int size) {
    return (count + size - 1) / size;
}

// snippet: launch
// All kernels are launched alike, in blocks of kTile x kTile threads. With one
// element per thread a block covers kTile rows of C; with two, one kTile rows
// below the other, twice as many, so about half as many blocks are needed. The
// grid is rounded up: on a ragged size the last row and the last column of
// blocks reach past the edge of C.
using Kernel = void (*)(const float*, const float*, float*, int, int, int);

void launchMatmul(Kernel kernel, int elementsPerThread, const Shape& shape,
                  const float* A, const float* B, float* C) {
    const dim3 block(kTile, kTile);
    const dim3 grid(divideRoundingUp(shape.N, kTile),
                    divideRoundingUp(shape.M, elementsPerThread * kTile));
    kernel<<<grid, block>>>(A, B, C, shape.M, shape.N, shape.K);
    CUDA_CHECK(cudaGetLastError());
}
// end snippet: launch

// The oracle: the same product on the CPU, accumulated in double.
std::vector<double> multiplyOnHost(const Shape& shape,
                                   const std::vector<float>& A,
                                   const std::vector<float>& B) {
    const std::size_t M = shape.M, N = shape.N, K = shape.K;
    std::vector<double> C(M * N, 0.0);
    for (std::size_t row = 0; row < M; ++row) {
        for (std::size_t k = 0; k < K; ++k) {
            const double a = A[row * K + k];
            for (std::size_t column = 0; column < N; ++column) {
                C[row * N + column] += a * B[k * N + column];
            }
        }
    }
    return C;
}

// snippet: compare
// The first element that is not what it should be, if there is one. The
// condition reads !(error <= tolerance) and not error > tolerance, because
// every comparison with a NaN is false: written this way round, a NaN fails.
// C is filled with NaN before a kernel runs, so an element that the kernel
// never wrote fails too.
struct Mismatch {
    int row, column;
    float got;
    double want;
};

constexpr double kTolerance = 0.0;  // whole numbers: nothing is rounded

std::optional<Mismatch> findMismatch(const std::vector<float>& got,
                                     const std::vector<double>& want,
                                     int columns) {
    for (std::size_t i = 0; i < want.size(); ++i) {
        if (!(std::fabs(got.at(i) - want[i]) <= kTolerance)) {
            return Mismatch{static_cast<int>(i / columns),
                            static_cast<int>(i % columns), got[i], want[i]};
        }
    }
    return std::nullopt;
}
// end snippet: compare

// How samples are taken here; the code that takes them is the same in every
// program.
constexpr int kSamples = 51;         // per variant
constexpr int kLeastLaunches = 20;   // per sample
constexpr double kSampleMs = 2.0;    // what a sample should last at least
constexpr double kWarmUpMs = 200.0;  // an idle GPU's clock takes time to rise

// snippet: held-timing
// Times launches with events. The variants take turns, sample by sample, and
// each time another one begins, so that a clock that drifts meanwhile drifts
// for all of them. A sample is one launch or, where one is short, a batch of
// them back to back.
//
// Between the two events the GPU must never wait for the host. So a kernel
// that only lets time pass goes ahead, and all else is queued while it runs.
// That this worked is checked: if the first event has already happened when
// the last call returns, then the host was late, and the sample is discarded
// and taken again behind a longer hold. A held GPU rests. So it is told how
// many samples were taken again, and how much of the time the others filled.
using Launch = std::function<void()>;

constexpr int kMostLaunches = 300;   // per sample: the queue holds about 1000
constexpr int kHoldCycles = 200000;  // of the GPU's clock: about 0.1 ms
constexpr int kHoldCyclesPerLaunch = 20000;  // time to queue one: about 10 us
constexpr int kHoldTries = 8;                // each twice as long

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

__global__ void holdGpu(long long cycles) {
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
}

// Milliseconds per launch, the GPU's own gaps between launches included. Adds
// to `again` how often the sample was discarded.
double timeBatch(const Launch& launch, int launches, int& again) {
    cudaEvent_t begin, end;
    CUDA_CHECK(cudaEventCreate(&begin));
    CUDA_CHECK(cudaEventCreate(&end));
    float ms = 0.0f;
    bool late = true;
    long long hold = kHoldCycles + 1LL * kHoldCyclesPerLaunch * launches;
    for (int tries = 0; late && tries < kHoldTries; ++tries, hold *= 2) {
        holdGpu<<<1, 1>>>(hold);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaEventRecord(begin));
        for (int i = 0; i < launches; ++i) launch();
        CUDA_CHECK(cudaEventRecord(end));
        const cudaError_t begun = cudaEventQuery(begin);
        late = begun != cudaErrorNotReady;
        if (late) CUDA_CHECK(begun);
        cudaGetLastError();  // "not ready" is no error: it must not stay
        CUDA_CHECK(cudaEventSynchronize(end));
        CUDA_CHECK(cudaEventElapsedTime(&ms, begin, end));
        again += late;
    }
    CUDA_CHECK(cudaEventDestroy(begin));
    CUDA_CHECK(cudaEventDestroy(end));
    if (late) {
        std::fprintf(stderr, "the host cannot queue %d launches in time\n",
                     launches);
        std::exit(EXIT_FAILURE);
    }
    return static_cast<double>(ms) / launches;
}

// Keeps the GPU busy until its clock is up. The last round tells how many
// launches of each variant a sample takes.
std::vector<int> warmUp(const std::vector<Launch>& variants) {
    const auto begin = Clock::now();
    std::vector<int> launches(variants.size());
    int again = 0;  // of these samples nobody wants to know
    while (Milliseconds(Clock::now() - begin).count() < kWarmUpMs) {
        for (std::size_t v = 0; v < variants.size(); ++v) {
            const double ms = timeBatch(variants[v], kLeastLaunches, again);
            launches[v] = static_cast<int>(
                std::clamp(std::ceil(kSampleMs / ms), double(kLeastLaunches),
                           double(kMostLaunches)));
        }
    }
    return launches;
}

// What was timed, and how.
struct Timing {
    // Per variant, the milliseconds per launch of each sample, as they came.
    std::vector<std::vector<double>> samples;
    int again = 0;        // samples that were discarded and taken again
    double filled = 0.0;  // of the time that passed, in percent
};

Timing timeInTurn(const std::vector<Launch>& variants,
                  const std::vector<int>& launches) {
    Timing timing;
    timing.samples.resize(variants.size());
    const auto begin = Clock::now();
    double timed = 0.0;
    for (int sample = 0; sample < kSamples; ++sample) {
        for (std::size_t turn = 0; turn < variants.size(); ++turn) {
            const std::size_t v = (sample + turn) % variants.size();
            const double ms =
                timeBatch(variants[v], launches[v], timing.again);
            timing.samples[v].push_back(ms);
            timed += ms * launches[v];
        }
    }
    timing.filled =
        100.0 * timed / Milliseconds(Clock::now() - begin).count();
    return timing;
}

// Returns how many lines it printed: one, or none if stdout refused it.
int printTiming(const std::string& name, const Timing& timing) {
    return std::printf(
               "%s: samples taken again: %d; timed launches filled "
               "%.2f %% of the time\n",
               name.c_str(), timing.again, timing.filled) > 0;
}

double findMedian(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 ? values[half]
                             : (values[half - 1] + values[half]) / 2;
}
// end snippet: held-timing

// A row of the table: its name, its kernel, how many elements of C a thread
// makes, how many floats it loads from global memory for all of them at most
// (a load that the guard replaces by a zero is counted too), and a C of its own.
struct Variant {
    const char* name;
    Kernel kernel;
    int elements;
    int loads;
    float* C;
};

float* copyToDevice(const std::vector<float>& values) {
    float* copy = nullptr;
    const std::size_t bytes = values.size() * sizeof(float);
    CUDA_CHECK(
        cudaMalloc(&copy, bytes));  // exactly: memcheck sees an overrun
    CUDA_CHECK(
        cudaMemcpy(copy, values.data(), bytes, cudaMemcpyHostToDevice));
    return copy;
}

float* allocateOutput(std::size_t count) {
    float* C = nullptr;
    CUDA_CHECK(cudaMalloc(&C, count * sizeof(float)));
    return C;
}

void poisonOutputs(const std::vector<Variant>& variants, std::size_t count) {
    for (const Variant& variant : variants) {
        // A float with all its bits set is a NaN.
        CUDA_CHECK(cudaMemset(variant.C, 0xff, count * sizeof(float)));
    }
}

// Reads a buffer, so that it lies in the L2 cache as far as that holds it.
constexpr int kReadBlocks = 256, kReadThreads = 256;

__global__ void readFloats(const float* __restrict__ from, size_t count,
                           float* __restrict__ sums) {
    const size_t thread = size_t(blockIdx.x) * kReadThreads + threadIdx.x;
    float sum = 0.0f;
    for (size_t i = thread; i < count; i += kReadBlocks * kReadThreads) {
        sum += from[i];
    }
    sums[thread] = sum;  // or the compiler leaves the reading out
}

void readThrough(const void* buffer, std::size_t bytes) {
    float* sums = nullptr;
    CUDA_CHECK(cudaMalloc(&sums, kReadBlocks * kReadThreads * sizeof(float)));
    readFloats<<<kReadBlocks, kReadThreads>>>(
        static_cast<const float*>(buffer), bytes / sizeof(float), sums);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaFree(sums));
}

// Ends the program unless every variant's C holds what the oracle says.
void requireMatch(const std::vector<Variant>& variants, const Shape& shape,
                  const std::vector<double>& want, const char* when) {
    std::vector<float> got(want.size());
    for (const Variant& variant : variants) {
        CUDA_CHECK(cudaMemcpy(got.data(), variant.C,
                              got.size() * sizeof(float),
                              cudaMemcpyDeviceToHost));
        if (const auto wrong = findMismatch(got, want, shape.N)) {
            std::fprintf(
                stderr,
                "%s, case %s, %s: row %d, column %d is %g, should be %g\n",
                variant.name, nameCase(shape).c_str(), when, wrong->row,
                wrong->column, wrong->got, wrong->want);
            std::exit(EXIT_FAILURE);
        }
    }
}

// What a case leaves behind for the lines below the table.
struct Summary {
    Shape shape;
    double speedup;         // the median of naive over the median of tiled
    double loadRatio;       // the loads of naive over the loads of tiled
    double pairsSpeedup;    // the median of tiled over the median of pairs
    double pairsLoadRatio;  // likewise the loads, for each element of C
    std::size_t bytes;      // of A, B and one C: what a launch works on
    int rows;               // how many were printed
    Timing timing;
};

struct Options {
    int n = 0;  // 0: the cases above
    bool small = false;
    bool once = false;
    const char* samples = nullptr;
};

std::optional<Options> parseOptions(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
        if (std::strcmp(argv[i], "--once") == 0) {
            options.once = true;
        } else if (std::strcmp(argv[i], "--small") == 0) {
            options.small = true;
        } else if (std::strcmp(argv[i], "--samples") == 0 && value) {
            options.samples = argv[++i];
        } else if (std::strcmp(argv[i], "--n") == 0 && value) {
            ++i;
            const char* end = value + std::strlen(value);
            const auto [stop, error] = std::from_chars(value, end, options.n);
            if (error != std::errc() || stop != end) return std::nullopt;
            if (options.n < 1) return std::nullopt;
            if (options.n > kLargestSize) return std::nullopt;
        } else {
            return std::nullopt;
        }
    }
    if (options.n && options.small) return std::nullopt;
    // With --once there would be no samples to write.
    if (options.once && options.samples) return std::nullopt;
    return options;
}

constexpr int kRowsPerCase = 4;
constexpr int kNameWidth = 11, kTimeWidth = 9, kRateWidth = 8,
              kLoadsWidth = 12;

void printHead(int caseWidth) {
    std::printf("%-*s  %-*s  %*s  %*s  %*s  %*s  %*s\n", caseWidth, "case",
                kNameWidth, "kernel", kTimeWidth, "time (ms)", kTimeWidth,
                "min (ms)", kTimeWidth, "max (ms)", kRateWidth, "GFLOP/s",
                kLoadsWidth, "loads/thread");
    std::string rule(caseWidth, '-');
    for (const int width : {kNameWidth, kTimeWidth, kTimeWidth, kTimeWidth,
                            kRateWidth, kLoadsWidth}) {
        rule += "  " + std::string(width, '-');
    }
    std::printf("%s\n", rule.c_str());
}

// Returns how many rows it printed: one, or none if stdout refused it.
int printRow(int caseWidth, const Shape& shape, const Variant& variant,
             const std::vector<double>& samples) {
    const double median = findMedian(samples);
    const auto [least, largest] =
        std::minmax_element(samples.begin(), samples.end());
    const double flop = 2.0 * shape.M * shape.N * shape.K;
    const int written = std::printf(
        "%-*s  %-*s  %*.6f  %*.6f  %*.6f  %*.2f  %*d\n", caseWidth,
        nameCase(shape).c_str(), kNameWidth, variant.name, kTimeWidth, median,
        kTimeWidth, *least, kTimeWidth, *largest, kRateWidth,
        flop / (median * 1e6), kLoadsWidth, variant.loads);
    return written > 0 ? 1 : 0;
}

// Checks, times, checks again and prints one case.
Summary runCase(const Shape& shape, const Options& options, int caseWidth,
                std::FILE* csv) {
    const std::size_t sizeA = std::size_t(shape.M) * shape.K;
    const std::size_t sizeB = std::size_t(shape.K) * shape.N;
    const std::size_t sizeC = std::size_t(shape.M) * shape.N;
    const std::vector<float> hostA = makeInputs(sizeA, 1);
    const std::vector<float> hostB = makeInputs(sizeB, 2);
    const std::vector<double> want = multiplyOnHost(shape, hostA, hostB);
    float* const A = copyToDevice(hostA);
    float* const B = copyToDevice(hostB);

    const int naiveLoads = 2 * shape.K;
    const int steps = divideRoundingUp(shape.K, kTile);
    const int tiledLoads = 2 * steps;
    const int pairsLoads = 3 * steps;  // for two elements
    std::vector<Variant> variants = {
        {"naive", matmulNaive, 1, naiveLoads, allocateOutput(sizeC)},
        {"tiled", matmulTiled, 1, tiledLoads, allocateOutput(sizeC)},
        {"pairs", matmulPairs, 2, pairsLoads, allocateOutput(sizeC)},
    };
    if (!options.once) {
        // The same kernel measured as if it were another: the difference of
        // two kernels means something only if it is larger than this one.
        variants.push_back({"naive again", matmulNaive, 1, naiveLoads,
                            allocateOutput(sizeC)});
    }

    std::vector<Launch> launches;
    for (const Variant& variant : variants) {
        launches.push_back([=] {
            launchMatmul(variant.kernel, variant.elements, shape, A, B,
                         variant.C);
        });
    }

    poisonOutputs(variants, sizeC);
    // A kernel that is timed finds the caches as another product of the same
    // matrices left them. Launched once, all kernels but the first do so as
    // well, and for that one the operands are read.
    readThrough(A, sizeA * sizeof(float));
    readThrough(B, sizeB * sizeof(float));
    for (const Launch& launch : launches) launch();
    requireMatch(variants, shape, want,
                 options.once ? "run once" : "before timing");

    Summary summary{shape,
                    0.0,
                    double(naiveLoads) / tiledLoads,
                    0.0,
                    2.0 * tiledLoads / pairsLoads,
                    (sizeA + sizeB + sizeC) * sizeof(float),
                    0,
                    {}};
    if (!options.once) {
        const std::string name = nameCase(shape);
        const std::vector<int> batches = warmUp(launches);
        poisonOutputs(variants, sizeC);
        CUDA_CHECK(cudaDeviceSynchronize());

        std::fprintf(stderr, "timed begin %s\n", name.c_str());
        std::fflush(stderr);
        summary.timing = timeInTurn(launches, batches);
        std::fprintf(stderr, "timed end %s\n", name.c_str());
        std::fflush(stderr);

        requireMatch(variants, shape, want, "after timing");
        const auto& samples = summary.timing.samples;
        for (std::size_t v = 0; v < variants.size(); ++v) {
            summary.rows +=
                printRow(caseWidth, shape, variants[v], samples[v]);
            for (std::size_t i = 0; csv && i < samples[v].size(); ++i) {
                std::fprintf(csv, "%s,%s,%zu,%d,%.9f\n", name.c_str(),
                             variants[v].name, i, batches[v], samples[v][i]);
            }
        }
        const double tiledMedian = findMedian(samples[1]);
        summary.speedup = findMedian(samples[0]) / tiledMedian;
        summary.pairsSpeedup = tiledMedian / findMedian(samples[2]);
    }

    for (const Variant& variant : variants) CUDA_CHECK(cudaFree(variant.C));
    CUDA_CHECK(cudaFree(A));
    CUDA_CHECK(cudaFree(B));
    return summary;
}

int main(int argc, char** argv) {
    const std::optional<Options> options = parseOptions(argc, argv);
    if (!options) {
        std::fprintf(stderr,
                     "usage: tiled_matmul [--n N | --small] "
                     "[--once | --samples FILE]\n"
                     "  --n N           one case N x N x N, N from 1 to %d\n"
                     "  --small         two small ragged cases, for tools "
                     "that slow a program down\n"
                     "  --once          each kernel once per case, checked, "
                     "not timed\n"
                     "  --samples FILE  write every sample to FILE, as CSV\n",
                     kLargestSize);
        return 2;
    }
    std::FILE* csv = nullptr;
    if (options->samples) {
        csv = std::fopen(options->samples, "w");
        if (!csv) {
            std::perror(options->samples);
            return EXIT_FAILURE;
        }
        std::fprintf(csv, "case,kernel,sample,launches,time_ms\n");
    }

    std::vector<Shape> shapes(std::begin(kCases), std::end(kCases));
    if (options->small) {
        shapes.assign(std::begin(kSmallCases), std::end(kSmallCases));
    }
    if (options->n) shapes = {{options->n, options->n, options->n}};
    int caseWidth = 4;
    for (const Shape& shape : shapes) {
        caseWidth =
            std::max(caseWidth, static_cast<int>(nameCase(shape).size()));
    }

    if (options->once) {
        std::printf("Each kernel once per case, checked, not timed.\n\n");
    } else {
        std::printf(
            "Time of one launch: median, min and max of %d samples.\n"
            "A sample is at least %d launches and about %g ms, back to "
            "back,\n"
            "caches hot; the kernels take turns, sample by sample.\n"
            "A thread of pairs makes two elements, and its loads are for "
            "both.\n\n",
            kSamples, kLeastLaunches, kSampleMs);
        printHead(caseWidth);
    }
    std::vector<Summary> summaries;
    for (const Shape& shape : shapes) {
        summaries.push_back(runCase(shape, *options, caseWidth, csv));
    }
    if (!options->once) std::printf("\n");

    int rows = 0;
    for (const Summary& summary : summaries) {
        rows += summary.rows;
        const std::string name = nameCase(summary.shape);
        if (options->once) {
            std::printf("%s: naive, tiled and pairs match the reference\n",
                        name.c_str());
        } else {
            std::printf(
                "%s: tiled is %.3fx as fast as naive, with %.2fx fewer loads "
                "per thread\n",
                name.c_str(), summary.speedup, summary.loadRatio);
            std::printf(
                "%s: pairs is %.3fx as fast as tiled, with %.2fx fewer loads "
                "per element\n",
                name.c_str(), summary.pairsSpeedup, summary.pairsLoadRatio);
        }
    }
    for (const Summary& summary : summaries) {
        if (options->once) break;
        const std::string name = nameCase(summary.shape);
        std::printf("%s: A, B and C take %zu B\n", name.c_str(),
                    summary.bytes);
        printTiming(name, summary.timing);
    }

    const int cases = static_cast<int>(summaries.size());
    const int wantedRows = options->once ? 0 : kRowsPerCase * cases;
    if (rows != wantedRows) {
        std::fprintf(stderr, "only %d of %d rows printed\n", rows,
                     wantedRows);
        return EXIT_FAILURE;
    }
    if (csv && (std::ferror(csv) || std::fclose(csv) != 0)) {
        std::fprintf(stderr, "%s could not be written\n", options->samples);
        return EXIT_FAILURE;
    }
    if (cases == 1) {
        std::printf("the only case matches the reference: ");
    } else {
        std::printf("all %d cases match the reference: ", cases);
    }
    if (options->once) {
        std::printf("nothing was timed\n");
    } else {
        std::printf("%d of %d rows printed\n", rows, wantedRows);
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
        std::fprintf(stderr, "stdout could not be written\n");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
