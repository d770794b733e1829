// How fast the simulator is: millions of wave instructions per second of processor time.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <ctime>

namespace {

#define REPEAT8(X) X X X X X X X X
#define REPEAT64(X) REPEAT8(REPEAT8(X))

__global__ void valu(float* out, int n) {
#if defined(__HIP_DEVICE_COMPILE__)
  float a = 1.f, b = 1.5f, c = 2.f, d = 3.f;
  for (int i = 0; i < n; ++i) {
    // four independent chains: multiply-add, add, maximum, integer shift-add
    asm volatile(
        REPEAT8(REPEAT8("v_fma_f32 %0, %0, %1, %2\nv_add_f32 %1, %1, %3\nv_max_f32 %2, %2, "
                        "%3\nv_lshl_add_u32 %3, %3, 1, %3\n"))
        : "+v"(a), "+v"(b), "+v"(c), "+v"(d));
  }
  out[__builtin_amdgcn_workitem_id_x()] = a + b + c + d;
#endif
}

__global__ void matrix(float* out, int n) {
#if defined(__HIP_DEVICE_COMPILE__)
  typedef short short4v __attribute__((ext_vector_type(4)));
  typedef float float16v __attribute__((ext_vector_type(16)));
  float16v acc = {};
  short4v a = {0x3f80, 0x3f80, 0x3f80, 0x3f80}, b = {0x3f80, 0x4000, 0x3f80, 0x3f00};
  for (int i = 0; i < n; ++i)
    asm volatile(REPEAT64("v_mfma_f32_32x32x8_bf16 %0, %1, %2, %0\n") : "+v"(acc) : "v"(a), "v"(b));
  out[__builtin_amdgcn_workitem_id_x()] = acc[0];
#endif
}

/// LDS: sixteen bytes written and read back by each lane of two waves, a barrier after each.
__global__ void lds(float* out, int n) {
#if defined(__GFX9__)
  __shared__ float room[4 * 128];
  const int at = 16 * static_cast<int>(__builtin_amdgcn_workitem_id_x()),
            other = 16 * (127 - at / 16);
  typedef float float4v __attribute__((ext_vector_type(4)));
  float4v x = {1, 2, 3, 4};
  for (int i = 0; i < n; ++i)
    asm volatile(REPEAT8("ds_write_b128 %1, %0\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_read_b128 %0, "
                         "%2\ns_waitcnt lgkmcnt(0)\ns_barrier\n")
                 : "+v"(x)
                 : "v"(at), "v"(other), "s"(room)
                 : "memory");
  out[__builtin_amdgcn_workitem_id_x()] = x[0];
#endif
}

/// Memory: sixteen bytes loaded by each lane.
__global__ void memory(float* out, int n) {
#if defined(__GFX9__)
  typedef float float4v __attribute__((ext_vector_type(4)));
  float4v x;
  const float* from = out + 4 * (__builtin_amdgcn_workitem_id_x() % 64);
  for (int i = 0; i < n; ++i)
    asm volatile(REPEAT8("global_load_dwordx4 %0, %1, off\ns_waitcnt vmcnt(0)\n")
                 : "=&v"(x)
                 : "v"(from)
                 : "memory");
  out[__builtin_amdgcn_workitem_id_x()] = x[0];
#endif
}

template <class K>
double seconds(K kernel, float* out, int n, unsigned threads = 64) {
  const std::clock_t start = std::clock();
  hipLaunchKernelGGL(kernel, dim3(1), dim3(threads), 0, 0, out, n);
  (void)hipDeviceSynchronize();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

int main() {
  float* out;
  if (hipMalloc(reinterpret_cast<void**>(&out), 1024) != hipSuccess) return 1;
  (void)seconds(valu, out, 1);
  (void)seconds(matrix, out, 1);
  const int n = 30000, m = 15000;
  std::printf("VALU %.1f million wave instructions per second\n",
              256e-6 * n / seconds(valu, out, n));
  std::printf("MFMA 32x32x8 bf16 %.2f million per second\n", 64e-6 * m / seconds(matrix, out, m));
  const int l = 60000;
  std::printf("LDS 16-byte accesses %.2f million per second\n",
              32e-6 * l / seconds(lds, out, l, 128));
  std::printf("memory 16-byte loads %.2f million per second\n", 8e-6 * l / seconds(memory, out, l));
  return hipFree(out) != hipSuccess;
}
