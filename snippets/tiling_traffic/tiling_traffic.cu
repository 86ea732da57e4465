// SPDX-License-Identifier: MIT
//
// Day 15: tiling with shared memory, and what it does to traffic. C = A B in
// float32 by seven kernels: one element of C per thread and every operand
// from global memory, in square blocks, in wide ones and in tall ones; square
// tiles in shared memory; and the same tiles with rows padded by one float, by
// four, and by one in the tile of B alone. At a size where a matrix is larger
// than the L2 cache, and at one where two matrices fit into it.
//
// On another GPU, build with -arch=native instead of -arch=sm_90.
//
// Build: nvcc -std=c++17 -O3 -arch=sm_90 -o tiling_traffic tiling_traffic.cu
// Run:   ./tiling_traffic
//
// Verified 2026-11-30 on an NVIDIA H200 (compute capability 9.0),
// driver 580.159.04, CUDA 13.0 (V13.0.88).
// Transcript:
// evidence/tiling_traffic/nvidia-h200/run-2026-11-30.txt

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
// Each is a function of its own name, so that a profiler can tell them apart;
// what two of them share stands once, in a function that is inlined.
// ---------------------------------------------------------------------------

// snippet: naive-body
// One thread computes one element of C, from a row of A and a column of B. At
// each k it loads one float of either; nothing that was loaded is kept.
// Guard: threads past the edge of C leave at once. They have nothing to
// compute, and nobody waits for them.
__device__ __forceinline__ void multiplyNaive(const float* __restrict__ A,
                                              const float* __restrict__ B,
                                              float* __restrict__ C, int M,
                                              int N, int K) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || column >= N) return;

    float sum = 0.0f;
    for (int k = 0; k < K; ++k) {
        sum += A[row * K + k] * B[k * N + column];
    }
    C[row * N + column] = sum;
}
// end snippet: naive-body

// snippet: naive-kernel
// Memory: a warp covers 16 columns of two rows of C. At each k it loads two
// floats of A, K floats apart and each for 16 lanes, and 16 neighbouring
// floats of B, each for two lanes: 64 bytes, two sectors.
// Launch: blocks of 16 x 16 threads, and a grid that covers C.
__global__ void matmulNaive(const float* __restrict__ A,
                            const float* __restrict__ B,
                            float* __restrict__ C, int M, int N, int K) {
    multiplyNaive(A, B, C, M, N, K);
}
// end snippet: naive-kernel

// snippet: naive-wide-kernel
// Memory: a warp covers 32 columns of one row of C. At each k it loads one
// float of A for all lanes, and 32 neighbouring floats of B: 128 bytes, a
// whole cache line.
// Launch: blocks of 32 x 8 threads, and a grid that covers C.
__global__ void matmulNaiveWide(const float* __restrict__ A,
                                const float* __restrict__ B,
                                float* __restrict__ C, int M, int N, int K) {
    multiplyNaive(A, B, C, M, N, K);
}
// end snippet: naive-wide-kernel

// snippet: naive-tall-kernel
// Memory: a warp covers 8 columns of four rows of C. At each k it loads four
// floats of A, K floats apart and each for 8 lanes, and 8 neighbouring floats
// of B, each for four lanes: 32 bytes, one sector.
// Launch: blocks of 8 x 32 threads, and a grid that covers C.
__global__ void matmulNaiveTall(const float* __restrict__ A,
                                const float* __restrict__ B,
                                float* __restrict__ C, int M, int N, int K) {
    multiplyNaive(A, B, C, M, N, K);
}
// end snippet: naive-tall-kernel

// snippet: tile-size
// A block has kTile x kTile threads; a tile has kTile x kTile floats.
constexpr int kTile = 16;
static_assert(kTile * kTile <= 1024, "a block has at most 1024 threads");
// end snippet: tile-size

// snippet: padding
// Floats that a row of a tile is longer than what it holds.
constexpr int kPad = 1;      // shifts each row by one bank
constexpr int kWidePad = 4;  // the least that leaves rows aligned to 16 bytes
static_assert(kWidePad * sizeof(float) % 16 == 0, "16-byte rows stay so");
// end snippet: padding

