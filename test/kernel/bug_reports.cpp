// Faults that other attention libraries had, as small inputs with their right answers. Two
// probes recur: with q = 0 O is the plain mean of the visible V, and with V[j] = j that mean
// names the visible set.
#include "catch.hpp"
#include "fixture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

using test::dense_problem;
using test::element;
using test::i64;
using test::order;
using test::packed_problem;
using test::packed_shape;
using test::run_fault;
using test::shape;

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// q = 0 and V[j] = j in every column.
template <class Problem>
void name_visible_set(Problem& p) {
  using T = typename Problem::in;
  p.q.fill(0.0f);
  for (i64 b = 0; b < p.a.v.batch; ++b)
    for (i64 j = 0; j < p.a.v.seqlen; ++j)
      for (i64 h = 0; h < p.a.v.heads; ++h)
        for (i64 c = 0; c < p.a.v.dim; ++c)
          const_cast<T&>(element(p.a.v, b, j, h, c)) = T(static_cast<float>(j));
}

/// All columns of O row i (batch 0, head 0) are `want`, up to rounding.
template <class Problem>
bool row_is(const Problem& p, i64 i, double want) {
  for (i64 c = 0; c < p.a.o.dim; ++c) {
    if (std::fabs(p.o_at(0, i, 0, c) - want) > 1e-3 * (1 + std::fabs(want))) return false;
  }
  return true;
}

template <class Problem>
bool zero_row(const Problem& p, i64 b, i64 h, i64 i) {
  bool good = p.lse_at(b, h, i) == minus_infinity;
  for (i64 c = 0; c < p.a.o.dim; ++c) good = good && p.o_at(b, i, h, c) == 0.0;
  return good;
}

/// Hides the keys of a boolean [queries, keys] table.
struct table_mask {
  const bool* visible = nullptr;
  struct bound {
    const bool* visible;
    int keys;
    bool keep(int i, int j) const { return visible[i * keys + j]; }
    fa::key_span span(fa::row_range, int key_count) const { return fa::every_key(key_count); }
  };
  bound bind(const fa::sequence& s) const { return {visible, s.key_count}; }
};

/// An additive mask [queries, keys], as a score.
struct added {
  const float* bias = nullptr;
  struct bound {
    const float* bias;
    int keys;
    float operator()(float s, int i, int j) const { return s + bias[i * keys + j]; }
  };
  bound bind(const fa::sequence& s) const { return {bias, s.key_count}; }
};

}  // namespace

TEST_CASE(
    "01: causal with far more queries than keys: only the last row of a sequence sees its key") {
  packed_problem<fa::f16, 32, 32, fa::causal> p(packed_shape{1, 1, {76, 34, 146}, {1, 1, 1}});
  REQUIRE(p.cu_q == std::vector<std::int32_t>{0, 76, 110, 256});
  p.q.normal(1, 3);
  p.k.normal(2, 3);
  p.v.normal(3, 3);
  REQUIRE(p.run());
  for (i64 b = 0; b < 3; ++b) {
    const i64 last = p.s.q[static_cast<std::size_t>(b)] - 1;
    for (i64 i = 0; i < last; ++i) REQUIRE(zero_row(p, b, 0, i));
    for (i64 c = 0; c < 32; ++c) REQUIRE(p.o_at(b, last, 0, c) == test::value_of(p.v[b * 32 + c]));
    CHECK(std::isfinite(p.lse_at(b, 0, last)));
  }
}

TEST_CASE("02: causal is aligned to the bottom right") {
  dense_problem<fa::f16, 128, 128, fa::causal> p(shape{1, 1, 1, 3, 128});
  name_visible_set(p);
  REQUIRE(p.run());
  CHECK(row_is(p, 0, 62.5));
  CHECK(row_is(p, 1, 63.0));
  CHECK(row_is(p, 2, 63.5));
  CHECK(p.lse_at(0, 0, 0) == Approx(std::log(126.0)));
}

TEST_CASE("02: a length that is no multiple of a tile is masked at its tail") {
  dense_problem<fa::f16, 128, 128> p(shape{1, 4, 4, 64, 64});
  name_visible_set(p);
  REQUIRE(p.run());
  for (i64 i = 0; i < 64; ++i) REQUIRE(row_is(p, i, 31.5));
}

