// Row vectors, and what softmax does to tiles of scores. A lane holds one row of each row tile,
// shared with its partners in the other groups of 16 lanes.
#pragma once

#include <fa/machine/amd/layout.hpp>
#include <fa/machine/packed_scores.hpp>

#if FA_AMD

namespace fa::amd_machine {

struct softmax_verbs {
  template <class M, int R>
  FA_DEVICE static void fill(row_values<M, R>& row, float x) {
    FA_UNROLL for (float& value : row.v) value = x;
  }
  template <class M, int R>
  FA_DEVICE static void fill(row_parts<M, R>& row, float x) {
    FA_UNROLL for (float2& value : row.v) value = float2{x, x};
  }

  template <class M, int R, class F>
  FA_DEVICE static row_values<M, R> map(const row_values<M, R>& a, const row_values<M, R>& b,
                                        const F& f) {
    row_values<M, R> result;
    FA_UNROLL for (int i = 0; i < a.row_tiles; ++i) result.v[i] = f(a.v[i], b.v[i]);
    return result;
  }

  template <class M, int R>
  FA_DEVICE static bool any_above(const row_values<M, R>& a, const row_values<M, R>& b) {
    bool above = false;
    FA_UNROLL for (int i = 0; i < a.row_tiles; ++i) above |= a.v[i] > b.v[i];
    return any_lane(above);
  }

  template <class M, int R>
  FA_DEVICE static row_values<M, R> max_across(const row_values<M, R>& a) {
    row_values<M, R> result;
    FA_UNROLL for (int i = 0; i < a.row_tiles; ++i) {
      result.v[i] = across_lane_groups(
          a.v[i], [](float x, float y) FA_LAMBDA { return __builtin_fmaxf(x, y); });
    }
    return result;
  }

  /// A NaN comes out with the payload of arithmetic: stores may then round by integer additions.
  template <class M, int R>
  FA_DEVICE static row_values<M, R> sum_across(const row_parts<M, R>& a) {
    row_values<M, R> result;
    FA_UNROLL for (int i = 0; i < a.row_tiles; ++i) {
      const float low = a.v[i].x, high = a.v[i].y;
      const float sum = across_lane_groups(low + high,
                                           [](float x, float y) FA_LAMBDA { return x + y; });
      result.v[i] = sum == sum ? sum : __builtin_nanf("");
    }
    return result;
  }

  template <class M, int R>
  FA_DEVICE static void scale_rows(row_parts<M, R>& row, const row_values<M, R>& factor) {
    FA_UNROLL for (int i = 0; i < row.row_tiles; ++i) row.v[i] *= float2{factor.v[i], factor.v[i]};
  }

  template <class M, int R, int C>
  FA_DEVICE static void scale_rows(output_tile<M, R, C>& tile, const row_values<M, R>& factor) {
    // A packed multiplication reads the factor from a pair of registers: two of its own, since a
    // load may be filling another's.
    float2 pairs[row_values<M, R>::row_tiles];
    FA_UNROLL for (int i = 0; i < tile.row_tiles; ++i) {
      pairs[i] = float2{factor.v[i], factor.v[i]};
      asm("" : "+v"(pairs[i]));
    }
    for_pairs(tile, [&](float2 x, int i) FA_LAMBDA { return x * pairs[i]; });
  }

  template <class M, int R, int BN>
  FA_DEVICE static row_values<M, R> max_cols_part(const score_tile<M, R, BN>& s) {
    row_values<M, R> top;
    FA_UNROLL for (int i = 0; i < s.row_tiles; ++i) {
      const float first = s.v[i][0][0], second = s.v[i][0][1];
      float x = larger_raw(first, second);
      FA_UNROLL for (int k = 2; k < s.col_tiles * M::format::values; ++k) {
        const float y = s.v[i][k / M::format::values][k % M::format::values];
        x = __builtin_fmaxf(x, y);
      }
      top.v[i] = x;
    }
    return top;
  }

  template <class M, int R, int BN, class F>
  FA_DEVICE static void map_rows(score_tile<M, R, BN>& s, const row_values<M, R>& row, const F& f) {
    for_pairs(s, [&](float2 x, int i) FA_LAMBDA { return f(x, float2{row.v[i], row.v[i]}); });
  }