// snippet: tiled-body
// One thread computes one element of C; one block computes one tile of C,
// walking a tile of A to the right and a tile of B downwards along K. A row
// of a tile is kRowA or kRowB floats long, of which kTile are used.
//
// Memory: per step a thread loads one float of A and one of B into shared
// memory; then the block multiplies out of the two tiles. A warp is two rows
// of the block. It loads two runs of 16 neighbouring floats from A, and two
// from B, and stores them to two rows of a tile. In the inner loop it reads
// two words of tileA, each for 16 lanes, and 16 neighbouring words of tileB,
// each for two lanes: no two lanes want different words of one bank, with
// rows of 16, 17 and 20 floats alike.
// Launch: a block of exactly kTile x kTile threads, and a grid that covers C.
// Guard: only what touches global memory is guarded, both loads and the
// store. A thread past the edge of C still loads its share of the tiles and
// still reaches both barriers, because the rest of its block needs what it
// loads and waits for it.
template <int kRowA, int kRowB>
__device__ __forceinline__ void multiplyTiled(const float* __restrict__ A,
                                              const float* __restrict__ B,
                                              float* __restrict__ C, int M,
                                              int N, int K) {
    static_assert(kRowA >= kTile && kRowB >= kTile,
                  "a row holds kTile floats");
    __shared__ float tileA[kTile][kRowA];
    __shared__ float tileB[kTile][kRowB];

    const int ty = threadIdx.y;
    const int tx = threadIdx.x;
    const int row = blockIdx.y * kTile + ty;
    const int column = blockIdx.x * kTile + tx;

    float sum = 0.0f;
    for (int step = 0; step < K; step += kTile) {
        const int columnA = step + tx;
        const int rowB = step + ty;
        tileA[ty][tx] = row < M && columnA < K ? A[row * K + columnA] : 0.0f;
        tileB[ty][tx] = rowB < K && column < N ? B[rowB * N + column] : 0.0f;
        __syncthreads();  // the tiles are full: now they may be read

        // solution: use-the-tiles
        // starter: // Your turn: one row of tileA times one column of tileB.
        // starter: sum += tileA[ty][tx] * tileB[ty][tx];
        for (int k = 0; k < kTile; ++k) {
            sum += tileA[ty][k] * tileB[k][tx];
        }
        // end solution: use-the-tiles
        __syncthreads();  // the tiles are read: now they may be filled again
    }

    if (row < M && column < N) C[row * N + column] = sum;
}
// end snippet: tiled-body

// snippet: tiled-kernel
// Rows of 16 floats: the two rows that a warp stores are 32 neighbouring
// words, one in each bank.
__global__ void matmulTiled(const float* __restrict__ A,
                            const float* __restrict__ B,
                            float* __restrict__ C, int M, int N, int K) {
    multiplyTiled<kTile, kTile>(A, B, C, M, N, K);
}
// end snippet: tiled-kernel

// snippet: padded-kernel
// Rows of 17 floats in both tiles. The two rows that a warp stores now reach
// over 33 words, so the last word falls into the bank of the first. And not
// every row begins at a multiple of 16 bytes, so four floats of one cannot be
// read at once.
__global__ void matmulPadded(const float* __restrict__ A,
                             const float* __restrict__ B,
                             float* __restrict__ C, int M, int N, int K) {
    multiplyTiled<kTile + kPad, kTile + kPad>(A, B, C, M, N, K);
}
// end snippet: padded-kernel

// snippet: padded-by-4-kernel
// Rows of 20 floats in both tiles. The two rows that a warp stores reach over
// 36 words, so they collide as well; but every row begins at a multiple of 16
// bytes.
__global__ void matmulPaddedBy4(const float* __restrict__ A,
                                const float* __restrict__ B,
                                float* __restrict__ C, int M, int N, int K) {
    multiplyTiled<kTile + kWidePad, kTile + kWidePad>(A, B, C, M, N, K);
}
// end snippet: padded-by-4-kernel

