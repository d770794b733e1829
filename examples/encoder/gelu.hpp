#pragma once
// The activation in the middle of a transformer's feed-forward part. std::erf would take as
// long as the matrix products around it, since compilers do not vectorise it; this text they
// do, as it has no branch.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace encoder {

/// e^x for -80 <= x <= 80, to 3e-7 relative near 0.
inline float exp_of_small(float x) {
  constexpr float log2_e = 1.44269504f, ln_2 = 0.69314718f;
  constexpr float to_integer = 0x1.8p23f;  // a sum with it has no bits behind the point
  const float whole = (x * log2_e + to_integer) - to_integer;
  const float f = x - whole * ln_2;  // |f| < 0.35: a short series
  const float series =
      1 + f * (1 + f * (1.0f / 2 +
                        f * (1.0f / 6 + f * (1.0f / 24 + f * (1.0f / 120 + f * (1.0f / 720))))));
  return series * std::bit_cast<float>((static_cast<std::int32_t>(whole) + 127) << 23);
}

/// The error function, to 6e-7 absolute: Abramowitz and Stegun, Handbook of Mathematical
/// Functions, 7.1.26.
inline float erf(float x) {
  // From 4 on the result is 1. Positive floats are in the order of their bits, and integers are
  // compared without a branch.
  const auto bits = std::min(std::bit_cast<std::uint32_t>(std::fabs(x)),
                             std::bit_cast<std::uint32_t>(4.0f));
  const float size = std::bit_cast<float>(bits), t = 1 / (1 + 0.3275911f * size);
  const float p =
      t * (0.254829592f +
           t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f))));
  return std::copysign(1 - p * exp_of_small(-size * size), x);
}

/// x times the chance that a normal variate is below x.
inline float gelu(float x) { return 0.5f * x * (1 + erf(x * 0.70710678f)); }

}  // namespace encoder