TEST_CASE("03: a window of left 3 is four tokens wide") {
  dense_problem<float, 16, 16, fa::window> p(shape{1, 1, 1, 8, 8});
  p.a.mask = {.left = 3, .right = 0};
  name_visible_set(p);
  REQUIRE(p.run());
  CHECK(row_is(p, 7, 5.5));
  const double want[] = {0, 0.5, 1, 1.5, 2.5, 3.5, 4.5, 5.5};
  for (i64 i = 0; i < 8; ++i) CHECK(row_is(p, i, want[i]));
}

TEST_CASE("03: causal, (-1, 0), (S, 0) and (S - 1, 0) are one mask") {
  for (const i64 s : {i64{64}, i64{300}}) {
    dense_problem<fa::f16, 128, 128, fa::causal> causal(shape{1, 2, 2, s, s});
    REQUIRE(causal.run());
    for (const i64 left : {i64{-1}, s, s - 1}) {
      dense_problem<fa::f16, 128, 128, fa::window> window(shape{1, 2, 2, s, s});
      window.a.mask = {.left = left, .right = 0};
      REQUIRE(window.run());
      CHECK(window.o == causal.o);  // the same code path here, hence the same bits
      CHECK(window.lse == causal.lse);
    }
  }
}

TEST_CASE("04a: no keys give O = 0 and LSE = -inf") {
  dense_problem<fa::f16, 64, 64> p(shape{1, 1, 1, 4, 0});
  REQUIRE(p.run());
  for (i64 i = 0; i < 4; ++i) CHECK(zero_row(p, 0, 0, i));
}

TEST_CASE("04c: everything hidden by a mask or by minus infinity gives 0, not the mean of V") {
  const bool hidden[3] = {false, false, false};
  dense_problem<float, 4, 1, table_mask> masked(shape{1, 1, 1, 1, 3});
  masked.a.mask.visible = hidden;
  for (i64 j = 0; j < 3; ++j) masked.v[j] = static_cast<float>(j + 1);
  REQUIRE(masked.run());
  CHECK(zero_row(masked, 0, 0, 0));
  const float bias[3] = {minus_infinity, minus_infinity, minus_infinity};
  dense_problem<float, 4, 1, added> biased(shape{1, 1, 1, 1, 3});
  biased.a.score.bias = bias;
  for (i64 j = 0; j < 3; ++j) biased.v[j] = static_cast<float>(j + 1);
  REQUIRE(biased.run());
  CHECK(zero_row(biased, 0, 0, 0));
  const float one_left[3] = {minus_infinity, 0.0f, minus_infinity};
  biased.a.score.bias = one_left;
  REQUIRE(biased.run());
  CHECK(biased.o_at(0, 0, 0, 0) == 2.0);
}

TEST_CASE("05: a softmax scale of zero averages, a negative one turns the order") {
  const auto check = [](auto zero) {
    using T = decltype(zero);
    dense_problem<T, 16, 16> p(shape{1, 1, 1, 3, 5});
    for (i64 j = 0; j < 5; ++j) {
      for (i64 c = 0; c < 16; ++c) p.v[j * 16 + c] = T(static_cast<float>(j));
    }
    p.a.softmax_scale = 0.0f;
    REQUIRE(p.run());
    for (i64 i = 0; i < 3; ++i) {
      CHECK(row_is(p, i, 2.0));
      CHECK(p.lse_at(0, 0, i) == Approx(std::log(5.0)));
    }
    p.a.softmax_scale = -0.7f;  // padding of the last tile must not turn into +infinity
    CHECK(run_fault(p, fa::no_mask{}) == "");
  };
  check(0.0f);
  check(fa::f16{});
  check(fa::bf16{});
}

TEST_CASE("12: an empty batch succeeds") {
  dense_problem<fa::f16, 64, 64> p(shape{0, 10, 10, 3952, 16});
  REQUIRE(p.run());
  CHECK(p.o.untouched());
  dense_problem<fa::f16, 64, 64> no_keys(shape{2, 10, 10, 7, 0});
  REQUIRE(no_keys.run());
  CHECK(zero_row(no_keys, 1, 9, 6));
  packed_problem<fa::f16, 64, 64> none(packed_shape{10, 10, {0, 0}, {0, 0}});
  REQUIRE(none.cu_q == std::vector<std::int32_t>{0, 0, 0});
  CHECK(none.run());
}