// snippet: padded-b-kernel
// Rows of 17 floats in the tile of B alone: what is read four floats at once,
// the rows of A's tile, stays as it was.
__global__ void matmulPaddedB(const float* __restrict__ A,
                              const float* __restrict__ B,
                              float* __restrict__ C, int M, int N, int K) {
    multiplyTiled<kTile, kTile + kPad>(A, B, C, M, N, K);
}
// end snippet: padded-b-kernel

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

constexpr int kSizes[] = {4096, 2048};  // the cases: N x N x N

constexpr int kNaiveX = 16, kNaiveY = 16;  // threads of a naive block
constexpr int kWideX = 32, kWideY = 8;  // as many, a whole warp along a row
constexpr int kTallX = 8, kTallY = 32;  // as many, four rows a warp

// Checked before the cases, not timed: neither a tile nor a block divides one
// of its sides, and each has its own remainder, so that mixing up two shows.
constexpr Shape kRagged = {131, 197, 171};

constexpr bool isRagged(const Shape& shape, int size) {
    const int m = shape.M % size, n = shape.N % size, k = shape.K % size;
    return m != 0 && n != 0 && k != 0 && m != n && n != k && k != m;
}
static_assert(isRagged(kRagged, kTile) && isRagged(kRagged, kWideX) &&
                  kRagged.M % kWideY != 0 && kRagged.M % kNaiveY != 0 &&
                  kRagged.M % kTallY != 0 && kRagged.N % kNaiveX != 0 &&
                  kRagged.N % kTallX != 0,
              "nothing must divide a side of the ragged shape");
static_assert(kSizes[0] <= kLargestSize && kSizes[1] <= kLargestSize,
              "indices and sums must be exact in every case");

constexpr int divideRoundingUp(int count, int size) {
    return (count + size - 1) / size;
}

// snippet: launch-in-blocks
// One thread per element of C, in blocks of a size that the kernel asks for.
// solution: cover-c
// The grid is rounded up, so on a ragged size the last row and the last
// column of blocks reach past the edge of C.
// end solution: cover-c
using Kernel = void (*)(const float*, const float*, float*, int, int, int);

void launchInBlocks(Kernel kernel, dim3 block, const Shape& shape,
                    const float* A, const float* B, float* C) {
    // solution: cover-c
    // starter: // Your turn: this grid leaves a part of C to nobody.
    // starter: const dim3 grid(shape.N / block.x, shape.M / block.y);
    const dim3 grid(divideRoundingUp(shape.N, static_cast<int>(block.x)),
                    divideRoundingUp(shape.M, static_cast<int>(block.y)));
    // end solution: cover-c
    kernel<<<grid, block>>>(A, B, C, shape.M, shape.N, shape.K);
    CUDA_CHECK(cudaGetLastError());
}
// end snippet: launch-in-blocks

// snippet: freivalds
// Is C the product of A and B? To compute it again on the CPU takes N^3
// multiply-adds, 69 billion at 4096 cubed. Freivalds' check takes a vector x
// of random whole numbers and compares C x with A (B x): three products of a
// matrix and a vector. Let C be wrong anywhere, and look at one wrong element
// of a wrong row. Whatever the rest of x, at most one of the 1001 values that
// x may have in that column makes the two sides agree. So one vector
// overlooks the error about once in a thousand times at most, and three
// vectors about once in 10^9.
//
// Inputs are whole numbers, so all of this is done in 64-bit integers, where
// no sum below overflows and nothing is rounded: agreeing means being equal.
constexpr int kVectors = 3;
constexpr int kLargestEntry = 500;  // entries run from -500 to 500
static_assert(1LL * kLargestSize * kExactLimit < LLONG_MAX / kLargestEntry &&
                  1LL * kLargestSize * kLargestSize * kLargestInput *
                          kLargestInput <
                      LLONG_MAX / kLargestEntry,
              "C x and A (B x) must fit in 64 bits");

// A matrix with kVectors columns, row by row: the vectors side by side.
using Vectors = std::vector<long long>;

