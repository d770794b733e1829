// What the warps of a block do: a warpgroup of producers brings what the warpgroups of consumers
// need, and publishes which block of rows is next. Registers go from the one to the others.
#pragma once

#include <fa/machine/nv/hopper/kv_producer.hpp>
#include <fa/machine/nv/hopper/machine.hpp>
#include <fa/machine/nv/hopper/q_producer.hpp>

#if FA_NV

namespace fa::nv_machine {

/// What a consumer has received: a block of rows, its walk, and where its outputs lie.
template <class M>
struct received_tile {
  using state = block_state<M>;
  using query = received_query;
  using source = received_tensor;

  sequence of;
  bool exists;  ///< else there are no more blocks of rows

  /// The next block of rows that this warp shall compute, when its Q has come.
  FA_DEVICE static received_tile next() {
    state::next_block();
    const auto [of, rows] = state::received_head();
    return {of, rows.row_count > 0};
  }
  FA_DEVICE static kept_position<M> rows() { return {}; }
  FA_DEVICE static kept_walk<M> walk() { return {}; }
  FA_DEVICE static typename M::first_outputs first_outputs() { return state::received_outputs(); }
  /// Rows of the outputs up to the last of the block, and rows of a token.
  FA_DEVICE static published_rows published() { return state::received_rows(); }
};

/// All that a block of threads does. Work gives the blocks of rows that this block of threads has,
/// by for_each_item(f), which calls f(item) in order; and of an item its rows in the block, its
/// bound mask, Q, the sources of K and V, and where outputs lie. compute(tile) is what consumers do
/// with a tile that they received.
template <class M, int R, int BN, int D, int DV, class Work>
FA_DEVICE void run_roles(const Work& work) {
  using state = block_state<M>;
  state::prepare();
  if (warp() >= M::consumer_warps) {
    give_registers<M::producer_registers>();
    const auto bring_keys = [&](auto copies, const auto& source) FA_LAMBDA {
      kv_producer<M, R, BN, D, DV, decltype(copies)> producer;
      work.for_each_item([&](const auto& item) FA_LAMBDA {
        const auto at = work.template block_of<R>(item);
        const auto k = source(item, constant<0>{}), v = source(item, constant<1>{});
        producer.bring(
            walk_of<void, BN, last_step::padded>(work.mask_of(item), at, work.keys_of(item)), k, v);
      });
    };
    if (warp() != M::consumer_warps) {
      q_producer<M, typename M::element, R, BN, D, DV> producer;
      work.for_each_item([&](const auto& item) FA_LAMBDA {
        producer.bring(work.queries_of(item), work.mapped_query_of(item),
                       work.template block_of<R>(item), work.mask_of(item), work.keys_of(item),
                       work.sequence_of(item), work.first_outputs_of(item));
      });
      producer.finish();
    } else if (!work.maps_keys) {
      bring_keys(strided_copies{}, [&](const auto& item, auto i) FA_LAMBDA {
        return work.template strided_of<i.value>(item);
      });
    } else if (lane() == 0) {
      bring_keys(mapped_copies{}, [&](const auto& item, auto i)
                                      FA_LAMBDA { return work.template mapped_of<i.value>(item); });
    }
  } else {
    take_registers<M::consumer_registers>();
    FA_NO_UNROLL for (;;) {
      const auto tile = received_tile<M>::next();
      // A vote: the compiler then knows that warps stay together.
      if (!any_lane(tile.exists)) break;
      work.compute(tile);
    }
  }
}

}  // namespace fa::nv_machine

#endif
