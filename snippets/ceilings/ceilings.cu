// SPDX-License-Identifier: MIT
//
// Ceilings: what this GPU sustains, measured, to hold other kernels
// against. Bytes per second from and to DRAM by mix: reading only, writing
// only, copying, two reads and a write. Products by cuBLAS on random data:
// float32 without TF32, half and bfloat16. And the tensor cores alone, by
// mma.sync on operands that never leave the registers.
//
// On another GPU, build with -arch=native instead of -arch=sm_90. The buffers
// take several GiB; --n asks for less. cuBLAS comes with the CUDA toolkit and is
// opened at run time: where it is missing the program says so and measures
// the rest.
//
// Build: nvcc -std=c++17 -O3 -arch=sm_90 -o ceilings ceilings.cu
// Run:   ./ceilings
//
// Verified 2026-11-30 on an NVIDIA H200 (compute capability 9.0),
// driver 580.159.04, CUDA 13.0 (V13.0.88).
// Transcript:
// evidence/ceilings/nvidia-h200/run-2026-11-30.txt

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// ---------------------------------------------------------------------------
// Memory. A buffer is seen as pieces of 16 bytes, four floats each.
// ---------------------------------------------------------------------------

// snippet: stream-shape
// What the four kernels below have in common. A block moves kBlockPieces
// pieces that follow each other in memory.
// solution: find-a-piece
// In each round its threads take neighbouring pieces, so a warp takes 512
// bytes without a gap. A thread's pieces lie kThreads apart, and all of them
// are under way before the first is needed. No byte is asked for twice.
// end solution: find-a-piece
constexpr int kThreads = 256;  // of a block
constexpr int kPieces = 4;     // per thread
constexpr int kBlockPieces = kThreads * kPieces;

// A thread's piece in one of kPieces rounds.
__device__ __forceinline__ size_t findPiece(int round) {
    // solution: find-a-piece
    // starter: // Your turn: this is the same piece in every round.
    // starter: return size_t(blockIdx.x) * kBlockPieces + threadIdx.x;
    return size_t(blockIdx.x) * kBlockPieces + round * kThreads + threadIdx.x;
    // end solution: find-a-piece
}
// end snippet: stream-shape

