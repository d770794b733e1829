// A program as if built against HIP 6: it asks for libamdhip64.so.6, for symbols of its versions,
// for the properties in the layout of that release, and counts memory types as that release does.
// Written without HIP's headers, which are HIP 5's here.
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
int hipMalloc(void**, std::size_t);
int hipFree(void*);
int hipPointerGetAttributes(void*, const void*);
int hipGetDevicePropertiesR0600(void*, int);
int hipLinkCreate(void);
}

namespace {
int failures = 0;
void check(bool ok, const char* what) {
  if (!ok) std::printf("FAIL %s\n", what);
  failures += !ok;
}
template <class T>
T at(const char* bytes, std::size_t offset) {
  T x;
  std::memcpy(&x, bytes + offset, sizeof x);
  return x;
}
}  // namespace

/// newer CHIP WAVE UNITS LDS, or: newer missing
int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "missing") == 0) return hipLinkCreate();
  if (argc != 5) return 2;
  // Offsets of hipDeviceProp_tR0600's members.
  constexpr std::size_t size = 1472, shared = 296, warp = 308, units = 388, per_unit = 640,
                        arch = 1160, arch_per_unit = 1416;
  static char p[size + 64];
  std::memset(p, 0x5a, sizeof p);
  check(hipGetDevicePropertiesR0600(p, 0) == 0, "hipGetDevicePropertiesR0600");
  const auto lds = static_cast<std::size_t>(std::atoi(argv[4]));
  check(at<std::size_t>(p, shared) == lds, "sharedMemPerBlock");
  check(at<int>(p, warp) == std::atoi(argv[2]), "warpSize");
  check(at<int>(p, units) == std::atoi(argv[3]), "multiProcessorCount");
  check(at<std::size_t>(p, per_unit) == at<std::size_t>(p, arch_per_unit), "LDS of a compute unit");
  check(std::strncmp(p + arch, argv[1], std::strlen(argv[1])) == 0, "gcnArchName");
  for (std::size_t i = size; i < sizeof p; ++i)
    check(p[i] == 0x5a, "nothing is written behind the structure");
  void* d = nullptr;
  check(hipMalloc(&d, 64) == 0, "hipMalloc");
  int attributes[16] = {};
  constexpr int device_memory = 2;
  check(hipPointerGetAttributes(attributes, d) == 0 && attributes[0] == device_memory,
        "memory type");
  check(hipFree(d) == 0, "hipFree");
  std::printf("%s\n", failures ? "FAILED" : "all ok");
  return failures != 0;
}
