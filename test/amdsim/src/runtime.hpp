// What the parts of the HIP stand-in share: binaries, kernels, devices, the last error.
#pragma once
#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "schedule.hpp"

#define AMDSIM_API extern "C" __attribute__((visibility("default")))

namespace amdsim::runtime {

/// A fat binary or module: loaded when first needed.
struct binary {
  const u8* data = nullptr;
  std::vector<u8> owned;                ///< the bytes, when they came from a file
  std::unique_ptr<code_object> object;
  program wave64, wave32;
  std::string why_not;                  ///< why it could not be loaded
  hipError_t error = hipSuccess;
};

/// A kernel as hipFunction_t points to it.
struct function {
  binary* from = nullptr;
  std::string name;
};

/// Guards all state of the stand-in.
std::recursive_mutex& lock();
/// Remembers the error for hipGetLastError and hands it on.
hipError_t fail(hipError_t e);
/// Loads the image for the chip; hipErrorNoBinaryForGpu or another error if that cannot be.
hipError_t load(binary& b);
/// Finds a kernel in a loaded binary.
kernel_info* find_kernel(binary& b, const std::string& name);
/// The function behind a host stub or a hipFunction_t; null if there is none.
function* find_function(const void* stub);
/// Host variable registered with __hipRegisterVar: its device copy.
bool find_symbol(const void* host, symbol& out);
/// How many workgroups of that many threads a compute unit holds.
u32 occupancy(const chip& c, const kernel_info& k, u32 threads, u64 dynamic_lds);
/// Stops the program because something is not there.
[[noreturn]] void missing(const char* name, const char* what = "is not implemented");

}  // namespace amdsim::runtime
