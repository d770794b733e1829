// Masks and scores of the user's own, through the same door as the built-in ones.
#include "catch.hpp"
#include "fixture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <type_traits>
#include <utility>

using test::dense_problem;
using test::i64;
using test::packed_problem;
using test::packed_shape;
using test::run_fault;
using test::shape;

namespace {

/// Every third key, and nothing at all for rows that are multiples of seven. No shortcut:
/// all keys are looked at.
struct every_third {
  struct bound {
    bool keep(int i, int j) const { return i % 7 != 0 && j % 3 == 0; }
    fa::key_span span(fa::row_range, int keys) const { return fa::every_key(keys); }
  };
  bound bind(const fa::sequence&) const { return {}; }
};
static_assert(fa::Mask<every_third>);

/// Documents of `length` tokens in one sequence: a query sees the keys of its own document only.
/// Its span is exact.
struct documents {
  int length = 10;
  struct bound {
    int length;
    bool keep(int i, int j) const { return i / length == j / length; }
    fa::key_span span(fa::row_range rows, int keys) const {
      const int first = rows.first / length, last = (rows.first + rows.count - 1) / length;
      const int begin = std::min(first * length, keys), end = std::min((last + 1) * length, keys);
      if (first != last) return {begin, begin, begin, end};
      return {begin, begin, end, end};
    }
  };
  bound bind(const fa::sequence&) const { return {length}; }
};
static_assert(fa::Mask<documents>);

/// Depends on the head and the batch: head h of sequence b hides key (h + b) modulo 5.
struct by_head {
  struct bound {
    i64 hidden;
    bool keep(int, int j) const { return j % 5 != hidden; }
    fa::key_span span(fa::row_range, int keys) const { return fa::every_key(keys); }
  };
  bound bind(const fa::sequence& s) const { return {(s.query_head + s.batch) % 5}; }
};

/// c tanh(s / c).
struct capped {
  float cap = 1;
  struct bound {
    float cap;
    float operator()(float s, int, int) const { return cap * std::tanh(s / cap); }
  };
  bound bind(const fa::sequence&) const { return {cap}; }
};
static_assert(fa::Score<capped>);

/// A bias by distance, different for each head, counted from the end.
struct distance_bias {
  float slope = 0.1f;
  struct bound {
    float slope;
    int shift;
    float operator()(float s, int i, int j) const {
      return s - slope * static_cast<float>(std::abs(i + shift - j));
    }
  };
  bound bind(const fa::sequence& s) const {
    return {slope * static_cast<float>(1 + s.query_head), s.key_count - s.query_count};
  }
};

/// distance_bias, and capped before it, for as many products as a machine holds together.
struct capped_distance_bias {
  float slope = 0.1f, cap = 2;
  struct bound {
    float slope, cap;
    int shift;
    template <class X, class I, class J>
    X operator()(X s, I i, J j) const {
      return cap * fa::tanh(s / cap) - slope * fa::absolute(fa::to_float(i + shift - j));
    }
  };
  bound bind(const fa::sequence& s) const {
    return {slope * static_cast<float>(1 + s.query_head), cap, s.key_count - s.query_count};
  }
};
static_assert(fa::Score<capped_distance_bias>);

/// The same, one product at a time.
struct capped_distance_bias_alone {
  float slope = 0.1f, cap = 2;
  struct bound {
    capped_distance_bias::bound score;
    float operator()(float s, int i, int j) const { return score(s, i, j); }
  };
  bound bind(const fa::sequence& s) const { return {capped_distance_bias{slope, cap}.bind(s)}; }
};

/// A bias by key that only its packed form knows: nothing but that may be called
/// where there is one.
struct packed_only {
  struct bound {
    template <class X, class I, class J>
    X operator()(X s, I, J j) const {
      if constexpr (std::is_same_v<X, float>) return std::numeric_limits<float>::quiet_NaN();
      else return s + (X{} + 1.f) * fa::to_float(j) * 0.125f;
    }
  };
  bound bind(const fa::sequence&) const { return {}; }
};
struct bias_by_key {
  struct bound {
    float operator()(float s, int, int j) const { return s + static_cast<float>(j) * 0.125f; }
  };
  bound bind(const fa::sequence&) const { return {}; }
};

/// Everything that a mask may say: documents of which a query sees its own up to itself.
struct documents_before {
  int length = 10;
  static constexpr bool same_for_all_heads = true;
  bool rows_grow() const { return false; }
  struct bound {
    int length;
    bool keep(int i, int j) const { return i / length == j / length && j <= i; }
    fa::key_range keys_of(int i) const { return {i / length * length, i + 1}; }
    fa::key_span span(fa::row_range rows, int keys) const {
      const int end = std::min(rows.first + rows.count, keys),
                begin = std::min(rows.first / length * length, end),
                last_begin = (rows.first + rows.count - 1) / length * length;
      if (last_begin > rows.first) return {begin, begin, begin, end};
      return {begin, begin, std::min(rows.first + 1, end), end};
    }
    fa::query_span queries_of(fa::key_range keys, int query_count) const {
      const auto document_end = [&](int j) {
        return std::min((j / length + 1) * length, query_count);
      };
      const int begin = std::min(keys.begin, query_count),
                end = std::max(document_end(keys.end - 1), begin),
                full_begin = std::min(keys.end - 1, end),
                full_end = std::max(document_end(keys.begin), full_begin);
      return {begin, full_begin, full_end, end};
    }
  };
  bound bind(const fa::sequence&) const { return {length}; }
};
static_assert(fa::Mask<documents_before> && fa::IntervalMask<documents_before::bound> &&
              fa::QuerySpanMask<documents_before::bound> &&
              fa::same_for_all_heads<documents_before>);

/// Everything that a score may say.
struct halved {
  static constexpr bool same_for_all_heads = true;
  halved bind(const fa::sequence&) const { return {}; }
  template <class X, class I, class J>
  X operator()(X s, I, J) const {
    return 0.5f * s;
  }
  template <class X, class I, class J>
  X derivative(X, I, J) const {
    return X{} + 0.5f;
  }
};
static_assert(fa::Score<halved> && fa::DifferentiableScore<halved> &&
              fa::same_for_all_heads<halved>);

/// A score that says that it changes nothing.
struct unchanged {
  static constexpr bool same_for_all_heads = true;
  static constexpr bool is_identity = true;
  unchanged bind(const fa::sequence&) const { return {}; }
  float operator()(float, int, int) const { return std::numeric_limits<float>::quiet_NaN(); }
};

/// Minus infinity by a score instead of a mask: the row maximum must live with it.
struct hides_all {
  struct bound {
    float operator()(float, int, int) const { return -std::numeric_limits<float>::infinity(); }
  };
  bound bind(const fa::sequence&) const { return {}; }
};

}  // namespace

