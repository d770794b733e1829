// Which rows a block of a GPU owns, which of them a wave, and the tokens they belong to.
#pragma once

#include <fa/core/view.hpp>

namespace fa {

/// The rows of a block and of the wave (or warp) that asks.
struct block_rows {
  int first_row;  ///< of the block
  int row_count;  ///< rows of the block that exist
  int own_row;    ///< first row of the wave, counted from the block's
  int own_rows;   ///< rows of the wave that exist; may be 0 or less
  int group;      ///< rows per token

  FA_FN row_range tokens(int row,
                         int rows) const {  ///< of `rows` > 0 rows of the block from `row` on
    if (group == 1) return {first_row + row, rows};
    const int first = (first_row + row) / group;
    return {first, (first_row + row + rows - 1) / group - first + 1};
  }
  FA_FN row_range block_tokens() const { return tokens(0, row_count); }
  FA_FN row_range own_tokens() const { return tokens(own_row, own_rows); }

  /// The token of a row of the block; where the row does not exist, the last that does.
  FA_FN int token(int row) const {
    const int existing = first_row + min_of(row, row_count - 1);
    return group == 1 ? existing : existing / group;
  }
};

}  // namespace fa
