#include "small_float.hpp"

#include <array>

namespace amdsim {

float small_to_float(const small_format& f, u32 code) {
  const u32 sign_bit = 1u << (f.bits - 1), magnitude = code & (sign_bit - 1);
  const bool negative = code & sign_bit;
  if (f.fnuz && code == sign_bit) return bits_as<float>(0x7fc00000u);
  if (!f.fnuz && f.nan_code && magnitude > f.max_code) {
    if (f.infinity && magnitude == f.over_code) return negative ? -INFINITY : INFINITY;
    return bits_as<float>(0x7fc00000u);
  }
  const i32 e = static_cast<i32>(magnitude >> f.mantissa),
            m = static_cast<i32>(magnitude & ((1u << f.mantissa) - 1));
  const i32 man = static_cast<i32>(f.mantissa);
  const float v = e == 0 ? std::ldexp(static_cast<float>(m), 1 - f.bias - man)
                         : std::ldexp(static_cast<float>(m + (1 << man)), e - f.bias - man);
  return negative ? -v : v;
}

const float* small_values(const small_format& f) {
  static const auto tables = [] {
    std::array<std::array<float, 256>, 7> t{};
    const small_format* all[] = {&e4m3_fnuz, &e5m2_fnuz, &e4m3_ocp, &e5m2_ocp, &e2m3, &e3m2, &e2m1};
    for (u32 i = 0; i < 7; ++i)
      for (u32 c = 0; c < (1u << all[i]->bits); ++c) t[i][c] = small_to_float(*all[i], c);
    return t;
  }();
  const u32 i = f.bits == 4       ? 6
                : f.bits == 6     ? (f.mantissa == 3 ? 4 : 5)
                : f.fnuz          ? (f.mantissa == 3 ? 0 : 1)
                : f.mantissa == 3 ? 2
                                  : 3;
  return tables[i].data();
}

u32 float_to_small(const small_format& f, float x, bool saturate) {
  const u32 sign_bit = 1u << (f.bits - 1), sign = std::signbit(x) ? sign_bit : 0;
  if (x != x) {
    if (f.fnuz) return f.nan_code;
    return f.nan_code ? sign | f.nan_code : sign | f.max_code;
  }
  const u32 overflow = saturate ? f.max_code : f.over_code;
  if (std::isinf(x))
    return f.fnuz ? (saturate ? sign | overflow : f.nan_code)
                  : sign | (f.infinity ? f.over_code : overflow);
  const double a = std::fabs(static_cast<double>(x));
  const i32 man = static_cast<i32>(f.mantissa), lowest = 1 - f.bias;
  i32 e = a == 0 ? lowest : std::ilogb(a);
  if (e < lowest) e = lowest;
  const auto q = static_cast<u64>(std::nearbyint(std::ldexp(a, man - e)));  // ties to even
  // Below the normal range e stands at the lowest exponent and q has no leading bit, which is just
  // the subnormal's code.
  const u64 code = (static_cast<u64>(e - lowest) << man) + q;
  if (code > f.max_code) return f.fnuz && !saturate ? f.nan_code : sign | overflow;
  if (f.fnuz && code == 0) return 0;
  return sign | static_cast<u32>(code);
}

u32 float_to_small_random(const small_format& f, float x, u32 random, bool saturate) {
  const u32 b = bits_as<u32>(x);
  if ((b & 0x7f800000u) == 0x7f800000u) return float_to_small(f, x, saturate);
  // The random bits line up with the part of the mantissa that this format drops; a carry
  // goes into the exponent.
  const u32 dropped = 23 - f.mantissa;
  const i32 e = static_cast<i32>(b >> 23 & 255) - 127, lowest = 1 - f.bias;
  const u32 extra = e < lowest ? static_cast<u32>(lowest - e) : 0;
  if (dropped + extra > 24) return float_to_small(f, std::copysign(0.0f, x), saturate);
  const u64 man = (b & 0x7fffffu) | (b & 0x7f800000u ? 0x800000u : 0u);
  const u64 grown = man + (u64{random} >> (32 - dropped - extra));
  const u64 cut = grown & ~((u64{1} << (dropped + extra)) - 1);
  const double v = std::ldexp(static_cast<double>(cut), (e < -126 ? -126 : e) - 23);
  return float_to_small(f, std::copysign(static_cast<float>(v), x), saturate);
}

}  // namespace amdsim
