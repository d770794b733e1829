// What the parts of the HIP stand-in share: binaries, kernels, devices, the last error.
#pragma once
#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>

#include <functional>
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
  std::vector<u8> owned;  ///< the bytes, when they came from a file
  std::unique_ptr<code_object> object;
  program wave64, wave32;
  std::string why_not;  ///< why it could not be loaded
  hipError_t error = hipSuccess;
};

/// A kernel as hipFunction_t points to it.
struct function {
  std::shared_ptr<binary> from;
  std::string name;
};

/// A kernel launch whose arguments have been checked and copied.
struct prepared_launch {
  std::shared_ptr<binary> from;
  kernel_info* kernel = nullptr;
  dim3 grid, block;
  u64 dynamic_lds = 0;
  std::vector<u8> segment;  ///< the argument segment, hidden arguments filled in
};
/// What a launch is asked to do, in either form of its arguments.
struct launch_request {
  dim3 grid, block;
  u64 dynamic_lds = 0;
  void** arguments = nullptr;    ///< one pointer per argument, or
  const void* packed = nullptr;  ///< all of them as the kernel finds them
  u64 packed_bytes = 0;
  bool cooperative = false;
};
/// Reads the markers of a packed argument buffer.
hipError_t unpack(void** extra, launch_request& r);
/// Checks a launch as HIP does and copies its arguments.
hipError_t prepare(function& f, const launch_request& r, prepared_launch& out);
/// Runs it to its end.
hipError_t execute(const prepared_launch& l);

/// Something that a stream does: at once, or each time that a graph runs which recorded it.
struct work {
  hipGraphNodeType kind = hipGraphNodeTypeEmpty;
  std::function<hipError_t()> run;          ///< empty: nothing
  std::shared_ptr<prepared_launch> launch;  ///< of a kernel: what `run` executes
};
/// The work of a launch.
work work_of(prepared_launch l);
/// Does it, or records it if the stream is being captured. The error is remembered for
/// hipGetLastError.
hipError_t submit(hipStream_t s, work w);
/// Copies and fills as nodes of graphs have them.
work memcpy_work(void* to, const void* from, size_t n, hipMemcpyKind k);
work memset_work(const hipMemsetParams& p);
/// Whether what the stream is given goes into a graph.
bool capturing(hipStream_t s);
/// hipSuccess, or the error of a call that may not be made while a stream is being captured (which
/// that call also spoils).
hipError_t not_while_capturing();
/// Major version of the HIP that the program was built against: enumerations and structures of 5
/// differ from later ones.
int program_version();

/// Guards all state of the stand-in.
std::recursive_mutex& lock();
/// Remembers the error for hipGetLastError and hands it on.
hipError_t fail(hipError_t e);
/// Loads the image for the chip; hipErrorNoBinaryForGpu or another error if that cannot be.
hipError_t load(binary& b);
/// Finds a kernel in a loaded binary.
kernel_info* find_kernel(binary& b, const std::string& name);
/// The function behind a host stub or a handle; null if there is none.
function* find_function(const void* stub);
function* find_function(hipFunction_t handle);
/// The kernel behind a host stub, its image loaded; null and the error if there is none.
kernel_info* kernel_behind(const void* stub, hipError_t& e);
/// Host variable registered with __hipRegisterVar: its device copy.
bool find_symbol(const void* host, symbol& out);
/// How many workgroups of that many threads a compute unit holds.
u32 occupancy(const chip& c, const kernel_info& k, u32 threads, u64 dynamic_lds);
/// Stops the program because something is not there.
[[noreturn]] void missing(const char* name, const char* what = "is not implemented");

}  // namespace amdsim::runtime
