// SPDX-License-Identifier: MIT
//
// Day 17: tensor cores, by way of WMMA. C = A B five times: in float32 on
// CUDA cores, one element of C per thread; the same with a square of them
// per thread; on tensor cores, one warp per square tile, with A and B in
// half and sums in float32; the same with a square of tiles per warp; and by
// cuBLAS from the same halves. Every side of a matrix must be a multiple of
// the tile's.
//
// On another GPU, build with -arch=native instead of -arch=sm_90. cuBLAS
// comes with the CUDA toolkit and is opened at run time: where it is missing
// the program says so and runs the other four.
//
// Build: nvcc -std=c++17 -O3 -arch=sm_90 -o wmma_matmul wmma_matmul.cu
// Run:   ./wmma_matmul
//
// Verified 2026-12-01 on an NVIDIA H200 (compute capability 9.0),
// driver 580.159.04, CUDA 13.0 (V13.0.88).
// Transcript:
// evidence/wmma_matmul/nvidia-h200/run-2026-12-01-4.txt

#include <cuda.h>
#include <cuda_runtime.h>
#include <cxxabi.h>
#include <dlfcn.h>

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
#include <type_traits>
#include <vector>

// snippet: wmma-headers
#include <cuda_fp16.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;
// end snippet: wmma-headers

// ---------------------------------------------------------------------------
// The kernels. Matrices are row-major: A is M x K, B is K x N, C is M x N.
// M, N and K are multiples of 16: the host refuses others.
// ---------------------------------------------------------------------------

