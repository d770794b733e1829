// What the stand-in for the HIP runtime answers: memory, launches of every form, modules,
// attributes, errors.
#include <cstring>
#include <vector>

#include "check.hpp"

namespace {

__device__ int scale = 2;
__device__ inline int place() {
#if defined(__HIP_DEVICE_COMPILE__)
  return static_cast<int>(__builtin_amdgcn_workgroup_id_x() * 64 +
                          __builtin_amdgcn_workitem_id_x());
#else
  return 0;
#endif
}
__global__ void multiply(int* out, int by) { out[place()] = place() * by * scale; }
__global__ __launch_bounds__(64) void bounded(int* out) { out[place()] = 7; }
__global__ void fixed(int* out) {
  __shared__ int room[256];
  for (int i = place(); i < 256; i += 64) room[i] = i;
  out[place()] = room[place()];
}
__global__ void dynamic(int* out) {
  extern __shared__ int room[];
  room[place()] = place();
  out[place()] = room[place()];
}

void memory() {
  int *d = nullptr, *h = nullptr;
  IS(hipMalloc(reinterpret_cast<void**>(&d), 1024), hipSuccess);
  IS(hipHostMalloc(reinterpret_cast<void**>(&h), 1024, 0), hipSuccess);
  for (int i = 0; i < 256; ++i) h[i] = i;
  IS(hipMemcpy(d, h, 1024, hipMemcpyHostToDevice), hipSuccess);
  IS(hipMemset(h, 0, 1024), hipSuccess);
  hipStream_t s;
  IS(hipStreamCreate(&s), hipSuccess);
  IS(hipMemcpyAsync(h, d, 1024, hipMemcpyDeviceToHost, s), hipSuccess);
  IS(hipStreamSynchronize(s), hipSuccess);
  CHECK(h[255] == 255);
  IS(hipMemcpy(d, h, 1028, hipMemcpyHostToDevice), hipErrorInvalidValue);
  IS(hipGetLastError(), hipErrorInvalidValue);
  IS(hipPeekAtLastError(), hipSuccess);
  IS(hipMemcpy(nullptr, h, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
  IS(hipMemsetD32(reinterpret_cast<hipDeviceptr_t>(d), 5, 256), hipSuccess);
  IS(hipMemcpyDtoH(h, reinterpret_cast<hipDeviceptr_t>(d), 1024), hipSuccess);
  CHECK(h[0] == 5 && h[255] == 5);
  hipPointerAttribute_t a;
  IS(hipPointerGetAttributes(&a, d + 3), hipSuccess);
  CHECK(a.memoryType == hipMemoryTypeDevice);
  IS(hipPointerGetAttributes(&a, h), hipSuccess);
  CHECK(a.memoryType == hipMemoryTypeHost);
  int local = 0;
  IS(hipPointerGetAttributes(&a, &local), hipErrorInvalidValue);
  IS(hipFree(&local), hipErrorInvalidValue);
  IS(hipFree(d), hipSuccess);
  IS(hipFree(d), hipErrorInvalidValue);
  IS(hipHostFree(h), hipSuccess);
  IS(hipFree(nullptr), hipSuccess);
  IS(hipStreamDestroy(s), hipSuccess);
  (void)hipGetLastError();
}

void launches() {
  int* d;
  std::vector<int> h(128);
  IS(hipMalloc(reinterpret_cast<void**>(&d), 512), hipSuccess);
  multiply<<<2, 64>>>(d, 3);
  IS(hipGetLastError(), hipSuccess);
  IS(hipMemcpy(h.data(), d, 512, hipMemcpyDeviceToHost), hipSuccess);
  CHECK(h[127] == 127 * 6);
  int factor = 5;
  IS(hipMemcpyToSymbol(HIP_SYMBOL(scale), &factor, sizeof factor, 0, hipMemcpyHostToDevice),
     hipSuccess);
  int by = 1;
  void* args[] = {&d, &by};
  IS(hipLaunchKernel(reinterpret_cast<const void*>(multiply), dim3(2), dim3(64), args, 0, nullptr),
     hipSuccess);
  IS(hipMemcpy(h.data(), d, 512, hipMemcpyDeviceToHost), hipSuccess);
  CHECK(h[100] == 500);
  IS(hipLaunchKernel(reinterpret_cast<const void*>(multiply), dim3(1), dim3(2048), args, 0,
                     nullptr),
     hipErrorInvalidConfiguration);
  IS(hipLaunchKernel(reinterpret_cast<const void*>(multiply), dim3(0), dim3(64), args, 0, nullptr),
     hipErrorInvalidConfiguration);
  IS(hipLaunchKernel(reinterpret_cast<const void*>(bounded), dim3(1), dim3(128), args, 0, nullptr),
     hipErrorLaunchFailure);
  IS(hipLaunchKernel(reinterpret_cast<const void*>(dynamic), dim3(1), dim3(64), args, 256, nullptr),
     hipSuccess);
  IS(hipLaunchKernel(&failures, dim3(1), dim3(64), args, 0, nullptr),
     hipErrorInvalidDeviceFunction);
  hipEvent_t a, b;
  IS(hipEventCreate(&a), hipSuccess);
  IS(hipEventCreate(&b), hipSuccess);
  float ms = -1;
  IS(hipEventElapsedTime(&ms, a, b), hipErrorInvalidHandle);
  IS(hipEventRecord(a, nullptr), hipSuccess);
  IS(hipEventRecord(b, nullptr), hipSuccess);
  IS(hipEventElapsedTime(&ms, a, b), hipSuccess);
  CHECK(ms >= 0);
  IS(hipEventDestroy(a), hipSuccess);
  IS(hipEventDestroy(a), hipErrorInvalidHandle);
  IS(hipEventDestroy(b), hipSuccess);
  IS(hipFree(d), hipSuccess);
  (void)hipGetLastError();
}

/// What programs may ask about each chip; the vendor's figures.
struct chip_row {
  const char* name;
  int wave, units, lds, major, minor;
};
constexpr chip_row chips[] = {
    {"gfx90a", 64, 110, 65536, 9, 0},  {"gfx942", 64, 304, 65536, 9, 4},
    {"gfx950", 64, 256, 163840, 9, 5}, {"gfx1100", 32, 48, 65536, 11, 0},
    {"gfx1101", 32, 30, 65536, 11, 0}, {"gfx1102", 32, 16, 65536, 11, 0},
    {"gfx1151", 32, 20, 65536, 11, 5}, {"gfx1200", 32, 16, 65536, 12, 0},
    {"gfx1201", 32, 32, 65536, 12, 0},
};

void device(const char* chip) {
  const chip_row* row = nullptr;
  for (const chip_row& r : chips)
    if (std::strcmp(r.name, chip) == 0) row = &r;
  if (!row) return check(false, "runtime CHIP");
  hipDeviceProp_t p;
  IS(hipGetDeviceProperties(&p, 0), hipSuccess);
  CHECK(std::strncmp(p.gcnArchName, chip, std::strlen(chip)) == 0);
  CHECK(p.gcnArchName[std::strlen(chip)] == 0 || p.gcnArchName[std::strlen(chip)] == ':');
  CHECK(p.warpSize == row->wave && p.multiProcessorCount == row->units &&
        static_cast<int>(p.sharedMemPerBlock) == row->lds);
  CHECK(p.major == row->major && p.minor == row->minor && p.maxThreadsPerBlock == 1024);
  IS(hipGetDeviceProperties(&p, 1), hipErrorInvalidDevice);
  int v = 0;
  IS(hipDeviceGetAttribute(&v, hipDeviceAttributeWarpSize, 0), hipSuccess);
  CHECK(v == row->wave);
  IS(hipDeviceGetAttribute(&v, hipDeviceAttributeMultiprocessorCount, 0), hipSuccess);
  CHECK(v == row->units);
  IS(hipDeviceGetAttribute(&v, hipDeviceAttributeMaxSharedMemoryPerBlock, 0), hipSuccess);
  CHECK(v == row->lds);
  IS(hipDeviceGetAttribute(&v, hipDeviceAttributeWarpSize, 1), hipErrorInvalidDevice);
  IS(hipSetDevice(1), hipErrorInvalidDevice);
  IS(hipSetDevice(0), hipSuccess);
  (void)hipGetLastError();
}

void attributes(const char* chip) {
  const chip_row* row = nullptr;
  for (const chip_row& r : chips)
    if (std::strcmp(r.name, chip) == 0) row = &r;
  if (!row) return;
  const auto* const kernel = reinterpret_cast<const void*>(multiply);
  const auto* const lds = reinterpret_cast<const void*>(dynamic);
  hipFuncAttributes f;
  IS(hipFuncGetAttributes(&f, reinterpret_cast<const void*>(bounded)), hipSuccess);
  CHECK(f.maxThreadsPerBlock == 64 && f.sharedSizeBytes == 0 && f.localSizeBytes == 0 &&
        f.numRegs > 0);
  IS(hipFuncGetAttributes(&f, reinterpret_cast<const void*>(fixed)), hipSuccess);
  CHECK(f.sharedSizeBytes == 1024 && f.maxDynamicSharedSizeBytes == row->lds - 1024);
  IS(hipFuncGetAttributes(&f, &failures), hipErrorInvalidDeviceFunction);

  // LDS that a workgroup cannot have is refused; what it can have is there in the next launch.
  IS(hipFuncSetAttribute(lds, hipFuncAttributeMaxDynamicSharedMemorySize, row->lds), hipSuccess);
  IS(hipFuncSetAttribute(lds, hipFuncAttributeMaxDynamicSharedMemorySize, row->lds + 4),
     hipErrorInvalidValue);
  IS(hipFuncSetAttribute(lds, hipFuncAttributeMaxDynamicSharedMemorySize, -1),
     hipErrorInvalidValue);
  IS(hipFuncSetAttribute(reinterpret_cast<const void*>(fixed),
                         hipFuncAttributeMaxDynamicSharedMemorySize, row->lds),
     hipErrorInvalidValue);
  IS(hipFuncSetAttribute(lds, hipFuncAttributePreferredSharedMemoryCarveout, 50), hipSuccess);
  IS(hipFuncSetAttribute(lds, static_cast<hipFuncAttribute>(99), 1), hipErrorInvalidValue);
  IS(hipFuncSetAttribute(&failures, hipFuncAttributeMaxDynamicSharedMemorySize, 64),
     hipErrorInvalidDeviceFunction);
  int* d;
  IS(hipMalloc(reinterpret_cast<void**>(&d), 512), hipSuccess);
  void* args[] = {&d};
  IS(hipLaunchKernel(lds, dim3(1), dim3(64), args, static_cast<size_t>(row->lds), nullptr),
     hipSuccess);
  IS(hipLaunchKernel(lds, dim3(1), dim3(64), args, static_cast<size_t>(row->lds) + 4, nullptr),
     hipErrorInvalidValue);
  IS(hipLaunchKernel(reinterpret_cast<const void*>(fixed), dim3(1), dim3(64), args,
                     static_cast<size_t>(row->lds), nullptr),
     hipErrorInvalidValue);
  IS(hipFree(d), hipSuccess);

  // Waves: 8 a SIMD and 4 SIMDs on CDNA, 16 and 2 on RDNA. LDS: what a compute unit has.
  int v = 0;
  const int waves = 32, lds_per_unit = row->wave == 64 ? row->lds : 65536;
  IS(hipOccupancyMaxActiveBlocksPerMultiprocessor(&v, kernel, 256, 0), hipSuccess);
  CHECK(v == waves / (256 / row->wave));
  IS(hipOccupancyMaxActiveBlocksPerMultiprocessor(&v, kernel, 64, 32768), hipSuccess);
  CHECK(v == lds_per_unit / 32768);
  IS(hipOccupancyMaxActiveBlocksPerMultiprocessor(&v, kernel, 0, 0), hipErrorInvalidValue);
  IS(hipOccupancyMaxActiveBlocksPerMultiprocessor(&v, &failures, 64, 0),
     hipErrorInvalidDeviceFunction);
  int grid = 0, block = 0;
  IS(hipOccupancyMaxPotentialBlockSize(&grid, &block, reinterpret_cast<const void*>(bounded), 0, 0),
     hipSuccess);
  CHECK(block == 64 && grid == row->units * waves / (64 / row->wave));
  (void)hipGetLastError();
}

/// A module out of this program's own image: argument arrays and packed buffers.
void module(const char* self) {
  std::FILE* f = std::fopen(self, "rb");
  if (!f) return check(false, "own program can be read");
  std::vector<char> bytes;
  char part[65536];
  for (size_t n; (n = std::fread(part, 1, sizeof part, f)) > 0;)
    bytes.insert(bytes.end(), part, part + n);
  std::fclose(f);
  const char magic[] = "__CLANG_OFFLOAD_BUNDLE__";
  const char* image = nullptr;
  // The string itself stands in the program too, so look for one that is followed by a small count.
  for (size_t i = 0; i + 40 < bytes.size(); ++i)
    if (std::memcmp(&bytes[i], magic, 24) == 0 && bytes[i + 24] > 0 && bytes[i + 24] < 8 &&
        bytes[i + 25] == 0)
      image = &bytes[i];
  if (!image) return check(false, "image found");
  hipModule_t m;
  IS(hipModuleLoadData(&m, image), hipSuccess);
  hipFunction_t k;
  IS(hipModuleGetFunction(&k, m, "no such kernel"), hipErrorNotFound);
  IS(hipModuleGetFunction(&k, m, "_ZN12_GLOBAL__N_18multiplyEPii"), hipSuccess);
  int* d;
  IS(hipMalloc(reinterpret_cast<void**>(&d), 512), hipSuccess);
  int h[128], by = 1;
  void* args[] = {&d, &by};
  IS(hipModuleLaunchKernel(k, 2, 1, 1, 64, 1, 1, 0, nullptr, args, nullptr), hipSuccess);
  IS(hipMemcpy(h, d, 512, hipMemcpyDeviceToHost), hipSuccess);
  CHECK(h[127] == 254);
  struct {
    int* out;
    int by;
  } packed{d, 10};
  size_t size = sizeof packed;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   HIP_LAUNCH_PARAM_END};
  IS(hipModuleLaunchKernel(k, 2, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra), hipSuccess);
  IS(hipMemcpy(h, d, 512, hipMemcpyDeviceToHost), hipSuccess);
  CHECK(h[127] == 2540);
  IS(hipModuleUnload(m), hipSuccess);
  IS(hipFree(d), hipSuccess);
  const char junk[64] = "not an image";
  IS(hipModuleLoadData(&m, junk), hipErrorInvalidImage);
  (void)hipGetLastError();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "image") == 0) {
    int* d = nullptr;
    multiply<<<1, 64>>>(d, 1);
    std::printf("%s\n", hipGetErrorName(hipGetLastError()));
    return 0;
  }
  if (argc > 1 && std::strcmp(argv[1], "missing") == 0) {
    hipPitchedPtr p;
    return hipMalloc3D(&p, hipExtent{1, 1, 1}) != hipSuccess;
  }
  memory();
  launches();
  device(argc > 1 ? argv[1] : "");
  attributes(argc > 1 ? argv[1] : "");
  module(argv[0]);
  std::printf("%s\n", failures ? "FAILED" : "all ok");
  return failures != 0;
}
