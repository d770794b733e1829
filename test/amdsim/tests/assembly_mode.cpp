// MODE: rounding, subnormals in and out for single precision and for 16 and 64 bits, clamp and
// output multipliers.
#include "assembly_tables.hpp"

namespace assembly {
namespace {

enum class format { single, half, real };
bool subnormal(format k, u32 low, u32 high) {
  switch (k) {
    case format::single: return !(low & 0x7f800000u);
    case format::half: return !(low & 0x7c00u);
    default: return !(high & 0x7ff00000u);
  }
}
/// A subnormal number becomes zero of its sign.
void flush(format k, u32* x) {
  if (!subnormal(k, x[0], x[1])) return;
  if (k == format::real) {
    x[0] = 0;
    x[1] &= nzero;
  } else {
    x[0] &= k == format::single ? nzero : 0x8000u;
  }
}

/// An instruction under each setting of the subnormal bits of both pairs. `in` and the rule's
/// arguments are one register, or two for doubles, per operand.
void under_each_mode(u32 on, const std::string& code, format from, format to, std::vector<u32> in,
                     std::function<void(const u32* in, u32* out)> exact, u32 results = 1) {
  for (const u32 mode : {0u, 1u, 2u, 3u, 4u, 8u, 12u, 15u}) {
    const auto bits = [mode](format k) { return k == format::single ? mode & 3 : mode >> 2; };
    std::vector<u32> seen = in;
    if (!(bits(from) & 1))
      for (std::size_t i = 0; i < seen.size(); i += from == format::real ? 2 : 1) {
        u32 pair[2] = {seen[i], from == format::real ? seen[i + 1] : 0};
        flush(from, pair);
        seen[i] = pair[0];
        if (from == format::real) seen[i + 1] = pair[1];
      }
    seen.resize(8);
    u32 out[2] = {0, 0};
    exact(seen.data(), out);
    if (!(bits(to) & 2)) flush(to, out);
    std::vector<u32> want(out, out + results);
    add(on,
        "v_mov_b32 v20, 0\nv_mov_b32 v21, 0\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), " +
            std::to_string(mode) + "\n" + code,
        in, want);
  }
}

constexpr u32 tiny = 0x00400000, small = 0x00900000, tiny_negative = 0x80000123;

void singles() {
  using math = std::function<float(float, float, float)>;
  const auto op = [](u32 on, const std::string& name, u32 sources, std::vector<u32> in, math m) {
    std::string code = name + " v20";
    for (u32 i = 0; i < sources; ++i) code += ", v" + std::to_string(2 + i);
    in.resize(sources);
    under_each_mode(on, code, format::single, format::single, in, [m](const u32* a, u32* out) {
      out[0] = f(m(as_float(a[0]), as_float(a[1]), as_float(a[2])));
    });
  };
  for (const auto& in : {std::vector<u32>{tiny, small, tiny_negative},
                         {tiny_negative, tiny, f(1)},
                         {small | nzero, tiny, nzero},
                         {f(0.5f), small, tiny}}) {
    op(all, "v_add_f32", 2, in, [](float a, float b, float) { return a + b; });
    op(all, "v_sub_f32", 2, in, [](float a, float b, float) { return a - b; });
    op(all, "v_mul_f32", 2, in, [](float a, float b, float) { return a * b; });
    op(all, "v_fma_f32", 3, in, [](float a, float b, float c) { return std::fma(a, b, c); });
    op(gfx9 | gfx11, "v_max_f32", 2, in, [](float a, float b, float) { return greater_of(a, b); });
    op(gfx9 | gfx11, "v_min_f32", 2, in, [](float a, float b, float) { return lesser_of(a, b); });
    op(gfx12, "v_max_num_f32", 2, in, [](float a, float b, float) { return greater_of(a, b); });
    op(gfx12, "v_min_num_f32", 2, in, [](float a, float b, float) { return lesser_of(a, b); });
    op(gfx12, "v_maximum_f32", 2, in, [](float a, float b, float) { return greater_of(a, b); });
    op(gfx12, "v_minimum_f32", 2, in, [](float a, float b, float) { return lesser_of(a, b); });
    op(gfx9 | gfx11, "v_max3_f32", 3, in,
       [](float a, float b, float c) { return greater_of(greater_of(a, b), c); });
    op(gfx9 | gfx11, "v_min3_f32", 3, in,
       [](float a, float b, float c) { return lesser_of(lesser_of(a, b), c); });
    op(gfx9 | gfx11, "v_med3_f32", 3, in, [](float a, float b, float c) {
      return greater_of(lesser_of(a, b), lesser_of(greater_of(a, b), c));
    });
    op(all, "v_floor_f32", 1, in, [](float a, float, float) { return std::floor(a); });
    op(all, "v_ceil_f32", 1, in, [](float a, float, float) { return std::ceil(a); });
    op(all, "v_trunc_f32", 1, in, [](float a, float, float) { return std::trunc(a); });
    op(all, "v_fract_f32", 1, in,
       [](float a, float, float) { return std::fmin(a - std::floor(a), 0x1.fffffep-1f); });
    op(all, "v_frexp_mant_f32", 1, in, [](float a, float, float) {
      int e;
      return std::frexp(a, &e);
    });
    // what only moves bits changes nothing
    for (const char* n : {"v_mov_b32 v20, v2", "v_cndmask_b32 v20, v2, v3, @"})
      for (const bool nine : {true, false}) {
        std::string code = n;
        if (const auto at = code.find('@'); at != std::string::npos)
          code.replace(at, 1, nine ? "s[28:29]" : "s28");
        add(nine ? gfx9 : rdna,
            "s_mov_b32 s28, 0\ns_mov_b32 s29, 0\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0\n" +
                code,
            in, {in[0]});
      }
  }
  under_each_mode(all, "v_ldexp_f32 v20, v2, v3", format::single, format::single, {tiny},
                  [](const u32* a, u32* out) { out[0] = a[0]; });
  under_each_mode(all, "v_frexp_exp_i32_f32 v20, v2", format::single, format::real, {tiny},
                  [](const u32* a, u32* out) {
                    out[0] = a[0] ? static_cast<u32>(-126) : 0;
                    out[1] = 0x3ff00000;
                  });
  // comparisons
  for (const bool nine : {true, false})
    under_each_mode(
        nine ? gfx9 : rdna,
        nine ? "v_cmp_gt_f32 vcc, v2, v3\nv_cndmask_b32 v20, 0, 1.0, vcc"
             : "v_cmp_gt_f32 vcc_lo, v2, v3\nv_cndmask_b32 v20, 0, 1.0, vcc_lo",
        format::single, format::single, {tiny, tiny_negative},
        [](const u32* a, u32* out) { out[0] = as_float(a[0]) > as_float(a[1]) ? f(1) : 0; });
  // a class is the number's own, whatever the mode
  add(gfx9,
      "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0\nv_cmp_class_f32 vcc, v2, v3\nv_cndmask_b32 "
      "v20, 0, 1, vcc",
      {tiny, 128}, {1});
  add(rdna,
      "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0\nv_cmp_class_f32 vcc_lo, v2, "
      "v3\nv_cndmask_b32 v20, 0, 1, vcc_lo",
      {tiny, 128}, {1});
  // mad of gfx9 and the transcendental functions flush always; so does the dot product
  // to single precision
  for (const u32 mode : {0, 15}) {
    const std::string set = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), " + std::to_string(mode) +
                            "\n";
    add(all, set + "v_rcp_f32 v20, v2\nv_sqrt_f32 v21, v2\nv_rcp_f32 v22, v3", {tiny, 0x7f000000},
        {inf, 0, 0});
    add(all, set + "v_dot2_f32_f16 v20, v2, v3, v4", {0, 0, tiny}, {0});
  }
}

void halves() {
  using math = std::function<double(double, double, double)>;
  const auto op = [](u32 on, const std::string& name, u32 sources, std::vector<u32> in, math m) {
    std::string code = name + " v20";
    for (u32 i = 0; i < sources; ++i) code += ", v" + std::to_string(2 + i);
    in.resize(sources);
    under_each_mode(on, code, format::half, format::half, in, [m](const u32* a, u32* out) {
      out[0] = to_half(m(half(a[0]), half(a[1]), half(a[2])));
    });
  };
  for (const auto& in : {std::vector<u32>{0x0200, 0x0480, 0x8012},
                         {0x8012, 0x0200, 0x3c00},
                         {0x8480, 0x0200, 0x8000},
                         {0x3800, 0x0480, 0x0201}}) {
    op(all, "v_add_f16", 2, in, [](double a, double b, double) { return a + b; });
    op(all, "v_sub_f16", 2, in, [](double a, double b, double) { return a - b; });
    op(all, "v_mul_f16", 2, in, [](double a, double b, double) { return a * b; });
    op(all, "v_fma_f16", 3, in, [](double a, double b, double c) { return a * b + c; });
    op(gfx9 | gfx11, "v_max_f16", 2, in,
       [](double a, double b, double) { return greater_of(a, b); });
    op(gfx12, "v_min_num_f16", 2, in, [](double a, double b, double) { return lesser_of(a, b); });
    op(all, "v_floor_f16", 1, in, [](double a, double, double) { return std::floor(a); });
    op(all, "v_exp_f16", 1, {0xcbc0}, [](double a, double, double) { return std::exp2(a); });
    // Packed: the first two inputs in one half, exchanged in the other.
    const auto both = [&](u32 on, const std::string& code,
                          std::function<double(double, double)> m) {
      under_each_mode(on,
                      "v_lshl_or_b32 v6, v3, 16, v2\nv_lshl_or_b32 v7, v2, 16, v3\n" + code +
                          "\nv_and_b32 v20, 0xffff, v20",
                      format::half, format::half, {in[0], in[1]},
                      [m](const u32* a, u32* out) { out[0] = to_half(m(half(a[0]), half(a[1]))); });
    };
    both(all, "v_pk_add_f16 v20, v6, v7", [](double a, double b) { return a + b; });
    both(all, "v_pk_mul_f16 v20, v6, v7", [](double a, double b) { return a * b; });
    both(gfx9 | gfx11, "v_pk_max_f16 v20, v6, v7",
         [](double a, double b) { return greater_of(a, b); });
    both(gfx12, "v_pk_max_num_f16 v20, v6, v7",
         [](double a, double b) { return greater_of(a, b); });
  }
  // each format by its own bits
  under_each_mode(all, "v_cvt_f32_f16 v20, v2", format::half, format::single, {0x0123},
                  [](const u32* a, u32* out) { out[0] = f(static_cast<float>(half(a[0]))); });
  under_each_mode(
      all, "v_cvt_f16_f32 v20, v2", format::single, format::half, {f(0x1.8p-20f)},
      [](const u32* a, u32* out) { out[0] = to_half(static_cast<double>(as_float(a[0]))); });
  for (const bool nine : {true, false})
    under_each_mode(nine ? gfx9 : rdna,
                    nine ? "v_cvt_pkrtz_f16_f32 v20, v2, 0" : "v_cvt_pk_rtz_f16_f32 v20, v2, 0",
                    format::single, format::half, {f(0x1.8p-20f)}, [](const u32* a, u32* out) {
                      out[0] = to_half(static_cast<double>(as_float(a[0])));
                    });
  under_each_mode(all, "v_fma_mix_f32 v20, v2, 1.0, 0 op_sel_hi:[1,0,0]", format::half,
                  format::single, {0x0123},
                  [](const u32* a, u32* out) { out[0] = f(static_cast<float>(half(a[0]))); });
  under_each_mode(all, "v_fma_mixlo_f16 v20, v2, 1.0, 0 op_sel_hi:[0,0,0]", format::single,
                  format::half, {f(0x1.8p-20f)}, [](const u32* a, u32* out) {
                    out[0] = to_half(static_cast<double>(as_float(a[0])));
                  });
  for (const bool nine : {true, false})
    under_each_mode(nine ? gfx9 : rdna,
                    nine ? "v_cmp_gt_f16 vcc, v2, v3\nv_cndmask_b32 v20, 0, 1.0, vcc"
                         : "v_cmp_gt_f16 vcc_lo, v2, v3\nv_cndmask_b32 v20, 0, 1.0, vcc_lo",
                    format::half, format::single, {0x0002, 0x8001},
                    [](const u32* a, u32* out) { out[0] = half(a[0]) > half(a[1]) ? f(1) : 0; });
}

void doubles() {
  constexpr u32 t = 0x00080000, s = 0x00180000;  // high words of a subnormal and of a small number
  using math = std::function<double(double, double)>;
  const auto op = [](u32 on, const std::string& name, u32 sources, std::vector<u32> in, math m) {
    in.resize(2 * sources);
    under_each_mode(
        on, name + " v[20:21], v[2:3]" + (sources > 1 ? ", v[4:5]" : ""), format::real,
        format::real, in,
        [m](const u32* a, u32* out) { put(out, m(as_double(a[0], a[1]), as_double(a[2], a[3]))); },
        2);
  };
  for (const auto& in :
       {std::vector<u32>{0, t, 0, s}, {5, t | nzero, 0, 0x3ff00000}, {0, s | nzero, 7, t}}) {
    op(all, "v_add_f64", 2, in, [](double a, double b) { return a + b; });
    op(all, "v_mul_f64", 2, in, [](double a, double b) { return a * b; });
    op(gfx9 | gfx11, "v_max_f64", 2, in, [](double a, double b) { return greater_of(a, b); });
    op(gfx9 | gfx11, "v_min_f64", 2, in, [](double a, double b) { return lesser_of(a, b); });
    op(gfx12, "v_max_num_f64", 2, in, [](double a, double b) { return greater_of(a, b); });
    op(gfx12, "v_min_num_f64", 2, in, [](double a, double b) { return lesser_of(a, b); });
    op(all, "v_floor_f64", 1, in, [](double a, double) { return std::floor(a); });
    op(all, "v_ceil_f64", 1, in, [](double a, double) { return std::ceil(a); });
  }
  under_each_mode(
      all, "v_cvt_f64_f32 v[20:21], v2", format::single, format::real, {tiny},
      [](const u32* a, u32* out) { put(out, static_cast<double>(as_float(a[0]))); }, 2);
  under_each_mode(all, "v_cvt_f32_f64 v20, v[2:3]", format::real, format::single,
                  {lo(0x1.8p-130), hi(0x1.8p-130)}, [](const u32* a, u32* out) {
                    out[0] = f(static_cast<float>(as_double(a[0], a[1])));
                  });
}

void rounding() {
  // 1 and three quarters of a last place, and its negative, under each rounding: nearest,
  // up, down, to zero
  for (u32 m = 0; m < 4; ++m) {
    const auto up = [m](bool negative) {
      return m == 0 || (m == 1 && !negative) || (m == 2 && negative);
    };
    const auto set = [m](u32 at) {
      return "v_mov_b32 v20, 0\nv_mov_b32 v21, 0\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, " +
             std::to_string(at) + ", 2), " + std::to_string(m) + "\n";
    };
    add(all, set(0) + "v_add_f32 v20, v2, v3\nv_sub_f32 v21, -v2, v3\nv_fma_f32 v22, v2, 1.0, v3",
        {f(1), f(0x1.8p-24f)}, {f(1) + up(false), f(-1) + up(true), f(1) + up(false)});
    add(all, set(2) + "v_add_f32 v20, v2, v3\nv_add_f16 v21, v4, v5\nv_and_b32 v21, 0xffff, v21",
        {f(1), f(0x1.8p-24f), 0x3c00, 0x1200}, {f(1) + 1, 0x3c00u + up(false)});
    add(all,
        set(2) +
            "v_cvt_f16_f32 v20, v2\nv_cvt_f16_f32 v21, -v2\nv_and_b32 v20, 0xffff, v20\nv_and_b32 "
            "v21, 0xffff, v21",
        {f(1 + 0x1.8p-11f)}, {0x3c00u + up(false), 0xbc00u + up(true)});
    add(all, set(0) + "v_cvt_f16_f32 v20, v2\nv_and_b32 v20, 0xffff, v20", {f(1 + 0x1.8p-11f)},
        {0x3c01u});
    add(all, set(2) + "v_add_f64 v[20:21], v[2:3], v[4:5]",
        {0, 0x3ff00000, lo(0x1.8p-53), hi(0x1.8p-53)}, {0u + up(false), 0x3ff00000});
    add(all, set(0) + "v_add_f64 v[20:21], v[2:3], v[4:5]",
        {0, 0x3ff00000, lo(0x1.8p-53), hi(0x1.8p-53)}, {1, 0x3ff00000});
    add(all, set(0) + "v_cvt_f32_f64 v20, v[2:3]", {lo(1 + 0x1.8p-24), hi(1 + 0x1.8p-24)},
        {f(1) + up(false)});
    add(all, set(0) + "v_rndne_f32 v20, v2\nv_floor_f32 v21, v2\nv_cvt_i32_f32 v22, v2", {f(2.75f)},
        {f(3), f(2), 2});
    add(all, set(2) + "v_rndne_f64 v[20:21], v[2:3]", {lo(2.75), hi(2.75)}, {lo(3), hi(3)});
    add(all, set(0) + set(2) + "v_fma_mixlo_f16 v20, v2, 1.0, 0 op_sel_hi:[0,0,0]",
        {f(1 + 0x1.8p-11f)}, {0x3c00u + up(false)});
  }
  add(all,
      "s_round_mode 0xf\nv_add_f32 v20, v2, v3\ns_getreg_b32 s30, hwreg(HW_REG_MODE, 0, "
      "4)\nv_mov_b32 v21, s30",
      {f(1), f(0x1.8p-24f)}, {f(1), 15});
  cases().back().on = rdna;
  add(rdna, "s_denorm_mode 0x5\ns_getreg_b32 s30, hwreg(HW_REG_MODE, 4, 4)\nv_mov_b32 v20, s30", {},
      {5});
}

void signaling_nan() {
  // With MODE.IEEE (bit 9) a signaling NaN wins minimum and maximum, and comes out quiet; without,
  // and on gfx12, the number does.
  constexpr u32 signal = 0x7f800123, half_signal = 0x7d01;
  const auto set = [](bool on) {
    return std::string("v_mov_b32 v20, 0\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 9, 1), ") +
           (on ? "1\n" : "0\n");
  };
  for (const bool ieee : {true, false}) {
    const auto wins = [ieee](u32 nan_bits, u32 number) { return ieee ? nan_bits : number; };
    for (const char* n : {"max", "min"}) {
      add(gfx9 | gfx11,
          set(ieee) + "v_" + n + "_f32 v20, v2, v3\nv_" + n + "_f32 v21, v3, v2\nv_" + n +
              "_f32 v22, v4, v3",
          {signal, f(1), nan},
          {wins(signal | 0x400000, f(1)), wins(signal | 0x400000, f(1)), f(1)});
      add(gfx9 | gfx11,
          set(ieee) + "v_" + n + "3_f32 v20, v2, v3, v4\nv_" + n + "3_f32 v21, v3, v3, v2",
          {signal, f(1), f(1)}, {f(1), wins(signal | 0x400000, f(1))});
      add(gfx9 | gfx11,
          set(ieee) + "v_" + n + "_f16 v20, v2, v3\nv_" + n +
              "_f16 v21, v3, v4\nv_and_b32 v20, 0xffff, v20\nv_and_b32 v21, 0xffff, v21",
          {half_signal, 0x3c00, 0x7e00}, {wins(0x7f01, 0x3c00), 0x3c00});
      add(gfx9 | gfx11, set(ieee) + "v_pk_" + n + "_f16 v20, v2, v3",
          {half_signal << 16 | 0x3c00, 0x3c00u << 16 | half_signal},
          {wins(0x7f017f01, 0x3c003c00)});
      add(gfx9 | gfx11, set(ieee) + "v_" + n + "_f64 v[20:21], v[2:3], v[4:5]",
          {1, 0x7ff00000, lo(1), hi(1)}, {wins(1, lo(1)), wins(0x7ff80000, hi(1))});
      add(gfx12,
          std::string("v_") + n + "_num_f32 v20, v2, v3\nv_" + n +
              "_num_f16 v21, v4, v5\nv_and_b32 v21, 0xffff, v21",
          {signal, f(1), half_signal, 0x3c00}, {f(1), 0x3c00});
    }
  }
}

void output() {
  // multipliers count where results are flushed and IEEE rules are off (MODE bit 9, not on gfx12),
  // and make -0 positive
  const std::string on9 = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 6), 0x10\n",
                    ieee = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 6), 0x30\n",
                    keeps = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 6), 0x1f\n";
  add(all,
      on9 + "v_add_f32 v20, v2, v3 mul:4\nv_mul_f32 v21, v2, v3 div:2\nv_add_f32 v22, v2, v3 mul:2",
      {f(1), f(3)}, {f(16), f(1.5f), f(8)});
  add(all, on9 + "v_mul_f32 v20, v2, v3 mul:2", {nzero, f(3)}, {0});
  add(all, on9 + "v_add_f64 v[20:21], v[2:3], v[4:5] mul:4", {lo(1), hi(1), lo(3), hi(3)},
      {lo(16), hi(16)});
  add(gfx9, on9 + "v_add_f16 v20, v2, v3 mul:4", {0x3c00, 0x4200}, {0x4c00});
  add(all, keeps + "v_add_f32 v20, v2, v3 mul:4", {f(1), f(3)}, {f(4)});
  add(gfx9 | gfx11, ieee + "v_add_f32 v20, v2, v3 mul:4", {f(1), f(3)}, {f(4)});
  // clamp: NaN becomes zero with DX10_CLAMP (MODE bit 8; always on gfx12), else it stays
  add(all, "v_mul_f32 v20, v2, v3 clamp\nv_add_f32 v21, v3, v3 clamp\nv_add_f32 v22, v3, -v4 clamp",
      {nan, f(3), f(5)}, {0, f(1), 0});
  add(gfx9 | gfx11, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 8, 1), 0\nv_mul_f32 v20, v2, v3 clamp",
      {nan, f(3)}, {nan});
  add(gfx9, "v_pk_mul_f32 v[20:21], v[2:3], v[4:5] clamp", {f(2), f(-1), f(3), f(4)}, {f(1), 0});
  add(all, "v_fma_mix_f32 v20, v2, v3, v4 clamp", {f(2), f(3), f(1)}, {f(1)});
  add(all, "v_add_f64 v[20:21], v[2:3], v[4:5] clamp", {lo(1), hi(1), lo(3), hi(3)},
      {lo(1), hi(1)});
}

}  // namespace

void mode_cases() {
  singles();
  halves();
  doubles();
  rounding();
  signaling_nan();
  output();
}

}  // namespace assembly
