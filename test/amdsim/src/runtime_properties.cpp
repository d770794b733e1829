// The HIP stand-in: device properties, in the two layouts that programs ask for, and which HIP a
// program was built against.
#include <link.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "runtime.hpp"

namespace amdsim::runtime {
namespace {

/// hipDeviceProp_t of HIP 6 and later (R0600); names as there.
struct properties_6 {
  char name[256], uuid[16], luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory,
      computeMode;
  int textures_and_surfaces[40];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver,
      asyncEngineCount, unifiedAddressing;
  int memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize,
      maxThreadsPerMultiProcessor;
  int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID,
      hostNativeAtomicSupported;
  int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess,
      computePreemptionSupported;
  int canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost,
      maxBlocksPerMultiProcessor;
  int accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, other_support[12], reserved[95];
  char gcnArchName[256];
  size_t maxSharedMemoryPerMultiProcessor;
  int clockInstructionRate;
  hipDeviceArch_t arch;
  unsigned *hdpMemFlushCntl, *hdpRegFlushCntl;
  int cooperativeMultiDeviceUnmatched[4], isLargeBar, asicRevision;
};

constexpr int most_int = 2147483647;

/// What both layouts have.
template <class Properties>
void fill(Properties& p) {
  const chip& c = *process_settings().target;
  std::memset(&p, 0, sizeof p);
  std::snprintf(p.name, sizeof p.name, "%s", c.product);
  std::snprintf(p.gcnArchName, sizeof p.gcnArchName, "%s%s", c.name, c.features);
  p.totalGlobalMem = c.memory_bytes;
  p.sharedMemPerBlock = c.lds_bytes;
  p.maxSharedMemoryPerMultiProcessor = c.lds_per_unit();
  p.regsPerBlock = 65536;
  p.warpSize = static_cast<int>(c.wave_size());
  p.maxThreadsPerBlock = 1024;
  for (int& d : p.maxThreadsDim) d = 1024;
  p.maxGridSize[0] = most_int;
  p.maxGridSize[1] = p.maxGridSize[2] = 65536;
  p.clockRate = static_cast<int>(c.clock_khz);
  p.multiProcessorCount = static_cast<int>(c.compute_units);
  p.maxThreadsPerMultiProcessor = c.threads_per_unit();
  p.l2CacheSize = c.l2_bytes();
  p.major = c.major();
  p.minor = c.minor();
  p.concurrentKernels = p.canMapHostMemory = p.cooperativeLaunch = p.managedMemory =
      p.concurrentManagedAccess = 1;
  p.pciBusID = 1;
  p.memPitch = most_int;
  p.textureAlignment = 256;
  hipDeviceArch_t& a = p.arch;
  a.hasGlobalInt32Atomics = a.hasGlobalFloatAtomicExch = a.hasSharedInt32Atomics =
      a.hasSharedFloatAtomicExch = 1;
  a.hasFloatAtomicAdd = a.hasGlobalInt64Atomics = a.hasSharedInt64Atomics = a.hasDoubles =
      a.hasWarpVote = 1;
  a.hasWarpBallot = a.hasWarpShuffle = a.hasThreadFenceSystem = a.has3dGrid = 1;
}

/// The greatest N of "libamdhip64.so.N" that an object of this process was linked against.
int version_needed(const dl_phdr_info& object) {
  const char* strings = nullptr;
  int best = 0;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* first = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr +
                                                           object.dlpi_phdr[i].p_vaddr);
    for (const auto* d = first; d->d_tag != DT_NULL; ++d)
      if (d->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(d->d_un.d_ptr);
    // not relocated: the kernel's own object
    if (reinterpret_cast<u64>(strings) < object.dlpi_addr || !strings) return 0;
    for (const auto* d = first; d->d_tag != DT_NULL; ++d) {
      constexpr const char library[] = "libamdhip64.so.";
      if (d->d_tag == DT_NEEDED &&
          std::strncmp(strings + d->d_un.d_val, library, sizeof library - 1) == 0)
        best = std::max(best, std::atoi(strings + d->d_un.d_val + sizeof library - 1));
    }
  }
  return best;
}

}  // namespace

int program_version() {
  static const int version = [] {
    int best = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* object, size_t, void* out) {
          int& b = *static_cast<int*>(out);
          b = std::max(b, version_needed(*object));
          return 0;
        },
        &best);
    return best ? best : 5;
  }();
  return version;
}

}  // namespace amdsim::runtime

using namespace amdsim;
using namespace amdsim::runtime;

AMDSIM_API hipError_t hipGetDeviceProperties(hipDeviceProp_t* p, int d) {
  if (!p) return fail(hipErrorInvalidValue);
  if (d) return fail(hipErrorInvalidDevice);
  fill(*p);
  p->gcnArch = process_settings().target->gen == family::gfx9 ? 910 : 1100;
  return hipSuccess;
}
AMDSIM_API hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_t* p, int d) {
  return hipGetDeviceProperties(p, d);
}
AMDSIM_API hipError_t hipGetDevicePropertiesR0600(properties_6* p, int d) {
  if (!p) return fail(hipErrorInvalidValue);
  if (d) return fail(hipErrorInvalidDevice);
  fill(*p);
  p->sharedMemPerMultiprocessor = p->maxSharedMemoryPerMultiProcessor;
  p->sharedMemPerBlockOptin = p->sharedMemPerBlock;
  p->regsPerMultiprocessor = p->regsPerBlock;
  p->unifiedAddressing = p->streamPrioritiesSupported = p->hostRegisterSupported = 1;
  p->maxBlocksPerMultiProcessor = 32;
  return hipSuccess;
}