// snippet: scalar-kernel
// One thread computes one element of C, from a row of A and a column of B.
//
// Memory: with 16 x 16 threads a warp covers 16 columns of two rows of C. At
// each k it loads two floats of A, each for 16 lanes, and 16 neighbouring
// floats of B, each for two lanes, for one multiply-add per lane.
// Launch: any two-dimensional block, and a grid that covers C.
// Guard: threads past the edge of C leave at once; nobody waits for them.
__global__ void matmulScalar(const float* __restrict__ A,
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
// end snippet: scalar-kernel

// snippet: register-tile
// A thread computes kSide x kSide neighbouring elements of C. Four floats are
// what one load can bring.
constexpr int kSide = 4;

// Four neighbouring floats in one load: `from` is a multiple of 16 bytes.
__device__ __forceinline__ void loadFour(const float* __restrict__ from,
                                         float (&to)[kSide]) {
    const float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}
// end snippet: register-tile

// snippet: register-kernel
// The scalar kernel with more to do per thread: each float it loads is used
// kSide times, from registers.
//
// Memory: for kSide values of k a thread loads kSide floats of each of its
// rows of A, and kSide of each of kSide rows of B, 16 bytes at once. That is
// 2 x kSide loads for kSide^3 multiply-adds. With 16 x 16 threads a warp
// reads two words of 16 bytes of A per load, each for 16 lanes, and 16
// neighbouring ones of B, each for two lanes.
// Launch: any two-dimensional block, and a grid that covers C with kSide x
// kSide elements per thread.
// Guard: kSide divides M and N, so a thread's elements lie all inside C or
// all past its edge. It divides K and N, so each load of 16 bytes is aligned.
__global__ void matmulRegisters(const float* __restrict__ A,
                                const float* __restrict__ B,
                                float* __restrict__ C, int M, int N, int K) {
    const int row = (blockIdx.y * blockDim.y + threadIdx.y) * kSide;
    const int column = (blockIdx.x * blockDim.x + threadIdx.x) * kSide;
    if (row >= M || column >= N) return;

    float sums[kSide][kSide] = {};
    for (int step = 0; step < K; step += kSide) {
        float a[kSide][kSide];  // row by row, kSide values of k each
        for (int i = 0; i < kSide; ++i) {
            loadFour(A + (row + i) * K + step, a[i]);
        }
        for (int k = 0; k < kSide; ++k) {
            float b[kSide];
            loadFour(B + (step + k) * N + column, b);
            for (int i = 0; i < kSide; ++i) {
                for (int j = 0; j < kSide; ++j) sums[i][j] += a[i][k] * b[j];
            }
        }
    }
    for (int i = 0; i < kSide; ++i) {
        float* const to = C + (row + i) * N + column;
        *reinterpret_cast<float4*>(to) =
            make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
    }
}
// end snippet: register-kernel

// snippet: wmma-tile
// A warp computes one tile of kTile x kTile elements of C, in steps of kTile
// along K: one of the shapes that WMMA offers for half.
constexpr int kTile = 16;
// end snippet: wmma-tile

// snippet: wmma-kernel
// One warp computes one tile of C. Operands go from global memory into
// fragments: registers, spread over the lanes of the warp in an order that
// WMMA does not tell. The whole warp loads, multiplies and stores a fragment,
// and no lane may be missing.
//
// Memory: per step a warp loads 16 rows of 16 halves from A, and 16 from B:
// 32 bytes, one sector, a row. Nothing is shared between warps except by way
// of the caches.
// Launch: blocks whose width is a multiple of 32, so that the lanes of a warp
// have the same threadIdx.y and follow each other in threadIdx.x, and a grid
// that covers C with a tile per warp.
// Guard: warps past the edge of C leave as a whole, since row and column are
// the same for all their lanes. kTile divides M, N and K, so no tile is cut.
// That also keeps every tile's address a multiple of 32 bytes and every row's
// length a multiple of 8 halves, which WMMA asks for.
__global__ void matmulWmma(const half* __restrict__ A,
                           const half* __restrict__ B, float* __restrict__ C,
                           int M, int N, int K) {
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    const int row = (blockIdx.y * blockDim.y + threadIdx.y) * kTile;
    const int column = warp * kTile;
    if (row >= M || column >= N) return;

    wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, half, wmma::row_major>
        a;
    wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, half, wmma::row_major>
        b;
    wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    for (int step = 0; step < K; step += kTile) {
        // solution: load-fragments
        // starter: // Your turn: load the warp's tile of A and of B, at this step.
        // starter: wmma::fill_fragment(a, __float2half(0.0f));
        // starter: wmma::fill_fragment(b, __float2half(0.0f));
        wmma::load_matrix_sync(a, A + row * K + step, K);
        wmma::load_matrix_sync(b, B + step * N + column, N);
        // end solution: load-fragments
        wmma::mma_sync(sums, a, b, sums);
    }
    wmma::store_matrix_sync(C + row * N + column, sums, N,
                            wmma::mem_row_major);
}
// end snippet: wmma-kernel

// snippet: wmma-four-kernel
// One warp computes kSpan x kSpan tiles of C, a square of neighbours.
constexpr int kSpan = 2;

// More to do for each load than with one tile per warp: a fragment of A
// serves all tiles of its row, one of B all tiles of its column, before the
// next step is loaded.
//
// Memory: per step a warp loads kSpan fragments of A and kSpan of B, and
// multiplies kSpan^2 times. So a product takes 2 / kSpan fragments from
// memory, where it takes two with one tile per warp.
// Launch: blocks whose width is a multiple of 32, so that the lanes of a warp
// have the same threadIdx.y and follow each other in threadIdx.x, and a grid
// that covers C with kSpan x kSpan tiles per warp.
// Guard: warps past the edge of C leave as a whole. kTile divides M, N and K,
// so no tile is cut; but a warp at the edge may have tiles past it. Its lanes
// agree on which these are, and store none of them.
// solution: four-tiles
// What is multiplied for them comes from the last tile inside, so nothing is
// read past the edge, and the loop needs no branch for it.
// end solution: four-tiles
__global__ void matmulWmmaFour(const half* __restrict__ A,
                               const half* __restrict__ B,
                               float* __restrict__ C, int M, int N, int K) {
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    const int row = (blockIdx.y * blockDim.y + threadIdx.y) * (kSpan * kTile);
    const int column = warp * (kSpan * kTile);
    if (row >= M || column >= N) return;

    wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, half, wmma::row_major>
        a[kSpan];
    wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, half, wmma::row_major>
        b[kSpan];
    using Sums =
        wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float>;
    Sums sums[kSpan][kSpan];
    for (int i = 0; i < kSpan; ++i) {
        for (int j = 0; j < kSpan; ++j) {
            wmma::fill_fragment(sums[i][j], 0.0f);
        }
    }
    for (int step = 0; step < K; step += kTile) {
        // solution: four-tiles
        // starter: // Your turn: this computes the first of the warp's tiles.
        // starter: wmma::load_matrix_sync(a[0], A + row * K + step, K);
        // starter: wmma::load_matrix_sync(b[0], B + step * N + column, N);
        // starter: wmma::mma_sync(sums[0][0], a[0], b[0], sums[0][0]);
        for (int i = 0; i < kSpan; ++i) {
            const int tileRow = min(row + i * kTile, M - kTile);
            wmma::load_matrix_sync(a[i], A + tileRow * K + step, K);
        }
        for (int j = 0; j < kSpan; ++j) {
            const int tileColumn = min(column + j * kTile, N - kTile);
            wmma::load_matrix_sync(b[j], B + step * N + tileColumn, N);
        }
        for (int i = 0; i < kSpan; ++i) {
            for (int j = 0; j < kSpan; ++j) {
                wmma::mma_sync(sums[i][j], a[i], b[j], sums[i][j]);
            }
        }
        // end solution: four-tiles
    }
    for (int i = 0; i < kSpan; ++i) {
        for (int j = 0; j < kSpan; ++j) {
            const int tileRow = row + i * kTile;
            const int tileColumn = column + j * kTile;
            if (tileRow >= M || tileColumn >= N) continue;
            wmma::store_matrix_sync(C + tileRow * N + tileColumn, sums[i][j],
                                    N, wmma::mem_row_major);
        }
    }
}
// end snippet: wmma-four-kernel

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

// snippet: random-inputs
// Random numbers from -1 to 1, rounded to half. So the kernels that take
// float32 and those that take half multiply the same numbers, and rounding
// the inputs is no part of anyone's error.
std::vector<float> makeRandomInputs(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);  // 32 bits a number
    std::vector<float> values(count);
    for (float& value : values) {
        const double drawn = random() / 2147483647.5 - 1.0;
        value = __half2float(__float2half_rn(static_cast<float>(drawn)));
    }
    return values;
}
// end snippet: random-inputs