// snippet: read-kernel
// Reads all pieces. What is read must be used, or the compiler leaves it out:
// a warp adds up what its lanes have read and writes one float for 2048
// bytes, which is counted as nothing.
// Launch: blocks of kThreads, and a grid that covers the pieces; as many sums
// as warps.
// Guard: past the end a piece counts as zero, and its thread stays, because
// the other lanes of its warp wait for it at each shuffle.
__global__ void readOnly(const float4* __restrict__ from,
                         float* __restrict__ sums, size_t pieces) {
    float4 read[kPieces];
    for (int round = 0; round < kPieces; ++round) {
        const size_t i = findPiece(round);
        read[round] =
            i < pieces ? from[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    float sum = 0.0f;
    for (const float4& piece : read) {
        sum += piece.x + piece.y + piece.z + piece.w;
    }
    // solution: add-up-a-warp
    // starter: // Your turn: lane 0 needs what the other lanes have summed.
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    }
    // end solution: add-up-a-warp
    if (threadIdx.x % 32 == 0) {
        sums[(blockIdx.x * kThreads + threadIdx.x) / 32] = sum;
    }
}
// end snippet: read-kernel

// snippet: write-kernel
// Writes all pieces, each full of a number that follows from where it lies.
// Launch: blocks of kThreads, and a grid that covers the pieces.
// Guard: nothing is written past the end.
constexpr int kWrittenNumbers = 1024;

__global__ void writeOnly(float4* __restrict__ to, size_t pieces) {
    for (int round = 0; round < kPieces; ++round) {
        const size_t i = findPiece(round);
        const float value = static_cast<float>(i % kWrittenNumbers);
        if (i < pieces) to[i] = make_float4(value, value, value, value);
    }
}
// end snippet: write-kernel

// snippet: copy-kernel
// Reads all pieces and writes them elsewhere.
// Launch: blocks of kThreads, and a grid that covers the pieces.
// Guard: nothing past the end is read or written.
__global__ void copyPieces(const float4* __restrict__ from,
                           float4* __restrict__ to, size_t pieces) {
    float4 read[kPieces];
    for (int round = 0; round < kPieces; ++round) {
        const size_t i = findPiece(round);
        if (i < pieces) read[round] = from[i];
    }
    for (int round = 0; round < kPieces; ++round) {
        const size_t i = findPiece(round);
        if (i < pieces) to[i] = read[round];
    }
}
// end snippet: copy-kernel

// snippet: add-kernel
// Reads the pieces of two buffers and writes their sums: two reads, a write.
// Launch: blocks of kThreads, and a grid that covers the pieces.
// Guard: nothing past the end is read or written.
__global__ void addPieces(const float4* __restrict__ one,
                          const float4* __restrict__ other,
                          float4* __restrict__ to, size_t pieces) {
    float4 a[kPieces], b[kPieces];
    for (int round = 0; round < kPieces; ++round) {
        const size_t i = findPiece(round);
        if (i < pieces) a[round] = one[i];
        if (i < pieces) b[round] = other[i];
    }
    for (int round = 0; round < kPieces; ++round) {
        const size_t i = findPiece(round);
        if (i >= pieces) continue;
        to[i] = make_float4(a[round].x + b[round].x, a[round].y + b[round].y,
                            a[round].z + b[round].z, a[round].w + b[round].w);
    }
}
// end snippet: add-kernel

// ---------------------------------------------------------------------------
// Tensor cores, from registers.
// ---------------------------------------------------------------------------

// snippet: mma-body
// A warp adds A B to its C `steps` times over, where A is 32 x 16, B 16 x 32
// and C 32 x 32, with operands of two bytes and sums in float32. It loads A
// and B once, and each step is 2 x 4 instructions mma.sync, which multiply
// 16 x 16 by 16 x 8. No two of them add to the same sums, so none waits for
// the one before.
//
// Memory: none within the loop. A is row-major, and B column-major: then the
// two neighbours along K that share a register share a 32-bit word too.
// Launch: any number of whole warps; C holds 32 x 32 floats for each.
// Guard: none, since no warp is without work.
constexpr int kRowTiles = 2, kColumnTiles = 4;  // of C, 16 x 8 each
constexpr int kRows = kRowTiles * 16, kColumns = kColumnTiles * 8;
constexpr int kDepth = 16;  // of A and B: what one mma.sync multiplies

template <bool kIsHalf>
__device__ __forceinline__ void multiplyInRegisters(const unsigned* A,
                                                    const unsigned* B,
                                                    float* C, int steps) {
    // Where the lane's elements lie, by the layout that PTX prescribes: words
    // of A and B hold two elements, and sums come in pairs.
    const int lane = threadIdx.x % 32;
    const int group = lane / 4, pair = lane % 4;
    unsigned a[kRowTiles][4], b[kColumnTiles][2];
    for (int i = 0; i < kRowTiles; ++i) {
        for (int part = 0; part < 4; ++part) {
            const int row = i * 16 + part % 2 * 8 + group;
            a[i][part] = A[row * (kDepth / 2) + part / 2 * 4 + pair];
        }
    }
    for (int j = 0; j < kColumnTiles; ++j) {
        for (int part = 0; part < 2; ++part) {
            const int column = j * 8 + group;
            b[j][part] = B[column * (kDepth / 2) + part * 4 + pair];
        }
    }

    float c[kRowTiles][kColumnTiles][4] = {};
    for (int step = 0; step < steps; ++step) {
        for (int i = 0; i < kRowTiles; ++i) {
            for (int j = 0; j < kColumnTiles; ++j) {
                float (&sums)[4] = c[i][j];
                if constexpr (kIsHalf) {
                    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                        "{%0, %1, %2, %3};"
                        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]),
                          "+f"(sums[3])
                        : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]),
                          "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
                } else {
                    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                        "{%0, %1, %2, %3};"
                        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]),
                          "+f"(sums[3])
                        : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]),
                          "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
                }
            }
        }
    }

    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    float* const to = C + size_t(warp) * kRows * kColumns;
    for (int i = 0; i < kRowTiles; ++i) {
        for (int j = 0; j < kColumnTiles; ++j) {
            for (int part = 0; part < 4; ++part) {
                const int row = i * 16 + part / 2 * 8 + group;
                const int column = j * 8 + pair * 2 + part % 2;
                to[row * kColumns + column] = c[i][j][part];
            }
        }
    }
}
// end snippet: mma-body

// snippet: mma-half-kernel
// Operands in half.
__global__ void mmaHalf(const unsigned* __restrict__ A,
                        const unsigned* __restrict__ B, float* __restrict__ C,
                        int steps) {
    multiplyInRegisters<true>(A, B, C, steps);
}
// end snippet: mma-half-kernel

// snippet: mma-bfloat16-kernel
// Operands in bfloat16.
__global__ void mmaBfloat16(const unsigned* __restrict__ A,
                            const unsigned* __restrict__ B,
                            float* __restrict__ C, int steps) {
    multiplyInRegisters<false>(A, B, C, steps);
}
// end snippet: mma-bfloat16-kernel

// ---------------------------------------------------------------------------
// From here on the host, and the kernels that fill and check buffers.
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

struct Shape {
    int M, N, K;
};

constexpr int kSizes[] = {2048, 4096, 8192};  // of the products: N x N x N
constexpr int kBufferSide = 16384;  // a buffer has as many floats squared
constexpr int kLargestSize = 32768;
constexpr int kLeastOfL2 = 8;  // times L2: less than this is no DRAM's rate
constexpr int kMmaSteps = 16384;  // about 2 ms
constexpr int kMmaThreads = 256;  // of a block
constexpr int kMmaBlocks = 2;     // per multiprocessor

std::string nameCase(const Shape& shape) {
    return std::to_string(shape.M) + "x" + std::to_string(shape.N) + "x" +
           std::to_string(shape.K);
}

