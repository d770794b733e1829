// A small kernel with what attention kernels are made of: a matrix tile, a transpose through LDS, a
// row reduction, two waves. D[16][32] = A^T B with A given as [K][16], so that it is transposed on
// its way through LDS; then the sum of every row of D.
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int depth = 64, rows = 16, cols = 32, pitch = depth + 8;

#if defined(__HIP_DEVICE_COMPILE__)
using half = _Float16;
typedef half half4 __attribute__((ext_vector_type(4)));
typedef half half8 __attribute__((ext_vector_type(8)));
typedef half half16 __attribute__((ext_vector_type(16)));
typedef float float4v __attribute__((ext_vector_type(4)));
typedef float float8v __attribute__((ext_vector_type(8)));

__device__ inline void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/// One machine: lanes of a wave, elements per lane of A and B and of D, and where they stand.
#if defined(__GFX9__)
constexpr int lanes = 64, step = 16;
using operand = half4;
using accumulator = float4v;
constexpr int per_lane = 4, results = 4;
__device__ inline int k_of(int lane, int e) { return 4 * (lane / 16) + e; }
__device__ inline int row_of(int lane, int r) { return 4 * (lane / 16) + r; }
__device__ inline accumulator multiply(operand a, operand b, accumulator c) {
  return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
}
#elif defined(__GFX11__)
constexpr int lanes = 32, step = 16;
using operand = half16;
using accumulator = float8v;
constexpr int per_lane = 16, results = 8;
__device__ inline int k_of(int, int e) { return e; }
__device__ inline int row_of(int lane, int r) { return 2 * r + lane / 16; }
__device__ inline accumulator multiply(operand a, operand b, accumulator c) {
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
}
#elif defined(__GFX12__)
constexpr int lanes = 32, step = 16;
using operand = half8;
using accumulator = float8v;
constexpr int per_lane = 8, results = 8;
__device__ inline int k_of(int lane, int e) { return 8 * (lane / 16) + e; }
__device__ inline int row_of(int lane, int r) { return 8 * (lane / 16) + r; }
__device__ inline accumulator multiply(operand a, operand b, accumulator c) {
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c);
}
#endif

/// Sum over the 16 lanes of a row.
__device__ inline float row_sum(float x) {
#define ROTATE(N)                                                                           \
  x += __builtin_bit_cast(float, __builtin_amdgcn_update_dpp(0, __builtin_bit_cast(int, x), \
                                                             0x120 + N, 0xf, 0xf, true))
  ROTATE(8);
  ROTATE(4);
  ROTATE(2);
  ROTATE(1);
#undef ROTATE
  return x;
}
#endif

__global__ void tile(const void* a_in, const void* b_in, float* d, float* sums) {
#if defined(__HIP_DEVICE_COMPILE__)
  const half *a = static_cast<const half*>(a_in), *b = static_cast<const half*>(b_in);
  __shared__ half transposed[rows * pitch];
  __shared__ float partial[2][rows];
  const int thread = static_cast<int>(__builtin_amdgcn_workitem_id_x()), lane = thread % lanes,
            wave = thread / lanes, block = static_cast<int>(__builtin_amdgcn_workgroup_id_x());
  a += block * depth * rows;
  b += block * depth * cols;
  for (int i = thread; i < depth * rows; i += 2 * lanes)
    transposed[i % rows * pitch + i / rows] = a[i];
  barrier();
  accumulator acc = {};
  const int col = 16 * wave + lane % 16;
  for (int k0 = 0; k0 < depth; k0 += step) {
    operand x, y;
    for (int e = 0; e < per_lane; ++e) {
      x[e] = transposed[lane % 16 * pitch + k0 + k_of(lane, e)];
      y[e] = b[col * depth + k0 + k_of(lane, e)];
    }
    acc = multiply(x, y, acc);
  }
  for (int r = 0; r < results; ++r) {
    const int row = row_of(lane, r);
    const float value = acc[r];
    d[(block * rows + row) * cols + col] = value;
    const float sum = row_sum(value);
    if (lane % 16 == 0) partial[wave][row] = sum;
  }
  barrier();
  if (thread < rows) sums[block * rows + thread] = partial[0][thread] + partial[1][thread];
#endif
}

bool good(hipError_t e, const char* what) {
  if (e == hipSuccess) return true;
  std::printf("%s: %s\n", what, hipGetErrorString(e));
  return false;
}

}  // namespace

/// tile [BLOCKS]
int main(int argc, char** argv) {
  const int blocks = argc > 1 ? std::atoi(argv[1]) : 3;
  hipDeviceProp_t p;
  if (!good(hipGetDeviceProperties(&p, 0), "properties")) return 1;
  std::vector<_Float16> a(blocks * depth * rows), b(blocks * depth * cols);
  unsigned s = 1;
  for (auto* v : {&a, &b})
    for (auto& x : *v)
      x = static_cast<_Float16>(
          static_cast<float>(static_cast<int>((s = s * 1664525u + 1013904223u) >> 24) - 128) /
          64.f);
  std::vector<float> d(blocks * rows * cols), sums(blocks * rows);
  void *da, *db;
  float *dd, *ds;
  if (!good(hipMalloc(&da, a.size() * 2), "malloc") ||
      !good(hipMalloc(&db, b.size() * 2), "malloc") ||
      !good(hipMalloc(&dd, d.size() * 4), "malloc") ||
      !good(hipMalloc(&ds, sums.size() * 4), "malloc"))
    return 1;
  if (!good(hipMemcpy(da, a.data(), a.size() * 2, hipMemcpyHostToDevice), "copy") ||
      !good(hipMemcpy(db, b.data(), b.size() * 2, hipMemcpyHostToDevice), "copy"))
    return 1;
  hipLaunchKernelGGL(tile, dim3(blocks), dim3(2 * p.warpSize), 0, 0, da, db, dd, ds);
  if (!good(hipGetLastError(), "launch") || !good(hipDeviceSynchronize(), "run")) return 1;
  if (!good(hipMemcpy(d.data(), dd, d.size() * 4, hipMemcpyDeviceToHost), "copy") ||
      !good(hipMemcpy(sums.data(), ds, sums.size() * 4, hipMemcpyDeviceToHost), "copy"))
    return 1;
  int wrong = 0;
  for (int n = 0; n < blocks; ++n)
    for (int i = 0; i < rows; ++i) {
      double sum = 0;
      for (int j = 0; j < cols; ++j) {
        double x = 0;
        for (int k = 0; k < depth; ++k)
          x += double(a[(n * depth + k) * rows + i]) * double(b[(n * cols + j) * depth + k]);
        wrong += !(std::fabs(x - d[(n * rows + i) * cols + j]) < 1e-4);
        sum += x;
      }
      wrong += !(std::fabs(sum - sums[n * rows + i]) < 1e-3);
    }
  unsigned long hash = 14695981039346656037u;  // of every bit that came back
  for (const auto* v : {&d, &sums})
    for (const float x : *v) {
      unsigned bits;
      std::memcpy(&bits, &x, 4);
      hash = (hash ^ bits) * 1099511628211u;
    }
  std::printf("%s: %d wrong values, bits %016lx\n", p.gcnArchName, wrong, hash);
  return wrong != 0;
}
