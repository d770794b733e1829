// Rows of a block: Q into shared memory, O and LSE from registers.
#pragma once

#include <cstdint>

#include <fa/core/dtype.hpp>
#include <fa/machine/nv/layout.hpp>
#include <fa/machine/nv/softmax_verbs.hpp>

#if FA_NV

namespace fa::nv_machine {

/// A register of elements, one f32 or two of 16 bits, times a factor.
FA_DEVICE std::uint32_t multiplied(std::uint32_t word, float factor, float) {
  return __float_as_uint(__uint_as_float(word) * factor);
}
template <class T>
FA_DEVICE std::uint32_t multiplied(std::uint32_t word, float factor, T) {
  const T low{__builtin_bit_cast(T, static_cast<std::uint16_t>(word))};
  const T high{__builtin_bit_cast(T, static_cast<std::uint16_t>(word >> 16))};
  return pack(static_cast<float>(low) * factor, static_cast<float>(high) * factor, T{});
}

struct memory_verbs {
  /// Writes O [R, C] in the element type of the destination: 16 bytes a lane at a time where
  /// addresses allow, or two columns.
  template <class To, class M, class T, int R, int C, class Position>
  FA_DEVICE static void store_rows(const packed_rows<To>& rows, const output_tile<M, T, R, C>& tile,
                                   const Position& position) {
    constexpr i64 size = element_bytes<To>;
    const block_position& at = position.here();
    const int width = rows.alignment();
    const bool in_pairs = width >= 2 * size;
    if constexpr (is_16_bit<To> && output_tile<M, T, R, C>::col_tiles % 4 == 0 && C % 8 == 0) {
      if (width == 16) return store_in_eights(rows, tile, at);
    }
    const int first_col = M::column_split() * M::template split_cols<C> +
                          accumulator_place(lane(), 0).col;
    for_rows<M::template row_tiles<R>>([&](int m, int half) FA_LAMBDA {
      const int row = at.lane_row(m, half);
      if (row >= at.row_count) return;
      To* to = rows.row(at.first_row + row);
      FA_UNROLL for (int n = 0; n < tile.col_tiles; ++n) {
        const int col = first_col + n * 8;
        const float x[2] = {tile.v[m][n][2 * half], tile.v[m][n][2 * half + 1]};
        if (in_pairs && col + 1 < C) {
          store_pair(to + col, x[0], x[1]);
        } else {
          FA_UNROLL for (int i = 0; i < 2; ++i) {
            if (col + i < C) to[col + i] = convert<To>(x[i]);
          }
        }
      }
    });
  }

  /// One float a row, where the destination is present.
  template <class M, int R, class Position>
  FA_DEVICE static void store_row(const packed_rows<float>& rows, const row_values<M, R>& row,
                                  const Position& position) {
    const block_position& at = position.here();
    if (rows.data == nullptr || M::column_split() != 0 || accumulator_place(lane(), 0).col != 0)
      return;
    for_rows<M::template row_tiles<R>>([&](int m, int half) FA_LAMBDA {
      const int r = at.lane_row(m, half);
      if (r < at.row_count) *rows.row(at.first_row + r) = row.v[m][half];
    });
  }

 protected:
  /// Starts the copy of Q [R, D], and for another factor than 1 waits for it and multiplies.
  template <class M, class T, int R, int D>
  FA_DEVICE static query_tile<M, T, R, D> load_query(const query_rows<const T>& rows,
                                                     const block_position& at) {
    const std::uint32_t base = shared_base();
    copy_rows<R, D, M::threads, D>(base, rows, at.first_row, at.row_count, rows.alignment());
    commit_copies();
    if (rows.factor != 1.f) [[unlikely]]
      multiply<M, T, R, D>(base, rows.factor);
    return {base};
  }

 private:
  FA_DEVICE static void store_pair(float* to, float low, float high) {
    *reinterpret_cast<float2*>(to) = make_float2(low, high);
  }
  template <class To>
  FA_DEVICE static void store_pair(To* to, float low, float high) {
    *reinterpret_cast<std::uint32_t*>(to) = pack(low, high, To{});
  }

  /// Each four lanes of a row exchange what they have of four squares: a lane then holds the eight
  /// columns of one of them.
  template <class To, class M, class T, int R, int C>
  FA_DEVICE static void store_in_eights(const packed_rows<To>& rows,
                                        const output_tile<M, T, R, C>& tile,
                                        const block_position& at) {
    const int own = lane() % 4, first_col = M::column_split() * M::template split_cols<C> + own * 8;
    for_rows<M::template row_tiles<R>>([&](int m, int half) FA_LAMBDA {
      const int row = at.lane_row(m, half);
      To* to = rows.row(at.first_row + min_of(row, at.row_count - 1));
      FA_UNROLL for (int n = 0; n < tile.col_tiles; n += 4) {
        std::uint32_t x[4];  // x[i]: columns 2 own and 2 own + 1 of square n + i
        FA_UNROLL for (int i = 0; i < 4; ++i)
            x[i] = pack(tile.v[m][n + i][2 * half], tile.v[m][n + i][2 * half + 1], To{});
        transpose_row_lanes(x);  // x[i]: columns 2 i and 2 i + 1 of square n + own
        const int col = first_col + n * 8;
        if (row < at.row_count && col < C)
          *reinterpret_cast<uint4*>(to + col) = make_uint4(x[0], x[1], x[2], x[3]);
      }
    });
  }

  template <class M, class T, int R, int D>
  FA_DEVICE static void multiply(std::uint32_t base, float factor) {
    using format = row_format<T, D>;
    wait_copies<0>();
    block_barrier();
    FA_NO_UNROLL for (int i = thread(); i < R * format::chunks; i += M::threads) {
      const int r = i / format::chunks, col = i % format::chunks;
      const std::uint32_t at = base +
                               static_cast<std::uint32_t>(r * format::stride_bytes + col * 16);
      std::uint32_t x[4];
      load_shared(at, x);
      FA_UNROLL for (std::uint32_t& word : x) word = multiplied(word, factor, T{});
      store_shared(at, x);
    }
    block_barrier();
  }
};

}  // namespace fa::nv_machine

#endif