TEST_CASE("14: each of Q, K and V has its own strides") {
  const shape s{1, 16, 16, 62, 62};
  dense_problem<fa::bf16, 128, 128> dense(s, 1, order::bhsd);
  REQUIRE(run_fault(dense, fa::no_mask{}) == "");
  const auto copy = [](const fa::tensor<const fa::bf16>& to,
                       const fa::tensor<const fa::bf16>& from) {
    for (i64 t = 0; t < to.seqlen; ++t)
      for (i64 h = 0; h < to.heads; ++h)
        for (i64 c = 0; c < to.dim; ++c)
          const_cast<fa::bf16&>(element(to, 0, t, h, c)) = element(from, 0, t, h, c);
  };
  for (int which = 0; which < 8; ++which) {
    dense_problem<fa::bf16, 128, 128> p(s, 1, order::bhsd);
    if (which & 1) p.a.q = fa::bshd<const fa::bf16>(p.q.data(), 1, 62, 16, 128);
    if (which & 2) p.a.k = fa::bshd<const fa::bf16>(p.k.data(), 1, 62, 16, 128);
    if (which & 4) p.a.v = fa::bshd<const fa::bf16>(p.v.data(), 1, 62, 16, 128);
    copy(p.a.q, dense.a.q);
    copy(p.a.k, dense.a.k);
    copy(p.a.v, dense.a.v);
    REQUIRE(p.run());
    INFO("layouts " << which);
    CHECK(p.o == dense.o);
    CHECK(p.lse == dense.lse);
  }
  // A head stride with padding, for V alone.
  dense_problem<fa::bf16, 128, 128> p(s, 1, order::bhsd);
  test::buffer<fa::bf16> wide(16 * (62 * 128 + 24));
  auto padded = p.a.v;
  padded.data = wide.data();
  padded.head_stride = 62 * 128 + 24;
  copy(padded, dense.a.v);
  p.a.v = padded;
  REQUIRE(p.run());
  CHECK(p.o == dense.o);
}

TEST_CASE("19: a NaN query gives NaN; a NaN key that is hidden changes nothing") {
  dense_problem<float, 8, 8> all_nan(shape{2, 4, 4, 16, 16});
  all_nan.q.fill(std::numeric_limits<float>::quiet_NaN());
  REQUIRE(all_nan.run());
  for (i64 i = 0; i < all_nan.o.size(); ++i) REQUIRE(std::isnan(all_nan.o[i]));
  const bool first_only[4] = {true, false, true, false};
  const auto make = [&](dense_problem<float, 4, 4, table_mask>& p) {
    for (i64 i = 0; i < 8; ++i) p.q[i] = p.k[i] = p.v[i] = static_cast<float>(i);
    p.a.mask.visible = first_only;
  };
  dense_problem<float, 4, 4, table_mask> clean(shape{1, 1, 1, 2, 2}), dirty(shape{1, 1, 1, 2, 2});
  make(clean);
  make(dirty);
  dirty.k[4] = std::numeric_limits<float>::quiet_NaN();
  for (i64 c = 4; c < 8; ++c) dirty.v[c] = std::numeric_limits<float>::quiet_NaN();
  REQUIRE(clean.run());
  REQUIRE(dirty.run());
  CHECK(clean.o == dirty.o);
  CHECK(clean.lse == dirty.lse);
  for (i64 i = 0; i < 8; ++i) CHECK(dirty.o[i] == static_cast<float>(i % 4));
}

TEST_CASE("20: an innermost stride other than 1 is refused, for each tensor") {
  for (int which = 0; which < 4; ++which) {
    dense_problem<float, 8, 8> p(shape{1, 2, 2, 5, 5});
    const auto swap = [](auto& t) {
      t.dim_stride = 5;
      t.token_stride = 1;
    };
    if (which == 0) swap(p.a.q);
    if (which == 1) swap(p.a.k);
    if (which == 2) swap(p.a.v);
    if (which == 3) swap(p.a.o);
    const fa::status s = p.run();
    CHECK(s.code() == fa::status_code::bad_stride);
    const char* names[] = {"q.dim_stride", "k.dim_stride", "v.dim_stride", "o.dim_stride"};
    CHECK(std::string(s.argument()) == names[which]);
    CHECK(p.o.untouched());
    CHECK(p.lse.untouched());
  }
}

TEST_CASE("21: the same bits for every number of threads, more than there is work included") {
  const int most = 2 * static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (const i64 sq : {i64{1}, i64{130}}) {
    const shape s{1, 32, 8, sq, 512};
    dense_problem<fa::f16, 128, 128, fa::causal> one(s);
    REQUIRE(one.run(fa::host{1}));
    for (const int threads : {2, 3, 5, 7, most, most + 1, 48, 500}) {
      dense_problem<fa::f16, 128, 128, fa::causal> p(s);
      REQUIRE(p.run(fa::host{threads}));
      CHECK(p.o == one.o);
      CHECK(p.lse == one.lse);
    }
  }
}
