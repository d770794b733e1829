// The running softmax of a block of rows (Milakov and Gimelshein 2018; Dao 2023, Algorithm 1), in
// base 2, and the union of two that saw different keys (softmax_partial, merge).
#pragma once

#include <fa/core/numeric.hpp>
#include <fa/machine/math.hpp>
#include <fa/policy/softmax_partial.hpp>
#include <fa/policy/wide_range.hpp>
#include <fa/tile/verbs.hpp>

namespace fa {

/// Maximum m and sum l of BM rows of scores S, for P = 2^(c (S - m)), c = log2_scale, computed as
/// 2^(c S + neg_scaled_max). The maximum may lag behind by up to `slack` in the exponent: P then
/// grows up to 2^slack, and since l and O keep the same stale m, nothing is approximated; rescaling
/// O is skipped in most steps. Nor does it matter that neg_scaled_max is -c m rounded, as long as
/// it is near; where it is not, see wide_range.hpp.
template <class M, int BM>
struct softmax_state {
  static constexpr float slack = 8.f;
  using row = typename M::template row<BM>;

  row neg_scaled_max;     // [BM] -c m; where nothing was seen, the largest float; wide range: 0
  row rescale_threshold;  // [BM] the S from which on O must be rescaled; wide range: m
  typename M::template row_part<BM> l;  // [BM] sum of P; a lane's part
  float log2_scale;                     // c > 0
  bool wide_range = false;              // of all rows that run together

  FA_FN explicit softmax_state(float scale) : log2_scale(uniform<M>(scale)) {
    fill(neg_scaled_max, largest_float);
    fill(rescale_threshold, -infinity);
    fill(l, 0.f);
  }

  /// S [BM, BN] becomes P; m, l and O [BM, DV] keep up.
  template <class S, class O>
  FA_FN void advance(S& s, O& o) {
    const float scale = log2_scale;
    const auto top = max_cols_part(s);  // [BM]
    if (any_above(top, rescale_threshold)) [[unlikely]] {
      const auto alpha = raise(max_across(top));
      scale_rows(o, alpha);  // O = diag(alpha) O
      scale_rows(l, alpha);
    }
    if (wide_range) [[unlikely]]
      map_rows(s, wide_range_max(*this), [](auto x, auto m) FA_LAMBDA { return x - m; });  // S - m
    map_rows_add(s, neg_scaled_max, l, [=](auto x, auto b) FA_LAMBDA {
      return exp2(x * scale + b);
    });  // P; l += rowsum(P)
  }

  /// O = diag(1/l) O. Returns the natural-log LSE [BM]; a row that saw nothing gives O = 0 and
  /// -infinity.
  template <class O>
  FA_FN auto finish(O& o) {
    const float scale = log2_scale;
    const auto sum = sum_across(l);                           // [BM]
    normalize(o, sum);                                        // O = diag(1/l) O
    const float natural = wide_range ? scale * ln_2 : -ln_2;  // m, or -c m, to nats
    auto m = neg_scaled_max;
    if (wide_range) m = wide_range_max(*this);
    return log_sum(m, sum, natural);
  }

  /// What the rows have seen, to be merged with what others saw; O [BM, DV] becomes the sum of P V
  /// for the m of the result. Ends the state.
  template <class O>
  FA_FN softmax_partial<row> partial(O& o) {
    if (!wide_range) {
      auto none = neg_scaled_max;
      fill(none, -infinity);
      const auto alpha = enter_wide_range(*this, none);  // near 1: m is a rounded quotient
      scale_rows(o, alpha);
      scale_rows(l, alpha);
    }
    return {wide_range_max(*this), sum_across(l)};
  }

 private:
  /// Raises m of the rows whose scores [BM] have grown above their threshold; returns the factor
  /// [BM] of what was summed up so far.
  template <class Top>
  FA_FN auto raise(const Top& top) {
    if (wide_range) return raise_in_wide_range(*this, top);
    const float scale = log2_scale;
    const auto raised = map(top, rescale_threshold, [](auto t, auto u) FA_LAMBDA {
      return t > u ? t : -larger(u, -u) - infinity;  // m, or -infinity
    });
    const auto distance = scaled_distance(raised, scale);  // |c m|
    auto narrow = neg_scaled_max;
    fill(narrow, wide_range_begin);
    if (any_above(distance, narrow)) [[unlikely]]
      return enter_wide_range(*this, raised);
    const auto before = neg_scaled_max;
    neg_scaled_max = map(raised, neg_scaled_max,
                         [=](auto m, auto b) FA_LAMBDA { return is_lowest(m) ? b : -(m * scale); });
    const float slack_of_score = slack / scale;
    rescale_threshold = map(raised, rescale_threshold, [=](auto m, auto u) FA_LAMBDA {
      return is_lowest(m) ? u : m + slack_of_score;
    });
    return map(neg_scaled_max, before,
               [](auto now, auto b) FA_LAMBDA { return exp2(now - b); });  // 2^(c m - c m_new)
  }
};

}  // namespace fa
