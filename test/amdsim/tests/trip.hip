// One program per check: `trip NAME` does what the check NAME is there to find, and nothing that
// another check would find.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

namespace {

__device__ inline void barrier() {
#if defined(__HIP_DEVICE_COMPILE__)
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
#endif
}
__device__ inline int thread() {
#if defined(__HIP_DEVICE_COMPILE__)
  return static_cast<int>(__builtin_amdgcn_workitem_id_x());
#else
  return 0;
#endif
}

// The same instructions by the names of each generation.
#if defined(__GFX9__)
#define LOAD "global_load_dword"
#define ATOMIC_ADD "global_atomic_add"
#define STORE "global_store_dword"
#define SCALAR_LOAD "s_load_dword"
#define DS_WRITE "ds_write_b32"
#define DS_READ "ds_read_b32"
#define DS_READ_64 "ds_read_b64"
#else
#define LOAD "global_load_b32"
#define ATOMIC_ADD "global_atomic_add_u32"
#define STORE "global_store_b32"
#define SCALAR_LOAD "s_load_b32"
#define DS_WRITE "ds_store_b32"
#define DS_READ "ds_load_b32"
#define DS_READ_64 "ds_load_b64"
#endif
#if defined(__GFX12__)
#define DRAIN "s_wait_loadcnt 0x0\ns_wait_dscnt 0x0\ns_wait_kmcnt 0x0\n"
#define BARRIER "s_barrier_signal -1\ns_barrier_wait -1\n"
#else
#define DRAIN "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
#define BARRIER "s_barrier\n"
#endif

/// Nothing wrong here: values travel through LDS between the waves.
__global__ void clean(int* out) {
  __shared__ int x[128];
  x[thread()] = thread();
  barrier();
  out[thread()] = x[127 - thread()];
}
/// Different bytes of one word belong to different waves.
__global__ void clean_bytes(int* out) {
  __shared__ volatile unsigned char x[128];
  const int mine = thread() % 64 * 2 +
                   thread() / 64;  // the two halves of the workgroup take turns, byte by byte
  x[mine] = static_cast<unsigned char>(thread());
  out[thread()] = x[mine];
}
/// The second exchange lacks its barrier.
__global__ void races(int* out) {
  __shared__ volatile int x[128];
  x[thread()] = 0;
  barrier();
  x[thread()] = thread();
  out[thread()] = x[127 - thread()];
}
/// Words are overwritten that another wave may still have to read.
__global__ void write_after_read(int* out) {
  __shared__ volatile int x[128];
  x[thread()] = thread();
  barrier();
  const int seen = x[127 - thread()];
  x[thread()] = 0;
  out[thread()] = seen;
}
/// The barrier comes before the wait that would complete the write.
__global__ void late(int* out) {
#if defined(__HIP_DEVICE_COMPILE__)
  __shared__ int x[128];
  x[thread()] = 0;
  barrier();
  int v;
  asm volatile(DS_WRITE " %1, %2\n" BARRIER DS_READ " %0, %3\n" DRAIN
               : "=&v"(v)
               : "v"(4 * thread()), "v"(thread()), "v"(4 * (127 - thread())), "s"(x)
               : "memory");
  out[thread()] = v;
#endif
}
/// A register that nobody wrote goes to memory.
__global__ void undefined(int* out) {
#if defined(__HIP_DEVICE_COMPILE__)
  asm volatile(STORE " %0, v77, off" ::"v"(out + thread()) : "memory", "v77");
#endif
}
/// LDS that nobody wrote is read.
__global__ void undefined_lds(int* out) {
  __shared__ volatile int x[128];
  if (out == nullptr) x[thread()] = 0;
  out[thread()] = x[thread()];
}
/// A register that nobody wrote is a matrix operand.
__global__ void undefined_matrix(int* out) {
#if defined(__GFX9__)
  typedef float result __attribute__((ext_vector_type(4)));
  result r = {};
  asm volatile("v_mfma_f32_16x16x16f16 %0, v[76:77], v[76:77], %0\ns_nop 15\n"
               : "+v"(r)::"v76", "v77");
  out[thread()] = static_cast<int>(r[0]);
#elif defined(__HIP_DEVICE_COMPILE__)
  typedef float result __attribute__((ext_vector_type(8)));
  result r = {};
#if defined(__GFX11__)
  asm volatile("v_wmma_f32_16x16x16_f16 %0, v[70:77], v[70:77], %0\ns_nop 7\n"
               : "+v"(r)::"v70", "v71", "v72", "v73", "v74", "v75", "v76", "v77");
#else
  asm volatile("v_wmma_f32_16x16x16_f16 %0, v[74:77], v[74:77], %0\ns_nop 7\n"
               : "+v"(r)::"v74", "v75", "v76", "v77");
#endif
  out[thread()] = static_cast<int>(r[0]);
#endif
}
/// A loaded value is used at once.
__global__ void waits(int* out) {
#if defined(__HIP_DEVICE_COMPILE__)
  int v;
  asm volatile(LOAD " %0, %1, off\nv_lshlrev_b32 %0, 1, %0\n" DRAIN
               : "=&v"(v)
               : "v"(out + thread())
               : "memory");
  out[thread()] = v;
#endif
}
/// A register is written while a load into it is under way.
__global__ void waits_overwrite(int* out) {
#if defined(__HIP_DEVICE_COMPILE__)
  int v;
  asm volatile(LOAD " %0, %1, off\nv_mov_b32 %0, 1\n" DRAIN
               : "=&v"(v)
               : "v"(out + thread())
               : "memory");
  out[thread()] = v;
#endif
}
/// A value from LDS is used at once.
__global__ void waits_lds(int* out) {
#if defined(__HIP_DEVICE_COMPILE__)
  __shared__ int x[128];
  x[thread()] = thread();
  int v;
  asm volatile(DRAIN DS_READ " %0, %1\nv_lshlrev_b32 %0, 1, %0\n" DRAIN
               : "=&v"(v)
               : "v"(4 * thread()), "s"(x)
               : "memory");
  out[thread()] = v;
#endif
}
/// A scalar value is used at once.
__global__ void waits_scalar(int* out) {
#if defined(__HIP_DEVICE_COMPILE__)
  int s;
  asm volatile(SCALAR_LOAD " %0, %1, 0x0\ns_lshl_b32 %0, %0, 1\n" DRAIN
               : "=&s"(s)
               : "s"(out)
               : "memory", "scc");
  out[thread()] = s;
#endif
}
/// The last thread writes behind the end of its block, which has room for 127 words.
__global__ void global(int* out) { out[thread()] = 1; }
/// Reads a block that has been freed; its address stands in the first block.
__global__ void global_freed(int* out) {
  const int* freed = *reinterpret_cast<int* const*>(out);
  if (thread() == 0) out[4] = *freed;
}
/// LDS beyond the 512 bytes of the workgroup.
__global__ void global_lds(int* out) {
#if defined(__HIP_DEVICE_COMPILE__)
  __shared__ int x[128];
  x[thread()] = thread();
  if (thread() == 0) asm volatile(DS_WRITE " %0, %0\n" DRAIN ::"v"(1024), "s"(x) : "memory");
  out[thread()] = x[thread()];
#endif
}
/// An atomic addition at an odd address. (Loads and stores may lie anywhere.)
__global__ void align(int* out) {
#if defined(__HIP_DEVICE_COMPILE__)
  int v;
  asm volatile(LOAD " %0, %1, off offset:1\n" DRAIN : "=&v"(v) : "v"(out) : "memory");
  if (thread() == 0)
    asm volatile(ATOMIC_ADD " %0, %1, off offset:1\n" DRAIN ::"v"(out), "v"(v) : "memory");
  out[thread()] = v;
#endif
}
/// Eight bytes of LDS at an address that four divide.
__global__ void align_lds(int* out) {
#if defined(__HIP_DEVICE_COMPILE__)
  __shared__ int x[130];
  x[thread()] = thread();
  if (thread() < 2) x[128 + thread()] = 0;
  barrier();
  long v;
  asm volatile(DS_READ_64 " %0, %1 offset:4\n" DRAIN
               : "=&v"(v)
               : "v"(8 * (thread() / 2)), "s"(x)
               : "memory");
  out[thread()] = static_cast<int>(v);
#endif
}
/// Only the first threads come to the barrier.
__global__ void barriers(int* out) {
  out[thread()] = 1;
  if (thread() < 32) barrier();
}
/// Never ends.
__global__ void loops(volatile int* out) {
  while (out[0] == 0) {}
}
/// The result depends on which wave runs first.
__global__ void order(int* out) {
  if (thread() % 32 == 0) *const_cast<volatile int*>(out) = thread() / 32 + 1;
}

// Memory to LDS without a register between, `BYTES` for each lane; then a word of
// LDS at `AT` is read.
#if defined(__gfx942__) || defined(__gfx950__)
#define DMA(MNEMONIC, BYTES, AT, AFTER)                                                      \
  __shared__ int x[128 * (BYTES) / 4];                                                       \
  for (int i = thread(); i < 128 * (BYTES) / 4; i += 128) x[i] = i;                          \
  barrier();                                                                                 \
  const int base = __builtin_amdgcn_readfirstlane(thread() / 64 * 64 * (BYTES));             \
  int v;                                                                                     \
  asm volatile("s_mov_b32 m0, %1\n" MNEMONIC " %2, off\n" AFTER DS_READ " %0, %3\n" DRAIN    \
               : "=&v"(v)                                                                    \
               : "s"(base), "v"(reinterpret_cast<char*>(out) + (BYTES) * thread()), "v"(AT), \
                 "s"(x)                                                                      \
               : "memory");                                                                  \
  out[thread()] = v;
#else
#define DMA(MNEMONIC, BYTES, AT, AFTER)
#endif
#if defined(__gfx950__)
#define WIDE_DMA DMA
#else
#define WIDE_DMA(MNEMONIC, BYTES, AT, AFTER)
#endif
#define OWN(BYTES) ((BYTES) * thread())
#define OTHER(BYTES) ((BYTES) * (127 - thread()))
/// The other wave's part is read after its load, without a barrier.
__global__ void dma_race(int* out){DMA("global_load_lds_dword", 4, OTHER(4), DRAIN)} __global__
    void dma_race_12(int* out){WIDE_DMA("global_load_lds_dwordx3", 12, OTHER(12), DRAIN)} __global__
    void dma_race_16(int* out){WIDE_DMA("global_load_lds_dwordx4", 16, OTHER(16), DRAIN)}
/// There is a barrier, but it comes before the wait for the load.
__global__ void dma_late(int* out){DMA("global_load_lds_dword", 4, OTHER(4), BARRIER DRAIN)}
/// The wave's own part is read at once.
__global__ void dma_wait(int* out){DMA("global_load_lds_dword", 4, OWN(4), "")} __global__
    void dma_wait_12(int* out){WIDE_DMA("global_load_lds_dwordx3", 12, OWN(12), "")} __global__
    void dma_wait_16(int* out){WIDE_DMA("global_load_lds_dwordx4", 16, OWN(16), "")}
/// The race by a buffer load.
__global__ void dma_buffer_race(int* out) {
#if defined(__GFX9__)
  typedef int resource __attribute__((ext_vector_type(4)));
  __shared__ int x[128];
  x[thread()] = thread();
  barrier();
  const int base = __builtin_amdgcn_readfirstlane(thread() / 64 * 256);
  const auto address = reinterpret_cast<unsigned long>(out);
  const resource r = {static_cast<int>(address), static_cast<int>(address >> 32), 512, 0x00020000};
  int v;
  asm volatile("s_mov_b32 m0, %1\nbuffer_load_dword %2, %3, 0 offen lds\n" DRAIN DS_READ
               " %0, %4\n" DRAIN
               : "=&v"(v)
               : "s"(base), "v"(4 * thread()), "s"(r), "v"(4 * (127 - thread())), "s"(x)
               : "memory");
  out[thread()] = v;
#endif
}

}  // namespace

