// What kernels see of memory: rows of one head of one sequence, with 64-bit strides.
#pragma once

#include <fa/core/numeric.hpp>

namespace fa {

/// The rows of keys or values of one head: row j starts at data + j * stride. Shape [rows, D].
template <class T>
struct row_view {
  T* data;
  i64 stride;  ///< elements from one row to the next
  int rows;
  FA_FN constexpr T* row(int j) const { return data + j * stride; }
};

/// The rows of queries, outputs or LSE of a group of heads that share keys: row r is token r /
/// group of head r % group. With group = 1 these are the tokens of one head. Shape [rows, D].
template <class T>
struct group_view {
  T* data;           ///< null: absent
  i64 token_stride;  ///< elements
  i64 head_stride;   ///< elements
  int rows;
  int group;
  FA_FN constexpr T* row(int r) const {
    return group == 1 ? data + r * token_stride
                      : data + r / group * token_stride + r % group * head_stride;
  }
};

/// Query positions [first, first + count) of one sequence.
struct row_range {
  int first;
  int count;
};

/// The keys that a range of rows needs: some row sees each end of [begin, end), and every row sees
/// all of [full_begin, full_end). 0 <= begin <= full_begin <= full_end <= end <= keys, or begin ==
/// end where nothing is seen.
struct key_span {
  int begin;
  int full_begin;
  int full_end;
  int end;
};

/// Keys j with begin <= j < end, as far as they exist: the bounds may be any numbers.
struct key_range {
  int begin;
  int end;
};

/// The part of a span that lies in [0, keys), whatever a mask of a user's own says.
FA_FN constexpr key_span within(key_span span, int keys) {
  const int begin = clamp(span.begin, 0, keys), end = clamp(span.end, begin, keys);
  return {begin, clamp(span.full_begin, begin, end), clamp(span.full_end, begin, end), end};
}

/// One head of one sequence, as masks and scores are told of it.
struct sequence {
  int query_count;
  int key_count;
  i64 batch;       ///< index of the sequence
  i64 query_head;  ///< index of the query head
};

}  // namespace fa
