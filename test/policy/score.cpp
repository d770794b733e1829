// The concepts of a score, the score that is none, what scores are written with, and slopes by
// finite differences.
#include "catch.hpp"

#include <fa/policy/score.hpp>

#include <cmath>
#include <limits>

namespace hm = fa::host_machine;

namespace {

struct returns_nothing {
  struct bound {
    void operator()(float, int, int) const {}
  };
  bound bind(const fa::sequence&) const { return {}; }
};
struct takes_no_position {
  struct bound {
    float operator()(float x) const { return x; }
  };
  bound bind(const fa::sequence&) const { return {}; }
};
struct halved {
  struct bound {
    float operator()(float x, int, int) const { return x / 2; }
  };
  bound bind(const fa::sequence&) const { return {}; }
};
/// Its own name for doing nothing.
struct unchanged {
  static constexpr bool is_identity = true;
  unchanged bind(const fa::sequence&) const { return {}; }
  float operator()(float x, int, int) const { return x; }
};

/// cap tanh(x / cap).
struct soft_cap {
  float cap = 2;
  soft_cap bind(const fa::sequence&) const { return *this; }
  template <class X, class I, class J>
  X operator()(X x, I, J) const {
    return cap * fa::tanh(x / cap);
  }
  template <class X, class I, class J>
  X derivative(X x, I, J) const {
    const X y = fa::tanh(x / cap);
    return 1.f - y * y;
  }
};
/// x - slope |i - j| / (1 + |i - j|), which uses all that positions and numbers can do.
struct by_distance {
  float slope = 0.75f;
  by_distance bind(const fa::sequence&) const { return *this; }
  template <class X, class I, class J>
  X operator()(X x, I i, J j) const {
    const auto distance = fa::absolute(fa::to_float(i - j));
    return x - slope * distance * fa::reciprocal(1.f + distance);
  }
  template <class X, class I, class J>
  X derivative(X, I, J) const {
    return X{} + 1.f;
  }
};
/// Only one at a time.
struct squared {
  squared bind(const fa::sequence&) const { return {}; }
  float operator()(float x, int, int) const { return x * x; }
  float derivative(float x, int, int) const { return 2 * x; }
};

/// The derivative of a score against differences of its values.
template <class S>
void check_derivative(const S& score, double rounding) {
  for (const float x : {-7.f, -1.25f, -0.5f, 0.f, 0.25f, 1.f, 3.f, 9.f}) {
    for (const int j : {0, 3, 11}) {
      const float step = 0x1p-6f;
      const double difference =
          (static_cast<double>(score(x + step, 3, j)) - score(x - step, 3, j)) / (2. * step);
      INFO("x " << x << " j " << j);
      // third derivatives of these scores are below 2 in magnitude: step^2 / 6 each
      CHECK(std::abs(score.derivative(x, 3, j) - difference) <=
            step * step / 3. + rounding / (2. * step));
    }
  }
}

}  // namespace

static_assert(fa::Score<fa::no_score> && fa::Score<halved> && fa::Score<soft_cap>);
static_assert(!fa::Score<returns_nothing> && !fa::Score<takes_no_position> && !fa::Score<int>);
static_assert(fa::is_identity<fa::no_score> && fa::is_identity<unchanged> &&
              !fa::is_identity<halved> && !fa::is_identity<halved::bound>);
static_assert(fa::DifferentiableScore<fa::no_score> && fa::DifferentiableScore<soft_cap> &&
              fa::DifferentiableScore<squared> && !fa::DifferentiableScore<halved::bound>);
static_assert(fa::TakesPackedScores<soft_cap, hm::floats, hm::ints, int> &&
              fa::TakesPackedScores<by_distance, hm::floats, hm::ints, hm::ints> &&
              fa::TakesPackedScores<by_distance, hm::floats, int, hm::ints> &&
              !fa::TakesPackedScores<squared, hm::floats, hm::ints, int> &&
              !fa::TakesPackedScores<squared, hm::floats, hm::ints, hm::ints>);

