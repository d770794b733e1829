// Any kernel on NVIDIA GPUs: by the Hopper machine where it can, else by mma.sync, a block of warps
// for each block of rows.
#pragma once

#include <fa/launch/on.hpp>

#if FA_NV

#include <fa/launch/call.hpp>
#include <fa/launch/hopper_launcher.hpp>
#include <fa/launch/nv_tuning.hpp>
#include <fa/launch/schedule.hpp>
#include <fa/machine/nv/launch.hpp>
#include <fa/machine/nv/machine.hpp>

namespace fa {

/// A kernel for calls of one shape, built for GPUs with so much shared memory.
template <class Shape, int MostSharedBytes>
struct nv_build {
  using tiles = nv_tiles<Shape, MostSharedBytes>;
  static constexpr nv_config config = tiles::config;
  static constexpr auto tile = config.tile;
  using machine =
      nv_machine::warps<typename tiles::element, config.warps, config.column_splits, config.stages>;
  static constexpr int shared_bytes =
      nv_machine::shared_plan<typename tiles::element, tiles::query_cols,
                              typename tiles::brings>::all(tile.q_rows, tile.kv_rows, config.stages,
                                                           config.column_splits);
};

/// Block i is work item first + i.
template <class Kernel, class Build, class Call, int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks)
    nv_entry(const __grid_constant__ Call call, i64 first) {
  const work_item item = call.item_at(fa::in_order(call)(first + nv_machine::block_number()),
                                      Build::tile.q_rows);
  if (!item.exists) return;
  Kernel::template run<typename Build::machine, Build::tile>(
      Kernel::problem_of(call, item, held_outputs{call.outputs(item)}));
}

namespace detail {

/// Enqueues a call with the tiles of a build.
template <class Kernel, class Build, class Call>
status nv_launch(const cuda_stream& where, Call call, i64 most_queries) {
  call.blocks_per_head = ceil_div<i64>(most_queries, Build::tile.q_rows);
  constexpr int threads = Build::machine::threads;
  return nv_machine::launch(nv_entry<Kernel, Build, Call, threads, Build::config.blocks>, call,
                            fa::in_order(call).items(), threads, Build::shared_bytes, where.stream);
}

/// Enqueues a kernel on arguments that were checked. Large heads have tiles for GPUs with much and
/// with little shared memory.
template <class Kernel, class Arguments>
status launch(const cuda_stream& where, const Arguments& a) {
  if (Kernel::has_no_rows(a)) return {};
  // One kernel for dense and for packed tokens.
  using call_type = decltype(Kernel::template call_of<true>(a));
  using shape = typename call_type::shape;
  if constexpr (hopper_tiles<shape, Kernel::template has_score<call_type>>::exist) {
    if (status s; launch_on_hopper<Kernel>(where, a, s)) return s;
  }
  const call_type call = Kernel::template call_of<true>(a);
  using large = nv_build<shape, nv_most_shared_bytes>;
  using small = nv_build<shape, nv_least_shared_bytes>;
  if constexpr (large::config != small::config) {
    int most = 0;
    if (status s = nv_machine::shared_limit(most); !s) return s;
    if (most < nv_most_shared_bytes) {
      return nv_launch<Kernel, small>(where, call, Kernel::most_queries(a));
    }
  }
  return nv_launch<Kernel, large>(where, call, Kernel::most_queries(a));
}

}  // namespace detail

}  // namespace fa

#endif
