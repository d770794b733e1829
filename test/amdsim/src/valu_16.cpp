// Vector arithmetic on 16-bit values, alone and packed in pairs.
#include <algorithm>
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
// The product of two halves is exact in double; the sum is rounded to odd on its way to half.
constexpr auto fma = [](float a, float b, float c) {
  return static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c);
};
constexpr auto fma_bf = [](float a, float b, float c) {
  return to_odd_float(static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c));
};
constexpr auto mad = [](float a, float b, float c) {
  return half_to_float(float_to_half_by_mode(a * b)) + c;
};
using half_signals = half_signal_tag;
inline float ldexp_half(float x, i16 e) {
  return static_cast<float>(std::ldexp(static_cast<double>(x), std::clamp<i32>(e, -400, 400)));
}
/// exp2 of a half keeps subnormal halves, which are normal floats.
inline double rcp_half(float x) { return 1.0 / static_cast<double>(x); }
inline double rsq_half(float x) { return 1.0 / std::sqrt(static_cast<double>(x)); }
inline float frexp_mant_half(float x) { return frexp_mant(x); }
inline i16 frexp_exp_half(float x) { return static_cast<i16>(frexp_exp(x)); }
inline float div_fixup_half(float q, float d, float n) {
  const u32 sign = (bits_as<u32>(d) ^ bits_as<u32>(n)) & 0x80000000u;
  const auto with_sign = [sign](float v) {
    return bits_as<float>((bits_as<u32>(v) & 0x7fffffffu) | sign);
  };
  if (n != n) return quiet(n);
  if (d != d) return quiet(d);
  if ((n == 0 && d == 0) || (std::isinf(n) && std::isinf(d))) return bits_as<float>(0xffc00000u);
  if (d == 0 || std::isinf(n)) return with_sign(INFINITY);
  if (std::isinf(d) || n == 0) return with_sign(0.f);
  return with_sign(q);
}

inline u16 sat_u16(i32 x) { return static_cast<u16>(std::clamp(x, 0, 65535)); }
inline i16 sat_i16(i32 x) { return static_cast<i16>(std::clamp(x, -32768, 32767)); }
template <class T>
T median(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}
constexpr auto add_u = [](u16 a, u16 b) { return static_cast<u16>(a + b); };
constexpr auto sub_u = [](u16 a, u16 b) { return static_cast<u16>(a - b); };
constexpr auto mul_u = [](u16 a, u16 b) { return static_cast<u16>(u32{a} * b); };
constexpr auto mad_u = [](u16 a, u16 b, u16 c) { return static_cast<u16>(u32{a} * b + c); };
constexpr auto shl = [](u16 a, u16 b) { return static_cast<u16>(b << (a & 15)); };
constexpr auto shr = [](u16 a, u16 b) { return static_cast<u16>(b >> (a & 15)); };
constexpr auto sar = [](u16 a, i16 b) { return static_cast<i16>(b >> (a & 15)); };
constexpr auto min_u = [](u16 a, u16 b) { return std::min(a, b); };
constexpr auto max_u = [](u16 a, u16 b) { return std::max(a, b); };
constexpr auto min_i = [](i16 a, i16 b) { return std::min(a, b); };
constexpr auto max_i = [](i16 a, i16 b) { return std::max(a, b); };
constexpr auto add_u_sat = [](u16 a, u16 b) { return sat_u16(a + b); };
constexpr auto sub_u_sat = [](u16 a, u16 b) { return sat_u16(a - b); };
constexpr auto add_i_sat = [](i16 a, i16 b) { return sat_i16(a + b); };
constexpr auto sub_i_sat = [](i16 a, i16 b) { return sat_i16(a - b); };