struct Shape {
    int M, N, K;
};

constexpr Shape kChecked = {48, 80, 112};  // three, five and seven tiles
constexpr int kSize = 1024;                // of the case that is timed

std::string nameCase(const Shape& shape) {
    return std::to_string(shape.M) + "x" + std::to_string(shape.N) + "x" +
           std::to_string(shape.K);
}

constexpr int divideRoundingUp(int count, int size) {
    return (count + size - 1) / size;
}

// snippet: refused-sizes
// WMMA moves whole tiles. On a side that kTile does not divide, the last tile
// would reach past the edge, into the next row or out of the matrix, and no
// lane could be held back. So the host refuses such sizes before a launch.
// (To compute them nevertheless, pad the matrices with zeros.)
// Returns what is wrong; nothing when all is well.
std::string explainRefusal(const Shape& shape) {
    const struct {
        const char* name;
        int size;
    } sides[] = {{"M", shape.M}, {"N", shape.N}, {"K", shape.K}};
    for (const auto& side : sides) {
        if (side.size < kTile || side.size % kTile != 0) {
            return std::string(side.name) + " is " +
                   std::to_string(side.size) + ", no positive multiple of " +
                   std::to_string(kTile);
        }
        if (side.size > kLargestSize) {
            return std::string(side.name) + " is " +
                   std::to_string(side.size) + ", more than " +
                   std::to_string(kLargestSize);
        }
    }
    return "";
}
// end snippet: refused-sizes

// snippet: launch-warps
// The kernels on CUDA cores have blocks of 16 x 16 threads, those on tensor
// cores blocks of 2 x 2 warps. What a block covers differs: 16 x 16 and 64 x
// 64 elements of C, and 32 x 32 and 64 x 64.
constexpr int kBlock = 16;
constexpr int kWarp = 32;  // lanes: warpSize is known to the device alone
constexpr int kWarps = 2;

void launchScalar(const Shape& shape, const float* A, const float* B,
                  float* C) {
    const dim3 block(kBlock, kBlock);
    const dim3 grid(divideRoundingUp(shape.N, kBlock),
                    divideRoundingUp(shape.M, kBlock));
    matmulScalar<<<grid, block>>>(A, B, C, shape.M, shape.N, shape.K);
    CUDA_CHECK(cudaGetLastError());
}

void launchRegisters(const Shape& shape, const float* A, const float* B,
                     float* C) {
    const dim3 block(kBlock, kBlock);
    const dim3 grid(divideRoundingUp(shape.N, kBlock * kSide),
                    divideRoundingUp(shape.M, kBlock * kSide));
    matmulRegisters<<<grid, block>>>(A, B, C, shape.M, shape.N, shape.K);
    CUDA_CHECK(cudaGetLastError());
}

void launchWmma(const Shape& shape, const half* A, const half* B, float* C) {
    const dim3 block(kWarps * kWarp, kWarps);
    const dim3 grid(divideRoundingUp(shape.N, kWarps * kTile),
                    divideRoundingUp(shape.M, kWarps * kTile));
    matmulWmma<<<grid, block>>>(A, B, C, shape.M, shape.N, shape.K);
    CUDA_CHECK(cudaGetLastError());
}

void launchWmmaFour(const Shape& shape, const half* A, const half* B,
                    float* C) {
    const dim3 block(kWarps * kWarp, kWarps);
    const dim3 grid(divideRoundingUp(shape.N, kWarps * kSpan * kTile),
                    divideRoundingUp(shape.M, kWarps * kSpan * kTile));
    matmulWmmaFour<<<grid, block>>>(A, B, C, shape.M, shape.N, shape.K);
    CUDA_CHECK(cudaGetLastError());
}
// end snippet: launch-warps
static_assert(kTile % kSide == 0, "what a tile divides, a thread divides");
static_assert(kSpan == 2, "a row of the results is named after four tiles");