// The product of a matrix of whole numbers and the vectors.
Vectors multiplyVectors(const std::vector<float>& matrix, int rows,
                        int columns, const Vectors& x) {
    Vectors product(std::size_t(rows) * kVectors, 0);
    for (std::size_t row = 0; row < std::size_t(rows); ++row) {
        for (std::size_t column = 0; column < std::size_t(columns);
             ++column) {
            const auto value =
                static_cast<long long>(matrix[row * columns + column]);
            for (std::size_t v = 0; v < kVectors; ++v) {
                product[row * kVectors + v] +=
                    value * x[column * kVectors + v];
            }
        }
    }
    return product;
}

// What is to be compared with: the same vectors for every kernel of a case.
struct Freivalds {
    Vectors x;     // N rows
    Vectors want;  // M rows: A (B x)
};

Freivalds prepareFreivalds(const Shape& shape, const std::vector<float>& A,
                           const std::vector<float>& B, unsigned seed) {
    std::mt19937 random(seed);
    Freivalds check;
    for (std::size_t i = 0; i < std::size_t(shape.N) * kVectors; ++i) {
        check.x.push_back(
            static_cast<long long>(random() % (2 * kLargestEntry + 1)) -
            kLargestEntry);
    }
    check.want = multiplyVectors(
        A, shape.M, shape.K, multiplyVectors(B, shape.K, shape.N, check.x));
    return check;
}

struct WrongElement {
    int row, column;
    float got;
    long long want;
};

// The first wrong element of C, if there is one. A value that is no whole
// number, or too large to be a sum, is wrong by itself: NaN and infinity are.
// The condition is written so that a NaN, which is in no order, fulfils it.
// A row whose product with a vector is wrong is computed anew, to find out
// which of its elements it is.
std::optional<WrongElement> findWrongElement(const Shape& shape,
                                             const std::vector<float>& A,
                                             const std::vector<float>& B,
                                             const std::vector<float>& C,
                                             const Freivalds& check) {
    const std::size_t N = shape.N, K = shape.K;
    for (int row = 0; row < shape.M; ++row) {
        const float* const rowC = &C.at(row * N);
        long long sums[kVectors] = {};
        bool wrong = false;
        for (std::size_t column = 0; column < N; ++column) {
            const float value = rowC[column];
            if (!(std::fabs(value) <= kExactLimit) ||
                value != std::trunc(value)) {
                wrong = true;
                break;
            }
            for (std::size_t v = 0; v < kVectors; ++v) {
                sums[v] += static_cast<long long>(value) *
                           check.x[column * kVectors + v];
            }
        }
        for (std::size_t v = 0; v < kVectors; ++v) {
            wrong = wrong || sums[v] != check.want[row * kVectors + v];
        }
        if (!wrong) continue;

        std::vector<long long> want(N, 0);
        for (std::size_t k = 0; k < K; ++k) {
            const auto a = static_cast<long long>(A[row * K + k]);
            for (std::size_t column = 0; column < N; ++column) {
                want[column] += a * static_cast<long long>(B[k * N + column]);
            }
        }
        for (std::size_t column = 0; column < N; ++column) {
            // Sums are at most kExactLimit, so a float holds them exactly.
            if (!(rowC[column] == static_cast<float>(want[column]))) {
                return WrongElement{row, static_cast<int>(column),
                                    rowC[column], want[column]};
            }
        }
        std::fprintf(stderr, "row %d: its product is wrong and no element\n",
                     row);
        std::abort();
    }
    return std::nullopt;
}
// end snippet: freivalds

// How samples are taken here; the code that takes them is the same in every
// program. At the larger size a launch fills a sample by itself.
constexpr int kSamples = 21;         // per variant
constexpr int kLeastLaunches = 1;    // per sample
constexpr double kSampleMs = 5.0;    // what a sample should last at least
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

// A row of the table: its name, its kernel, how that is launched, and a C of
// its own.
struct Variant {
    const char* name;
    Kernel kernel;
    dim3 block;
    float* C;
};

constexpr int kKernels = 7;
constexpr int kRowsPerCase = kKernels + 1;  // one kernel is timed twice

