// What rows have seen of some of their keys, (O, m, l), and how two of these become that of the
// union of their keys: split keys, cascades and rings are sums over this monoid. The identity is a
// row that saw nothing, and the order of merging matters to rounding only.
#pragma once

#include <fa/core/numeric.hpp>
#include <fa/machine/math.hpp>
#include <fa/tile/verbs.hpp>

namespace fa {

/// Maximum and sum of BM rows of scores S over some keys. With them goes O = sum of P V [BM, DV],
/// not yet divided by l. Logarithms (LSE) would do for most logits, but not in wide range, where
/// they are rounded to whole numbers.
template <class Row>
struct softmax_partial {
  Row m;  // [BM] in units of S, at or a little below the largest S; nothing seen: -largest_float
  Row l;  // [BM] sum of P = 2^(c (S - m)); nothing seen: 0

  /// The identity of merge.
  FA_FN static softmax_partial nothing() {
    softmax_partial none;
    fill(none.m, -largest_float);
    fill(none.l, 0.f);
    return none;
  }
};

/// The union of two partial states, and what their outputs must be multiplied by:
/// O = diag(first_factor) O_first + diag(second_factor) O_second.
template <class Row>
struct merged_softmax {
  softmax_partial<Row> rows;
  Row first_factor, second_factor;  // [BM] 2^(c (m_part - m)), at most 1
};

/// Merges what rows have seen of two sets of keys. log2_scale: c of both, > 0. NaN and +infinity
/// among the scores give NaN, as one pass over the union does.
template <class Row>
FA_FN merged_softmax<Row> merge(const softmax_partial<Row>& first,
                                const softmax_partial<Row>& second, float log2_scale) {
  merged_softmax<Row> result;
  result.rows.m = map(first.m, second.m, [](auto a, auto b) FA_LAMBDA { return larger(a, b); });
  const auto factor = [=](auto part, auto m) FA_LAMBDA { return exp2((part - m) * log2_scale); };
  result.first_factor = map(first.m, result.rows.m, factor);
  result.second_factor = map(second.m, result.rows.m, factor);
  const auto product = [](auto a, auto b) FA_LAMBDA { return a * b; };
  result.rows.l = map(map(first.l, result.first_factor, product),
                      map(second.l, result.second_factor, product),
                      [](auto a, auto b) FA_LAMBDA { return a + b; });
  return result;
}

/// O = diag(1/l) O; a row that saw nothing, l = 0, becomes 0.
template <class Row, class O>
FA_FN void normalize(O& o, const Row& l) {
  scale_rows(o, map(l, l, [](auto x, auto) FA_LAMBDA { return x == 0.f ? x : reciprocal(x); }));
}

/// The natural-log LSE [BM] = natural m + ln l; -infinity for a row that saw nothing.
template <class Row>
FA_FN Row log_sum(const Row& m, const Row& l, float natural) {
  return map(m, l, [=](auto b, auto x) FA_LAMBDA {
    return x == 0.f ? x - infinity : log2(x) * ln_2 + b * natural;
  });
}

/// O = diag(1/l) O. Returns the natural-log LSE [BM] of a merged state; log2_scale: its c.
template <class Row, class O>
FA_FN Row finish(const softmax_partial<Row>& rows, O& o, float log2_scale) {
  normalize(o, rows.l);
  return log_sum(rows.m, rows.l, log2_scale * ln_2);
}

}  // namespace fa