TEST_CASE("a mask without a shortcut") {
  for (const i64 sq : {i64{1}, i64{2}, i64{8}, i64{60}}) {
    for (const i64 sk : {i64{1}, i64{2}, i64{40}, i64{200}}) {
      INFO("sq " << sq << " sk " << sk);
      dense_problem<float, 16, 16, every_third> p(shape{1, 2, 1, sq, sk});
      REQUIRE(run_fault(p, every_third{}) == "");
      dense_problem<fa::bf16, 16, 16, every_third> b(shape{1, 2, 1, sq, sk});
      REQUIRE(run_fault(b, every_third{}) == "");
    }
  }
}

TEST_CASE("a mask with a run-time value and an exact span") {
  for (const int length : {1, 10, 48, 100, 1000}) {
    for (const i64 n : {i64{1}, i64{7}, i64{150}}) {
      INFO("length " << length << " n " << n);
      dense_problem<float, 16, 16, documents> p(shape{2, 2, 1, n, n});
      p.a.mask = {length};
      REQUIRE(run_fault(p, p.a.mask) == "");
    }
  }
}

TEST_CASE("a mask that knows its head and sequence") {
  for (const i64 sq : {i64{1}, i64{3}, i64{60}}) {
    dense_problem<float, 16, 16, by_head> p(shape{3, 6, 2, sq, 50});
    CHECK(run_fault(p, by_head{}) == "");
  }
  packed_problem<float, 16, 16, by_head> packed(packed_shape{6, 2, {1, 60, 3, 8}, {50, 70, 3, 9}});
  CHECK(run_fault(packed, by_head{}) == "");
}