const valu_def table[] = {
    def<[](u16 a) { return a; }, b16, b16>("v_mov_b16"),
    def<add, f16, f16, f16>("v_add_f16"),
    def<sub, f16, f16, f16>("v_sub_f16"),
    def<subrev, f16, f16, f16>("v_subrev_f16"),
    def<mul, f16, f16, f16>("v_mul_f16"),
    def<fma, f16, f16, f16, f16>("v_fma_f16"),
    def<fma, f16, f16, f16, f16>("v_fmac_f16", reads_dst),
    def<fma, f16, f16, f16, f16>("v_fmaak_f16"),
    def<fma, f16, f16, f16, f16>("v_fmamk_f16"),
    // mad rounds the product to half as well
    def<mad, f16, f16, f16, f16>("v_mad_f16"),
    def<mad, f16, f16, f16, f16>("v_mac_f16", reads_dst),
    def<mad, f16, f16, f16, f16>("v_madak_f16"),
    def<mad, f16, f16, f16, f16>("v_madmk_f16"),
    def_ieee<max2<signals::ignored>, max2<signals::win>, f16, half_signals, f16, f16>("v_max_f16"),
    def_ieee<min2<signals::ignored>, min2<signals::win>, f16, half_signals, f16, f16>("v_min_f16"),
    def<maximum_lane, f16, f16, f16>("v_maximum_f16"),
    def<minimum_lane, f16, f16, f16>("v_minimum_f16"),
    def_ieee<max3<signals::ignored>, max3<signals::win>, f16, half_signals, f16, f16, f16>(
        "v_max3_f16"),
    def_ieee<min3<signals::ignored>, min3<signals::win>, f16, half_signals, f16, f16, f16>(
        "v_min3_f16"),
    def<[](float a, float b, float c) { return maximum_lane(maximum_lane(a, b), c); }, f16, f16,
        f16, f16>("v_maximum3_f16"),
    def<[](float a, float b, float c) { return minimum_lane(minimum_lane(a, b), c); }, f16, f16,
        f16, f16>("v_minimum3_f16"),
    def_ieee<med3<signals::ignored>, med3<signals::win>, f16, half_signals, f16, f16, f16>(
        "v_med3_f16"),
    def_ieee<minmax<signals::ignored>, minmax<signals::win>, f16, half_signals, f16, f16, f16>(
        "v_minmax_f16"),
    def_ieee<maxmin<signals::ignored>, maxmin<signals::win>, f16, half_signals, f16, f16, f16>(
        "v_maxmin_f16"),
    def<exp2_lane, f16, f16>("v_exp_f16"),
    def<log2_lane, f16, f16>("v_log_f16"),
    def<rcp_half, f16, f16>("v_rcp_f16"),
    def<rsq_half, f16, f16>("v_rsq_f16"),
    def<[](float a) { return std::sqrt(a); }, f16, f16>("v_sqrt_f16"),
    def<sin_lane, f16, f16>("v_sin_f16"),
    def<cos_lane, f16, f16>("v_cos_f16"),
    def<[](float a) { return std::min(a - std::floor(a), 0x1.ffcp-1f); }, f16, f16>("v_fract_f16"),
    def<[](float a) { return std::floor(a); }, f16, f16>("v_floor_f16"),
    def<[](float a) { return std::ceil(a); }, f16, f16>("v_ceil_f16"),
    def<[](float a) { return std::trunc(a); }, f16, f16>("v_trunc_f16"),
    def<[](float a) { return round_even(a); }, f16, f16>("v_rndne_f16"),
    def<frexp_mant_half, f16, f16>("v_frexp_mant_f16"),
    def<frexp_exp_half, i16s, f16>("v_frexp_exp_i16_f16"),
    def<ldexp_half, f16, f16, i16s>("v_ldexp_f16"),
    def<div_fixup_half, f16, f16, f16, f16>("v_div_fixup_f16"),
    def<add_u, u16s, u16s, u16s>("v_add_u16"),
    def<sub_u, u16s, u16s, u16s>("v_sub_u16"),
    def<[](u16 a, u16 b) { return static_cast<u16>(b - a); }, u16s, u16s, u16s>("v_subrev_u16"),
    def<add_u_sat, u16s, u16s, u16s>("v_add_u16 clamp"),
    def<sub_u_sat, u16s, u16s, u16s>("v_sub_u16 clamp"),
    def<[](i16 a, i16 b) { return static_cast<i16>(a + b); }, i16s, i16s, i16s>("v_add_i16"),
    def<[](i16 a, i16 b) { return static_cast<i16>(a - b); }, i16s, i16s, i16s>("v_sub_i16"),
    def<add_i_sat, i16s, i16s, i16s>("v_add_i16 clamp"),
    def<sub_i_sat, i16s, i16s, i16s>("v_sub_i16 clamp"),
    def<mul_u, u16s, u16s, u16s>("v_mul_lo_u16"),
    def<mad_u, u16s, u16s, u16s, u16s>("v_mad_u16"),
    def<[](i16 a, i16 b, i16 c) { return static_cast<i16>(i32{a} * b + c); }, i16s, i16s, i16s,
        i16s>("v_mad_i16"),
    def<shl, b16, b16, b16>("v_lshlrev_b16"),
    def<shr, b16, b16, b16>("v_lshrrev_b16"),
    def<sar, i16s, b16, i16s>("v_ashrrev_i16"),
    def<[](u16 a, u16 b) { return static_cast<u16>(a & b); }, b16, b16, b16>("v_and_b16"),
    def<[](u16 a, u16 b) { return static_cast<u16>(a | b); }, b16, b16, b16>("v_or_b16"),
    def<[](u16 a, u16 b) { return static_cast<u16>(a ^ b); }, b16, b16, b16>("v_xor_b16"),
    def<[](u16 a) { return static_cast<u16>(~a); }, b16, b16>("v_not_b16"),
    def<min_u, u16s, u16s, u16s>("v_min_u16"),
    def<max_u, u16s, u16s, u16s>("v_max_u16"),
    def<min_i, i16s, i16s, i16s>("v_min_i16"),
    def<max_i, i16s, i16s, i16s>("v_max_i16"),
    def<[](u16 a, u16 b, u16 c) { return std::min(std::min(a, b), c); }, u16s, u16s, u16s, u16s>(
        "v_min3_u16"),
    def<[](u16 a, u16 b, u16 c) { return std::max(std::max(a, b), c); }, u16s, u16s, u16s, u16s>(
        "v_max3_u16"),
    def<[](i16 a, i16 b, i16 c) { return std::min(std::min(a, b), c); }, i16s, i16s, i16s, i16s>(
        "v_min3_i16"),
    def<[](i16 a, i16 b, i16 c) { return std::max(std::max(a, b), c); }, i16s, i16s, i16s, i16s>(
        "v_max3_i16"),
    def<[](u16 a, u16 b, u16 c) { return median(a, b, c); }, u16s, u16s, u16s, u16s>("v_med3_u16"),
    def<[](i16 a, i16 b, i16 c) { return median(a, b, c); }, i16s, i16s, i16s, i16s>("v_med3_i16"),
};

