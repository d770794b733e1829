// Conversions between the element types, over all bit patterns, against the
// definition of the formats.
#include "catch.hpp"
#include "number.hpp"
#include "reference.hpp"

#include <fa/core/dtype.hpp>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

static_assert(sizeof(fa::f16) == 2 && std::is_trivially_copyable_v<fa::f16> &&
              std::is_trivial_v<fa::f16>);
static_assert(sizeof(fa::bf16) == 2 && std::is_trivially_copyable_v<fa::bf16> &&
              std::is_trivial_v<fa::bf16>);
static_assert(!std::is_convertible_v<float, fa::f16> && !std::is_convertible_v<fa::f16, float>);
// also at compile time
static_assert(fa::f16(1.0f).bits == 0x3c00 && fa::bf16(1.0f).bits == 0x3f80);
static_assert(static_cast<float>(fa::f16(-2.5f)) == -2.5f &&
              static_cast<float>(fa::bf16(-2.5f)) == -2.5f);
static_assert(!fa::Element<double> && !fa::Element<int> && fa::Element<float> &&
              fa::Element<fa::f16> && fa::Element<fa::bf16>);
static_assert(!fa::Element<const float> && !fa::Element<float&> && !fa::Element<std::uint16_t> &&
              !fa::Element<void>);
static_assert(fa::QueryElement<fa::bf16> && !fa::QueryElement<double> && fa::KvElement<fa::f16> &&
              !fa::KvElement<double>);
static_assert(fa::MultipliedElements<fa::bf16, fa::bf16> &&
              !fa::MultipliedElements<fa::bf16, fa::f16> &&
              !fa::MultipliedElements<float, fa::bf16> && !fa::MultipliedElements<double, double>);

/// The traits of an element type against its definition (number.hpp), its bits and its names.
template <class T>
consteval bool traits_agree() {
  using traits = fa::element_traits<T>;
  using format = test::format<T>;
  const double leading = 2. - 1. / static_cast<double>(std::uint64_t{1} << traits::mantissa_bits);
  double power = 1;  // 2^greatest_exponent
  for (int i = 0; i < traits::greatest_exponent; ++i) power *= 2;
  return sizeof(T) == traits::bytes && sizeof(typename traits::bits) == sizeof(T) &&
         std::is_unsigned_v<typename traits::bits> && traits::mantissa_bits + 1 == format::digits &&
         traits::least_exponent == format::min_exponent &&
         static_cast<double>(traits::largest) == format::max && leading * power == format::max &&
         fa::kind_of<T> == traits::kind && fa::element_bytes<T> == traits::bytes &&
         fa::per_word<T> * traits::bytes == 4 && fa::per_chunk<T> * traits::bytes == 16 &&
         fa::is_f32<T> == std::is_same_v<T, float> && fa::is_16_bit<T> == (sizeof(T) == 2);
}
static_assert(traits_agree<float>() && traits_agree<fa::f16>() && traits_agree<fa::bf16>());
static_assert(fa::kind_of<float> == fa::element_kind::binary32 &&
              fa::kind_of<fa::f16> == fa::element_kind::binary16 &&
              fa::kind_of<fa::bf16> == fa::element_kind::bfloat16);
static_assert(fa::element_traits<float>::largest == std::numeric_limits<float>::max() &&
              fa::element_traits<float>::mantissa_bits + 1 == std::numeric_limits<float>::digits &&
              fa::element_traits<float>::least_exponent + 1 ==
                  std::numeric_limits<float>::min_exponent &&
              fa::element_traits<float>::greatest_exponent + 1 ==
                  std::numeric_limits<float>::max_exponent);

