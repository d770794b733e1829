// Element types and their conversions. Storage types: arithmetic is done in float.
#pragma once

#include <cstdint>
#include <type_traits>

#include <fa/core/config.hpp>
#include <fa/core/element.hpp>
#include <fa/core/numeric.hpp>

namespace fa {

/// The float with the value of the IEEE binary16 number in `bits`. Exact; a NaN keeps its sign and
/// payload.
FA_FN constexpr float f16_bits_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t magnitude = bits & 0x7fffu;
  std::uint32_t wide = magnitude << 13;
  if (magnitude >= 0x7c00u) {
    wide += (255u - 31u) << 23;  // infinity and NaN keep an exponent of all ones
  } else if (magnitude >= 0x0400u) {
    wide += (127u - 15u) << 23;  // normal: rebase the exponent
  } else {                       // subnormal: magnitude * 2^-24, exact in float
    wide = __builtin_bit_cast(std::uint32_t, static_cast<float>(magnitude) * 0x1p-24f);
  }
  return __builtin_bit_cast(float, sign | wide);
}

/// The binary16 number nearest to x, ties to even; overflow gives infinity, a NaN stays a NaN.
FA_FN constexpr std::uint16_t float_to_f16_bits(float x) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  std::uint32_t half = 0;
  if (magnitude > 0x7f800000u) {
    half = 0x7e00u | (magnitude >> 13 & 0x03ffu);  // quiet NaN with the payload's upper bits
  } else if (magnitude >= 0x477ff000u) {
    half = 0x7c00u;                       // 65520 and above round to infinity
  } else if (magnitude >= 0x38800000u) {  // normal: round the 13 bits that go
    half = (magnitude - ((127u - 15u) << 23) + 0x0fffu + (magnitude >> 13 & 1u)) >> 13;
  } else {  // subnormal: 0.5's last place is 2^-24, the sum rounds there
    const float shifted = __builtin_bit_cast(float, magnitude) + 0.5f;
    half = __builtin_bit_cast(std::uint32_t, shifted) - 0x3f000000u;
  }
  return static_cast<std::uint16_t>(sign | half);
}

/// The bfloat16 number nearest to x, ties to even; a NaN stays a NaN.
FA_FN constexpr std::uint16_t float_to_bf16_bits(float x) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x0040u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

/// IEEE 754 binary16 in storage.
struct f16 {
  std::uint16_t bits;
  f16() = default;
  /// Rounds to nearest even.
  FA_FN constexpr explicit f16(float x) : bits(float_to_f16_bits(x)) {}
  /// Exact.
  FA_FN constexpr explicit operator float() const { return f16_bits_to_float(bits); }
};

/// bfloat16 (the upper half of a binary32) in storage.
struct bf16 {
  std::uint16_t bits;
  bf16() = default;
  /// Rounds to nearest even.
  FA_FN constexpr explicit bf16(float x) : bits(float_to_bf16_bits(x)) {}
  /// Exact.
  FA_FN constexpr explicit operator float() const {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
  }
};

static_assert(sizeof(f32) == element_bytes<f32> && sizeof(f16) == element_bytes<f16> &&
              sizeof(bf16) == element_bytes<bf16>);

/// How the weights P become bf16 for the second product, where a machine has no instruction for it:
/// AMD's gfx90a, gfx942, gfx11 and gfx12. Elsewhere, and for f16, they are rounded to nearest even,
/// or not at all, whatever is named.
enum class weight_rounding {
  nearest_even,  ///< IEEE 754's default
  nearest_away   ///< ties away from zero, which differs in ties only; cheaper on RDNA
};

/// x in another element type: rounded to nearest even where To is narrower, exact where it is
/// wider.
template <Element To, Element From>
FA_FN constexpr To convert(From x) {
  if constexpr (std::is_same_v<To, From>) return x;
  else return static_cast<To>(static_cast<float>(x));
}

}  // namespace fa
