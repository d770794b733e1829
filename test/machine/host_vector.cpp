// SIMD registers of the host: conversions of whole registers, exp2, transposition,
// rows with a ragged end.
#include "catch.hpp"
#include "number.hpp"

#include <fa/machine/host/memory.hpp>
#include <fa/machine/host/vector.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace hm = fa::host_machine;

namespace {

template <class T>
T from_bits(std::uint16_t bits) {
  T x{};
  x.bits = bits;
  return x;
}

bool same_float(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

/// All 2^16 patterns, a register at a time, by each way of widening.
template <class T>
int wrong_widenings() {
  int bad = 0;
  for (int first = 0; first < 65536; first += hm::lanes) {
    T elements[hm::lanes];
    hm::words low{}, high{};
    for (int i = 0; i < hm::lanes; ++i) {
      const auto bits = static_cast<std::uint16_t>(first + i);
      elements[i] = from_bits<T>(bits);
      low[i] = bits;
      high[i] = static_cast<std::uint32_t>(bits) << 16;
    }
    const hm::floats loaded = hm::load_elements(elements), from_low = hm::widen_low(low, T{}),
                     from_high = hm::widen_high(high, T{});
    for (int i = 0; i < hm::lanes; ++i) {
      const auto want = static_cast<float>(
          test::value_of_bits<T>(static_cast<std::uint16_t>(first + i)));
      bad += same_float(loaded[i], want) && same_float(from_low[i], want) &&
                     same_float(from_high[i], want)
                 ? 0
                 : 1;
    }
  }
  return bad;
}

/// Floats spread over all exponents, and every midpoint between neighbours with its own neighbours.
template <class T>
int wrong_narrowings() {
  int bad = 0;
  const auto check = [&](float x) {
    T stored[hm::lanes];
    hm::store_elements(stored, hm::splat(x));
    const double want = test::rounded<T>(static_cast<double>(x));
    for (int i = 0; i < hm::lanes; ++i) {
      const double got = test::value_of_bits<T>(stored[i].bits);
      bad += (std::isnan(x) ? std::isnan(got) : got == want && std::signbit(got) == std::signbit(x))
                 ? 0
                 : 1;
    }
  };
  std::uint32_t state = 7;
  for (int n = 0; n < 300000; ++n) {
    state = state * 1664525u + 1013904223u;
    check(std::bit_cast<float>(state));
  }
  for (int n = 0; n < 65535; ++n) {
    const double a = test::value_of_bits<T>(static_cast<std::uint16_t>(n)),
                 b = test::value_of_bits<T>(static_cast<std::uint16_t>(n + 1));
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    const auto middle = static_cast<float>((a + b) / 2);
    for (const float x : {middle, std::nextafter(middle, 0.0f),
                          std::nextafter(middle, middle < 0 ? -INFINITY : INFINITY)})
      check(x);
  }
  return bad;
}

}  // namespace

TEST_CASE("registers widen every 16-bit pattern exactly") {
  CHECK(wrong_widenings<fa::f16>() == 0);
  CHECK(wrong_widenings<fa::bf16>() == 0);
}

TEST_CASE("registers round to nearest even") {
  CHECK(wrong_narrowings<fa::f16>() == 0);
  CHECK(wrong_narrowings<fa::bf16>() == 0);
}

TEST_CASE("exp2 is within a few units in the last place, and exact where it matters") {
  double worst = 0;
  for (int n = 0; n < 2000000; ++n) {
    const auto x = static_cast<float>(-126.0 + 252.9 * n / 2000000);
    const hm::floats y = fa::exp2(hm::splat(x));
    const double want = std::exp2(static_cast<double>(x));
    worst = std::max(worst, std::fabs(static_cast<double>(y[0]) - want) / want);
  }
  CHECK(worst < 4 * 0x1p-23);
  const auto at = [](float x) { return fa::exp2(hm::splat(x))[hm::lanes - 1]; };
  CHECK(at(0.0f) == 1.0f);
  CHECK(at(-0.0f) == 1.0f);
  CHECK(at(8.0f) == 256.0f);
  CHECK(at(-std::numeric_limits<float>::infinity()) == 0.0f);
  CHECK(at(-std::numeric_limits<float>::max()) == 0.0f);
  CHECK(at(-200.0f) == 0.0f);
  CHECK(std::isnan(at(std::numeric_limits<float>::quiet_NaN())));
}

TEST_CASE("a square of registers is transposed") {
  hm::floats square[hm::lanes];
  for (int i = 0; i < hm::lanes; ++i)
    for (int j = 0; j < hm::lanes; ++j) square[i][j] = static_cast<float>(100 * i + j);
  hm::transpose(square);
  for (int i = 0; i < hm::lanes; ++i)
    for (int j = 0; j < hm::lanes; ++j) CHECK(square[i][j] == static_cast<float>(100 * j + i));
}

TEST_CASE("ragged rows: only `count` elements are read and written, the rest is zero") {
  const auto check = [](auto zero) {
    using T = decltype(zero);
    for (int count = 0; count <= hm::lanes; ++count) {
      T from[hm::lanes], to[hm::lanes];
      for (int i = 0; i < hm::lanes; ++i) from[i] = T(static_cast<float>(i + 1)), to[i] = T(-1.0f);
      const hm::floats x = hm::load_first(from, count);
      hm::store_first(to, hm::splat(5.0f), count);
      for (int i = 0; i < hm::lanes; ++i) {
        CHECK(x[i] == (i < count ? static_cast<float>(i + 1) : 0.0f));
        CHECK(static_cast<float>(to[i]) == (i < count ? 5.0f : -1.0f));
      }
    }
  };
  check(0.0f);
  check(fa::f16{});
  check(fa::bf16{});
}

TEST_CASE("any and not_finite look at every lane") {
  for (int lane = 0; lane < hm::lanes; ++lane) {
    for (const float special :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
          -std::numeric_limits<float>::infinity()}) {
      hm::floats x = hm::splat(1.0f);
      CHECK(!hm::any(hm::not_finite(x)));
      x[lane] = special;
      const hm::ints marks = hm::not_finite(x);
      CHECK(hm::any(marks));
      for (int i = 0; i < hm::lanes; ++i) CHECK((marks[i] != 0) == (i == lane));
    }
  }
  CHECK(!hm::any(hm::not_finite(hm::splat(std::numeric_limits<float>::max()))));
}
