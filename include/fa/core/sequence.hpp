// Positions in a sequence, as masks and scores know them.
#pragma once

#include <fa/core/numeric.hpp>

namespace fa {

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

/// The queries that see a range of keys, the mirror of key_span: those outside [begin, end) see
/// none of the keys, and those of [full_begin, full_end) all of them.
/// 0 <= begin <= full_begin <= full_end <= end <= queries, or begin == end where none sees any.
struct query_span {
  int begin;
  int full_begin;
  int full_end;
  int end;
};

/// The part of a span that lies in [0, keys), whatever a mask of a user's own says.
FA_FN constexpr key_span within(key_span span, int keys) {
  const int begin = clamp(span.begin, 0, keys), end = clamp(span.end, begin, keys);
  return {begin, clamp(span.full_begin, begin, end), clamp(span.full_end, begin, end), end};
}

/// The part of a span that lies in [0, queries), whatever a mask of a user's own says.
FA_FN constexpr query_span within(query_span span, int queries) {
  const int begin = clamp(span.begin, 0, queries), end = clamp(span.end, begin, queries);
  return {begin, clamp(span.full_begin, begin, end), clamp(span.full_end, begin, end), end};
}

/// One head of one sequence: what masks and scores are bound to.
struct sequence {
  int query_count;
  int key_count;
  i64 batch;       ///< index of the sequence
  i64 query_head;  ///< index of the query head
};

}  // namespace fa
