// The forward kernel on NVIDIA GPUs, by mma.sync: a block of warps for each block of rows.
#pragma once

#include <fa/launch/on.hpp>

#if FA_NV

#include <fa/launch/checks.hpp>
#include <fa/launch/device_call.hpp>
#include <fa/launch/nv_hopper_forward.hpp>
#include <fa/launch/nv_tuning.hpp>
#include <fa/machine/nv/launch.hpp>
#include <fa/machine/nv/machine.hpp>

namespace fa {

/// A call by blocks of nv_machine::warps.
template <class Call, nv_config cfg>
struct nv_forward {
  using machine = nv_machine::warps<typename Call::element, cfg.warps, cfg.parts, cfg.stages>;
  using stream =
      typename machine::template kv_stream<typename Call::element, cfg.tile.q_rows,
                                           cfg.tile.kv_rows, cfg.tile.head_dim, cfg.tile.value_dim>;
  static constexpr int threads = machine::threads;
  static constexpr int shared_bytes = stream::shared_bytes;

  Call call;

  FA_DEVICE void run(i64 item) const {
    const auto at = call.block_of_item(item, cfg.tile.q_rows);
    if (!at.exists) return;
    const sequence s = call.sequence_of(at);
    forward<machine, cfg.tile>(call.problem_of(at), call.mask.bind(s), call.score.bind(s),
                               at.block);
  }
};

/// Block i is work item first + i.
template <class Work, int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks)
    nv_forward_kernel(const __grid_constant__ Work work, i64 first) {
  work.run(first + blockIdx.x);
}

namespace detail {

/// Enqueues a call with the tiles of `cfg`.
template <nv_config cfg, class V>
status nv_run(const cuda_stream& where, const forward_arguments<V>& a) {
  using work_type =
      nv_forward<device_call_of<V, true>, cfg>;  // one kernel for dense and for packed tokens
  const work_type work{device_call_from<true>(a, cfg.tile.q_rows)};
  return nv_machine::launch(nv_forward_kernel<work_type, work_type::threads, cfg.blocks>, work,
                            work.call.items(), work_type::threads, work_type::shared_bytes,
                            where.stream);
}

/// Enqueues a call whose arguments were checked: by the Hopper machine where it can, else by
/// mma.sync. Large heads have tiles for GPUs with much and with little shared memory.
template <class V>
status run_forward(const cuda_stream& where, const forward_arguments<V>& a) {
  if (has_no_rows(a)) return {};
  using T = typename V::element;
  if constexpr (has_hopper_tiles<T, V::dims::query, V::dims::value>) {
    if (status s; nv_run_hopper(where, a, s)) return s;
  }
  constexpr nv_config large = nv_forward_config<T, V::dims::query, V::dims::value>(
      nv_most_shared_bytes);
  constexpr nv_config small = nv_forward_config<T, V::dims::query, V::dims::value>(
      nv_least_shared_bytes);
  if constexpr (large != small) {
    int most = 0;
    if (status s = nv_machine::shared_limit(most); !s) return s;
    if (most < nv_most_shared_bytes) return nv_run<small>(where, a);
  }
  return nv_run<large>(where, a);
}

}  // namespace detail

}  // namespace fa

#endif
