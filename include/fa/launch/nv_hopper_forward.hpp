// The forward kernel on Hopper GPUs (sm_90a): blocks that stay, warps that bring K, V and Q, and
// warpgroups that compute.
#pragma once

#include <fa/launch/on.hpp>

#if FA_NV

#include <fa/launch/device_call.hpp>
#include <fa/launch/nv_hopper_tuning.hpp>
#include <fa/machine/nv/hopper/machine.hpp>
#include <fa/machine/nv/launch.hpp>

namespace fa {

/// How blocks of rows are dealt out to blocks of threads that stay: in units of some of the same
/// head, one unit after the other, each to the next block of threads. In units of more than one the
/// heaviest rows and the lightest take turns, so that under a causal mask all units cost the same.
struct nv_deal {
  unsigned units, units_per_head, unit_blocks, head_blocks;
  unsigned heads;   ///< of a sequence, those that share a block counted once
  unsigned merged;  ///< heads that share a block
};

/// A call by blocks of nv_machine::warpgroups.
template <class Call, nv_hopper_config cfg>
struct nv_hopper_forward {
  using T = typename Call::element;
  static constexpr int R = cfg.tile.q_rows, BN = cfg.tile.kv_rows, D = cfg.tile.head_dim,
                       DV = cfg.tile.value_dim;
  using machine =
      nv_machine::warpgroups<T, cfg.groups, cfg.slots, cfg.query_slots, cfg.output_chunks>;
  static constexpr int threads = machine::threads;
  static constexpr int shared_bytes = nv_machine::block_memory<machine, R, BN, D, DV>::bytes;
  static_assert(shared_bytes == nv_hopper_shared_bytes<D, DV>(cfg));

  using rows_block = typename Call::rows_block;
  using state = nv_machine::block_state<machine>;

  /// See forward_problem. Where outputs lie is found out when they are written.
  struct problem {
    using element = T;
    const nv_hopper_forward& work;
    group_view<const T> q;
    nv_machine::brought_rows k, v;
    float scale, query_factor;
    FA_DEVICE auto output() const {
      using To = typename Call::output_element;
      return view(static_cast<To*>(state::outputs().o), work.call.o.token_stride,
                  work.call.o.head_stride);
    }
    FA_DEVICE auto output_lse() const {
      return view(state::outputs().lse, work.call.lse.token_stride, work.call.lse.head_stride);
    }
    template <class To>
    FA_DEVICE static group_view<To> view(To* first, i64 token_stride, i64 head_stride) {
      const block_rows rows = state::position();
      return {first, token_stride, head_stride, rows.first_row + rows.row_count, rows.group};
    }
  };

  CUtensorMap q_map, k_map, v_map;
  bool maps_query, maps_keys;  ///< else Q, or K and V, are copied row by row
  Call call;
  nv_deal deal;

  /// All that a block of threads does.
  FA_DEVICE void run() const {
    state::prepare();
    if (nv_machine::warp() >= machine::consumer_warps) {
      nv_machine::give_registers<machine::producer_registers>();
      if (nv_machine::warp() != machine::consumer_warps) {
        bring_queries();
      } else if (!maps_keys) {
        bring_keys<nv_machine::strided_copies<T>>([&](const rows_block& at) FA_LAMBDA {
          return nv_machine::keys_and_values<row_view<const T>>{call.keys(at), call.values(at)};
        });
      } else if (nv_machine::lane() == 0) {
        bring_keys<nv_machine::mapped_copies>([&](const rows_block& at) FA_LAMBDA {
          return nv_machine::keys_and_values<nv_machine::mapped_rows>{mapped(k_map, at),
                                                                      mapped(v_map, at)};
        });
      }
    } else {
      nv_machine::take_registers<machine::consumer_registers>();
      FA_NO_UNROLL for (;;) {
        state::next_block();
        const rows_block at = told(state::note());
        if (!nv_machine::any_lane(at.exists))
          break;  // a vote: the compiler then knows that warps stay together
        const sequence s = call.sequence_of(at);
        forward<machine, cfg.tile>(problem_of(at), call.mask.bind(s), call.score.bind(s), at.block);
      }
    }
  }

