// Which rows a block owns, and which of them a warp.
#pragma once

#include <fa/core/view.hpp>
#include <fa/machine/nv/lanes.hpp>
#include <fa/machine/nv/mma.hpp>

#if FA_NV

namespace fa::nv_machine {

/// The rows of a block and of this thread's warp, and the tokens they belong to.
struct block_position {
  int first_row;                                           ///< of the block
  int row_count;                                           ///< rows of the block that exist
  int warp_row;                                            ///< first row of the warp, counted from the block's
  int warp_rows;                                           ///< rows of the warp that exist; may be 0 or less
  int group;                                               ///< rows per token

  /// Verbs ask positions for this: a machine may keep them elsewhere than in registers.
  FA_DEVICE const block_position& here() const { return *this; }

  FA_DEVICE row_range tokens(int row, int rows) const {    ///< of `rows` > 0 rows of the block from `row` on
    if (group == 1) return {first_row + row, rows};
    const int first = (first_row + row) / group;
    return {first, (first_row + row + rows - 1) / group - first + 1};
  }
  FA_DEVICE row_range block_tokens() const { return tokens(0, row_count); }
  FA_DEVICE row_range warp_tokens() const { return tokens(warp_row, warp_rows); }

  /// Row, counted from the block's first, in which this lane holds values 2 half and 2 half + 1 of accumulator tile `tile`.
  FA_DEVICE int lane_row(int tile, int half) const { return warp_row + tile * 16 + accumulator_place(lane(), 2 * half).row; }

  /// The token of such a row; where the row does not exist, the last that does.
  FA_DEVICE int lane_token(int tile, int half) const {
    const int row = first_row + min_of(lane_row(tile, half), row_count - 1);
    return group == 1 ? row : row / group;
  }
};

}  // namespace fa::nv_machine

#endif
