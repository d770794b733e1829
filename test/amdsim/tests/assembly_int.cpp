// Integer vector instructions, 16 and 32 bits wide, alone and packed.
#include <algorithm>

#include "assembly_tables.hpp"

namespace assembly {
namespace {

i16 s16(u32 x) { return static_cast<i16>(x); }
u16 z16(u32 x) { return static_cast<u16>(x); }
i32 s32(u32 x) { return static_cast<i32>(x); }
u32 low16(i32 x) { return static_cast<u32>(x) & 0xffffu; }
template <class T>
T middle(T a, T b, T c) {
  T v[] = {a, b, c};
  std::sort(v, v + 3);
  return v[1];
}

using rule16 = std::function<i32(u32 a, u32 b, u32 c)>;
/// A 16-bit instruction on the low halves: the result is cut to 16 bits, the upper half of the
/// destination is not looked at.
void narrow(u32 on, const std::string& name, u32 sources, rule16 r, const std::string& after = "") {
  std::string code = name + " v20";
  for (u32 i = 0; i < sources; ++i) code += ", v" + std::to_string(2 + i);
  table(on, code + after + "\nv_and_b32 v20, 0xffff, v20", "sss",
        [=](const u32* in, u32* out) { out[0] = low16(r(in[0], in[1], in[2])); });
}
/// The same on both halves.
void pairs(u32 on, const std::string& name, u32 sources, rule16 r, const std::string& after = "") {
  std::string code = name + " v20";
  for (u32 i = 0; i < sources; ++i) code += ", v" + std::to_string(2 + i);
  table(on, code + after, "sss", [=](const u32* in, u32* out) {
    out[0] = low16(r(in[0], in[1], in[2])) | low16(r(in[0] >> 16, in[1] >> 16, in[2] >> 16)) << 16;
  });
}
using rule32 = std::function<u32(u32 a, u32 b, u32 c)>;
void word(u32 on, const std::string& name, u32 sources, rule32 r, const std::string& after = "",
          const std::string& kinds = "iii") {
  std::string code = name + " v20";
  for (u32 i = 0; i < sources; ++i) code += ", v" + std::to_string(2 + i);
  table(on, code + after, kinds, [=](const u32* in, u32* out) { out[0] = r(in[0], in[1], in[2]); });
}

void sixteen() {
  for (const bool nine : {true, false}) {
    const u32 on = nine ? gfx9 : rdna;
    const std::string nc = nine ? "" : "nc_";
    const auto add_i = [](u32 a, u32 b, u32) { return s16(a) + s16(b); };
    const auto sub_i = [](u32 a, u32 b, u32) { return s16(a) - s16(b); };
    const auto add_u = [](u32 a, u32 b, u32) { return z16(a) + z16(b); };
    const auto sub_u = [](u32 a, u32 b, u32) { return z16(a) - z16(b); };
    const auto saturated = [](rule16 r, i32 low, i32 high) {
      return [=](u32 a, u32 b, u32 c) { return clamped(r(a, b, c), low, high); };
    };
    narrow(on, "v_add_" + nc + "i16", 2, add_i);
    narrow(on, "v_sub_" + nc + "i16", 2, sub_i);
    narrow(on, "v_add_" + nc + "i16", 2, saturated(add_i, -32768, 32767), " clamp");
    narrow(on, "v_sub_" + nc + "i16", 2, saturated(sub_i, -32768, 32767), " clamp");
    narrow(on, "v_add_" + nc + "u16", 2, add_u);
    narrow(on, "v_sub_" + nc + "u16", 2, sub_u);
    narrow(on, "v_add_" + nc + "u16", 2, saturated(add_u, 0, 65535), " clamp");
    narrow(on, "v_sub_" + nc + "u16", 2, saturated(sub_u, 0, 65535), " clamp");
    if (nine) narrow(on, "v_subrev_u16", 2, [](u32 a, u32 b, u32) { return z16(b) - z16(a); });
    pairs(on, "v_pk_add_i16", 2, add_i);
    pairs(on, "v_pk_sub_i16", 2, sub_i);
    pairs(on, "v_pk_add_u16", 2, add_u);
    pairs(on, "v_pk_sub_u16", 2, sub_u);
    pairs(on, "v_pk_add_i16", 2, saturated(add_i, -32768, 32767), " clamp");
    pairs(on, "v_pk_sub_i16", 2, saturated(sub_i, -32768, 32767), " clamp");
    pairs(on, "v_pk_add_u16", 2, saturated(add_u, 0, 65535), " clamp");
    pairs(on, "v_pk_sub_u16", 2, saturated(sub_u, 0, 65535), " clamp");
  }
  const auto min_i = [](u32 a, u32 b, u32) { return i32{std::min(s16(a), s16(b))}; };
  const auto max_i = [](u32 a, u32 b, u32) { return i32{std::max(s16(a), s16(b))}; };
  const auto min_u = [](u32 a, u32 b, u32) { return i32{std::min(z16(a), z16(b))}; };
  const auto max_u = [](u32 a, u32 b, u32) { return i32{std::max(z16(a), z16(b))}; };
  const auto shl = [](u32 a, u32 b, u32) { return s32(z16(b) << (a & 15)); };
  const auto shr = [](u32 a, u32 b, u32) { return z16(b) >> (a & 15); };
  const auto sar = [](u32 a, u32 b, u32) { return s16(b) >> (a & 15); };
  const auto mul = [](u32 a, u32 b, u32) { return s32(u32{z16(a)} * z16(b)); };
  const auto mad = [](u32 a, u32 b, u32 c) { return s32(u32{z16(a)} * z16(b) + z16(c)); };
  for (const char* p : {"v_", "v_pk_"}) {
    const auto both = [&](const std::string& n, u32 sources, rule16 r) {
      (p[2] ? pairs : narrow)(all, p + n, sources, r, "");
    };
    both("min_i16", 2, min_i);
    both("max_i16", 2, max_i);
    both("min_u16", 2, min_u);
    both("max_u16", 2, max_u);
    both("lshlrev_b16", 2, shl);
    both("lshrrev_b16", 2, shr);
    both("ashrrev_i16", 2, sar);
    both("mul_lo_u16", 2, mul);
    both("mad_u16", 3, mad);
    both("mad_i16", 3, mad);
  }
  narrow(all, "v_min3_i16", 3,
         [](u32 a, u32 b, u32 c) { return std::min({s16(a), s16(b), s16(c)}); });
  narrow(all, "v_max3_i16", 3,
         [](u32 a, u32 b, u32 c) { return std::max({s16(a), s16(b), s16(c)}); });
  narrow(all, "v_med3_i16", 3, [](u32 a, u32 b, u32 c) { return middle(s16(a), s16(b), s16(c)); });
  narrow(all, "v_min3_u16", 3,
         [](u32 a, u32 b, u32 c) { return std::min({z16(a), z16(b), z16(c)}); });
  narrow(all, "v_max3_u16", 3,
         [](u32 a, u32 b, u32 c) { return std::max({z16(a), z16(b), z16(c)}); });
  narrow(all, "v_med3_u16", 3, [](u32 a, u32 b, u32 c) { return middle(z16(a), z16(b), z16(c)); });
  narrow(rdna, "v_and_b16", 2, [](u32 a, u32 b, u32) { return s32(a & b); });
  narrow(rdna, "v_or_b16", 2, [](u32 a, u32 b, u32) { return s32(a | b); });
  narrow(rdna, "v_xor_b16", 2, [](u32 a, u32 b, u32) { return s32(a ^ b); });
  narrow(rdna, "v_not_b16", 1, [](u32 a, u32, u32) { return s32(~a); });
  word(
      all, "v_mad_u32_u16", 3, [](u32 a, u32 b, u32 c) { return u32{z16(a)} * z16(b) + c; }, "",
      "ssi");
  word(
      all, "v_mad_i32_i16", 3,
      [](u32 a, u32 b, u32 c) { return static_cast<u32>(s16(a) * s16(b)) + c; }, "", "ssi");
  // the half that is read and written is chosen by op_sel; the other half of the destination stays
  table(gfx9, "v_mad_u16 v20, v2, v3, v4 op_sel:[1,0,1,1]", "sss", [](const u32* in, u32* out) {
    out[0] = (out[0] & 0xffffu) | (((in[0] >> 16) * z16(in[1]) + (in[2] >> 16)) & 0xffffu) << 16;
  });
  table(rdna, "v_mad_u16 v20, v2, v3, v4 op_sel:[1,0,1,1]", "sss", [](const u32* in, u32* out) {
    out[0] = (out[0] & 0xffffu) | (((in[0] >> 16) * z16(in[1]) + (in[2] >> 16)) & 0xffffu) << 16;
  });
  table(rdna, "v_add_nc_i16 v20, v2, v3 op_sel:[0,1,0]", "ss", [](const u32* in, u32* out) {
    out[0] = (out[0] & 0xffff0000u) | z16(in[0] + (in[1] >> 16));
  });
  table(all, "v_pk_mad_u16 v20, v2, v3, v4 op_sel:[1,0,1] op_sel_hi:[0,0,1]", "sss",
        [](const u32* in, u32* out) {
          out[0] = (((in[0] >> 16) * z16(in[1]) + (in[2] >> 16)) & 0xffffu) |
                   (u32{z16(in[0])} * z16(in[1]) + (in[2] >> 16)) << 16;
        });
}

u32 bytes(u32 a, u32 b, u32 c, std::function<u32(u32, u32, u32)> each) {
  u32 r = 0;
  for (u32 i = 0; i < 32; i += 8) r |= each(a >> i & 255, b >> i & 255, c >> i & 255) << i;
  return r;
}
i32 field(u32 x, u32 at, u32 bits, bool sign) {
  const u32 v = x >> at & ((1u << bits) - 1);
  return sign && v >> (bits - 1) ? s32(v) - (1 << bits) : s32(v);
}
u32 dot(u32 a, u32 b, u32 c, u32 bits, bool sa, bool sb) {
  for (u32 i = 0; i < 32; i += bits)
    c += static_cast<u32>(field(a, i, bits, sa)) * static_cast<u32>(field(b, i, bits, sb));
  return c;
}

void thirty_two() {
  for (const bool nine : {true, false}) {
    const u32 on = nine ? gfx9 : rdna;
    const std::string nc = nine ? "" : "nc_";
    word(on, "v_add_" + nc + "u32", 2, [](u32 a, u32 b, u32) { return a + b; });
    word(on, "v_sub_" + nc + "u32", 2, [](u32 a, u32 b, u32) { return a - b; });
    word(on, "v_subrev_" + nc + "u32", 2, [](u32 a, u32 b, u32) { return b - a; });
    word(
        on, "v_add_" + nc + "u32", 2,
        [](u32 a, u32 b, u32) { return static_cast<u32>(std::min<u64>(u64{a} + b, ~0u)); },
        " clamp");
    word(
        on, "v_sub_" + nc + "u32", 2, [](u32 a, u32 b, u32) { return b > a ? 0 : a - b; },
        " clamp");
    word(
        on, "v_subrev_" + nc + "u32", 2, [](u32 a, u32 b, u32) { return a > b ? 0 : b - a; },
        " clamp");
    word(on, "v_add_" + nc + "i32", 2, [](u32 a, u32 b, u32) { return a + b; });
    word(on, "v_sub_" + nc + "i32", 2, [](u32 a, u32 b, u32) { return a - b; });
    word(
        on, "v_add_" + nc + "i32", 2,
        [](u32 a, u32 b, u32) {
          return static_cast<u32>(clamped<i64>(i64{s32(a)} + s32(b), -2147483648ll, 2147483647));
        },
        " clamp");
    word(
        on, "v_sub_" + nc + "i32", 2,
        [](u32 a, u32 b, u32) {
          return static_cast<u32>(clamped<i64>(i64{s32(a)} - s32(b), -2147483648ll, 2147483647));
        },
        " clamp");
    word(on, nine ? "v_ffbh_u32" : "v_clz_i32_u32", 1, [](u32 a, u32, u32) {
      u32 n = 0;
      while (n < 32 && !(a >> (31 - n) & 1)) ++n;
      return a ? n : ~0u;
    });
    word(on, nine ? "v_ffbl_b32" : "v_ctz_i32_b32", 1, [](u32 a, u32, u32) {
      u32 n = 0;
      while (n < 32 && !(a >> n & 1)) ++n;
      return a ? n : ~0u;
    });
    word(on, nine ? "v_ffbh_i32" : "v_cls_i32", 1, [](u32 a, u32, u32) {
      for (u32 n = 1; n < 32; ++n)
        if ((a >> (31 - n) & 1) != a >> 31) return n;
      return ~0u;
    });
  }
  word(all, "v_mul_hi_i32_i24", 2, [](u32 a, u32 b, u32) {
    return static_cast<u32>(i64{field(a, 0, 24, true)} * field(b, 0, 24, true) >> 32);
  });
  word(all, "v_mul_hi_u32_u24", 2, [](u32 a, u32 b, u32) {
    return static_cast<u32>(u64{a & 0xffffff} * (b & 0xffffff) >> 32);
  });
  word(all, "v_mul_i32_i24", 2, [](u32 a, u32 b, u32) {
    return static_cast<u32>(i64{field(a, 0, 24, true)} * field(b, 0, 24, true));
  });
  word(all, "v_mul_u32_u24", 2, [](u32 a, u32 b, u32) { return (a & 0xffffff) * (b & 0xffffff); });
  word(all, "v_mad_u32_u24", 3,
       [](u32 a, u32 b, u32 c) { return (a & 0xffffff) * (b & 0xffffff) + c; });
  word(all, "v_mad_i32_i24", 3, [](u32 a, u32 b, u32 c) {
    return static_cast<u32>(i64{field(a, 0, 24, true)} * field(b, 0, 24, true)) + c;
  });
  word(all, "v_mul_hi_u32", 2,
       [](u32 a, u32 b, u32) { return static_cast<u32>(u64{a} * b >> 32); });
  word(all, "v_mul_hi_i32", 2,
       [](u32 a, u32 b, u32) { return static_cast<u32>(i64{s32(a)} * s32(b) >> 32); });
  word(rdna, "v_maxmin_u32", 3, [](u32 a, u32 b, u32 c) { return std::min(std::max(a, b), c); });
  word(rdna, "v_minmax_u32", 3, [](u32 a, u32 b, u32 c) { return std::max(std::min(a, b), c); });
  word(rdna, "v_maxmin_i32", 3, [](u32 a, u32 b, u32 c) {
    return static_cast<u32>(std::min(std::max(s32(a), s32(b)), s32(c)));
  });
  word(rdna, "v_minmax_i32", 3, [](u32 a, u32 b, u32 c) {
    return static_cast<u32>(std::max(std::min(s32(a), s32(b)), s32(c)));
  });
  word(all, "v_med3_u32", 3, [](u32 a, u32 b, u32 c) { return middle(a, b, c); });
  word(all, "v_med3_i32", 3,
       [](u32 a, u32 b, u32 c) { return static_cast<u32>(middle(s32(a), s32(b), s32(c))); });
  word(
      all, "v_bfe_u32", 3,
      [](u32 a, u32 b, u32 c) {
        return static_cast<u32>(u64{a} >> (b & 31) & ((u64{1} << (c & 31)) - 1));
      },
      "", "inn");
  word(
      all, "v_bfe_i32", 3,
      [](u32 a, u32 b, u32 c) {
        const u32 n = c & 31, at = b & 31;
        if (n == 0) return 0u;
        const i64 wide = s32(a);  // a field beyond bit 31 continues with the sign
        const i64 v = wide >> at & ((i64{1} << n) - 1);
        return static_cast<u32>(v >> (n - 1) & 1 ? v - (i64{1} << n) : v);
      },
      "", "inn");
  word(
      all, "v_bfm_b32", 2,
      [](u32 a, u32 b, u32) { return static_cast<u32>(((u64{1} << (a & 31)) - 1) << (b & 31)); },
      "", "nni");
  word(
      all, "v_alignbit_b32", 3,
      [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{a} << 32 | b) >> (c & 31)); }, "",
      "iin");
  word(
      all, "v_alignbyte_b32", 3,
      [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{a} << 32 | b) >> 8 * (c & 3)); }, "",
      "iin");
  word(
      all, "v_perm_b32", 3,
      [](u32 a, u32 b, u32 c) {
        const u64 data = u64{a} << 32 | b;
        return bytes(c, 0, 0, [&](u32 s, u32, u32) -> u32 {
          if (s > 12) return 0xff;
          if (s == 12) return 0;
          if (s > 7)
            return data >> (16 * (s - 8) + 15) & 1 ? 0xff : 0;  // the sign of a 16-bit part
          return data >> 8 * s & 0xff;
        });
      },
      "", "iis");
  table(all, "v_and_b32 v4, 0x0f0f0f0f, v4\nv_perm_b32 v20, v2, v3, v4", "iii",
        [](const u32* in, u32* out) {
          const u64 data = u64{in[0]} << 32 | in[1];
          out[0] = bytes(in[2] & 0x0f0f0f0f, 0, 0, [&](u32 s, u32, u32) -> u32 {
            return s > 12    ? 0xff
                   : s == 12 ? 0
                   : s > 7   ? (data >> (16 * (s - 8) + 15) & 1) * 0xff
                             : data >> 8 * s & 0xff;
          });
        });
  word(all, "v_lerp_u8", 3, [](u32 a, u32 b, u32 c) {
    return bytes(a, b, c, [](u32 x, u32 y, u32 z) { return (x + y + (z & 1)) >> 1; });
  });
  const auto sad8 = [](u32 a, u32 b, bool masked) {
    u32 sum = 0;
    for (u32 i = 0; i < 32; i += 8)
      if (!masked || (b >> i & 255))
        sum += static_cast<u32>(std::abs(field(a, i, 8, false) - field(b, i, 8, false)));
    return sum;
  };
  word(all, "v_sad_u8", 3, [=](u32 a, u32 b, u32 c) { return sad8(a, b, false) + c; });
  word(all, "v_msad_u8", 3, [=](u32 a, u32 b, u32 c) { return sad8(a, b, true) + c; });
  word(all, "v_sad_hi_u8", 3, [=](u32 a, u32 b, u32 c) { return (sad8(a, b, false) << 16) + c; });
  word(all, "v_sad_u16", 3, [](u32 a, u32 b, u32 c) {
    return static_cast<u32>(std::abs(field(a, 0, 16, false) - field(b, 0, 16, false)) +
                            std::abs(field(a, 16, 16, false) - field(b, 16, 16, false))) +
           c;
  });
  word(gfx9, "v_dot2_u32_u16", 3,
       [](u32 a, u32 b, u32 c) { return dot(a, b, c, 16, false, false); });
  word(gfx9, "v_dot2_i32_i16", 3, [](u32 a, u32 b, u32 c) { return dot(a, b, c, 16, true, true); });
  word(gfx9, "v_dot4_i32_i8", 3, [](u32 a, u32 b, u32 c) { return dot(a, b, c, 8, true, true); });
  word(all, "v_dot4_u32_u8", 3, [](u32 a, u32 b, u32 c) { return dot(a, b, c, 8, false, false); });
  word(gfx9, "v_dot8_i32_i4", 3, [](u32 a, u32 b, u32 c) { return dot(a, b, c, 4, true, true); });
  word(all, "v_dot8_u32_u4", 3, [](u32 a, u32 b, u32 c) { return dot(a, b, c, 4, false, false); });
  for (const bool sa : {false, true})
    for (const bool sb : {false, true}) {
      const std::string neg = std::string(" neg_lo:[") + (sa ? "1," : "0,") +
                              (sb ? "1,0]" : "0,0]");
      word(
          rdna, "v_dot4_i32_iu8", 3, [=](u32 a, u32 b, u32 c) { return dot(a, b, c, 8, sa, sb); },
          neg);
      word(
          rdna, "v_dot8_i32_iu4", 3, [=](u32 a, u32 b, u32 c) { return dot(a, b, c, 4, sa, sb); },
          neg);
    }
  table(gfx9, "v_dot4c_i32_i8 v20, v2, v3", "ii",
        [](const u32* in, u32* out) { out[0] = dot(in[0], in[1], out[0], 8, true, true); });
  table(gfx9, "v_dot8c_i32_i4 v20, v2, v3", "ii",
        [](const u32* in, u32* out) { out[0] = dot(in[0], in[1], out[0], 4, true, true); });
  table(all, "v_sat_pk_u8_i16 v20, v2\nv_and_b32 v20, 0xffff, v20", "s",
        [](const u32* in, u32* out) {
          out[0] = static_cast<u32>(clamped<i32>(s16(in[0]), 0, 255) |
                                    clamped<i32>(s16(in[0] >> 16), 0, 255) << 8);
        });
  table(gfx950, "v_ashr_pk_i8_i32 v20, v2, v3, v4", "iin", [](const u32* in, u32* out) {
    out[0] = (out[0] & 0xffff0000u) |
             (static_cast<u32>(clamped(s32(in[0]) >> (in[2] & 31), -128, 127)) & 255) |
             (static_cast<u32>(clamped(s32(in[1]) >> (in[2] & 31), -128, 127)) & 255) << 8;
  });
  table(gfx950, "v_ashr_pk_u8_i32 v20, v2, v3, v4", "iin", [](const u32* in, u32* out) {
    out[0] = (out[0] & 0xffff0000u) |
             static_cast<u32>(clamped(s32(in[0]) >> (in[2] & 31), 0, 255)) |
             static_cast<u32>(clamped(s32(in[1]) >> (in[2] & 31), 0, 255)) << 8;
  });
  word(
      gfx950, "v_bitop3_b32", 3, [](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); },
      " bitop3:0xca");
  word(gfx950, "v_bitop3_b32", 3, [](u32 a, u32 b, u32 c) { return a ^ b ^ c; }, " bitop3:0x96");
  table(gfx950, "v_bitop3_b16 v20, v2, v3, v4 bitop3:0xe8\nv_and_b32 v20, 0xffff, v20", "sss",
        [](const u32* in, u32* out) {
          out[0] = ((in[0] & in[1]) | (in[1] & in[2]) | (in[0] & in[2])) & 0xffffu;
        });
}

