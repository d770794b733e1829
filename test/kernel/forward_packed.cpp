// Packed tokens: sequences of different lengths in one call, their rooms and lengths in use.
#include "catch.hpp"
#include "fixture.hpp"

#include <cstdint>
#include <vector>

using test::dense_problem;
using test::i64;
using test::packed_problem;
using test::packed_shape;
using test::run_fault;
using test::shape;

namespace {

const packed_shape mixed{4, 2, {60, 1, 0, 7, 130, 48, 3}, {60, 90, 17, 0, 51, 200, 3}};

/// The tokens that no sequence uses still hold poison.
template <class Problem>
bool only_used_written(const Problem& p) {
  auto o = p.o;
  auto lse = p.lse;
  const i64 dv = p.a.o.dim, heads = p.s.hq, tokens = p.a.q.seqlen;
  for (std::size_t b = 0; b < p.s.q.size(); ++b) {
    for (i64 t = p.cu_q[b]; t < p.cu_q[b] + p.s.q[b]; ++t) {
      for (i64 n = 0; n < heads * dv; ++n) {
        if (test::is_poison(o[t * heads * dv + n])) return false;
        o[t * heads * dv + n] = test::poison<typename Problem::out>();
      }
      for (i64 h = 0; h < heads; ++h) lse[h * tokens + t] = test::poison<float>();
    }
  }
  return o.untouched() && lse.untouched();
}

}  // namespace

TEST_CASE("sequences of all lengths in one call") {
  packed_problem<float, 16, 16, fa::causal> causal(mixed);
  CHECK(run_fault(causal, fa::causal{}) == "");
  CHECK(only_used_written(causal));
  packed_problem<fa::bf16, 16, 24> none(mixed);
  CHECK(run_fault(none, fa::no_mask{}) == "");
  CHECK(only_used_written(none));
  packed_problem<fa::f16, 16, 16, fa::window> window(mixed);
  window.a.mask = {.left = 9, .right = 4};
  CHECK(run_fault(window, window.a.mask) == "");
  CHECK(only_used_written(window));
  packed_problem<float, 16, 16, fa::causal_top_left> top(mixed);
  CHECK(run_fault(top, fa::causal_top_left{}) == "");
}

TEST_CASE("every sequence is aligned by its own lengths in use") {
  packed_shape s = mixed;
  // Room beyond the lengths holds poison in Q, K and V.
  for (const i64 n : s.q) s.q_room.push_back(n + 5);
  for (const i64 n : s.k) s.k_room.push_back(n + 11);
  packed_problem<float, 16, 16, fa::causal> p(s);
  CHECK(run_fault(p, fa::causal{}) == "");
  CHECK(only_used_written(p));
  packed_problem<float, 16, 16, fa::causal> tight(mixed);
  REQUIRE(tight.run());
  for (std::size_t b = 0; b < s.q.size(); ++b) {
    for (i64 i = 0; i < s.q[b]; ++i) {
      for (i64 h = 0; h < s.hq; ++h) {
        const auto n = static_cast<i64>(b);
        REQUIRE(p.lse_at(n, h, i) == tight.lse_at(n, h, i));
        for (i64 c = 0; c < 16; ++c) REQUIRE(p.o_at(n, i, h, c) == tight.o_at(n, i, h, c));
      }
    }
  }
}

TEST_CASE("only the lengths of keys, or only those of queries, may be given") {
  packed_shape k_only = mixed, q_only = mixed;
  for (const i64 n : mixed.k) k_only.k_room.push_back(n + 3);
  for (const i64 n : mixed.q) q_only.q_room.push_back(n + 3);
  packed_problem<float, 16, 16, fa::causal> a(k_only), b(q_only);
  CHECK(run_fault(a, fa::causal{}) == "");
  CHECK(run_fault(b, fa::causal{}) == "");
  CHECK(only_used_written(a));
  CHECK(only_used_written(b));
}

