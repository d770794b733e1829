// Where a call runs on a GPU: fa::on(stream). For translation units that nvcc or a HIP compiler
// compiles.
#pragma once

#include <fa/machine/select.hpp>

#if FA_NV

#include <fa/machine/nv/launch.hpp>

namespace fa {

/// A stream of an NVIDIA GPU. Calls are enqueued, never waited for; they can be captured into a
/// graph.
struct cuda_stream {
  cudaStream_t stream = nullptr;
};

/// Runs on the current device, in the order of `stream`.
inline cuda_stream on(cudaStream_t stream) { return {stream}; }

}  // namespace fa

#elif FA_AMD

#include <fa/machine/amd/launch.hpp>

namespace fa {

/// A stream of an AMD GPU. Calls are enqueued, never waited for; they can be captured into a graph.
struct hip_stream {
  hipStream_t stream = nullptr;
};

/// Runs on the current device, in the order of `stream`.
inline hip_stream on(hipStream_t stream) { return {stream}; }

}  // namespace fa

#endif