// snippet: cublas
// cuBLAS, opened while the program runs. It is not linked, so the program
// builds with nothing but nvcc, and where the library is missing it still
// runs, less what cuBLAS would have done. The declarations below are those of
// cublas_api.h, in which a handle is a pointer and an enumeration an int.
struct Cublas {
    std::string missing;  // why it cannot be used; empty when it can
    std::string version;  // such as 13.0.2
    void* handle = nullptr;
    int (*setStream)(void* handle, cudaStream_t) = nullptr;
    int (*gemmEx)(void* handle, int transA, int transB, int m, int n, int k,
                  const void* alpha, const void* A, cudaDataType typeA,
                  int lda, const void* B, cudaDataType typeB, int ldb,
                  const void* beta, void* C, cudaDataType typeC, int ldc,
                  int compute, int algorithm) = nullptr;
};

constexpr int kNotTransposed = 0;      // CUBLAS_OP_N
constexpr int kComputeFloat32 = 68;    // CUBLAS_COMPUTE_32F: no TF32
constexpr int kDefaultAlgorithm = -1;  // CUBLAS_GEMM_DEFAULT

// Zero is CUBLAS_STATUS_SUCCESS.
void requireCublas(int status, const char* what) {
    if (status == 0) return;
    std::fprintf(stderr, "%s: cuBLAS status %d\n", what, status);
    std::exit(EXIT_FAILURE);
}

// A function of the library by its name, to be given its type.
template <typename Function>
void findFunction(void* library, const char* name, Function& function,
                  std::string& missing) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (!function && missing.empty()) missing = dlerror();
}

// Opens the library of this CUDA's major version.
Cublas openCublas() {
    Cublas cublas;
    const std::string name =
        "libcublas.so." + std::to_string(CUDART_VERSION / 1000);
    void* library = dlopen(name.c_str(), RTLD_NOW);
    if (!library) {
        cublas.missing = dlerror();
        library = dlopen(("/usr/local/cuda/lib64/" + name).c_str(), RTLD_NOW);
        if (!library) return cublas;
        cublas.missing.clear();
    }
    int (*create)(void**) = nullptr;
    int (*getVersion)(void*, int*) = nullptr;
    findFunction(library, "cublasCreate_v2", create, cublas.missing);
    findFunction(library, "cublasGetVersion_v2", getVersion, cublas.missing);
    findFunction(library, "cublasSetStream_v2", cublas.setStream,
                 cublas.missing);
    findFunction(library, "cublasGemmEx", cublas.gemmEx, cublas.missing);
    if (!cublas.missing.empty()) return cublas;

    int version = 0;
    requireCublas(create(&cublas.handle), "cublasCreate");
    requireCublas(getVersion(cublas.handle, &version), "cublasGetVersion");
    cublas.version = std::to_string(version / 10000) + "." +
                     std::to_string(version / 100 % 100) + "." +
                     std::to_string(version % 100);
    return cublas;
}

// C = A B with sums in float32, row-major. Matrices of cuBLAS are
// column-major: it takes each of these for its transpose, and makes
// C^T = B^T A^T of them.
void multiplyByCublas(const Cublas& cublas, const Shape& shape, const void* A,
                      const void* B, cudaDataType operands, void* C,
                      cudaDataType result) {
    const float one = 1.0f, zero = 0.0f;
    requireCublas(
        cublas.gemmEx(cublas.handle, kNotTransposed, kNotTransposed, shape.N,
                      shape.M, shape.K, &one, B, operands, shape.N, A,
                      operands, shape.K, &zero, C, result, shape.N,
                      kComputeFloat32, kDefaultAlgorithm),
        "cublasGemmEx");
}
// end snippet: cublas

