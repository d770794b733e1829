// Half-precision and bfloat instructions, alone and packed.
#include <algorithm>

#include "assembly_tables.hpp"

namespace assembly {
namespace {

using values = std::function<u32(double a, double b, double c)>;  ///< gives the bits of a half

u32 bits_of(double x) { return std::isnan(x) ? 0x7e00u : to_half(x); }
/// NaN compares by being one.
u32 canonical(u32 h) { return (h & 0x7fffu) > 0x7c00u ? 0x7e00u : h; }
u32 code_nan(u32 pair) { return canonical(pair & 0xffffu) | canonical(pair >> 16) << 16; }

/// Makes each NaN half of v20 the same one, so that payloads do not matter.
std::string quiet_low() {
  return "\nv_and_b32 v20, 0xffff, v20\nv_and_b32 v26, 0x7fff, v20\nv_mov_b32 v27, "
         "0x7c00\nv_mov_b32 v28, 0x7e00\nv_cmp_gt_u32 @, v26, v27\nv_cndmask_b32 v20, v20, v28, @";
}
std::string quiet_pairs() {
  return "\nv_mov_b32 v27, 0x7c00\nv_mov_b32 v28, 0x7e00\nv_lshrrev_b32 v29, 16, v20\nv_and_b32 "
         "v30, 0xffff, v20\nv_and_b32 v26, 0x7fff, v30\nv_cmp_gt_u32 @, v26, v27\nv_cndmask_b32 "
         "v30, v30, v28, @\n"
         "v_and_b32 v26, 0x7fff, v29\nv_cmp_gt_u32 @, v26, v27\nv_cndmask_b32 v29, v29, v28, "
         "@\nv_lshl_or_b32 v20, v29, 16, v30";
}

void narrow(u32 on, const std::string& name, u32 sources, values r, const std::string& after = "") {
  std::string code = name + " v20";
  for (u32 i = 0; i < sources; ++i) code += ", v" + std::to_string(2 + i);
  table(on, code + after + quiet_low(), "hhh", [=](const u32* in, u32* out) {
    out[0] = canonical(r(half(in[0]), half(in[1]), half(in[2])));
  });
}
void pairs(u32 on, const std::string& name, u32 sources, values r, const std::string& after = "") {
  std::string code = name + " v20";
  for (u32 i = 0; i < sources; ++i) code += ", v" + std::to_string(2 + i);
  table(on, code + after + quiet_pairs(), "hhh", [=](const u32* in, u32* out) {
    out[0] = code_nan(r(half(in[0]), half(in[1]), half(in[2])) |
                      r(half(in[0] >> 16), half(in[1] >> 16), half(in[2] >> 16)) << 16);
  });
}

double propagating(double a, double b, bool larger) {
  return std::isnan(a) || std::isnan(b) ? NAN : larger ? greater_of(a, b) : lesser_of(a, b);
}
double median(double a, double b, double c) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(c)) return lesser_of(lesser_of(a, b), c);
  const double top = greater_of(greater_of(a, b), c);
  return top == a ? greater_of(b, c) : top == b ? greater_of(a, c) : greater_of(a, b);
}

