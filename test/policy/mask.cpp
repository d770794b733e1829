// Masks: `keep` against the rule as written, `span` against `keep`, over all small sizes.
#include "catch.hpp"

#include <fa/launch/checks.hpp>
#include <fa/policy/mask.hpp>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace {

using i64 = std::int64_t;

fa::sequence sequence_of(int queries, int keys) {
  fa::sequence s{};
  s.query_count = queries;
  s.key_count = keys;
  return s;
}

/// p = i + shift; p - left <= j <= p + right; a negative bound is none.
bool rule(i64 i, i64 j, i64 shift, i64 left, i64 right) {
  return (left < 0 || j >= i + shift - left) && (right < 0 || j <= i + shift + right);
}

/// keep is the rule, for all pairs, and so is keys_of.
template <class Bound>
bool keep_is_rule(const Bound& m, int queries, int keys, i64 shift, i64 left, i64 right) {
  for (int i = 0; i < queries; ++i) {
    for (int j = 0; j < keys; ++j) {
      const bool seen = rule(i, j, shift, left, right);
      if (m.keep(i, j) != seen || (j >= m.keys_of(i).begin && j < m.keys_of(i).end) != seen)
        return false;
    }
  }
  return true;
}

/// span tells exactly what keep tells: the outer range is the tightest one around all keys that
/// some row sees, the inner range holds all keys that every row sees and no others.
template <class Bound>
bool span_is_keep(const Bound& m, int queries, int keys) {
  for (int first = 0; first < queries; ++first) {
    for (int count = 1; first + count <= queries; ++count) {
      const fa::key_span got = m.span({first, count}, keys);
      int low = keys, high = 0, seen_by_all = 0;
      for (int j = 0; j < keys; ++j) {
        int rows = 0;
        for (int i = first; i < first + count; ++i) rows += m.keep(i, j) ? 1 : 0;
        if (rows > 0) {
          low = std::min(low, j);
          high = std::max(high, j + 1);
        }
        const bool inside = got.full_begin <= j && j < got.full_end;
        if (inside && rows != count) return false;
        seen_by_all += rows == count ? 1 : 0;
      }
      if (!(0 <= got.begin && got.begin <= got.full_begin && got.full_begin <= got.full_end &&
            got.full_end <= got.end && got.end <= keys)) {
        return false;
      }
      if (high == 0 ? got.begin != got.end : got.begin != low || got.end != high) return false;
      if (got.full_end - got.full_begin != seen_by_all) return false;
    }
  }
  return true;
}

/// queries_of is the mirror: it tells of ranges of keys exactly what keep tells.
template <class Bound>
bool queries_are_keep(const Bound& m, int queries, int keys) {
  for (int first = 0; first < keys; ++first) {
    for (int end = first + 1; end <= keys; ++end) {
      const fa::query_span got = m.queries_of({first, end}, queries);
      int low = queries, high = 0, see_all = 0;
      for (int i = 0; i < queries; ++i) {
        int seen = 0;
        for (int j = first; j < end; ++j) seen += m.keep(i, j) ? 1 : 0;
        if (seen > 0) {
          low = std::min(low, i);
          high = std::max(high, i + 1);
        }
        const bool inside = got.full_begin <= i && i < got.full_end;
        if (inside && seen != end - first) return false;
        see_all += seen == end - first ? 1 : 0;
      }
      if (!(0 <= got.begin && got.begin <= got.full_begin && got.full_begin <= got.full_end &&
            got.full_end <= got.end && got.end <= queries)) {
        return false;
      }
      if (high == 0 ? got.begin != got.end : got.begin != low || got.end != high) return false;
      if (got.full_end - got.full_begin != see_all) return false;
    }
  }
  return true;
}

constexpr int most = 9;

}  // namespace

TEST_CASE("no mask") {
  for (int queries = 0; queries <= most; ++queries) {
    for (int keys = 0; keys <= most; ++keys) {
      const auto m = fa::no_mask{}.bind(sequence_of(queries, keys));
      REQUIRE(keep_is_rule(m, queries, keys, 0, -1, -1));
      REQUIRE(span_is_keep(m, queries, keys));
      REQUIRE(queries_are_keep(m, queries, keys));
    }
  }
}

