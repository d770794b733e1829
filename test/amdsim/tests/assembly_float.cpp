// Single- and double-precision vector instructions.
#include <algorithm>

#include "assembly_tables.hpp"

namespace assembly {
namespace {

using singles = std::function<float(float a, float b, float c)>;
void single(u32 on, const std::string& name, u32 sources, singles r,
            const std::string& after = "") {
  std::string code = name + " v20";
  for (u32 i = 0; i < sources; ++i) code += ", v" + std::to_string(2 + i);
  table(on, code + after, "fff", [=](const u32* in, u32* out) {
    out[0] = number(r(as_float(in[0]), as_float(in[1]), as_float(in[2])));
  });
}
using doubles = std::function<double(double a, double b, double c)>;
/// A double result; the high word of any NaN is made the same.
void real(u32 on, const std::string& name, u32 sources, doubles r) {
  std::string code = name + " v[20:21]";
  for (u32 i = 0; i < sources; ++i)
    code += ", v[" + std::to_string(2 + 2 * i) + ":" + std::to_string(3 + 2 * i) + "]";
  code +=
      "\nv_cmp_u_f64 @, v[20:21], v[20:21]\nv_mov_b32 v26, 0x7ff80000\nv_cndmask_b32 v20, v20, 0, "
      "@\nv_cndmask_b32 v21, v21, v26, @";
  // v_cndmask takes a constant as first operand only in its long form, which all chips have
  table(
      on, code, "DdDdDd",
      [=](const u32* in, u32* out) {
        const double x = r(as_double(in[0], in[1]), as_double(in[2], in[3]),
                           as_double(in[4], in[5]));
        if (std::isnan(x)) {
          out[0] = 0;
          out[1] = 0x7ff80000;
        } else {
          put(out, x);
        }
      },
      2);
}

template <class T>
T propagating(T a, T b, bool larger) {
  return std::isnan(a) || std::isnan(b) ? static_cast<T>(NAN)
         : larger                       ? greater_of(a, b)
                                        : lesser_of(a, b);
}
float median(float a, float b, float c) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(c)) return lesser_of(lesser_of(a, b), c);
  const float top = greater_of(greater_of(a, b), c);
  return top == a ? greater_of(b, c) : top == b ? greater_of(a, c) : greater_of(a, b);
}
template <class T>
T fixed_up(T q, T d, T n) {
  const T sign = std::signbit(d) != std::signbit(n) ? T(-1) : T(1);
  if (std::isnan(n) || std::isnan(d) || (n == 0 && d == 0) || (std::isinf(n) && std::isinf(d)))
    return static_cast<T>(NAN);
  if (d == 0 || std::isinf(n)) return sign * static_cast<T>(HUGE_VAL);
  if (std::isinf(d) || n == 0) return sign * T(0);
  return std::copysign(q, sign);
}
float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.f, x) : x; }