// snippet: kernel-names
// Which kernels does cuBLAS start for a product? The product is captured as a
// graph instead of being run, and the driver is asked what the kernels of the
// graph are called.
std::string nameCublasKernels(const Cublas& cublas,
                              const std::function<void()>& multiply) {
    CUresult (*getParameters)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS*) =
        nullptr;
    CUresult (*nameFunction)(const char**, CUfunction) = nullptr;
    CUresult (*nameKernel)(const char**, CUkernel) = nullptr;
    const auto ask = [](const char* name, auto& function) {
        void* found = nullptr;
        cudaDriverEntryPointQueryResult result;
        CUDA_CHECK(cudaGetDriverEntryPointByVersion(
            name, &found, 12030, cudaEnableDefault, &result));
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(
                found);
        return found && result == cudaDriverEntryPointSuccess;
    };
    if (!ask("cuGraphKernelNodeGetParams", getParameters) ||
        !ask("cuFuncGetName", nameFunction) ||
        !ask("cuKernelGetName", nameKernel)) {
        return "unknown: the driver does not tell names";
    }

    cudaStream_t stream;  // the default stream cannot be captured
    cudaGraph_t graph;
    CUDA_CHECK(cudaStreamCreate(&stream));
    requireCublas(cublas.setStream(cublas.handle, stream), "cublasSetStream");
    CUDA_CHECK(
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    multiply();
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    requireCublas(cublas.setStream(cublas.handle, nullptr),
                  "cublasSetStream");

    std::size_t count = 0;
    CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &count));
    std::vector<cudaGraphNode_t> nodes(count);
    CUDA_CHECK(cudaGraphGetNodes(graph, nodes.data(), &count));
    std::string names;
    for (const cudaGraphNode_t node : nodes) {
        cudaGraphNodeType type;
        CUDA_CHECK(cudaGraphNodeGetType(node, &type));
        if (type != cudaGraphNodeTypeKernel) continue;
        CUDA_KERNEL_NODE_PARAMS parameters{};
        const char* name = nullptr;
        CUresult status = getParameters(node, &parameters);
        if (status == CUDA_SUCCESS) {
            status = parameters.func ? nameFunction(&name, parameters.func)
                                     : nameKernel(&name, parameters.kern);
        }
        if (!names.empty()) names += ", ";
        if (status != CUDA_SUCCESS || !name) {
            names += "unknown: error " + std::to_string(status);
            continue;
        }
        int wrong = 0;
        char* const readable =
            abi::__cxa_demangle(name, nullptr, nullptr, &wrong);
        names += wrong == 0 ? readable : name;
        std::free(readable);
    }
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaStreamDestroy(stream));
    return names.empty() ? "none" : names;
}
// end snippet: kernel-names

// snippet: oracle
// The reference: C on the CPU, summed in double, and beside it |A||B|, the
// same sum of absolute values. An error of rounding is a share of the numbers
// that were added, not of what is left of them when they cancel, so |A||B| is
// what an error is divided by. A product of two halves is exact in float32,
// and in double.
struct Reference {
    std::vector<double> product, magnitude;
};

Reference multiplyOnHost(const Shape& shape, const std::vector<float>& A,
                         const std::vector<float>& B) {
    const std::size_t M = shape.M, N = shape.N, K = shape.K;
    Reference reference{std::vector<double>(M * N, 0.0),
                        std::vector<double>(M * N, 0.0)};
    for (std::size_t row = 0; row < M; ++row) {
        double* const product = &reference.product[row * N];
        double* const magnitude = &reference.magnitude[row * N];
        for (std::size_t k = 0; k < K; ++k) {
            const double a = A[row * K + k];
            const float* const b = &B[k * N];
            for (std::size_t column = 0; column < N; ++column) {
                const double term = a * b[column];
                product[column] += term;
                magnitude[column] += std::fabs(term);
            }
        }
    }
    return reference;
}

// What float32 sums of K terms may be off by is a matter of their order; all
// orders used here stay far below this. TF32 would not, nor sums in half.
constexpr double kErrorLimit = 1e-6;  // of |A||B|

// The largest error of an element, as a share of |A||B|; NaN if one is NaN.
double findLargestError(const std::vector<float>& got,
                        const Reference& want) {
    double largest = 0.0;
    for (std::size_t i = 0; i < want.product.size(); ++i) {
        const double error =
            std::fabs(got.at(i) - want.product[i]) / want.magnitude[i];
        if (std::isnan(error)) return error;
        largest = std::max(largest, error);
    }
    return largest;
}
// end snippet: oracle

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

// Memory of the device for so many values. A matrix of whole tiles takes a
// multiple of 512 bytes, and such buffers may follow each other without a
// gap: then an overrun of one is the inside of the next, and memcheck is
// silent. One byte more leaves a gap.
template <typename T>
T* allocate(std::size_t count) {
    T* memory = nullptr;
    CUDA_CHECK(cudaMalloc(&memory, count * sizeof(T) + 1));
    return memory;
}

template <typename T>
T* copyToDevice(const std::vector<T>& values) {
    T* const copy = allocate<T>(values.size());
    CUDA_CHECK(cudaMemcpy(copy, values.data(), values.size() * sizeof(T),
                          cudaMemcpyHostToDevice));
    return copy;
}

// A and B on the host, and on the device in both types.
struct Operands {
    Shape shape;
    std::vector<float> hostA, hostB;
    float *A, *B;
    half *halfA, *halfB;
};