std::string nameBytes(std::size_t bytes) {
    const char* const units[] = {"B", "KiB", "MiB", "GiB"};
    std::size_t unit = 0;
    while (unit < 3 && bytes % 1024 == 0) {
        bytes /= 1024;
        ++unit;
    }
    return std::to_string(bytes) + " " + units[unit];
}

// snippet: drawn-numbers
// Numbers that look random and follow from their place alone. So the GPU can
// fill gigabytes with them, and both GPU and CPU can say what must be where.
__host__ __device__ inline unsigned drawBits(unsigned long long place,
                                             unsigned seed) {
    unsigned long long bits = place + 0x9e3779b97f4a7c15ull * (seed + 1);
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
    return static_cast<unsigned>(bits >> 32);
}

// A whole number from -8 to 8: a warp's sum of them is exact in float32.
__host__ __device__ inline float drawWhole(unsigned long long place,
                                           unsigned seed) {
    return static_cast<float>(static_cast<int>(drawBits(place, seed) % 17) -
                              8);
}

// A number from -1 to 1, to be rounded to the type of an operand.
__host__ __device__ inline float drawReal(unsigned long long place,
                                          unsigned seed) {
    return static_cast<float>(drawBits(place, seed) >> 8) * 0x1p-23f - 1.0f;
}
// end snippet: drawn-numbers

__global__ void fillWhole(float* to, size_t count, unsigned seed) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += stride) {
        to[i] = drawWhole(i, seed);
    }
}

template <typename T>
__global__ void fillReal(T* to, size_t count, unsigned seed) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += stride) {
        to[i] = static_cast<T>(drawReal(i, seed));
    }
}

// What a buffer must hold after one of the kernels above.
enum class Content { written, copied, added };
constexpr unsigned kSeedA = 1, kSeedB = 2;

__global__ void countWrong(const float* got, size_t count, Content content,
                           unsigned long long* wrong) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += stride) {
        float want = drawWhole(i, kSeedA);
        if (content == Content::added) want += drawWhole(i, kSeedB);
        if (content == Content::written) {
            want = static_cast<float>(i / 4 % kWrittenNumbers);
        }
        if (!(got[i] == want)) atomicAdd(wrong, 1ull);  // a NaN is wrong
    }
}

// The sum of what warp `w` of readOnly reads, once more and one by one.
__global__ void countWrongSums(const float* sums, size_t warps, size_t pieces,
                               unsigned long long* wrong) {
    const size_t w = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (w >= warps) return;
    const size_t block = w / (kThreads / 32),
                 first = w % (kThreads / 32) * 32;
    float want = 0.0f;
    for (size_t round = 0; round < kPieces; ++round) {
        const size_t begin = block * kBlockPieces + round * kThreads + first;
        for (size_t i = begin; i < begin + 32 && i < pieces; ++i) {
            for (size_t part = 0; part < 4; ++part) {
                want += drawWhole(4 * i + part, kSeedA);
            }
        }
    }
    if (!(sums[w] == want)) atomicAdd(wrong, 1ull);
}

constexpr int kFillBlocks = 1024, kFillThreads = 256;

template <typename T>
T* allocate(std::size_t count) {
    T* pointer = nullptr;
    // Exactly: memcheck sees an overrun.
    CUDA_CHECK(cudaMalloc(&pointer, count * sizeof(T)));
    return pointer;
}