std::vector<Variant> listVariants() {
    const dim3 naive(kNaiveX, kNaiveY), wide(kWideX, kWideY);
    const dim3 tall(kTallX, kTallY), tile(kTile, kTile);
    return {
        {"naive 16x16", matmulNaive, naive, nullptr},
        {"naive 32x8", matmulNaiveWide, wide, nullptr},
        {"naive 8x32", matmulNaiveTall, tall, nullptr},
        {"tiled", matmulTiled, tile, nullptr},
        {"padded by 1", matmulPadded, tile, nullptr},
        {"padded by 4", matmulPaddedBy4, tile, nullptr},
        {"B padded by 1", matmulPaddedB, tile, nullptr},
    };
}
static_assert(kNaiveX == 16 && kNaiveY == 16 && kWideX == 32 && kWideY == 8 &&
                  kTallX == 8 && kTallY == 32 && kPad == 1 && kWidePad == 4,
              "the rows of the table are named after these");

std::string nameCase(const Shape& shape) {
    return std::to_string(shape.M) + "x" + std::to_string(shape.N) + "x" +
           std::to_string(shape.K);
}

float* copyToDevice(const std::vector<float>& values) {
    float* copy = nullptr;
    const std::size_t bytes = values.size() * sizeof(float);
    CUDA_CHECK(
        cudaMalloc(&copy, bytes));  // exactly: memcheck sees an overrun
    CUDA_CHECK(
        cudaMemcpy(copy, values.data(), bytes, cudaMemcpyHostToDevice));
    return copy;
}

// A case on the host and on the device, and what its C must satisfy.
struct Case {
    Shape shape;
    std::vector<float> hostA, hostB;
    float *A, *B;
    Freivalds check;
};

Case makeCase(const Shape& shape) {
    Case made{shape, {}, {}, nullptr, nullptr, {}};
    made.hostA = makeInputs(std::size_t(shape.M) * shape.K, 1);
    made.hostB = makeInputs(std::size_t(shape.K) * shape.N, 2);
    made.A = copyToDevice(made.hostA);
    made.B = copyToDevice(made.hostB);
    made.check = prepareFreivalds(shape, made.hostA, made.hostB, 3);
    return made;
}

std::size_t countOutputs(const Shape& shape) {
    return std::size_t(shape.M) * shape.N;
}

// Gives each variant a C full of NaN: a float with all its bits set is one.
void poisonOutputs(std::vector<Variant>& variants, const Shape& shape) {
    const std::size_t bytes = countOutputs(shape) * sizeof(float);
    for (Variant& variant : variants) {
        if (!variant.C) CUDA_CHECK(cudaMalloc(&variant.C, bytes));
        CUDA_CHECK(cudaMemset(variant.C, 0xff, bytes));
    }
}

// Ends the program unless every variant's C is the product.
void requireProducts(const std::vector<Variant>& variants, const Case& made,
                     const char* when) {
    std::vector<float> got(countOutputs(made.shape));
    for (const Variant& variant : variants) {
        CUDA_CHECK(cudaMemcpy(got.data(), variant.C,
                              got.size() * sizeof(float),
                              cudaMemcpyDeviceToHost));
        if (const auto wrong = findWrongElement(
                made.shape, made.hostA, made.hostB, got, made.check)) {
            std::fprintf(
                stderr,
                "%s, %s, %s: row %d, column %d is %g, should be %lld\n",
                variant.name, nameCase(made.shape).c_str(), when, wrong->row,
                wrong->column, wrong->got, wrong->want);
            std::exit(EXIT_FAILURE);
        }
    }
}

void freeCase(const std::vector<Variant>& variants, const Case& made) {
    for (const Variant& variant : variants) CUDA_CHECK(cudaFree(variant.C));
    CUDA_CHECK(cudaFree(made.A));
    CUDA_CHECK(cudaFree(made.B));
}