half* copyAsHalves(const std::vector<float>& values) {
    std::vector<half> halves;
    halves.reserve(values.size());
    for (const float value : values) halves.push_back(__float2half_rn(value));
    return copyToDevice(halves);
}

Operands makeOperands(const Shape& shape, std::vector<float> A,
                      std::vector<float> B) {
    Operands operands{shape, std::move(A), std::move(B), {}, {}, {}, {}};
    operands.A = copyToDevice(operands.hostA);
    operands.B = copyToDevice(operands.hostB);
    operands.halfA = copyAsHalves(operands.hostA);
    operands.halfB = copyAsHalves(operands.hostB);
    return operands;
}

Operands makeRandomOperands(const Shape& shape) {
    return makeOperands(shape,
                        makeRandomInputs(std::size_t(shape.M) * shape.K, 1),
                        makeRandomInputs(std::size_t(shape.K) * shape.N, 2));
}

Operands makeWholeOperands(const Shape& shape) {
    return makeOperands(shape, makeInputs(std::size_t(shape.M) * shape.K, 3),
                        makeInputs(std::size_t(shape.K) * shape.N, 4));
}

void freeOperands(const Operands& operands) {
    CUDA_CHECK(cudaFree(operands.A));
    CUDA_CHECK(cudaFree(operands.B));
    CUDA_CHECK(cudaFree(operands.halfA));
    CUDA_CHECK(cudaFree(operands.halfB));
}

// What is measured: a name, a C of its own, and how to compute it.
struct Variant {
    std::string name;
    float* C;
    Launch launch;
};

// The variants for these operands; cuBLAS is the last where it is used.
std::vector<Variant> listVariants(const Operands& operands,
                                  const Cublas* cublas) {
    const Shape shape = operands.shape;
    std::vector<Variant> variants = {{"scalar", nullptr, {}},
                                     {"register tiles", nullptr, {}},
                                     {"WMMA", nullptr, {}},
                                     {"WMMA four", nullptr, {}}};
    if (cublas) variants.push_back({"cuBLAS half", nullptr, {}});
    for (Variant& variant : variants) {
        variant.C = allocate<float>(std::size_t(shape.M) * shape.N);
    }
    const float *const A = operands.A, *const B = operands.B;
    const half *const halfA = operands.halfA, *const halfB = operands.halfB;
    variants[0].launch = [=, C = variants[0].C] {
        launchScalar(shape, A, B, C);
    };
    variants[1].launch = [=, C = variants[1].C] {
        launchRegisters(shape, A, B, C);
    };
    variants[2].launch = [=, C = variants[2].C] {
        launchWmma(shape, halfA, halfB, C);
    };
    variants[3].launch = [=, C = variants[3].C] {
        launchWmmaFour(shape, halfA, halfB, C);
    };
    if (cublas) {
        variants[4].launch = [=, C = variants[4].C] {
            multiplyByCublas(*cublas, shape, halfA, halfB, CUDA_R_16F, C,
                             CUDA_R_32F);
        };
    }
    return variants;
}

void poisonOutputs(const std::vector<Variant>& variants, const Shape& shape) {
    const std::size_t bytes = std::size_t(shape.M) * shape.N * sizeof(float);
    for (const Variant& variant : variants) {
        // A float with all its bits set is a NaN.
        CUDA_CHECK(cudaMemset(variant.C, 0xff, bytes));
    }
}