void single_precision() {
  single(all, "v_add_f32", 2, [](float a, float b, float) { return a + b; });
  single(all, "v_sub_f32", 2, [](float a, float b, float) { return a - b; });
  single(all, "v_subrev_f32", 2, [](float a, float b, float) { return b - a; });
  single(all, "v_mul_f32", 2, [](float a, float b, float) { return a * b; });
  single(all, "v_fma_f32", 3, [](float a, float b, float c) { return std::fma(a, b, c); });
  const auto legacy = [](float a, float b, float) { return a == 0 || b == 0 ? 0.f : a * b; };
  const auto legacy_fma = [](float a, float b, float c) {
    return a == 0 || b == 0 ? c + 0.f : std::fma(a, b, c);
  };
  single(gfx9, "v_mul_legacy_f32", 2, legacy);
  single(rdna, "v_mul_dx9_zero_f32", 2, legacy);
  single(rdna, "v_fma_dx9_zero_f32", 3, legacy_fma);
  table(gfx11, "v_mov_b32 v20, v4\nv_fmac_dx9_zero_f32 v20, v2, v3", "fff",
        [=](const u32* in, u32* out) {
          out[0] = number(legacy_fma(as_float(in[0]), as_float(in[1]), as_float(in[2])));
        });
  table(all, "v_mov_b32 v20, v4\nv_fmac_f32 v20, v2, v3", "fff", [](const u32* in, u32* out) {
    out[0] = number(std::fma(as_float(in[0]), as_float(in[1]), as_float(in[2])));
  });
  table(gfx942 | gfx950 | rdna, "v_fmaak_f32 v20, v2, v3, 0x40200000", "ff",
        [](const u32* in, u32* out) {
          out[0] = number(std::fma(as_float(in[0]), as_float(in[1]), 2.5f));
        });
  table(gfx942 | gfx950 | rdna, "v_fmamk_f32 v20, v2, 0x40200000, v3", "ff",
        [](const u32* in, u32* out) {
          out[0] = number(std::fma(as_float(in[0]), 2.5f, as_float(in[1])));
        });
  for (const bool num : {false, true}) {
    const u32 on = num ? u32{gfx12} : u32{gfx9 | gfx11};
    const std::string n = num ? "_num_f32" : "_f32";
    single(on, "v_max" + n, 2, [](float a, float b, float) { return greater_of(a, b); });
    single(on, "v_min" + n, 2, [](float a, float b, float) { return lesser_of(a, b); });
    single(on, "v_max3" + n, 3,
           [](float a, float b, float c) { return greater_of(greater_of(a, b), c); });
    single(on, "v_min3" + n, 3,
           [](float a, float b, float c) { return lesser_of(lesser_of(a, b), c); });
    single(on, "v_med3" + n, 3, median);
    single(on & rdna, "v_minmax" + n, 3,
           [](float a, float b, float c) { return greater_of(lesser_of(a, b), c); });
    single(on & rdna, "v_maxmin" + n, 3,
           [](float a, float b, float c) { return lesser_of(greater_of(a, b), c); });
  }
  for (const bool larger : {true, false}) {
    const std::string n = larger ? "v_maximum" : "v_minimum";
    single(gfx12, n + "_f32", 2,
           [=](float a, float b, float) { return propagating(a, b, larger); });
    single(gfx12 | gfx950, n + "3_f32", 3, [=](float a, float b, float c) {
      return propagating(propagating(a, b, larger), c, larger);
    });
    single(gfx12, larger ? "v_maximumminimum_f32" : "v_minimummaximum_f32", 3,
           [=](float a, float b, float c) {
             return propagating(propagating(a, b, larger), c, !larger);
           });
  }
  single(all, "v_floor_f32", 1, [](float a, float, float) { return std::floor(a); });
  single(all, "v_ceil_f32", 1, [](float a, float, float) { return std::ceil(a); });
  single(all, "v_trunc_f32", 1, [](float a, float, float) { return std::trunc(a); });
  single(all, "v_rndne_f32", 1, [](float a, float, float) { return std::nearbyint(a); });
  single(all, "v_fract_f32", 1, [](float a, float, float) {
    return std::isinf(a) ? NAN : a - std::floor(a) >= 1 ? 0x1.fffffep-1f : a - std::floor(a);
  });
  single(all, "v_rcp_f32", 1, [](float a, float, float) { return flushed(1 / flushed(a)); });
  single(all, "v_rcp_iflag_f32", 1, [](float a, float, float) { return flushed(1 / flushed(a)); });
  single(all, "v_sqrt_f32", 1, [](float a, float, float) { return std::sqrt(flushed(a)); });
  single(all, "v_rsq_f32", 1, [](float a, float, float) {
    return static_cast<float>(1 / std::sqrt(static_cast<double>(flushed(a))));
  });
  single(all, "v_exp_f32", 1, [](float a, float, float) {
    return flushed(static_cast<float>(std::exp2(static_cast<double>(a))));
  });
  single(all, "v_log_f32", 1, [](float a, float, float) {
    return static_cast<float>(std::log2(static_cast<double>(flushed(a))));
  });
  single(gfx9, "v_exp_legacy_f32", 1, [](float a, float, float) {
    return flushed(static_cast<float>(std::exp2(static_cast<double>(a))));
  });
  single(gfx9, "v_log_legacy_f32", 1, [](float a, float, float) {
    return static_cast<float>(std::log2(static_cast<double>(flushed(a))));
  });
  single(all, "v_frexp_mant_f32", 1, [](float a, float, float) {
    int e;
    return std::isfinite(a) ? std::frexp(a, &e) : a;
  });
  table(all, "v_frexp_exp_i32_f32 v20, v2", "f", [](const u32* in, u32* out) {
    int e = 0;
    if (std::isfinite(as_float(in[0]))) (void)std::frexp(as_float(in[0]), &e);
    out[0] = static_cast<u32>(e);
  });
  table(all, "v_ldexp_f32 v20, v2, v3", "fi", [](const u32* in, u32* out) {
    out[0] = number(std::ldexp(as_float(in[0]), clamped(static_cast<i32>(in[1]), -1000, 1000)));
  });
  table(all, "v_ldexp_f32 v20, v2, v3", "fn", [](const u32* in, u32* out) {
    out[0] = number(std::ldexp(as_float(in[0]), static_cast<i32>(in[1])));
  });
  table(all, "v_div_fixup_f32 v20, v2, v3, v4", "fff", [](const u32* in, u32* out) {
    const float d = as_float(in[1]), n = as_float(in[2]);
    float r = fixed_up(as_float(in[0]), d, n);
    // quotients beyond the range of exponents become zero, whatever was computed
    int en = 0, ed = 0;
    if (std::isfinite(n) && std::isfinite(d) && n != 0 && d != 0) {
      en = static_cast<int>(in[2] >> 23 & 255);
      ed = static_cast<int>(in[1] >> 23 & 255);
      if (en - ed < -150) r = std::copysign(0.f, r);
    }
    out[0] = number(r);
  });
  table(
      gfx9, "v_pk_fma_f32 v[20:21], v[2:3], v[4:5], v[6:7]", "ffffff",
      [](const u32* in, u32* out) {
        for (u32 i = 0; i < 2; ++i)
          out[i] = number(std::fma(as_float(in[i]), as_float(in[2 + i]), as_float(in[4 + i])));
      },
      2);
  table(
      gfx9, "v_pk_mul_f32 v[20:21], v[2:3], v[4:5] op_sel_hi:[0,1]", "ffff",
      [](const u32* in, u32* out) {
        for (u32 i = 0; i < 2; ++i) out[i] = number(as_float(in[0]) * as_float(in[2 + i]));
      },
      2);
  table(
      gfx9, "v_pk_add_f32 v[20:21], v[2:3], v[4:5] neg_lo:[0,1] neg_hi:[0,1]", "ffff",
      [](const u32* in, u32* out) {
        for (u32 i = 0; i < 2; ++i) out[i] = number(as_float(in[i]) - as_float(in[2 + i]));
      },
      2);
  // a sign changes and an absolute value takes the bits, NaN included
  table(all, "v_add_f32 v20, -v2, |v3|", "ff", [](const u32* in, u32* out) {
    out[0] = number(-as_float(in[0]) + std::fabs(as_float(in[1])));
  });
  table(all, "v_fma_f32 v20, -|v2|, v3, -v4", "fff", [](const u32* in, u32* out) {
    out[0] = number(std::fma(-std::fabs(as_float(in[0])), as_float(in[1]), -as_float(in[2])));
  });
  table(all, "v_mul_f32 v20, v2, v3 clamp", "ff", [](const u32* in, u32* out) {
    const float x = as_float(in[0]) * as_float(in[1]);
    out[0] = f(x > 0 ? std::min(x, 1.f) : 0.f);
  });
}

