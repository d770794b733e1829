// The two matrix products of the first orientation, as loops over register tiles.
#pragma once

#include <fa/machine/host/strip/dot.hpp>
#include <fa/machine/host/strip/feed.hpp>
#include <fa/machine/host/strip/micro.hpp>

namespace fa::host_machine {
inline namespace FA_HOST_ISA {

struct strip_product_verbs {
  /// S = Q K^T: [R, D] x [rows, D] -> [R, C].
  /// Both as floats, or as pairs of columns.
  template <template <int, int> class Q, template <int, int, class> class Step, int R, int C, int D,
            class Feed>
  FA_FN static score_tile<R, C> mma_abt(const Q<R, D>& q, const Step<R, C, Feed>& k) {
    score_tile<R, C> s;
    s.used = q.used;
    s.wanted = k.wanted;
    // Strip by strip: one strip of Q fills half the first-level cache.
    for (int g = 0; g < q.used; ++g) {
      for_key_ranges(s.wanted.ends[g], [&](auto vector, int first, int end) FA_LAMBDA {
        constexpr int skip = vector.value * lanes;
        for_register_tiles(first, end, [&](auto n, int j) FA_LAMBDA {
          if (g == 0) k.feed.share(n.value, s.keys(g));
          score_columns<n.value, strip_vectors - vector.value>(
              q.values[g][0] + skip, k.source.row(j), k.source.stride, D, s.values[g][j] + skip);
        });
      });
    }
    k.feed.finish();
    return s;
  }

  /// O += P V: [R, C] x [rows, DV] -> [R, DV].
  template <int R, int C, int DV, class Feed>
  FA_FN static void mma_ab(strip_tile<R, DV>& o, const score_tile<R, C>& p,
                           const step_rows<R, C, Feed>& v) {
    if (!v.finite && p.record) [[unlikely]]
      return mma_ab_exactly(o, p, p, v);
    for (int g = 0; g < p.used; ++g) {
      for_register_tiles(0, DV, [&](auto n, int c) FA_LAMBDA {
        if (g == 0) v.feed.share(n.value, DV);
        for_key_ranges(p.wanted.ends[g], [&](auto vector, int first, int end) FA_LAMBDA {
          constexpr int skip = vector.value * lanes;
          value_columns<n.value, strip_vectors - vector.value>(
              p.values[g][first] + skip, v.source.row(first) + c, v.source.stride, end - first,
              o.values[g][c] + skip);
        });
      });
    }
  }

  /// P as the second product reads it: scores themselves, or rounded to pairs of bf16 (nearest
  /// even).
  template <class T, int R, int C>
    requires(!multiplies_pairs<T>)
  FA_FN static const score_tile<R, C>& as_operand(const score_tile<R, C>& s) {
    return s;
  }

#if FA_HOST_BF16_DOT
  /// Packed P [R, C], and the scores it came from.
  template <int R, int C>
  struct packed_weights {
    pair_tile<R, C> pairs;
    const score_tile<R, C>& source;
  };

  template <class T, int R, int C>
    requires(multiplies_pairs<T>)
  FA_FN static packed_weights<R, C> as_operand(const score_tile<R, C>& s) {
    packed_weights<R, C> p{{}, s};
    p.pairs.used = s.used;
    for (int g = 0; g < s.used; ++g) {
      for (int j = 0; j < s.keys(g); j += 2) {
        FA_UNROLL for (int r = 0; r < strip_vectors; ++r) {
          const words first = narrow(load(s.values[g][j] + r * lanes), bf16{});
          const words second = j + 1 < s.keys(g)
                                   ? narrow(load(s.values[g][j + 1] + r * lanes), bf16{})
                                   : words{};
          store(p.pairs.values[g][j / 2] + r * lanes,
                reinterpret_cast<floats>(first | second << 16));
        }
      }
    }
    return p;
  }

  template <int R, int C, int DV, class Feed>
  FA_FN static void mma_ab(strip_tile<R, DV>& o, const packed_weights<R, C>& p,
                           const step_value_pairs<R, C, Feed>& v) {
    if (!v.finite && p.source.record) [[unlikely]]
      return mma_ab_exactly(o, p, p.source, v);
    for (int g = 0; g < p.pairs.used; ++g) {
      for_register_tiles(0, DV, [&](auto n, int c) FA_LAMBDA {
        if (g == 0) v.feed.share(n.value, DV);
        for_key_ranges(p.source.wanted.ends[g], [&](auto vector, int first, int end) FA_LAMBDA {
          constexpr int skip = vector.value * lanes;
          value_columns<n.value, strip_vectors - vector.value>(
              p.pairs.values[g][first / 2] + skip, v.source.row(first / 2) + c, v.source.stride,
              (end - first + 1) / 2, o.values[g][c] + skip);
        });
      });
    }
  }
#endif

 private:
  /// O += P V where some V is infinite or NaN and some rows do not see it: those rows must not
  /// multiply it, even by zero. So all multiply a V in which it is zero, which leaves every bit of
  /// theirs as it would be, and the rows that see it add it then.
  template <int R, int C, int DV, class P, class Step>
  [[gnu::noinline]] static void mma_ab_exactly(strip_tile<R, DV>& o, const P& p,
                                               const score_tile<R, C>& s, const Step& v) {
    v.feed.finish();
    alignas(64) typename Step::element finite[C][pitch_of(DV)];
    for (int row = 0; row < v.stored_rows(); ++row) {
      for (int c = 0; c < DV; ++c) finite[row][c] = Step::only_finite(v.source.row(row)[c]);
    }
    Step rest = v;
    rest.source = {finite[0], pitch_of(DV), v.stored_rows()};
    rest.finite = true;
    mma_ab(o, p, rest);
    for (int g = 0; g < s.used; ++g) {
      for (int j = 0; j < s.keys(g); ++j) {
        for (int c = 0; c < DV; ++c) {
          const float value = v.value(j, c);
          if (is_finite(value)) continue;
          for (int r = 0; r < strip_rows; ++r) {
            if (s.kept[g][j] >> r & 1) o.values[g][c][r] += s.values[g][j][r] * value;
          }
        }
      }
    }
  }
};

}  // namespace FA_HOST_ISA
}  // namespace fa::host_machine
