// K and V as the consumers see them: steps that producer warps bring, and the order of products and
// softmax.
#pragma once

#include <fa/machine/nv/hopper/block_memory.hpp>
#include <fa/machine/nv/hopper/product_verbs.hpp>

#if FA_NV

namespace fa::nv_machine {

/// The steps of BN keys that the rows of a block need.
template <int BN, class Mask>
FA_DEVICE block_steps steps_of(const Mask& mask, const block_rows& at, int keys) {
  const key_span all = within(mask.span(at.block_tokens(), keys), keys);
  return {all.begin, ceil_div(all.end - all.begin, BN), keys};
}

/// Those of `rows` of them from `row` on; there may be no such row.
template <int BN, class Mask>
FA_DEVICE group_steps steps_of(const Mask& mask, const block_rows& at, const block_steps& steps,
                               int row, int rows) {
  const group_steps none{steps.first, steps.first, 0, 0};
  if (rows <= 0) return none;
  const key_span own = within(mask.span(at.tokens(row, rows), steps.keys), steps.keys);
  if (own.begin >= own.end) return none;
  const int before = clamp((own.begin - steps.first) / BN, 0, steps.count),
            end = min_of(own.end, steps.first + steps.count * BN);
  return {steps.first + before * BN, end, own.full_begin, own.full_end - (BN - 1)};
}

/// In the place of K and V: the producers know where they lie, and bring them.
struct brought_rows {};

/// Walks the keys that the rows of a block see, a warpgroup those of its own rows. Products of the
/// tensor cores and softmax overlap: the scores of a step are issued before the product of the step
/// before, and softmax runs under that and under the products of the other warpgroups. (Issuing in
/// turns, by named barriers, was slower.)
template <class M, class T, int R, int BN, int D, int DV>
struct warpgroup_stream {
  brought_rows k, v;
  kept_position<M> position;

  using memory = block_memory<M, R, BN, D, DV>;
  using state = block_state<M>;

  /// For each step: p = weigh(scores(K), first key, edge), then accumulate(p, V). `edge`: the mask
  /// may drop something inside, or keys end. All warps pass all steps of the block, and a warpgroup
  /// computes its own. Few numbers are kept over the loop, and steps are named by their first key:
  /// registers are scarce.
  template <class Mask, class Scores, class Weigh, class Accumulate>
  FA_DEVICE void visit(const Mask&, const Scores& scores, const Weigh& weigh,
                       const Accumulate& accumulate) const {
    ring_place<M::slots> place{state::steps_done()};
    const group_steps own = state::own_steps();
    pass_by(place,
            place.step + static_cast<std::uint32_t>((own.begin - state::steps().first) / BN));
    const auto edge = [&](int key)
                          FA_LAMBDA { return key < own.full_begin || key >= own.full_end; };
    const auto next_scores = [&] FA_LAMBDA {
      wait_phase(state::keys_full(place.slot()), place.full_parity());
      return scores(chunked_step<T, BN, D>{memory::keys(place.slot())});
    };
    const auto multiply = [&](const auto& p) FA_LAMBDA {  // by the values of the step before
      wait_phase(state::values_full(place.before().slot()), place.before().full_parity());
      accumulate(p, chunked_step<T, BN, DV>{memory::values(place.before().slot())});
    };

    if (own.begin < own.end) {
      auto s = next_scores();  // S [64, BN], under way
      await<0, T>(s);
      arrive_for_warp(state::keys_empty(place.slot()));
      auto p = weigh(s, own.begin, edge(own.begin));  // P [64, BN]
      ++place.step;
      FA_NO_UNROLL for (int key = own.begin + BN; key < own.end; key += BN) {
        auto s_next = next_scores();
        multiply(p);
        await<1, T>(s_next);
        arrive_for_warp(state::keys_empty(place.slot()));
        p = weigh(s_next, key, edge(key));  // awaits the product in the end
        arrive_for_warp(state::values_empty(place.before().slot()));
        ++place.step;
      }
      arrive(state::query_empty(state::query_slot()));
      multiply(p);
      wait_products<0>();
      arrive_for_warp(state::values_empty(place.before().slot()));
    } else {
      arrive(state::query_empty(state::query_slot()));
    }
    pass_by(place, state::steps_done() + static_cast<std::uint32_t>(state::steps().count));
    state::set_steps_done(place.step);
  }

 private:
  /// Steps that only other warpgroups compute, up to step number `end`.
  FA_DEVICE static void pass_by(ring_place<M::slots>& place, std::uint32_t end) {
    FA_NO_UNROLL for (; place.step != end; ++place.step) {
      wait_phase(state::keys_full(place.slot()), place.full_parity());
      wait_phase(state::values_full(place.slot()), place.full_parity());
      arrive_for_warp(state::keys_empty(place.slot()));
      arrive_for_warp(state::values_empty(place.slot()));
    }
  }
};

}  // namespace fa::nv_machine

#endif