int main(int argc, char** argv) {
  struct row {
    const char* name;
    void (*kernel)(int*);
  };
#define ROW(NAME) \
  { #NAME, NAME }
  const row all[] = {ROW(clean),
                     ROW(clean_bytes),
                     ROW(races),
                     ROW(write_after_read),
                     ROW(late),
                     ROW(undefined),
                     ROW(undefined_lds),
                     ROW(undefined_matrix),
                     ROW(waits),
                     ROW(waits_overwrite),
                     ROW(waits_lds),
                     ROW(waits_scalar),
                     ROW(global),
                     ROW(global_freed),
                     ROW(global_lds),
                     ROW(align),
                     ROW(align_lds),
                     ROW(barriers),
                     {"loops", reinterpret_cast<void (*)(int*)>(loops)},
                     ROW(order),
                     ROW(dma_race),
                     ROW(dma_late),
                     ROW(dma_wait),
                     ROW(dma_race_12),
                     ROW(dma_race_16),
                     ROW(dma_wait_12),
                     ROW(dma_wait_16),
                     ROW(dma_buffer_race)};
  for (const row& r : all) {
    if (argc < 2 || std::strcmp(argv[1], r.name) != 0) continue;
    int *out, *freed;
    const size_t bytes = r.kernel == global          ? 127 * sizeof(int)
                         : std::strstr(r.name, "_1") ? 2048
                                                     : 512;
    if (hipMalloc(reinterpret_cast<void**>(&out), bytes) != hipSuccess) return 1;
    if (hipMemset(out, 0, bytes) != hipSuccess) return 1;
    if (r.kernel == global_freed) {
      if (hipMalloc(reinterpret_cast<void**>(&freed), 64) != hipSuccess) return 1;
      if (hipMemcpy(out, &freed, sizeof freed, hipMemcpyHostToDevice) != hipSuccess ||
          hipFree(freed) != hipSuccess)
        return 1;
    }
    hipLaunchKernelGGL(r.kernel, dim3(1), dim3(128), 0, 0, out);
    const hipError_t e = hipDeviceSynchronize();
    int first = 0;
    if (hipMemcpy(&first, out, sizeof first, hipMemcpyDeviceToHost) != hipSuccess) return 1;
    std::printf("%s: %s, first value %d\n", r.name,
                hipGetErrorName(hipGetLastError() != hipSuccess ? hipErrorLaunchFailure : e),
                first);
    return hipFree(out) != hipSuccess;
  }
  std::printf("trip NAME\n");
  return 2;
}
