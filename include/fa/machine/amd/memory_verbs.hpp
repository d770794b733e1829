// Rows of a block: Q into registers or LDS, O and LSE from registers.
#pragma once

#include <cstdint>

#include <fa/core/dtype.hpp>
#include <fa/machine/amd/layout.hpp>

#if FA_AMD

namespace fa::amd_machine {

struct memory_verbs {
  /// One float a row, where the destination is present.
  template <class M, int R>
  FA_DEVICE static void store_row(const packed_rows<float>& rows, const row_values<M, R>& row,
                                  const block_rows& at) {
    if (rows.data == nullptr || lane() >= 16) return;
    FA_UNROLL for (int i = 0; i < row.row_tiles; ++i) {
      const int r = M::lane_row(at, i);
      if (r < at.row_count) store_element(rows.row(at.first_row + r), row.v[i]);
    }
  }

  /// Writes O [R, C] in the element type of the destination, as many neighbours at a time as a lane
  /// holds.
  template <class To, class M, int R, int C>
  FA_DEVICE static void store_rows(const packed_rows<To>& rows, const output_tile<M, R, C>& tile,
                                   const block_rows& at) {
    using plan = typename M::template value_plan_of<C>;
    constexpr int values = M::format::values, run_tiles = plan::runs / 16;
    FA_UNROLL for (int i = 0; i < tile.row_tiles; ++i) {
      const int row = M::lane_row(at, i);
      if (row >= at.row_count) continue;
      To* to = rows.row(at.first_row + row);
      FA_UNROLL for (int t = 0; t < run_tiles; ++t) {
        FA_UNROLL for (int r = 0; r < values; ++r) {
          const int col = (t * 16 + M::format::accumulator_row(lane(), r)) * plan::cols;
          float x[plan::cols];
          FA_UNROLL for (int c = 0; c < plan::cols; ++c) x[c] = tile.v[i][t + c * run_tiles][r];
          if (col + plan::cols <= C) {
            store_run<M>(to + col, x);
          } else {
            FA_UNROLL for (int c = 0; c < plan::cols; ++c) {
              if (col + c < C) store_element(to + col + c, convert<To>(x[c]));
            }
          }
        }
      }
    }
  }

 protected:
  /// The lane's rows of Q as operands, times its factor.
  template <class M, class T, int R, int D>
  FA_DEVICE static query_registers<M, R, D> load_query(const query_rows<const T>& rows,
                                                       const block_rows& at) {
    query_registers<M, R, D> q;
    constexpr int halves = M::format::whole_rows ? 2 : 1;
    FA_UNROLL for (int i = 0; i < M::template row_tiles<R>; ++i) {
      const T* row = rows.row(at.first_row + min_of(M::lane_row(at, i), at.row_count - 1));
      FA_UNROLL for (int p = 0; p < q.steps; ++p) {
        FA_UNROLL for (int half = 0; half < halves; ++half) {
          const int chunk = p * M::format::chunks + (halves == 2 ? half : lane() / 16);
          const words4 x = chunk_of<M, T, D>(row, chunk);
          FA_UNROLL for (int w = 0; w < 4; ++w) q.v[i][p][4 * half + w] = x[w];
        }
      }
    }
    if (rows.factor != 1.f) [[unlikely]] {
      FA_UNROLL for (auto& row : q.v) {
        FA_UNROLL for (auto& x : row) x = scaled<M, T>(x, rows.factor);
      }
    }
    return q;
  }

  /// Each wave copies its own rows of Q to LDS, times its factor; no other reads them.
  template <class M, class T, int R, int D>
  FA_DEVICE static query_in_lds<M, R, D> copy_query(const query_rows<const T>& rows,
                                                    const block_rows& at, std::uint32_t base) {
    constexpr int chunks = M::sizes::key_chunks(D), total = M::template row_tiles<R> * 16 * chunks;
    const std::uint32_t own = base + static_cast<std::uint32_t>(at.own_row * chunks * 16);
    _Pragma("unroll 4") for (int i = lane(); i < total; i += lanes) {
      // 8 lanes write at once: of some chunks and rows, so that they meet in no bank.
      constexpr int chunks_at_once = M::format::lane_groups, rows_at_once = 8 / chunks_at_once;
      const int r = i / 8 / (chunks / chunks_at_once) * rows_at_once +
                    i / chunks_at_once % rows_at_once;
      const int chunk = i / 8 % (chunks / chunks_at_once) * chunks_at_once + i % chunks_at_once;
      const T* row = rows.row(at.first_row + min_of(at.own_row + r, at.row_count - 1));
      words4 x = chunk_of<M, T, D>(row, chunk);
      if (rows.factor != 1.f) [[unlikely]]
        x = scaled<M, T>(x, rows.factor);
      lds_store(own + static_cast<std::uint32_t>(M::format::address(r, chunk, chunks)), x);
    }
    return {lane_address::in<typename M::format>(own)};
  }

 private:
  /// 16 bytes of a row; zero beyond D.
  template <class M, class T, int D>
  FA_DEVICE static words4 chunk_of(const T* row, int chunk) {
    constexpr int elements = M::format::chunk_elements;
    words4 x(0u);
    if (D % M::format::cols == 0 || chunk * elements < D) {
      const words<4> loaded = D % elements == 0 ? load_words<4>(row + chunk * elements, 0)
                                                : load_elements<4>(row + chunk * elements, 0,
                                                                   D - chunk * elements);
      x = words4{loaded.x[0], loaded.x[1], loaded.x[2], loaded.x[3]};
    }
    return x;
  }

  template <class M, class T, class Words>
  FA_DEVICE static Words scaled(Words x, float factor) {
    FA_UNROLL for (int w = 0; w < static_cast<int>(sizeof(Words)) / 4; ++w) {
      const std::uint32_t word = x[w];
      if constexpr (is_f32<T>) {
        x[w] = __builtin_bit_cast(std::uint32_t, __builtin_bit_cast(float, word) * factor);
      } else {
        const float2 pair = unpack(word, T{}) * factor;
        x[w] = pack<M::chip>(pair.x, pair.y, T{});
      }
    }
    return x;
  }

  template <class M, int N, class To>
  FA_DEVICE static void store_run(To* to, const float (&x)[N]) {
    constexpr int count = max_of(N / per_word<To>, 1), most = min_of(count, 4);
    FA_UNROLL for (int first = 0; first < count; first += most) {
      words<most> packed;
      FA_UNROLL for (int w = 0; w < most; ++w) {
        if constexpr (is_f32<To>) packed.x[w] = __builtin_bit_cast(std::uint32_t, x[first + w]);
        else packed.x[w] = pack<M::chip>(x[2 * (first + w)], x[2 * (first + w) + 1], To{});
      }
      store_words(to + first * per_word<To>, packed);
    }
  }
};

}  // namespace fa::amd_machine

#endif
