// Between memory and tiles, first orientation: squares of `lanes` rows by `lanes` columns are
// transposed in registers.
#pragma once

#include <cstring>

#include <fa/machine/host/memory.hpp>
#include <fa/machine/host/strip/product_verbs.hpp>

namespace fa::host_machine {
inline namespace FA_HOST_ISA {

struct strip_memory_verbs {
  /// The rows of block `block` among `rows`.
  template <int R>
  FA_FN static block_rows rows_of(int block, int rows, int heads) {
    return whole_block<R>(block, rows, heads);
  }

  template <class T, int R, int C>
  FA_FN static strip_tile<R, C> zeros() {
    strip_tile<R, C> tile;
    std::memset(tile.values, 0, sizeof tile.values);
    return tile;
  }

  /// Q [R, D] times its factor; rows that do not exist are zero.
  template <int R, int D, class T>
    requires(!multiplies_pairs<T>)
  FA_FN static strip_tile<R, D> load_rows(const query_rows<const T>& rows, const block_rows& at) {
    strip_tile<R, D> tile;
    tile.used = ceil_div(at.row_count, strip_rows);
    load_squares<D>(tile, rows, at, [&](const T* row, int column) FA_LAMBDA {
      return load_first(row + column, D - column) * rows.factor;
    });
    return tile;
  }

  /// O [R, C], in the element type of the destination.
  template <class T, int R, int C>
  FA_FN static void store_rows(const packed_rows<T>& rows, const strip_tile<R, C>& tile,
                               const block_rows& at) {
    for (int first = 0; first < at.row_count; first += lanes) {
      const int g = first / strip_rows, r = first % strip_rows,
                count = min_of(lanes, at.row_count - first);
      T* to[lanes];
      for (int i = 0; i < count; ++i) to[i] = rows.row(at.first_row + first + i);
      for (int column = 0; column < C; column += lanes) {
        floats square[lanes];
        FA_UNROLL for (int i = 0; i < lanes; ++i)
            square[i] = column + i < C ? load(tile.values[g][column + i] + r) : floats{};
        transpose(square);
        FA_UNROLL for (int i = 0; i < lanes; ++i) {
          if (i < count) store_first(to[i] + column, square[i], C - column);
        }
      }
    }
  }

  /// One float a row, where the destination is present.
  template <int R>
  FA_FN static void store_row(const packed_rows<float>& rows, const strip_row<R>& row,
                              const block_rows& at) {
    if (rows.data == nullptr) return;
    for (int r = 0; r < at.row_count; ++r)
      *rows.row(at.first_row + r) = row.v[r / lanes][r % lanes];
  }

#if FA_HOST_BF16_DOT
  /// The same as pairs of columns.
  template <int R, int D, class T>
    requires(multiplies_pairs<T>)
  FA_FN static pair_tile<R, D> load_rows(const query_rows<const T>& rows, const block_rows& at) {
    pair_tile<R, D> tile;
    tile.used = ceil_div(at.row_count, strip_rows);
    load_squares<pair_tile<R, D>::pairs>(
        tile, rows, at, [&](const bf16* row, int column) FA_LAMBDA {
          const int elements = min_of(D - 2 * column, 2 * lanes);
          if (elements == 2 * lanes && rows.factor == 1.f)
            return reinterpret_cast<floats>(load_pairs(&row[2 * column].bits));
          bf16 some[2 * lanes] = {};
          std::memcpy(some, row + 2 * column, static_cast<std::size_t>(elements) * sizeof(bf16));
          if (rows.factor != 1.f) {
            for (bf16& x : some) x = bf16(static_cast<float>(x) * rows.factor);
          }
          return reinterpret_cast<floats>(load_pairs(&some[0].bits));
        });
    return tile;
  }
#endif

 private:
  /// Fills a tile of C columns square by square; load(row, column) gives a row of a square.
  template <int C, class Tile, class T, class Load>
  FA_FN static void load_squares(Tile& tile, const packed_rows<const T>& rows, const block_rows& at,
                                 const Load& load) {
    for (int first = 0; first < tile.used * strip_rows; first += lanes) {
      const int g = first / strip_rows, r = first % strip_rows,
                count = min_of(lanes, at.row_count - first);
      const T* from[lanes];
      for (int i = 0; i < count; ++i) from[i] = rows.row(at.first_row + first + i);
      for (int column = 0; column < C; column += lanes) {
        floats square[lanes];
        FA_UNROLL for (int i = 0; i < lanes; ++i) square[i] = i < count ? load(from[i], column)
                                                                        : floats{};
        transpose(square);
        FA_UNROLL for (int i = 0; i < lanes; ++i) {
          if (column + i < C) store(tile.values[g][column + i] + r, square[i]);
        }
      }
    }
  }
};

}  // namespace FA_HOST_ISA
}  // namespace fa::host_machine
