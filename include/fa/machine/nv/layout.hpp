// Tiles of a block of warps. A warp owns rows; its accumulators hold S and O as they are, row by
// row:
//
//   S [16 MT, 8 NT] of a warp: MT x NT accumulators [16, 8] of mma.sync (see mma.hpp)
//
// Large outputs are split by columns over `column_splits` warps with the same rows, which then
// compute the same scores.
#pragma once

#include <cstdint>

#include <fa/machine/nv/memory.hpp>
#include <fa/machine/nv/mma.hpp>
#include <fa/machine/nv/position.hpp>

#if FA_NV

namespace fa::nv_machine {

/// Accumulators of a warp.
template <class M, int MT, int NT>
struct accumulator {
  using machine = M;
  static constexpr int row_tiles = MT;
  static constexpr int col_tiles = NT;
  float v[MT][NT][4];

  FA_DEVICE void clear() {
    FA_UNROLL for (int m = 0; m < MT; ++m) {
      FA_UNROLL for (int n = 0; n < NT; ++n) {
        FA_UNROLL for (int i = 0; i < 4; ++i) v[m][n][i] = 0.f;
      }
    }
  }
};

/// Scores S [R, BN].
template <class M, int R, int BN>
struct score_tile : accumulator<M, M::template row_tiles<R>, BN / 8> {
  int keys;  ///< keys of the step that exist
};

/// Output O [R, C], the warp's part of the columns.
template <class M, class T, int R, int C>
struct output_tile : accumulator<M, M::template row_tiles<R>, M::template split_cols<C> / 8> {};

/// One value for each of R rows, or a lane's part of a maximum or sum: [tile][half].
template <class M, int R>
struct row_values {
  using machine = M;
  static constexpr int row_tiles = M::template row_tiles<R>;
  float v[row_tiles][2];
};

/// Q [R, D] in shared memory.
template <class M, class T, int R, int D>
struct query_tile {
  using machine = M;
  std::uint32_t base;
};

/// P [R, BN] as the first operand of 16-bit products: squares [16, 16].
template <class M, class T, int R, int BN>
struct weight_tile {
  using machine = M;
  pairs4 v[M::template row_tiles<R>][BN / 16];
};

/// K or V of a step, [BN, C] in shared memory.
template <class T, int BN, int C>
struct step_tile {
  std::uint32_t base;
  int keys;  ///< that exist; the other rows are zero
};

}  // namespace fa::nv_machine

#endif
