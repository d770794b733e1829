// K and V as the consumers see them: steps that a producer brings, and the order of products and
// softmax.
#pragma once

#include <fa/machine/nv/hopper/block_memory.hpp>
#include <fa/machine/nv/hopper/product_verbs.hpp>

#if FA_NV

namespace fa::nv_machine {

/// In the place of a tensor: a producer knows where its rows lie, and brings them.
struct received_tensor {};

/// Steps of BN rows of what Brings names.
template <class M, int R, int BN, class Brings, class... Sources>
struct warpgroup_stream : unsupported_stream<Brings> {};

/// Keys and values. Products of the tensor cores and softmax overlap: the scores of a step are
/// issued before the product of the step before, and softmax runs under that and under the products
/// of the other warpgroups. (Issuing in turns, by named barriers, was slower.)
template <class M, int R, int BN, class T, int D, int DV>
struct warpgroup_stream<M, R, BN, abt_then_ab<T, D, DV>, received_tensor, received_tensor> {
  received_tensor k, v;
  kept_position<M> position;

  using abt_tile = panel_step<T, BN, D>;  ///< what `scores` gets
  using ab_tile = panel_step<T, BN, DV>;  ///< what `accumulate` gets

  using memory = block_memory<M, R, BN, D, DV>;
  using state = block_state<M>;

  /// All warps pass all steps of the block, and a warpgroup computes its own. Few numbers are kept
  /// over the loop, and steps are named by their first key: registers are scarce.
  template <class Scores, class Weigh, class Accumulate>
  FA_DEVICE void visit(const kept_walk<M>& walk, const Scores& scores, const Weigh& weigh,
                       const Accumulate& accumulate) const {
    ring_place<M::stages> place{state::steps_done()};
    const row_steps own = walk.own();
    pass_by(place, place.step + static_cast<std::uint32_t>((own.begin - walk.first()) / BN));
    const auto next_scores = [&] FA_LAMBDA {
      wait_phase(state::keys_full(place.stage()), place.full_parity());
      return scores(abt_tile{memory::keys(place.stage())});
    };
    const auto multiply = [&](const auto& p) FA_LAMBDA {  // by the values of the step before
      const int stage = place.before().stage();
      wait_phase(state::values_full(stage), place.before().full_parity());
      accumulate(p, ab_tile{memory::values(stage)});
    };

    if (own.any()) {
      auto s = next_scores();  // S [64, BN], under way
      await<0, T>(s);
      arrive_for_warp(state::keys_empty(place.stage()));
      auto p = weigh(s, own.begin, own.edge(own.begin));  // P [64, BN]
      ++place.step;
      FA_NO_UNROLL for (int key = own.begin + BN; key < own.end; key += BN) {
        auto s_next = next_scores();
        multiply(p);
        await<1, T>(s_next);
        arrive_for_warp(state::keys_empty(place.stage()));
        p = weigh(s_next, key, own.edge(key));  // awaits the product in the end
        arrive_for_warp(state::values_empty(place.before().stage()));
        ++place.step;
      }
      arrive(state::query_empty(state::query_stage()));
      multiply(p);
      wait_products<0>();
      arrive_for_warp(state::values_empty(place.before().stage()));
    } else {
      arrive(state::query_empty(state::query_stage()));
    }
    pass_by(place, state::steps_done() + static_cast<std::uint32_t>(walk.count()));
    state::set_steps_done(place.step);
  }

 private:
  /// Steps that only other warpgroups compute, up to step number `end`.
  FA_DEVICE static void pass_by(ring_place<M::stages>& place, std::uint32_t end) {
    FA_NO_UNROLL for (; place.step != end; ++place.step) {
      wait_phase(state::keys_full(place.stage()), place.full_parity());
      wait_phase(state::values_full(place.stage()), place.full_parity());
      arrive_for_warp(state::keys_empty(place.stage()));
      arrive_for_warp(state::values_empty(place.stage()));
    }
  }
};

}  // namespace fa::nv_machine

#endif