void wide() {
  // borrow in: the lanes of VCC that the comparison sets
  table(gfx9, "v_cmp_lt_u32 vcc, v2, v3\nv_subbrev_co_u32 v20, vcc, v2, v3, vcc", "ii",
        [](const u32* in, u32* out) { out[0] = in[1] - in[0] - (in[0] < in[1]); });
  table(rdna, "v_cmp_lt_u32 vcc_lo, v2, v3\nv_subrev_co_ci_u32 v20, vcc_lo, v2, v3, vcc_lo", "ii",
        [](const u32* in, u32* out) { out[0] = in[1] - in[0] - (in[0] < in[1]); });
  table(
      rdna, "v_subrev_co_u32 v20, vcc_lo, v2, v3\nv_cndmask_b32 v21, 0, 1, vcc_lo", "ii",
      [](const u32* in, u32* out) {
        out[0] = in[1] - in[0];
        out[1] = in[0] > in[1];
      },
      2);
  for (const bool sign : {false, true}) {
    const auto sum = [sign](const u32* in, u32* out) {
      const u64 p = sign ? static_cast<u64>(i64{s32(in[0])} * s32(in[1])) : u64{in[0]} * in[1];
      put(out, p + as_u64(in + 2));
    };
    table(gfx9,
          sign ? "v_mad_i64_i32 v[20:21], vcc, v2, v3, v[4:5]"
               : "v_mad_u64_u32 v[20:21], vcc, v2, v3, v[4:5]",
          "iiLl", sum, 2);
    table(gfx11,
          sign ? "v_mad_i64_i32 v[20:21], vcc_lo, v2, v3, v[4:5]"
               : "v_mad_u64_u32 v[20:21], vcc_lo, v2, v3, v[4:5]",
          "iiLl", sum, 2);
    table(gfx12,
          sign ? "v_mad_co_i64_i32 v[20:21], vcc_lo, v2, v3, v[4:5]"
               : "v_mad_co_u64_u32 v[20:21], vcc_lo, v2, v3, v[4:5]",
          "iiLl", sum, 2);
  }
  table(
      gfx9 | gfx11, "v_lshlrev_b64 v[20:21], v2, v[4:5]", "niLl",
      [](const u32* in, u32* out) { put(out, as_u64(in + 2) << (in[0] & 63)); }, 2);
  table(
      all, "v_lshrrev_b64 v[20:21], v2, v[4:5]", "niLl",
      [](const u32* in, u32* out) { put(out, as_u64(in + 2) >> (in[0] & 63)); }, 2);
  table(
      all, "v_ashrrev_i64 v[20:21], v2, v[4:5]", "niLl",
      [](const u32* in, u32* out) {
        put(out, static_cast<u64>(static_cast<i64>(as_u64(in + 2)) >> (in[0] & 63)));
      },
      2);
  table(
      gfx942 | gfx950, "v_lshl_add_u64 v[20:21], v[2:3], 3, v[4:5]", "LlLl",
      [](const u32* in, u32* out) { put(out, (as_u64(in) << 3) + as_u64(in + 2)); }, 2);
}

}  // namespace

void integer_tables() {
  sixteen();
  thirty_two();
  wide();
}

}  // namespace assembly
