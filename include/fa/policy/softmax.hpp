// The running softmax of a block of rows (Milakov and Gimelshein 2018; Dao 2023, Algorithm 1), in base 2.
#pragma once

#include <fa/core/numeric.hpp>
#include <fa/machine/math.hpp>
#include <fa/tile/verbs.hpp>

namespace fa {

/// Maximum m and sum l of BM rows of scores S, for P = 2^(log2_scale (S - m)). The maximum may lag behind by up to `slack` in the
/// exponent: P then grows up to 2^slack, and since l and O keep the same stale m, nothing is approximated; rescaling O is skipped
/// in most steps. The difference is taken before the product: S and m may be too large for log2_scale S - m to be near 0 where
/// S = m.
template <class M, int BM>
struct softmax_state {
  static constexpr float slack = 8.f;

  typename M::template row<BM> minus_m;                    // [BM] -m; m starts at the lowest float, so that S = -inf gives P = 0
  typename M::template row<BM> limit;                      // [BM] the S from which on O must be rescaled
  typename M::template row_part<BM> l;                     // [BM] sum of P; a lane's part
  float log2_scale;                                        // > 0

  FA_FN explicit softmax_state(float scale) : log2_scale(scale) {
    fill(minus_m, largest_float);
    fill(limit, -infinity);
    fill(l, 0.f);
  }

  /// S [BM, BN] becomes P; m, l and O [BM, DV] keep up.
  template <class S, class O>
  FA_FN void advance(S& s, O& o) {
    const float scale = log2_scale;
    const auto top = max_cols_part(s);                                                                  // [BM]
    if (any_above(top, limit)) [[unlikely]] {
      const auto minus_new = map(max_across(top), minus_m, [](auto t, auto b) FA_LAMBDA { return -larger(t, -b); });
      const auto alpha = map(minus_new, minus_m, [=](auto now, auto before) FA_LAMBDA { return exp2((now - before) * scale); });
      scale_rows(o, alpha);                                                                             // O = diag(alpha) O
      scale_rows(l, alpha);
      minus_m = minus_new;
      limit = map(minus_m, minus_m, [=](auto b, auto) FA_LAMBDA { return slack / scale - b; });
    }
    exp2_rows_add(s, scale);                                                                            // P; l += rowsum(P)
  }

  /// O = diag(1/l) O. Returns the natural-log LSE [BM]; a row that saw nothing gives O = 0 and -infinity.
  template <class O>
  FA_FN auto finish(O& o) {
    const float scale = log2_scale;
    const auto sum = sum_across(l);                                                                     // [BM]
    scale_rows(o, map(sum, sum, [](auto x, auto) FA_LAMBDA { return x == 0.f ? x : 1.f / x; }));
    return map(minus_m, sum, [=](auto b, auto x) FA_LAMBDA { return x == 0.f ? x - infinity : (log2(x) - b * scale) * ln_2; });
  }

 private:
  /// S [BM, BN] becomes 2^(scale (S - m)), and a lane's part of the sum of each row is added to l. A machine may have a verb of its
  /// own for it.
  template <class S>
  FA_FN void exp2_rows_add(S& s, float scale) {
    if constexpr (requires { S::machine::exp2_rows_add(s, minus_m, scale, l); }) S::machine::exp2_rows_add(s, minus_m, scale, l);
    else map_rows_add(s, minus_m, l, [=](auto x, auto b) FA_LAMBDA { return exp2((x + b) * scale); });
  }
};

}  // namespace fa
