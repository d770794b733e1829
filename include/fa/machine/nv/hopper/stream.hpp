// K and V as the consumers see them: steps that producer warps bring, and the order of products and softmax.
#pragma once

#include <fa/machine/nv/hopper/block_memory.hpp>
#include <fa/machine/nv/hopper/product_verbs.hpp>

#if FA_NV

namespace fa::nv_machine {

/// The steps of BN keys that some rows of a block see: step i brings keys first + i BN and following.
template <int BN>
struct key_steps {
  int first, count;

  template <class Mask>
  FA_DEVICE static key_steps of(const Mask& mask, const block_position& at, int keys) {
    const key_span all = within(mask.span(at.block_tokens(), keys), keys);
    return {all.begin, ceil_div(all.end - all.begin, BN)};
  }
};

/// Walks the keys that the rows of a block see, a warpgroup those of its own rows. Products of the tensor cores and softmax
/// overlap: the scores of a step are issued before the product of the step before, and softmax runs under that and under the
/// products of the other warpgroups. (Issuing in turns, by named barriers, was slower.)
template <class M, class T, int R, int BN, int D, int DV>
struct warpgroup_stream {
  row_view<const T> k;                                     // K [keys, D]
  row_view<const T> v;                                     // V [keys, DV]
  kept_position<M> position;

  using memory = block_memory<M, R, BN, D, DV>;
  using state = block_state<M>;

  /// For each step: p = weigh(scores(K), first key, edge), then accumulate(p, V). `edge`: the mask may drop something inside, or
  /// keys end. All warps pass all steps of the block, and a warpgroup computes those between `begin` and `end`.
  template <class Mask, class Scores, class Weigh, class Accumulate>
  FA_DEVICE void visit(const Mask& mask, const Scores& scores, const Weigh& weigh, const Accumulate& accumulate) const {
    const block_position at = position.here();
    const key_steps<BN> steps = key_steps<BN>::of(mask, at, k.rows);
    const int group_row = M::group() * M::group_rows, rows = min_of(M::group_rows, at.row_count - group_row);
    const key_span own = rows > 0 ? within(mask.span(at.tokens(group_row, rows), k.rows), k.rows) : key_span{0, 0, 0, 0};
    const int begin = own.begin < own.end ? clamp((own.begin - steps.first) / BN, 0, steps.count) : 0;
    const int end = own.begin < own.end ? clamp(ceil_div(own.end - steps.first, BN), begin, steps.count) : 0;
    // Steps from full_begin to full_end need no mask. Few numbers are kept over the loop: registers are scarce.
    const int full_begin = ceil_div(max_of(own.full_begin - steps.first, 0), BN);
    const int full_end = max_of(own.full_end - steps.first, 0) / BN;
    const auto first_key = [&](int step) FA_LAMBDA { return steps.first + step * BN; };
    const auto edge = [&](int step) FA_LAMBDA { return step < full_begin || step >= full_end; };
    auto place = ring_place<M::slots>::after(state::load_progress().steps);
    const auto keys = [&](int step) FA_LAMBDA {
      return chunked_step<T, BN, D>{memory::keys(place.slot), min_of(BN, k.rows - first_key(step))};
    };

    FA_NO_UNROLL for (int step = 0; step < begin; ++step) pass_by(place);
    if (begin < end) {
      wait_phase(state::keys_full(place.slot), place.parity);
      auto s = scores(keys(begin));                                                      // S [64, BN], under way
      await<0, T>(s);
      release(state::keys_empty(place.slot));
      auto p = weigh(s, first_key(begin), edge(begin));                                  // P [64, BN]
      place.next();
      FA_NO_UNROLL for (int step = begin + 1; step < end; ++step) {
        wait_phase(state::keys_full(place.slot), place.parity);
        auto s_next = scores(keys(step));
        wait_phase(state::values_full(place.before().slot), place.before().parity);
        accumulate(p, values(place.before().slot));
        await<1, T>(s_next);
        release(state::keys_empty(place.slot));
        p = weigh(s_next, first_key(step), edge(step));                                  // awaits the product in the end
        release(state::values_empty(place.before().slot));
        place.next();
      }
      release_query();
      wait_phase(state::values_full(place.before().slot), place.before().parity);
      accumulate(p, values(place.before().slot));
      wait_products<0>();
      release(state::values_empty(place.before().slot));
    } else {
      release_query();
    }
    FA_NO_UNROLL for (int step = end; step < steps.count; ++step) pass_by(place);
    const auto progress = state::load_progress();
    state::store_progress({progress.blocks + 1, progress.steps + static_cast<std::uint32_t>(steps.count)});
  }

 private:
  FA_DEVICE static chunked_step<T, BN, DV> values(int slot) { return {memory::values(slot), BN}; }

  /// This warp is done with what the barrier guards.
  FA_DEVICE static void release(std::uint32_t barrier) {
    if (lane() == 0) arrive(barrier);
  }

  /// Every lane for itself: all have read the note that came with it.
  FA_DEVICE static void release_query() {
    arrive(state::query_empty(static_cast<int>(state::load_progress().blocks % M::query_slots)));
  }

  /// A step that only other warpgroups compute.
  FA_DEVICE static void pass_by(ring_place<M::slots>& place) {
    wait_phase(state::keys_full(place.slot), place.parity);
    wait_phase(state::values_full(place.slot), place.parity);
    release(state::keys_empty(place.slot));
    release(state::values_empty(place.slot));
    place.next();
  }
};

}  // namespace fa::nv_machine

#endif
