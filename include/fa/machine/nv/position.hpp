// Which rows a block owns, and which of them a warp.
#pragma once

#include <fa/machine/block_rows.hpp>
#include <fa/machine/nv/lanes.hpp>
#include <fa/machine/nv/mma.hpp>

#if FA_NV

namespace fa::nv_machine {

/// The rows of a block and of this thread's warp, and those that hold its accumulators.
struct block_position : block_rows {
  /// Verbs ask positions for this: a machine may keep them elsewhere than in registers.
  FA_DEVICE const block_position& here() const { return *this; }

  /// Row, counted from the block's first, in which this lane holds values 2 half and 2 half + 1 of
  /// accumulator tile `tile`.
  FA_DEVICE int lane_row(int tile, int half) const {
    return own_row + tile * 16 + accumulator_place(lane(), 2 * half).row;
  }

  /// The token of such a row.
  FA_DEVICE int lane_token(int tile, int half) const { return token(lane_row(tile, half)); }
};

}  // namespace fa::nv_machine

#endif
