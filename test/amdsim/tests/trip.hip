// One program per check: `trip NAME` does what the check NAME is there to find, and nothing that another check would find.
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

#if defined(__GFX9__)
#define LOAD "global_load_dword"
#define STORE "global_store_dword"
#define DRAIN "s_waitcnt vmcnt(0) lgkmcnt(0)"
#define DS_WRITE "ds_write_b32"
#define DS_READ "ds_read_b32"
#elif defined(__GFX11__)
#define LOAD "global_load_b32"
#define STORE "global_store_b32"
#define DRAIN "s_waitcnt vmcnt(0) lgkmcnt(0)"
#define DS_WRITE "ds_store_b32"
#define DS_READ "ds_load_b32"
#else
#define LOAD "global_load_b32"
#define STORE "global_store_b32"
#define DRAIN "s_wait_loadcnt 0x0\ns_wait_dscnt 0x0"
#define DS_WRITE "ds_store_b32"
#define DS_READ "ds_load_b32"
#endif

/// Nothing wrong here: values travel through LDS between the waves.
__global__ void clean(int* out) {
  __shared__ int x[128];
  x[thread()] = thread();
  barrier();
  out[thread()] = x[127 - thread()];
}
/// The second exchange lacks its barrier.
__global__ void races(int* out) {
  __shared__ volatile int x[128];
  x[thread()] = 0;
  barrier();
  x[thread()] = thread();
  out[thread()] = x[127 - thread()];
}
/// The barrier comes before the wait that would complete the write.
__global__ void late(int* out) {
#if defined(__HIP_DEVICE_COMPILE__)
  __shared__ int x[128];
  x[thread()] = 0;
  barrier();
  int v;
#if defined(__GFX12__)
#define BARRIER "s_barrier_signal -1\ns_barrier_wait -1\n"
#else
#define BARRIER "s_barrier\n"
#endif
  asm volatile(DS_WRITE " %1, %2\n" BARRIER DS_READ " %0, %3\n" DRAIN : "=&v"(v) : "v"(4 * thread()), "v"(thread()), "v"(4 * (127 - thread())), "s"(x) : "memory");
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
/// A loaded value is used at once.
__global__ void waits(int* out) {
#if defined(__HIP_DEVICE_COMPILE__)
  int v;
  asm volatile(LOAD " %0, %1, off\nv_lshlrev_b32 %0, 1, %0\n" DRAIN : "=&v"(v) : "v"(out + thread()) : "memory");
  out[thread()] = v;
#endif
}
/// The last thread writes behind the end of its block, which has room for 127 words.
__global__ void global(int* out) { out[thread()] = 1; }
/// A word at an odd address.
__global__ void align(int* out) {
#if defined(__HIP_DEVICE_COMPILE__)
  int v;
  asm volatile(LOAD " %0, %1, off offset:1\n" DRAIN : "=&v"(v) : "v"(out) : "memory");
  out[thread()] = v;
#endif
}
/// Only the first threads come to the barrier.
__global__ void barriers(int* out) {
  out[thread()] = 1;
  if (thread() < 32) barrier();
}
/// Never ends.
__global__ void loops(volatile int* out) {
  while (out[0] == 0) {
  }
}
/// The result depends on which wave runs first.
__global__ void order(int* out) {
  if (thread() % 32 == 0) *const_cast<volatile int*>(out) = thread() / 32 + 1;
}

}  // namespace

int main(int argc, char** argv) {
  struct row {
    const char* name;
    void (*kernel)(int*);
  };
  const row all[] = {{"clean", clean}, {"races", races}, {"late", late}, {"undefined", undefined}, {"undefined_lds", undefined_lds}, {"waits", waits}, {"global", global},
                     {"align", align}, {"barriers", barriers}, {"loops", reinterpret_cast<void (*)(int*)>(loops)}, {"order", order}};
  for (const row& r : all) {
    if (argc < 2 || std::strcmp(argv[1], r.name) != 0) continue;
    int* out;
    const size_t bytes = (r.kernel == global ? 127 : 128) * sizeof(int);
    if (hipMalloc(reinterpret_cast<void**>(&out), bytes) != hipSuccess) return 1;
    if (hipMemset(out, 0, bytes) != hipSuccess) return 1;
    hipLaunchKernelGGL(r.kernel, dim3(1), dim3(128), 0, 0, out);
    const hipError_t e = hipDeviceSynchronize();
    int first = 0;
    if (hipMemcpy(&first, out, sizeof first, hipMemcpyDeviceToHost) != hipSuccess) return 1;
    std::printf("%s: %s, first value %d\n", r.name, hipGetErrorName(hipGetLastError() != hipSuccess ? hipErrorLaunchFailure : e), first);
    return hipFree(out) != hipSuccess;
  }
  std::printf("trip NAME\n");
  return 2;
}
