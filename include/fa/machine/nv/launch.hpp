// Launches of kernels on NVIDIA GPUs, and what their errors mean.
#pragma once

#include <fa/core/numeric.hpp>
#include <fa/core/status.hpp>
#include <fa/machine/select.hpp>

#if FA_NV

#include <cuda_runtime.h>

namespace fa::nv_machine {

/// "needs a kernel image for its compute capability; built for sm_80 sm_90", from the compiler's list.
struct built_architectures {
  char text[160] = {};
  int length = 0;
  constexpr built_architectures() {
    append("needs a kernel image for its compute capability; built for");
    for (const int arch : {__CUDA_ARCH_LIST__}) {
      append(" sm_");
      const int number = arch / 10;
      if (number >= 100) append(number / 100);
      append(number / 10 % 10);
      append(number % 10);
    }
  }
  constexpr void append(const char* more) {
    while (*more != '\0' && length + 1 < static_cast<int>(sizeof text)) text[length++] = *more++;
  }
  constexpr void append(int digit) {
    const char more[2] = {static_cast<char>('0' + digit), '\0'};
    append(more);
  }
};
inline constexpr built_architectures built{};

/// Compute capability of the current device, such as 90.
inline int capability() {
  int device = 0, major = 0, minor = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
  return 10 * major + minor;
}

/// The status of an error that a launch, or what precedes it, gave. Clears it: it is reported here.
inline status status_of(cudaError_t error) {
  if (error == cudaSuccess) return {};
  cudaGetLastError();
  switch (error) {
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorInvalidKernelImage:
      return {status_code::no_image, "device", built.text, capability()};
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
      return {status_code::no_device, "device", cudaGetErrorString(error), static_cast<i64>(error)};
    default:
      return {status_code::launch_failed, "device", cudaGetErrorString(error), static_cast<i64>(error)};
  }
}

/// Bytes of shared memory that a block can have on the current device.
inline status shared_limit(int& bytes) {
  int device = 0;
  if (status s = status_of(cudaGetDevice(&device)); !s) return s;
  return status_of(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
}

/// Launches kernel(work, first) with a block for each of `items`, in as many launches as the grid's limit asks for.
template <class Work>
status launch(void (*kernel)(Work, i64), const Work& work, i64 items, int threads, int shared_bytes, cudaStream_t stream) {
  static_assert(sizeof(Work) <= 4000,
                "fa: masks and scores must fit in the 4 KB of kernel arguments. Remedy: keep arrays in device memory");
  const auto* function = reinterpret_cast<const void*>(kernel);
  if (shared_bytes > 47 * 1024) {                          // more than 48 KB, with what kernels have besides, must be asked for
    int most = 0;
    if (status s = shared_limit(most); !s) return s;
    if (shared_bytes > most) {
      return {status_code::too_much_shared_memory, "head_dim", "must leave the tiles of a block within the GPU's shared memory",
              shared_bytes};
    }
    const auto error = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
    if (status s = status_of(error); !s) return s;
  }
  constexpr i64 most_blocks = (i64{1} << 31) - 1;
  for (i64 first = 0; first < items; first += most_blocks) {
    Work argument = work;
    void* arguments[] = {&argument, &first};
    const dim3 blocks(static_cast<unsigned>(min_of(items - first, most_blocks)));
    const auto error = cudaLaunchKernel(function, blocks, dim3(static_cast<unsigned>(threads)), arguments,
                                        static_cast<std::size_t>(shared_bytes), stream);
    if (status s = status_of(error); !s) return s;
  }
  return {};
}

}  // namespace fa::nv_machine

#endif