  template <class M, int R, int BN, class F>
  FA_DEVICE static void map_rows_add(score_tile<M, R, BN>& s, const row_values<M, R>& row,
                                     row_parts<M, R>& sum, const F& f) {
    for_pairs(s, [&](float2 x, int i) FA_LAMBDA {
      x = f(x, float2{row.v[i], row.v[i]});
      sum.v[i] += x;
      return x;
    });
  }

  /// Positions that do not exist are replaced by the last that does: f may look into arrays.
  template <class M, int R, int BN, class F>
  FA_DEVICE static void map_at(score_tile<M, R, BN>& s, const block_rows& at, int key0,
                               const F& f) {
    const auto existing = [&](int key) FA_LAMBDA { return key0 + min_of(key, s.keys - 1); };
    if constexpr (TakesPackedScores<F, float2, int, int2>) {  // of one row and two keys
      const int own_lane = thread_anew() % lanes;
      const int first_key = M::format::accumulator_row(own_lane, 0);
      FA_UNROLL for (int i = 0; i < s.row_tiles; ++i) {
        const int token = at.token(M::lane_row(at, i, own_lane));
        FA_UNROLL for (int t = 0; t < s.col_tiles; ++t) {
          FA_UNROLL for (int r = 0; r < M::format::values; r += 2) {
            const int key = t * 16 + r + first_key;
            const float2 x = f(float2{s.v[i][t][r], s.v[i][t][r + 1]}, token,
                               int2{existing(key), existing(key + 1)});
            s.v[i][t][r] = x.x;
            s.v[i][t][r + 1] = x.y;
          }
        }
      }
    } else {
      for_scores(s, at,
                 [&](float x, int token, int key) FA_LAMBDA { return f(x, token, existing(key)); });
    }
  }

  template <class M, int R, int BN, class Mask>
  FA_DEVICE static void keep_only(score_tile<M, R, BN>& s, const block_rows& at, int key0,
                                  const Mask& mask) {
    for_scores(s, at, [&](float x, int token, int key) FA_LAMBDA {
      return key < s.keys && mask.keep(token, key0 + key) ? x : -infinity;
    });
  }

 private:
  /// The larger of two results of a matrix instruction; the other one where one is NaN. As the
  /// middle of three: the compiler would make quiet what it takes for signaling NaNs in a maximum,
  /// at two instructions more.
  FA_DEVICE static float larger_raw(float a, float b) {
    float most;
    asm("s_mov_b32 %0, 0x7f800000" : "=s"(most));
    return __builtin_amdgcn_fmed3f(a, b, most);
  }

  /// x = f(x, row tile) for each pair of neighbours in a lane.
  template <class Tile, class F>
  FA_DEVICE static void for_pairs(Tile& tile, const F& f) {
    FA_UNROLL for (int i = 0; i < Tile::row_tiles; ++i) {
      FA_UNROLL for (int t = 0; t < Tile::col_tiles; ++t) {
        FA_UNROLL for (int r = 0; r < Tile::machine::format::values; r += 2) {
          const float2 x = f(float2{tile.v[i][t][r], tile.v[i][t][r + 1]}, i);
          tile.v[i][t][r] = x.x;
          tile.v[i][t][r + 1] = x.y;
        }
      }
    }
  }

  /// x = f(x, token, key in step) for each score.
  template <class S, class F>
  FA_DEVICE static void for_scores(S& s, const block_rows& at, const F& f) {
    using format = typename S::machine::format;
    const int own_lane = thread_anew() % lanes;
    const int first_key = format::accumulator_row(own_lane, 0);
    FA_UNROLL for (int i = 0; i < S::row_tiles; ++i) {
      const int token = at.token(S::machine::lane_row(at, i, own_lane));
      FA_UNROLL for (int t = 0; t < S::col_tiles; ++t) {
        FA_UNROLL for (int r = 0; r < format::values; ++r) {
          const float x = s.v[i][t][r];
          s.v[i][t][r] = f(x, token, t * 16 + r + first_key);
        }
      }
    }
  }
};

}  // namespace fa::amd_machine

#endif
