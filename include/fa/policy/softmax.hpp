// The running softmax of a block of rows (Milakov and Gimelshein 2018; Dao 2023, Algorithm 1), in
// base 2.
#pragma once

#include <fa/core/numeric.hpp>
#include <fa/machine/math.hpp>
#include <fa/tile/verbs.hpp>

namespace fa {

/// Maximum m and sum l of BM rows of scores S, for P = 2^(c (S - m)), c = log2_scale, computed as
/// 2^(c S + bias). The maximum may lag behind by up to `slack` in the exponent: P then grows up to
/// 2^slack, and since l and O keep the same stale m, nothing is approximated; rescaling O is
/// skipped in most steps. Nor does it matter that bias is -c m rounded, as long as it is near:
/// where |c m| is so large that it is not, the rows become `far` and P is 2^(c (S - m)) literally,
/// at one more operation a score.
template <class M, int BM>
struct softmax_state {
  static constexpr float slack = 8.f;
  static constexpr float far_away =
      16777216.f;  ///< 2^24: below it, a rounded float is off by less than 1

  typename M::template row<BM>
      bias;  // [BM] -c m; where nothing was seen, the largest float; 0 if far
  typename M::template row<BM> limit;   // [BM] the S from which on O must be rescaled; m if far
  typename M::template row_part<BM> l;  // [BM] sum of P; a lane's part
  float log2_scale;                     // > 0
  bool far = false;                     // of all rows that run together

  FA_FN explicit softmax_state(float scale) : log2_scale(uniform<M>(scale)) {
    fill(bias, largest_float);
    fill(limit, -infinity);
    fill(l, 0.f);
  }

  /// S [BM, BN] becomes P; m, l and O [BM, DV] keep up.
  template <class S, class O>
  FA_FN void advance(S& s, O& o) {
    const float scale = log2_scale;
    const auto top = max_cols_part(s);  // [BM]
    if (any_above(top, limit)) [[unlikely]] {
      const auto alpha = rise(max_across(top));
      scale_rows(o, alpha);  // O = diag(alpha) O
      scale_rows(l, alpha);
    }
    if (far) [[unlikely]]
      map_rows(s, limit, [](auto x, auto m) FA_LAMBDA { return x - m; });  // S - m
    map_rows_add(s, bias, l, [=](auto x, auto b) FA_LAMBDA {
      return exp2(x * scale + b);
    });  // P; l += rowsum(P)
  }

  /// O = diag(1/l) O. Returns the natural-log LSE [BM]; a row that saw nothing gives O = 0 and
  /// -infinity.
  template <class O>
  FA_FN auto finish(O& o) {
    const float scale = log2_scale;
    const auto sum = sum_across(l);  // [BM]
    scale_rows(o,
               map(sum, sum, [](auto x, auto) FA_LAMBDA { return x == 0.f ? x : reciprocal(x); }));
    const float natural = far ? scale * ln_2 : -ln_2;  // scale of m, or of bias
    auto m = bias;
    if (far) m = limit;
    return map(m, sum, [=](auto b, auto x) FA_LAMBDA {
      return x == 0.f ? x - infinity : log2(x) * ln_2 + b * natural;
    });
  }

 private:
  /// Raises m of the rows whose scores [BM] have grown above their limit; returns the factor [BM]
  /// of what was summed up so far.
  template <class Top>
  FA_FN auto rise(const Top& top) {
    const float scale = log2_scale;
    if (far) return follow(top);
    const auto raised = map(top, limit, [](auto t, auto u) FA_LAMBDA {  // m, or -infinity
      return t > u ? t : -larger(u, -u) - infinity;
    });
    const auto distance = map(raised, raised, [=](auto m, auto) FA_LAMBDA {  // |c m|, or -infinity
      return is_lowest(m) ? m : larger(m * scale, -(m * scale));
    });
    auto bound = bias;
    fill(bound, far_away);
    if (any_above(distance, bound)) [[unlikely]]
      return go_far(raised);
    const auto before = bias;
    bias = map(raised, bias,
               [=](auto m, auto b) FA_LAMBDA { return is_lowest(m) ? b : -(m * scale); });
    const float slack_of_score = slack / scale;
    limit = map(raised, limit,
                [=](auto m, auto u) FA_LAMBDA { return is_lowest(m) ? u : m + slack_of_score; });
    return map(bias, before, [](auto now, auto b) FA_LAMBDA { return exp2(now - b); });
  }

  /// The same from here on with S - m. `raised` [BM]: new m, or -infinity for rows that stay.
  template <class Row>
  FA_FN auto go_far(const Row& raised) {
    const float scale = log2_scale, inverse = 1.f / scale;
    auto m = bias;
    fill(m, -largest_float);
    const auto before = map(
        limit, bias, [=](auto u, auto b) FA_LAMBDA { return is_lowest(u) ? u : -(b * inverse); });
    const auto higher = [](auto a, auto b) FA_LAMBDA { return larger(a, b); };
    m = map(map(raised, before, higher), m, higher);
    const auto change = map(m, bias,
                            [=](auto now, auto b) FA_LAMBDA { return -(now * scale + b); });
    const auto alpha = map(limit, change,
                           [](auto u, auto x) FA_LAMBDA { return exp2(is_lowest(u) ? u : x); });
    far = true;
    fill(bias, 0.f);
    limit = m;
    return alpha;
  }

  template <class Top>
  FA_FN auto follow(const Top& top) {
    const float scale = log2_scale;
    const auto before = limit;
    limit = map(top, limit, [](auto t, auto m) FA_LAMBDA { return larger(t, m); });
    return map(limit, before, [=](auto now, auto m) FA_LAMBDA { return exp2((m - now) * scale); });
  }

  /// True for -infinity, lane by lane.
  template <class X>
  FA_FN static auto is_lowest(const X& x) {
    return x < -largest_float;
  }
};

}  // namespace fa
