// Number formats, written a second time and differently: by arithmetic in double, where
// the library shifts bits.
#pragma once

#include <fa/attention.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace test {

/// What defines a binary format: significand digits (hidden one included), smallest normal
/// exponent, largest finite value.
template <class T>
struct format;

template <>
struct format<float> {
  static constexpr int digits = 24, min_exponent = -126;
  static constexpr double max = 0x1.fffffep127;
};

template <>
struct format<fa::f16> {
  static constexpr int digits = 11, min_exponent = -14;
  static constexpr double max = 65504.0;
};

template <>
struct format<fa::bf16> {
  static constexpr int digits = 8, min_exponent = -126;
  static constexpr double max = 0x1.fep127;
};

/// The relative error that one rounding to nearest may make.
template <class T>
inline constexpr double unit_roundoff = 1.0 /
                                        static_cast<double>(std::uint64_t{1} << format<T>::digits);

/// x rounded to the nearest value of T, ties to even, overflow to infinity; as a double.
/// The rounding is done by the processor: adding 1.5 * 2^52 steps leaves no room for anything finer
/// than a step. (So this header must not be compiled with -ffast-math.)
template <class T>
double rounded(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int exponent = static_cast<int>((std::bit_cast<std::uint64_t>(x) >> 52) & 0x7ff) - 1023;
  const int normal = exponent < format<T>::min_exponent ? format<T>::min_exponent : exponent;
  const int step_log2 = normal - (format<T>::digits - 1);
  const double shift = std::bit_cast<double>(
      (static_cast<std::uint64_t>(step_log2 + 52 + 1023) << 52) | (std::uint64_t{1} << 51));
  const double r = std::copysign((std::fabs(x) + shift) - shift, x);
  return std::fabs(r) > format<T>::max ? std::copysign(std::numeric_limits<double>::infinity(), x)
                                       : r;
}

/// The value of a stored element.
template <class T>
double value_of(T x) {
  return static_cast<double>(static_cast<float>(x));
}

/// The value of a 16-bit pattern by the definition of its format (e exponent bits,
/// m fraction bits).
template <class T>
double value_of_bits(std::uint16_t bits) {
  constexpr int fraction_bits = format<T>::digits - 1;
  constexpr int exponent_bits = 15 - fraction_bits;
  const int exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const double sign = (bits & 0x8000) ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1) {
    return fraction ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, format<T>::min_exponent - fraction_bits);
  return sign * std::ldexp(fraction + (1 << fraction_bits),
                           exponent - 1 + format<T>::min_exponent - fraction_bits);
}

}  // namespace test
