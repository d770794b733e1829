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
inline constexpr const char* no_image_rule =
    "needs a kernel image for its architecture; built for " FA_AMD_ARCHITECTURES;
#else
inline constexpr const char* no_image_rule =
    "needs a kernel image for its architecture: compile with --offload-arch for it";
#endif

/// The architecture of a device as the runtime names it, such as "gfx942:sramecc+:xnack-", and
/// without what follows a colon.
struct architecture {
  char name[64] = {};
  char shown[16] = {};
  amd_chip chip = amd_chip::unsupported;

  architecture() = default;
  explicit architecture(const char* full_name) : chip(chip_named(full_name)) {
    for (int i = 0; i + 1 < static_cast<int>(sizeof name) && full_name[i] != '\0'; ++i)
      name[i] = full_name[i];
    for (int i = 0; i + 1 < static_cast<int>(sizeof shown) && name[i] != '\0' && name[i] != ':';
         ++i)
      shown[i] = name[i];
  }
};

/// The status of an error that a launch, or what precedes it, gave. Clears it: it is reported here.
/// `shown`: the architecture.
inline status status_of(hipError_t error, const char* shown = nullptr) {
  if (error == hipSuccess) return {};
  (void)hipGetLastError();
  switch (error) {
    case hipErrorNoBinaryForGpu:
    case hipErrorInvalidDeviceFunction:
    case hipErrorInvalidKernelFile:
    case hipErrorSharedObjectInitFailed:
      return {status_code::no_image, "device", no_image_rule, 0, shown};
    case hipErrorNoDevice:
    case hipErrorInsufficientDriver:
      return {status_code::no_device, "device", hipGetErrorString(error), static_cast<i64>(error)};
    default:
      return {status_code::launch_failed, "device", hipGetErrorString(error),
              static_cast<i64>(error)};
  }
}

/// The architecture of the current device. Asked once for each device, since the properties are
/// many; lives as long as the program.
inline status current_architecture(const architecture*& result) {
  constexpr int most = 256;
  static architecture known[most];
  static int state[most] = {};  // 0: not asked for; 1: being written; 2: known
  int device = 0;
  if (status s = status_of(hipGetDevice(&device)); !s) return s;
  if (device >= most) return {status_code::launch_failed, "device", "must be below 256", device};
  while (__atomic_load_n(&state[device], __ATOMIC_ACQUIRE) != 2) {
    hipDeviceProp_t properties;
    if (status s = status_of(hipGetDeviceProperties(&properties, device)); !s) return s;
    int unasked = 0;
    if (__atomic_compare_exchange_n(&state[device], &unasked, 1, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      known[device] = architecture(properties.gcnArchName);
      __atomic_store_n(&state[device], 2, __ATOMIC_RELEASE);
    }
  }
  result = &known[device];
  return {};
}

/// Launches kernel(work, first) with a workgroup for each of `items`, in as many launches as the
/// grid's limit asks for.
template <class Work>
status launch(void (*kernel)(Work, i64), const Work& work, i64 items, int threads,
              const architecture& on, hipStream_t stream) {
  static_assert(sizeof(Work) <= 4000,
                "fa: masks and scores must fit in the 4 KB of kernel arguments. Remedy: keep "
                "arrays in device memory");
  const i64 most_blocks = ((i64{1} << 32) - 1) / threads;  // the runtime counts threads in 32 bits
  for (i64 first = 0; first < items; first += most_blocks) {
    Work argument = work;
    i64 first_item = first;
    void* arguments[] = {&argument, &first_item};
    const dim3 blocks(static_cast<unsigned>(min_of(items - first, most_blocks)));
    const dim3 block(static_cast<unsigned>(threads));
    const auto error = hipLaunchKernel(reinterpret_cast<const void*>(kernel), blocks, block,
                                       arguments, 0, stream);
    if (status s = status_of(error, on.shown); !s) return s;
  }
  return {};
}

}  // namespace fa::amd_machine

#endif