// What a counting kernel counts.
unsigned long long countOnDevice(
    const std::function<void(unsigned long long*)>& launch) {
    unsigned long long count = 0;
    auto* const counter = allocate<unsigned long long>(1);
    CUDA_CHECK(cudaMemset(counter, 0, sizeof(count)));
    launch(counter);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(
        cudaMemcpy(&count, counter, sizeof(count), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(counter));
    return count;
}

template <typename T>
T copyElement(const T* from) {
    T element;
    CUDA_CHECK(cudaMemcpy(&element, from, sizeof(T), cudaMemcpyDeviceToHost));
    return element;
}

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

// How samples are taken here; the code that takes them is the same in every
// program.
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

// A row of the table. One of `bytes` and `flop` is counted per launch.
struct Variant {
    std::string name;
    double bytes, flop;
    void* output;
    std::size_t outputBytes;
    Launch launch;
    std::function<std::string()> explain;  // what is wrong with the output
};

void poisonOutputs(const std::vector<Variant>& variants) {
    for (const Variant& variant : variants) {
        // With all bits set a number is a NaN, in all types used here.
        CUDA_CHECK(cudaMemset(variant.output, 0xff, variant.outputBytes));
    }
}

// Ends the program unless every output is right.
void requireRight(const std::vector<Variant>& variants,
                  const std::string& name, const char* when) {
    for (const Variant& variant : variants) {
        if (const std::string wrong = variant.explain(); !wrong.empty()) {
            std::fprintf(stderr, "%s, %s, %s: %s\n", variant.name.c_str(),
                         name.c_str(), when, wrong.c_str());
            std::exit(EXIT_FAILURE);
        }
    }
}

void checkOnce(const std::vector<Variant>& variants,
               const std::string& name) {
    poisonOutputs(variants);
    for (const Variant& variant : variants) variant.launch();
    requireRight(variants, name, "run once");
}

constexpr int kCaseWidth = 14, kNameWidth = 14, kTimeWidth = 9,
              kCountWidth = 8, kRateWidth = 7;

void printHead() {
    std::printf("%-*s  %-*s  %*s  %*s  %*s  %*s  %*s  %*s\n", kCaseWidth,
                "case", kNameWidth, "kernel", kTimeWidth, "time (ms)",
                kTimeWidth, "min (ms)", kTimeWidth, "max (ms)", kCountWidth,
                "launches", kRateWidth, "GB/s", kRateWidth, "TFLOP/s");
    std::string rule(kCaseWidth, '-');
    for (const int width : {kNameWidth, kTimeWidth, kTimeWidth, kTimeWidth,
                            kCountWidth, kRateWidth, kRateWidth}) {
        rule += "  " + std::string(width, '-');
    }
    std::printf("%s\n", rule.c_str());
}

// A rate with two decimals, or a dash where nothing of the kind is counted.
std::string formatRate(double amount, double ms, double unit) {
    if (amount == 0.0) return "-";
    char text[32];
    std::snprintf(text, sizeof(text), "%.2f", amount / (ms * 1e-3) / unit);
    return text;
}

// Returns how many rows it printed: one, or none if stdout refused it.
int printRow(const std::string& name, const Variant& variant,
             const std::vector<double>& samples, int launches) {
    const double median = findMedian(samples);
    const auto [least, largest] =
        std::minmax_element(samples.begin(), samples.end());
    const int written = std::printf(
        "%-*s  %-*s  %*.6f  %*.6f  %*.6f  %*d  %*s  %*s\n", kCaseWidth,
        name.c_str(), kNameWidth, variant.name.c_str(), kTimeWidth, median,
        kTimeWidth, *least, kTimeWidth, *largest, kCountWidth, launches,
        kRateWidth, formatRate(variant.bytes, median, 1e9).c_str(),
        kRateWidth, formatRate(variant.flop, median, 1e12).c_str());
    return written > 0 ? 1 : 0;
}

// How a case is gone through: timed, or each kernel once.
struct Session {
    bool once;
    std::FILE* csv;
    int rows;                                             // printed so far
    std::vector<std::pair<std::string, Timing>> timings;  // by case
};

// Checks, times, checks again and prints one case.
void timeCase(const std::vector<Variant>& variants, const std::string& name,
              Session& session) {
    std::vector<Launch> launches;
    for (const Variant& variant : variants) {
        launches.push_back(variant.launch);
    }
    checkOnce(variants, name);
    const std::vector<int> batches = warmUp(launches);
    poisonOutputs(variants);
    CUDA_CHECK(cudaDeviceSynchronize());

    std::fprintf(stderr, "timed begin %s\n", name.c_str());
    std::fflush(stderr);
    const Timing timing = timeInTurn(launches, batches);
    std::fprintf(stderr, "timed end %s\n", name.c_str());
    std::fflush(stderr);

    requireRight(variants, name, "after timing");
    for (std::size_t v = 0; v < variants.size(); ++v) {
        const std::vector<double>& samples = timing.samples[v];
        session.rows += printRow(name, variants[v], samples, batches[v]);
        for (std::size_t i = 0; session.csv && i < samples.size(); ++i) {
            std::fprintf(session.csv, "%s,%s,%zu,%d,%.9f\n", name.c_str(),
                         variants[v].name.c_str(), i, batches[v], samples[i]);
        }
    }
    session.timings.emplace_back(name, timing);
}

// snippet: stream-launches
// The inputs hold whole numbers that follow from their place, so a piece that
// is left out, read twice or put elsewhere shows. Every kernel has an output
// of its own.
struct Inputs {
    std::size_t count;  // of floats: a multiple of 4
    float *A, *B;
};

const float4* asPieces(const float* floats) {
    return reinterpret_cast<const float4*>(floats);
}
float4* asPieces(float* floats) {
    return reinterpret_cast<float4*>(floats);
}

int countBlocks(std::size_t pieces) {
    return static_cast<int>((pieces + kBlockPieces - 1) / kBlockPieces);
}

void launchRead(const Inputs& inputs, float* sums) {
    const std::size_t pieces = inputs.count / 4;
    readOnly<<<countBlocks(pieces), kThreads>>>(asPieces(inputs.A), sums,
                                                pieces);
    CUDA_CHECK(cudaGetLastError());
}

void launchWrite(const Inputs& inputs, float* to) {
    const std::size_t pieces = inputs.count / 4;
    writeOnly<<<countBlocks(pieces), kThreads>>>(asPieces(to), pieces);
    CUDA_CHECK(cudaGetLastError());
}

void launchCopy(const Inputs& inputs, float* to) {
    const std::size_t pieces = inputs.count / 4;
    copyPieces<<<countBlocks(pieces), kThreads>>>(asPieces(inputs.A),
                                                  asPieces(to), pieces);
    CUDA_CHECK(cudaGetLastError());
}

void launchAdd(const Inputs& inputs, float* to) {
    const std::size_t pieces = inputs.count / 4;
    addPieces<<<countBlocks(pieces), kThreads>>>(
        asPieces(inputs.A), asPieces(inputs.B), asPieces(to), pieces);
    CUDA_CHECK(cudaGetLastError());
}
// end snippet: stream-launches

// A buffer of drawn whole numbers; its ends are looked at by the CPU, lest
// filling and checking be wrong in the same way.
float* makeWhole(std::size_t count, unsigned seed) {
    float* const buffer = allocate<float>(count);
    fillWhole<<<kFillBlocks, kFillThreads>>>(buffer, count, seed);
    CUDA_CHECK(cudaGetLastError());
    std::vector<float> got(std::min<std::size_t>(count, 4096));
    for (const std::size_t begin : {std::size_t(0), count - got.size()}) {
        CUDA_CHECK(cudaMemcpy(got.data(), buffer + begin,
                              got.size() * sizeof(float),
                              cudaMemcpyDeviceToHost));
        for (std::size_t i = 0; i < got.size(); ++i) {
            if (got[i] == drawWhole(begin + i, seed)) continue;
            std::fprintf(stderr, "input %zu is %g, should be %g\n", begin + i,
                         got[i], drawWhole(begin + i, seed));
            std::exit(EXIT_FAILURE);
        }
    }
    return buffer;
}

std::string explainCount(unsigned long long wrong, std::size_t all) {
    if (wrong == 0) return "";
    return std::to_string(wrong) + " of " + std::to_string(all) +
           " numbers are wrong";
}

Variant makeRead(const Inputs& inputs, const char* name) {
    const std::size_t pieces = inputs.count / 4;
    const std::size_t warps =
        std::size_t(countBlocks(pieces)) * kThreads / 32;
    float* const sums = allocate<float>(warps);
    return {name,
            4.0 * inputs.count,
            0.0,
            sums,
            warps * sizeof(float),
            [=] { launchRead(inputs, sums); },
            [=] {
                const auto wrong =
                    countOnDevice([=](unsigned long long* counter) {
                        const auto blocks =
                            static_cast<int>((warps + 255) / 256);
                        countWrongSums<<<blocks, 256>>>(sums, warps, pieces,
                                                        counter);
                    });
                return explainCount(wrong, warps);
            }};
}

Variant makeStream(const Inputs& inputs, const char* name, int buffers,
                   void (*launch)(const Inputs&, float*), Content content) {
    float* const to = allocate<float>(inputs.count);
    return {name,
            4.0 * inputs.count * buffers,
            0.0,
            to,
            inputs.count * sizeof(float),
            [=] { launch(inputs, to); },
            [=] {
                const auto wrong =
                    countOnDevice([=](unsigned long long* counter) {
                        countWrong<<<kFillBlocks, kFillThreads>>>(
                            to, inputs.count, content, counter);
                    });
                return explainCount(wrong, inputs.count);
            }};
}

void freeOutputs(const std::vector<Variant>& variants) {
    for (const Variant& variant : variants) {
        CUDA_CHECK(cudaFree(variant.output));
    }
}

void runCase(const std::vector<Variant>& variants, const std::string& name,
             Session& session) {
    if (session.once) {
        checkOnce(variants, name);
        std::printf("%s: all %zu are right; nothing was timed\n",
                    name.c_str(), variants.size());
    } else {
        timeCase(variants, name, session);
    }
    freeOutputs(variants);
}

void runStreams(int side, Session& session) {
    const std::size_t count = std::size_t(side) * side;
    const Inputs inputs{count, makeWhole(count, kSeedA),
                        makeWhole(count, kSeedB)};
    std::vector<Variant> variants = {
        makeRead(inputs, "read"),
        makeStream(inputs, "write", 1, launchWrite, Content::written),
        makeStream(inputs, "copy", 2, launchCopy, Content::copied),
        makeStream(inputs, "add", 3, launchAdd, Content::added),
    };
    // The same kernel measured as if it were another: the difference of two
    // means something only if it is larger than this one.
    if (!session.once) variants.push_back(makeRead(inputs, "read again"));
    runCase(variants, nameBytes(count * sizeof(float)), session);
    CUDA_CHECK(cudaFree(inputs.A));
    CUDA_CHECK(cudaFree(inputs.B));
}

// snippet: product-check
// Is C the product? Every element of it is compared with a reference, which a
// plain kernel sums in double, where the product of two operands is exact. C
// may be rounded to its type, and its sum be off by a small share of |A||B|,
// the sum of the absolute products. Zeros fail by this, NaN fails, and
// float32 by way of TF32 fails.
//
// And is the reference right? Of kSampled elements, at places that are others
// in each run, the CPU computes the same from operands that it draws again.
constexpr int kSampled = 64;
constexpr double kReferenceDrift = 1e-12;  // of |A||B|: GPU against CPU

struct Tolerance {
    double rounding;  // of the result: half a unit in its last place
    double drift;     // of |A||B|: what summing in float32 may lose
};

constexpr Tolerance kFloat32Tolerance = {0x1p-24, 4e-6};
constexpr Tolerance kHalfTolerance = {0x1p-11, 2e-5};
constexpr Tolerance kBfloat16Tolerance = {0x1p-8, 2e-5};

// A block covers kCheckRows rows and kCheckStrip times as many columns.
constexpr int kCheckRows = 16, kCheckStrip = 4;

template <typename T>
__global__ void multiplyInDouble(const T* __restrict__ A,
                                 const T* __restrict__ B,
                                 double* __restrict__ product,
                                 double* __restrict__ magnitude, int M, int N,
                                 int K) {
    const int row = blockIdx.y * kCheckRows + threadIdx.y;
    const int first = blockIdx.x * kCheckRows * kCheckStrip + threadIdx.x;
    if (row >= M) return;
    double sums[kCheckStrip] = {}, absolute[kCheckStrip] = {};
    for (int k = 0; k < K; ++k) {
        const double a = static_cast<float>(A[size_t(row) * K + k]);
        for (int j = 0; j < kCheckStrip; ++j) {
            const int column = first + j * kCheckRows;
            if (column >= N) break;
            const double term =
                a * static_cast<float>(B[size_t(k) * N + column]);
            sums[j] += term;
            absolute[j] += fabs(term);
        }
    }
    for (int j = 0; j < kCheckStrip; ++j) {
        const int column = first + j * kCheckRows;
        if (column >= N) break;
        product[size_t(row) * N + column] = sums[j];
        magnitude[size_t(row) * N + column] = absolute[j];
    }
}

// Raises `left` to how many elements there are from the first wrong one on.
template <typename T>
__global__ void findWrongProduct(const T* __restrict__ got,
                                 const double* __restrict__ product,
                                 const double* __restrict__ magnitude,
                                 size_t count, Tolerance tolerance,
                                 unsigned long long* left) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += stride) {
        const double limit = tolerance.rounding * fabs(product[i]) +
                             tolerance.drift * magnitude[i];
        const double error = fabs(static_cast<float>(got[i]) - product[i]);
        if (!(error <= limit)) atomicMax(left, count - i);  // NaN is wrong
    }
}

