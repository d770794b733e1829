// Numbers as the machine holds them: fixed-width names, bit casts, and the small float formats.
#pragma once
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__F16C__)
#include <immintrin.h>
#elif defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace amdsim {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

/// Lanes of a register row; a wave32 uses the first half of each row.
inline constexpr u32 row_lanes = 64;
/// Lanes that one lane kernel handles per block: wave32 is one block, wave64 two.
inline constexpr u32 block_lanes = 32;

template <class To, class From>
inline To bits_as(From x) {
  return std::bit_cast<To>(x);
}
inline u32 low32(u64 x) { return static_cast<u32>(x); }
inline u32 high32(u64 x) { return static_cast<u32>(x >> 32); }
inline u64 join(u32 lo, u32 hi) { return u64{lo} | u64{hi} << 32; }

/// Sign-extends the low `n` bits (1..32).
inline i32 sign_extend(u32 x, u32 n) { return static_cast<i32>(x << (32 - n)) >> (32 - n); }

inline float half_to_float(u32 h) {
#if defined(__F16C__)
  return _cvtsh_ss(static_cast<u16>(h));
#else
  const u32 sign = (h & 0x8000u) << 16, e = h >> 10 & 31, m = h & 1023;
  if (e == 31) return bits_as<float>(sign | 0x7f800000u | m << 13 | (m ? 0x400000u : 0u));
  if (e) return bits_as<float>(sign | (e + 112) << 23 | m << 13);
  const float f = static_cast<float>(m) * 0x1p-24f;
  return bits_as<float>(bits_as<u32>(f) | sign);
#endif
}

/// Round to nearest even; NaN stays NaN.
inline u32 float_to_half(float f) {
#if defined(__F16C__)
  return static_cast<u32>(_cvtss_sh(f, _MM_FROUND_TO_NEAREST_INT)) & 0xffffu;
#else
  const u32 x = bits_as<u32>(f), sign = x >> 16 & 0x8000u, a = x & 0x7fffffffu;
  if (a > 0x7f800000u) return sign | 0x7e00u | (a >> 13 & 0x1ffu);
  if (a >= 0x477ff000u) return sign | 0x7c00u;
  if (a < 0x38800000u) return sign | static_cast<u32>(std::nearbyint(bits_as<float>(a) * 0x1p24f));
  return sign | ((a - 0x38000000u + 0xfffu + (a >> 13 & 1)) >> 13);
#endif
}

/// Rounds toward zero: overflow gives the largest finite value, as v_cvt_pkrtz does.
inline u32 float_to_half_rtz(float f) {
  const u32 x = bits_as<u32>(f), sign = x >> 16 & 0x8000u, a = x & 0x7fffffffu;
  if (a > 0x7f800000u) return sign | 0x7e00u | (a >> 13 & 0x1ffu);
  if (a == 0x7f800000u) return sign | 0x7c00u;
  if (a >= 0x47800000u) return sign | 0x7bffu;
  if (a < 0x38800000u) return sign | static_cast<u32>(bits_as<float>(a) * 0x1p24f);
  return sign | (a - 0x38000000u) >> 13;
}

/// Rounds as the host's vector unit does at the moment.
inline u32 float_to_half_by_mode(float f) {
#if defined(__F16C__)
  return static_cast<u32>(_cvtss_sh(f, _MM_FROUND_CUR_DIRECTION)) & 0xffffu;
#elif defined(__SSE__)
  const u32 mode = _mm_getcsr() >> 13 & 3;  // nearest, down, up, to zero
  if (mode == 0) return float_to_half(f);
  const u32 h = float_to_half_rtz(f);
  const float cut = half_to_float(h);
  return (mode == 2 && cut < f) || (mode == 1 && cut > f) ? h + 1 : h;
#else
  return float_to_half(f);
#endif
}

/// A float whose rounding to a narrower format equals the double's: keeps what was cut off as a
/// sticky bit (round to odd).
inline float to_odd_float(double d) {
  const u64 b = bits_as<u64>(d);
  if ((b & 0x7ff0000000000000u) == 0x7ff0000000000000u) return static_cast<float>(d);
  const u64 cut = b & 0x1fffffffu;
  return static_cast<float>(bits_as<double>((b & ~u64{0x1fffffff}) | (cut ? u64{0x20000000} : 0)));
}
inline u32 double_to_half(double d) { return float_to_half(to_odd_float(d)); }

inline float bfloat_to_float(u32 b) { return bits_as<float>(b << 16); }
/// Round to nearest even; NaN stays NaN (quiet).
inline u32 float_to_bfloat(float f) {
  const u32 x = bits_as<u32>(f);
  if ((x & 0x7fffffffu) > 0x7f800000u) return x >> 16 | 0x40u;
  return (x + 0x7fffu + (x >> 16 & 1)) >> 16;
}

/// Expands bit i of `m` to all ones or zero in out[i], for 64 lanes.
inline void expand_mask(u32* out, u64 m) {
  for (u32 b = 0; b < 2; ++b) {
    const u32 half = static_cast<u32>(m >> (32 * b));
    for (u32 i = 0; i < 32; ++i) out[32 * b + i] = 0u - (half >> i & 1u);
  }
}
/// The reverse: bit i is the top bit of in[i].
inline u64 gather_mask(const u32* in, u32 blocks) {
  u64 m = 0;
#if defined(__AVX2__)
  for (u32 i = 0; i < blocks * 4; ++i)
    m |= static_cast<u64>(static_cast<u32>(
             _mm256_movemask_ps(_mm256_loadu_ps(reinterpret_cast<const float*>(in + 8 * i)))))
         << (8 * i);
#else
  for (u32 i = 0; i < blocks * block_lanes; ++i) m |= static_cast<u64>(in[i] >> 31) << i;
#endif
  return m;
}

}  // namespace amdsim
