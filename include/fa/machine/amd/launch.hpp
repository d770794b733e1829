// Launches of kernels on AMD GPUs, and what their errors mean.
#pragma once

#include <fa/core/numeric.hpp>
#include <fa/core/status.hpp>
#include <fa/machine/amd/chip.hpp>
#include <fa/machine/select.hpp>

#if FA_AMD

#include <hip/hip_runtime_api.h>

namespace fa::amd_machine {

/// What the build says it made kernels for, such as "gfx90a gfx942": FA_AMD_ARCHITECTURES.
#if defined(FA_AMD_ARCHITECTURES)
inline constexpr const char* no_image_rule = "needs a kernel image for its architecture; built for " FA_AMD_ARCHITECTURES;
#else
inline constexpr const char* no_image_rule = "needs a kernel image for its architecture: compile with --offload-arch for it";
#endif

/// The architecture of the current device as the runtime names it, such as "gfx942:sramecc+:xnack-"; the number 942 in statuses.
struct architecture {
  char name[64] = {};
  amd_chip chip = amd_chip::unsupported;
  i64 number() const {
    i64 value = 0;
    for (const char* p = name; *p != '\0' && *p != ':'; ++p) {
      const int digit = *p >= '0' && *p <= '9' ? *p - '0' : -1;
      if (digit >= 0) value = 10 * value + digit;
    }
    return value;
  }
};

/// The status of an error that a launch, or what precedes it, gave. Clears it: it is reported here.
inline status status_of(hipError_t error, i64 number = 0) {
  if (error == hipSuccess) return {};
  (void)hipGetLastError();
  switch (error) {
    case hipErrorNoBinaryForGpu:
    case hipErrorInvalidDeviceFunction:
    case hipErrorInvalidKernelFile:
    case hipErrorSharedObjectInitFailed:
      return {status_code::no_image, "device", no_image_rule, number};
    case hipErrorNoDevice:
    case hipErrorInsufficientDriver:
      return {status_code::no_device, "device", hipGetErrorString(error), static_cast<i64>(error)};
    default:
      return {status_code::launch_failed, "device", hipGetErrorString(error), static_cast<i64>(error)};
  }
}

/// The architecture of the current device. Asked once for each of the first devices: the properties are many.
inline status current_architecture(architecture& result) {
  constexpr int most = 64;
  static architecture known[most];
  static int ready[most] = {};
  int device = 0;
  if (status s = status_of(hipGetDevice(&device)); !s) return s;
  if (device < most && __atomic_load_n(&ready[device], __ATOMIC_ACQUIRE) == 2) {
    result = known[device];
    return {};
  }
  hipDeviceProp_t properties;
  if (status s = status_of(hipGetDeviceProperties(&properties, device)); !s) return s;
  result = {};
  for (int i = 0; i + 1 < static_cast<int>(sizeof result.name) && properties.gcnArchName[i] != '\0'; ++i) {
    result.name[i] = properties.gcnArchName[i];
  }
  result.chip = chip_named(result.name);
  int free_slot = 0;
  if (device < most && __atomic_compare_exchange_n(&ready[device], &free_slot, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    known[device] = result;
    __atomic_store_n(&ready[device], 2, __ATOMIC_RELEASE);
  }
  return {};
}

/// Launches kernel(work, first) with a workgroup for each of `items`, in as many launches as the grid's limit asks for.
template <class Work>
status launch(void (*kernel)(Work, i64), const Work& work, i64 items, int threads, const architecture& on, hipStream_t stream) {
  static_assert(sizeof(Work) <= 4000,
                "fa: masks and scores must fit in the 4 KB of kernel arguments. Remedy: keep arrays in device memory");
  const i64 most_blocks = ((i64{1} << 32) - 1) / threads;  // the runtime counts threads in 32 bits
  for (i64 first = 0; first < items; first += most_blocks) {
    Work argument = work;
    i64 first_item = first;
    void* arguments[] = {&argument, &first_item};
    const dim3 blocks(static_cast<unsigned>(min_of(items - first, most_blocks)));
    const dim3 block(static_cast<unsigned>(threads));
    const auto error = hipLaunchKernel(reinterpret_cast<const void*>(kernel), blocks, block, arguments, 0, stream);
    if (status s = status_of(error, on.number()); !s) return s;
  }
  return {};
}

}  // namespace fa::amd_machine

#endif