TEST_CASE("causal is aligned to the last query and the last key, or to the first") {
  for (int queries = 0; queries <= most + 3; ++queries) {
    for (int keys = 0; keys <= most + 3; ++keys) {
      const auto bottom = fa::causal{}.bind(sequence_of(queries, keys));
      REQUIRE(keep_is_rule(bottom, queries, keys, keys - queries, -1, 0));
      REQUIRE(span_is_keep(bottom, queries, keys));
      REQUIRE(queries_are_keep(bottom, queries, keys));
      const auto top = fa::causal_top_left{}.bind(sequence_of(queries, keys));
      REQUIRE(keep_is_rule(top, queries, keys, 0, -1, 0));
      REQUIRE(span_is_keep(top, queries, keys));
      REQUIRE(queries_are_keep(top, queries, keys));
    }
  }
}

TEST_CASE("window: both ends inclusive, negative is unbounded") {
  for (int queries = 0; queries <= most; ++queries) {
    for (int keys = 0; keys <= most; ++keys) {
      for (int left = -1; left <= most + 1; ++left) {
        for (int right = -1; right <= most + 1; ++right) {
          const auto m = fa::window{.left = left, .right = right}.bind(sequence_of(queries, keys));
          REQUIRE(keep_is_rule(m, queries, keys, keys - queries, left, right));
          REQUIRE(span_is_keep(m, queries, keys));
          REQUIRE(queries_are_keep(m, queries, keys));
        }
      }
    }
  }
}

TEST_CASE("window bounds of any size") {
  // Bounds beyond the lengths are not the same as no bound: with more queries than keys the right
  // one still cuts.
  for (const i64 far : {i64{100}, i64{INT_MAX} - 1, i64{INT_MAX}, i64{INT_MAX} + 1, i64{UINT_MAX},
                        i64{1} << 62, INT64_MAX}) {
    for (int queries = 0; queries <= 5; ++queries) {
      for (int keys = 0; keys <= 5; ++keys) {
        for (const i64 near : {i64{-1}, i64{0}, i64{2}}) {
          const auto s = sequence_of(queries, keys);
          REQUIRE(keep_is_rule(fa::window{.left = far, .right = near}.bind(s), queries, keys,
                               keys - queries, 100, near));
          REQUIRE(keep_is_rule(fa::window{.left = near, .right = far}.bind(s), queries, keys,
                               keys - queries, near, 100));
          REQUIRE(span_is_keep(fa::window{.left = far, .right = near}.bind(s), queries, keys));
          REQUIRE(queries_are_keep(fa::window{.left = far, .right = near}.bind(s), queries, keys));
          REQUIRE(span_is_keep(fa::window{.left = near, .right = far}.bind(s), queries, keys));
          REQUIRE(queries_are_keep(fa::window{.left = near, .right = far}.bind(s), queries, keys));
        }
      }
    }
  }
  for (const i64 negative :
       {i64{-1}, i64{-2}, i64{-1000}, i64{INT_MIN}, i64{INT_MIN} - 1, INT64_MIN}) {
    const auto m = fa::window{.left = negative, .right = negative}.bind(sequence_of(4, 6));
    CHECK(keep_is_rule(m, 4, 6, 2, -1, -1));
  }
}

TEST_CASE("masks of long sequences stay in range") {
  // The longest that arguments may be: positions, bounds and their sums must not overflow.
  const int half = static_cast<int>(fa::detail::longest_sequence);
  const auto s = sequence_of(half, half);
  for (const auto& m : {fa::causal{}.bind(s), fa::window{.left = half, .right = 0}.bind(s)}) {
    CHECK(m.keep(half - 1, half - 1));
    CHECK(m.keep(half - 1, 0));
    CHECK(!m.keep(0, half - 1));
    const fa::key_span span = m.span({half - 64, 64}, half);
    CHECK(span.begin == 0);
    CHECK(span.end == half);
  }
  const auto open = fa::no_mask{}.bind(s);
  CHECK(open.keep(0, half - 1));
  CHECK(open.keep(half - 1, 0));
  CHECK(open.span({half - 64, 64}, half).full_end == half);
  const fa::query_span all = open.queries_of({half - 64, half}, half);
  CHECK((all.begin == 0 && all.full_begin == 0 && all.full_end == half && all.end == half));
  const fa::query_span late = fa::causal{}.bind(s).queries_of({half - 64, half}, half);
  CHECK((late.begin == half - 64 && late.full_begin == half - 1 && late.full_end == half &&
         late.end == half));
}