// Operands on the device, what their product must be, and |A||B|.
template <typename T>
struct Factors {
    Shape shape;
    T *A, *B;
    double *product, *magnitude;
};

// What is wrong with element `i`; nothing when `got` is near enough.
std::string explainElement(const Shape& shape, std::size_t i, double got,
                           double want, double limit) {
    if (std::fabs(got - want) <= limit) return "";
    return "row " + std::to_string(i / shape.N) + ", column " +
           std::to_string(i % shape.N) + " is " + std::to_string(got) +
           ", should be " + std::to_string(want);
}

// Ends the program unless the reference is what the CPU computes.
template <typename T>
void requireReference(const Factors<T>& factors) {
    const Shape& shape = factors.shape;
    std::mt19937 random(std::random_device{}());
    for (int sample = 0; sample < kSampled; ++sample) {
        const std::size_t row = random() % shape.M,
                          column = random() % shape.N;
        double want = 0.0, magnitude = 0.0;
        for (std::size_t k = 0; k < std::size_t(shape.K); ++k) {
            const T a(drawReal(row * shape.K + k, kSeedA));
            const T b(drawReal(k * shape.N + column, kSeedB));
            const double term = double(float(a)) * float(b);
            want += term;
            magnitude += std::fabs(term);
        }
        const std::size_t i = row * shape.N + column;
        const double limit = kReferenceDrift * magnitude;
        std::string wrong = explainElement(
            shape, i, copyElement(factors.product + i), want, limit);
        if (wrong.empty()) {
            wrong =
                explainElement(shape, i, copyElement(factors.magnitude + i),
                               magnitude, limit);
        }
        if (wrong.empty()) continue;
        std::fprintf(stderr, "the reference of %s: %s\n",
                     nameCase(shape).c_str(), wrong.c_str());
        std::exit(EXIT_FAILURE);
    }
}

