// Conversions between floats and integers, and 8-bit floats.
#include "assembly_tables.hpp"

namespace assembly {
namespace {

i32 to_signed(double x, double low, double high) {
  return std::isnan(x) ? 0 : static_cast<i32>(clamped(std::trunc(x), low, high));
}
u32 to_unsigned(double x, double high) {
  return std::isnan(x) ? 0 : static_cast<u32>(clamped(std::trunc(x), 0.0, high));
}
u32 pack(u32 low, u32 high) { return (low & 0xffffu) | high << 16; }
u32 signed16(double x) { return static_cast<u32>(to_signed(x, -32768, 32767)) & 0xffffu; }
u32 normal(double x, bool sign) {
  return static_cast<u32>(static_cast<i32>(
             std::isnan(x)
                 ? 0
                 : std::nearbyint(clamped(x, sign ? -1.0 : 0.0, 1.0) * (sign ? 32767 : 65535)))) &
         0xffffu;
}
/// Toward zero: the largest half of no greater magnitude.
u32 half_toward_zero(float x) {
  if (std::isnan(x)) return 0x7e00;
  u32 h = to_half(static_cast<double>(x));
  if (std::fabs(half(h)) > std::fabs(static_cast<double>(x))) --h;
  return h;
}
const std::string low = "\nv_and_b32 v20, 0xffff, v20";

void integers() {
  const auto one = [](u32 on, const std::string& name, const std::string& kinds,
                      std::function<u32(const u32*)> r, const std::string& after = "") {
    table(on, name + " v20, v2" + after, kinds, [=](const u32* in, u32* out) { out[0] = r(in); });
  };
  one(all, "v_cvt_f32_i32", "i",
      [](const u32* in) { return f(static_cast<float>(static_cast<i32>(in[0]))); });
  one(all, "v_cvt_f32_u32", "i", [](const u32* in) { return f(static_cast<float>(in[0])); });
  one(all, "v_cvt_i32_f32", "f", [](const u32* in) {
    return static_cast<u32>(
        to_signed(static_cast<double>(as_float(in[0])), -2147483648.0, 2147483647.0));
  });
  one(all, "v_cvt_u32_f32", "f", [](const u32* in) {
    return to_unsigned(static_cast<double>(as_float(in[0])), 4294967295.0);
  });
  const auto nearest = [](const u32* in) {
    return static_cast<u32>(to_signed(std::floor(static_cast<double>(as_float(in[0]) + 0.5f)),
                                      -2147483648.0, 2147483647.0));
  };
  const auto floor = [](const u32* in) {
    return static_cast<u32>(
        to_signed(std::floor(static_cast<double>(as_float(in[0]))), -2147483648.0, 2147483647.0));
  };
  one(gfx9, "v_cvt_rpi_i32_f32", "f", nearest);
  one(rdna, "v_cvt_nearest_i32_f32", "f", nearest);
  one(gfx9, "v_cvt_flr_i32_f32", "f", floor);
  one(rdna, "v_cvt_floor_i32_f32", "f", floor);
  one(
      all, "v_cvt_f16_u16", "s", [](const u32* in) { return to_half(static_cast<u16>(in[0])); },
      low);
  one(
      all, "v_cvt_f16_i16", "s", [](const u32* in) { return to_half(static_cast<i16>(in[0])); },
      low);
  one(
      all, "v_cvt_u16_f16", "h", [](const u32* in) { return to_unsigned(half(in[0]), 65535); },
      low);
  one(all, "v_cvt_i16_f16", "h", [](const u32* in) { return signed16(half(in[0])); }, low);
  one(rdna, "v_cvt_u32_u16", "s", [](const u32* in) { return in[0] & 0xffffu; });
  one(rdna, "v_cvt_i32_i16", "s",
      [](const u32* in) { return static_cast<u32>(i32{static_cast<i16>(in[0])}); });
  for (u32 i = 0; i < 4; ++i)
    one(all, "v_cvt_f32_ubyte" + std::to_string(i), "i",
        [i](const u32* in) { return f(static_cast<float>(in[0] >> 8 * i & 255)); });
  one(all, "v_cvt_off_f32_i4", "i", [](const u32* in) {
    return f(static_cast<float>((in[0] & 7) * 0.0625 - (in[0] & 8 ? 0.5 : 0)));
  });
  one(all, "v_cvt_norm_i16_f16", "h", [](const u32* in) { return normal(half(in[0]), true); }, low);
  one(
      all, "v_cvt_norm_u16_f16", "h", [](const u32* in) { return normal(half(in[0]), false); },
      low);
  const auto two = [](u32 on, const std::string& name, const std::string& kinds,
                      std::function<u32(const u32*)> r) {
    table(on, name + " v20, v2, v3", kinds, [=](const u32* in, u32* out) { out[0] = r(in); });
  };
  for (const bool sign : {true, false}) {
    const std::string t = sign ? "i16" : "u16";
    const auto of_float = [=](const u32* in) {
      return pack(normal(static_cast<double>(as_float(in[0])), sign),
                  normal(static_cast<double>(as_float(in[1])), sign));
    };
    const auto of_half = [=](const u32* in) {
      return pack(normal(half(in[0]), sign), normal(half(in[1]), sign));
    };
    two(gfx9, "v_cvt_pknorm_" + t + "_f32", "ff", of_float);
    two(rdna, "v_cvt_pk_norm_" + t + "_f32", "ff", of_float);
    two(gfx9, "v_cvt_pknorm_" + t + "_f16", "hh", of_half);
    two(rdna, "v_cvt_pk_norm_" + t + "_f16", "hh", of_half);
  }
  two(all, "v_cvt_pk_i16_i32", "ii", [](const u32* in) {
    return pack(static_cast<u32>(clamped(static_cast<i32>(in[0]), -32768, 32767)),
                static_cast<u32>(clamped(static_cast<i32>(in[1]), -32768, 32767)));
  });
  two(all, "v_cvt_pk_u16_u32", "ii",
      [](const u32* in) { return pack(clamped(in[0], 0u, 65535u), clamped(in[1], 0u, 65535u)); });
  two(rdna, "v_cvt_pk_i16_f32", "ff", [](const u32* in) {
    return pack(signed16(static_cast<double>(as_float(in[0]))),
                signed16(static_cast<double>(as_float(in[1]))));
  });
  two(rdna, "v_cvt_pk_u16_f32", "ff", [](const u32* in) {
    return pack(to_unsigned(static_cast<double>(as_float(in[0])), 65535),
                to_unsigned(static_cast<double>(as_float(in[1])), 65535));
  });
  table(all, "v_cvt_pk_u8_f32 v20, v2, v3, v4", "fni", [](const u32* in, u32* out) {
    const double x = static_cast<double>(as_float(in[0]));
    const u32 at = 8 * (in[1] & 3),
              v = std::isnan(x) ? 0 : static_cast<u32>(clamped(std::nearbyint(x), 0.0, 255.0));
    out[0] = (in[2] & ~(255u << at)) | v << at;
  });
}

void floats() {
  const std::string calm =
      "\nv_and_b32 v20, 0xffff, v20\nv_and_b32 v26, 0x7fff, v20\nv_mov_b32 v27, 0x7c00\nv_mov_b32 "
      "v28, 0x7e00\nv_cmp_gt_u32 @, v26, v27\nv_cndmask_b32 v20, v20, v28, @";
  table(all, "v_cvt_f16_f32 v20, v2" + calm, "f", [](const u32* in, u32* out) {
    out[0] = std::isnan(as_float(in[0])) ? 0x7e00 : to_half(static_cast<double>(as_float(in[0])));
  });
  table(all, "v_cvt_f32_f16 v20, v2", "h",
        [](const u32* in, u32* out) { out[0] = number(static_cast<float>(half(in[0]))); });
  for (const bool nine : {true, false})
    table(nine ? gfx9 : rdna,
          std::string(nine ? "v_cvt_pkrtz_f16_f32" : "v_cvt_pk_rtz_f16_f32") +
              " v20, v2, v3\nv_cmp_u_f32 @, v2, v3\nv_cndmask_b32 v20, v20, 0, @",
          "ff", [](const u32* in, u32* out) {
            const float a = as_float(in[0]), b = as_float(in[1]);
            // overflow stays finite, an infinity stays one
            out[0] = std::isnan(a) || std::isnan(b)
                         ? 0
                         : pack(half_toward_zero(a), half_toward_zero(b));
          });
  table(gfx950, "v_cvt_pk_f16_f32 v20, v2, v3\nv_cmp_u_f32 @, v2, v3\nv_cndmask_b32 v20, v20, 0, @",
        "ff", [](const u32* in, u32* out) {
          out[0] = std::isnan(as_float(in[0])) || std::isnan(as_float(in[1]))
                       ? 0
                       : pack(to_half(static_cast<double>(as_float(in[0]))),
                              to_half(static_cast<double>(as_float(in[1]))));
        });
  table(
      all,
      "v_cvt_f64_f32 v[20:21], v2\nv_cmp_u_f32 @, v2, v2\nv_cndmask_b32 v20, v20, 0, "
      "@\nv_cndmask_b32 v21, v21, 0, @",
      "f",
      [](const u32* in, u32* out) {
        put(out, std::isnan(as_float(in[0])) ? 0.0 : static_cast<double>(as_float(in[0])));
      },
      2);
  table(all, "v_cvt_f32_f64 v20, v[2:3]", "Dd", [](const u32* in, u32* out) {
    out[0] = number(static_cast<float>(as_double(in[0], in[1])));
  });
  table(
      all, "v_cvt_f64_i32 v[20:21], v2", "i",
      [](const u32* in, u32* out) { put(out, static_cast<double>(static_cast<i32>(in[0]))); }, 2);
  table(
      all, "v_cvt_f64_u32 v[20:21], v2", "i",
      [](const u32* in, u32* out) { put(out, static_cast<double>(in[0])); }, 2);
  table(all, "v_cvt_i32_f64 v20, v[2:3]", "Dd", [](const u32* in, u32* out) {
    out[0] = static_cast<u32>(to_signed(as_double(in[0], in[1]), -2147483648.0, 2147483647.0));
  });
  table(all, "v_cvt_u32_f64 v20, v[2:3]", "Dd", [](const u32* in, u32* out) {
    out[0] = to_unsigned(as_double(in[0], in[1]), 4294967295.0);
  });
  // stochastic rounding: the random number is added below what stays
  for (const auto& [x, random, want] : {std::tuple{0x3f808000u, 0x80000000u, 0x3f81u},
                                        {0x3f808000u, 0x7fff0000u, 0x3f80u},
                                        {0x3f80ffffu, 0x00010000u, 0x3f81u},
                                        {0xbf800001u, 0xffff0000u, 0xbf81u},
                                        {0x3f800000u, 0xffff0000u, 0x3f80u},
                                        {inf, 0xffffffffu, 0x7f80u}})
    add(gfx950, "v_cvt_sr_bf16_f32 v20, v2, v3", {x, random}, {(untouched & 0xffff0000u) | want});
  for (const auto& [x, random, want] : {std::tuple{f(1 + 0x1p-11f), 0x80000000u, 0x3c01u},
                                        {f(1 + 0x1p-11f), 0x7fffffffu, 0x3c00u},
                                        {f(1), 0xffffffffu, 0x3c00u},
                                        {f(-2 - 0x1.8p-10f), 0x40000000u, 0xc001u}})
    add(gfx950, "v_cvt_sr_f16_f32 v20, v2, v3", {x, random}, {(untouched & 0xffff0000u) | want});
}

/// Values of an 8-bit float by the definition of its format.
double small(u32 code, bool bf8, bool fnuz) {
  const int mantissa = bf8 ? 2 : 3, bias = (bf8 ? 15 : 7) + fnuz,
            e = static_cast<int>(code >> mantissa & (bf8 ? 31 : 15));
  const u32 m = code & ((1u << mantissa) - 1);
  const double sign = code & 0x80 ? -1 : 1;
  if (fnuz && code == 0x80) return NAN;
  if (!fnuz && bf8 && e == 31) return m ? NAN : sign * HUGE_VAL;
  if (!fnuz && !bf8 && (code & 0x7f) == 0x7f) return NAN;
  return sign * (e ? std::ldexp(1 + m / static_cast<double>(1 << mantissa), e - bias)
                   : std::ldexp(m / static_cast<double>(1 << mantissa), 1 - bias));
}
/// Nearest code, ties to the even one; `clamp`: overflow becomes the largest number.
u32 small_code(double x, bool bf8, bool fnuz, bool clamp) {
  const u32 sign = std::signbit(x) ? 0x80 : 0, nan_code = fnuz ? 0x80 : 0x7f;
  if (std::isnan(x)) return fnuz ? nan_code : sign | nan_code;
  u32 largest = 0;
  for (u32 c = 0; c < 0x80; ++c)
    if (std::isfinite(small(c, bf8, fnuz))) largest = c;
  const u32 over = clamp ? sign | largest : fnuz ? 0x80 : bf8 ? sign | 0x7c : sign | 0x7f;
  if (std::isinf(x)) return !fnuz && bf8 ? sign | 0x7c : over;
  u32 best = 0;
  double distance = HUGE_VAL;
  for (u32 c = 0; c <= largest; ++c) {
    const double d = std::fabs(std::fabs(x) - small(c, bf8, fnuz));
    if (d < distance || (d == distance && !(c & 1))) {
      best = c;
      distance = d;
    }
  }
  // beyond the largest number by half a step or more
  const double top = small(largest, bf8, fnuz), step = top - small(largest - 1, bf8, fnuz);
  if (std::fabs(x) > top + step / 2 || (std::fabs(x) == top + step / 2 && (largest & 1)))
    return over;
  return fnuz && best == 0 ? 0 : sign | best;
}

void eight_bits() {
  for (const bool fnuz : {true, false})
    for (const bool bf8 : {true, false}) {
      const u32 on = fnuz ? fp8_fnuz : fp8_ocp;
      const std::string t = bf8 ? "bf8" : "fp8";
      const auto value = [=](u32 code) {
        return number(static_cast<float>(small(code & 255, bf8, fnuz)));
      };
      // every code: lane and its multiples of 64
      for (u32 base = 0; base < 256; base += 64)
        add_lanes(
            on,
            "v_or_b32 v2, " + std::to_string(base) + ", v1\nv_cvt_f32_" + t +
                " v20, v2\nv_or_b32 v2, 32, v2\nv_cvt_f32_" + t + " v21, v2",
            {}, [=](u32 l, u32 r) { return value((base | l | (r ? 32 : 0)) & 255); }, 2);
      table(
          on, "v_cvt_pk_f32_" + t + " v[20:21], v2", "i",
          [=](const u32* in, u32* out) {
            out[0] = value(in[0]);
            out[1] = value(in[0] >> 8);
          },
          2);
      for (const bool clamp : {false, true}) {
        const std::string mode = clamp ? "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\n" : "";
        const auto code = [=](u32 x) {
          return small_code(static_cast<double>(as_float(x)), bf8, fnuz, clamp);
        };
        table(on, mode + "v_cvt_pk_" + t + "_f32 v20, v2, v3", "ff", [=](const u32* in, u32* out) {
          out[0] = (out[0] & 0xffff0000u) | code(in[0]) | code(in[1]) << 8;
        });
        table(on,
              mode + "v_mul_f32 v2, 0x42000000, v2\nv_cvt_pk_" + t +
                  "_f32 v20, v2, v3 op_sel:[0,0,1]",
              "ff", [=](const u32* in, u32* out) {
                out[0] = (out[0] & 0xffffu) | code(f(as_float(in[0]) * 32)) << 16 |
                         code(in[1]) << 24;
              });
      }
      // stochastic rounding of what is representable changes nothing, and its random
      // bits decide else
      table(on, "v_cvt_f32_" + t + " v2, v2\nv_cvt_sr_" + t + "_f32 v20, v2, v3", "ii",
            [=](const u32* in, u32* out) {
              const u32 c = in[0] & 255;
              out[0] = (out[0] & ~255u) |
                       small_code(static_cast<double>(static_cast<float>(small(c, bf8, fnuz))), bf8,
                                  fnuz, false);
            });
    }
}

/// gfx12's dot products of four 8-bit floats.
void dots() {
  for (const bool a : {false, true})
    for (const bool b : {false, true})
      table(gfx12,
            std::string("v_and_b32 v2, 0xbfbfbfbf, v2\nv_and_b32 v3, 0xbfbfbfbf, v3\nv_dot4_f32_") +
                (a ? "bf8" : "fp8") + (b ? "_bf8" : "_fp8") + " v20, v2, v3, 1.5",
            "ii", [=](const u32* in, u32* out) {
              double sum = 1.5;
              for (u32 i = 0; i < 32; i += 8)
                sum += small(in[0] >> i & 0xbf, a, false) * small(in[1] >> i & 0xbf, b, false);
              out[0] = f(static_cast<float>(sum));
            });
}

}  // namespace

void convert_tables() {
  integers();
  floats();
  eight_bits();
  dots();
}

}  // namespace assembly
