// The log-sum-exp of each row, where it is wanted. Part of every call; no type names it.
#pragma once

#include <cstdint>

#include <fa/core/tensor.hpp>
#include <fa/launch/option/option.hpp>
#include <fa/launch/rules.hpp>

namespace fa::detail {

struct lse_option : option {
  template <class Rules, class Arguments>
  static void check_memory(Rules& r, const Arguments& a) {
    const row_tensor& lse = a.lse;
    if (!r.ok() || lse.data == nullptr) return;
    const auto address = reinterpret_cast<std::uintptr_t>(lse.data);
    r.require_equal(lse.batch, a.q.batch, "lse.batch", "must equal q.batch", "q.batch");
    r.require_equal(lse.heads, a.q.heads, "lse.heads", "must equal q.heads", "q.heads");
    r.require_equal(lse.seqlen, a.q.seqlen, "lse.seqlen", "must equal q.seqlen", "q.seqlen");
    r.require(address % alignof(float) == 0, status_code::misaligned, "lse",
              "must be aligned to float", static_cast<i64>(address));
    if (lse.batch <= 0 || lse.heads <= 0 || lse.seqlen <= 0) return;
    r.require(extent_fits(lse.batch, lse.batch_stride, lse.heads, lse.head_stride, lse.seqlen,
                          lse.token_stride),
              status_code::bad_stride, "lse", "strides times sizes must stay below 2^61 elements",
              lse.batch_stride);
    check_apart(r, 1, {lse.batch, lse.heads, lse.seqlen},
                {lse.batch_stride, lse.head_stride, lse.token_stride},
                {"lse.batch_stride", "lse.head_stride", "lse.token_stride"});
  }
};

}  // namespace fa::detail
