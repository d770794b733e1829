// Row vectors, and what softmax does to tiles of scores. Four lanes share a row.
#pragma once

#include <fa/machine/interval_mask.hpp>
#include <fa/machine/nv/layout.hpp>

#if FA_NV

namespace fa::nv_machine {

/// Calls f(tile, half) for each row that a lane holds a share of.
template <int MT, class F>
FA_DEVICE void for_rows(const F& f) {
  FA_UNROLL for (int m = 0; m < MT; ++m) {
    FA_UNROLL for (int half = 0; half < 2; ++half) f(m, half);
  }
}

struct softmax_verbs {
  template <class M, int R>
  FA_DEVICE static void fill(row_values<M, R>& row, float x) {
    for_rows<M::template row_tiles<R>>([&](int m, int half) FA_LAMBDA { row.v[m][half] = x; });
  }

  template <class M, int R, class F>
  FA_DEVICE static row_values<M, R> map(const row_values<M, R>& a, const row_values<M, R>& b,
                                        const F& f) {
    row_values<M, R> result;
    for_rows<M::template row_tiles<R>>(
        [&](int m, int half) FA_LAMBDA { result.v[m][half] = f(a.v[m][half], b.v[m][half]); });
    return result;
  }

  template <class M, int R>
  FA_DEVICE static bool any_above(const row_values<M, R>& a, const row_values<M, R>& b) {
    bool above = false;
    for_rows<M::template row_tiles<R>>([&](int m, int half)
                                           FA_LAMBDA { above |= a.v[m][half] > b.v[m][half]; });
    return any_lane(above);
  }

  template <class M, int R>
  FA_DEVICE static row_values<M, R> max_across(const row_values<M, R>& a) {
    return across(a, [](float x, float y) FA_LAMBDA { return ::fmaxf(x, y); });
  }

  template <class M, int R>
  FA_DEVICE static row_values<M, R> sum_across(const row_values<M, R>& a) {
    return across(a, [](float x, float y) FA_LAMBDA { return x + y; });
  }

  template <class M, int R>
  FA_DEVICE static void scale_rows(row_values<M, R>& row, const row_values<M, R>& factor) {
    for_rows<M::template row_tiles<R>>([&](int m, int half)
                                           FA_LAMBDA { row.v[m][half] *= factor.v[m][half]; });
  }

  template <class M, class T, int R, int C>
  FA_DEVICE static void scale_rows(output_tile<M, T, R, C>& tile, const row_values<M, R>& factor) {
    for_values(tile, [&](float& x, int m, int, int i) FA_LAMBDA { x *= factor.v[m][i / 2]; });
  }

  template <class M, int R, int BN>
  FA_DEVICE static row_values<M, R> max_cols_part(const score_tile<M, R, BN>& s) {
    row_values<M, R> top;
    for_rows<M::template row_tiles<R>>([&](int m, int half) FA_LAMBDA {
      float x = ::fmaxf(s.v[m][0][2 * half], s.v[m][0][2 * half + 1]);
      FA_UNROLL for (int n = 1; n < BN / 8; ++n)
          x = ::fmaxf(x, ::fmaxf(s.v[m][n][2 * half], s.v[m][n][2 * half + 1]));
      top.v[m][half] = x;
    });
    return top;
  }

  template <class M, int R, int BN, class F>
  FA_DEVICE static void map_rows(score_tile<M, R, BN>& s, const row_values<M, R>& row, const F& f) {
    for_values(s, [&](float& x, int m, int, int i) FA_LAMBDA { x = f(x, row.v[m][i / 2]); });
  }

  template <class M, int R, int BN, class F>
  FA_DEVICE static void map_rows_add(score_tile<M, R, BN>& s, const row_values<M, R>& row,
                                     row_values<M, R>& sum, const F& f) {
    for_values(s, [&](float& x, int m, int, int i) FA_LAMBDA {
      x = f(x, row.v[m][i / 2]);
      sum.v[m][i / 2] += x;
    });
  }

  /// One at a time: there is no packed arithmetic of floats to gain. Positions that do not exist
  /// are replaced by the last that does: f may look into arrays.
  template <class M, int R, int BN, class Position, class F>
  FA_DEVICE static void map_at(score_tile<M, R, BN>& s, const Position& at, int key0, const F& f) {
    for_scores(s, at, [&](float& x, int token, int key) FA_LAMBDA {
      x = f(x, token, key0 + min_of(key, s.keys - 1));
    });
  }

  template <class M, int R, int BN, class Position, class Mask>
  FA_DEVICE static void keep_only(score_tile<M, R, BN>& s, const Position& at, int key0,
                                  const Mask& mask) {
    for_scores(s, at, [&](float& x, int token, int key) FA_LAMBDA {
      x = key < s.keys && mask.keep(token, key0 + key) ? x : -infinity;
    });
  }

  /// A bit for each score of a row that the lane holds: which are kept takes some operations a row,
  /// and then one a score.
  template <class M, int R, int BN, class Position, IntervalMask Mask>
  FA_DEVICE static void keep_only(score_tile<M, R, BN>& s, const Position& position, int key0,
                                  const Mask& mask) {
    const block_position& at = position.here();
    for_rows<M::template row_tiles<R>>([&](int m, int half) FA_LAMBDA {
      const key_range keys = mask.keys_of(at.lane_token(m, half));
      const int begin = max_of(keys.begin, 0) - key0,
                end = min_of(max_of(keys.end, 0) - key0, s.keys);  // no overflow
      FA_UNROLL for (int first = 0; first < BN / 8; first += 16) {
        const std::uint32_t kept = columns_below(lane(), end - first * 8) &
                                   ~columns_below(lane(), begin - first * 8);
        FA_UNROLL for (int n = first; n < min_of(first + 16, BN / 8); ++n) {
          FA_UNROLL for (int i = 0; i < 2; ++i) {
            float& x = s.v[m][n][2 * half + i];
            if ((kept >> (2 * (n - first) + i) & 1u) == 0) x = -infinity;
          }
        }
      }
    });
  }

 private:
  template <class M, int R, class F>
  FA_DEVICE static row_values<M, R> across(const row_values<M, R>& a, const F& f) {
    row_values<M, R> result;
    for_rows<M::template row_tiles<R>>(
        [&](int m, int half) FA_LAMBDA { result.v[m][half] = across_row(a.v[m][half], f); });
    return result;
  }

  /// Calls f(value, row tile, column tile, index) for each value.
  template <class Tile, class F>
  FA_DEVICE static void for_values(Tile& tile, const F& f) {
    FA_UNROLL for (int m = 0; m < Tile::row_tiles; ++m) {
      FA_UNROLL for (int n = 0; n < Tile::col_tiles; ++n) {
        FA_UNROLL for (int i = 0; i < 4; ++i) f(tile.v[m][n][i], m, n, i);
      }
    }
  }

  /// Calls f(score, token, key in step) for each score.
  template <class S, class Position, class F>
  FA_DEVICE static void for_scores(S& s, const Position& position, const F& f) {
    const block_position& at = position.here();
    for_rows<S::row_tiles>([&](int m, int half) FA_LAMBDA {
      const int token = at.lane_token(m, half);
      FA_UNROLL for (int n = 0; n < S::col_tiles; ++n) {
        FA_UNROLL for (int i = 0; i < 2; ++i) {
          f(s.v[m][n][2 * half + i], token, n * 8 + accumulator_place(lane(), i).col);
        }
      }
    });
  }
};

}  // namespace fa::nv_machine

#endif
