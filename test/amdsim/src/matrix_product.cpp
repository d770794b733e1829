#include "matrix.hpp"

#include "lanes.hpp"

namespace amdsim {
namespace {

using vec8 = float __attribute__((vector_size(32)));
inline vec8 load8(const float* p) {
  vec8 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store8(float* p, vec8 v) { std::memcpy(p, &v, sizeof v); }
inline vec8 fma8(float a, vec8 b, vec8 c) {
#if defined(__FMA__)
  return reinterpret_cast<vec8>(
      _mm256_fmadd_ps(_mm256_set1_ps(a), reinterpret_cast<__m256>(b), reinterpret_cast<__m256>(c)));
#else
  vec8 r;
  for (int i = 0; i < 8; ++i) r[i] = __builtin_fmaf(a, b[i], c[i]);
  return r;
#endif
}

/// Rounds to the 10 mantissa bits that xf32 keeps.
inline float to_xf32(u32 x) {
  if ((x & 0x7f800000u) == 0x7f800000u) return bits_as<float>(x);
  return bits_as<float>((x + 0xfffu + (x >> 13 & 1)) & ~0x1fffu);
}

}  // namespace

void unpack_matrix(float* out, const u32* rows, u32 width, u32 groups, u32 n, element e,
                   bool fnuz) {
  switch (e) {
    case element::f32:
    case element::xf32:
      for (u32 q = 0; q < n; ++q)
        for (u32 g = 0; g < groups; ++g)
          for (u32 i = 0; i < width; ++i) {
            const u32 x = rows[q * row_lanes + g * width + i];
            out[(n * g + q) * width + i] = e == element::f32 ? bits_as<float>(x) : to_xf32(x);
          }
      return;
    case element::bf16:
      for (u32 q = 0; q < n / 2; ++q)
        for (u32 g = 0; g < groups; ++g) {
          const u32* in = rows + q * row_lanes + g * width;
          float *lo = out + (n * g + 2 * q) * width, *hi = lo + width;
          for (u32 i = 0; i < width; ++i) {
            lo[i] = bits_as<float>(in[i] << 16);
            hi[i] = bits_as<float>(in[i] & 0xffff0000u);
          }
        }
      return;
    case element::f16:
      for (u32 q = 0; q < n / 2; ++q) {
        alignas(32) u32 high[row_lanes];
        alignas(32) float lo[row_lanes], hi[row_lanes];
        const u32* in = rows + q * row_lanes;
        for (u32 i = 0; i < row_lanes; ++i) high[i] = in[i] >> 16;
        for (u32 b = 0; b < 2; ++b) {
          halves_to_floats(in + b * block_lanes, lo + b * block_lanes);
          halves_to_floats(high + b * block_lanes, hi + b * block_lanes);
        }
        for (u32 g = 0; g < groups; ++g) {
          std::memcpy(out + (n * g + 2 * q) * width, lo + g * width, sizeof(float) * width);
          std::memcpy(out + (n * g + 2 * q + 1) * width, hi + g * width, sizeof(float) * width);
        }
      }
      return;
    default: break;
  }
  const u32 bits = element_bits(e), mask = (1u << bits) - 1;
  const bool integer = e == element::i8 || e == element::u8_ || e == element::i4 ||
                       e == element::u4;
  const float* values = nullptr;
  if (!integer)
    values = small_values(e == element::fp8   ? fp8_format(fnuz)
                          : e == element::bf8 ? bf8_format(fnuz)
                          : e == element::fp6 ? e2m3
                          : e == element::bf6 ? e3m2
                                              : e2m1);
  for (u32 g = 0; g < groups; ++g)
    for (u32 i = 0; i < width; ++i) {
      const u32* lane = rows + g * width + i;
      for (u32 k = 0; k < n; ++k) {
        const u32 at = k * bits;
        u64 x = lane[at / 32 * row_lanes];
        if (at % 32 + bits > 32) x |= u64{lane[(at / 32 + 1) * row_lanes]} << 32;
        const u32 code = static_cast<u32>(x >> (at % 32)) & mask;
        float v;
        if (integer)
          v = static_cast<float>(e == element::i8 || e == element::i4 ? sign_extend(code, bits)
                                                                      : static_cast<i32>(code));
        else v = values[code];
        out[(n * g + k) * width + i] = v;
      }
    }
}

namespace {

/// The product for a fixed depth (0: `depth` tells), so that the inner loop is unrolled.
template <u32 Width, u32 K>
void multiply_fixed(float* const* d, const float* const* c, const float* a, const float* b,
                    u32 depth) {
  constexpr u32 vectors = Width / 8, rows = 64 / Width;  // eight accumulators
  const u32 k = K ? K : depth;
  for (u32 i = 0; i < Width; i += rows) {
    vec8 acc[rows][vectors];
    for (u32 r = 0; r < rows; ++r)
      for (u32 v = 0; v < vectors; ++v) acc[r][v] = load8(c[i + r] + 8 * v);
#pragma GCC unroll 8
    for (u32 x = 0; x < k; ++x) {
      const float* bk = b + x * Width;
      const float* ak = a + x * Width + i;
      for (u32 r = 0; r < rows; ++r)
        for (u32 v = 0; v < vectors; ++v) acc[r][v] = fma8(ak[r], load8(bk + 8 * v), acc[r][v]);
    }
    for (u32 r = 0; r < rows; ++r)
      for (u32 v = 0; v < vectors; ++v) store8(d[i + r] + 8 * v, acc[r][v]);
  }
}

}  // namespace

template <u32 Width>
void multiply_rows(float* const* d, const float* const* c, const float* a, const float* b, u32 k) {
  switch (k) {
    case 4: return multiply_fixed<Width, 4>(d, c, a, b, k);
    case 8: return multiply_fixed<Width, 8>(d, c, a, b, k);
    case 16: return multiply_fixed<Width, 16>(d, c, a, b, k);
    default: return multiply_fixed<Width, 0>(d, c, a, b, k);
  }
}
template void multiply_rows<32>(float* const*, const float* const*, const float*, const float*,
                                u32);
template void multiply_rows<16>(float* const*, const float* const*, const float*, const float*,
                                u32);

}  // namespace amdsim
