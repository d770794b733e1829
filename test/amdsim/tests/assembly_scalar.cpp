// Scalar instructions: lane masks and EXEC, 64 bits, floats, loads, waits and the program counter.
#include <bit>

#include "assembly_tables.hpp"

namespace assembly {
namespace {

/// A 64-bit mask from s[8:9] with EXEC = s[10:11]: what is saved, the new EXEC, SCC. In
/// wave32 one register each.
void saveexec(u32 on, const std::string& name, std::function<u64(u64 source, u64 exec)> r,
              bool wrexec = false) {
  const bool wide = name.back() == '4';
  constexpr u32 s0 = 0x0ff0a5f0, s1 = 0x80001234, e0 = 0x33335555, e1 = 0xf0f00f0f;
  for (const bool zero : {false, true}) {
    const u64 source = zero   ? (wide ? u64{e0} | u64{e1} << 32 : u64{e0})
                       : wide ? u64{s0} | u64{s1} << 32
                              : u64{s0},
              exec = wide ? u64{e0} | u64{e1} << 32 : u64{e0};
    const u64 now = wide ? r(source, exec) : r(source, exec) & 0xffffffffu,
              out = wrexec ? now : exec;
    const std::string code =
        wide ? "s_mov_b64 exec, s[10:11]\n" + name +
                   " s[30:31], s[8:9]\ns_cselect_b32 s34, 1, 0\ns_mov_b64 s[32:33], "
                   "exec\ns_mov_b64 exec, -1\nv_mov_b32 v20, s30\nv_mov_b32 v21, s31\nv_mov_b32 "
                   "v22, s32\nv_mov_b32 v23, s33\nv_lshl_or_b32 v23, s34, 31, v23"
             : "s_mov_b32 exec_lo, s10\n" + name +
                   " s30, s8\ns_cselect_b32 s34, 1, 0\ns_mov_b32 s32, exec_lo\ns_mov_b32 exec_lo, "
                   "-1\nv_mov_b32 v20, s30\nv_mov_b32 v21, s34\nv_mov_b32 v22, s32";
    std::vector<u32> want;
    if (wide)
      want = {static_cast<u32>(out), static_cast<u32>(out >> 32), static_cast<u32>(now),
              static_cast<u32>(now >> 32) | (now ? nzero : 0)};
    else want = {static_cast<u32>(out), now != 0, static_cast<u32>(now)};
    add(on, code, {static_cast<u32>(source), static_cast<u32>(source >> 32), e0, e1}, want);
  }
}

void exec_masks() {
  struct row {
    const char *nine, *later;
    std::function<u64(u64, u64)> r;
  };
  const row rows[] = {{"and", "and", [](u64 s, u64 e) { return s & e; }},
                      {"or", "or", [](u64 s, u64 e) { return s | e; }},
                      {"xor", "xor", [](u64 s, u64 e) { return s ^ e; }},
                      {"nand", "nand", [](u64 s, u64 e) { return ~(s & e); }},
                      {"nor", "nor", [](u64 s, u64 e) { return ~(s | e); }},
                      {"xnor", "xnor", [](u64 s, u64 e) { return ~(s ^ e); }},
                      {"andn1", "and_not0", [](u64 s, u64 e) { return ~s & e; }},
                      {"orn1", "or_not0", [](u64 s, u64 e) { return ~s | e; }},
                      {"andn2", "and_not1", [](u64 s, u64 e) { return s & ~e; }},
                      {"orn2", "or_not1", [](u64 s, u64 e) { return s | ~e; }}};
  for (const row& r : rows) {
    saveexec(gfx9, std::string("s_") + r.nine + "_saveexec_b64", r.r);
    saveexec(rdna, std::string("s_") + r.later + "_saveexec_b32", r.r);
    if (std::string(r.nine).rfind("andn", 0) == 0) {
      saveexec(gfx9, std::string("s_") + r.nine + "_wrexec_b64", r.r, true);
      saveexec(rdna, std::string("s_") + r.later + "_wrexec_b32", r.r, true);
    }
    // the 64-bit forms in wave32: EXEC has no upper half
    constexpr u32 s0 = 0x0ff0a5f0, e0 = 0x33335555;
    add(rdna,
        std::string("s_mov_b32 exec_lo, s10\ns_") + r.later +
            "_saveexec_b64 s[30:31], s[8:9]\ns_mov_b32 s32, exec_lo\ns_mov_b32 exec_lo, "
            "-1\nv_mov_b32 v20, s30\nv_mov_b32 v21, s32",
        {s0, 0, e0}, {e0, static_cast<u32>(r.r(s0, e0))});
  }
}

/// Two 64-bit sources in s[8:9] and s[10:11] (or a 32-bit second one in s10), a 64-bit result, SCC
/// (2: not looked at).
void wide(u32 on, const std::string& name, u64 a, u64 b, u64 out, u32 scc,
          const std::string& second = "s[10:11]") {
  std::string code =
      "s_cmp_eq_u32 s8, s8\n" + name + " s[30:31], s[8:9]" + (second.empty() ? "" : ", " + second) +
      "\ns_cselect_b32 s32, 1, 0\nv_mov_b32 v20, s30\nv_mov_b32 v21, s31\nv_mov_b32 v22, s32";
  std::vector<u32> want = {static_cast<u32>(out), static_cast<u32>(out >> 32)};
  if (scc < 2) want.push_back(scc);
  add(on, code,
      {static_cast<u32>(a), static_cast<u32>(a >> 32), static_cast<u32>(b),
       static_cast<u32>(b >> 32)},
      want);
}
/// A 32-bit result of a 64-bit source.
void count(u32 on, const std::string& name, u64 a, u32 out) {
  add(on, name + " s30, s[8:9]\nv_mov_b32 v20, s30",
      {static_cast<u32>(a), static_cast<u32>(a >> 32)}, {out});
}

void sixty_four() {
  constexpr u64 pool[] = {0,
                          ~u64{0},
                          1,
                          u64{1} << 63,
                          0x00ff00ff12345678,
                          0xfffffffffffffff0,
                          u64{1} << 32,
                          0x7fffffffffffffff};
  for (const u64 a : pool) {
    const u32 sign_run = static_cast<u32>(a >> 63 ? std::countl_one(a) : std::countl_zero(a));
    count(all, "s_bcnt0_i32_b64", a, static_cast<u32>(64 - std::popcount(a)));
    count(all, "s_bcnt1_i32_b64", a, static_cast<u32>(std::popcount(a)));
    count(gfx9, "s_ff0_i32_b64", a, ~a ? static_cast<u32>(std::countr_one(a)) : ~0u);
    count(gfx9, "s_ff1_i32_b64", a, a ? static_cast<u32>(std::countr_zero(a)) : ~0u);
    count(rdna, "s_ctz_i32_b64", a, a ? static_cast<u32>(std::countr_zero(a)) : ~0u);
    count(gfx9, "s_flbit_i32_b64", a, a ? static_cast<u32>(std::countl_zero(a)) : ~0u);
    count(rdna, "s_clz_i32_u64", a, a ? static_cast<u32>(std::countl_zero(a)) : ~0u);
    count(gfx9, "s_flbit_i32_i64", a, sign_run < 64 ? sign_run : ~0u);
    count(rdna, "s_cls_i32_i64", a, sign_run < 64 ? sign_run : ~0u);
    u64 quads = 0, whole = 0;
    for (u32 i = 0; i < 16; ++i)
      if (a >> 4 * i & 15) {
        quads |= u64{1} << i;
        whole |= u64{15} << 4 * i;
      }
    wide(all, "s_quadmask_b64", a, 0, quads, quads != 0, "");
    wide(all, "s_wqm_b64", a, 0, whole, whole != 0, "");
    for (const u64 b : {u64{3}, u64{0xf0f0f0f0f0f0f0f0}}) {
      wide(gfx9, "s_orn2_b64", a, b, a | ~b, (a | ~b) != 0);
      wide(rdna, "s_or_not1_b64", a, b, a | ~b, (a | ~b) != 0);
      wide(gfx12, "s_add_nc_u64", a, b, a + b, 1);
      wide(gfx12, "s_sub_nc_u64", a, b, a - b, 1);
      wide(gfx12, "s_mul_u64", a, b, a * b, 1);
    }
    for (const u32 bit : {0u, 5u, 63u, 64u + 33u}) {
      const std::string s = std::to_string(bit & 63);
      add(all,
          "s_bitcmp1_b64 s[8:9], s10\ns_cselect_b32 s30, 1, 0\ns_bitcmp0_b64 s[8:9], "
          "s10\ns_cselect_b32 s31, 1, 0\nv_mov_b32 v20, s30\nv_mov_b32 v21, s31",
          {static_cast<u32>(a), static_cast<u32>(a >> 32), bit},
          {static_cast<u32>(a >> (bit & 63) & 1), static_cast<u32>(~a >> (bit & 63) & 1)});
      const u64 set = a | u64{1} << (bit & 63), clear = a & ~(u64{1} << (bit & 63));
      add(all,
          "s_mov_b64 s[30:31], s[8:9]\ns_mov_b64 s[32:33], s[8:9]\ns_bitset1_b64 s[30:31], " + s +
              "\ns_bitset0_b64 s[32:33], " + s +
              "\nv_mov_b32 v20, s30\nv_mov_b32 v21, s31\nv_mov_b32 v22, s32\nv_mov_b32 v23, s33",
          {static_cast<u32>(a), static_cast<u32>(a >> 32)},
          {static_cast<u32>(set), static_cast<u32>(set >> 32), static_cast<u32>(clear),
           static_cast<u32>(clear >> 32)});
    }
    // fields: offset in bits 0..5, width in 16..22; a width beyond what is left takes what is left
    for (const u32 spec : {4u | 8u << 16, 60u | 16u << 16, 0u | 64u << 16, 8u | 100u << 16, 5u}) {
      const u32 at = spec & 63, n = spec >> 16 & 127;
      const u64 field = n == 0 ? 0 : n >= 64 ? a >> at : a >> at & ((u64{1} << n) - 1);
      wide(all, "s_bfe_u64", a, spec, field, field != 0, "s10");
      const i64 shifted = static_cast<i64>(a) >> at;
      const i64 extended = n == 0    ? 0
                           : n >= 64 ? shifted
                                     : static_cast<i64>(static_cast<u64>(shifted) << (64 - n)) >>
                                           (64 - n);
      wide(all, "s_bfe_i64", a, spec, static_cast<u64>(extended), extended != 0, "s10");
      const u32 low = static_cast<u32>(a), at32 = spec & 31;
      const u32 field32 = n == 0 ? 0 : n >= 32 ? low >> at32 : low >> at32 & ((1u << n) - 1);
      const i32 shifted32 = static_cast<i32>(low) >> at32,
                extended32 = n == 0 ? 0
                             : n >= 32
                                 ? shifted32
                                 : static_cast<i32>(static_cast<u32>(shifted32) << (32 - n)) >>
                                       (32 - n);
      add(all,
          "s_bfe_u32 s30, s8, s9\ns_cselect_b32 s31, 1, 0\ns_bfe_i32 s32, s8, s9\nv_mov_b32 v20, "
          "s30\nv_mov_b32 v21, s31\nv_mov_b32 v22, s32",
          {low, spec}, {field32, field32 != 0, static_cast<u32>(extended32)});
    }
  }
  add(all, "s_bfm_b64 s[30:31], s8, s9\nv_mov_b32 v20, s30\nv_mov_b32 v21, s31", {8, 28},
      {0xf0000000, 0xf});
  for (const bool taken : {true, false}) {
    const std::string compare = taken ? "s_cmp_eq_u32 s8, s8\n" : "s_cmp_lg_u32 s8, s8\n";
    add(all,
        "s_mov_b32 s30, 1\ns_mov_b64 s[32:33], 2\ns_mov_b32 s34, 3\n" + compare +
            "s_cmov_b32 s30, s8\ns_cmov_b64 s[32:33], s[8:9]\ns_cmovk_i32 s34, 0xfffe\nv_mov_b32 "
            "v20, s30\nv_mov_b32 v21, s32\nv_mov_b32 v22, s33\nv_mov_b32 v23, s34",
        {77, 88}, taken ? std::vector<u32>{77, 77, 88, 0xfffffffe} : std::vector<u32>{1, 2, 0, 3});
  }
}

void floats() {
  const auto two = [](const std::string& n, u32 a, u32 b, u32 want, u32 on = scalar_floats) {
    add(on, n + " s30, s8, s9\nv_mov_b32 v20, s30", {a, b}, {want});
  };
  const auto one = [](const std::string& n, u32 a, u32 want, u32 on = scalar_floats) {
    add(on, n + " s30, s8\nv_mov_b32 v20, s30", {a}, {want});
  };
  constexpr u32 pool[] = {0,    nzero, 0x3f800000, 0xc0200000, inf,
                          ninf, nan,   denormal,   0x7f7fffff, 0x40490fdb};
  constexpr u32 halves[] = {0, 0x8000, 0x3c00, 0xc100, 0x7c00, 0xfc00, 0x7e00, 1, 0x7bff, 0x4248};
  const auto half_number = [](double x) { return std::isnan(x) ? 0x7e00u : to_half(x); };
  const auto calm = [](const std::string& n, u32 a, u32 b, u32 want) {  // any NaN becomes 7e00
    add(scalar_floats,
        n + " s30, s8" + (b == ~0u ? "" : ", s9") +
            "\ns_and_b32 s31, s30, 0x7fff\ns_cmp_gt_u32 s31, 0x7c00\ns_cselect_b32 s30, 0x7e00, "
            "s30\nv_mov_b32 v20, s30",
        {a, b}, {want});
  };
  for (std::size_t i = 0; i < 10; ++i)
    for (std::size_t j : {i, (i + 3) % 10, (i + 7) % 10}) {
      const float a = as_float(pool[i]), b = as_float(pool[j]);
      two("s_add_f32", pool[i], pool[j], number(a + b));
      two("s_sub_f32", pool[i], pool[j], number(a - b));
      two("s_mul_f32", pool[i], pool[j], number(a * b));
      two("s_max_f32", pool[i], pool[j], number(greater_of(a, b)), gfx115);
      two("s_min_f32", pool[i], pool[j], number(lesser_of(a, b)), gfx115);
      two("s_max_num_f32", pool[i], pool[j], number(greater_of(a, b)), gfx12);
      two("s_min_num_f32", pool[i], pool[j], number(lesser_of(a, b)), gfx12);
      const bool none = std::isnan(a) || std::isnan(b);
      two("s_maximum_f32", pool[i], pool[j], number(none ? NAN : greater_of(a, b)), gfx12);
      two("s_minimum_f32", pool[i], pool[j], number(none ? NAN : lesser_of(a, b)), gfx12);
      add(scalar_floats,
          "s_mov_b32 s30, 2.0\ns_fmac_f32 s30, s8, s9\ns_fmamk_f32 s31, s8, 0x40200000, "
          "s9\ns_fmaak_f32 s32, s8, s9, 0x40200000\nv_mov_b32 v20, s30\nv_mov_b32 v21, "
          "s31\nv_mov_b32 v22, s32",
          {pool[i], pool[j]},
          {number(std::fma(a, b, 2.f)), number(std::fma(a, 2.5f, b)),
           number(std::fma(a, b, 2.5f))});
      const double ha = half(halves[i]), hb = half(halves[j]);
      calm("s_add_f16", halves[i], halves[j], half_number(ha + hb));
      calm("s_sub_f16", halves[i], halves[j], half_number(ha - hb));
      calm("s_mul_f16", halves[i], halves[j], half_number(ha * hb));
      struct relation {
        const char* name;
        u32 holds;
      };
      for (const relation& r : {relation{"lt", 1},
                                {"eq", 2},
                                {"le", 3},
                                {"gt", 4},
                                {"lg", 5},
                                {"ge", 6},
                                {"o", 7},
                                {"u", 8},
                                {"nge", 9},
                                {"nlg", 10},
                                {"ngt", 11},
                                {"nle", 12},
                                {"neq", 13},
                                {"nlt", 14}}) {
        const auto holds = [&](auto x, auto y) {
          return ((x < y ? 1u : x == y ? 2u : x > y ? 4u : 8u) & r.holds) != 0;
        };
        add(scalar_floats,
            std::string("s_cmp_") + r.name + "_f32 s8, s9\ns_cselect_b32 s30, 1, 0\ns_cmp_" +
                r.name +
                "_f16 s10, s11\ns_cselect_b32 s31, 1, 0\nv_mov_b32 v20, s30\nv_mov_b32 v21, s31",
            {pool[i], pool[j], halves[i], halves[j]}, {holds(a, b), holds(ha, hb)});
      }
    }
  for (std::size_t i = 0; i < 10; ++i) {
    const float a = as_float(pool[i]);
    const double h = half(halves[i]);
    one("s_floor_f32", pool[i], number(std::floor(a)));
    one("s_ceil_f32", pool[i], number(std::ceil(a)));
    one("s_trunc_f32", pool[i], number(std::trunc(a)));
    one("s_rndne_f32", pool[i], number(std::nearbyint(a)));
    calm("s_floor_f16", halves[i], ~0u, half_number(std::floor(h)));
    calm("s_ceil_f16", halves[i], ~0u, half_number(std::ceil(h)));
    calm("s_trunc_f16", halves[i], ~0u, half_number(std::trunc(h)));
    calm("s_rndne_f16", halves[i], ~0u, half_number(std::nearbyint(h)));
    one("s_cvt_f32_f16", halves[i] | 0xabcd0000u, number(static_cast<float>(h)));
    one("s_cvt_hi_f32_f16", halves[i] << 16 | 0xabcd, number(static_cast<float>(h)));
    calm("s_cvt_f16_f32", pool[i], ~0u, half_number(static_cast<double>(a)));
    one("s_cvt_i32_f32", pool[i],
        std::isnan(a) ? 0
                      : static_cast<u32>(static_cast<i32>(
                            clamped(static_cast<double>(a), -2147483648.0, 2147483647.0))));
    one("s_cvt_u32_f32", pool[i],
        std::isnan(a) ? 0 : static_cast<u32>(clamped(static_cast<double>(a), 0.0, 4294967295.0)));
    one("s_cvt_f32_i32", pool[i], f(static_cast<float>(static_cast<i32>(pool[i]))));
    one("s_cvt_f32_u32", pool[i], f(static_cast<float>(pool[i])));
  }
  two("s_cvt_pk_rtz_f16_f32", f(1 + 0x1.8p-11f), f(-1e9f), 0xfbff3c00);
  two("s_max_num_f16", 0xbc00, 0x8000, 0x8000, gfx12);
  two("s_min_num_f16", 0x7e00, 0x3c00, 0x3c00, gfx12);
  two("s_maximum_f16", 0x0000, 0x8000, 0, gfx12);
  two("s_minimum_f16", 0x0000, 0x8000, 0x8000, gfx12);
  two("s_max_f16", 0xbc00, 0x8000, 0x8000, gfx115);
  two("s_min_f16", 0x7e00, 0x3c00, 0x3c00, gfx115);
  add(scalar_floats, "s_mov_b32 s30, 0x3c00\ns_fmac_f16 s30, s8, s9\nv_mov_b32 v20, s30",
      {0x4000, 0x4200}, {0x4700});
  for (const auto& [n, x, y] : {std::tuple{"v_s_log_f32", f(8), f(3)},
                                {"v_s_rcp_f32", f(4), f(0.25f)},
                                {"v_s_rsq_f32", f(16), f(0.25f)},
                                {"v_s_sqrt_f32", f(16), f(4)},
                                {"v_s_exp_f32", f(-3), f(0.125f)},
                                {"v_s_log_f16", 0x4800u, 0x4200u},
                                {"v_s_rcp_f16", 0x4400u, 0x3400u},
                                {"v_s_rsq_f16", 0x4c00u, 0x3400u},
                                {"v_s_sqrt_f16", 0x4c00u, 0x4400u},
                                {"v_s_exp_f16", 0xc200u, 0x3000u}})
    one(n, x, y, gfx12);
}

void control() {
  // calls and the program counter
  add(all,
      "s_getpc_b64 s[30:31]\n1: s_add_u32 s30, s30, 2f-1b\ns_addc_u32 s31, s31, 0\ns_setpc_b64 "
      "s[30:31]\nv_mov_b32 v20, 1\n2: v_mov_b32 v21, 2",
      {}, {untouched, 2});
  add(all,
      "s_getpc_b64 s[30:31]\n1: s_add_u32 s30, s30, 2f-1b\ns_addc_u32 s31, s31, 0\ns_swappc_b64 "
      "s[32:33], s[30:31]\nv_mov_b32 v20, 1\ns_branch 3f\n2: v_mov_b32 v21, 2\ns_setpc_b64 "
      "s[32:33]\n3:",
      {}, {1, 2});
  add(all,
      "s_call_b64 s[32:33], 2f\nv_mov_b32 v20, 1\ns_branch 3f\n2: v_mov_b32 v21, 2\ns_setpc_b64 "
      "s[32:33]\n3:",
      {}, {1, 2});
  for (const bool nine : {true, false}) {
    const u32 on = nine ? gfx9 : rdna;
    const std::string vcc = nine ? "s_mov_b64 vcc, " : "s_mov_b32 vcc_lo, ",
                      exec = nine ? "s_mov_b64 exec, " : "s_mov_b32 exec_lo, ";
    add(on,
        vcc + "0\ns_cbranch_vccz 1f\nv_mov_b32 v20, 1\n1: s_cbranch_vccnz 2f\nv_mov_b32 v21, 1\n2:",
        {}, {untouched, 1});
    add(on,
        vcc + "4\ns_cbranch_vccz 1f\nv_mov_b32 v20, 1\n1: s_cbranch_vccnz 2f\nv_mov_b32 v21, 1\n2:",
        {}, {1, untouched});
    add(on,
        exec + "0\ns_cbranch_execz 1f\n" + exec + "-1\nv_mov_b32 v20, 1\n1: " + exec +
            "-1\nv_mov_b32 v21, 1",
        {}, {untouched, 1});
  }
  add(all,
      "s_mov_b32 s30, 1\ns_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s8\ns_getreg_b32 s30, "
      "hwreg(HW_REG_MODE, 0, 2)\nv_mov_b32 v20, s30",
      {3}, {3});
  // barriers of a single wave let it pass
  add(gfx9 | gfx11, "s_barrier\nv_mov_b32 v20, 1", {}, {1});
  add(gfx12,
      "s_barrier_signal -1\ns_barrier_wait 0xffff\nv_mov_b32 v20, 1\ns_barrier_signal_isfirst "
      "-1\ns_cselect_b32 s30, 1, 0\ns_barrier_wait 0xffff\nv_mov_b32 v21, s30",
      {}, {1, 1});
  // what does nothing here
  add(gfx9 | gfx11,
      "s_nop 3\ns_setprio 2\ns_sleep 1\ns_sethalt 0\ns_icache_inv\ns_ttracedata\ns_incperflevel "
      "1\ns_decperflevel 1\nv_nop\nv_mov_b32 v20, 1",
      {}, {1});
  add(all, "s_nop 3\ns_setprio 2\ns_sleep 1\ns_icache_inv\nv_nop\nv_mov_b32 v20, 1", {}, {1});
  add(rdna, "s_clause 0x1\ns_delay_alu instid0(VALU_DEP_1)\nv_mov_b32 v20, 1", {}, {1});
  add(gfx9, "s_dcache_inv\ns_dcache_wb\nv_clrexcp\nv_mov_b32 v20, 1", {}, {1});
  add(gfx11,
      "s_dcache_inv\ns_gl1_inv\ns_set_inst_prefetch_distance 0x1\ns_waitcnt_depctr "
      "0xfff\ns_wait_idle\ns_wait_event 0\ns_waitcnt_vmcnt null, 0x0\ns_waitcnt_vscnt null, "
      "0x0\ns_waitcnt_lgkmcnt null, 0x0\ns_waitcnt_expcnt null, 0x0\ns_version 1\nv_mov_b32 v20, 1",
      {}, {1});
  add(gfx12,
      "s_dcache_inv\ns_wait_alu 0xfffe\ns_wait_idle\ns_wait_expcnt 0x0\ns_wait_samplecnt "
      "0x0\ns_wait_bvhcnt 0x0\ns_wait_loadcnt_dscnt 0x0\ns_wait_storecnt_dscnt "
      "0x0\ns_prefetch_data s[24:25], 0x0, s8, 1\ns_prefetch_inst s[24:25], 0x0, s8, "
      "1\ns_prefetch_data_pc_rel 0x0, s8, 1\ns_prefetch_inst_pc_rel 0x0, s8, 1\nv_mov_b32 v20, 1",
      {}, {1});
  add(gfx11, "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)\nv_mov_b32 v20, 1", {}, {1});
  add(gfx9, "s_memtime s[30:31]\ns_memrealtime s[32:33]\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v20, 1",
      {}, {1});
  add(rdna, "s_sendmsg_rtn_b64 s[30:31], sendmsg(MSG_RTN_GET_REALTIME)\nv_mov_b32 v20, 1", {}, {1});
}

void loads() {
  const auto words = [](u32 on, const std::string& name, u32 count, const std::string& from,
                        u32 offset) {
    // the first and the last of the registers loaded
    const std::string wait = on & gfx12 ? "\ns_wait_kmcnt 0x0\n" : "\ns_waitcnt lgkmcnt(0)\n";
    const std::string to = "s[32:" + std::to_string(31 + count) + "]";
    add(on,
        from + name + " " + to + ", " + (from.empty() ? "s[24:25]" : "s[28:31]") + ", 0x40" + wait +
            "v_mov_b32 v20, s32\nv_mov_b32 v21, s" + std::to_string(31 + count),
        {}, {offset, offset + 4 * (count - 1)});
  };
  const std::string
      rsrc9 =
          "s_mov_b32 s28, s24\ns_mov_b32 s29, s25\ns_mov_b32 s30, 4096\ns_mov_b32 s31, 0x20000\n",
      rsrc11 =
          "s_mov_b32 s28, s24\ns_mov_b32 s29, s25\ns_mov_b32 s30, 4096\ns_mov_b32 s31, "
          "0x31004000\n";
  for (const u32 n : {2u, 4u, 8u, 16u}) {
    words(gfx9, "s_load_dwordx" + std::to_string(n), n, "", 64);
    words(gfx9, "s_buffer_load_dwordx" + std::to_string(n), n, rsrc9, 64);
    for (const u32 on : {u32{gfx11}, u32{gfx12}}) {
      words(on, "s_load_b" + std::to_string(32 * n), n, "", 64);
      words(on, "s_buffer_load_b" + std::to_string(32 * n), n, rsrc11, 64);
    }
  }
  words(gfx12, "s_load_b96", 3, "", 64);
  words(gfx12, "s_buffer_load_b96", 3, rsrc11, 64);
  for (const auto& [t, want] :
       {std::pair{"u8", 0xfcu}, {"i8", 0xfffffffcu}, {"u16", 0x1fcu}, {"i16", 0x1fcu}}) {
    add(gfx12,
        std::string("s_load_") + t + " s30, s[24:25], 0x1fc\ns_wait_kmcnt 0x0\nv_mov_b32 v20, s30",
        {}, {want});
    add(gfx12,
        rsrc11 + "s_buffer_load_" + t +
            " s33, s[28:31], 0x1fc\ns_wait_kmcnt 0x0\nv_mov_b32 v20, s33",
        {}, {want});
  }
}

}  // namespace

void scalar_tables() {
  exec_masks();
  sixty_four();
  floats();
  control();
  loads();
}

}  // namespace assembly