template <typename T>
std::string explainProduct(const Factors<T>& factors, const T* C,
                           const Tolerance& tolerance) {
    const Shape& shape = factors.shape;
    const std::size_t count = std::size_t(shape.M) * shape.N;
    const auto left = countOnDevice([=](unsigned long long* counter) {
        findWrongProduct<<<kFillBlocks, kFillThreads>>>(
            C, factors.product, factors.magnitude, count, tolerance, counter);
    });
    if (left == 0) return "";
    const std::size_t i = count - left;
    // It was found to be wrong already: no limit makes it right.
    return explainElement(shape, i, float(copyElement(C + i)),
                          copyElement(factors.product + i), -1.0);
}
// end snippet: product-check

template <typename T>
T* makeReal(std::size_t count, unsigned seed) {
    T* const buffer = allocate<T>(count);
    fillReal<<<kFillBlocks, kFillThreads>>>(buffer, count, seed);
    CUDA_CHECK(cudaGetLastError());
    return buffer;
}

template <typename T>
Factors<T> makeFactors(const Shape& shape) {
    const std::size_t count = std::size_t(shape.M) * shape.N;
    const Factors<T> factors{
        shape, makeReal<T>(std::size_t(shape.M) * shape.K, kSeedA),
        makeReal<T>(std::size_t(shape.K) * shape.N, kSeedB),
        allocate<double>(count), allocate<double>(count)};
    const dim3 block(kCheckRows, kCheckRows);
    const int columns = kCheckRows * kCheckStrip;
    const dim3 grid((shape.N + columns - 1) / columns,
                    (shape.M + kCheckRows - 1) / kCheckRows);
    multiplyInDouble<<<grid, block>>>(factors.A, factors.B, factors.product,
                                      factors.magnitude, shape.M, shape.N,
                                      shape.K);
    CUDA_CHECK(cudaGetLastError());
    requireReference(factors);
    return factors;
}

