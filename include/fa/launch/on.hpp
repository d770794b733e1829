// Where a call runs: on a GPU, by fa::on(stream), in translation units that nvcc or a HIP compiler
// compiles; on the host (see host_threads.hpp) in all others.
#pragma once

#include <concepts>

#include <fa/core/numeric.hpp>
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

/// Where a call can run: in a stream.
template <class Where>
concept Place = std::same_as<Where, cuda_stream>;

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

/// Where a call can run: in a stream.
template <class Where>
concept Place = std::same_as<Where, hip_stream>;

}  // namespace fa

#endif

#if FA_NV || FA_AMD

namespace fa {

/// Names of the host's places, which are none here: forward then says which files have them.
struct host {
  int threads = 0;
};
template <class ParallelFor>
struct host_with {
  ParallelFor parallel_for_each;
};
template <class ParallelFor>
host_with(ParallelFor) -> host_with<ParallelFor>;

}  // namespace fa

#else

namespace fa {

namespace detail {

/// Work items of a call, as far as a place to run knows them.
struct any_items {
  void operator()(i64 item) const;
};

/// What fa::on gives where it does not compile: a place, so that no second error follows.
struct no_stream {
  template <class Body>
  void parallel_for(i64, const Body&) const {}
};

}  // namespace detail

/// Where a call can run: on what calls work items from its threads, such as fa::host{} and
/// fa::host_with{parallel_for}.
template <class Where>
concept Place = requires(const Where where, i64 count, const detail::any_items body) {
  where.parallel_for(count, body);
};

/// Does not compile here: kernels for GPUs are made by the compilers for GPUs.
template <class Stream>
detail::no_stream on(const Stream&) {
  static_assert(always_false<Stream>,
                "fa::on(stream): this file is compiled for the host. Rule: nvcc or a HIP compiler "
                "makes kernels for GPUs. Remedy: compile this file with nvcc (-x cu) or a HIP "
                "compiler (hipcc, clang++ -x hip), or run on the host with fa::host{}");
  return {};
}

}  // namespace fa

#endif