TEST_CASE("no score leaves every logit") {
  const auto s = fa::no_score{}.bind(fa::sequence{2, 2, 0, 0});
  CHECK(s(1.5f, 0, 1) == 1.5f);
  CHECK(s(-0.25f, 1, 0) == -0.25f);
  CHECK(s.derivative(-0.25f, 1, 0) == 1.f);
}

TEST_CASE("derivatives of scores are the slopes of their values") {
  check_derivative(fa::no_score{}, 0);
  check_derivative(squared{}, 0);
  check_derivative(by_distance{}, 2 * 0x1p-20);
  check_derivative(soft_cap{}, 2 * 2 * 0x1p-22);
}

TEST_CASE("what scores are written with is the same for a float and for a register of them") {
  hm::floats x, y;
  hm::ints i;
  for (int first = -64; first <= 64; ++first) {
    for (int lane = 0; lane < hm::lanes; ++lane) {
      x[lane] = 0.37f * static_cast<float>(first) + static_cast<float>(lane);
      y[lane] = 1.5f * static_cast<float>(lane) - 0.2f * static_cast<float>(first);
      i[lane] = 1000 * first - lane;
    }
    const hm::floats larger = fa::larger(x, y), smaller = fa::smaller(x, y),
                     absolute = fa::absolute(x), numbers = fa::to_float(i), power = fa::exp2(x),
                     inverse = fa::reciprocal(y), logarithm = fa::log2(fa::absolute(y)),
                     bent = fa::tanh(x);
    for (int lane = 0; lane < hm::lanes; ++lane) {
      const float a = x[lane], b = y[lane];
      CHECK(larger[lane] == fa::larger(a, b));
      CHECK(smaller[lane] == fa::smaller(a, b));
      CHECK(absolute[lane] == fa::absolute(a));
      CHECK(numbers[lane] == fa::to_float(i[lane]));
      CHECK(inverse[lane] == fa::reciprocal(b));
      CHECK(logarithm[lane] == fa::log2(fa::absolute(b)));
      CHECK(std::abs(power[lane] - fa::exp2(a)) <= 0x1p-21f * fa::exp2(a));
      CHECK(std::abs(static_cast<double>(bent[lane]) - std::tanh(static_cast<double>(a))) <=
            0x1p-22);
      CHECK(std::abs(static_cast<double>(fa::tanh(a)) - std::tanh(static_cast<double>(a))) <=
            0x1p-22);
    }
  }
}

TEST_CASE("helpers of scores at the ends of the floats") {
  const float infinity = std::numeric_limits<float>::infinity(),
              nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(fa::tanh(infinity) == 1.f);
  CHECK(fa::tanh(-infinity) == -1.f);
  CHECK(fa::tanh(0.f) == 0.f);
  CHECK(std::isnan(fa::tanh(nan)));
  CHECK(fa::tanh(hm::splat(infinity))[0] == 1.f);
  CHECK(fa::tanh(hm::splat(-infinity))[0] == -1.f);
  CHECK(fa::tanh(hm::splat(0.f))[0] == 0.f);
  CHECK(std::isnan(fa::tanh(hm::splat(nan))[0]));
  CHECK(std::isnan(fa::larger(1.f, nan)));  // where one is NaN, the second
  CHECK(fa::larger(nan, 1.f) == 1.f);
  CHECK(std::isnan(fa::smaller(1.f, nan)));
  CHECK(fa::smaller(nan, 1.f) == 1.f);
  CHECK(fa::smaller(hm::splat(nan), hm::splat(1.f))[0] == 1.f);
  CHECK(std::isnan(fa::smaller(hm::splat(1.f), hm::splat(nan))[0]));
  CHECK(fa::absolute(-infinity) == infinity);
  CHECK(fa::absolute(hm::splat(-0.5f))[0] == 0.5f);
}