template <typename T>
void freeFactors(const Factors<T>& factors) {
    CUDA_CHECK(cudaFree(factors.A));
    CUDA_CHECK(cudaFree(factors.B));
    CUDA_CHECK(cudaFree(factors.product));
    CUDA_CHECK(cudaFree(factors.magnitude));
}

// A product by cuBLAS.
template <typename T>
Variant makeProduct(const Cublas& cublas, const Factors<T>& factors,
                    const std::string& name, cudaDataType type,
                    const Tolerance& tolerance) {
    const Shape shape = factors.shape;
    const std::size_t count = std::size_t(shape.M) * shape.N;
    T* const C = allocate<T>(count);
    return {name,
            0.0,
            2.0 * shape.M * shape.N * shape.K,
            C,
            count * sizeof(T),
            [=, &cublas] {
                multiplyByCublas(cublas, shape, factors.A, factors.B, type, C,
                                 type);
            },
            [=] { return explainProduct(factors, C, tolerance); }};
}

// Returns what the kernels were, to be printed below the table.
std::vector<std::string> runProducts(int n, const Cublas& cublas,
                                     Session& session) {
    const Shape shape{n, n, n};
    const auto floats = makeFactors<float>(shape);
    const auto halves = makeFactors<half>(shape);
    const auto bfloats = makeFactors<__nv_bfloat16>(shape);
    std::vector<Variant> variants;
    // Each kernel twice, as if it were another.
    for (const std::string again : {"", " again"}) {
        variants.push_back(makeProduct(cublas, floats, "float32" + again,
                                       CUDA_R_32F, kFloat32Tolerance));
        variants.push_back(makeProduct(cublas, halves, "half" + again,
                                       CUDA_R_16F, kHalfTolerance));
        variants.push_back(makeProduct(cublas, bfloats, "bfloat16" + again,
                                       CUDA_R_16BF, kBfloat16Tolerance));
    }
    checkOnce(variants, nameCase(shape));
    std::vector<std::string> names;
    for (std::size_t v = 0; v < variants.size() / 2; ++v) {
        names.push_back(nameCase(shape) + ", " + variants[v].name + ": " +
                        nameCublasKernels(cublas, variants[v].launch));
    }
    runCase(variants, nameCase(shape), session);
    freeFactors(floats);
    freeFactors(halves);
    freeFactors(bfloats);
    return names;
}

// snippet: mma-check
// After `steps` steps each warp must hold steps times A B. Tensor cores may
// cut a sum where others round it, by up to 2^-23 of it in each step, so this
// may drift by 0.2 % at 16384 steps; a wrong layout is off by its whole size.
constexpr double kMmaErrorLimit = 0.01;  // of steps times |A||B|

template <typename T>
std::string explainMma(const std::vector<T>& A, const std::vector<T>& B,
                       const std::vector<float>& C, int steps) {
    constexpr std::size_t kElements = kRows * kColumns;  // of a warp's C
    std::vector<double> want(kElements, 0.0), limit(kElements, 0.0);
    for (std::size_t i = 0; i < kElements; ++i) {
        const std::size_t row = i / kColumns, column = i % kColumns;
        for (int k = 0; k < kDepth; ++k) {
            // B is column-major.
            const double term = double(float(A[row * kDepth + k])) *
                                float(B[column * kDepth + k]);
            want[i] += steps * term;
            limit[i] += kMmaErrorLimit * steps * std::fabs(term);
        }
    }
    for (std::size_t i = 0; i < C.size(); ++i) {
        const std::size_t at = i % kElements;
        if (!(std::fabs(C[i] - want[at]) <= limit[at])) {
            return "warp " + std::to_string(i / kElements) + ", row " +
                   std::to_string(at / kColumns) + ", column " +
                   std::to_string(at % kColumns) + " is " +
                   std::to_string(C[i]) + ", should be " +
                   std::to_string(want[at]);
        }
    }
    return "";
}
// end snippet: mma-check

using MmaKernel = void (*)(const unsigned*, const unsigned*, float*, int);

