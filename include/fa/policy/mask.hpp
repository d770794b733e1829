// Masks: which keys a query sees. A mask is bound to a sequence and then gives two answers:
// `keep(i, j)` for one pair, and `span(rows)` for the keys that a range of rows needs. Kernels use
// both; references need only `keep`.
//
//   causal, 3 queries, 5 keys         window{1, 0}
//        0 1 2 3 4                         0 1 2 3 4
//   0    x x x . .                    0    . x x . .
//   1    x x x x .                    1    . . x x .
//   2    x x x x x                    2    . . . x x
#pragma once

#include <concepts>

#include <fa/core/sequence.hpp>
#include <fa/machine/interval_mask.hpp>

namespace fa {

/// A mask bound to one head of one sequence. It may also say which keys a row sees, by `keys_of`:
/// see IntervalMask.
template <class M>
concept BoundMask = requires(const M m, int i, int j, row_range rows) {
  { m.keep(i, j) } -> std::convertible_to<bool>;
  { m.span(rows, j) } -> std::same_as<key_span>;
};

/// A bound mask may say which queries see a range of keys, for kernels that go through the queries
/// of each key: `queries_of(keys, query_count)` for a range that is not empty and exists.
template <class M>
concept QuerySpanMask = BoundMask<M> && requires(const M m, key_range keys, int query_count) {
  { m.queries_of(keys, query_count) } -> std::same_as<query_span>;
};

/// A mask type that users may name: `m.bind(sequence)` gives the mask of that sequence.
template <class M>
concept Mask = std::default_initializable<M> && requires(const M m, const sequence s) {
  { m.bind(s) } -> BoundMask;
};

/// True for policies (masks and scores) whose `bind` gives the same for all query heads of a
/// sequence. Kernels may then make the heads that share keys rows of one block, which is faster for
/// few queries. A policy says so by a member `static constexpr bool same_for_all_heads = true`;
/// without it each head is bound on its own.
template <class Policy>
inline constexpr bool same_for_all_heads = false;
template <class Policy>
  requires requires { Policy::same_for_all_heads; }
inline constexpr bool same_for_all_heads<Policy> = Policy::same_for_all_heads;

/// A mask (not yet bound) may have a member `bool rows_grow() const`: true if, along a sequence,
/// later queries see more keys than earlier ones, or fewer. Schedules then deal out heavy and light
/// rows in turns. Without the member: false. It bears on speed alone.
template <class M>
FA_FN constexpr bool rows_grow(const M& mask) {
  if constexpr (requires { mask.rows_grow(); }) return mask.rows_grow();
  else return false;
}

/// Row i sees the keys j with i + lower <= j <= i + upper. All built-in masks bind to this one
/// type.
struct band {
  int lower;
  int upper;

  FA_FN constexpr bool keep(int i, int j) const { return (j >= i + lower) & (j <= i + upper); }

  FA_FN constexpr key_range keys_of(int i) const { return {i + lower, i + upper + 1}; }

  FA_FN constexpr key_span span(row_range rows, int key_count) const {
    const int last = rows.first + rows.count - 1;
    const int begin = clamp(rows.first + lower, 0, key_count);
    const int end = clamp(last + upper + 1, begin, key_count);
    const int full_begin = clamp(last + lower, begin, end);
    return {begin, full_begin, clamp(rows.first + upper + 1, full_begin, end), end};
  }

  FA_FN constexpr query_span queries_of(key_range keys, int query_count) const {
    const int last = keys.end - 1;
    const int begin = clamp(keys.begin - upper, 0, query_count);
    const int end = clamp(last - lower + 1, begin, query_count);
    const int full_begin = clamp(last - upper, begin, end);
    return {begin, full_begin, clamp(keys.begin - lower + 1, full_begin, end), end};
  }

  /// The band lower..upper for a sequence, cut to what its rows can tell apart, so that sums with
  /// positions stay in an int.
  FA_FN static constexpr band of(const sequence& s, i64 lower, i64 upper) {
    return {static_cast<int>(clamp<i64>(lower, -s.query_count, s.key_count)),
            static_cast<int>(clamp<i64>(upper, -s.query_count, s.key_count))};
  }
};

/// Every query sees every key.
struct no_mask {
  static constexpr bool same_for_all_heads = true;
  FA_FN constexpr band bind(const sequence& s) const {
    return band::of(s, -s.query_count, s.key_count);
  }
};

/// Query i sees the keys up to its own place, counted from the end: j <= i + (keys - queries). With
/// more queries than keys the first queries see nothing.
struct causal {
  static constexpr bool same_for_all_heads = true;
  FA_FN constexpr bool rows_grow() const { return true; }
  FA_FN constexpr band bind(const sequence& s) const {
    return band::of(s, -s.query_count, i64{s.key_count} - s.query_count);
  }
};

/// Query i sees the keys j <= i, counted from the start.
struct causal_top_left {
  static constexpr bool same_for_all_heads = true;
  FA_FN constexpr bool rows_grow() const { return true; }
  FA_FN constexpr band bind(const sequence& s) const { return band::of(s, -s.query_count, 0); }
};

/// Query i sees `left` keys before and `right` keys after its own place, counted from the end:
/// i + (keys - queries) - left <= j <= i + (keys - queries) + right. A negative number: no bound on
/// that side.
struct window {
  i64 left = -1;
  i64 right = -1;
  static constexpr bool same_for_all_heads = true;
  FA_FN constexpr bool rows_grow() const { return (left < 0) != (right < 0); }
  FA_FN constexpr band bind(const sequence& s) const {
    const i64 shift = i64{s.key_count} - s.query_count;
    // No distance between two positions is larger.
    const i64 most = i64{s.key_count} + s.query_count;
    return band::of(s, left < 0 ? -i64{s.query_count} : shift - min_of(left, most),
                    right < 0 ? i64{s.key_count} : shift + min_of(right, most));
  }
};

/// The span for a mask that only knows `keep`: all keys, and every step is looked at key by key.
FA_FN constexpr key_span every_key(int key_count) { return {0, 0, 0, key_count}; }

/// The query_span for a mask that does not say: all queries, each of which is asked key by key.
FA_FN constexpr query_span every_query(int query_count) { return {0, 0, 0, query_count}; }

/// Which of `query_count` queries see keys of a range that is not empty, whatever the mask offers.
template <BoundMask M>
FA_FN constexpr query_span queries_of(const M& mask, key_range keys, int query_count) {
  if constexpr (QuerySpanMask<M>) return within(mask.queries_of(keys, query_count), query_count);
  else return every_query(query_count);
}

static_assert(BoundMask<band> && IntervalMask<band> && QuerySpanMask<band>);
static_assert(Mask<no_mask> && Mask<causal> && Mask<causal_top_left> && Mask<window>);

}  // namespace fa