namespace {

template <class T>
T from_bits(std::uint16_t bits) {
  T x{};
  x.bits = bits;
  return x;
}

// All 2^32 floats take some seconds in an optimised build; others test every 1021st
// of them, and all edges.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
constexpr std::uint32_t step = 1;
#else
constexpr std::uint32_t step = 1021;
#endif

/// How many floats with bits first, first + step ... last do not become `want`.
template <class T>
std::uint64_t wrong(std::uint32_t first, std::uint32_t last, std::uint16_t want) {
  std::uint64_t count = 0;
  for (std::uint64_t bits = first; bits <= last; bits += step) {
    count += T(std::bit_cast<float>(static_cast<std::uint32_t>(bits))).bits != want ? 1 : 0;
  }
  if (step > 1) count += T(std::bit_cast<float>(last)).bits != want ? 1 : 0;
  return count;
}

/// Rounding to nearest even is the same as: each value of T attracts the floats up to the midpoint
/// to either neighbour, and the midpoint itself if its pattern is even. So the floats fall into
/// runs of one result, bounded by midpoints, which are floats.
template <class T>
std::uint64_t wrong_roundings(bool negative) {
  const std::uint32_t sign32 = negative ? 0x80000000u : 0;
  const std::uint16_t sign16 = negative ? 0x8000u : 0, top = T(INFINITY).bits;
  std::atomic<std::uint64_t> count = 0;
  test::parallel(top + 1, [&](std::int64_t n) {
    const auto pattern = static_cast<std::uint16_t>(n);
    // What lies half way to the neighbours; beyond the largest finite value, the next power of two
    // stands for infinity.
    const auto value = [&](int p) {
      if (p < top) return test::value_of_bits<T>(static_cast<std::uint16_t>(p));
      return std::ldexp(1.0, std::ilogb(test::format<T>::max) + 1);
    };
    const auto midpoint_bits = [&](int p) {
      return std::bit_cast<std::uint32_t>(static_cast<float>((value(p) + value(p + 1)) / 2));
    };
    const bool even = pattern % 2 == 0;
    const std::uint32_t infinity_bits = 0x7f800000u;
    std::uint32_t first = 0, last = infinity_bits;
    if (pattern > 0) first = midpoint_bits(pattern - 1) + (even ? 0 : 1);
    if (pattern < top) last = midpoint_bits(pattern) - (even ? 0 : 1);
    count += wrong<T>(sign32 | first, sign32 | last, static_cast<std::uint16_t>(sign16 | pattern));
  });
  return count;
}

template <class T>
std::uint64_t wrong_nans() {
  std::uint64_t count = 0;
  for (std::uint32_t fraction = 1; fraction < 0x800000u; ++fraction) {
    for (const std::uint32_t sign : {0u, 0x80000000u}) {
      const T x(std::bit_cast<float>(sign | 0x7f800000u | fraction));
      count += std::isnan(test::value_of_bits<T>(x.bits)) ? 0 : 1;
    }
  }
  return count;
}

/// Every pattern of T as a float: the value of the definition, bit for bit (so that -0 is
/// not 0); a NaN stays one.
template <class T>
int wrong_widenings() {
  int count = 0;
  for (int n = 0; n < 65536; ++n) {
    const auto bits = static_cast<std::uint16_t>(n);
    const auto got = static_cast<float>(from_bits<T>(bits));
    const double want = test::value_of_bits<T>(bits);
    const bool good = std::isnan(want) ? std::isnan(got)
                                       : std::bit_cast<std::uint32_t>(got) ==
                                             std::bit_cast<std::uint32_t>(static_cast<float>(want));
    count += good ? 0 : 1;
  }
  return count;
}

}  // namespace

TEMPLATE_TEST_CASE(
    "the largest and the least normal number of a 16-bit type are where its traits say", "",
    fa::f16, fa::bf16) {
  using traits = fa::element_traits<TestType>;
  const auto infinity = TestType(INFINITY).bits;
  CHECK(static_cast<float>(from_bits<TestType>(static_cast<std::uint16_t>(infinity - 1))) ==
        traits::largest);
  const auto least = static_cast<std::uint16_t>(1u << traits::mantissa_bits);
  CHECK(static_cast<double>(static_cast<float>(from_bits<TestType>(least))) ==
        std::ldexp(1., traits::least_exponent));
  CHECK(std::ilogb(traits::largest) == traits::greatest_exponent);
}

TEST_CASE("every 16-bit pattern widens to its value") {
  CHECK(wrong_widenings<fa::f16>() == 0);
  CHECK(wrong_widenings<fa::bf16>() == 0);
}

TEST_CASE("every float rounds to the nearest f16, ties to even") {
  CHECK(wrong_roundings<fa::f16>(false) == 0);
  CHECK(wrong_roundings<fa::f16>(true) == 0);
  CHECK(wrong_nans<fa::f16>() == 0);
}

TEST_CASE("every float rounds to the nearest bf16, ties to even") {
  CHECK(wrong_roundings<fa::bf16>(false) == 0);
  CHECK(wrong_roundings<fa::bf16>(true) == 0);
  CHECK(wrong_nans<fa::bf16>() == 0);
}

TEST_CASE("the runs of equal results are those of the arithmetic definition") {
  // The exhaustive tests above trust midpoints; this one rounds by arithmetic in double, on floats
  // spread over all exponents.
  std::uint32_t state = 1, bad = 0;
  for (int n = 0; n < 4000000; ++n) {
    state = state * 1664525u + 1013904223u;
    const float x = std::bit_cast<float>(state);
    if (std::isnan(x)) continue;
    bad += static_cast<double>(static_cast<float>(fa::f16(x))) ==
                   test::rounded<fa::f16>(static_cast<double>(x))
               ? 0
               : 1;
    bad += static_cast<double>(static_cast<float>(fa::bf16(x))) ==
                   test::rounded<fa::bf16>(static_cast<double>(x))
               ? 0
               : 1;
  }
  CHECK(bad == 0);
}

TEST_CASE("convert goes between any two element types") {
  CHECK(fa::convert<float>(1.5f) == 1.5f);
  CHECK(fa::convert<fa::f16>(fa::f16(1.5f)).bits == fa::f16(1.5f).bits);
  int bad = 0;
  for (int n = 0; n < 65536; ++n) {
    const auto bits = static_cast<std::uint16_t>(n);
    const double half = test::value_of_bits<fa::f16>(bits),
                 brain = test::value_of_bits<fa::bf16>(bits);
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    bad += same(test::value_of_bits<fa::bf16>(fa::convert<fa::bf16>(from_bits<fa::f16>(bits)).bits),
                test::rounded<fa::bf16>(half))
               ? 0
               : 1;
    bad += same(test::value_of_bits<fa::f16>(fa::convert<fa::f16>(from_bits<fa::bf16>(bits)).bits),
                test::rounded<fa::f16>(brain))
               ? 0
               : 1;
    bad += same(static_cast<double>(fa::convert<float>(from_bits<fa::bf16>(bits))), brain) ? 0 : 1;
  }
  CHECK(bad == 0);
}
