// Vector arithmetic in single precision.
#include <tuple>
#include <utility>

#include "lanes.hpp"
#include "math.hpp"

namespace amdsim {
namespace {

constexpr auto add = [](float a, float b) { return a + b; };
constexpr auto sub = [](float a, float b) { return a - b; };
constexpr auto subrev = [](float a, float b) { return b - a; };
constexpr auto mul = [](float a, float b) { return a * b; };
constexpr auto fma = [](float a, float b, float c) { return __builtin_fmaf(a, b, c); };
constexpr auto mad = [](float a, float b, float c) {
  return flush(flush(flush(a) * flush(b)) + flush(c));
};
/// Zero times anything is zero.
constexpr auto mul_legacy = [](float a, float b) { return a == 0 || b == 0 ? 0.f : a * b; };

inline float ldexp_lane(float x, i32 e) {
  const i32 n = e < -400 ? -400 : e > 400 ? 400 : e;
  return static_cast<float>(std::ldexp(static_cast<double>(x), n));
}

/// Exponent and mantissa by bits, since the host's library functions go astray when subnormal
/// inputs count as zero.
inline i32 exponent_of(float x) {
  const u32 e = bits_as<u32>(x) >> 23 & 255;
  if (e == 255) return 0;
  if (e) return static_cast<i32>(e) - 126;
  const float y = x * 0x1p32f;
  return y == 0 ? 0 : static_cast<i32>(bits_as<u32>(y) >> 23 & 255) - 126 - 32;
}
inline float mantissa_of(float x) {
  const u32 e = bits_as<u32>(x) >> 23 & 255;
  if (e == 255) return x;
  const float y = e ? x : x * 0x1p32f;
  return y == 0 ? y : bits_as<float>((bits_as<u32>(y) & 0x807fffffu) | 0x3f000000u);
}

/// Chooses and fixes up the quotient q of n / d (source order q, d, n).
inline float div_fixup(float q, float d, float n) {
  const u32 sign = (bits_as<u32>(d) ^ bits_as<u32>(n)) & 0x80000000u;
  const auto signed_bits = [sign](u32 b) { return bits_as<float>(b | sign); };
  if (n != n) return quiet(n);
  if (d != d) return quiet(d);
  const bool n_inf = std::isinf(n), d_inf = std::isinf(d);
  if ((n == 0 && d == 0) || (n_inf && d_inf)) return bits_as<float>(0xffc00000u);
  if (d == 0 || n_inf) return signed_bits(0x7f800000u);
  if (d_inf || n == 0) return signed_bits(0);
  const i32 en = static_cast<i32>(bits_as<u32>(n) >> 23 & 255),
            ed = static_cast<i32>(bits_as<u32>(d) >> 23 & 255);
  if (en - ed < -150) return signed_bits(0);  // underflow
  if (ed == 255) return signed_bits(0x7f800000u);
  return canonical(signed_bits(bits_as<u32>(q) & 0x7fffffffu));
}

const valu_def table[] = {
    def<[](u32 a) { return a; }, b32, b32>("v_mov_b32"),
    def<add, f32, f32, f32>("v_add_f32"),
    def<sub, f32, f32, f32>("v_sub_f32"),
    def<subrev, f32, f32, f32>("v_subrev_f32"),
    def<mul, f32, f32, f32>("v_mul_f32"),
    def<mul_legacy, f32, f32, f32>("v_mul_legacy_f32"),
    def<fma, f32, f32, f32, f32>("v_fma_f32"),
    def<fma, f32, f32, f32, f32>("v_fmac_f32", reads_dst),
    def<fma, f32, f32, f32, f32>("v_fmaak_f32"),
    def<fma, f32, f32, f32, f32>("v_fmamk_f32"),
    // mad: the product is rounded too, and denormals are always flushed
    def<mad, f32, f32, f32, f32>("v_mad_f32"),
    def<mad, f32, f32, f32, f32>("v_mac_f32", reads_dst),
    def<mad, f32, f32, f32, f32>("v_madak_f32"),
    def<mad, f32, f32, f32, f32>("v_madmk_f32"),
    def<[](float a, float b, float c) { return (a == 0 || b == 0 ? 0.f : a * b) + c; }, f32, f32,
        f32, f32>("v_mad_legacy_f32"),
    def<[](float a, float b, float c) {
      return a == 0 || b == 0 ? c + 0.f : __builtin_fmaf(a, b, c);
    },
        f32, f32, f32, f32>("v_fma_legacy_f32"),
    def<[](float a, float b, float c) {
      return a == 0 || b == 0 ? c + 0.f : __builtin_fmaf(a, b, c);
    },
        f32, f32, f32, f32>("v_fmac_legacy_f32", reads_dst),
    def_ieee<flushing<max2<signals::ignored>>, flushing<max2<signals::win>>, f32, f32, f32, f32>(
        "v_max_f32"),
    def_ieee<flushing<min2<signals::ignored>>, flushing<min2<signals::win>>, f32, f32, f32, f32>(
        "v_min_f32"),
    def<flushing<maximum_lane>, f32, f32, f32>("v_maximum_f32"),
    def<flushing<minimum_lane>, f32, f32, f32>("v_minimum_f32"),
    def_ieee<flushing<max3<signals::ignored>>, flushing<max3<signals::win>>, f32, f32, f32, f32,
             f32>("v_max3_f32"),
    def_ieee<flushing<min3<signals::ignored>>, flushing<min3<signals::win>>, f32, f32, f32, f32,
             f32>("v_min3_f32"),
    def<flushing<[](float a, float b, float c) { return maximum_lane(maximum_lane(a, b), c); }>,
        f32, f32, f32, f32>("v_maximum3_f32"),
    def<flushing<[](float a, float b, float c) { return minimum_lane(minimum_lane(a, b), c); }>,
        f32, f32, f32, f32>("v_minimum3_f32"),
    def_ieee<flushing<minmax<signals::ignored>>, flushing<minmax<signals::win>>, f32, f32, f32, f32,
             f32>("v_minmax_f32"),
    def_ieee<flushing<maxmin<signals::ignored>>, flushing<maxmin<signals::win>>, f32, f32, f32, f32,
             f32>("v_maxmin_f32"),
    def<flushing<[](float a, float b, float c) { return maximum_lane(minimum_lane(a, b), c); }>,
        f32, f32, f32, f32>("v_minimummaximum_f32"),
    def<flushing<[](float a, float b, float c) { return minimum_lane(maximum_lane(a, b), c); }>,
        f32, f32, f32, f32>("v_maximumminimum_f32"),
    def_ieee<flushing<med3<signals::ignored>>, flushing<med3<signals::win>>, f32, f32, f32, f32,
             f32>("v_med3_f32"),
    def<exp2_lane, f32, f32>("v_exp_f32"),
    def<log2_lane, f32, f32>("v_log_f32"),
    def<exp2_lane, f32, f32>("v_exp_legacy_f32"),
    def<log2_lane, f32, f32>("v_log_legacy_f32"),
    def<rcp_lane, f32, f32>("v_rcp_f32"),
    def<rcp_lane, f32, f32>("v_rcp_iflag_f32"),
    def<rsq_lane, f32, f32>("v_rsq_f32"),
    def<sqrt_lane, f32, f32>("v_sqrt_f32"),
    def<sin_lane, f32, f32>("v_sin_f32"),
    def<cos_lane, f32, f32>("v_cos_f32"),
    def<flushing<fract_lane>, f32, f32>("v_fract_f32"),
    def<flushing<[](float a) { return std::floor(a); }>, f32, f32>("v_floor_f32"),
    def<flushing<[](float a) { return std::ceil(a); }>, f32, f32>("v_ceil_f32"),
    def<flushing<[](float a) { return std::trunc(a); }>, f32, f32>("v_trunc_f32"),
    def<flushing<[](float a) { return round_even(a); }>, f32, f32>("v_rndne_f32"),
    def<flushing<mantissa_of>, f32, f32>("v_frexp_mant_f32"),
    def<[](float x) { return exponent_of(operand(x)); }, i32s, f32>("v_frexp_exp_i32_f32"),
    def<ldexp_lane, f32, f32, i32s>("v_ldexp_f32"),
    def<div_fixup, f32, f32, f32, f32>("v_div_fixup_f32"),
    {"v_pk_fma_f32", packed32<fma, 3>, type::pkf32, {type::pkf32, type::pkf32, type::pkf32}, 3, 0},
    {"v_pk_mul_f32", packed32<mul, 2>, type::pkf32, {type::pkf32, type::pkf32}, 2, 0},
    {"v_pk_add_f32", packed32<add, 2>, type::pkf32, {type::pkf32, type::pkf32}, 2, 0},
};

/// v_pk_mov_b32: the low result comes from source 0, the high one from source 1; op_sel
/// chooses the part of each.
void pk_mov(u32* d, const u32* const* s, u32 blocks) {
  alignas(32) u32 r[2 * row_lanes];
  std::memcpy(r, s[0], sizeof(u32) * blocks * block_lanes);
  std::memcpy(r + row_lanes, s[1], sizeof(u32) * blocks * block_lanes);
  std::memcpy(d, r, sizeof(u32) * (row_lanes + blocks * block_lanes));
}
const valu_def moves[] = {{"v_pk_mov_b32", pk_mov, type::pkf32, {type::pkf32, type::pkf32}, 2, 0}};

}  // namespace

void define_valu_f32(definitions& d) {
  d.add(std::begin(table), std::end(table));
  d.add(std::begin(moves), std::end(moves));
  d.alias("v_max_num_f32", "v_max_f32");
  d.alias("v_min_num_f32", "v_min_f32");
  d.alias("v_max3_num_f32", "v_max3_f32");
  d.alias("v_min3_num_f32", "v_min3_f32");
  d.alias("v_med3_num_f32", "v_med3_f32");
  d.alias("v_minmax_num_f32", "v_minmax_f32");
  d.alias("v_maxmin_num_f32", "v_maxmin_f32");
  d.alias("v_mul_dx9_zero_f32", "v_mul_legacy_f32");
  d.alias("v_fma_dx9_zero_f32", "v_fma_legacy_f32");
  d.alias("v_fmac_dx9_zero_f32", "v_fmac_legacy_f32");
  d.alias("v_accvgpr_mov_b32", "v_mov_b32");
  d.alias("v_accvgpr_read_b32", "v_mov_b32");
  d.alias("v_accvgpr_read", "v_mov_b32");
  d.alias("v_accvgpr_write_b32", "v_mov_b32");
  d.alias("v_accvgpr_write", "v_mov_b32");
}

}  // namespace amdsim
