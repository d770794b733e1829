// Which rows a block owns, which of them a part of it that runs together, and their tokens.
#pragma once

#include <fa/core/sequence.hpp>

namespace fa {

/// The rows of a block and, where a block runs in waves or warps, of the one that asks: "own".
struct block_rows {
  int first_row;  ///< of the block
  int row_count;  ///< rows of the block that exist
  int own_row;    ///< first own row, counted from the block's
  int own_rows;   ///< own rows that exist; may be 0 or less
  int heads;      ///< rows of a token

  /// The tokens of `rows` > 0 rows of the block from `row` on, all of which exist.
  FA_FN constexpr row_range tokens(int row, int rows) const {
    if (heads == 1) return {first_row + row, rows};
    const int first = (first_row + row) / heads;
    return {first, (first_row + row + rows - 1) / heads - first + 1};
  }

  /// The token of a row of the block; where the row does not exist, the last that does: policies
  /// are never asked about tokens that do not exist.
  FA_FN constexpr int token(int row) const {
    const int existing = first_row + min_of(row, row_count - 1);
    return heads == 1 ? existing : existing / heads;
  }
};

/// Block `block` of R rows among `rows`, all of them its own.
template <int R>
FA_FN constexpr block_rows whole_block(int block, int rows, int heads) {
  const int count = min_of(R, rows - block * R);
  return {block * R, count, 0, count, heads};
}

}  // namespace fa
