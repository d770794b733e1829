// Launches of kernels on NVIDIA GPUs, and what their errors mean.
#pragma once

#include <fa/core/numeric.hpp>
#include <fa/core/status.hpp>
#include <fa/machine/select.hpp>

#if FA_NV

#include <cstddef>

#include <cuda_runtime.h>

namespace fa::nv_machine {

/// "needs a kernel image for its compute capability; built for sm_80 sm_90", from the compiler's
/// list.
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
      return {status_code::launch_failed, "device", cudaGetErrorString(error),
              static_cast<i64>(error)};
  }
}

/// Bytes of shared memory that a block can have on the current device.
inline status shared_limit(int& bytes) {
  int device = 0;
  if (status s = status_of(cudaGetDevice(&device)); !s) return s;
  return status_of(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
}

/// Whether the current device runs the image of `kernel` that is bounded to so many threads a
/// block, and how many multiprocessors it has. Images for other targets have another bound.
inline bool has_image_for(const void* kernel, int threads, int& multiprocessors) {
  int device = 0;
  cudaFuncAttributes attributes{};
  const bool found = cudaGetDevice(&device) == cudaSuccess &&
                     cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount,
                                            device) == cudaSuccess &&
                     cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess;
  if (!found) cudaGetLastError();  // clears it: another kernel is launched, or fails too
  return found && attributes.maxThreadsPerBlock == threads;
}

/// Lets a kernel have so many bytes of shared memory a block.
inline status allow_shared(const void* kernel, int shared_bytes) {
  // More than 48 KB, with what kernels have besides, must be asked for.
  if (shared_bytes <= 47 * 1024) return {};
  int most = 0;
  if (status s = shared_limit(most); !s) return s;
  if (shared_bytes > most) {
    return {status_code::too_much_shared_memory, "head_dim",
            "must leave the tiles of a block within the GPU's shared memory", shared_bytes};
  }
  return status_of(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
}

/// Enqueues a kernel.
inline status enqueue(const void* kernel, void** arguments, i64 blocks, int threads,
                      int shared_bytes, cudaStream_t stream) {
  return status_of(cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(blocks)),
                                    dim3(static_cast<unsigned>(threads)), arguments,
                                    static_cast<std::size_t>(shared_bytes), stream));
}

inline constexpr i64 most_blocks = (i64{1} << 31) - 1;  ///< of a launch

/// What masks and scores hold must fit into the arguments of a kernel, with all else there.
template <class Work>
constexpr void require_fitting_arguments() {
  static_assert(sizeof(Work) <= 4000,
                "fa: masks and scores must fit in the 4 KB of kernel arguments. Remedy: keep "
                "arrays in device memory");
}

/// Launches kernel(work, first) with a block for each of `items`, in as many launches as the grid's
/// limit asks for.
template <class Work>
status launch(void (*kernel)(Work, i64), const Work& work, i64 items, int threads, int shared_bytes,
              cudaStream_t stream) {
  require_fitting_arguments<Work>();
  const auto* function = reinterpret_cast<const void*>(kernel);
  if (status s = allow_shared(function, shared_bytes); !s) return s;
  for (i64 first = 0; first < items; first += most_blocks) {
    Work argument = work;
    void* arguments[] = {&argument, &first};
    if (status s = enqueue(function, arguments, min_of(items - first, most_blocks), threads,
                           shared_bytes, stream);
        !s)
      return s;
  }
  return {};
}

}  // namespace fa::nv_machine

#endif