constexpr type ph = type::pkf16, pi = type::pki16, pb = type::pkbf16;
template <type Packed, auto F, auto Ieee>
constexpr valu_def def_packed_ieee(const char* name) {
  valu_def d = def_packed<Packed, F, f16, f16, f16>(name);
  d.ieee = packed<Ieee, f16, half_signals, half_signals>;
  return d;
}
const valu_def packed_table[] = {
    def_packed<ph, add, f16, f16, f16>("v_pk_add_f16"),
    def_packed<ph, mul, f16, f16, f16>("v_pk_mul_f16"),
    def_packed<ph, fma, f16, f16, f16, f16>("v_pk_fma_f16"),
    def_packed<ph, fma, f16, f16, f16, f16>("v_pk_fmac_f16", reads_dst),
    def_packed_ieee<ph, max2<signals::ignored>, max2<signals::win>>("v_pk_max_f16"),
    def_packed_ieee<ph, min2<signals::ignored>, min2<signals::win>>("v_pk_min_f16"),
    def_packed<ph, maximum_lane, f16, f16, f16>("v_pk_maximum_f16"),
    def_packed<ph, minimum_lane, f16, f16, f16>("v_pk_minimum_f16"),
    def_packed<ph, [](float a, float b, float c) { return maximum_lane(maximum_lane(a, b), c); },
               f16, f16, f16, f16>("v_pk_maximum3_f16"),
    def_packed<ph, [](float a, float b, float c) { return minimum_lane(minimum_lane(a, b), c); },
               f16, f16, f16, f16>("v_pk_minimum3_f16"),
    def_packed<pb, add, bf16, bf16, bf16>("v_pk_add_bf16"),
    def_packed<pb, mul, bf16, bf16, bf16>("v_pk_mul_bf16"),
    def_packed<pb, fma_bf, bf16, bf16, bf16, bf16>("v_pk_fma_bf16"),
    def_packed<pi, add_u, u16s, u16s, u16s>("v_pk_add_u16"),
    def_packed<pi, sub_u, u16s, u16s, u16s>("v_pk_sub_u16"),
    def_packed<pi, add_u, u16s, u16s, u16s>("v_pk_add_i16"),
    def_packed<pi, sub_u, u16s, u16s, u16s>("v_pk_sub_i16"),
    def_packed<pi, add_u_sat, u16s, u16s, u16s>("v_pk_add_u16 clamp"),
    def_packed<pi, sub_u_sat, u16s, u16s, u16s>("v_pk_sub_u16 clamp"),
    def_packed<pi, add_i_sat, i16s, i16s, i16s>("v_pk_add_i16 clamp"),
    def_packed<pi, sub_i_sat, i16s, i16s, i16s>("v_pk_sub_i16 clamp"),
    def_packed<pi, mul_u, u16s, u16s, u16s>("v_pk_mul_lo_u16"),
    def_packed<pi, mad_u, u16s, u16s, u16s, u16s>("v_pk_mad_u16"),
    def_packed<pi, mad_u, u16s, u16s, u16s, u16s>("v_pk_mad_i16"),
    def_packed<pi, shl, b16, b16, b16>("v_pk_lshlrev_b16"),
    def_packed<pi, shr, b16, b16, b16>("v_pk_lshrrev_b16"),
    def_packed<pi, sar, i16s, b16, i16s>("v_pk_ashrrev_i16"),
    def_packed<pi, min_u, u16s, u16s, u16s>("v_pk_min_u16"),
    def_packed<pi, max_u, u16s, u16s, u16s>("v_pk_max_u16"),
    def_packed<pi, min_i, i16s, i16s, i16s>("v_pk_min_i16"),
    def_packed<pi, max_i, i16s, i16s, i16s>("v_pk_max_i16"),
};