TEST_CASE("a packed sequence equals a dense call of its own, bit for bit") {
  packed_problem<float, 16, 16, fa::causal> packed(mixed);
  REQUIRE(packed.run());
  for (std::size_t b = 0; b < mixed.q.size(); ++b) {
    const i64 sq = mixed.q[b], sk = mixed.k[b];
    dense_problem<float, 16, 16, fa::causal> dense(shape{1, mixed.hq, mixed.hk, sq, sk});
    const auto copy = [](test::buffer<float>& to, const test::buffer<float>& from, i64 start) {
      for (i64 i = 0; i < to.size(); ++i) to[i] = from[start + i];
    };
    copy(dense.q, packed.q, packed.cu_q[b] * mixed.hq * 16);
    copy(dense.k, packed.k, packed.cu_k[b] * mixed.hk * 16);
    copy(dense.v, packed.v, packed.cu_k[b] * mixed.hk * 16);
    REQUIRE(dense.run());
    bool same = true;
    for (i64 i = 0; i < sq; ++i) {
      for (i64 h = 0; h < mixed.hq; ++h) {
        const auto n = static_cast<i64>(b);
        same = same && dense.lse_at(0, h, i) == packed.lse_at(n, h, i);
        for (i64 c = 0; c < 16; ++c)
          same = same && dense.o_at(0, i, h, c) == packed.o_at(n, i, h, c);
      }
    }
    INFO("sequence " << b);
    CHECK(same);
  }
}

TEST_CASE("neither order nor lengths of the other sequences change a bit") {
  packed_problem<fa::bf16, 16, 16, fa::causal> whole(mixed, 100);
  REQUIRE(whole.run());
  for (std::size_t first = 0; first < mixed.q.size(); ++first) {
    // The rest of the batch from `first` on, and something long in front of it.
    packed_shape s{mixed.hq, mixed.hk, {300}, {300}};
    s.q.insert(s.q.end(), mixed.q.begin() + static_cast<std::ptrdiff_t>(first), mixed.q.end());
    s.k.insert(s.k.end(), mixed.k.begin() + static_cast<std::ptrdiff_t>(first), mixed.k.end());
    packed_problem<fa::bf16, 16, 16, fa::causal> part(s, 100 + first - 1);
    REQUIRE(part.run());
    bool same = true;
    for (std::size_t b = first; b < mixed.q.size(); ++b) {
      for (i64 i = 0; i < mixed.q[b]; ++i) {
        for (i64 h = 0; h < mixed.hq; ++h) {
          const auto here = static_cast<i64>(b - first + 1), there = static_cast<i64>(b);
          same = same && part.lse_at(here, h, i) == whole.lse_at(there, h, i);
          for (i64 c = 0; c < 16; ++c)
            same = same && part.o_at(here, i, h, c) == whole.o_at(there, i, h, c);
        }
      }
    }
    INFO("from sequence " << first << " on");
    CHECK(same);
  }
}

TEST_CASE("packed LSE is [heads, tokens]") {
  packed_problem<float, 16, 16> p(packed_shape{2, 1, {3, 4}, {5, 6}});
  REQUIRE(p.run());
  const auto ref = test::naive<float>(p.a.q, p.a.k, p.a.v, test::sequences_of(p.a),
                                      test::scale_of(p.a), fa::no_mask{}, fa::no_score{});
  for (std::size_t b = 0; b < 2; ++b)
    for (i64 h = 0; h < 2; ++h)
      for (i64 i = 0; i < p.s.q[b]; ++i)
        CHECK(p.lse[h * 7 + p.cu_q[b] + i] == Approx(ref.lse_at(b, h, i)).margin(1e-5));
}

TEST_CASE("bounds on the lengths change nothing") {
  packed_problem<float, 16, 16, fa::causal> free(mixed), bounded(mixed), loose(mixed);
  bounded.a.max_seqlen_q = 130;
  bounded.a.max_seqlen_k = 200;
  loose.a.max_seqlen_q = 1000;
  loose.a.max_seqlen_k = 100000;
  REQUIRE(free.run());
  REQUIRE(bounded.run());
  REQUIRE(loose.run());
  CHECK(free.o == bounded.o);
  CHECK(free.o == loose.o);
  CHECK(free.lse == loose.lse);
}

TEST_CASE("many short sequences") {
  packed_shape s{3, 3, {}, {}};
  for (i64 b = 0; b < 500; ++b) {
    s.q.push_back(b % 7);
    s.k.push_back((b * 5) % 11);
  }
  packed_problem<float, 8, 8, fa::causal> p(s);
  CHECK(run_fault(p, fa::causal{}) == "");
  CHECK(only_used_written(p));
}