TEST_CASE("a score with a run-time value") {
  for (const i64 sq : {i64{1}, i64{8}, i64{60}}) {
    dense_problem<float, 16, 16, capped, fa::causal> p(shape{1, 2, 1, sq, 90});
    p.a.score.cap = 0.7f;
    CHECK(run_fault(p, fa::causal{}, p.a.score) == "");
    for (const float scale : {0.0f, -0.5f, 2.0f}) {
      INFO("scale " << scale << " sq " << sq);
      p.clear_outputs();
      p.a.softmax_scale = scale;  // the score gets the scaled product, sign included
      CHECK(run_fault(p, fa::causal{}, p.a.score) == "");
    }
  }
}

TEST_CASE("a score that knows positions and heads") {
  for (const i64 sq : {i64{1}, i64{4}, i64{60}}) {
    for (const i64 sk : {i64{3}, i64{90}}) {
      INFO("sq " << sq << " sk " << sk);
      dense_problem<float, 16, 16, distance_bias> p(shape{2, 6, 2, sq, sk});
      CHECK(run_fault(p, fa::no_mask{}, p.a.score) == "");
      dense_problem<fa::f16, 16, 16, distance_bias, fa::window> w(shape{2, 6, 2, sq, sk});
      w.a.mask = {.left = 20, .right = 3};
      CHECK(run_fault(w, w.a.mask, w.a.score) == "");
    }
  }
  packed_problem<fa::bf16, 16, 16, distance_bias, fa::causal> packed(
      packed_shape{6, 2, {1, 60, 3, 8}, {50, 70, 3, 9}});
  CHECK(run_fault(packed, fa::causal{}, packed.a.score) == "");
}

TEST_CASE("a score for packed products gives what it gives for single ones") {
  for (const i64 sq : {i64{1}, i64{2}, i64{3}, i64{8}, i64{60}, i64{130}}) {
    for (const i64 sk : {i64{1}, i64{3}, i64{90}, i64{200}}) {
      INFO("sq " << sq << " sk " << sk);
      using packed_form = dense_problem<float, 16, 16, capped_distance_bias, fa::causal>;
      using single_form = dense_problem<float, 16, 16, capped_distance_bias_alone, fa::causal>;
      packed_form p(shape{2, 6, 2, sq, sk});
      REQUIRE(run_fault(p, fa::causal{}, p.a.score) == "");
      single_form one(shape{2, 6, 2, sq, sk});
      REQUIRE(run_fault(one, fa::causal{}, one.a.score) == "");
      for (i64 x = 0; x < p.o.size(); ++x)  // cap 2^-22 twice in a logit, once in a mean; then exp2
        REQUIRE(std::abs(p.o[x] - one.o[x]) <= 0x1p-18f);
      dense_problem<fa::bf16, 16, 16, capped_distance_bias> b(shape{2, 6, 2, sq, sk});
      REQUIRE(run_fault(b, fa::no_mask{}, b.a.score) == "");
    }
  }
  packed_problem<float, 16, 16, capped_distance_bias> packed(
      packed_shape{6, 2, {1, 60, 3, 8}, {50, 70, 3, 9}});
  CHECK(run_fault(packed, fa::no_mask{}, packed.a.score) == "");
}

