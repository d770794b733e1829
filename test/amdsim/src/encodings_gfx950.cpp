// gfx950's encodings that LLVM 19 does not know. Each borrows the operand layout of an instruction
// that LLVM does know: the opcode is exchanged, the text disassembled, and the mnemonic put in.
// Fields that mean something else are taken out before and appended.
#include <cstdio>

#include "disasm.hpp"

namespace amdsim {
namespace {

struct encoding {
  u32 mask, match;     ///< of the first word
  u32 stand_in;        ///< opcode bits to put in place of the masked ones
  u32 clear0, clear1;  ///< bits to clear in the first and second word
  const char* name;
};

constexpr u32 vop1_mask = 0xfe01fe00, vop3_mask = 0xffff0000, ds_mask = 0xfdfe0000,
              flat_mask = 0xfdfc0000;
constexpr encoding vop1(u32 op, u32 like, const char* n) {
  return {vop1_mask, 0x7e000000u | op << 9, 0x7e000000u | like << 9, 0, 0, n};
}
/// op_sel stands in bits 11..14; builders read it from the encoding.
constexpr encoding vop3(u32 op, u32 like, const char* n, u32 clear0 = 0x7800, u32 clear1 = 0) {
  return {vop3_mask, 0xd0000000u | op << 16, 0xd0000000u | like << 16, clear0, clear1, n};
}
constexpr u32 vop3p_mask = 0xffff0000u;
constexpr encoding vop3p(u32 op, u32 like, const char* n, u32 clear0 = 0) {
  return {vop3p_mask, 0xd3800000u | op << 16, 0xd3800000u | like << 16, clear0, 0, n};
}
constexpr encoding ds(u32 op, u32 like, const char* n) {
  return {ds_mask, 0xd8000000u | op << 17, 0xd8000000u | like << 17, 0, 0, n};
}

constexpr u32 fma = 0x1cb, add3 = 0x1ff, mad_u16 = 0x204, add_f32 = 0x101, ashr = 0x1ff;
constexpr encoding table[] = {
    vop1(0x58, 0x01, "v_prng_b32"),
    vop1(0x59, 0x01, "v_permlane16_swap_b32"),
    vop1(0x5a, 0x01, "v_permlane32_swap_b32"),
    vop1(0x5b, 0x0b, "v_cvt_f32_bf16"),
    {0xfe000000u, 0x2c000000u, 0x6e000000u, 0, 0, "v_dot2c_f32_bf16"},
    vop3(0x198, 0x141, "v_prng_b32"),
    vop3(0x199, 0x141, "v_permlane16_swap_b32"),
    vop3(0x19a, 0x141, "v_permlane32_swap_b32"),
    vop3(0x19b, 0x14b, "v_cvt_f32_bf16", 0),
    vop3(0x234, add3, "v_bitop3_b32", 0x7f00, 0xf8000000),
    vop3(0x233, mad_u16, "v_bitop3_b16", 0x0700, 0xf8000000),
    vop3(0x265, ashr, "v_ashr_pk_i8_i32"),
    vop3(0x266, ashr, "v_ashr_pk_u8_i32"),
    vop3(0x267, add_f32, "v_cvt_pk_f16_f32"),
    vop3(0x268, add_f32, "v_cvt_pk_bf16_f32"),
    vop3(0x2a6, add_f32, "v_cvt_sr_f16_f32"),
    vop3(0x2a7, add_f32, "v_cvt_sr_bf16_f32"),
    vop3(0x2a8, fma, "v_minimum3_f32", 0),
    vop3(0x2a9, fma, "v_maximum3_f32", 0),
    vop3p(0x1b, 0x0e, "v_pk_minimum3_f16"),
    vop3p(0x1c, 0x0e, "v_pk_maximum3_f16"),
    vop3p(0x1a, 0x23, "v_dot2_f32_bf16"),
    vop3(0x235, fma, "v_cvt_scalef32_pk_fp8_f32"),
    vop3(0x236, fma, "v_cvt_scalef32_pk_bf8_f32"),
    vop3(0x237, fma, "v_cvt_scalef32_sr_fp8_f32"),
    vop3(0x238, fma, "v_cvt_scalef32_sr_bf8_f32"),
    vop3(0x239, add_f32, "v_cvt_scalef32_pk_f32_fp8"),
    vop3(0x23a, add_f32, "v_cvt_scalef32_pk_f32_bf8"),
    vop3(0x23b, add_f32, "v_cvt_scalef32_f32_fp8"),
    vop3(0x23c, add_f32, "v_cvt_scalef32_f32_bf8"),
    vop3(0x23d, fma, "v_cvt_scalef32_pk_fp4_f32"),
    vop3(0x23e, fma, "v_cvt_scalef32_sr_pk_fp4_f32"),
    vop3(0x23f, add_f32, "v_cvt_scalef32_pk_f32_fp4"),
    vop3(0x240, add_f32, "v_cvt_scalef32_pk_fp8_f16"),
    vop3(0x241, add_f32, "v_cvt_scalef32_pk_bf8_f16"),
    vop3(0x242, fma, "v_cvt_scalef32_sr_fp8_f16"),
    vop3(0x243, fma, "v_cvt_scalef32_sr_bf8_f16"),
    vop3(0x244, add_f32, "v_cvt_scalef32_pk_fp8_bf16"),
    vop3(0x245, add_f32, "v_cvt_scalef32_pk_bf8_bf16"),
    vop3(0x246, fma, "v_cvt_scalef32_sr_fp8_bf16"),
    vop3(0x247, fma, "v_cvt_scalef32_sr_bf8_bf16"),
    vop3(0x248, add_f32, "v_cvt_scalef32_pk_f16_fp8"),
    vop3(0x249, add_f32, "v_cvt_scalef32_pk_f16_bf8"),
    vop3(0x24a, add_f32, "v_cvt_scalef32_f16_fp8"),
    vop3(0x24b, add_f32, "v_cvt_scalef32_f16_bf8"),
    vop3(0x24c, add_f32, "v_cvt_scalef32_pk_fp4_f16"),
    vop3(0x24d, add_f32, "v_cvt_scalef32_pk_fp4_bf16"),
    vop3(0x24e, fma, "v_cvt_scalef32_sr_pk_fp4_f16"),
    vop3(0x24f, fma, "v_cvt_scalef32_sr_pk_fp4_bf16"),
    vop3(0x250, add_f32, "v_cvt_scalef32_pk_f16_fp4"),
    vop3(0x251, add_f32, "v_cvt_scalef32_pk_bf16_fp4"),
    vop3(0x252, fma, "v_cvt_scalef32_2xpk16_fp6_f32"),
    vop3(0x253, fma, "v_cvt_scalef32_2xpk16_bf6_f32"),
    vop3(0x256, add_f32, "v_cvt_scalef32_pk32_f32_fp6"),
    vop3(0x257, add_f32, "v_cvt_scalef32_pk32_f32_bf6"),
    vop3(0x258, add_f32, "v_cvt_scalef32_pk32_fp6_f16"),
    vop3(0x259, add_f32, "v_cvt_scalef32_pk32_fp6_bf16"),
    vop3(0x25a, add_f32, "v_cvt_scalef32_pk32_bf6_f16"),
    vop3(0x25b, add_f32, "v_cvt_scalef32_pk32_bf6_bf16"),
    vop3(0x260, add_f32, "v_cvt_scalef32_pk32_f16_fp6"),
    vop3(0x261, add_f32, "v_cvt_scalef32_pk32_bf16_fp6"),
    vop3(0x262, add_f32, "v_cvt_scalef32_pk32_f16_bf6"),
    vop3(0x263, add_f32, "v_cvt_scalef32_pk32_bf16_bf6"),
    vop3(0x269, add_f32, "v_cvt_scalef32_pk_bf16_fp8"),
    vop3(0x26a, add_f32, "v_cvt_scalef32_pk_bf16_bf8"),
    vop3p(0x54, 0x4d, "v_mfma_f32_16x16x32_f16"),
    vop3p(0x55, 0x4c, "v_mfma_f32_32x32x16_f16"),
    vop3p(0x35, 0x61, "v_mfma_f32_16x16x32_bf16"),
    vop3p(0x37, 0x60, "v_mfma_f32_32x32x16_bf16"),
    vop3p(0x36, 0x57, "v_mfma_i32_16x16x64_i8"),
    vop3p(0x38, 0x56, "v_mfma_i32_32x32x32_i8"),
    vop3p(0x2d, 0x4d, "v_mfma_f32_16x16x128_f8f6f4", 0x7800),
    vop3p(0x2e, 0x4c, "v_mfma_f32_32x32x64_f8f6f4", 0x7800),
    ds(0xe0, 0x76, "ds_read_b64_tr_b4"),
    ds(0xe1, 0xfe, "ds_read_b96_tr_b6"),
    ds(0xe2, 0x76, "ds_read_b64_tr_b8"),
    ds(0xe3, 0x76, "ds_read_b64_tr_b16"),
    {0xfdfd0000u, 0xe0590000u, 0xe0510000u, 0, 0, "buffer_load_dwordx3"},  // with the LDS bit
    {0xfdfd0000u, 0xe05d0000u, 0xe0510000u, 0, 0, "buffer_load_dwordx4"},
    {flat_mask, 0xdc000000u | 0x7e << 18, 0xdc000000u | 0x2a << 18, 0, 0,
     "global_load_lds_dwordx3"},
    {flat_mask, 0xdc000000u | 0x7d << 18, 0xdc000000u | 0x2a << 18, 0, 0,
     "global_load_lds_dwordx4"},
    {0xfdfc0000u, 0xe0000000u | 0x52 << 18, 0xe0000000u | 0x4e << 18, 0, 0,
     "buffer_atomic_pk_add_bf16"},
};

/// "v5", "s3" or an inline integer for a nine-bit source.
std::string source_text(u32 code) {
  char text[16] = "";
  if (code >= 256) std::snprintf(text, sizeof text, "v%u", code - 256);
  else if (code <= 101) std::snprintf(text, sizeof text, "s%u", code);
  else if (code >= 128 && code <= 192) std::snprintf(text, sizeof text, "%u", code - 128);
  else if (code >= 193 && code <= 208) std::snprintf(text, sizeof text, "-%u", code - 192);
  return text;
}

}  // namespace

u32 rewrite_gfx950(const u8* code, u64 available, u8* out, u32& skip, std::string& name,
                   std::string& more_operands, std::string& more_modifiers) {
  if (available < 4) return 0;
  u32 w[4] = {};
  const u64 n = available < 16 ? available : 16;
  std::memcpy(w, code, n);
  skip = 0;
  more_operands.clear();
  more_modifiers.clear();
  // A scaled product is two words of scales before the product itself.
  bool scaled = false;
  if ((w[0] & 0xffff0000u) == 0xd3ac0000u && n == 16) {
    const std::string a = source_text(w[1] & 0x1ff), b = source_text(w[1] >> 9 & 0x1ff);
    if (a.empty() || b.empty()) return 0;
    const auto bit = [](u32 x, u32 at) { return x >> at & 1 ? "1" : "0"; };
    more_operands = ", " + a + ", " + b;
    more_modifiers = std::string(" op_sel:[") + bit(w[0], 11) + "," + bit(w[0], 12) +
                     ",0] op_sel_hi:[" + bit(w[1], 27) + "," + bit(w[1], 28) + ",0]";
    skip = 8;
    w[0] = w[2];
    w[1] = w[3];
    scaled = true;
  }
  for (const encoding& e : table) {
    if ((w[0] & e.mask) != e.match) continue;
    name = e.name;
    if (scaled) name.insert(7, "scale_");
    if (name.rfind("v_bitop3", 0) == 0) {
      char buffer[24];
      // The truth table is made of the fields that elsewhere hold output multiplier, absolute
      // values and signs.
      std::snprintf(buffer, sizeof buffer, " bitop3:0x%x",
                    (w[1] >> 27 & 3) << 6 | (w[0] >> 8 & 7) << 3 | w[1] >> 29);
      more_modifiers += buffer;
    }
    w[0] = (w[0] & ~e.mask & ~e.clear0) | e.stand_in;
    w[1] &= ~e.clear1;
    std::memcpy(out, w, 16);
    return 1;
  }
  return 0;
}

}  // namespace amdsim