std::vector<float> copyOutput(const Variant& variant, const Shape& shape) {
    std::vector<float> got(std::size_t(shape.M) * shape.N);
    CUDA_CHECK(cudaMemcpy(got.data(), variant.C, got.size() * sizeof(float),
                          cudaMemcpyDeviceToHost));
    return got;
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

// A kernel that is timed finds the caches as another launch of it left them.
// Launched once, it finds at least the operands.
void readOperands(const Operands& operands) {
    const std::size_t countA = operands.hostA.size(),
                      countB = operands.hostB.size();
    readThrough(operands.A, countA * sizeof(float));
    readThrough(operands.B, countB * sizeof(float));
    readThrough(operands.halfA, countA * sizeof(half));
    readThrough(operands.halfB, countB * sizeof(half));
}

// Ends the program unless every C is near enough to the reference; returns
// how near each is.
std::vector<double> requireNear(const std::vector<Variant>& variants,
                                const Shape& shape, const Reference& want,
                                const char* when) {
    std::vector<double> errors;
    for (const Variant& variant : variants) {
        const double error =
            findLargestError(copyOutput(variant, shape), want);
        if (!(error <= kErrorLimit)) {
            std::fprintf(stderr,
                         "%s, %s, %s: largest error %g of |A||B|, should be "
                         "at most %g\n",
                         variant.name.c_str(), nameCase(shape).c_str(), when,
                         error, kErrorLimit);
            std::exit(EXIT_FAILURE);
        }
        errors.push_back(error);
    }
    return errors;
}

void freeOutputs(const std::vector<Variant>& variants) {
    for (const Variant& variant : variants) CUDA_CHECK(cudaFree(variant.C));
}

// With whole numbers nothing is rounded: every kernel must agree exactly.
void checkWhole(const Shape& shape, const Cublas* cublas) {
    const Operands operands = makeWholeOperands(shape);
    const std::vector<Variant> variants = listVariants(operands, cublas);
    const Reference want =
        multiplyOnHost(shape, operands.hostA, operands.hostB);
    poisonOutputs(variants, shape);
    for (const Variant& variant : variants) variant.launch();
    for (const Variant& variant : variants) {
        if (const auto wrong = findMismatch(copyOutput(variant, shape),
                                            want.product, shape.N)) {
            std::fprintf(stderr,
                         "%s, %s, whole numbers: row %d, column %d is %g, "
                         "should be %g\n",
                         variant.name.c_str(), nameCase(shape).c_str(),
                         wrong->row, wrong->column, wrong->got, wrong->want);
            std::exit(EXIT_FAILURE);
        }
    }
    std::printf("%s: with whole numbers all %zu agree exactly\n",
                nameCase(shape).c_str(), variants.size());
    freeOutputs(variants);
    freeOperands(operands);
}

// Returns how many lines it printed.
int printErrors(const std::vector<Variant>& variants, const Shape& shape,
                const std::vector<double>& errors) {
    int lines = 0;
    for (std::size_t v = 0; v < variants.size(); ++v) {
        lines += std::printf("%s, %s: largest error %.3g of |A||B|\n",
                             nameCase(shape).c_str(),
                             variants[v].name.c_str(), errors[v]) > 0;
    }
    return lines;
}

// Checks random numbers once; returns how many lines it printed.
int checkRandom(const Shape& shape, const Cublas* cublas) {
    const Operands operands = makeRandomOperands(shape);
    const std::vector<Variant> variants = listVariants(operands, cublas);
    poisonOutputs(variants, shape);
    readOperands(operands);
    for (const Variant& variant : variants) variant.launch();
    const int lines = printErrors(
        variants, shape,
        requireNear(variants, shape,
                    multiplyOnHost(shape, operands.hostA, operands.hostB),
                    "run once"));
    freeOutputs(variants);
    freeOperands(operands);
    return lines;
}

// Checks, times, checks again and prints one case; returns how many lines it
// printed.
int timeCase(const Shape& shape, const Cublas* cublas, std::FILE* csv) {
    const std::string name = nameCase(shape);
    const Operands operands = makeRandomOperands(shape);
    const Reference want =
        multiplyOnHost(shape, operands.hostA, operands.hostB);
    std::vector<Variant> variants = listVariants(operands, cublas);
    const std::size_t distinct = variants.size();
    // The same kernel measured as if it were another: the difference of two
    // kernels means something only if it is larger than this one.
    variants.push_back({"scalar again",
                        allocate<float>(std::size_t(shape.M) * shape.N),
                        {}});
    variants.back().launch = [shape, A = operands.A, B = operands.B,
                              C = variants.back().C] {
        launchScalar(shape, A, B, C);
    };
    std::vector<Launch> launches;
    for (const Variant& variant : variants) {
        launches.push_back(variant.launch);
    }

    poisonOutputs(variants, shape);
    for (const Launch& launch : launches) launch();
    requireNear(variants, shape, want, "before timing");
    const std::vector<int> batches = warmUp(launches);
    poisonOutputs(variants, shape);
    CUDA_CHECK(cudaDeviceSynchronize());

    std::fprintf(stderr, "timed begin %s\n", name.c_str());
    std::fflush(stderr);
    const Timing timing = timeInTurn(launches, batches);
    std::fprintf(stderr, "timed end %s\n", name.c_str());
    std::fflush(stderr);

    const std::vector<double> errors =
        requireNear(variants, shape, want, "after timing");
    int lines = printErrors(
        {variants.begin(), variants.begin() + std::ptrdiff_t(distinct)},
        shape, errors);
    if (cublas) {
        std::printf("%s: cuBLAS %s runs %s\n", name.c_str(),
                    cublas->version.c_str(),
                    nameCublasKernels(*cublas, variants[distinct - 1].launch)
                        .c_str());
    }

    std::printf(
        "\nTime of one launch: median, least and most of %d samples. A "
        "sample\n"
        "is a batch of launches back to back, caches hot; the kernels take\n"
        "turns, sample by sample.\n",
        kSamples);
    const double flop = 2.0 * shape.M * shape.N * shape.K;
    for (std::size_t v = 0; v < variants.size(); ++v) {
        const std::vector<double>& samples = timing.samples[v];
        const double median = findMedian(samples);
        const auto [least, most] =
            std::minmax_element(samples.begin(), samples.end());
        lines += std::printf(
                     "%s, %s: %.6f ms, from %.6f to %.6f, in batches "
                     "of %d: %.3f TFLOP/s\n",
                     name.c_str(), variants[v].name.c_str(), median, *least,
                     *most, batches[v], flop / (median * 1e9)) > 0;
        for (std::size_t i = 0; csv && i < samples.size(); ++i) {
            std::fprintf(csv, "%s,%s,%zu,%d,%.9f\n", name.c_str(),
                         variants[v].name.c_str(), i, batches[v], samples[i]);
        }
    }
    std::printf("\n");
    for (std::size_t v = 1; v < distinct; ++v) {
        const double gain =
            findMedian(timing.samples[0]) / findMedian(timing.samples[v]);
        lines +=
            std::printf("%s: scalar takes %.4fx the time of %s\n",
                        name.c_str(), gain, variants[v].name.c_str()) > 0;
    }
    lines += printTiming(name, timing);
    freeOutputs(variants);
    freeOperands(operands);
    return lines;
}

struct Options {
    std::optional<int> n;
    bool once = false;
    bool small = false;
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
            int n = 0;
            const auto [stop, error] = std::from_chars(value, end, n);
            if (error != std::errc() || stop != end) return std::nullopt;
            options.n = n;
        } else {
            return std::nullopt;
        }
    }
    // With --once there would be no samples to write.
    if (options.once && options.samples) return std::nullopt;
    // Each says which case it is to be.
    if (options.small && options.n) return std::nullopt;
    return options;
}

