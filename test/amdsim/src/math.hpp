// The machine's transcendental functions and its rules for minimum, maximum and flushing, as
// functions of one lane.
#pragma once
#include "base.hpp"

namespace amdsim {

/// One, where compilers cannot see it.
extern const float unit_f32;
extern const double unit_f64;
/// A result that was chosen rather than computed: subnormals follow the host's
/// mode, NaN turns quiet.
inline float canonical(float x) { return x * unit_f32; }
inline double canonical(double x) { return x * unit_f64; }
/// An operand that is looked at rather than computed with: zero where the host takes it for zero.
inline float operand(float x) {
  return bits_as<float>(x == 0 ? bits_as<u32>(x) & 0x80000000u : bits_as<u32>(x));
}
inline double operand(double x) {
  return bits_as<double>(x == 0 ? bits_as<u64>(x) & (u64{1} << 63) : bits_as<u64>(x));
}
/// F, which chooses or takes apart, with the flushing that arithmetic has by itself.
template <auto F>
constexpr auto flushing = [](auto... x) { return canonical(F(operand(x)...)); };

inline float flush(float x) {
  const u32 b = bits_as<u32>(x);
  return bits_as<float>((b & 0x7f800000u) ? b : b & 0x80000000u);
}
inline bool is_nan_bits(u32 b) { return (b & 0x7fffffffu) > 0x7f800000u; }

/// 2^x, rounded once; results below the normal range become zero.
inline float exp2_lane(float x) {
  const double v = static_cast<double>(x < -200.f ? -200.f : x > 200.f ? 200.f : x);
  const double shifted = v + 0x1.8p52;
  const double n = shifted - 0x1.8p52, f = (v - n) * 0.693147180559945309417;
  double p = 1.0 / 3628800;
  p = p * f + 1.0 / 362880;
  p = p * f + 1.0 / 40320;
  p = p * f + 1.0 / 5040;
  p = p * f + 1.0 / 720;
  p = p * f + 1.0 / 120;
  p = p * f + 1.0 / 24;
  p = p * f + 1.0 / 6;
  p = p * f + 0.5;
  p = p * f + 1.0;
  p = p * f + 1.0;
  const u64 scale = (bits_as<u64>(shifted) << 52) + (u64{1023} << 52);
  const float r = flush(static_cast<float>(p * bits_as<double>(scale)));
  return x != x ? x : r;
}

/// log2 of x in double; x must be a positive normal number.
inline double log2_normal(double x) {
  const u64 b = bits_as<u64>(x);
  const u64 shifted = b - 0x3fe6a09e667f3bcdu;  // sqrt(1/2)
  const i64 e = static_cast<i64>(shifted) >> 52;
  const double m = bits_as<double>(b - (static_cast<u64>(e) << 52));
  const double s = (m - 1) / (m + 1), q = s * s;
  double p = 1.0 / 17;
  p = p * q + 1.0 / 15;
  p = p * q + 1.0 / 13;
  p = p * q + 1.0 / 11;
  p = p * q + 1.0 / 9;
  p = p * q + 1.0 / 7;
  p = p * q + 1.0 / 5;
  p = p * q + 1.0 / 3;
  p = p * q + 1.0;
  // e as a double without a 64-bit integer conversion
  const double ed = bits_as<double>(static_cast<u64>(e + 2048) | 0x4330000000000000u) -
                    (0x1p52 + 2048);
  return ed + 2.885390081777926814 * s * p;
}
inline float log2_lane(float x) {
  const float f = flush(x);
  const float good = static_cast<float>(log2_normal(f > 0 ? static_cast<double>(f) : 1.0));
  const float inf = bits_as<float>(0x7f800000u), nan = bits_as<float>(0x7fc00000u);
  return x != x ? x : f == 0 ? -inf : f < 0 ? nan : f == inf ? inf : good;
}

inline float rcp_lane(float x) { return flush(1.0f / flush(x)); }
inline float sqrt_lane(float x) { return std::sqrt(flush(x)); }
inline float rsq_lane(float x) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(flush(x))));
}
/// The argument is in revolutions.
inline float sin_lane(float x) {
  const double d = static_cast<double>(x), r = d - std::floor(d);
  return r == 0 || r == 0.5 ? (x == 0 ? x : 0.f)
                            : static_cast<float>(std::sin(r * 6.283185307179586476925));
}
inline float cos_lane(float x) {
  const double d = static_cast<double>(x), r = d - std::floor(d);
  return r == 0.25 || r == 0.75 ? 0.f : static_cast<float>(std::cos(r * 6.283185307179586476925));
}

inline float quiet(float x) { return bits_as<float>(bits_as<u32>(x) | 0x400000u); }
inline bool signaling(float x) {
  const u32 b = bits_as<u32>(x);
  return is_nan_bits(b) && !(b & 0x400000u);
}

inline bool signaling(double x) {
  const u64 b = bits_as<u64>(x);
  return x != x && !(b >> 51 & 1);
}
inline double quiet(double x) { return bits_as<double>(bits_as<u64>(x) | u64{1} << 51); }

/// What a signaling NaN does to minimum and maximum: with MODE.IEEE (which gfx12 does not have) it
/// becomes the result, else it is a NaN like any other.
enum class signals : bool { ignored, win };

