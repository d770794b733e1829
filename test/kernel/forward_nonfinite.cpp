// NaN and infinity: where they are visible they come through; where they are not, no bit changes.
#include "catch.hpp"
#include "fixture.hpp"

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

using test::dense_problem;
using test::element;
using test::i64;
using test::packed_problem;
using test::packed_shape;
using test::shape;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

template <class T>
void set_row(const fa::tensor<const T>& t, i64 b, i64 token, i64 h, float x) {
  for (i64 c = 0; c < t.dim; ++c) const_cast<T&>(element(t, b, token, h, c)) = T(x);
}

/// One element of every kind of tensor is special; O and LSE must be special exactly where
/// definition makes them so.
template <class T>
void visible_specials(i64 sq, i64 sk) {
  for (const float special : {not_a_number, inf, -inf}) {
    for (int where = 0; where < 3; ++where) {
      INFO("sq " << sq << " special " << special << " in " << "qkv"[where]);
      dense_problem<T, 16, 16, fa::causal> p(shape{1, 1, 1, sq, sk});
      const auto& t = where == 0 ? p.a.q : where == 1 ? p.a.k : p.a.v;
      const i64 token = where == 0 ? sq / 2 : sk - 1 - sq / 3;
      const_cast<T&>(element(t, 0, token, 0, 5)) = T(special);
      REQUIRE(p.run());
      const auto ref = test::naive<T>(p.a.q, p.a.k, p.a.v, test::sequences_of(p.a), 0.25,
                                      fa::causal{}, fa::no_score{});
      for (i64 i = 0; i < sq; ++i) {
        const double l = ref.lse_at(0, 0, i);
        if (std::isnan(l)) REQUIRE(std::isnan(p.lse_at(0, 0, i)));
        else REQUIRE(test::distance(static_cast<double>(p.lse_at(0, 0, i)), l) < 1e-3);
        for (i64 c = 0; c < 16; ++c) {
          const double want = ref.o_at(0, 0, i, c), got = p.o_at(0, i, 0, c);
          if (std::isnan(want)) REQUIRE(std::isnan(got));
          else REQUIRE(test::distance(got, want) < 0.05);
        }
      }
    }
  }
}

