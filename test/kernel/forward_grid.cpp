// The forward kernel against the reference over grids of sizes: every length around the block's
// edges, head sizes odd and even, head groups, layouts, masks, output types.
#include "catch.hpp"
#include "fixture.hpp"
#include "grid.hpp"

#include <cstdint>
#include <string>
#include <vector>

using test::dense_problem;
using test::grid;
using test::i64;
using test::order;
using test::run_fault;
using test::shape;

namespace {

/// Lengths that straddle strips of 48 rows, steps of 32 to 128 keys, and the few rows that run with
/// the head in lanes.
const std::vector<i64> lengths = {1,  2,  3,  4,  5,  7,  8,  9,  16, 17,  31,  32,  33,
                                  47, 48, 49, 63, 64, 65, 95, 96, 97, 127, 128, 129, 200};

}  // namespace

TEST_CASE("all lengths by all lengths, f32") { grid<float, 16, 16>(lengths); }
TEST_CASE("all lengths by all lengths, f16") { grid<fa::f16, 16, 16>(lengths); }
TEST_CASE("all lengths by all lengths, bf16") { grid<fa::bf16, 16, 16>(lengths); }

TEST_CASE("each mask type") {
  for (const i64 sq : {i64{1}, i64{5}, i64{40}, i64{100}}) {
    for (const i64 sk : {i64{1}, i64{6}, i64{41}, i64{150}}) {
      INFO("sq " << sq << " sk " << sk);
      dense_problem<float, 16, 16> none(shape{2, 2, 1, sq, sk});
      CHECK(run_fault(none, fa::no_mask{}) == "");
      dense_problem<float, 16, 16, fa::causal> bottom(shape{2, 2, 1, sq, sk});
      CHECK(run_fault(bottom, fa::causal{}) == "");
      dense_problem<float, 16, 16, fa::causal_top_left> top(shape{2, 2, 1, sq, sk});
      CHECK(run_fault(top, fa::causal_top_left{}) == "");
    }
  }
}

TEST_CASE("spellings of the same mask give the same bits") {
  for (const i64 sq : {i64{1}, i64{30}, i64{77}}) {
    for (const i64 sk : {i64{1}, i64{30}, i64{120}}) {
      const shape s{1, 2, 1, sq, sk};
      dense_problem<float, 16, 16, fa::causal> causal(s);
      dense_problem<float, 16, 16, fa::window> window(s);
      window.a.mask = {.left = -1, .right = 0};
      REQUIRE(causal.run());
      REQUIRE(window.run());
      CHECK(causal.o == window.o);
      CHECK(causal.lse == window.lse);
    }
  }
}

TEST_CASE("head groups: consecutive query heads share a key head") {
  // Few queries: the group's heads become rows of one block; many: they do not.
  for (const i64 sq : {i64{1}, i64{2}, i64{3}, i64{10}, i64{24}, i64{25}, i64{60}}) {
    for (const auto& heads : std::vector<std::vector<i64>>{
             {1, 1}, {2, 1}, {4, 2}, {6, 2}, {9, 9}, {8, 1}, {32, 8}, {71, 1}}) {
      INFO("sq " << sq << " heads " << heads[0] << '/' << heads[1]);
      dense_problem<float, 16, 16, fa::window> p(shape{2, heads[0], heads[1], sq, 45});
      p.a.mask = {.left = 30, .right = 0};
      REQUIRE(run_fault(p, p.a.mask) == "");
      dense_problem<fa::bf16, 16, 16, fa::causal> b(shape{1, heads[0], heads[1], sq, 45});
      REQUIRE(run_fault(b, fa::causal{}) == "");
    }
  }
}

TEST_CASE("layouts, in all mixtures") {
  const shape s{3, 4, 2, 53, 70};
  dense_problem<float, 16, 16, fa::causal> plain(s);
  REQUIRE(run_fault(plain, fa::causal{}) == "");
  for (const order q : {order::bshd, order::bhsd, order::sbhd}) {
    for (const order k : {order::bshd, order::bhsd, order::sbhd}) {
      for (const order v : {order::bshd, order::bhsd, order::sbhd}) {
        for (const order o : {order::bshd, order::bhsd, order::sbhd}) {
          dense_problem<float, 16, 16, fa::causal> p(s);
          p.a.q = test::arranged<const float>(q, p.q.data(), s.batch, s.sq, s.hq, 16);
          p.a.k = test::arranged<const float>(k, p.k.data(), s.batch, s.sk, s.hk, 16);
          p.a.v = test::arranged<const float>(v, p.v.data(), s.batch, s.sk, s.hk, 16);
          p.a.o = test::arranged<float>(o, p.o.data(), s.batch, s.sq, s.hq, 16);
          const auto copy = [&](const fa::tensor<const float>& to,
                                const fa::tensor<const float>& from) {
            for (i64 b = 0; b < to.batch; ++b)
              for (i64 t = 0; t < to.seqlen; ++t)
                for (i64 h = 0; h < to.heads; ++h)
                  for (i64 c = 0; c < to.dim; ++c)
                    const_cast<float&>(test::element(to, b, t, h, c)) = test::element(from, b, t, h,
                                                                                      c);
          };
          copy(p.a.q, plain.a.q);
          copy(p.a.k, plain.a.k);
          copy(p.a.v, plain.a.v);
          REQUIRE(p.run());
          bool same = p.o.guards_untouched();
          for (i64 b = 0; b < s.batch; ++b)
            for (i64 t = 0; t < s.sq; ++t)
              for (i64 h = 0; h < s.hq; ++h)
                for (i64 c = 0; c < 16; ++c)
                  same = same &&
                         test::element(p.a.o, b, t, h, c) == test::element(plain.a.o, b, t, h, c);
          REQUIRE(same);
          REQUIRE(p.lse == plain.lse);
        }
      }
    }
  }
}