void arithmetic() {
  const auto add = [](double a, double b, double) { return bits_of(a + b); };
  const auto sub = [](double a, double b, double) { return bits_of(a - b); };
  const auto mul = [](double a, double b, double) { return bits_of(a * b); };
  const auto fma = [](double a, double b, double c) { return half_fma(a, b, c); };
  const auto max = [](double a, double b, double) { return bits_of(greater_of(a, b)); };
  const auto min = [](double a, double b, double) { return bits_of(lesser_of(a, b)); };
  const auto maximum = [](double a, double b, double) { return bits_of(propagating(a, b, true)); };
  const auto minimum = [](double a, double b, double) { return bits_of(propagating(a, b, false)); };
  const auto max3 = [](double a, double b, double c) {
    return bits_of(greater_of(greater_of(a, b), c));
  };
  const auto min3 = [](double a, double b, double c) {
    return bits_of(lesser_of(lesser_of(a, b), c));
  };
  const auto maximum3 = [](double a, double b, double c) {
    return bits_of(propagating(propagating(a, b, true), c, true));
  };
  const auto minimum3 = [](double a, double b, double c) {
    return bits_of(propagating(propagating(a, b, false), c, false));
  };
  narrow(all, "v_add_f16", 2, add);
  narrow(all, "v_sub_f16", 2, sub);
  narrow(all, "v_subrev_f16", 2, [](double a, double b, double) { return bits_of(b - a); });
  narrow(all, "v_mul_f16", 2, mul);
  narrow(all, "v_fma_f16", 3, fma);
  pairs(all, "v_pk_add_f16", 2, add);
  pairs(all, "v_pk_mul_f16", 2, mul);
  pairs(all, "v_pk_fma_f16", 3, fma);
  pairs(
      all, "v_pk_add_f16", 2,
      [](double a, double b, double) { return bits_of(a + b > 0 ? std::min(a + b, 1.0) : 0.0); },
      " clamp");
  pairs(
      all, "v_pk_fma_f16", 3, [](double a, double b, double c) { return half_fma(-a, b, -c); },
      " neg_lo:[1,0,1] neg_hi:[1,0,1]");
  for (const bool num : {false, true}) {
    const u32 on = num ? u32{gfx12} : u32{gfx9 | gfx11};
    const std::string n = num ? "_num_f16" : "_f16";
    narrow(on, "v_max" + n, 2, max);
    narrow(on, "v_min" + n, 2, min);
    narrow(on, "v_max3" + n, 3, max3);
    narrow(on, "v_min3" + n, 3, min3);
    narrow(on, "v_med3" + n, 3,
           [](double a, double b, double c) { return bits_of(median(a, b, c)); });
    pairs(on, "v_pk_max" + n, 2, max);
    pairs(on, "v_pk_min" + n, 2, min);
    narrow(on & rdna, "v_minmax" + n, 3,
           [](double a, double b, double c) { return bits_of(greater_of(lesser_of(a, b), c)); });
    narrow(on & rdna, "v_maxmin" + n, 3,
           [](double a, double b, double c) { return bits_of(lesser_of(greater_of(a, b), c)); });
  }
  narrow(gfx12, "v_maximum_f16", 2, maximum);
  narrow(gfx12, "v_minimum_f16", 2, minimum);
  narrow(gfx12, "v_maximum3_f16", 3, maximum3);
  narrow(gfx12, "v_minimum3_f16", 3, minimum3);
  pairs(gfx12, "v_pk_maximum_f16", 2, maximum);
  pairs(gfx12, "v_pk_minimum_f16", 2, minimum);
  pairs(gfx950, "v_pk_maximum3_f16", 3, maximum3);
  pairs(gfx950, "v_pk_minimum3_f16", 3, minimum3);
  // the destination as addend
  const auto accumulate = [](const u32* in, u32* out) {
    out[0] = canonical(half_fma(half(in[0]), half(in[1]), half(in[2])));
  };
  table(rdna, "v_mov_b32 v20, v4\nv_fmac_f16 v20, v2, v3" + quiet_low(), "hhh", accumulate);
  const auto with_constant = [](const u32* in, u32* out) {
    out[0] = canonical(half_fma(half(in[0]), half(in[1]), 2.5));
  };
  const auto by_constant = [](const u32* in, u32* out) {
    out[0] = canonical(half_fma(half(in[0]), 2.5, half(in[1])));
  };
  table(rdna, "v_fmaak_f16 v20, v2, v3, 0x4100" + quiet_low(), "hh", with_constant);
  table(rdna, "v_fmamk_f16 v20, v2, 0x4100, v3" + quiet_low(), "hh", by_constant);
  table(gfx9 | gfx11 | gfx12, "v_mov_b32 v20, v4\nv_pk_fmac_f16 v20, v2, v3" + quiet_pairs(), "hhh",
        [](const u32* in, u32* out) {
          out[0] = code_nan(half_fma(half(in[0]), half(in[1]), half(in[2])) |
                            half_fma(half(in[0] >> 16), half(in[1] >> 16), half(in[2] >> 16))
                                << 16);
        });
  // gfx9's mad rounds the product as well
  const auto mad = [](double a, double b, double c) { return bits_of(half(bits_of(a * b)) + c); };
  narrow(gfx9, "v_mad_f16", 3, mad);
  table(gfx9, "v_mov_b32 v20, v4\nv_mac_f16 v20, v2, v3" + quiet_low(), "hhh",
        [=](const u32* in, u32* out) {
          out[0] = canonical(mad(half(in[0]), half(in[1]), half(in[2])));
        });
  table(gfx9, "v_madak_f16 v20, v2, v3, 0x4100" + quiet_low(), "hh",
        [=](const u32* in, u32* out) { out[0] = canonical(mad(half(in[0]), half(in[1]), 2.5)); });
  table(gfx9, "v_madmk_f16 v20, v2, 0x4100, v3" + quiet_low(), "hh",
        [=](const u32* in, u32* out) { out[0] = canonical(mad(half(in[0]), 2.5, half(in[1]))); });
  // halves by op_sel, signs
  table(
      all, "v_fma_f16 v20, -v2, |v3|, v4 op_sel:[1,0,1,0]" + quiet_low(), "hhh",
      [](const u32* in, u32* out) {
        out[0] = canonical(half_fma(-half(in[0] >> 16), std::fabs(half(in[1])), half(in[2] >> 16)));
      });
  table(all, "v_pack_b32_f16 v20, v2, -v3 op_sel:[1,0,0]" + quiet_pairs(), "hh",
        [](const u32* in, u32* out) {
          out[0] = code_nan(in[0] >> 16 | ((in[1] & 0xffffu) ^ 0x8000u) << 16);
        });
}