int main(int argc, char** argv) {
    const std::optional<Options> options = parseOptions(argc, argv);
    if (!options) {
        std::fprintf(stderr,
                     "usage: wmma_matmul [--n N | --small] "
                     "[--once | --samples FILE]\n"
                     "  --n N           the case N x N x N, N a multiple of "
                     "%d, instead of %d\n"
                     "  --small         the case %s, checked with whole "
                     "numbers as well:\n"
                     "                  for tools that slow a program down\n"
                     "  --once          each kernel once in that case, "
                     "checked, not timed\n"
                     "  --samples FILE  write every sample to FILE, as CSV\n",
                     kTile, kSize, nameCase(kChecked).c_str());
        return 2;
    }
    const int n = options->n.value_or(kSize);
    const Shape shape = options->small ? kChecked : Shape{n, n, n};
    for (const Shape& asked : {shape, kChecked}) {
        if (const std::string refusal = explainRefusal(asked);
            !refusal.empty()) {
            std::fprintf(stderr, "%s: %s\n", nameCase(asked).c_str(),
                         refusal.c_str());
            return 2;
        }
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

    int lines = 0, wanted = 0, kernels = 4;
    if (options->once) {
        // Within the bound a small error would go unnoticed; whole numbers
        // have none.
        if (options->small) checkWhole(shape, nullptr);
        lines = checkRandom(shape, nullptr);
        wanted = kernels;
    } else {
        const Cublas opened = openCublas();
        const Cublas* const cublas =
            opened.missing.empty() ? &opened : nullptr;
        if (cublas) {
            ++kernels;
        } else {
            std::printf("without cuBLAS: %s\n", opened.missing.c_str());
        }
        checkWhole(kChecked, cublas);
        // Random numbers in two cases, unless the timed one is the other.
        const int cases = options->small ? 1 : 2;
        if (cases == 2) lines += checkRandom(kChecked, cublas);
        lines += timeCase(shape, cublas, csv);
        // An error in each case, a time and a ratio, and the repeated kernel;
        // and how the samples were taken.
        wanted = cases * kernels + (kernels + 1) + (kernels - 1) + 1;
    }
    if (csv) {
        const bool failed = std::ferror(csv) != 0;
        if (std::fclose(csv) != 0 || failed) {
            std::fprintf(stderr, "%s could not be written\n",
                         options->samples);
            return EXIT_FAILURE;
        }
    }
    if (lines != wanted) {
        std::fprintf(stderr, "only %d of %d results printed\n", lines,
                     wanted);
        return EXIT_FAILURE;
    }
    std::printf("all %d kernels are right: %d of %d results printed\n",
                kernels, lines, wanted);
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
        std::fprintf(stderr, "stdout could not be written\n");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