TEST_CASE("f32 output of 16-bit inputs is not rounded to 16 bits") {
  for (const i64 sq : {i64{1}, i64{60}}) {
    dense_problem<fa::f16, 64, 64, fa::output<float>> half(shape{1, 2, 1, sq, 90});
    CHECK(run_fault(half, fa::no_mask{}) == "");
    dense_problem<fa::bf16, 64, 64, fa::output<float>> brain(shape{1, 2, 1, sq, 90});
    CHECK(run_fault(brain, fa::no_mask{}) == "");
    dense_problem<fa::bf16, 64, 64> rounded(shape{1, 2, 1, sq, 90});
    REQUIRE(rounded.run());
    int finer = 0, off = 0;
    for (i64 i = 0; i < brain.o.size(); ++i) {
      finer += brain.o[i] != static_cast<float>(fa::bf16(brain.o[i])) ? 1 : 0;
      off += fa::bf16(brain.o[i]).bits != rounded.o[i].bits ? 1 : 0;
    }
    CHECK(finer > 0);
    CHECK(off == 0);  // the 16-bit output is the f32 output rounded once
  }
}

TEST_CASE("softmax scale: given, default, zero, negative, tiny, large") {
  for (const i64 sq : {i64{1}, i64{6}, i64{50}}) {
    dense_problem<float, 16, 16, fa::causal> p(shape{1, 2, 1, sq, 60});
    dense_problem<float, 16, 16, fa::causal> given(shape{1, 2, 1, sq, 60});
    given.a.softmax_scale = 0.25f;
    REQUIRE(p.run());
    REQUIRE(given.run());
    CHECK(p.o == given.o);  // 1/sqrt(16)
    for (const float scale : {0.0f, -0.0f, -0.25f, -3.0f, 1e-30f, 1.2f, 8.0f, 100.0f}) {
      INFO("scale " << scale << " sq " << sq);
      given.clear_outputs();
      given.a.softmax_scale = scale;
      CHECK(run_fault(given, fa::causal{}) == "");
    }
  }
}

TEST_CASE("LSE is optional and changes nothing") {
  for (const i64 sq : {i64{1}, i64{50}}) {
    dense_problem<float, 16, 16, fa::causal> with(shape{2, 2, 1, sq, 60}),
        without(shape{2, 2, 1, sq, 60});
    without.a.lse = {};
    REQUIRE(with.run());
    REQUIRE(without.run());
    CHECK(with.o == without.o);
    CHECK(without.lse.untouched());
  }
}

TEST_CASE("LSE at any strides") {
  const shape s{2, 3, 1, 50, 60};
  dense_problem<float, 16, 16> plain(s), p(s);
  test::buffer<float> wide(4 * s.batch * s.sq * s.hq);
  // [seqlen, heads, batch] with gaps.
  p.a.lse = fa::row_tensor{wide.data(),           s.batch, s.hq, s.sq, 2, 2 * s.batch,
                           4 * s.batch * s.hq / 2};
  REQUIRE(plain.run());
  REQUIRE(p.run());
  i64 written = 0;
  for (i64 b = 0; b < s.batch; ++b)
    for (i64 h = 0; h < s.hq; ++h)
      for (i64 i = 0; i < s.sq; ++i) REQUIRE(p.lse_at(b, h, i) == plain.lse_at(b, h, i));
  for (i64 i = 0; i < wide.size(); ++i) written += test::is_poison(wide[i]) ? 0 : 1;
  CHECK(written == s.batch * s.hq * s.sq);
  CHECK(wide.guards_untouched());
}

TEST_CASE("tiles of the user's choice") {
  dense_problem<float, 16, 24, fa::causal> usual(shape{1, 2, 1, 130, 150});
  REQUIRE(run_fault(usual, fa::causal{}) == "");
  dense_problem<float, 16, 24, fa::causal, fa::tile<96, 48>> large(shape{1, 2, 1, 130, 150});
  CHECK(run_fault(large, fa::causal{}) == "");
  dense_problem<float, 16, 24, fa::causal, fa::tile<48, 7>> small(shape{1, 2, 1, 130, 150});
  CHECK(run_fault(small, fa::causal{}) == "");
}

TEST_CASE("long rows keep their accuracy") {
  // 20 000 keys: sums over many steps; a constant V must come out as it went in.
  for (const i64 sq : {i64{1}, i64{9}}) {
    dense_problem<float, 16, 16> p(shape{1, 1, 1, sq, 20000});
    CHECK(run_fault(p, fa::no_mask{}) == "");
    p.v.fill(1.0f);
    p.clear_outputs();
    REQUIRE(p.run());
    for (i64 i = 0; i < p.o.size(); ++i) REQUIRE(std::fabs(p.o[i] - 1.0f) < 2e-5f);
  }
}