void functions() {
  narrow(all, "v_floor_f16", 1, [](double a, double, double) { return bits_of(std::floor(a)); });
  narrow(all, "v_ceil_f16", 1, [](double a, double, double) { return bits_of(std::ceil(a)); });
  narrow(all, "v_trunc_f16", 1, [](double a, double, double) { return bits_of(std::trunc(a)); });
  narrow(all, "v_rndne_f16", 1,
         [](double a, double, double) { return bits_of(std::nearbyint(a)); });
  narrow(all, "v_fract_f16", 1, [](double a, double, double) {
    return bits_of(std::isinf(a) ? NAN : std::min(a - std::floor(a), 0x1.ffcp-1));
  });
  narrow(all, "v_rcp_f16", 1, [](double a, double, double) { return bits_of(1 / a); });
  narrow(all, "v_sqrt_f16", 1, [](double a, double, double) { return bits_of(std::sqrt(a)); });
  narrow(all, "v_rsq_f16", 1, [](double a, double, double) { return bits_of(1 / std::sqrt(a)); });
  narrow(all, "v_exp_f16", 1, [](double a, double, double) { return bits_of(std::exp2(a)); });
  narrow(all, "v_log_f16", 1, [](double a, double, double) { return bits_of(std::log2(a)); });
  // in revolutions
  for (const double turn : {0.0, 0.25, 0.5, 0.75, -0.25, 1.25, 0.0833129882812, 100.125}) {
    const double angle = 2 * 3.14159265358979323846 * (turn - std::floor(turn));
    // multiples of a quarter are exact
    const auto value = [&](double x) { return std::fabs(x) < 1e-12 ? 0u : to_half(x); };
    add(all,
        "v_sin_f16 v20, v2\nv_cos_f16 v21, v2\nv_and_b32 v20, 0xffff, v20\nv_and_b32 v21, 0xffff, "
        "v21",
        {to_half(turn)}, {value(std::sin(angle)), value(std::cos(angle))});
  }
  narrow(all, "v_frexp_mant_f16", 1, [](double a, double, double) {
    int e;
    return bits_of(std::isfinite(a) ? std::frexp(a, &e) : a);
  });
  table(all, "v_frexp_exp_i16_f16 v20, v2\nv_and_b32 v20, 0xffff, v20", "h",
        [](const u32* in, u32* out) {
          int e = 0;
          if (std::isfinite(half(in[0]))) (void)std::frexp(half(in[0]), &e);
          out[0] = static_cast<u32>(e) & 0xffffu;
        });
  for (const bool nine : {true, false})
    table(nine ? gfx9 : rdna,
          std::string("v_add_nc_u16 v3, -16, v3\n")
                  .replace(0, 12, nine ? "v_add_u16" : "v_add_nc_u16") +
              "v_ldexp_f16 v20, v2, v3" + quiet_low(),
          "hn", [](const u32* in, u32* out) {
            out[0] = canonical(bits_of(std::ldexp(half(in[0]), static_cast<int>(in[1]) - 16)));
          });
  narrow(all, "v_div_fixup_f16", 3, [](double q, double d, double n) {
    const double sign = std::signbit(d) != std::signbit(n) ? -1.0 : 1.0;
    if (std::isnan(n) || std::isnan(d) || (n == 0 && d == 0) || (std::isinf(n) && std::isinf(d)))
      return 0x7e00u;
    if (d == 0 || std::isinf(n)) return bits_of(sign * HUGE_VAL);
    if (std::isinf(d) || n == 0) return bits_of(sign * 0.0);
    return bits_of(std::copysign(q, sign));
  });
}