 private:
  /// Calls f for each block of rows that this block of threads has, in their order.
  template <class F>
  FA_DEVICE void for_each_block(const F& f) const {
    unsigned done = 0;  // blocks of the unit
    FA_NO_UNROLL for (unsigned unit = blockIdx.x; unit < deal.units;) {
      const unsigned head = unit / deal.units_per_head, b = head / deal.heads;
      const unsigned i = (unit - head * deal.units_per_head) * deal.unit_blocks + done;
      const unsigned place = deal.unit_blocks == 1 ? i
                             : i % 2 == 0          ? i / 2
                                                   : deal.head_blocks - 1 - i / 2;
      ++done;
      if (done == deal.unit_blocks || i + 1 == deal.head_blocks) {
        done = 0;
        unit += gridDim.x;
      }
      const auto at = call.block_of(b, (head - b * deal.heads) * deal.merged, place, R);
      if (at.exists) f(at);
    }
  }

  FA_DEVICE problem problem_of(const rows_block& at) const {
    return {*this, call.queries(at), {}, {}, call.scale, call.query_factor};
  }

  FA_DEVICE nv_machine::mapped_rows mapped(const CUtensorMap& map, const rows_block& at) const {
    const int head = call.kv_head(at), count = static_cast<int>(at.keys.count);
    if (!call.packed()) return {&map, 0, head, static_cast<int>(at.batch)};
    return {&map, static_cast<int>(call.k.seqlen) - count, head,
            static_cast<int>(at.keys.first) + count};
  }

  FA_DEVICE block_rows position_of(const rows_block& at) const {
    return machine::template rows_in_block<R>(
        at.block, static_cast<int>(at.queries.count) * at.merged, at.merged);
  }

  /// rows(at): where K and V of a block of rows lie.
  template <class Copies, class Rows>
  FA_DEVICE void bring_keys(const Rows& rows) const {
    nv_machine::key_feed<machine, R, BN, D, DV, Copies> feed;
    for_each_block([&](const rows_block& at) FA_LAMBDA {
      feed.feed(rows(at), call.mask.bind(call.sequence_of(at)), position_of(at),
                static_cast<int>(at.keys.count));
    });
  }

  FA_DEVICE void bring_queries() const {
    nv_machine::query_feed<machine, T, R, BN, D, DV> feed;
    for_each_block([&](const rows_block& at) FA_LAMBDA {
      const auto rows = call.queries(at);
      const nv_machine::mapped_query mapped{
          maps_query ? &q_map : nullptr,
          static_cast<int>(static_cast<unsigned>(at.head) / static_cast<unsigned>(at.merged)),
          static_cast<int>(at.batch)};
      feed.feed(rows, mapped, call.query_factor, call.mask.bind(call.sequence_of(at)),
                static_cast<int>(at.keys.count), position_of(at), tell(at),
                {call.output(at).data, call.output_lse(at).data});
    });
    feed.finish(tell({}));
  }

  // The producers find out which rows are next, and tell the consumers.

