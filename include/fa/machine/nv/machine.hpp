// The NVIDIA machine: a block of warps, each with rows of its own.
#pragma once

#include <type_traits>

#include <fa/machine/nv/memory_verbs.hpp>
#include <fa/machine/nv/product_verbs.hpp>
#include <fa/machine/nv/stream.hpp>

#if FA_NV

namespace fa::nv_machine {

/// Models fa::Machine for elements of type T: Warps warps; ColumnSplits of them share the same rows
/// and split the columns of O; Stages steps of K and V in shared memory.
template <class T, int Warps, int ColumnSplits, int Stages>
struct warps : memory_verbs,
               softmax_verbs,
               std::conditional_t<is_f32<T>, float_product_verbs, product_verbs> {
  static constexpr int threads = Warps * warp_lanes;
  static constexpr int stages = Stages;
  static constexpr int column_splits = ColumnSplits;

  template <int R>
  static constexpr int row_tiles = R * ColumnSplits / Warps / 16;  ///< of 16 rows, of a warp
  template <int C>
  static constexpr int padded_cols = round_up(C, 16 * ColumnSplits);
  template <int C>
  static constexpr int split_cols = padded_cols<C> / ColumnSplits;  ///< columns of O of a warp

  template <int R>
  using row = row_values<warps, R>;
  template <int R>
  using row_part = row_values<warps, R>;
  template <int R, int BN, class Brings, class... Sources>
  using stream = key_stream<warps, R, BN, Brings, Sources...>;
  template <int R, int BN>
  using scores = score_tile<warps, R, BN>;
  using position = block_position;

  /// The part of the columns that this warp has of O.
  FA_DEVICE static int column_split() { return ColumnSplits == 1 ? 0 : warp() % ColumnSplits; }

  /// The warp's first row, counted from the block's.
  template <int R>
  FA_DEVICE static int warp_row() {
    return warp() / ColumnSplits * (row_tiles<R> * 16);
  }

  template <int R>
  FA_DEVICE static block_position rows_of(int block, int rows, int heads) {
    static_assert(row_tiles<R> > 0 && R == row_tiles<R> * 16 * Warps / ColumnSplits,
                  "fa: a warp owns a multiple of 16 rows");
    const int first = block * R, count = min_of(R, rows - first), own = warp_row<R>();
    return {{first, count, own, min_of(row_tiles<R> * 16, count - own), heads}};
  }

  template <int, int BN, class Mask>
  FA_DEVICE static key_walk<BN> walk_of(const Mask& mask, const block_position& at, int keys) {
    return fa::walk_of<warps, BN, last_step::padded>(mask, at, keys);
  }

  template <int R, int D>
  FA_DEVICE static auto load_rows(const query_rows<const T>& rows, const block_position& at) {
    return load_query<warps, T, R, D>(rows, at);
  }

  template <class, int R, int C>
  FA_DEVICE static output_tile<warps, T, R, C> zeros() {
    output_tile<warps, T, R, C> tile;
    tile.clear();
    return tile;
  }
};

}  // namespace fa::nv_machine

#endif
