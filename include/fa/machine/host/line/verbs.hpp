// The verbs of the second orientation.
#pragma once

#include <cstdint>
#include <cstring>

#include <fa/machine/host/line/layout.hpp>
#include <fa/machine/packed_scores.hpp>

namespace fa::host_machine {
inline namespace FA_HOST_ISA {

/// Sums of all lanes of `lanes` registers: lane i of the result is the sum of registers[i].
template <int Distance = lanes / 2>
FA_FN floats sum_lanes(floats (&registers)[lanes]) {
  FA_UNROLL for (int i = 0; i < Distance; ++i) {
    butterfly<Distance>(registers[i], registers[i + Distance]);
    registers[i] += registers[i + Distance];
  }
  if constexpr (Distance > 1) return sum_lanes<Distance / 2>(registers);
  else return registers[0];
}

/// Combines the lanes that belong to the same of R rows; every lane gets the result of its row.
template <int R, int Distance = lanes / 2, class F>
FA_FN floats combine_rows(floats x, const F& f) {
  if constexpr (Distance >= R) {
    floats a = x, b = x;
    butterfly<Distance>(a, b);  // a: lower of each pair of lanes, b: upper
    return combine_rows<R, Distance / 2>(f(a, b), f);
  } else {
    return x;
  }
}

struct line_verbs {
  template <int R>
  FA_FN static block_rows rows_of(int block, int rows, int heads) {
    return whole_block<R>(block, rows, heads);
  }

  // ---- row vectors and softmax
  template <int R>
  FA_FN static void fill(line_row<R>& row, float x) {
    row.v = splat(x);
  }

  template <int R, class F>
  FA_FN static line_row<R> map(const line_row<R>& a, const line_row<R>& b, const F& f) {
    return {f(a.v, b.v)};
  }

  template <int R>
  FA_FN static bool any_above(const line_row<R>& a, const line_row<R>& b) {
    return any(a.v > b.v);
  }

  template <int R>
  FA_FN static line_row<R> max_across(const line_row<R>& a) {
    return {combine_rows<R>(a.v, [](floats x, floats y) FA_LAMBDA { return larger(x, y); })};
  }

  template <int R>
  FA_FN static line_row<R> sum_across(const line_row<R>& a) {
    return {combine_rows<R>(a.v, [](floats x, floats y) FA_LAMBDA { return x + y; })};
  }

  template <int R>
  FA_FN static void scale_rows(line_row<R>& row, const line_row<R>& factor) {
    row.v *= factor.v;
  }

  template <class T, int R, int D>
  FA_FN static void scale_rows(line_tile<T, R, D>& tile, const line_row<R>& factor) {
    for (int r = 0; r < R; ++r) {
      const float f = factor.v[r];
      for (auto& x : tile.values[r]) store(x, load(x) * f);
    }
  }

  template <int R, int C>
  FA_FN static line_row<R> max_cols_part(const line_scores<R, C>& s) {
    floats top = splat(-infinity);
    for (int i = 0; i < s.registers(); ++i) top = larger(load(s.values + i * lanes), top);
    return {top};
  }

  template <int R, int C, class F>
  FA_FN static void map_rows(line_scores<R, C>& s, const line_row<R>& row, const F& f) {
    for (int i = 0; i < s.registers(); ++i)
      store(s.values + i * lanes, f(load(s.values + i * lanes), row.v));
  }

  template <int R, int C, class F>
  FA_FN static void map_rows_add(line_scores<R, C>& s, const line_row<R>& row, line_row<R>& sum,
                                 const F& f) {
    for (int i = 0; i < s.registers(); ++i) {
      const floats p = f(load(s.values + i * lanes), row.v);
      sum.v += p;
      store(s.values + i * lanes, p);
    }
  }

  template <int R, int C, class F>
  FA_FN static void map_at(line_scores<R, C>& s, const block_rows& at, int key0, const F& f) {
    if constexpr (TakesPackedScores<F, floats, ints, ints>) {  // of all rows and a few keys
      ints token{}, key{};
      for (int lane = 0; lane < lanes; ++lane) {
        token[lane] = at.token(lane % R);
        key[lane] = lane / R;
      }
      for (int i = 0; i < s.registers(); ++i, key += s.keys_per_register) {
        const ints existing = key < s.keys ? key : s.keys - 1 - ints{};  // f may look into arrays
        const floats x = load(s.values + i * lanes);
        store(s.values + i * lanes, key < s.keys ? f(x, token, existing + key0) : x);
      }
    } else {
      for (int j = 0; j < s.keys; ++j) {
        for (int r = 0; r < R; ++r)
          s.values[j * R + r] = f(s.values[j * R + r], at.token(r), key0 + j);
      }
    }
  }

  template <int R, int C, class Mask>
  FA_FN static void keep_only(line_scores<R, C>& s, const block_rows& at, int key0,
                              const Mask& mask) {
    for (int j = 0; j < s.keys; ++j) {
      unsigned bits = 0;
      for (int r = 0; r < R; ++r) {
        const bool kept = mask.keep(at.token(r), key0 + j);
        bits |= static_cast<unsigned>(kept) << r;
        if (!kept) s.values[j * R + r] = -infinity;
      }
      s.kept[j] = static_cast<std::uint8_t>(bits);
    }
  }

  // ---- products
  /// S = Q K^T: [R, D] x [rows, D] -> [R, C].
  template <class T, int R, int D, int C>
  FA_FN static line_scores<R, C> mma_abt(const line_tile<T, R, D>& q, const line_step<T, C>& k) {
    line_scores<R, C> s;
    s.keys = k.rows;
    constexpr int keys = lanes / R;
    int j = 0;
    for (; j + keys <= k.rows; j += keys) {
      k.template fetch_ahead<D>(j, keys);
      store(s.values + j * R, score_lines<keys>(q, k, j));
    }
    if (j < k.rows) {
      const int rest = k.rows - j;
      floats last = splat(-infinity);
      for (int i = 0; i < rest; ++i) {
        const floats one = score_lines<1>(q, k, j + i);  // lanes 0 .. R-1
        for (int r = 0; r < R; ++r) last[i * R + r] = one[r];
      }
      store(s.values + j * R, last);
    }
    return s;
  }

  template <class T, int R, int C>
  FA_FN static const line_scores<R, C>& as_operand(const line_scores<R, C>& s) {
    return s;
  }

  /// O += P V: [R, C] x [rows, DV] -> [R, DV].
  template <class T, int R, int C, int DV>
  FA_FN static void mma_ab(line_tile<T, R, DV>& o, const line_scores<R, C>& p,
                           const line_step<T, C>& v) {
    if (!v.finite && p.record) [[unlikely]]
      return add_products_exactly(o, p, v);
    int j = 0;
    for (; j + keys_together<T> <= v.rows; j += keys_together<T>) {
      v.template fetch_ahead<DV>(j, keys_together<T>);
      add_value_lines<keys_together<T>>(o, p, v, j);
    }
    for (; j < v.rows; ++j) add_value_lines<1>(o, p, v, j);
  }

  // ---- memory
  template <class T, int R, int D>
  FA_FN static line_tile<T, R, D> zeros() {
    line_tile<T, R, D> tile;
    std::memset(tile.values, 0, sizeof tile.values);
    return tile;
  }

  /// Q [R, D] times its factor; rows that do not exist are zero.
  template <int R, int D, class T>
  FA_FN static line_tile<T, R, D> load_rows(const query_rows<const T>& rows, const block_rows& at) {
    auto tile = zeros<T, R, D>();
    for (int r = 0; r < at.row_count; ++r) {
      const T* row = rows.row(at.first_row + r);
      line_format<T, D>::for_loads([&](int i, const auto& load_piece) FA_LAMBDA {
        const auto piece = load_piece(row);
        for (floats x : piece.x) store(tile.values[r][i++], x * rows.factor);
      });
    }
    return tile;
  }

  /// O [R, D], in the element type of the destination.
  template <class To, class T, int R, int D>
  FA_FN static void store_rows(const packed_rows<To>& rows, const line_tile<T, R, D>& tile,
                               const block_rows& at) {
    for (int r = 0; r < at.row_count; ++r) {
      To* to = rows.row(at.first_row + r);
      for (int i = 0; i < line_format<T, D>::registers; ++i) {
        for (int lane = 0; lane < lanes; ++lane) {
          const int column = line_format<T, D>::column(i, lane);
          if (column < D) to[column] = convert<To>(tile.values[r][i][lane]);
        }
      }
    }
  }

  template <int R>
  FA_FN static void store_row(const packed_rows<float>& rows, const line_row<R>& row,
                              const block_rows& at) {
    if (rows.data == nullptr) return;
    for (int r = 0; r < at.row_count; ++r) *rows.row(at.first_row + r) = row.v[r];
  }

 private:
  /// Rows of V that are multiplied in one pass over O, which lies in memory: fewer loads and stores
  /// of O a key. Zen 3, 32 heads on 8, 8192 keys, f32: 2 rows 12.6, 4 rows 11.2 GB/s; 16-bit: 4
  /// rows are as good or better.
  template <class T>
  static constexpr int keys_together = is_f32<T> && lanes < 16 ? 2 : 4;

  /// Scores of Keys keys from key j on and all R rows, in lanes [key][row].
  template <int Keys, class T, int R, int D, int C>
  FA_FN static floats score_lines(const line_tile<T, R, D>& q, const line_step<T, C>& k, int j) {
    constexpr int pass = Keys < 2 ? 1 : 2;  // two keys share each load of Q
    using format = line_format<T, D>;
    floats acc[lanes];
    FA_UNROLL for (int i = 0; i < lanes; ++i) acc[i] = floats{};
    FA_UNROLL for (int n = 0; n < Keys; n += pass) {
      const T* rows[pass];
      FA_UNROLL for (int m = 0; m < pass; ++m) rows[m] = k.row(j + n + m);
      format::for_loads([&](int i, const auto& load_piece) FA_LAMBDA {
        typename format::piece pieces[pass];
        FA_UNROLL for (int m = 0; m < pass; ++m) pieces[m] = load_piece(rows[m]);
        FA_UNROLL for (int half = 0; half < format::registers_per_load; ++half) {
          FA_UNROLL for (int r = 0; r < R; ++r) {
            const floats query = load(q.values[r][i + half]);
            FA_UNROLL for (int m = 0; m < pass; ++m)
                acc[(n + m) * R + r] += pieces[m].x[half] * query;
          }
        }
      });
    }
    return sum_lanes(acc);
  }

  /// O += P V for Keys keys from key j on, two rows of O at a time.
  template <int Keys, class T, int R, int C, int DV>
  FA_FN static void add_value_lines(line_tile<T, R, DV>& o, const line_scores<R, C>& p,
                                    const line_step<T, C>& v, int j) {
    constexpr int pass = R < 2 ? 1 : 2;
    using format = line_format<T, DV>;
    FA_UNROLL for (int r = 0; r < R; r += pass) {
      floats weights[Keys][pass];
      FA_UNROLL for (int n = 0; n < Keys; ++n) {
        FA_UNROLL for (int m = 0; m < pass; ++m)
            weights[n][m] = splat(p.values[(j + n) * R + r + m]);
      }
      format::for_loads([&](int i, const auto& load_piece) FA_LAMBDA {
        constexpr int registers = format::registers_per_load;
        floats sums[pass][registers];
        FA_UNROLL for (int m = 0; m < pass; ++m) {
          FA_UNROLL for (int h = 0; h < registers; ++h) sums[m][h] = load(o.values[r + m][i + h]);
        }
        FA_UNROLL for (int n = 0; n < Keys; ++n) {
          const auto piece = load_piece(v.row(j + n));
          FA_UNROLL for (int m = 0; m < pass; ++m) {
            FA_UNROLL for (int h = 0; h < registers; ++h) sums[m][h] += piece.x[h] * weights[n][m];
          }
        }
        FA_UNROLL for (int m = 0; m < pass; ++m) {
          FA_UNROLL for (int h = 0; h < registers; ++h) store(o.values[r + m][i + h], sums[m][h]);
        }
      });
    }
  }

  /// O += P V where some V is infinite or NaN: rows that do not see such a key must not multiply
  /// it, even by zero.
  template <class T, int R, int C, int DV>
  [[gnu::noinline]] static void add_products_exactly(line_tile<T, R, DV>& o,
                                                     const line_scores<R, C>& p,
                                                     const line_step<T, C>& v) {
    for (int j = 0; j < v.rows; ++j) {
      line_format<T, DV>::for_loads([&](int i, const auto& load_piece) {
        const auto piece = load_piece(v.row(j));
        for (floats x : piece.x) {
          for (int r = 0; r < R; ++r) {
            if (p.kept[j] >> r & 1)
              store(o.values[r][i], load(o.values[r][i]) + x * p.values[j * R + r]);
          }
          ++i;
        }
      });
    }
  }
};

}  // namespace FA_HOST_ISA
}  // namespace fa::host_machine
