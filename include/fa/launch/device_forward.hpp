// The forward kernel for a call, one block of rows a work item.
#pragma once

#include <fa/kernel/forward.hpp>
#include <fa/launch/device_call.hpp>

namespace fa {

/// A call, and what a work item of it does. Outputs are looked up in the kernel's argument, *this,
/// when they are written: no registers hold them before.
template <class T, class To, class Mask, class Score>
struct device_forward {
  using call_type =
      device_call<T, To, Mask, Score, true>;  // one kernel for dense and for packed tokens
  using rows_block = typename call_type::rows_block;

  call_type call;

  template <class M, forward_config cfg>
  FA_FN void run(i64 item) const {
    const rows_block at = call.template block_of_item<M>(item, cfg.q_rows);
    if (!at.exists) return;
    const sequence s = call.sequence_of(at);
    const problem<M> of_block{.q = call.queries(at),
                              .k = call.keys(at),
                              .v = call.values(at),
                              .scale = call.scale,
                              .query_factor = call.query_factor,
                              .at = at};
    forward<M, cfg>(of_block, call.mask.bind(s), call.score.bind(s), at.block);
  }

 private:
  /// What the kernel asks for; see forward_problem.
  template <class M>
  struct problem {
    using element = T;
    group_view<const T> q;
    row_view<const T> k, v;
    float scale, query_factor;
    rows_block at;

    FA_FN group_view<To> output() const {
      return M::template first_argument<device_forward>().call.output(at);
    }
    FA_FN group_view<float> output_lse() const {
      return M::template first_argument<device_forward>().call.output_lse(at);
    }
  };
};

}  // namespace fa