void double_precision() {
  real(all, "v_add_f64", 2, [](double a, double b, double) { return a + b; });
  real(all, "v_mul_f64", 2, [](double a, double b, double) { return a * b; });
  real(all, "v_fma_f64", 3, [](double a, double b, double c) { return std::fma(a, b, c); });
  real(gfx9 | gfx11, "v_max_f64", 2, [](double a, double b, double) { return greater_of(a, b); });
  real(gfx9 | gfx11, "v_min_f64", 2, [](double a, double b, double) { return lesser_of(a, b); });
  real(gfx12, "v_max_num_f64", 2, [](double a, double b, double) { return greater_of(a, b); });
  real(gfx12, "v_min_num_f64", 2, [](double a, double b, double) { return lesser_of(a, b); });
  real(all, "v_floor_f64", 1, [](double a, double, double) { return std::floor(a); });
  real(all, "v_ceil_f64", 1, [](double a, double, double) { return std::ceil(a); });
  real(all, "v_trunc_f64", 1, [](double a, double, double) { return std::trunc(a); });
  real(all, "v_rndne_f64", 1, [](double a, double, double) { return std::nearbyint(a); });
  real(all, "v_fract_f64", 1, [](double a, double, double) {
    return std::isinf(a) ? NAN : a - std::floor(a) >= 1 ? 0x1.fffffffffffffp-1 : a - std::floor(a);
  });
  real(all, "v_frexp_mant_f64", 1, [](double a, double, double) {
    int e;
    return std::isfinite(a) ? std::frexp(a, &e) : a;
  });
  table(all, "v_frexp_exp_i32_f64 v20, v[2:3]", "Dd", [](const u32* in, u32* out) {
    int e = 0;
    if (std::isfinite(as_double(in[0], in[1]))) (void)std::frexp(as_double(in[0], in[1]), &e);
    out[0] = static_cast<u32>(e);
  });
  real(all, "v_div_fixup_f64", 3, [](double q, double d, double n) { return fixed_up(q, d, n); });
  table(
      gfx9,
      "v_mov_b32 v20, v6\nv_mov_b32 v21, v7\nv_fmac_f64 v[20:21], v[2:3], v[4:5]\nv_cmp_u_f64 @, "
      "v[20:21], v[20:21]\nv_mov_b32 v26, 0x7ff80000\nv_cndmask_b32 v20, v20, 0, @\nv_cndmask_b32 "
      "v21, v21, v26, @",
      "DdDdDd",
      [](const u32* in, u32* out) {
        const double x = std::fma(as_double(in[0], in[1]), as_double(in[2], in[3]),
                                  as_double(in[4], in[5]));
        put(out, x);
        if (std::isnan(x)) put(out, u64{0x7ff80000} << 32);
      },
      2);
  // a whole division, with a subnormal quotient too: the steps that compilers emit
  for (const bool nine : {true, false}) {
    const std::string mask = nine ? "vcc" : "vcc_lo", first = nine ? "vcc" : "null";
    const std::string code =
        "v_div_scale_f64 v[30:31], " + first +
        ", v[4:5], v[4:5], v[2:3]\nv_rcp_f64 v[32:33], v[30:31]\nv_fma_f64 v[34:35], -v[30:31], "
        "v[32:33], 1.0\nv_fma_f64 v[32:33], v[32:33], v[34:35], v[32:33]\n"
        "v_fma_f64 v[34:35], -v[30:31], v[32:33], 1.0\nv_fma_f64 v[32:33], v[32:33], v[34:35], "
        "v[32:33]\nv_div_scale_f64 v[36:37], " +
        mask +
        ", v[2:3], v[4:5], v[2:3]\nv_mul_f64 v[38:39], v[36:37], v[32:33]\n"
        "v_fma_f64 v[30:31], -v[30:31], v[38:39], v[36:37]\nv_div_fmas_f64 v[30:31], v[30:31], "
        "v[32:33], v[38:39]\nv_div_fixup_f64 v[20:21], v[30:31], v[4:5], v[2:3]";
    for (const auto& [n, d] : {std::pair{1.0, 3.0},
                               {1e300, 1e-7},
                               {2.5, -1e290},
                               {-7.0, 0.0},
                               {1e-300, 1e7},
                               {3.0, 1e308}})
      add(nine ? gfx9 : rdna, code, {lo(n), hi(n), lo(d), hi(d)}, {lo(n / d), hi(n / d)});
  }
}

}  // namespace

void float_tables() {
  single_precision();
  double_precision();
}

}  // namespace assembly