/// v_pack_b32_f16 moves halves with their signs changed as asked, so its operands are halves
/// whose bits are kept.
void pack(u32* d, const u32* const* s, u32 blocks) {
  for (u32 l = 0; l < blocks * block_lanes; ++l) d[l] = (s[0][l] & 0xffffu) | s[1][l] << 16;
}
const valu_def pack_table[] = {{"v_pack_b32_f16", pack, type::b32, {type::f16, type::f16}, 2, 0}};

}  // namespace

void define_valu_16(definitions& d) {
  d.add(std::begin(table), std::end(table));
  d.add(std::begin(packed_table), std::end(packed_table));
  d.add(std::begin(pack_table), std::end(pack_table));
  d.alias("v_max_num_f16", "v_max_f16");
  d.alias("v_min_num_f16", "v_min_f16");
  d.alias("v_max3_num_f16", "v_max3_f16");
  d.alias("v_min3_num_f16", "v_min3_f16");
  d.alias("v_med3_num_f16", "v_med3_f16");
  d.alias("v_minmax_num_f16", "v_minmax_f16");
  d.alias("v_maxmin_num_f16", "v_maxmin_f16");
  d.alias("v_pk_max_num_f16", "v_pk_max_f16");
  d.alias("v_pk_min_num_f16", "v_pk_min_f16");
  d.alias("v_add_nc_u16", "v_add_u16");
  d.alias("v_sub_nc_u16", "v_sub_u16");
  d.alias("v_add_nc_u16 clamp", "v_add_u16 clamp");
  d.alias("v_sub_nc_u16 clamp", "v_sub_u16 clamp");
  d.alias("v_add_nc_i16", "v_add_i16");
  d.alias("v_sub_nc_i16", "v_sub_i16");
  d.alias("v_add_nc_i16 clamp", "v_add_i16 clamp");
  d.alias("v_sub_nc_i16 clamp", "v_sub_i16 clamp");
}

}  // namespace amdsim