TEST_CASE("within keeps its promise, whatever a mask says") {
  const int far[] = {INT_MIN, -7, 0, 3, 5, 9, 10, 11, INT_MAX};
  for (const int begin : far) {
    for (const int full_begin : far) {
      for (const int full_end : far) {
        for (const int end : far) {
          const fa::key_span s = fa::within(fa::key_span{begin, full_begin, full_end, end}, 10);
          const fa::query_span t = fa::within(fa::query_span{begin, full_begin, full_end, end}, 10);
          REQUIRE((s.begin == t.begin && s.full_begin == t.full_begin && s.full_end == t.full_end &&
                   s.end == t.end));
          REQUIRE((0 <= s.begin && s.begin <= s.end && s.end <= 10));
          REQUIRE((s.begin <= s.full_begin && s.full_begin <= s.end && s.begin <= s.full_end &&
                   s.full_end <= s.end));
        }
      }
    }
  }
  const fa::key_span good = fa::within(fa::key_span{1, 2, 5, 8}, 10);
  CHECK((good.begin == 1 && good.full_begin == 2 && good.full_end == 5 && good.end == 8));
}

TEST_CASE("every_key asks for a look at each key") {
  const fa::key_span all = fa::every_key(7);
  CHECK((all.begin == 0 && all.end == 7 && all.full_begin == all.full_end));
}

namespace {

/// Says what it need not, wrongly: wherever keys lie, all queries and more see all of them.
struct boastful {
  bool keep(int, int) const { return true; }
  fa::key_span span(fa::row_range, int keys) const { return fa::every_key(keys); }
  fa::query_span queries_of(fa::key_range, int) const { return {-5, INT_MIN, INT_MAX, 100}; }
};
/// Says no more than it must.
struct silent {
  bool keep(int, int) const { return true; }
  fa::key_span span(fa::row_range, int keys) const { return fa::every_key(keys); }
  silent bind(const fa::sequence&) const { return {}; }
};
/// Grows along its rows if it is told to.
struct growing : silent {
  bool grows = true;
  bool rows_grow() const { return grows; }
};

}  // namespace

TEST_CASE("queries of a mask that says nothing, or too much") {
  static_assert(fa::QuerySpanMask<fa::band> && fa::QuerySpanMask<boastful> &&
                !fa::QuerySpanMask<silent>);
  const fa::query_span unknown = fa::queries_of(silent{}, {2, 4}, 7);
  CHECK((unknown.begin == 0 && unknown.full_begin == unknown.full_end && unknown.end == 7));
  const fa::query_span cut = fa::queries_of(boastful{}, {2, 4}, 7);
  CHECK((cut.begin == 0 && cut.full_begin == 0 && cut.full_end == 7 && cut.end == 7));
  const auto causal = fa::causal{}.bind(sequence_of(7, 7));
  const fa::query_span exact = fa::queries_of(causal, {2, 4}, 7);
  CHECK((exact.begin == 2 && exact.full_begin == 3 && exact.full_end == 7 && exact.end == 7));
}

TEST_CASE("masks whose rows grow") {
  CHECK(!fa::rows_grow(fa::no_mask{}));
  CHECK(fa::rows_grow(fa::causal{}));
  CHECK(fa::rows_grow(fa::causal_top_left{}));
  CHECK(!fa::rows_grow(silent{}));
  CHECK(fa::rows_grow(growing{}));
  CHECK(!fa::rows_grow(growing{{}, false}));
  // A window says so where, away from both ends of the sequence, rows differ in what they see.
  for (const i64 left : {i64{-1}, i64{0}, i64{3}}) {
    for (const i64 right : {i64{-1}, i64{0}, i64{3}}) {
      const fa::window mask{.left = left, .right = right};
      const auto bound = mask.bind(sequence_of(20, 20));
      int first = 0, second = 0;
      for (int j = 0; j < 20; ++j) {
        first += bound.keep(9, j) ? 1 : 0;
        second += bound.keep(10, j) ? 1 : 0;
      }
      CHECK(fa::rows_grow(mask) == (first != second));
    }
  }
}

// What is a mask and what is none.
namespace {

struct no_bind {};
struct bound_without_span {
  bool keep(int, int) const { return true; }
};
struct half_a_mask {
  bound_without_span bind(const fa::sequence&) const { return {}; }
};
struct no_default {
  explicit no_default(int) {}
  fa::band bind(const fa::sequence&) const { return {0, 0}; }
};

}  // namespace

static_assert(fa::Mask<fa::no_mask> && fa::Mask<fa::causal> && fa::Mask<fa::causal_top_left> &&
              fa::Mask<fa::window>);
static_assert(!fa::Mask<no_bind> && !fa::Mask<half_a_mask> && !fa::Mask<no_default> &&
              !fa::Mask<int>);
static_assert(fa::causal{}.bind(fa::sequence{3, 5, 0, 0}).keep(0, 2) &&
              !fa::causal{}.bind(fa::sequence{3, 5, 0, 0}).keep(0, 3));