/// K and V at places that a row's mask hides do not reach that row: no number there, finite
/// or not, changes a bit.
template <class T>
void hidden_specials(i64 sq, i64 sk) {
  dense_problem<T, 16, 16, fa::window> clean(shape{1, 2, 1, sq, sk});
  clean.a.mask = {.left = 3, .right = 0};
  REQUIRE(clean.run());
  for (const float special : {not_a_number, inf, -inf, 0.0f, 60000.0f, -60000.0f}) {
    for (const i64 bad : {i64{0}, sk / 2, sk - 1}) {
      INFO("sq " << sq << " sk " << sk << " special " << special << " key " << bad);
      dense_problem<T, 16, 16, fa::window> p(shape{1, 2, 1, sq, sk});
      p.a.mask = clean.a.mask;
      set_row(p.a.k, 0, bad, 0, special);
      set_row(p.a.v, 0, bad, 0, special);
      REQUIRE(p.run());
      for (i64 i = 0; i < sq; ++i) {
        const i64 own = i + sk - sq;
        if (bad >= own - 3 && bad <= own) continue;  // this row sees it
        for (i64 h = 0; h < 2; ++h) {
          REQUIRE(p.lse_at(0, h, i) == clean.lse_at(0, h, i));
          for (i64 c = 0; c < 16; ++c) REQUIRE(p.o_at(0, i, h, c) == clean.o_at(0, i, h, c));
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("visible NaN and infinity come through") {
  for (const i64 sq : {i64{1}, i64{3}, i64{8}, i64{20}, i64{60}, i64{110}}) {
    visible_specials<float>(sq, 130);
    visible_specials<fa::f16>(sq, 130);
    visible_specials<fa::bf16>(sq, 130);
  }
}

TEST_CASE("hidden numbers of any kind do not reach a row") {
  for (const i64 sq : {i64{1}, i64{4}, i64{8}, i64{9}, i64{60}, i64{130}}) {
    hidden_specials<float>(sq, 130);
    hidden_specials<fa::f16>(sq, 130);
    hidden_specials<fa::bf16>(sq, 130);
  }
}

TEST_CASE("a whole NaN query gives a NaN row, not zeros, and leaves its neighbours alone") {
  for (const i64 sq : {i64{1}, i64{5}, i64{50}}) {
    dense_problem<float, 8, 8> clean(shape{1, 2, 1, sq, 40}), p(shape{1, 2, 1, sq, 40});
    set_row(p.a.q, 0, sq - 1, 1, not_a_number);
    REQUIRE(clean.run());
    REQUIRE(p.run());
    for (i64 h = 0; h < 2; ++h) {
      for (i64 i = 0; i < sq; ++i) {
        const bool bad = h == 1 && i == sq - 1;
        if (bad) REQUIRE(std::isnan(p.lse_at(0, h, i)));
        else REQUIRE(p.lse_at(0, h, i) == clean.lse_at(0, h, i));
        for (i64 c = 0; c < 8; ++c) {
          if (bad) REQUIRE(std::isnan(p.o_at(0, i, h, c)));
          else REQUIRE(p.o_at(0, i, h, c) == clean.o_at(0, i, h, c));
        }
      }
    }
  }
}

TEST_CASE("bytes beyond the end of a sequence never matter") {
  const packed_shape s{2, 1, {3, 50, 0, 9}, {20, 70, 5, 131}, {10, 60, 7, 20}, {40, 100, 30, 140}};
  packed_problem<float, 16, 16, fa::causal> poisoned(s);  // poison is a NaN
  REQUIRE(poisoned.run());
  for (const float x : {0.0f, inf, -inf, 1e30f}) {
    packed_problem<float, 16, 16, fa::causal> other(s);
    for (auto* b : {&other.q, &other.k, &other.v}) {
      for (i64 i = 0; i < b->size(); ++i) {
        if (test::is_poison((*b)[i])) (*b)[i] = x;
      }
    }
    REQUIRE(other.run());
    CHECK(other.o == poisoned.o);
    CHECK(other.lse == poisoned.lse);
  }
  CHECK(test::fault(poisoned, fa::causal{}) == "");
}

TEST_CASE("huge and very negative logits") {
  // Logits of +-1e4: exp() of them overflows; differences do not.
  for (const i64 sq : {i64{1}, i64{8}, i64{100}}) {
    dense_problem<float, 64, 64, fa::causal> big(shape{1, 1, 1, sq, 130});
    big.q.normal(1, 100);
    big.k.normal(2, 100);
    CHECK(test::run_fault(big, fa::causal{}) == "");
    dense_problem<float, 64, 64, fa::causal> low(shape{1, 1, 1, sq, 130});
    for (i64 i = 0; i < low.q.size(); ++i) low.q[i] = 30 + std::fabs(low.q[i]);
    for (i64 i = 0; i < low.k.size(); ++i) low.k[i] = -30 - std::fabs(low.k[i]);
    REQUIRE(low.run());
    // Every logit is below -7000, where a float's last place is 5e-4: that much, times a few, may
    // each weight be off. A mask that fills with a finite number would be far off.
    const auto ref = test::naive<float>(low.a.q, low.a.k, low.a.v, test::sequences_of(low.a), 0.125,
                                        fa::causal{}, fa::no_score{});
    CHECK(low.lse_at(0, 0, sq - 1) < -7000.0f);
    for (i64 i = 0; i < sq; ++i) {
      REQUIRE(test::distance(static_cast<double>(low.lse_at(0, 0, i)), ref.lse_at(0, 0, i)) <
              1e-3 + 1e-5 * 7200);
      for (i64 c = 0; c < 64; ++c)
        REQUIRE(test::distance(low.o_at(0, i, 0, c), ref.o_at(0, 0, i, c)) < 3e-3);
    }
    dense_problem<fa::bf16, 64, 64, fa::causal> b(shape{1, 1, 1, sq, 130});
    b.q.normal(1, 100);
    b.k.normal(2, 100);
    CHECK(test::run_fault(b, fa::causal{}) == "");
  }
}

TEST_CASE("logits that grow by steps") {
  // Every later key beats all earlier ones by far, by a little, or not at all: the running maximum
  // moves at every step.
  for (const float slope : {0.01f, 0.5f, 7.9f, 8.1f, 60.0f, -0.5f, -60.0f}) {
    for (const i64 sq : {i64{1}, i64{50}}) {
      dense_problem<float, 16, 16> p(shape{1, 1, 1, sq, 400});
      p.q.fill(0.25f);
      for (i64 j = 0; j < 400; ++j) set_row(p.a.k, 0, j, 0, slope * static_cast<float>(j));
      p.a.softmax_scale = 0.25f;
      INFO("slope " << slope << " sq " << sq);
      CHECK(test::run_fault(p, fa::no_mask{}) == "");
    }
  }
}

TEST_CASE("logits at the ends of a float's range") {
  // Their base-2 form, or the distance of two of them, is no float.
  for (const float logit :
       {3e38f, -3e38f, 3.402823466e+38f, -3.402823466e+38f, 1e30f, -1e30f, 1e9f, -1e9f}) {
    for (const i64 sq : {i64{1}, i64{50}}) {
      dense_problem<float, 16, 16> p(shape{1, 1, 1, sq, 400});
      p.q.fill(1.f / 16);
      for (i64 j = 0; j < 400; ++j)
        set_row(p.a.k, 0, j, 0, j < 150 ? 0.5f * logit : j < 300 ? logit : 0.75f * logit);
      p.a.softmax_scale = 1.f;
      INFO("logit " << logit << " sq " << sq);
      CHECK(test::run_fault(p, fa::no_mask{}) == "");
    }
  }
}

TEST_CASE("the smallest and the largest scale") {
  for (const float scale : {0x1p-149f, 1.2e-38f, 1.6e-38f, 2.4e-38f, 0x1p126f}) {
    for (const i64 sq : {i64{1}, i64{300}}) {
      dense_problem<float, 16, 16, fa::window> p(shape{1, 1, 1, sq, 400});
      p.a.mask = {.left = 20, .right = 0};  // rows of a block begin to see keys at different steps
      p.a.softmax_scale = scale;
      if (scale > 1.f) p.q.fill(0x1p-12f);  // so that logits are floats
      INFO("scale " << scale << " sq " << sq);
      CHECK(test::run_fault(p, fa::window{20, 0}) == "");
    }
  }
}
