// Problems without queries, keys or sequences, and rows that see nothing: O = 0 and LSE = -infinity
// wherever there is a row.
#include "catch.hpp"
#include "fixture.hpp"

#include <cmath>
#include <limits>

using test::dense_problem;
using test::i64;
using test::packed_problem;
using test::packed_shape;
using test::run_fault;
using test::shape;

namespace {

template <class Problem>
bool all_zero(const Problem& p) {
  bool good = p.o.guards_untouched() && p.lse.guards_untouched();
  for (i64 i = 0; i < p.o.size(); ++i) good = good && static_cast<float>(p.o[i]) == 0.0f;
  for (i64 i = 0; i < p.lse.size(); ++i)
    good = good && p.lse[i] == -std::numeric_limits<float>::infinity();
  return good;
}

template <class T>
void no_keys() {
  for (const i64 sq : {i64{1}, i64{4}, i64{50}}) {
    INFO("sq " << sq);
    dense_problem<T, 16, 16> p(shape{2, 2, 1, sq, 0});
    REQUIRE(p.run());
    CHECK(all_zero(p));
    dense_problem<T, 16, 16> null(shape{2, 2, 1, sq, 0});
    null.a.k.data = nullptr;  // there is nothing to point at
    null.a.v.data = nullptr;
    REQUIRE(null.run());
    CHECK(all_zero(null));
    dense_problem<T, 16, 16, fa::causal> causal(shape{1, 2, 1, sq, 0});
    REQUIRE(causal.run());
    CHECK(all_zero(causal));
  }
}

}  // namespace

TEST_CASE("no keys: O = 0, LSE = -inf") {
  no_keys<float>();
  no_keys<fa::f16>();
  no_keys<fa::bf16>();
}

TEST_CASE("no batch, no queries, no heads: success, nothing written") {
  for (const shape s : {shape{0, 2, 1, 5, 6}, shape{2, 2, 1, 0, 6}, shape{2, 2, 1, 0, 0},
                        shape{0, 2, 1, 0, 0}, shape{1, 0, 0, 3, 4}, shape{1, 0, 2, 3, 4}}) {
    INFO("batch " << s.batch << " heads " << s.hq << '/' << s.hk << " sq " << s.sq << " sk "
                  << s.sk);
    dense_problem<float, 16, 16> p(s);
    const fa::status status = p.run();
    INFO(status.message());
    CHECK(static_cast<bool>(status));
    CHECK(p.o.untouched());
    CHECK(p.lse.untouched());
    dense_problem<float, 16, 16> null(s);
    null.a.q.data = nullptr;
    null.a.o.data = nullptr;
    null.a.lse.data = nullptr;
    CHECK(null.run());
  }
}

TEST_CASE("rows that see nothing among rows that do") {
  // More queries than keys: bottom-right causal hides everything from the first ones.
  // All block kinds.
  for (const i64 sq : {i64{2}, i64{5}, i64{40}, i64{130}, i64{200}}) {
    for (const i64 sk : {i64{1}, i64{3}, i64{30}}) {
      if (sk >= sq) continue;
      INFO("sq " << sq << " sk " << sk);
      dense_problem<float, 16, 16, fa::causal> p(shape{1, 2, 1, sq, sk});
      REQUIRE(run_fault(p, fa::causal{}) == "");
      for (i64 h = 0; h < 2; ++h) {
        for (i64 i = 0; i < sq - sk; ++i) {
          REQUIRE(p.lse_at(0, h, i) == -std::numeric_limits<float>::infinity());
          for (i64 c = 0; c < 16; ++c) REQUIRE(p.o_at(0, i, h, c) == 0.0);
        }
        REQUIRE(std::isfinite(p.lse_at(0, h, sq - sk)));
      }
    }
  }
}

TEST_CASE("a window that no row of a block reaches") {
  // right = 0 and left = 2 with far more queries than keys, and the other way round.
  for (const auto& [sq, sk] : {std::pair<i64, i64>{300, 20}, {20, 300}, {150, 1}}) {
    dense_problem<fa::bf16, 16, 16, fa::window> p(shape{1, 1, 1, sq, sk});
    p.a.mask = {.left = 2, .right = 0};
    CHECK(run_fault(p, p.a.mask) == "");
  }
}

TEST_CASE("packed: empty batch, empty sequences, no tokens") {
  packed_problem<float, 16, 16> none(packed_shape{2, 1, {}, {}});
  CHECK(none.run());
  none.a.cu_seqlens_q = nullptr;
  none.a.cu_seqlens_k = nullptr;
  CHECK(none.run());
  packed_problem<float, 16, 16> no_tokens(packed_shape{2, 1, {0, 0}, {0, 0}});
  CHECK(no_tokens.run());
  packed_problem<float, 16, 16> no_queries(packed_shape{2, 1, {0, 0}, {5, 6}});
  CHECK(no_queries.run());
  packed_problem<float, 16, 16> no_keys(packed_shape{2, 1, {3, 60}, {0, 0}});
  REQUIRE(no_keys.run());
  CHECK(all_zero(no_keys));
}
