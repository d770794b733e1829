// Row vectors of the first orientation, and what softmax does to tiles of scores: all down the
// columns, never across lanes.
#pragma once

#include <fa/machine/host/strip/layout.hpp>
#include <fa/machine/packed_scores.hpp>

namespace fa::host_machine {
inline namespace FA_HOST_ISA {

struct strip_softmax_verbs {
  template <int R>
  FA_FN static void fill(strip_row<R>& row, float x) {
    for (auto& v : row.v) v = splat(x);
  }

  template <int R, class F>
  FA_FN static strip_row<R> map(const strip_row<R>& a, const strip_row<R>& b, const F& f) {
    strip_row<R> result;
    for (int i = 0; i < a.count; ++i) result.v[i] = f(a.v[i], b.v[i]);
    return result;
  }

  template <int R>
  FA_FN static bool any_above(const strip_row<R>& a, const strip_row<R>& b) {
    ints above{};
    for (int i = 0; i < a.count; ++i) above |= a.v[i] > b.v[i];
    return any(above);
  }

  // A lane holds whole rows: nothing is left to combine across lanes.
  template <int R>
  FA_FN static const strip_row<R>& max_across(const strip_row<R>& a) {
    return a;
  }
  template <int R>
  FA_FN static const strip_row<R>& sum_across(const strip_row<R>& a) {
    return a;
  }

  template <int R>
  FA_FN static void scale_rows(strip_row<R>& row, const strip_row<R>& factor) {
    for (int i = 0; i < row.count; ++i) row.v[i] *= factor.v[i];
  }

  template <int R, int C>
  FA_FN static void scale_rows(strip_tile<R, C>& tile, const strip_row<R>& factor) {
    for_columns(
        tile, [](int) FA_LAMBDA { return C; }, factor,
        [](float* at, floats& f) FA_LAMBDA { store(at, load(at) * f); });
  }

  template <int R, int C>
  FA_FN static strip_row<R> max_cols_part(const score_tile<R, C>& s) {
    strip_row<R> top;
    fill(top, -infinity);
    const auto keys = [&](int g) FA_LAMBDA { return s.keys(g); };
    for_columns(s, keys, top,
                [](const float* at, floats& m) FA_LAMBDA { m = larger(load(at), m); });
    return top;
  }

  template <int R, int C, class F>
  FA_FN static void map_rows(score_tile<R, C>& s, const strip_row<R>& row, const F& f) {
    const auto keys = [&](int g) FA_LAMBDA { return s.keys(g); };
    for_columns(s, keys, row,
                [&](float* at, const floats& x) FA_LAMBDA { store(at, f(load(at), x)); });
  }

  template <int R, int C, class F>
  FA_FN static void map_rows_add(score_tile<R, C>& s, const strip_row<R>& row, strip_row<R>& sum,
                                 const F& f) {
    for (int g = 0; g < s.used; ++g) {
      floats x[strip_vectors], total[strip_vectors];
      FA_UNROLL for (int r = 0; r < strip_vectors; ++r) x[r] = row.v[g * strip_vectors + r];
      FA_UNROLL for (int r = 0; r < strip_vectors; ++r) total[r] = sum.v[g * strip_vectors + r];
      for (int c = 0; c < s.keys(g); ++c) {
        FA_UNROLL for (int r = 0; r < strip_vectors; ++r) {
          const floats p = f(load(s.values[g][c] + r * lanes), x[r]);
          total[r] += p;
          store(s.values[g][c] + r * lanes, p);
        }
      }
      FA_UNROLL for (int r = 0; r < strip_vectors; ++r) sum.v[g * strip_vectors + r] = total[r];
    }
  }

  template <int R, int C, class F>
  FA_FN static void map_at(score_tile<R, C>& s, const block_rows& at, int key0, const F& f) {
    if constexpr (TakesPackedScores<F, floats, ints, int>) {  // of one key and a vector of rows
      for (int g = 0; g < s.used; ++g) {
        ints token[strip_vectors] = {};
        for (int r = 0; r < strip_rows; ++r)
          token[r / lanes][r % lanes] = at.token(g * strip_rows + r);
        for (int key = 0; key < s.keys(g); ++key) {
          FA_UNROLL for (int r = 0; r < strip_vectors; ++r) {
            float* x = s.values[g][key] + r * lanes;
            store(x, f(load(x), token[r], key0 + key));
          }
        }
      }
    } else {
      for_scores(s, at,
                 [&](float& x, int token, int key) FA_LAMBDA { x = f(x, token, key0 + key); });
    }
  }

  template <int R, int C, class Mask>
  FA_FN static void keep_only(score_tile<R, C>& s, const block_rows& at, int key0,
                              const Mask& mask) {
    for_scores(s, at, [&](float& x, int token, int key) FA_LAMBDA {
      x = mask.keep(token, key0 + key) ? x : -infinity;
    });
    if (s.record) [[unlikely]]
      record_kept(s, at, key0, mask);
  }

 private:
  /// Calls f(address, row value) for each vector of the first columns(g) columns of strip g; row
  /// values are kept where f changes them.
  template <class Tile, class Columns, class Row, class F>
  FA_FN static void for_columns(Tile& tile, const Columns& columns, Row& row, const F& f) {
    for (int g = 0; g < tile.used; ++g) {
      floats x[strip_vectors];
      FA_UNROLL for (int r = 0; r < strip_vectors; ++r) x[r] = row.v[g * strip_vectors + r];
      for (int c = 0; c < columns(g); ++c) {
        FA_UNROLL for (int r = 0; r < strip_vectors; ++r) f(tile.values[g][c] + r * lanes, x[r]);
      }
      if constexpr (!std::is_const_v<Row>) {
        FA_UNROLL for (int r = 0; r < strip_vectors; ++r) row.v[g * strip_vectors + r] = x[r];
      }
    }
  }

  /// Calls f(score, token, key in tile) for each score.
  template <int R, int C, class F>
  FA_FN static void for_scores(score_tile<R, C>& s, const block_rows& at, const F& f) {
    for (int g = 0; g < s.used; ++g) {
      int token[strip_rows];
      const int row = g * strip_rows;
      for (int r = 0; r < strip_rows; ++r) token[r] = at.token(row + r);
      for (int key = 0; key < s.keys(g); ++key) {
        for (int r = 0; r < strip_rows; ++r) f(s.values[g][key][r], token[r], key);
      }
    }
  }

  template <int R, int C, class Mask>
  [[gnu::noinline]] static void record_kept(score_tile<R, C>& s, const block_rows& at, int key0,
                                            const Mask& mask) {
    static_assert(strip_rows <= 64);
    for (int g = 0; g < s.used; ++g) {
      for (int key = 0; key < s.keys(g); ++key) {
        std::uint64_t bits = 0;
        for (int r = 0; r < strip_rows; ++r) {
          bits |= static_cast<std::uint64_t>(
                      mask.keep(at.token(g * strip_rows + r), key0 + key) ? 1 : 0)
                  << r;
        }
        s.kept[g][key] = bits;
      }
    }
  }
};

}  // namespace FA_HOST_ISA
}  // namespace fa::host_machine
