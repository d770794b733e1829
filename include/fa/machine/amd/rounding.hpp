// Two floats as a word of 16-bit elements, and back.
#pragma once

#include <cstdint>

#include <fa/core/config.hpp>
#include <fa/core/dtype.hpp>
#include <fa/machine/amd/chip.hpp>
#include <fa/machine/amd/math.hpp>
#include <fa/machine/select.hpp>

namespace fa {

#if FA_AMD

namespace amd_machine {

/// The upper halves of two words as one.
FA_DEVICE std::uint32_t upper_halves(std::uint32_t low, std::uint32_t high) {
  return __builtin_amdgcn_perm(high, low, 0x07060302);
}

// Compilers that know gfx950 have bf16 as a type; older ones are not asked for these.
#if __clang_major__ >= 18
using bfloat2 = __bf16 __attribute__((ext_vector_type(2)));

/// Two floats as bf16, by the chip's instruction.
template <amd_chip>
FA_DEVICE std::uint32_t convert_pair(float low, float high) {
  return __builtin_bit_cast(std::uint32_t, __builtin_convertvector((float2{low, high}), bfloat2));
}
#endif

/// Two floats as bf16. NaNs must have a payload that ends in 16 zeros, as all have that arithmetic
/// makes.
template <amd_chip Chip, weight_rounding Rounding = weight_rounding::nearest_even>
FA_DEVICE std::uint32_t pack(float low, float high, bf16) {
  if constexpr (facts_of(Chip).converts_bf16) {
    return convert_pair<Chip>(low, high);
  } else {
    std::uint32_t x = __builtin_bit_cast(std::uint32_t, low),
                  y = __builtin_bit_cast(std::uint32_t, high);
    if constexpr (Rounding == weight_rounding::nearest_even) {
      x += __builtin_amdgcn_ubfe(x, 16, 1) + 0x7fffu;
      y += __builtin_amdgcn_ubfe(y, 16, 1) + 0x7fffu;
    } else {
      x += 0x8000u;
      y += 0x8000u;
    }
    return upper_halves(x, y);
  }
}

template <amd_chip Chip, weight_rounding = weight_rounding::nearest_even>
FA_DEVICE std::uint32_t pack(float low, float high, f16) {
  using pair = _Float16 __attribute__((ext_vector_type(2)));
  return __builtin_bit_cast(std::uint32_t,
                            pair{static_cast<_Float16>(low), static_cast<_Float16>(high)});
}

/// The two elements of a word.
FA_DEVICE float2 unpack(std::uint32_t word, f16) {
  using pair = _Float16 __attribute__((ext_vector_type(2)));
  const pair x = __builtin_bit_cast(pair, word);
  return {static_cast<float>(x.x), static_cast<float>(x.y)};
}
FA_DEVICE float2 unpack(std::uint32_t word, bf16) {
  return {__builtin_bit_cast(float, word << 16), __builtin_bit_cast(float, word & 0xffff0000u)};
}

/// Two weights, 0 or from 2^-126 to 2^100, as bf16. Where multiply-adds come in pairs (CDNA),
/// nearest even takes two of them: y = x - 2^16 x rounds off the 16 bits that bf16 lacks, and y +
/// 2^16 x is exact (Veltkamp's splitting; with x + 2^16 x, which is usual, y would cross to the
/// next binade just below powers of two and be rounded too coarsely).
template <amd_chip Chip, weight_rounding Rounding>
FA_DEVICE std::uint32_t pack_weights(float low, float high, bf16) {
  if constexpr (facts_of(Chip).packed_math && !facts_of(Chip).converts_bf16) {
    const float2 x{low, high}, y = fused(x, float2{-65536.f, -65536.f}, x),
                               rounded = fused(x, float2{65536.f, 65536.f}, y);
    const float first = rounded.x, second = rounded.y;
    return upper_halves(__builtin_bit_cast(std::uint32_t, first),
                        __builtin_bit_cast(std::uint32_t, second));
  } else {
    return pack<Chip, Rounding>(low, high, bf16{});
  }
}
template <amd_chip Chip, weight_rounding>
FA_DEVICE std::uint32_t pack_weights(float low, float high, f16) {
  return pack<Chip>(low, high, f16{});
}

}  // namespace amd_machine

#endif

}  // namespace fa
