// Matrix products on patterns whose result is known: row i of A times column j of B.
#include <cmath>

#include "assembly.hpp"

namespace assembly {
namespace {

/// Operands of constants: every element of A is a, of B is b, so D = k a b + c everywhere, in
/// whatever layout.
void constant(u32 on, const std::string& name, u32 a, u32 a_regs, u32 b, u32 b_regs, u32 d_regs,
              float want, const std::string& tail = "", float c = 2) {
  std::string code;
  for (u32 r = 0; r < a_regs; ++r) code += "v_mov_b32 v" + std::to_string(64 + r) + ", s8\n";
  for (u32 r = 0; r < b_regs; ++r) code += "v_mov_b32 v" + std::to_string(96 + r) + ", s9\n";
  for (u32 r = 0; r < d_regs; ++r) code += "v_mov_b32 v" + std::to_string(128 + r) + ", s10\n";
  const auto range = [](u32 first, u32 n) {
    return n == 1 ? "v" + std::to_string(first)
                  : "v[" + std::to_string(first) + ":" + std::to_string(first + n - 1) + "]";
  };
  code += name + " " + range(128, d_regs) + ", " + range(64, a_regs) + ", " + range(96, b_regs) +
          ", " + range(128, d_regs) + tail + "\ns_nop 15\ns_nop 15\n";
  code += "v_mov_b32 v20, v128\nv_mov_b32 v21, v" + std::to_string(128 + d_regs - 1);
  const bool integer = name.find("_i32_") != std::string::npos;
  const u32 w = integer ? static_cast<u32>(static_cast<int>(want)) : f(want);
  add(on, code, {a, b, integer ? static_cast<u32>(static_cast<int>(c)) : f(c)}, {w, w});
}

/// A has ones in column k = 0 times (row + 1), B has ones in row k = 0 times (column + 1): D[i][j]
/// = (i + 1) (j + 1) tells the layout. `lanes`: lanes that hold k = 0; element 0 of the first
/// register is it.
void layout(u32 on, const std::string& name, const std::string& to_format, u32 regs, u32 d_regs,
            u32 width, std::function<u32(u32, u32)> row_of, bool duplicated = false) {
  std::string code;
  for (u32 r = 0; r < 2 * regs; ++r) code += "v_mov_b32 v" + std::to_string(64 + r) + ", 0\n";
  code += "v_and_b32 v26, " + std::to_string(width - 1) +
          ", v1\nv_cvt_f32_u32 v26, v26\nv_add_f32 v26, 1.0, v26\n" + to_format + "\n";
  const std::string limit = std::to_string(width);
  const bool nine = (on & gfx9) != 0;
  if (!duplicated)
    code += nine ? "v_cmp_gt_u32 vcc, " + limit + ", v1\nv_cndmask_b32 v26, 0, v26, vcc\n"
                 : "v_cmp_gt_u32 vcc_lo, " + limit + ", v1\nv_cndmask_b32 v26, 0, v26, vcc_lo\n";
  code += "v_mov_b32 v64, v26\nv_mov_b32 v" + std::to_string(64 + regs) + ", v26\n";
  const auto range = [](u32 first, u32 n) {
    return n == 1 ? "v" + std::to_string(first)
                  : "v[" + std::to_string(first) + ":" + std::to_string(first + n - 1) + "]";
  };
  code += name + " " + range(128, d_regs) + ", " + range(64, regs) + ", " + range(64 + regs, regs) +
          ", 0\ns_nop 15\ns_nop 15\n";
  // registers 0, 1 and the last two
  const u32 shown[] = {0, 1, d_regs - 2, d_regs - 1};
  for (u32 i = 0; i < 4; ++i)
    code += "v_mov_b32 v" + std::to_string(20 + i) + ", v" + std::to_string(128 + shown[i]) + "\n";
  add_lanes(
      on, code, {},
      [=](u32 l, u32 r) {
        const u32 q[] = {0, 1, d_regs - 2, d_regs - 1};
        return f(static_cast<float>((row_of(l, q[r]) + 1) * (l % width + 1)));
      },
      4);
}

}  // namespace

void matrix_cases() {
  const u32 half2 = 0x40004000, half3 = 0x42004200, bf2 = 0x40004000, bf3 = 0x40404040;
  const auto row16 = [](u32 l, u32 r) { return 4 * (l / 16) + r; };
  const auto row32 = [](u32 l, u32 r) { return 8 * (r / 4) + 4 * (l / 32) + r % 4; };
  // single precision, halves and bf16 in all shapes
  constant(gfx9, "v_mfma_f32_32x32x2f32", f(2), 1, f(3), 1, 16, 14);
  constant(gfx9, "v_mfma_f32_16x16x4f32", f(2), 1, f(3), 1, 4, 26);
  constant(gfx9, "v_mfma_f32_32x32x1f32", f(2), 1, f(3), 1, 32, 8);
  constant(gfx9, "v_mfma_f32_16x16x1f32", f(2), 1, f(3), 1, 16, 8);
  constant(gfx9, "v_mfma_f32_4x4x1f32", f(2), 1, f(3), 1, 4, 8);
  constant(gfx9, "v_mfma_f32_32x32x8f16", half2, 2, half3, 2, 16, 50);
  constant(gfx9, "v_mfma_f32_16x16x16f16", half2, 2, half3, 2, 4, 98);
  constant(gfx9, "v_mfma_f32_32x32x4f16", half2, 2, half3, 2, 32, 26);
  constant(gfx9, "v_mfma_f32_16x16x4f16", half2, 2, half3, 2, 16, 26);
  constant(gfx9, "v_mfma_f32_4x4x4f16", half2, 2, half3, 2, 4, 26);
  constant(gfx9, "v_mfma_f32_32x32x8bf16_1k", bf2, 2, bf3, 2, 16, 50);
  constant(gfx9, "v_mfma_f32_16x16x16bf16_1k", bf2, 2, bf3, 2, 4, 98);
  constant(gfx9, "v_mfma_f32_32x32x4bf16_1k", bf2, 2, bf3, 2, 32, 26);
  constant(gfx9, "v_mfma_f32_16x16x4bf16_1k", bf2, 2, bf3, 2, 16, 26);
  constant(gfx9, "v_mfma_f32_4x4x4bf16_1k", bf2, 2, bf3, 2, 4, 26);
  constant(gfx90a, "v_mfma_f32_32x32x4bf16", bf2, 1, bf3, 1, 16, 26);
  constant(gfx90a, "v_mfma_f32_16x16x8bf16", bf2, 1, bf3, 1, 4, 50);
  constant(gfx90a, "v_mfma_f32_32x32x2bf16", bf2, 1, bf3, 1, 32, 14);
  constant(gfx90a, "v_mfma_i32_32x32x8i8", 0x02020202, 1, 0xfdfdfdfd, 1, 16, -46);
  constant(gfx90a, "v_mfma_i32_16x16x16i8", 0x02020202, 1, 0xfdfdfdfd, 1, 4, -94);
  constant(gfx9, "v_mfma_i32_4x4x4i8", 0x02020202, 1, 0xfdfdfdfd, 1, 4, -22);
  constant(gfx942 | gfx950, "v_mfma_i32_32x32x16_i8", 0x02020202, 2, 0xfdfdfdfd, 2, 16, -94);
  constant(gfx942 | gfx950, "v_mfma_i32_16x16x32_i8", 0x02020202, 2, 0xfdfdfdfd, 2, 4, -190);
  constant(gfx942, "v_mfma_f32_16x16x8_xf32", f(2), 2, f(3), 2, 4, 50);
  constant(gfx942, "v_mfma_f32_32x32x4_xf32", f(2), 2, f(3), 2, 16, 26);
  for (const char* pair : {"fp8_fp8", "fp8_bf8", "bf8_fp8", "bf8_bf8"}) {
    // the code of 1 in each dialect
    const std::string p = pair;
    const u32 fnuz[] = {0x40404040, 0x40404040}, ocp[] = {0x38383838, 0x3c3c3c3c};
    const u32 a = p[0] == 'b', b = p[4] == 'b';
    constant(gfx942, "v_mfma_f32_16x16x32_" + p, fnuz[a], 2, fnuz[b], 2, 4, 34);
    constant(gfx942, "v_mfma_f32_32x32x16_" + p, fnuz[a], 2, fnuz[b], 2, 16, 18);
    constant(gfx950, "v_mfma_f32_16x16x32_" + p, ocp[a], 2, ocp[b], 2, 4, 34);
    constant(gfx12, "v_wmma_f32_16x16x16_" + p, ocp[a], 2, ocp[b], 2, 8, 18);
  }
  constant(gfx950, "v_mfma_f32_16x16x32_f16", half2, 4, half3, 4, 4, 194);
  constant(gfx950, "v_mfma_f32_32x32x16_f16", half2, 4, half3, 4, 16, 98);
  constant(gfx950, "v_mfma_f32_16x16x32_bf16", bf2, 4, bf3, 4, 4, 194);
  constant(gfx950, "v_mfma_f32_32x32x16_bf16", bf2, 4, bf3, 4, 16, 98);
  constant(gfx950, "v_mfma_i32_16x16x64_i8", 0x02020202, 4, 0x03030303, 4, 4, 386);
  constant(gfx950, "v_mfma_i32_32x32x32_i8", 0x02020202, 4, 0x03030303, 4, 16, 194);
  constant(gfx950, "v_mfma_f32_16x16x128_f8f6f4", 0x38383838, 8, 0x38383838, 8, 4, 130);
  constant(gfx950, "v_mfma_f32_32x32x64_f8f6f4", 0x38383838, 8, 0x38383838, 8, 16, 66);
  constant(gfx950, "v_mfma_f32_16x16x128_f8f6f4", 0x22222222, 4, 0x3c3c3c3c, 8, 4, 130,
           " cbsz:4 blgp:1");
  // 2^1 and 2^-2 as scales
  constant(gfx950, "v_mfma_scale_f32_16x16x128_f8f6f4", 0x38383838, 8, 0x38383838, 8, 4, 66,
           ", v2, v3");
  cases().back().in = {0x38383838, 0x38383838, f(2)};
  cases().back().code = "v_mov_b32 v5, 0x80\nv_mov_b32 v6, 0x7d\n" +
                        cases().back().code.replace(cases().back().code.find(", v2, v3"), 8,
                                                    ", v5, v6");
  constant(gfx942 | gfx950, "v_mfma_f32_32x32x8_f16", half2, 2, half3, 2, 16, 50);
  constant(gfx11, "v_wmma_f32_16x16x16_f16", half2, 8, half3, 8, 8, 98);
  constant(gfx11, "v_wmma_f32_16x16x16_bf16", bf2, 8, bf3, 8, 8, 98);
  constant(gfx12, "v_wmma_f32_16x16x16_f16", half2, 4, half3, 4, 8, 98);
  constant(gfx12, "v_wmma_f32_16x16x16_bf16", bf2, 4, bf3, 4, 8, 98);
  constant(gfx11, "v_wmma_i32_16x16x16_iu8", 0x02020202, 4, 0xfdfdfdfd, 4, 8, -94,
           " neg_lo:[1,1,0]");
  constant(gfx11, "v_wmma_i32_16x16x16_iu8", 0x02020202, 4, 0x03030303, 4, 8, 98);
  constant(gfx11, "v_wmma_i32_16x16x16_iu4", 0x22222222, 2, 0xffffffff, 2, 8, -30,
           " neg_lo:[0,1,0]");
  constant(gfx12, "v_wmma_i32_16x16x16_iu8", 0x02020202, 2, 0xfdfdfdfd, 2, 8, -94,
           " neg_lo:[1,1,0]");
  constant(gfx12, "v_wmma_i32_16x16x32_iu4", 0x22222222, 2, 0x33333333, 2, 8, 194);
  // results in halves
  add(gfx11,
      "v_mov_b32 v64, s8\nv_mov_b32 v65, s8\nv_mov_b32 v66, s8\nv_mov_b32 v67, s8\nv_mov_b32 v68, "
      "s8\nv_mov_b32 v69, s8\nv_mov_b32 v70, s8\nv_mov_b32 v71, s8\nv_mov_b32 v128, "
      "s9\nv_wmma_f16_16x16x16_f16 v[128:135], v[64:71], v[64:71], 1.0\nv_mov_b32 v20, v128",
      {0x3c003c00, 0x77777777}, {0x77774c40});
  add(gfx12,
      "v_mov_b32 v64, s8\nv_mov_b32 v65, s8\nv_mov_b32 v66, s8\nv_mov_b32 v67, "
      "s8\nv_wmma_bf16_16x16x16_bf16 v[128:131], v[64:67], v[64:67], 1.0\nv_mov_b32 v20, "
      "v128\nv_mov_b32 v21, v131",
      {0x3f803f80}, {0x41884188, 0x41884188});
  // double precision
  add(gfx9,
      "v_mov_b32 v64, 0\nv_mov_b32 v65, s8\nv_mfma_f64_16x16x4f64 v[128:135], v[64:65], v[64:65], "
      "1.0\ns_nop 15\ns_nop 15\nv_mov_b32 v20, v129\nv_mov_b32 v21, v135",
      {hi(2.0)}, {hi(17), hi(17)});
  add(gfx9,
      "v_mov_b32 v64, 0\nv_mov_b32 v65, s8\nv_mfma_f64_4x4x4f64 v[128:129], v[64:65], v[64:65], "
      "1.0\ns_nop 15\ns_nop 15\nv_mov_b32 v20, v129",
      {hi(2.0)}, {hi(17)});
  // accumulation registers, and C as a constant
  add(gfx9,
      "v_mov_b32 v64, 2.0\nv_mfma_f32_16x16x4f32 a[0:3], v64, v64, 1.0\ns_nop "
      "15\nv_accvgpr_read_b32 v20, a3",
      {}, {f(17)});
  // subnormal halves: gfx90a flushes them
  constant(gfx90a, "v_mfma_f32_16x16x16f16", 0x00010001, 2, half3, 2, 4, 2);
  constant(gfx942, "v_mfma_f32_16x16x16f16", 0x00010001, 2, half3, 2, 4, 0x1p-24f * 48, "", 0);
  // where elements stand
  const std::string to_half = "v_cvt_f16_f32 v26, v26\nv_and_b32 v26, 0xffff, v26",
                    to_bf = "v_lshrrev_b32 v26, 16, v26";
  layout(gfx9, "v_mfma_f32_16x16x4f32", "", 1, 4, 16, row16);
  layout(gfx9, "v_mfma_f32_32x32x2f32", "", 1, 16, 32, row32);
  layout(gfx9, "v_mfma_f32_16x16x16f16", to_half, 2, 4, 16, row16);
  layout(gfx9, "v_mfma_f32_32x32x8f16", to_half, 2, 16, 32, row32);
  layout(gfx9, "v_mfma_f32_32x32x8bf16_1k", to_bf, 2, 16, 32, row32);
  layout(gfx9, "v_mfma_f32_16x16x16bf16_1k", to_bf, 2, 4, 16, row16);
  layout(gfx950, "v_mfma_f32_32x32x16_bf16", to_bf, 4, 16, 32, row32);
  layout(gfx950, "v_mfma_f32_16x16x32_f16", to_half, 4, 4, 16, row16);
  layout(
      gfx11, "v_wmma_f32_16x16x16_f16", to_half, 8, 8, 16,
      [](u32 l, u32 r) { return 2 * r + l / 16; }, true);
  layout(
      gfx11, "v_wmma_f32_16x16x16_bf16", to_bf, 8, 8, 16,
      [](u32 l, u32 r) { return 2 * r + l / 16; }, true);
  layout(gfx12, "v_wmma_f32_16x16x16_f16", to_half, 4, 8, 16,
         [](u32 l, u32 r) { return 8 * (l / 16) + r; });
  layout(gfx12, "v_wmma_f32_16x16x16_bf16", to_bf, 4, 8, 16,
         [](u32 l, u32 r) { return 8 * (l / 16) + r; });
}

}  // namespace assembly