template <typename T>
Variant makeMma(const char* name, MmaKernel kernel, int blocks,
                std::vector<void*>& operands) {
    std::vector<T> hostA, hostB;
    for (int i = 0; i < kRows * kDepth; ++i) {
        hostA.push_back(T(drawReal(i, kSeedA)));
    }
    for (int i = 0; i < kColumns * kDepth; ++i) {
        hostB.push_back(T(drawReal(i, kSeedB)));
    }
    const std::size_t bytesA = hostA.size() * sizeof(T),
                      bytesB = hostB.size() * sizeof(T);
    unsigned* const A = allocate<unsigned>(bytesA / sizeof(unsigned));
    unsigned* const B = allocate<unsigned>(bytesB / sizeof(unsigned));
    operands.insert(operands.end(), {A, B});
    CUDA_CHECK(cudaMemcpy(A, hostA.data(), bytesA, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(B, hostB.data(), bytesB, cudaMemcpyHostToDevice));

    const std::size_t warps = std::size_t(blocks) * kMmaThreads / 32;
    const std::size_t count = warps * kRows * kColumns;
    float* const C = allocate<float>(count);
    return {name,
            0.0,
            2.0 * kRows * kColumns * kDepth * kMmaSteps * warps,
            C,
            count * sizeof(float),
            [=] {
                kernel<<<blocks, kMmaThreads>>>(A, B, C, kMmaSteps);
                CUDA_CHECK(cudaGetLastError());
            },
            [=] {
                std::vector<float> got(count);
                CUDA_CHECK(cudaMemcpy(got.data(), C, count * sizeof(float),
                                      cudaMemcpyDeviceToHost));
                return explainMma(hostA, hostB, got, kMmaSteps);
            }};
}

void runMma(int multiprocessors, Session& session) {
    const int blocks = multiprocessors * kMmaBlocks;
    std::vector<void*> operands;
    std::vector<Variant> variants = {
        makeMma<half>("mma half", mmaHalf, blocks, operands),
        makeMma<__nv_bfloat16>("mma bfloat16", mmaBfloat16, blocks, operands),
    };
    if (!session.once) {
        variants.push_back(
            makeMma<half>("mma half again", mmaHalf, blocks, operands));
    }
    runCase(variants, "registers", session);
    for (void* operand : operands) CUDA_CHECK(cudaFree(operand));
}

struct Options {
    int n = 0;  // 0: the buffers and sizes above
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
            if (options.n < 2 || options.n % 2 != 0) return std::nullopt;
            if (options.n > kLargestSize) return std::nullopt;
        } else {
            return std::nullopt;
        }
    }
    // With --once there would be no samples to write.
    if (options.once && options.samples) return std::nullopt;
    return options;
}

int askDevice(cudaDeviceAttr attribute) {
    int device = 0, value = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
    return value;
}

// All cases timed; returns the exit status.
int timeCases(int side, const std::vector<int>& sizes, Session& session) {
    const Cublas cublas = openCublas();
    std::printf(
        "Time of one launch: median, min and max of %d samples. A sample is\n"
        "as many launches, back to back, as take about %g ms; the kernels "
        "of\n"
        "a case take turns, sample by sample. GB are powers of ten.\n\n",
        kSamples, kSampleMs);
    printHead();
    std::vector<std::string> names;
    runStreams(side, session);
    int wantedRows = 5 + 3;
    for (const int n : sizes) {
        if (!cublas.missing.empty()) break;
        for (const std::string& name : runProducts(n, cublas, session)) {
            names.push_back(name);
        }
        wantedRows += 6;
    }
    runMma(askDevice(cudaDevAttrMultiProcessorCount), session);

    const double bytes = 4.0 * side * side;
    const double multiple = bytes / askDevice(cudaDevAttrL2CacheSize);
    std::printf("\na buffer takes %.0f B, %.2f times the L2 cache\n", bytes,
                multiple);
    if (multiple < kLeastOfL2) {
        std::printf("that is too little to speak of DRAM\n");
    }
    for (const auto& [name, timing] : session.timings) {
        printTiming(name, timing);
    }
    if (cublas.missing.empty()) {
        std::printf("kernels of cuBLAS %s:\n", cublas.version.c_str());
    } else {
        std::printf("without cuBLAS: %s\n", cublas.missing.c_str());
    }
    for (const std::string& name : names) std::printf("%s\n", name.c_str());

    if (session.rows != wantedRows) {
        std::fprintf(stderr, "only %d of %d rows printed\n", session.rows,
                     wantedRows);
        return EXIT_FAILURE;
    }
    std::printf("all outputs are right: %d of %d rows printed\n",
                session.rows, wantedRows);
    return EXIT_SUCCESS;
}

int main(int argc, char** argv) {
    const std::optional<Options> options = parseOptions(argc, argv);
    if (!options) {
        std::fprintf(stderr,
                     "usage: ceilings [--n N] [--once | --samples FILE]\n"
                     "  --n N           products N x N x N, buffers of N x N "
                     "floats; N even, up to %d\n"
                     "  --once          each kernel of this program once, "
                     "checked, not timed\n"
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

    const int side = options->n ? options->n : kBufferSide;
    std::vector<int> sizes(std::begin(kSizes), std::end(kSizes));
    if (options->n) sizes = {options->n};
    Session session{options->once, csv, 0, {}};
    int status = EXIT_SUCCESS;
    if (options->once) {
        runStreams(side, session);
        runMma(askDevice(cudaDevAttrMultiProcessorCount), session);
    } else {
        status = timeCases(side, sizes, session);
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
