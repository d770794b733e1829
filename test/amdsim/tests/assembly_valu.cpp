// Scalar and vector arithmetic, comparisons, conversions, lane operations.
#include <cmath>

#include "assembly.hpp"

namespace assembly {
namespace {

/// Result of one 32-bit operation on v2, v3, v4.
void op(u32 on, const std::string& name, std::vector<u32> in, u32 out) {
  std::string code = name + " v20";
  for (std::size_t i = 0; i < in.size(); ++i) code += ", v" + std::to_string(2 + i);
  add(on, code, std::move(in), {out});
}
/// The same in scalar registers, SCC as second result (2: not looked at).
void sop(u32 on, const std::string& name, std::vector<u32> in, u32 out, u32 scc = 2) {
  std::string code = name + " s30";
  for (std::size_t i = 0; i < in.size(); ++i) code += ", s" + std::to_string(8 + i);
  code += "\ns_cselect_b32 s31, 1, 0\nv_mov_b32 v20, s30";
  if (scc < 2) {
    add(on, code + "\nv_mov_b32 v21, s31", std::move(in), {out, scc});
  } else {
    add(on, code, std::move(in), {out});
  }
}
/// 64-bit scalar operation on s[8:9], s[10:11].
void sop64(u32 on, const std::string& name, std::vector<u32> in, u64 out, u32 scc,
           const char* second = "s[10:11]") {
  std::string code = name + " s[30:31], s[8:9]";
  if (*second) code += std::string(", ") + second;
  add(on,
      code +
          "\ns_cselect_b32 s32, 1, 0\nv_mov_b32 v20, s30\nv_mov_b32 v21, s31\nv_mov_b32 v22, s32",
      std::move(in), {static_cast<u32>(out), static_cast<u32>(out >> 32), scc});
}
/// Comparison of v2 with v3: one bit per lane.
void cmp(u32 on, const std::string& name, u32 a, u32 b, bool yes) {
  add((on & gfx9), "v_cmp_" + name + " vcc, v2, v3\nv_mov_b32 v20, vcc_lo\nv_mov_b32 v21, vcc_hi",
      {a, b}, {yes ? ~0u : 0, yes ? ~0u : 0});
  add((on & rdna), "v_cmp_" + name + " vcc_lo, v2, v3\nv_mov_b32 v20, vcc_lo", {a, b},
      {yes ? ~0u : 0});
}
/// v_cmpx: lanes that fail leave EXEC.
void cmpx(const std::string& name, u32 a, u32 b, bool yes) {
  add(gfx9, "v_cmpx_" + name + " vcc, v2, v3\nv_mov_b32 v20, 1", {a, b}, {yes ? 1 : untouched});
  add(rdna, "v_cmpx_" + name + " v2, v3\nv_mov_b32 v20, 1", {a, b}, {yes ? 1 : untouched});
}

void scalar() {
  sop(all, "s_add_u32", {~0u, 2}, 1, 1);
  sop(all, "s_add_i32", {0x7fffffff, 1}, 0x80000000, 1);
  sop(all, "s_sub_u32", {1, 2}, ~0u, 1);
  sop(all, "s_sub_i32", {0x80000000, 1}, 0x7fffffff, 1);
  sop(all, "s_min_i32", {~0u, 1}, ~0u, 1);
  sop(all, "s_max_i32", {~0u, 1}, 1, 0);
  sop(all, "s_min_u32", {~0u, 1}, 1, 0);
  sop(all, "s_max_u32", {~0u, 1}, ~0u, 1);
  // of equal operands the first is a maximum, but no minimum
  for (const char* t : {"i32", "u32"}) {
    sop(all, std::string("s_max_") + t, {5, 5}, 5, 1);
    sop(all, std::string("s_min_") + t, {5, 5}, 5, 0);
  }
  sop(all, "s_and_b32", {0xf0, 0x0f}, 0, 0);
  sop(all, "s_or_b32", {0xf0, 0x0f}, 0xff, 1);
  sop(all, "s_xor_b32", {0xff, 0x0f}, 0xf0, 1);
  sop(gfx9, "s_andn2_b32", {0xff, 0x0f}, 0xf0, 1);
  sop(rdna, "s_and_not1_b32", {0xff, 0x0f}, 0xf0, 1);
  sop(gfx9, "s_orn2_b32", {0, ~0u}, 0, 0);
  sop(rdna, "s_or_not1_b32", {0, ~0u}, 0, 0);
  sop(all, "s_nand_b32", {~0u, ~0u}, 0, 0);
  sop(all, "s_nor_b32", {0, 0}, ~0u, 1);
  sop(all, "s_xnor_b32", {5, 5}, ~0u, 1);
  sop(all, "s_lshl_b32", {1, 33}, 2, 1);
  sop(all, "s_lshr_b32", {0x80000000, 31}, 1, 1);
  sop(all, "s_ashr_i32", {0x80000000, 31}, ~0u, 1);
  sop(all, "s_bfm_b32", {4, 8}, 0xf00);
  sop(all, "s_bfe_u32", {0xabcd, 4 | 8 << 16}, 0xbc, 1);
  sop(all, "s_bfe_i32", {0xabcd, 4 | 8 << 16}, 0xffffffbc, 1);
  sop(all, "s_mul_i32", {0x10001, 0x10001}, 0x20001);
  sop(all, "s_mul_hi_u32", {~0u, ~0u}, 0xfffffffe);
  sop(all, "s_mul_hi_i32", {~0u, ~0u}, 0);
  sop(all, "s_absdiff_i32", {3, 10}, 7, 1);
  sop(all, "s_lshl1_add_u32", {0x80000000, 1}, 1, 1);
  sop(all, "s_lshl2_add_u32", {1, 1}, 5, 0);
  sop(all, "s_lshl3_add_u32", {1, 1}, 9, 0);
  sop(all, "s_lshl4_add_u32", {1, 1}, 17, 0);
  sop(all, "s_pack_ll_b32_b16", {0x11112222, 0x33334444}, 0x44442222);
  sop(all, "s_pack_lh_b32_b16", {0x11112222, 0x33334444}, 0x33332222);
  sop(all, "s_pack_hh_b32_b16", {0x11112222, 0x33334444}, 0x33331111);
  sop(rdna, "s_pack_hl_b32_b16", {0x11112222, 0x33334444}, 0x44441111);
  sop(all, "s_not_b32", {0}, ~0u, 1);
  sop(all, "s_brev_b32", {1}, 0x80000000);
  sop(all, "s_bcnt0_i32_b32", {~0u}, 0, 0);
  sop(all, "s_bcnt1_i32_b32", {0xf0f0}, 8, 1);
  sop(gfx9, "s_ff1_i32_b32", {0}, ~0u);
  sop(rdna, "s_ctz_i32_b32", {0x100}, 8);
  sop(gfx9, "s_ff0_i32_b32", {0xff}, 8);
  sop(gfx9, "s_flbit_i32_b32", {1}, 31);
  sop(rdna, "s_clz_i32_u32", {1}, 31);
  sop(gfx9, "s_flbit_i32", {0xfffffff0}, 28);
  sop(rdna, "s_cls_i32", {0xfffffff0}, 28);
  sop(all, "s_sext_i32_i8", {0x80}, 0xffffff80);
  sop(all, "s_sext_i32_i16", {0x8000}, 0xffff8000);
  sop(all, "s_abs_i32", {~0u}, 1, 1);
  sop(all, "s_mov_b32", {7}, 7);
  sop(all, "s_quadmask_b32", {0x10f0}, 0xa, 1);
  sop(all, "s_wqm_b32", {0x1010}, 0xf0f0, 1);
  sop64(all, "s_and_b64", {1, 2, 3, 6}, u64{2} << 32 | 1, 1);
  sop64(all, "s_or_b64", {1, 0, 0, 6}, u64{6} << 32 | 1, 1);
  sop64(all, "s_xor_b64", {1, 2, 1, 2}, 0, 0);
  sop64(gfx9, "s_andn2_b64", {3, 3, 1, 1}, u64{2} << 32 | 2, 1);
  sop64(rdna, "s_and_not1_b64", {3, 3, 1, 1}, u64{2} << 32 | 2, 1);
  sop64(all, "s_nand_b64", {~0u, ~0u, ~0u, ~0u}, 0, 0);
  sop64(all, "s_nor_b64", {0, 0, 0, 0}, ~u64{0}, 1);
  sop64(all, "s_xnor_b64", {1, 2, 1, 2}, ~u64{0}, 1);
  sop64(all, "s_lshl_b64", {1, 0, 33}, u64{1} << 33, 1, "s10");
  sop64(all, "s_lshr_b64", {0, 2, 33}, 1, 1, "s10");
  sop64(all, "s_ashr_i64", {0, 0x80000000, 63}, ~u64{0}, 1, "s10");
  sop64(all, "s_bfe_u64", {0xff00, 0, 8 | 8 << 16}, 0xff, 1, "s10");
  sop64(all, "s_bfe_i64", {0x8000, 0, 8 | 8 << 16}, 0xffffffffffffff80u, 1, "s10");
  sop64(all, "s_not_b64", {~0u, ~0u}, 0, 0, "");
  add(all, "s_mov_b64 s[30:31], 1.0\nv_mov_b32 v20, s30\nv_mov_b32 v21, s31", {}, {0, 0x3ff00000});
  add(all, "s_brev_b64 s[30:31], s[8:9]\nv_mov_b32 v20, s30\nv_mov_b32 v21, s31", {1, 0},
      {0, 0x80000000});
  add(all, "s_bcnt1_i32_b64 s30, s[8:9]\nv_mov_b32 v20, s30", {7, 1}, {4});
  add(all, "s_add_u32 s30, s8, s9\ns_addc_u32 s31, s10, 0\nv_mov_b32 v20, s30\nv_mov_b32 v21, s31",
      {~0u, 1, 5}, {0, 6});
  add(all, "s_sub_u32 s30, s8, s9\ns_subb_u32 s31, s10, 0\nv_mov_b32 v20, s30\nv_mov_b32 v21, s31",
      {0, 1, 5}, {~0u, 4});
  add(all, "s_cmp_gt_i32 s8, s9\ns_cselect_b32 s30, 3, 4\nv_mov_b32 v20, s30", {~0u, 1}, {4});
  add(all, "s_cmp_gt_u32 s8, s9\ns_cselect_b64 s[30:31], s[8:9], 0\nv_mov_b32 v20, s30", {~0u, 1},
      {~0u});
  for (const char* t : {"i32", "u32"})
    for (const auto& [r, lt, eq, gt] : {std::tuple{"eq", 0, 1, 0},
                                        {"lg", 1, 0, 1},
                                        {"gt", 0, 0, 1},
                                        {"ge", 0, 1, 1},
                                        {"lt", 1, 0, 0},
                                        {"le", 1, 1, 0}}) {
      const std::string code = std::string("s_cmp_") + r + "_" + t +
                               " s8, s9\ns_cselect_b32 s30, 1, 0\nv_mov_b32 v20, s30";
      add(all, code, {1, 2}, {static_cast<u32>(lt)});
      add(all, code, {2, 2}, {static_cast<u32>(eq)});
      add(all, code, {3, 2}, {static_cast<u32>(gt)});
      add(gfx9 | gfx11,
          std::string("s_cmpk_") + r + "_" + t +
              " s8, 0x2\ns_cselect_b32 s30, 1, 0\nv_mov_b32 v20, s30",
          {3}, {static_cast<u32>(gt)});
    }
  add(all, "s_cmp_eq_u64 s[8:9], s[10:11]\ns_cselect_b32 s30, 1, 0\nv_mov_b32 v20, s30",
      {1, 2, 1, 2}, {1});
  add(all, "s_cmp_lg_u64 s[8:9], s[10:11]\ns_cselect_b32 s30, 1, 0\nv_mov_b32 v20, s30",
      {1, 2, 1, 2}, {0});
  add(all, "s_bitcmp1_b32 s8, 4\ns_cselect_b32 s30, 1, 0\nv_mov_b32 v20, s30", {16}, {1});
  add(all, "s_bitcmp0_b32 s8, 4\ns_cselect_b32 s30, 1, 0\nv_mov_b32 v20, s30", {16}, {0});
  add(all, "s_movk_i32 s30, 0x8000\nv_mov_b32 v20, s30", {}, {0xffff8000});
  add(all, "s_mov_b32 s30, 5\ns_addk_i32 s30, 0xffff\nv_mov_b32 v20, s30", {}, {4});
  add(all, "s_mov_b32 s30, 5\ns_mulk_i32 s30, 0xffff\nv_mov_b32 v20, s30", {},
      {static_cast<u32>(-5)});
  add(all, "s_mov_b32 s30, 0\ns_bitset1_b32 s30, 7\nv_mov_b32 v20, s30", {}, {128});
  add(all, "s_mov_b32 s30, -1\ns_bitset0_b32 s30, 0\nv_mov_b32 v20, s30", {}, {0xfffffffe});
  add(all, "s_bitreplicate_b64_b32 s[30:31], s8\nv_mov_b32 v20, s30\nv_mov_b32 v21, s31",
      {0x80000001}, {3, 0xc0000000});
  // branches, calls, the program counter
  add(all, "s_cmp_eq_u32 s8, 0\ns_cbranch_scc1 1f\nv_mov_b32 v20, 1\n1:", {0}, {untouched});
  add(all, "s_cmp_eq_u32 s8, 0\ns_cbranch_scc0 1f\nv_mov_b32 v20, 1\n1:", {0}, {1});
  add(all, "s_branch 1f\nv_mov_b32 v20, 1\n1:", {}, {untouched});
  add(all,
      "s_mov_b32 s30, 4\ns_mov_b32 s31, 0\n1: s_add_i32 s31, s31, s30\ns_sub_u32 s30, s30, "
      "1\ns_cmp_lg_u32 s30, 0\ns_cbranch_scc1 1b\nv_mov_b32 v20, s31",
      {}, {10});
  // EXEC
  add_lanes(
      gfx9,
      "s_mov_b64 s[30:31], 5\ns_and_saveexec_b64 s[32:33], s[30:31]\nv_mov_b32 v20, 1\ns_mov_b64 "
      "exec, s[32:33]\nv_mov_b32 v21, 2",
      {}, [](u32 l, u32 r) { return r                  ? 2
                                    : l == 0 || l == 2 ? 1
                                                       : untouched; }, 2);
  add_lanes(
      rdna,
      "s_mov_b32 s30, 5\ns_and_saveexec_b32 s32, s30\nv_mov_b32 v20, 1\ns_mov_b32 exec_lo, "
      "s32\nv_mov_b32 v21, 2",
      {}, [](u32 l, u32 r) { return r                  ? 2
                                    : l == 0 || l == 2 ? 1
                                                       : untouched; }, 2);
  add(gfx9,
      "s_mov_b64 exec, 0\nv_mov_b32 v20, 1\ns_cbranch_execnz 1f\ns_mov_b64 exec, -1\nv_mov_b32 "
      "v21, 3\n1:",
      {}, {untouched, 3});
  add(rdna,
      "s_mov_b32 exec_lo, 0\nv_mov_b32 v20, 1\ns_cbranch_execnz 1f\ns_mov_b32 exec_lo, "
      "-1\nv_mov_b32 v21, 3\n1:",
      {}, {untouched, 3});
  add_lanes(
      gfx9,
      "s_mov_b64 exec, 1\ns_or_saveexec_b64 s[30:31], 2\nv_mov_b32 v20, 1\ns_xor_b64 exec, exec, "
      "s[30:31]\nv_mov_b32 v21, 1",
      {}, [](u32 l, u32 r) { return (r ? l == 1 : l < 2) ? 1 : untouched; }, 2);
  add(all,
      "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3\nv_add_f32 v20, v2, v3\ns_setreg_imm32_b32 "
      "hwreg(HW_REG_MODE, 0, 2), 0\nv_add_f32 v21, v2, v3",
      {f(1.f), f(0x1.8p-24f)}, {f(1.f), f(1.f) + 1});
  add(all, "s_getreg_b32 s30, hwreg(HW_REG_MODE, 4, 2)\nv_mov_b32 v20, s30", {}, {3});
  add(all, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\nv_add_f32 v20, v2, v3",
      {denormal, denormal}, {0});
}

void floats() {
  op(all, "v_add_f32", {f(1.5f), f(2.25f)}, f(3.75f));
  op(all, "v_add_f32", {inf, ninf}, nan);
  op(all, "v_add_f32", {nzero, nzero}, nzero);
  op(all, "v_add_f32", {denormal, denormal}, 2);
  op(all, "v_sub_f32", {f(1), f(3)}, f(-2));
  op(all, "v_subrev_f32", {f(1), f(3)}, f(2));
  op(all, "v_mul_f32", {f(-2), 0}, nzero);
  op(all, "v_mul_f32", {inf, 0}, nan);
  op(gfx9, "v_mul_legacy_f32", {inf, 0}, 0);
  op(rdna, "v_mul_dx9_zero_f32", {inf, 0}, 0);
  op(all, "v_fma_f32", {f(1 + 0x1p-12f), f(1 + 0x1p-12f), f(-1)}, f(0x1p-11f + 0x1p-24f));
  add(all, "v_mov_b32 v20, v4\nv_fmac_f32 v20, v2, v3", {f(2), f(3), f(1)}, {f(7)});
  add(gfx942 | gfx950 | rdna, "v_fmaak_f32 v20, v2, v3, 0x40000000", {f(2), f(3)}, {f(8)});
  add(gfx942 | gfx950 | rdna, "v_fmamk_f32 v20, v2, 0x40000000, v3", {f(2), f(3)}, {f(7)});
  for (const char* n : {"v_max_f32", "v_max_num_f32"}) {
    const u32 on = std::string(n) == "v_max_f32" ? gfx9 | gfx11 : gfx12;
    op(on, n, {nan, f(1)}, f(1));
    op(on, n, {f(-1), nan}, f(-1));
    op(on, n, {nzero, 0}, 0);
    op(on, n, {0, nzero}, 0);
    op(on, n, {ninf, f(-5)}, f(-5));
  }
  for (const char* n : {"v_min_f32", "v_min_num_f32"}) {
    const u32 on = std::string(n) == "v_min_f32" ? gfx9 | gfx11 : gfx12;
    op(on, n, {nan, f(1)}, f(1));
    op(on, n, {nzero, 0}, nzero);
    op(on, n, {inf, f(-5)}, f(-5));
  }
  op(gfx12, "v_maximum_f32", {nan, f(1)}, nan);
  op(gfx12, "v_minimum_f32", {f(1), nan}, nan);
  op(gfx12 | gfx950, "v_maximum3_f32", {f(1), f(3), f(2)}, f(3));
  op(gfx12 | gfx950, "v_minimum3_f32", {f(1), nan, f(2)}, nan);
  op(gfx9 | gfx11, "v_max3_f32", {f(1), f(3), f(2)}, f(3));
  op(gfx9 | gfx11, "v_min3_f32", {f(1), f(3), f(2)}, f(1));
  op(gfx9 | gfx11, "v_med3_f32", {f(1), f(3), f(2)}, f(2));
  op(gfx12, "v_med3_num_f32", {f(3), f(1), f(2)}, f(2));
  op(gfx11, "v_minmax_f32", {f(3), f(1), f(2)}, f(2));
  op(gfx11, "v_maxmin_f32", {f(3), f(1), f(2)}, f(2));
  op(all, "v_exp_f32", {f(3)}, f(8));
  op(all, "v_exp_f32", {f(-200)}, 0);
  op(all, "v_exp_f32", {ninf}, 0);
  op(all, "v_exp_f32", {inf}, inf);
  op(all, "v_exp_f32", {f(-126)}, 0x00800000);
  op(all, "v_exp_f32", {f(-127)}, 0);
  op(all, "v_log_f32", {f(8)}, f(3));
  op(all, "v_log_f32", {0}, ninf);
  op(all, "v_log_f32", {denormal}, ninf);
  op(all, "v_log_f32", {f(-1)}, nan);
  op(all, "v_log_f32", {inf}, inf);
  op(all, "v_rcp_f32", {f(4)}, f(0.25f));
  op(all, "v_rcp_f32", {nzero}, ninf);
  op(all, "v_rcp_f32", {inf}, 0);
  op(all, "v_rsq_f32", {f(16)}, f(0.25f));
  op(all, "v_rsq_f32", {f(-1)}, nan);
  op(all, "v_sqrt_f32", {f(16)}, f(4));
  op(all, "v_sqrt_f32", {nzero}, nzero);
  op(all, "v_sin_f32", {f(0.25f)}, f(1));
  op(all, "v_cos_f32", {f(0.5f)}, f(-1));
  op(all, "v_fract_f32", {f(-0.25f)}, f(0.75f));
  op(all, "v_floor_f32", {f(-0.5f)}, f(-1));
  op(all, "v_ceil_f32", {f(-0.5f)}, nzero);
  op(all, "v_trunc_f32", {f(-1.5f)}, f(-1));
  op(all, "v_rndne_f32", {f(2.5f)}, f(2));
  op(all, "v_frexp_mant_f32", {f(8)}, f(0.5f));
  op(all, "v_frexp_exp_i32_f32", {f(8)}, 4);
  op(all, "v_frexp_exp_i32_f32", {inf}, 0);
  op(all, "v_ldexp_f32", {f(1.5f), 3}, f(12));
  op(all, "v_ldexp_f32", {f(1), static_cast<u32>(-149)}, 1);
  op(all, "v_div_fixup_f32", {f(3), 0, f(-1)}, ninf);
  op(all, "v_div_fixup_f32", {f(3), f(2), f(6)}, f(3));
  // signs, clamp, output multiplier, constants
  add(all, "v_add_f32 v20, -v2, |v3|", {f(1), f(-3)}, {f(2)});
  add(all, "v_add_f32 v20, v2, v3 clamp", {f(1), f(3)}, {f(1)});
  add(all, "v_mul_f32 v20, v2, v3 clamp", {nan, f(3)}, {0});
  add(all, "v_add_f32 v20, 0.15915494, v2", {0}, {0x3e22f983});
  add(all, "v_add_f32 v20, s8, v3", {f(1), f(3)}, {f(4)});
  add(all, "v_max3_f32 v20, v2, s9, 4.0" + std::string(""), {f(1), f(3)}, {f(4)});
  cases().back().on = gfx9 | gfx11;
  // packed single precision
  add(gfx9, "v_pk_fma_f32 v[20:21], v[2:3], v[4:5], v[6:7]", {f(1), f(2), f(3), f(4), f(5), f(6)},
      {f(8), f(14)});
  add(gfx9, "v_pk_mul_f32 v[20:21], v[2:3], v[4:5] op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[1,0]",
      {f(1), f(2), f(3), f(4)}, {f(-6), f(4)});
  add(gfx9, "v_pk_add_f32 v[20:21], v[2:3], s[10:11]", {f(1), f(2), f(3), f(4)}, {f(4), f(6)});
  add(gfx9, "v_pk_mov_b32 v[20:21], v[2:3], v[4:5] op_sel:[1,0]", {1, 2, 3, 4}, {2, 3});
  // division steps
  add(gfx9,
      "v_div_scale_f32 v20, vcc, v3, v3, v2\nv_rcp_f32 v21, v20\nv_div_scale_f32 v22, vcc, v2, v3, "
      "v2\nv_fma_f32 v23, -v20, v21, 1.0\nv_fma_f32 v21, v23, v21, v21\nv_mul_f32 v23, v22, "
      "v21\nv_fma_f32 v25, -v20, v23, v22\nv_fma_f32 v23, v25, v21, v23\nv_fma_f32 v22, -v20, v23, "
      "v22\nv_div_fmas_f32 v22, v22, v21, v23\nv_div_fixup_f32 v20, v22, v3, v2",
      {f(1), f(3)}, {f(1.f / 3)});
  add(rdna,
      "v_div_scale_f32 v20, null, v3, v3, v2\nv_rcp_f32 v21, v20\nv_div_scale_f32 v22, vcc_lo, v2, "
      "v3, v2\nv_fma_f32 v23, -v20, v21, 1.0\nv_fma_f32 v21, v23, v21, v21\nv_mul_f32 v23, v22, "
      "v21\nv_fma_f32 v25, -v20, v23, v22\nv_fma_f32 v23, v25, v21, v23\nv_fma_f32 v22, -v20, v23, "
      "v22\nv_div_fmas_f32 v22, v22, v21, v23\nv_div_fixup_f32 v20, v22, v3, v2",
      {f(1e-30f), f(1e10f)}, {f(1e-30f / 1e10f)});
  // dual instructions read before they write
  add(rdna,
      "v_mov_b32 v20, v2\nv_mov_b32 v21, v3\nv_dual_add_f32 v20, v21, v4 :: v_dual_mul_f32 v21, "
      "v20, v5",
      {f(1), f(2), f(3), f(4)}, {f(5), f(4)});
  add(rdna, "v_dual_mov_b32 v20, 1.0 :: v_dual_lshlrev_b32 v21, 4, v3", {0, 3}, {f(1), 48});
  // gfx12's transcendentals on scalar registers
  add(gfx12, "v_s_exp_f32 s30, s8\nv_mov_b32 v20, s30", {f(2)}, {f(4)});
  add(gfx12, "s_add_f32 s30, s8, s9\nv_mov_b32 v20, s30", {f(2), f(3)}, {f(5)});
  add(gfx12, "s_fmac_f32 s8, s9, s10\nv_mov_b32 v20, s8", {f(2), f(3), f(4)}, {f(14)});
}

void doubles() {
  const auto d2 = [](u32 on, const std::string& n, double a, double b, double r) {
    add(on, n + " v[20:21], v[2:3], v[4:5]", {lo(a), hi(a), lo(b), hi(b)}, {lo(r), hi(r)});
  };
  d2(all, "v_add_f64", 1, 2, 3);
  d2(all, "v_mul_f64", 3, -2, -6);
  d2(gfx9 | gfx11, "v_max_f64", NAN, 2, 2);
  d2(gfx9 | gfx11, "v_min_f64", 1, 2, 1);
  d2(gfx12, "v_max_num_f64", 1, 2, 2);
  add(all, "v_fma_f64 v[20:21], v[2:3], v[4:5], v[6:7]", {lo(2), hi(2), lo(3), hi(3), lo(1), hi(1)},
      {lo(7), hi(7)});
  add(all, "v_rcp_f64 v[20:21], v[2:3]", {lo(4), hi(4)}, {lo(0.25), hi(0.25)});
  add(all, "v_sqrt_f64 v[20:21], v[2:3]", {lo(4), hi(4)}, {lo(2), hi(2)});
  add(all, "v_rsq_f64 v[20:21], v[2:3]", {lo(4), hi(4)}, {lo(0.5), hi(0.5)});
  add(all, "v_floor_f64 v[20:21], v[2:3]", {lo(-0.5), hi(-0.5)}, {lo(-1), hi(-1)});
  add(all, "v_ldexp_f64 v[20:21], v[2:3], v4", {lo(1.5), hi(1.5), 4}, {lo(24), hi(24)});
  add(all, "v_cvt_f64_f32 v[20:21], v2", {f(1.5f)}, {lo(1.5), hi(1.5)});
  add(all, "v_cvt_f32_f64 v20, v[2:3]", {lo(1.5), hi(1.5)}, {f(1.5f)});
  add(all, "v_cvt_i32_f64 v20, v[2:3]", {lo(-1.5), hi(-1.5)}, {static_cast<u32>(-1)});
  add(all, "v_cvt_u32_f64 v20, v[2:3]", {lo(-1.5), hi(-1.5)}, {0});
  add(all, "v_cvt_f64_i32 v[20:21], v2", {static_cast<u32>(-2)}, {lo(-2), hi(-2)});
  add(all, "v_cvt_f64_u32 v[20:21], v2", {~0u}, {lo(4294967295.0), hi(4294967295.0)});
  add(all, "v_lshlrev_b64 v[20:21], v2, v[4:5]", {36, 0, 1, 0}, {0, 16});
  add(all, "v_lshrrev_b64 v[20:21], v2, v[4:5]", {36, 0, 0, 16}, {1, 0});
  add(all, "v_ashrrev_i64 v[20:21], v2, v[4:5]", {63, 0, 0, 0x80000000}, {~0u, ~0u});
  add(gfx942 | gfx950, "v_lshl_add_u64 v[20:21], v[2:3], v4, v[6:7]", {0x80000000, 0, 1, 0, 5, 6},
      {5, 7});
  add(gfx942 | gfx950, "v_mov_b64 v[20:21], v[2:3]", {5, 6}, {5, 6});
  add(gfx9, "v_mad_u64_u32 v[20:21], vcc, v2, v3, v[4:5]\nv_mov_b32 v22, vcc_lo",
      {~0u, ~0u, ~0u, ~0u}, {0, 0xfffffffe, ~0u});
  add(gfx11, "v_mad_u64_u32 v[20:21], vcc_lo, v2, v3, v[4:5]\nv_mov_b32 v22, vcc_lo",
      {~0u, ~0u, ~0u, ~0u}, {0, 0xfffffffe, ~0u});
  add(gfx9, "v_mad_i64_i32 v[20:21], vcc, v2, v3, v[4:5]", {~0u, 5, 0, 0},
      {static_cast<u32>(-5), ~0u});
}

void integers() {
  op(gfx9, "v_add_u32", {~0u, 2}, 1);
  op(rdna, "v_add_nc_u32", {~0u, 2}, 1);
  add(gfx9, "v_add_u32 v20, v2, v3 clamp", {~0u, 2}, {~0u});
  add(gfx9, "v_sub_u32 v20, v2, v3 clamp", {1, 2}, {0});
  op(gfx9, "v_sub_u32", {1, 2}, ~0u);
  op(gfx9, "v_subrev_u32", {1, 2}, 1);
  op(rdna, "v_sub_nc_u32", {1, 2}, ~0u);
  add(gfx9, "v_add_i32 v20, v2, v3 clamp", {0x7fffffff, 1}, {0x7fffffff});
  add(rdna, "v_sub_nc_i32 v20, v2, v3 clamp", {0x80000000, 1}, {0x80000000});
  op(all, "v_mul_lo_u32", {0x10001, 0x10001}, 0x20001);
  op(all, "v_mul_hi_u32", {~0u, ~0u}, 0xfffffffe);
  op(all, "v_mul_hi_i32", {~0u, 1}, ~0u);
  op(all, "v_mul_u32_u24", {0xff000002, 3}, 6);
  op(all, "v_mul_i32_i24", {0x00ffffff, 3}, static_cast<u32>(-3));
  op(all, "v_mul_hi_u32_u24", {0xffffff, 0xffffff}, 0xffff);
  op(all, "v_mad_u32_u24", {2, 3, 4}, 10);
  op(all, "v_mad_i32_i24", {0xffffff, 3, 4}, 1);
  op(all, "v_and_b32", {0xff, 0xf}, 0xf);
  op(all, "v_or_b32", {0xf0, 0xf}, 0xff);
  op(all, "v_xor_b32", {0xff, 0xf}, 0xf0);
  op(all, "v_xnor_b32", {0xff, 0xff}, ~0u);
  op(all, "v_not_b32", {0}, ~0u);
  op(all, "v_lshlrev_b32", {33, 1}, 2);
  op(all, "v_lshrrev_b32", {31, 0x80000000}, 1);
  op(all, "v_ashrrev_i32", {31, 0x80000000}, ~0u);
  op(all, "v_lshl_add_u32", {1, 4, 1}, 17);
  op(all, "v_add_lshl_u32", {1, 4, 1}, 10);
  op(all, "v_add3_u32", {1, 2, 3}, 6);
  op(all, "v_lshl_or_b32", {1, 4, 1}, 17);
  op(all, "v_and_or_b32", {0xff, 0xf0, 1}, 0xf1);
  op(all, "v_or3_b32", {1, 2, 4}, 7);
  op(rdna, "v_xor3_b32", {1, 2, 3}, 0);
  op(all, "v_xad_u32", {1, 3, 5}, 7);
  op(all, "v_bfe_u32", {0xabcd, 4, 8}, 0xbc);
  op(all, "v_bfe_u32", {0xabcd, 4, 0}, 0);
  op(all, "v_bfe_i32", {0xabcd, 4, 8}, 0xffffffbc);
  op(all, "v_bfi_b32", {0xff, 0x12, 0x3456}, 0x3412);
  op(all, "v_bfm_b32", {4, 8}, 0xf00);
  op(all, "v_alignbit_b32", {0x11, 0x22334455, 8}, 0x11223344);
  op(all, "v_alignbyte_b32", {0x11, 0x22334455, 1}, 0x11223344);
  op(all, "v_perm_b32", {0x33221100, 0x77665544, 0x0c040703}, 0x00003377);
  op(all, "v_perm_b32", {0x80000000, 0x00008000, 0x0d0b0a08}, 0xffff00ff);
  op(all, "v_bcnt_u32_b32", {0xff, 3}, 11);
  op(all, "v_bfrev_b32", {1}, 0x80000000);
  op(gfx9, "v_ffbh_u32", {0}, ~0u);
  op(gfx9, "v_ffbh_u32", {1}, 31);
  op(gfx9, "v_ffbl_b32", {8}, 3);
  op(gfx9, "v_ffbh_i32", {0xfffffff0}, 28);
  op(rdna, "v_clz_i32_u32", {1}, 31);
  op(rdna, "v_ctz_i32_b32", {8}, 3);
  op(rdna, "v_cls_i32", {0xfffffff0}, 28);
  op(all, "v_min_u32", {~0u, 1}, 1);
  op(all, "v_max_u32", {~0u, 1}, ~0u);
  op(all, "v_min_i32", {~0u, 1}, ~0u);
  op(all, "v_max_i32", {~0u, 1}, 1);
  op(all, "v_min3_i32", {1, ~0u, 3}, ~0u);
  op(all, "v_max3_u32", {1, ~0u, 3}, ~0u);
  op(all, "v_max3_i32", {1, ~0u, 3}, 3);
  op(all, "v_min3_u32", {1, ~0u, 3}, 1);
  op(all, "v_med3_u32", {1, ~0u, 3}, 3);
  op(all, "v_med3_i32", {1, ~0u, 3}, 1);
  op(rdna, "v_maxmin_i32", {1, 5, 3}, 3);
  op(rdna, "v_minmax_u32", {1, 5, 3}, 3);
  op(all, "v_sad_u8", {0x01020304, 0x04030201, 1}, 9);
  op(all, "v_sad_u16", {0x00010004, 0x00040001, 1}, 7);
  op(all, "v_sad_u32", {1, 4, 1}, 4);
  op(all, "v_msad_u8", {0x01020304, 0x04030001, 1}, 8);
  op(gfx9, "v_dot4_i32_i8", {0x01ff02fe, 0x01010101, 10}, 10);
  op(gfx9, "v_dot8_i32_i4", {0x1f, 0x11, 10}, 10);
  op(gfx9 | gfx11, "v_dot4_u32_u8", {0x01010101, 0x02020202, 1}, 9);
  op(gfx9, "v_dot2_i32_i16", {0xffff0002, 0x00010003, 1}, 6);
  add_lanes(gfx9, "v_mbcnt_lo_u32_b32 v20, -1, 0\nv_mbcnt_hi_u32_b32 v20, -1, v20", {},
            [](u32 l, u32) { return l; });
  add_lanes(rdna, "v_mbcnt_lo_u32_b32 v20, -1, 0", {}, [](u32 l, u32) { return l; });
  // carries
  add(gfx9,
      "v_add_co_u32 v20, vcc, v2, v3\nv_addc_co_u32 v21, vcc, v4, v5, vcc\nv_mov_b32 v22, vcc_lo",
      {~0u, 1, 5, 6}, {0, 12, 0});
  add(rdna,
      "v_add_co_u32 v20, vcc_lo, v2, v3\nv_add_co_ci_u32 v21, vcc_lo, v4, v5, vcc_lo\nv_mov_b32 "
      "v22, vcc_lo",
      {~0u, 1, ~0u, 0}, {0, 0, ~0u});
  add(gfx9, "v_sub_co_u32 v20, vcc, v2, v3\nv_subb_co_u32 v21, vcc, v4, v5, vcc", {0, 1, 5, 2},
      {~0u, 2});
  add(gfx9, "v_subrev_co_u32 v20, vcc, v2, v3\nv_subbrev_co_u32 v21, vcc, v4, v5, vcc",
      {1, 0, 2, 5}, {~0u, 2});
  add(rdna, "v_sub_co_u32 v20, vcc_lo, v2, v3\nv_sub_co_ci_u32 v21, vcc_lo, v4, v5, vcc_lo",
      {0, 1, 5, 2}, {~0u, 2});
  add_lanes(gfx9, "v_cmp_gt_u32 vcc, 10, v1\nv_cndmask_b32 v20, v2, v3, vcc", {1, 2},
            [](u32 l, u32) { return l < 10 ? 2u : 1u; });
  add_lanes(rdna, "v_cmp_gt_u32 vcc_lo, 10, v1\nv_cndmask_b32 v20, v2, v3, vcc_lo", {1, 2},
            [](u32 l, u32) { return l < 10 ? 2u : 1u; });
  add(all, "v_swap_b32 v20, v21", {}, {untouched, untouched});
  add(gfx950, "v_bitop3_b32 v20, v2, v3, v4 bitop3:0xca", {0xf0f0f0f0, 0xaaaaaaaa, 0x55555555},
      {0xa5a5a5a5});
  add(gfx950, "v_prng_b32 v20, v2", {0x80000001}, {2 ^ 0xc5});
}

void halves() {
  const u32 one = 0x3c00, two = 0x4000, three = 0x4200;
  op(all, "v_add_f16", {one, two}, three);
  // gfx9 clears the upper half, later chips keep it
  cases().pop_back();
  add(gfx9, "v_add_f16 v20, v2, v3", {one, two}, {three});
  add(rdna, "v_add_f16 v20, v2, v3", {one, two}, {(untouched & 0xffff0000u) | three});
  add(gfx9, "v_mul_f16 v20, v2, v3", {two, two}, {0x4400});
  add(gfx9, "v_sub_f16 v20, v2, v3", {two, one}, {one});
  add(gfx9, "v_fma_f16 v20, v2, v3, v4 op_sel:[1,0,0,1]", {one << 16, two, one},
      {three << 16 | (untouched & 0xffffu)});
  add(gfx9, "v_max_f16 v20, v2, v3", {0x7e00, one}, {one});
  add(gfx9, "v_min_f16 v20, v2, v3", {one, two}, {one});
  add(gfx9, "v_rcp_f16 v20, v2", {two}, {0x3800});
  add(gfx9, "v_sqrt_f16 v20, v2", {0x4400}, {two});
  add(gfx9, "v_exp_f16 v20, v2", {0xcc00}, {0x0100});  // 2^-16 is subnormal
  add(gfx9, "v_log_f16 v20, v2", {0x4400}, {two});
  add(gfx9, "v_ldexp_f16 v20, v2, v3", {one, 2}, {0x4400});
  add(gfx9, "v_floor_f16 v20, v2", {0x3e00}, {one});
  add(gfx9, "v_add_u16 v20, v2, v3", {0xffff, 2}, {1});
  add(gfx9, "v_add_u16 v20, v2, v3 clamp", {0xffff, 2}, {0xffff});
  add(gfx9, "v_mul_lo_u16 v20, v2, v3", {0x101, 0x101}, {0x201});
  add(gfx9, "v_lshlrev_b16 v20, v2, v3", {17, 1}, {2});
  add(gfx9, "v_ashrrev_i16 v20, v2, v3", {15, 0x8000}, {0xffff});
  add(gfx9, "v_max_i16 v20, v2, v3", {0xffff, 1}, {1});
  add(rdna, "v_add_nc_u16 v20, v2, v3", {0xffff, 2}, {(untouched & 0xffff0000u) | 1});
  add(rdna, "v_mul_f16 v20, v2, v3", {two, two}, {(untouched & 0xffff0000u) | 0x4400});
  op(all, "v_pack_b32_f16", {one, two}, two << 16 | one);
  op(all, "v_pk_add_f16", {two << 16 | one, one << 16 | one}, three << 16 | two);
  add(all, "v_pk_add_f16 v20, v2, v3 op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[1,0] neg_hi:[0,1]",
      {two << 16 | one, one << 16 | one}, {0xbc00});
  op(all, "v_pk_mul_f16", {two << 16 | one, two << 16 | two}, 0x44004000);
  op(all, "v_pk_fma_f16", {two << 16 | one, two << 16 | two, one << 16 | one}, 0x45004200);
  op(gfx9 | gfx11, "v_pk_max_f16", {two << 16 | one, one << 16 | two}, two << 16 | two);
  op(gfx9 | gfx11, "v_pk_min_f16", {two << 16 | one, one << 16 | two}, one << 16 | one);
  add(all, "v_pk_mul_f16 v20, v2, 2.0 op_sel_hi:[1,0]", {two << 16 | one}, {0x44004000});
  op(all, "v_pk_add_u16", {0xffff0001, 0x00020003}, 0x00010004);
  add(all, "v_pk_add_i16 v20, v2, v3 clamp", {0x7fff8000, 0x00018000}, {0x7fff8000});
  op(all, "v_pk_sub_i16", {0x00010001, 0x00020000}, 0xffff0001);
  op(all, "v_pk_mul_lo_u16", {0x01010002, 0x01010003}, 0x02010006);
  op(all, "v_pk_mad_u16", {0x00010002, 0x00030003, 0x00010001}, 0x00040007);
  op(all, "v_pk_max_i16", {0xffff0001, 0x00010000}, 0x00010001);
  op(all, "v_pk_min_u16", {0xffff0001, 0x00010000}, 0x00010000);
  op(all, "v_pk_lshlrev_b16", {0x00010002, 0x00010001}, 0x00020004);
  op(all, "v_pk_ashrrev_i16", {0x000f000f, 0x80007fff}, 0xffff0000);
  add(all, "v_fma_mix_f32 v20, v2, v3, v4 op_sel:[1,0,0] op_sel_hi:[1,0,0]",
      {two << 16 | one, f(3), f(1)}, {f(7)});
  add(all, "v_fma_mixlo_f16 v20, v2, v3, v4", {f(1), f(2), f(1)},
      {(untouched & 0xffff0000u) | three});
  add(all, "v_fma_mixhi_f16 v20, v2, v3, v4", {f(1), f(2), f(1)},
      {(untouched & 0xffffu) | three << 16});
  op(gfx9 | rdna, "v_dot2_f32_f16", {two << 16 | one, two << 16 | three, f(1)}, f(8));
  op(gfx950 | rdna, "v_dot2_f32_bf16", {0x40003f80, 0x40004040, f(1)}, f(8));
  // bf16
  op(gfx950, "v_cvt_pk_bf16_f32", {f(1), 0x40008001}, 0x40013f80);
  op(gfx950, "v_cvt_pk_f16_f32", {f(1), f(2)}, two << 16 | one);
  op(gfx950, "v_cvt_f32_bf16", {0x3f80}, f(1));
}

void conversions() {
  op(all, "v_cvt_f32_i32", {static_cast<u32>(-3)}, f(-3));
  op(all, "v_cvt_f32_u32", {~0u}, f(4294967296.f));
  op(all, "v_cvt_i32_f32", {f(-3.7f)}, static_cast<u32>(-3));
  op(all, "v_cvt_i32_f32", {nan}, 0);
  op(all, "v_cvt_i32_f32", {f(1e20f)}, 0x7fffffff);
  op(all, "v_cvt_i32_f32", {ninf}, 0x80000000);
  op(all, "v_cvt_u32_f32", {f(-1)}, 0);
  op(all, "v_cvt_u32_f32", {inf}, ~0u);
  op(all, "v_cvt_u32_f32", {f(3e9f)}, 3000000000u);
  add(gfx9, "v_cvt_f16_f32 v20, v2", {f(1 + 0x1p-11f)}, {0x3c00});
  add(gfx9, "v_cvt_f16_f32 v20, v2", {f(65520)}, {0x7c00});
  add(gfx9, "v_cvt_f16_f32 v20, v2", {f(0x1p-25f)}, {0});
  add(rdna, "v_cvt_f16_f32 v20, v2", {f(2)}, {(untouched & 0xffff0000u) | 0x4000});
  op(all, "v_cvt_f32_f16", {0x0001}, f(0x1p-24f));
  op(all, "v_cvt_f32_f16", {0xfc00}, ninf);
  op(gfx9, "v_cvt_pkrtz_f16_f32", {f(1 + 0x1.8p-11f), f(65535)}, 0x7bff3c00);
  op(rdna, "v_cvt_pk_rtz_f16_f32", {f(-1 - 0x1.8p-11f), f(1e10f)}, 0x7bffbc00);
  op(all, "v_cvt_f32_ubyte0", {0x04030201}, f(1));
  op(all, "v_cvt_f32_ubyte1", {0x04030201}, f(2));
  op(all, "v_cvt_f32_ubyte2", {0x04030201}, f(3));
  op(all, "v_cvt_f32_ubyte3", {0x04030201}, f(4));
  op(all, "v_cvt_pk_u16_u32", {70000, 5}, 0x0005ffff);
  op(all, "v_cvt_pk_i16_i32", {70000, static_cast<u32>(-70000)}, 0x80007fff);
  op(all, "v_cvt_pk_u8_f32", {f(300), 1, 0x11111111}, 0x1111ff11);
  op(gfx9, "v_cvt_pknorm_i16_f32", {f(1), f(-1)}, 0x80017fff);
  op(gfx9, "v_cvt_pknorm_u16_f32", {f(1), f(-1)}, 0x0000ffff);
  op(gfx9, "v_cvt_flr_i32_f32", {f(-1.5f)}, static_cast<u32>(-2));
  op(rdna, "v_cvt_floor_i32_f32", {f(-1.5f)}, static_cast<u32>(-2));
  // fp8: FNUZ on gfx942, OCP elsewhere
  add(fp8_fnuz, "v_cvt_pk_fp8_f32 v20, v2, v3", {f(1), f(-1)},
      {(untouched & 0xffff0000u) | 0xc040});
  add(fp8_ocp, "v_cvt_pk_fp8_f32 v20, v2, v3", {f(1), f(-1)}, {(untouched & 0xffff0000u) | 0xb838});
  add(fp8_fnuz, "v_cvt_pk_fp8_f32 v20, v2, v3 op_sel:[0,0,1]", {f(240), nzero},
      {(untouched & 0xffffu) | 0x007f0000});
  add(fp8_ocp, "v_cvt_pk_fp8_f32 v20, v2, v3 op_sel:[0,0,1]", {f(448), nzero},
      {(untouched & 0xffffu) | 0x807e0000});
  add(fp8_fnuz, "v_cvt_pk_bf8_f32 v20, v2, v3", {f(1), nan}, {(untouched & 0xffff0000u) | 0x8040});
  add(fp8_ocp, "v_cvt_pk_bf8_f32 v20, v2, v3", {f(1), inf}, {(untouched & 0xffff0000u) | 0x7c3c});
  add(fp8_fnuz, "v_cvt_f32_fp8 v20, v2", {0x40}, {f(1)});
  add(fp8_ocp, "v_cvt_f32_fp8 v20, v2", {0x38}, {f(1)});
  add(fp8_fnuz, "v_cvt_f32_fp8 v20, v2", {0x80}, {nan});
  add(fp8_ocp, "v_cvt_f32_bf8 v20, v2", {0xfc}, {ninf});
  add(gfx942, "v_cvt_f32_fp8_sdwa v20, v2 src0_sel:BYTE_2", {0x00400000}, {f(1)});
  add(gfx942, "v_cvt_pk_f32_fp8 v[20:21], v2", {0x4840}, {f(1), f(2)});
  add(gfx12, "v_cvt_f32_fp8 v20, v2 byte_sel:2", {0x00380000}, {f(1)});
  add(fp8_fnuz, "v_mov_b32 v20, 0\nv_cvt_sr_fp8_f32 v20, v2, v3", {f(1 + 0x1p-4f), ~0u}, {0x41});
  add(fp8_fnuz, "v_mov_b32 v20, 0\nv_cvt_sr_fp8_f32 v20, v2, v3", {f(1 + 0x1p-4f), 0}, {0x40});
  add(gfx950, "v_cvt_scalef32_pk_f32_fp4 v[20:21], v2, v3", {0x52, f(2)}, {f(2), f(6)});
  add(gfx950, "v_cvt_scalef32_pk_fp4_f32 v20, v2, v3, v4", {f(2), f(6), f(2)},
      {(untouched & ~0xffu) | 0x52});
  add(gfx950, "v_cvt_scalef32_pk_fp8_f32 v20, v2, v3, v4", {f(2), f(4), f(2)},
      {(untouched & 0xffff0000u) | 0x4038});
}

void comparisons() {
  for (const char* t : {"i32", "u32", "i16", "u16"})
    for (const auto& [r, lt, eq, gt] : {std::tuple{"lt", true, false, false},
                                        {"eq", false, true, false},
                                        {"le", true, true, false},
                                        {"gt", false, false, true},
                                        {"ne", true, false, true},
                                        {"ge", false, true, true}}) {
      cmp(all, std::string(r) + "_" + t, 1, 2, lt);
      cmp(all, std::string(r) + "_" + t, 2, 2, eq);
      cmp(all, std::string(r) + "_" + t, 3, 2, gt);
      if (t[1] == '3') cmpx(std::string(r) + "_" + t, 3, 2, gt);
    }
  cmp(all, "lt_i32", ~0u, 1, true);
  cmp(all, "lt_u32", ~0u, 1, false);
  for (const auto& [r, lt, eq, gt, un] : {std::tuple{"lt", true, false, false, false},
                                          {"eq", false, true, false, false},
                                          {"le", true, true, false, false},
                                          {"gt", false, false, true, false},
                                          {"lg", true, false, true, false},
                                          {"ge", false, true, true, false},
                                          {"o", true, true, true, false},
                                          {"u", false, false, false, true},
                                          {"nge", true, false, false, true},
                                          {"nlg", false, true, false, true},
                                          {"ngt", true, true, false, true},
                                          {"nle", false, false, true, true},
                                          {"neq", true, false, true, true},
                                          {"nlt", false, true, true, true}}) {
    const std::string n = std::string(r) + "_f32", h = std::string(r) + "_f16";
    cmp(all, n, f(1), f(2), lt);
    cmp(all, n, nzero, 0, eq);
    cmp(all, n, inf, f(2), gt);
    cmp(all, n, nan, f(2), un);
    cmp(all, h, 0x3c00, 0x4000, lt);
    cmp(all, h, 0x7e00, 0x4000, un);
    cmpx(n, f(1), f(2), lt);
  }
  // 64-bit operands: 1 against 2, the second time in v_cmpx
  for (const char* t : {"i64", "u64", "f64"}) {
    const bool real = t[0] == 'f';
    const std::vector<u32> one_two = real ? std::vector<u32>{lo(1), hi(1), lo(2), hi(2)}
                                          : std::vector<u32>{~0u, 0, 0, 1};
    for (const auto& [r, lt] : {std::pair{"lt", true},
                                {"eq", false},
                                {"le", true},
                                {"gt", false},
                                {real ? "lg" : "ne", true},
                                {"ge", false}}) {
      const std::string n = std::string(r) + "_" + t;
      add(gfx9, "v_cmp_" + n + " vcc, v[2:3], v[4:5]\nv_mov_b32 v20, vcc_lo\nv_mov_b32 v21, vcc_hi",
          one_two, {lt ? ~0u : 0, lt ? ~0u : 0});
      add(rdna, "v_cmp_" + n + " vcc_lo, v[2:3], v[4:5]\nv_mov_b32 v20, vcc_lo", one_two,
          {lt ? ~0u : 0});
      add(gfx9, "v_cmpx_" + n + " vcc, v[2:3], v[4:5]\nv_mov_b32 v20, 1", one_two,
          {lt ? 1 : untouched});
      add(rdna, "v_cmpx_" + n + " v[2:3], v[4:5]\nv_mov_b32 v20, 1", one_two, {lt ? 1 : untouched});
    }
  }
  for (const char* t : {"i16", "u16", "f16"})
    for (const auto& [r, lt] : {std::pair{"lt", true},
                                {"eq", false},
                                {"le", true},
                                {"gt", false},
                                {t[0] == 'f' ? "lg" : "ne", true},
                                {"ge", false}})
      cmpx(std::string(r) + "_" + t, 0x3c00, 0x4000, lt);
  const std::pair<u32, u32> classes[] = {{0x7f800001, 1},  {nan, 2},    {ninf, 4}, {f(-1), 8},
                                         {0x80000001, 16}, {nzero, 32}, {0, 64},   {1, 128},
                                         {f(1), 256},      {inf, 512}};
  for (const auto& [value, bit] : classes) {
    cmp(all, "class_f32", value, bit, true);
    cmp(all, "class_f32", value, 1023 & ~bit, false);
  }
  add(gfx9, "v_cmp_lt_f64 vcc, v[2:3], v[4:5]\nv_mov_b32 v20, vcc_lo", {lo(1), hi(1), lo(2), hi(2)},
      {~0u});
  add(gfx9, "v_cmp_gt_i64 vcc, v[2:3], v[4:5]\nv_mov_b32 v20, vcc_lo", {0, 1, ~0u, 0}, {~0u});
  add(gfx9, "v_cmp_lt_u64 s[30:31], v[2:3], v[4:5]\nv_mov_b32 v20, s31", {0, 1, ~0u, 0}, {0});
  // inactive lanes give zero bits
  add(gfx9,
      "s_mov_b64 exec, 0xff\nv_cmp_eq_u32 vcc, v2, v3\ns_mov_b64 exec, -1\nv_mov_b32 v20, "
      "vcc_lo\nv_mov_b32 v21, vcc_hi",
      {1, 1}, {0xff, 0});
  add(rdna,
      "s_mov_b32 exec_lo, 0xff\nv_cmp_eq_u32 vcc_lo, v2, v3\ns_mov_b32 exec_lo, -1\nv_mov_b32 v20, "
      "vcc_lo",
      {1, 1}, {0xff});
}

void lanes() {
  const auto dpp = [](u32 on, const std::string& control, std::function<int(int)> from,
                      bool bound = false) {
    add_lanes(on,
              "v_mov_b32 v20, v2\nv_mov_b32_dpp v20, v1 " + control +
                  " row_mask:0xf bank_mask:0xf" + (bound ? " bound_ctrl:1" : ""),
              {77}, [=](u32 l, u32) {
                const int s = from(static_cast<int>(l));
                return s < 0 ? (bound ? 0u : 77u) : static_cast<u32>(s);
              });
  };
  dpp(all, "quad_perm:[3,1,0,2]",
      [](int l) { return (l & ~3) | std::vector{3, 1, 0, 2}[static_cast<std::size_t>(l & 3)]; });
  dpp(all, "row_shl:3", [](int l) { return (l & 15) + 3 < 16 ? l + 3 : -1; });
  dpp(all, "row_shl:3", [](int l) { return (l & 15) + 3 < 16 ? l + 3 : -1; }, true);
  dpp(all, "row_shr:5", [](int l) { return (l & 15) >= 5 ? l - 5 : -1; });
  dpp(all, "row_ror:4", [](int l) { return (l & ~15) | ((l - 4) & 15); });
  dpp(all, "row_mirror", [](int l) { return l ^ 15; });
  dpp(all, "row_half_mirror", [](int l) { return l ^ 7; });
  dpp(gfx9, "row_bcast:15", [](int l) { return l >= 16 ? (l & ~15) - 1 : -1; });
  dpp(gfx9, "row_bcast:31", [](int l) { return l >= 32 ? 31 : -1; });
  dpp(gfx9, "wave_shl:1", [](int l) { return l < 63 ? l + 1 : -1; });
  dpp(gfx9, "wave_shr:1", [](int l) { return l - 1; });
  dpp(gfx9, "wave_rol:1", [](int l) { return (l + 1) & 63; });
  dpp(gfx9, "wave_ror:1", [](int l) { return (l - 1) & 63; });
  dpp(gfx9, "row_newbcast:6", [](int l) { return (l & ~15) | 6; });
  dpp(rdna, "row_share:6", [](int l) { return (l & ~15) | 6; });
  dpp(rdna, "row_xmask:5", [](int l) { return l ^ 5; });
  add_lanes(
      all,
      "v_mov_b32 v20, v2\nv_mov_b32_dpp v20, v1 quad_perm:[0,1,2,3] row_mask:0x1 bank_mask:0x2",
      {77}, [](u32 l, u32) { return l < 16 && l / 4 == 1 ? l : 77u; });
  add_lanes(rdna, "v_mov_b32_dpp v20, v1 dpp8:[7,6,5,4,3,2,1,0]", {},
            [](u32 l, u32) { return l ^ 7; });
  add_lanes(all, "v_add_u32_dpp v20, v1, v2 row_ror:1 row_mask:0xf bank_mask:0xf", {100},
            [](u32 l, u32) { return ((l & ~15u) | ((l - 1) & 15)) + 100; });
  cases().back().on = gfx9;
  // an inactive source lane: the lane is not written, or reads zero with bound_ctrl
  add_lanes(gfx9,
            "v_mov_b32 v20, v2\ns_mov_b64 exec, 0xfffffffe\nv_mov_b32_dpp v20, v1 "
            "quad_perm:[0,0,2,2] row_mask:0xf bank_mask:0xf",
            {77}, [](u32 l, u32) { return l < 2 || l >= 32 ? 77u : l & ~1u; });
  add_lanes(gfx9,
            "v_mov_b32 v20, v2\ns_mov_b64 exec, 0xfffffffe\nv_mov_b32_dpp v20, v1 "
            "quad_perm:[0,0,2,2] row_mask:0xf bank_mask:0xf bound_ctrl:1",
            {77}, [](u32 l, u32) { return l == 0 || l >= 32 ? 77u
                                          : l == 1          ? 0
                                                            : l & ~1u; });
  add_lanes(rdna,
            "v_mov_b32 v20, v2\ns_mov_b32 exec_lo, 0xfffffffe\nv_mov_b32_dpp v20, v1 "
            "quad_perm:[0,0,2,2] row_mask:0xf bank_mask:0xf fi:1",
            {77}, [](u32 l, u32) { return l == 0 ? 77u : l & ~1u; });
  // SDWA
  add(gfx9,
      "v_add_u32_sdwa v20, v2, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 "
      "src1_sel:WORD_1",
      {0x1234, 0x00050000}, {0x17});
  add(gfx9, "v_mov_b32_sdwa v20, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0",
      {0x12}, {(untouched & 0xffff00ffu) | 0x1200});
  add(gfx9, "v_mov_b32_sdwa v20, v2 dst_sel:WORD_0 dst_unused:UNUSED_SEXT src0_sel:WORD_0",
      {0x8000}, {0xffff8000});
  add(gfx9, "v_mov_b32_sdwa v20, sext(v2) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3",
      {0x80000000}, {0xffffff80});
  add(gfx9, "v_cmp_eq_u32_sdwa vcc, v2, v3 src0_sel:BYTE_0 src1_sel:BYTE_1\nv_mov_b32 v20, vcc_lo",
      {0x12, 0x1200}, {~0u});
  // reading and writing single lanes
  add(all, "v_readfirstlane_b32 s30, v1\nv_mov_b32 v20, s30", {}, {0});
  add(gfx9,
      "s_mov_b64 exec, 0xf0\nv_readfirstlane_b32 s30, v1\ns_mov_b64 exec, -1\nv_mov_b32 v20, s30",
      {}, {4});
  add(gfx9,
      "s_mov_b64 exec, 0\nv_readfirstlane_b32 s30, v1\ns_mov_b64 exec, -1\nv_mov_b32 v20, s30", {},
      {0});
  add(all, "v_readlane_b32 s30, v1, 13\nv_mov_b32 v20, s30", {}, {13});
  add_lanes(all, "v_writelane_b32 v20, s8, 5", {9},
            [](u32 l, u32) { return l == 5 ? 9 : untouched; });
  add_lanes(gfx9, "s_mov_b64 exec, 0\nv_writelane_b32 v20, s8, 5", {9},
            [](u32 l, u32) { return l == 5 ? 9 : untouched; });
  add_lanes(rdna, "v_permlane16_b32 v20, v1, s8, s9", {0x76543210, 0xfedcba98},
            [](u32 l, u32) { return l; });
  add_lanes(rdna, "v_permlanex16_b32 v20, v1, s8, s9", {0x76543210, 0xfedcba98},
            [](u32 l, u32) { return l ^ 16; });
  add_lanes(rdna, "v_permlane16_b32 v20, v1, s8, s9", {0x89abcdef, 0x01234567},
            [](u32 l, u32) { return l ^ 15; });
  add_lanes(gfx12, "v_xor_b32 v3, 3, v1\nv_permlane16_var_b32 v20, v1, v3", {},
            [](u32 l, u32) { return (l & 16) | ((l & 15) ^ 3); });
  add_lanes(gfx12, "v_xor_b32 v3, 3, v1\nv_permlanex16_var_b32 v20, v1, v3", {},
            [](u32 l, u32) { return (~l & 16) | ((l & 15) ^ 3); });
  add_lanes(rdna, "v_permlane64_b32 v20, v1", {}, [](u32 l, u32) { return l; });
  // an inactive source lane keeps the destination, gives zero with bound control, or its value
  // where it may be fetched (op_sel bits)
  for (const auto& [sel, inactive] :
       {std::pair{"", 77u}, {" op_sel:[0,1]", 0u}, {" op_sel:[1,0]", 1u}})
    add_lanes(
        rdna,
        std::string(
            "v_mov_b32 v20, v2\ns_mov_b32 exec_lo, 0xfffffffd\nv_permlane16_b32 v20, v1, s9, s10") +
            sel,
        {77, 0x76543201, 0xfedcba98}, [inactive = inactive](u32 l, u32) {
          return l == 1 ? 77u : l == 0 ? inactive : (l & 15) < 2 ? l ^ 1 : l;
        });
  add_lanes(
      gfx950, "v_mov_b32 v20, v1\nv_add_u32 v21, 100, v1\nv_permlane32_swap_b32 v20, v21", {},
      [](u32 l, u32 r) {
        return r == 0 ? (l < 32 ? l : l - 32 + 100) : (l < 32 ? l + 32 : l + 100);
      },
      2);
  add_lanes(
      gfx950, "v_mov_b32 v20, v1\nv_add_u32 v21, 100, v1\nv_permlane16_swap_b32 v20, v21", {},
      [](u32 l, u32 r) {
        const bool odd = l / 16 % 2;
        return r == 0 ? (odd ? l - 16 + 100 : l) : (odd ? l + 100 : l + 16);
      },
      2);
  add(gfx9,
      "v_accvgpr_write_b32 a3, v2\ns_nop 4\nv_accvgpr_mov_b32 a4, a3\ns_nop 4\nv_accvgpr_read_b32 "
      "v20, a3\nv_accvgpr_read_b32 v21, a4",
      {42}, {42, 42});
}

}  // namespace

void valu_cases() {
  scalar();
  floats();
  doubles();
  integers();
  halves();
  conversions();
  comparisons();
  lanes();
}

}  // namespace assembly
