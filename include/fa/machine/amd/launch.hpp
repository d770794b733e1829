// Launches of kernels on AMD GPUs, and what their errors mean.
#pragma once

#include <type_traits>

#include <fa/core/numeric.hpp>
#include <fa/core/status.hpp>
#include <fa/core/tensor.hpp>
#include <fa/machine/amd/chip.hpp>
#include <fa/machine/select.hpp>

#if FA_AMD

#include <hip/hip_runtime_api.h>

namespace fa::amd_machine {

/// The first argument of a kernel of type void(First, ...), read again where this is asked for:
/// what is wanted at the end needs no registers before. Only for what that kernel runs.
template <class Kernel>
struct first_argument;
template <class First, class... Rest>
struct first_argument<void(First, Rest...)> {
  using type = std::remove_const_t<First>;
#if FA_AMD_DEVICE
  FA_DEVICE static const type& get() {
    using pointer = const __attribute__((address_space(4))) type*;
    auto address = (pointer)__builtin_amdgcn_kernarg_segment_ptr();
    asm volatile("" : "+s"(address));
    return *(const type*)address;
  }
#else
  FA_FN static const type& get();
#endif
};

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

/// Lanes reach the rows of a tile by offsets of 32 bits from an address of 64: see tile_window.
template <class T>
status check_reach(const tensor<T>& t, const char* name) {
  constexpr i64 limit = (i64{1} << 23) - 1;  // 64 rows of 4 bytes an element
  const i64 stride = t.token_stride;
  if (t.empty() || t.seqlen == 1 || (stride <= limit && stride >= -limit)) return {};
  return {status_code::bad_stride, name, "must be below 2^23 elements on AMD GPUs", stride};
}

/// f(constant) for the chip of an architecture, as a constant: f's status, or that there is none.
template <int Row = 0, class F>
status for_chip(const architecture& device, const F& f) {
  constexpr amd_chip chip = chip_table[Row].chip;
  if constexpr (chip == amd_chip::unsupported) {
    return {status_code::no_image, "device", no_image_rule, 0, device.shown};
  } else {
    if (device.chip == chip) return f(std::integral_constant<amd_chip, chip>{});
    return for_chip<Row + 1>(device, f);
  }
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
