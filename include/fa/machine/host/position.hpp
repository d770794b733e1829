// Which rows a block owns.
#pragma once

#include <fa/core/view.hpp>
#include <fa/machine/select.hpp>

namespace fa::host_machine {
inline namespace FA_HOST_ISA {

/// The rows of a block and the tokens they belong to.
struct block_position {
  int first_row;
  int row_count;  ///< rows of the block that exist, at most R
  int group;      ///< rows per token
  /// The token of a row; behind the last row, that of the last: policies are never asked about
  /// tokens that do not exist.
  FA_FN int token(int row) const { return (first_row + min_of(row, row_count - 1)) / group; }
  FA_FN row_range tokens() const { return tokens(0, row_count); }
  FA_FN row_range tokens(int row,
                         int rows) const {  ///< of `rows` > 0 rows of the block from `row` on
    const int first = token(row);
    return {first, token(row + rows - 1) - first + 1};
  }
};

/// Block `block` of R rows among `rows`.
template <int R>
FA_FN block_position position_of(int block, int rows, int group) {
  return {block * R, min_of(R, rows - block * R), group};
}

}  // namespace FA_HOST_ISA
}  // namespace fa::host_machine