  FA_DEVICE static nv_machine::block_note tell(const rows_block& at) {
    const auto small = [](i64 x) FA_LAMBDA { return static_cast<int>(x); };
    return {{at.exists ? at.block : -1, small(at.batch), small(at.head), at.merged,
             small(at.queries.first), small(at.queries.count), small(at.keys.first),
             small(at.keys.count)}};
  }
  FA_DEVICE static rows_block told(const nv_machine::block_note& note) {
    return {
        note.x[0] >= 0,        note.x[1], note.x[2], note.x[3], note.x[0], {note.x[4], note.x[5]},
        {note.x[6], note.x[7]}};
  }
};

/// Empty but where the compiler's target is sm_90a: most_threads of it says which image the GPU
/// has.
template <class Work, int Threads>
__global__ void __launch_bounds__(FA_NV_HOPPER ? Threads : nv_machine::warp_lanes, 1)
    nv_hopper_forward_kernel(const __grid_constant__ Work work) {
#if FA_NV_HOPPER
  work.run();
#endif
}

namespace detail {

/// The first rows of a sequence see fewer keys than the last, or more.
template <class Mask>
bool grows_along_rows(const Mask&) {
  return false;
}
inline bool grows_along_rows(const window& mask) { return (mask.left < 0) != (mask.right < 0); }
inline bool grows_along_rows(const causal_top_left&) { return true; }

/// Deals out the blocks of a call; no units where there are too many.
template <class Call>
nv_deal deal_of(const Call& call, int q_rows) {
  const bool packed = call.packed();
  const int merged = packed ? 1 : call.merged(call.q.seqlen, q_rows);
  const i64 heads = call.q.heads / merged,
            blocks = packed ? call.blocks_per_head : ceil_div<i64>(call.q.seqlen * merged, q_rows);
  const auto small = [](i64 x) { return static_cast<unsigned>(x); };
  nv_deal deal{.units = 0,
               .units_per_head = 0,
               .unit_blocks = 1,
               .head_blocks = small(blocks),
               .heads = small(heads),
               .merged = small(merged)};
  if (call.batch * heads * blocks > nv_machine::most_blocks / 2) return deal;
  if (!packed && grows_along_rows(call.mask)) deal.unit_blocks = blocks <= 3 ? deal.head_blocks : 2;
  deal.units_per_head = ceil_div(deal.head_blocks, deal.unit_blocks);
  deal.units = small(call.batch * heads) * deal.units_per_head;
  return deal;
}

/// Enqueues a call on a GPU that has an image of the kernel. False: it has none, or an address or a
/// stride is no multiple of 16 bytes; then nothing was done.
template <class V>
bool nv_run_hopper(const cuda_stream& where, const forward_arguments<V>& a, status& result) {
  constexpr nv_hopper_config cfg = nv_hopper_forward_config<V::dims::query, V::dims::value>(
      !is_identity<typename V::score>);
  using work_type = nv_hopper_forward<device_call_of<V, V::packed>, cfg>;
  nv_machine::require_fitting_arguments<work_type>();
  const auto* kernel = reinterpret_cast<const void*>(
      nv_hopper_forward_kernel<work_type, work_type::threads>);
  int multiprocessors = 0;
  if (!nv_machine::has_image_for(kernel, work_type::threads, multiprocessors)) return false;
  if (!nv_machine::copies_rows(a.q) || !nv_machine::copies_rows(a.k) ||
      !nv_machine::copies_rows(a.v))
    return false;
  work_type work{.q_map = {},
                 .k_map = {},
                 .v_map = {},
                 .maps_query = false,
                 .maps_keys = false,
                 .call = device_call_from<V::packed>(a, cfg.tile.q_rows),
                 .deal = {}};
  work.deal = deal_of(work.call, cfg.tile.q_rows);
  if (work.deal.units == 0) return false;
  work.maps_keys = nv_machine::make_rows_map(work.k_map, a.k, V::packed, cfg.tile.kv_rows) &&
                   nv_machine::make_rows_map(work.v_map, a.v, V::packed, cfg.tile.kv_rows);
  work.maps_query = !V::packed && work.call.query_factor == 1.f &&
                    nv_machine::make_query_map(work.q_map, a.q, static_cast<int>(work.deal.merged));
  // Packed sequences differ in length: then blocks of threads do not stay, and the GPU deals out
  // units as it becomes free.
  const unsigned blocks = V::packed
                              ? work.deal.units
                              : min_of(work.deal.units, static_cast<unsigned>(multiprocessors));
  void* arguments[] = {&work};
  result = nv_machine::allow_shared(kernel, work_type::shared_bytes);
  if (result)
    result = nv_machine::enqueue(kernel, arguments, blocks, work_type::threads,
                                 work_type::shared_bytes, where.stream);
  return true;
}

}  // namespace detail

}  // namespace fa

#endif