/// maximumNumber with -0 < +0; one NaN gives the other operand.
template <signals S = signals::ignored>
float max_lane(float a, float b) {
  const i32 x = bits_as<i32>(a), y = bits_as<i32>(b);
  const float zero_rule = bits_as<float>(x & y),
              pick = a > b ? a : b;  // equal numbers differ at most in the sign of zero
  const float ordered = a == b ? zero_rule : pick;
  const float number = a != a ? (b != b ? quiet(a) : b) : b != b ? a : ordered;
  if constexpr (S == signals::win)
    return signaling(a) ? quiet(a) : signaling(b) ? quiet(b) : number;
  return number;
}
template <signals S = signals::ignored>
float min_lane(float a, float b) {
  const i32 x = bits_as<i32>(a), y = bits_as<i32>(b);
  const float zero_rule = bits_as<float>(x | y), pick = a < b ? a : b;
  const float ordered = a == b ? zero_rule : pick;
  const float number = a != a ? (b != b ? quiet(a) : b) : b != b ? a : ordered;
  if constexpr (S == signals::win)
    return signaling(a) ? quiet(a) : signaling(b) ? quiet(b) : number;
  return number;
}
template <signals S = signals::ignored>
double max_lane(double a, double b) {
  if (S == signals::win && (signaling(a) || signaling(b))) return quiet(signaling(a) ? a : b);
  if (a != a) return b;
  if (b != b) return a;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}
template <signals S = signals::ignored>
double min_lane(double a, double b) {
  if (S == signals::win && (signaling(a) || signaling(b))) return quiet(signaling(a) ? a : b);
  if (a != a) return b;
  if (b != b) return a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
/// IEEE 754-2019 maximum: a NaN wins.
inline float maximum_lane(float a, float b) {
  return a != a ? quiet(a) : b != b ? quiet(b) : max_lane(a, b);
}
inline float minimum_lane(float a, float b) {
  return a != a ? quiet(a) : b != b ? quiet(b) : min_lane(a, b);
}

// The instructions made of these, by what signaling NaN do.
template <signals S>
constexpr auto min2 = [](auto a, auto b) { return min_lane<S>(a, b); };
template <signals S>
constexpr auto max2 = [](auto a, auto b) { return max_lane<S>(a, b); };
template <signals S>
constexpr auto min3 = [](float a, float b, float c) { return min_lane<S>(min_lane<S>(a, b), c); };
template <signals S>
constexpr auto max3 = [](float a, float b, float c) { return max_lane<S>(max_lane<S>(a, b), c); };
template <signals S>
constexpr auto minmax = [](float a, float b, float c) { return max_lane<S>(min_lane<S>(a, b), c); };
template <signals S>
constexpr auto maxmin = [](float a, float b, float c) { return min_lane<S>(max_lane<S>(a, b), c); };
template <signals S>
constexpr auto med3 = [](float a, float b, float c) {
  const bool nan = a != a || b != b || c != c;
  const float low = min3<S>(a, b, c), high = max3<S>(a, b, c);
  const float m = high == a ? max_lane<S>(b, c) : high == b ? max_lane<S>(a, c) : max_lane<S>(a, b);
  return nan ? low : m;
};

/// Round to the nearest integer, ties to even, whatever the mode.
inline float round_even(float x) { return __builtin_roundevenf(x); }
inline double round_even(double x) { return __builtin_roundeven(x); }

/// Conversion to integers: truncated, saturated, NaN gives 0.
inline i32 to_i32(float x) {
  const float t = x != x ? 0.f : x;
  return t >= 0x1p31f   ? 0x7fffffff
         : t < -0x1p31f ? static_cast<i32>(0x80000000u)
                        : static_cast<i32>(t);
}
inline u32 to_u32(float x) {
  const float t = x > 0 ? x : 0.f;  // NaN and negatives become 0
  return t >= 0x1p32f ? 0xffffffffu : static_cast<u32>(static_cast<i64>(t));
}
inline i32 to_i32(double x) {
  return x != x        ? 0
         : x >= 0x1p31 ? 0x7fffffff
         : x < -0x1p31 ? static_cast<i32>(0x80000000u)
                       : static_cast<i32>(x);
}
inline u32 to_u32(double x) {
  return !(x > 0) ? 0 : x >= 0x1p32 ? 0xffffffffu : static_cast<u32>(static_cast<i64>(x));
}

inline float fract_lane(float x) {
  const float f = x - std::floor(x), top = bits_as<float>(0x3f7fffffu);
  return f < 0x1p0f ? f : f != f ? f : top;
}
/// Mantissa in [0.5, 1) and its exponent; infinities and NaN pass through with exponent 0.
inline float frexp_mant(float x) {
  if (!(std::fabs(x) < INFINITY)) return x;
  int e;
  return std::frexp(x, &e);
}
inline i32 frexp_exp(float x) {
  if (!(std::fabs(x) < INFINITY)) return 0;
  int e;
  (void)std::frexp(x, &e);
  return x == 0 ? 0 : e;
}
inline double frexp_mant(double x) {
  if (!(std::fabs(x) < static_cast<double>(INFINITY))) return x;
  int e;
  return std::frexp(x, &e);
}
inline i32 frexp_exp(double x) {
  if (!(std::fabs(x) < static_cast<double>(INFINITY))) return 0;
  int e;
  (void)std::frexp(x, &e);
  return x == 0 ? 0 : e;
}

}  // namespace amdsim
