// Any kernel that streams two tensors, on Hopper GPUs (sm_90a): blocks of threads that stay, tensor
// maps, and the schedule.
#pragma once

#include <fa/launch/on.hpp>

#if FA_NV

#include <fa/launch/call.hpp>
#include <fa/launch/hopper_tuning.hpp>
#include <fa/launch/schedule.hpp>
#include <fa/machine/nv/hopper/warp_roles.hpp>
#include <fa/machine/nv/launch.hpp>

namespace fa {

/// A call as a block of threads of the Hopper machine works on it: see nv_machine::run_roles.
template <class Kernel, class Call>
struct hopper_work {
  using tiles = hopper_tiles<typename Call::shape, Kernel::template has_score<Call>>;
  static constexpr hopper_config config = tiles::config;
  static constexpr auto tile = config.tile;
  using machine = nv_machine::warpgroups<typename tiles::element, config.warpgroups, config.stages,
                                         config.query_stages, config.output_panels,
                                         typename Call::first_outputs>;
  static constexpr int threads = machine::threads;
  static constexpr int shared_bytes = tiles::shared_bytes;
  static constexpr int streamed = 2;  ///< tensors that have maps

  CUtensorMap query_map, maps[streamed];
  bool maps_query, maps_keys;  ///< else Q, or K and V, are copied row by row
  Call call;
  tile_schedule schedule;

  FA_DEVICE void run() const {
    nv_machine::run_roles<machine, tile.q_rows, tile.kv_rows, tile.head_dim, tile.value_dim>(*this);
  }

  // What run_roles asks for.

  template <class F>
  FA_DEVICE void for_each_item(const F& f) const {
    schedule.for_each(nv_machine::block_number(), nv_machine::block_count(),
                      [&](const work_place& place) FA_LAMBDA {
                        const work_item item = call.item_at(place, tile.q_rows);
                        if (item.exists) f(item);
                      });
  }
  template <int R>
  FA_DEVICE static block_rows block_of(const work_item& item) {
    return whole_block<R>(item.block, item.rows(), item.heads);
  }
  FA_DEVICE auto mask_of(const work_item& item) const {
    return call.mask.bind(item.bound_sequence());
  }
  FA_DEVICE static int keys_of(const work_item& item) { return static_cast<int>(item.keys.count); }
  FA_DEVICE static sequence sequence_of(const work_item& item) { return item.bound_sequence(); }
  FA_DEVICE auto queries_of(const work_item& item) const { return call.queries(item); }
  FA_DEVICE auto first_outputs_of(const work_item& item) const {
    return call.first_outputs_of(item);
  }
  FA_DEVICE nv_machine::mapped_query mapped_query_of(const work_item& item) const {
    const int head = static_cast<int>(static_cast<unsigned>(item.head) /
                                      static_cast<unsigned>(item.heads));
    return {maps_query ? &query_map : nullptr, head, static_cast<int>(item.batch)};
  }
  template <int I>
  FA_DEVICE auto strided_of(const work_item& item) const {
    return call.keys_of(Kernel::template streamed<I>(call), item);
  }
  template <int I>
  FA_DEVICE nv_machine::mapped_rows mapped_of(const work_item& item) const {
    const int head = call.key_head(item), count = keys_of(item);
    if (!call.packed()) return {&maps[I], 0, head, static_cast<int>(item.batch)};
    return {&maps[I], static_cast<int>(call.seqlen_k) - count, head,
            static_cast<int>(item.keys.first) + count};
  }
  FA_DEVICE void compute(const nv_machine::received_tile<machine>& received) const {
    Kernel::template run<machine, tile>(Kernel::problem_of_received(call, received));
  }
};

/// Empty but where the compiler's target is sm_90a: most_threads of it says which image the GPU
/// has.
template <class Work, int Threads>
__global__ void __launch_bounds__(FA_NV_HOPPER ? Threads : nv_machine::warp_lanes, 1)
    hopper_entry(const __grid_constant__ Work work) {
#if FA_NV_HOPPER
  work.run();
#endif
}

namespace detail {

/// Enqueues a kernel on a GPU that has an image of it for this machine. False: it has none, or an
/// address or a stride is no multiple of 16 bytes; then nothing was done.
template <class Kernel, class Arguments>
bool launch_on_hopper(const cuda_stream& where, const Arguments& a, status& result) {
  constexpr bool packed = decltype(Kernel::packed(a))::value;
  auto call = Kernel::template call_of<packed>(a);
  using work_type = hopper_work<Kernel, decltype(call)>;
  nv_machine::require_fitting_arguments<work_type>();
  const auto* kernel = reinterpret_cast<const void*>(hopper_entry<work_type, work_type::threads>);
  int multiprocessors = 0;
  if (!nv_machine::has_image_for(kernel, work_type::threads, multiprocessors)) return false;
  if (!nv_machine::copies_rows(call.q)) return false;
  bool copies = true;
  Kernel::for_each_streamed(call, [&](const auto& tensor, const char*) {
    copies = copies && nv_machine::copies_rows(tensor);
  });
  if (!copies) return false;
  constexpr auto tile = work_type::tile;
  call.blocks_per_head = ceil_div<i64>(Kernel::most_queries(a), tile.q_rows);
  work_type work{.query_map = {},
                 .maps = {},
                 .maps_query = false,
                 .maps_keys = true,
                 .call = call,
                 .schedule = schedule_of(call, tile.q_rows, fa::rows_grow(call.mask),
                                         nv_machine::most_blocks / 2)};
  if (work.schedule.units == 0) return false;
  int next = 0;
  Kernel::for_each_streamed(call, [&](const auto& tensor, const char*) {
    work.maps_keys = work.maps_keys &&
                     nv_machine::make_rows_map(work.maps[next++], tensor, packed, tile.kv_rows);
  });
  work.maps_query = !packed && call.query_factor == 1.f &&
                    nv_machine::make_query_map(work.query_map, call.q,
                                               static_cast<int>(work.schedule.packed_heads));
  // Packed sequences differ in length: then blocks of threads do not stay, and the GPU deals out
  // units as it becomes free.
  const unsigned blocks = packed
                              ? work.schedule.units
                              : min_of(work.schedule.units, static_cast<unsigned>(multiprocessors));
  void* arguments[] = {&work};
  result = nv_machine::allow_shared(kernel, work_type::shared_bytes);
  if (result) {
    result = nv_machine::enqueue(kernel, arguments, blocks, work_type::threads,
                                 work_type::shared_bytes, where.stream);
  }
  return true;
}

}  // namespace detail

}  // namespace fa

#endif