std::vector<Launch> listLaunches(const std::vector<Variant>& variants,
                                 const Case& made) {
    std::vector<Launch> launches;
    for (const Variant& variant : variants) {
        launches.push_back(
            [variant, shape = made.shape, A = made.A, B = made.B] {
                launchInBlocks(variant.kernel, variant.block, shape, A, B,
                               variant.C);
            });
    }
    return launches;
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

// A kernel that is timed finds the caches as another product of the same
// matrices left them. Launched once, all kernels but the first do so as well,
// and for that one the operands are read.
void readOperands(const Case& made) {
    readThrough(made.A, made.hostA.size() * sizeof(float));
    readThrough(made.B, made.hostB.size() * sizeof(float));
}

// Launches each kernel once and checks what it left.
void checkOnce(const Shape& shape) {
    const Case made = makeCase(shape);
    std::vector<Variant> variants = listVariants();
    poisonOutputs(variants, shape);
    readOperands(made);
    for (const Launch& launch : listLaunches(variants, made)) launch();
    requireProducts(variants, made, "run once");
    freeCase(variants, made);
}

constexpr int kSizeWidth = 5, kNameWidth = 13, kTimeWidth = 10,
              kCountWidth = 8, kRateWidth = 8;

void printHead() {
    std::printf("%-*s  %-*s  %*s  %*s  %*s  %*s  %*s\n", kSizeWidth, "size",
                kNameWidth, "kernel", kTimeWidth, "time (ms)", kTimeWidth,
                "min (ms)", kTimeWidth, "max (ms)", kCountWidth, "launches",
                kRateWidth, "GFLOP/s");
    std::string rule(kSizeWidth, '-');
    for (const int width : {kNameWidth, kTimeWidth, kTimeWidth, kTimeWidth,
                            kCountWidth, kRateWidth}) {
        rule += "  " + std::string(width, '-');
    }
    std::printf("%s\n", rule.c_str());
}

// Returns how many rows it printed: one, or none if stdout refused it.
int printRow(int n, const char* name, const std::vector<double>& samples,
             int launches) {
    const double median = findMedian(samples);
    const auto [least, largest] =
        std::minmax_element(samples.begin(), samples.end());
    const double flop = 2.0 * n * n * n;
    const int written = std::printf(
        "%-*d  %-*s  %*.6f  %*.6f  %*.6f  %*d  %*.2f\n", kSizeWidth, n,
        kNameWidth, name, kTimeWidth, median, kTimeWidth, *least, kTimeWidth,
        *largest, kCountWidth, launches, kRateWidth, flop / (median * 1e6));
    return written > 0 ? 1 : 0;
}

// What a case leaves behind for the lines below the table.
struct Summary {
    int n;
    std::vector<double> medians;  // in the order of the rows
    int rows;                     // how many were printed
    Timing timing;
};

// Checks, times, checks again and prints one case.
Summary timeCase(int n, std::FILE* csv) {
    const Shape shape{n, n, n};
    const Case made = makeCase(shape);
    std::vector<Variant> variants = listVariants();
    // The same kernel measured as if it were another: the difference of two
    // kernels means something only if it is larger than this one.
    variants.push_back(
        {"tiled again", matmulTiled, dim3(kTile, kTile), nullptr});
    poisonOutputs(variants, shape);
    const std::vector<Launch> launches = listLaunches(variants, made);
    for (const Launch& launch : launches) launch();
    requireProducts(variants, made, "before timing");

    const std::vector<int> batches = warmUp(launches);
    poisonOutputs(variants, shape);
    CUDA_CHECK(cudaDeviceSynchronize());

    std::fprintf(stderr, "timed begin %d\n", n);
    std::fflush(stderr);
    Summary summary{n, {}, 0, timeInTurn(launches, batches)};
    const auto& samples = summary.timing.samples;
    std::fprintf(stderr, "timed end %d\n", n);
    std::fflush(stderr);

    requireProducts(variants, made, "after timing");
    for (std::size_t v = 0; v < variants.size(); ++v) {
        summary.medians.push_back(findMedian(samples[v]));
        summary.rows += printRow(n, variants[v].name, samples[v], batches[v]);
        for (std::size_t i = 0; csv && i < samples[v].size(); ++i) {
            std::fprintf(csv, "%d,%s,%zu,%d,%.9f\n", n, variants[v].name, i,
                         batches[v], samples[v][i]);
        }
    }
    freeCase(variants, made);
    return summary;
}

void printRatios(const Summary& summary) {
    const std::vector<double>& ms = summary.medians;
    const double naive = ms[0], wide = ms[1], tall = ms[2], tiled = ms[3];
    const int n = summary.n;
    std::printf("%d: tiled is %.4fx as fast as naive 16x16\n", n,
                naive / tiled);
    std::printf("%d: naive 32x8 is %.4fx as fast as naive 16x16\n", n,
                naive / wide);
    std::printf("%d: naive 8x32 is %.4fx as fast as naive 16x16\n", n,
                naive / tall);
    std::printf("%d: rows padded by 1 take %.4fx the time of tiled\n", n,
                ms[4] / tiled);
    std::printf("%d: rows padded by 4 take %.4fx the time of tiled\n", n,
                ms[5] / tiled);
    std::printf("%d: B's rows padded by 1 take %.4fx the time of tiled\n", n,
                ms[6] / tiled);
    std::printf("%d: the same kernel again takes %.5fx its time\n", n,
                ms[7] / tiled);
}

struct Options {
    int n = 0;  // 0: the cases
    bool once = false;
    const char* samples = nullptr;
};

std::optional<Options> parseOptions(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
        if (std::strcmp(argv[i], "--once") == 0) {
            options.once = true;
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
    // With --once there would be no samples to write.
    if (options.once && options.samples) return std::nullopt;
    return options;
}

// Every case checked, timed and checked again; returns the exit status.
int timeCases(const std::vector<int>& sizes, std::FILE* csv) {
    checkOnce(kRagged);
    std::printf(
        "Time of one launch: median, min and max of %d samples.\n"
        "A sample is one launch or as many, back to back, as take about\n"
        "%g ms; caches hot; the kernels take turns, sample by sample.\n\n",
        kSamples, kSampleMs);
    printHead();
    std::vector<Summary> summaries;
    int rows = 0;
    for (const int n : sizes) {
        summaries.push_back(timeCase(n, csv));
        rows += summaries.back().rows;
    }
    std::printf("\n");
    for (const Summary& summary : summaries) printRatios(summary);
    for (const Summary& summary : summaries) {
        printTiming(std::to_string(summary.n), summary.timing);
    }

    const int wantedRows = kRowsPerCase * static_cast<int>(sizes.size());
    if (rows != wantedRows) {
        std::fprintf(stderr, "only %d of %d rows printed\n", rows,
                     wantedRows);
        return EXIT_FAILURE;
    }
    std::printf(
        "all %d kernels are right, here and on %s, which is ragged: %d of %d "
        "rows printed\n",
        kKernels, nameCase(kRagged).c_str(), rows, wantedRows);
    return EXIT_SUCCESS;
}

int main(int argc, char** argv) {
    const std::optional<Options> options = parseOptions(argc, argv);
    if (!options) {
        std::fprintf(
            stderr,
            "usage: tiling_traffic [--n N] [--once | --samples FILE]\n"
            "  --n N           one case N x N x N, N from 1 to %d\n"
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
        std::fprintf(csv, "size,kernel,sample,launches,time_ms\n");
    }

    std::vector<int> sizes(std::begin(kSizes), std::end(kSizes));
    if (options->n) sizes = {options->n};
    int status = EXIT_SUCCESS;
    if (options->once) {
        for (const int n : sizes) {
            checkOnce({n, n, n});
            std::printf("%d: all %d kernels are right; nothing was timed\n",
                        n, kKernels);
        }
    } else {
        status = timeCases(sizes, csv);
    }
    if (csv) {
        const bool failed = std::ferror(csv) != 0;
        if (std::fclose(csv) != 0 || failed) {
            std::fprintf(stderr, "%s could not be written\n",
                         options->samples);
            return EXIT_FAILURE;
        }
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
        std::fprintf(stderr, "stdout could not be written\n");
        return EXIT_FAILURE;
    }
    return status;
}