void mixed() {
  table(all, "v_fma_mix_f32 v20, v2, v3, v4 op_sel:[0,1,0] op_sel_hi:[0,1,0]", "fhf",
        [](const u32* in, u32* out) {
          out[0] = number(
              std::fma(as_float(in[0]), static_cast<float>(half(in[1] >> 16)), as_float(in[2])));
        });
  table(all, "v_fma_mix_f32 v20, -v2, |v3|, v4 op_sel_hi:[1,1,1]", "hhh",
        [](const u32* in, u32* out) {
          out[0] = number(std::fma(static_cast<float>(-half(in[0])),
                                   std::fabs(static_cast<float>(half(in[1]))),
                                   static_cast<float>(half(in[2]))));
        });
  table(all, "v_fma_mixlo_f16 v20, v2, v3, v4 op_sel_hi:[1,1,1]" + quiet_low(), "hhh",
        [](const u32* in, u32* out) {
          out[0] = canonical(half_fma(half(in[0]), half(in[1]), half(in[2])));
        });
  table(all,
        "v_mov_b32 v20, 0\nv_fma_mixhi_f16 v20, v2, v3, v4 op_sel_hi:[1,1,1]\nv_lshrrev_b32 v20, "
        "16, v20" +
            quiet_low(),
        "hhh", [](const u32* in, u32* out) {
          out[0] = canonical(half_fma(half(in[0]), half(in[1]), half(in[2])));
        });
  // two products and a sum, rounded once; small numbers, so that any order of adding is exact
  const std::string small =
      "v_and_b32 v2, 0xbc00bc00, v2\nv_and_b32 v3, 0xbf00bf00, v3\nv_mov_b32 v4, 1.5\n";
  const auto dot = [](const u32* in) {
    const u32 a = in[0] & 0xbc00bc00u, b = in[1] & 0xbf00bf00u;
    return half(a) * half(b) + half(a >> 16) * half(b >> 16);
  };
  table(all, small + "v_dot2_f32_f16 v20, v2, v3, v4", "hh",
        [=](const u32* in, u32* out) { out[0] = number(static_cast<float>(dot(in) + 1.5)); });
  table(gfx9, small + "v_mov_b32 v20, v4\nv_dot2c_f32_f16 v20, v2, v3", "hh",
        [=](const u32* in, u32* out) { out[0] = number(static_cast<float>(dot(in) + 1.5)); });
  table(gfx11, small + "v_mov_b32 v20, v4\nv_dot2acc_f32_f16 v20, v2, v3", "hh",
        [=](const u32* in, u32* out) { out[0] = number(static_cast<float>(dot(in) + 1.5)); });
  table(rdna, small + "v_mov_b32 v4, 0x3e00\nv_dot2_f16_f16 v20, v2, v3, v4" + quiet_low(), "hh",
        [=](const u32* in, u32* out) { out[0] = canonical(bits_of(dot(in) + 1.5)); });
}

void bfloats() {
  const std::string small = "v_and_b32 v2, 0xbfe0bfe0, v2\nv_and_b32 v3, 0xbfe0bfe0, v3\n";
  const auto dot = [](const u32* in) {
    const u32 a = in[0] & 0xbfe0bfe0u, b = in[1] & 0xbfe0bfe0u;
    return static_cast<double>(bfloat(a)) * static_cast<double>(bfloat(b)) +
           static_cast<double>(bfloat(a >> 16)) * static_cast<double>(bfloat(b >> 16));
  };
  table(gfx950 | rdna, small + "v_mov_b32 v4, 1.5\nv_dot2_f32_bf16 v20, v2, v3, v4", "bb",
        [=](const u32* in, u32* out) { out[0] = number(static_cast<float>(dot(in) + 1.5)); });
  table(gfx950, small + "v_mov_b32 v20, 1.5\nv_dot2c_f32_bf16 v20, v2, v3", "bb",
        [=](const u32* in, u32* out) { out[0] = number(static_cast<float>(dot(in) + 1.5)); });
  add(rdna, "v_mov_b32 v20, 0\nv_dot2_bf16_bf16 v20, v2, v3, v4", {0x40003f80, 0x40004040, 0x3f80},
      {0x4100});
  const auto put_bfloat = [](float x) { return to_bfloat(x); };
  table(gfx950, "v_cvt_pk_bf16_f32 v20, v2, v3", "ff", [=](const u32* in, u32* out) {
    const auto one = [&](u32 x) {
      return (x & 0x7fffffffu) > inf ? (x >> 16 | 0x40u) & 0xffffu : put_bfloat(as_float(x));
    };
    out[0] = one(in[0]) | one(in[1]) << 16;
  });
  table(gfx950, "v_cvt_f32_bf16 v20, v2", "b",
        [](const u32* in, u32* out) { out[0] = number(bfloat(in[0] & 0xffffu)); });
}

}  // namespace

void half_tables() {
  arithmetic();
  functions();
  mixed();
  bfloats();
}

}  // namespace assembly
