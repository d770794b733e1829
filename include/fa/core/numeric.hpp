// Constants and integer helpers. Nothing here needs a library header.
#pragma once

#include <cstdint>
#include <type_traits>

#include <fa/core/config.hpp>

namespace fa {

/// Sizes, strides and element offsets. Always 64 bits, so that no product of two of them overflows.
using i64 = std::int64_t;

inline constexpr float log2_e = 1.44269504088896341f;  ///< log2(e): natural to base-2 exponents
inline constexpr float ln_2 = 0.69314718055994531f;    ///< ln(2): base-2 to natural logarithms
inline constexpr float infinity = __builtin_huge_valf();
inline constexpr float largest_float = 3.402823466e+38f;  ///< the largest that is finite

/// A number known at compile time, as a value: `constant<4>{}`.
template <int N>
using constant = std::integral_constant<int, N>;

/// The smaller of two numbers, the larger, and x moved into [low, high]: for low <= high.
template <class T>
FA_FN constexpr T min_of(T a, T b) {
  return b < a ? b : a;
}

template <class T>
FA_FN constexpr T max_of(T a, T b) {
  return a < b ? b : a;
}

template <class T>
FA_FN constexpr T clamp(T x, T low, T high) {
  return min_of(max_of(x, low), high);
}

/// The quotient rounded up; for a >= 0 and b > 0.
template <class T>
FA_FN constexpr T ceil_div(T a, T b) {
  return (a + b - 1) / b;
}

/// The multiple of b at or above a; for a >= 0 and b > 0.
template <class T>
FA_FN constexpr T round_up(T a, T b) {
  return ceil_div(a, b) * b;
}

/// True for floats that are neither infinite nor NaN, also under -ffast-math.
FA_FN constexpr bool is_finite(float x) {
  return (__builtin_bit_cast(std::uint32_t, x) & 0x7f800000u) != 0x7f800000u;
}

/// Turns a failed static_assert into one about T: `static_assert(always_false<T>, "...")` names T
/// in the message.
template <class...>
inline constexpr bool always_false = false;

}  // namespace fa