TEST_CASE("the packed form of a score is the one that is called") {
  for (const i64 sq : {i64{1}, i64{3}, i64{8}, i64{60}}) {
    for (const i64 sk : {i64{1}, i64{7}, i64{90}}) {
      INFO("sq " << sq << " sk " << sk);
      dense_problem<float, 16, 16, packed_only> p(shape{1, 2, 1, sq, sk});
      REQUIRE(run_fault(p, fa::no_mask{}, bias_by_key{}) == "");
    }
  }
}

TEST_CASE("a mask and a score that say all they may") {
  for (const int length : {1, 10, 48, 1000}) {
    for (const i64 n : {i64{1}, i64{4}, i64{60}, i64{150}}) {
      INFO("length " << length << " n " << n);
      dense_problem<float, 16, 16, documents_before, halved> p(shape{2, 4, 2, n, n});
      p.a.mask = {length};
      REQUIRE(run_fault(p, p.a.mask, halved{}) == "");
    }
  }
}

TEST_CASE("what a mask says of queries agrees with what it keeps") {
  for (const int length : {1, 3, 5, 20}) {
    for (int queries = 1; queries <= 12; ++queries) {
      for (int begin = 0; begin < 12; ++begin) {
        for (int end = begin + 1; end <= 12; ++end) {
          const documents_before::bound mask{length};
          const fa::query_span got = fa::queries_of(mask, {begin, end}, queries);
          for (int i = 0; i < queries; ++i) {
            int seen = 0;
            for (int j = begin; j < end; ++j) seen += mask.keep(i, j) ? 1 : 0;
            const bool inside = got.begin <= i && i < got.end,
                       full = got.full_begin <= i && i < got.full_end;
            REQUIRE((seen == 0 || inside));
            REQUIRE((!full || seen == end - begin));
          }
        }
      }
    }
  }
}

TEST_CASE("a score that says it changes nothing is not asked") {
  for (const i64 sq : {i64{2}, i64{60}}) {
    dense_problem<float, 16, 16, unchanged> p(shape{1, 2, 1, sq, 70});
    CHECK(run_fault(p, fa::no_mask{}) == "");
  }
}

TEST_CASE("a score of minus infinity everywhere is a row that sees nothing") {
  for (const i64 sq : {i64{1}, i64{3}, i64{60}}) {
    dense_problem<float, 16, 16, hides_all> p(shape{1, 1, 1, sq, 70});
    REQUIRE(p.run());
    for (i64 i = 0; i < sq; ++i) {
      REQUIRE(p.lse_at(0, 0, i) == -std::numeric_limits<float>::infinity());
      for (i64 c = 0; c < 16; ++c) REQUIRE(p.o_at(0, i, 0, c) == 0.0);
    }
  }
}

TEST_CASE("options in any order name the same variant") {
  using a = fa::attention<float, fa::head_dim<16>, fa::causal, capped>;
  using b = fa::attention<capped, fa::causal, fa::head_dim<16>, float>;
  dense_problem<float, 16, 16, fa::causal, capped> p(shape{1, 1, 1, 20, 30});
  REQUIRE(a::forward(fa::host{}, p.a));
  const auto first = p.o;
  b::forward_args other;
  other.q = p.a.q, other.k = p.a.k, other.v = p.a.v, other.o = p.a.o, other.lse = p.a.lse,
  other.score = p.a.score;
  REQUIRE(b::forward(fa::host{}, other));
  CHECK(first == p.o);
}

static_assert(fa::supports<float, fa::head_dim<16>, every_third> &&
              fa::supports<fa::bf16, fa::head_dim<16>, capped, documents>);
static_assert(!fa::supports<float, fa::head_dim<16>, every_third, fa::causal>);  // two masks
static_assert(!fa::supports<float, fa::head_dim<16>, capped, distance_bias>);    // two scores
static_assert(!fa::supports<float, fa::head_dim<16>, std::pair<int, int>>);      // none of all
