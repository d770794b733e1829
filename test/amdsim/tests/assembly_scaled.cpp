// gfx950's conversions to and from 8-, 6- and 4-bit floats with a scale, and transposing reads.
#include "assembly_tables.hpp"

namespace assembly {
namespace {

/// A small format by its definition; subnormals, no infinities among the codes used here.
struct format {
  const char* name;
  int bits, mantissa, bias;
  u32 codes;  ///< magnitudes that are numbers
};
constexpr format formats[] = {{"fp8", 8, 3, 7, 0x7f},
                              {"bf8", 8, 2, 15, 0x7c},
                              {"fp4", 4, 1, 1, 8},
                              {"fp6", 6, 3, 1, 32},
                              {"bf6", 6, 2, 3, 32}};

double value(const format& t, u32 code) {
  const u32 magnitude = code & ((1u << (t.bits - 1)) - 1), m = magnitude & ((1u << t.mantissa) - 1);
  const int e = static_cast<int>(magnitude >> t.mantissa);
  const double fraction = static_cast<double>(m) / (1 << t.mantissa),
               v = e ? std::ldexp(1 + fraction, e - t.bias) : std::ldexp(fraction, 1 - t.bias);
  return code >> (t.bits - 1) & 1 ? -v : v;
}
/// Nearest code within the range of the format, ties to even.
u32 nearest(const format& t, double x) {
  u32 best = 0;
  double distance = HUGE_VAL;
  for (u32 c = 0; c < t.codes; ++c) {
    const double d = std::fabs(std::fabs(x) - value(t, c));
    if (d < distance || (d == distance && !(c & 1))) {
      best = c;
      distance = d;
    }
  }
  return best | (std::signbit(x) ? 1u << (t.bits - 1) : 0);
}
/// A code that is a number, out of random bits.
u32 tame(const format& t, u32 x) {
  const u32 sign = 1u << (t.bits - 1);
  return (x & sign) | (x & (sign - 1)) % t.codes;
}

constexpr const char* wides[] = {"f32", "f16", "bf16"};
/// Bits of a number in the wide format; all numbers here are exact in it.
u32 encode(u32 wide, double x) {
  return wide == 0   ? f(static_cast<float>(x))
         : wide == 1 ? to_half(x)
                     : to_bfloat(static_cast<float>(x));
}
std::string literal(u32 x) { return std::to_string(x); }

void pairs() {
  for (const format& t : formats)
    for (u32 w = 0; w < 3; ++w) {
      if (t.bits == 6) continue;
      const std::string wide = wides[w];
      for (u32 seed = 0; seed < 6; ++seed) {
        const u32 a = tame(t, seed * 0x9d + 3), b = tame(t, seed * 0x65 + 0x8a);
        const double x = value(t, a), y = value(t, b);
        // eight times as much is no half
        if (w == 1 && std::fmax(std::fabs(x), std::fabs(y)) > 8000) continue;
        const u32 codes = t.bits == 4 ? a | b << 4 : a | b << 8,
                  unit = static_cast<u32>(2 * t.bits);
        // to wide: the codes times the scale, from each part of the register
        for (u32 at = 0; at < 32; at += unit) {
          const u32 part = at / unit;
          const std::string sel = t.bits == 4 ? " op_sel:[" + literal(part & 1) + "," +
                                                    literal(part >> 1) + ",0]"
                                  : part      ? " op_sel:[1,0,0]"
                                              : "";
          if (w == 0)
            add(gfx950, "v_cvt_scalef32_pk_f32_" + std::string(t.name) + " v[20:21], v2, v3" + sel,
                {codes << at, f(4)}, {f(static_cast<float>(4 * x)), f(static_cast<float>(4 * y))});
          else
            add(gfx950, "v_cvt_scalef32_pk_" + wide + "_" + t.name + " v20, v2, v3" + sel,
                {codes << at, f(4)}, {encode(w, 4 * x) | encode(w, 4 * y) << 16});
        }
        // to narrow: a little off the code, so that it must be rounded
        const double off = std::fabs(x) < 1 ? x : x * (1 + 0x1p-6), off_y = y;
        const u32 keep = untouched & ~((1u << unit) - 1), want = keep | codes;
        const std::string name = "v_cvt_scalef32_pk_" + std::string(t.name) + "_" + wide;
        if (w == 0)
          add(gfx950, name + " v20, v2, v3, v4",
              {f(static_cast<float>(8 * off)), f(static_cast<float>(8 * off_y)), f(8)}, {want});
        else
          add(gfx950, name + " v20, v2, v3", {encode(w, 8 * x) | encode(w, 8 * y) << 16, f(8)},
              {want});
        // one at a time, and with random bits that change nothing as the number is representable
        if (t.bits == 8) {
          for (u32 byte = 0; byte < 4; ++byte) {
            const std::string from = " op_sel:[" + literal(byte & 1) + "," + literal(byte >> 1) +
                                     ",0]";
            if (w == 0)
              add(gfx950, "v_cvt_scalef32_f32_" + std::string(t.name) + " v20, v2, v3" + from,
                  {a << 8 * byte, f(0.5f)}, {f(static_cast<float>(x / 2))});
            if (w == 1)
              add(gfx950, "v_cvt_scalef32_f16_" + std::string(t.name) + " v20, v2, v3" + from,
                  {a << 8 * byte, f(2)}, {(untouched & 0xffff0000u) | to_half(2 * x)});
          }
          add(gfx950, "v_cvt_scalef32_sr_" + std::string(t.name) + "_" + wide + " v20, v2, v3, v4",
              {encode(w, 8 * x), 0xffffffff, f(8)}, {(untouched & ~255u) | a});
        } else {
          const std::string random = "v_cvt_scalef32_sr_pk_fp4_" + wide;
          if (w == 0)
            add(gfx950, random + " v20, v[2:3], v4, v5",
                {f(static_cast<float>(8 * x)), f(static_cast<float>(8 * y)), 0xffffffff, f(8)},
                {(untouched & ~255u) | codes});
          else
            add(gfx950, random + " v20, v2, v3, v4",
                {encode(w, 8 * x) | encode(w, 8 * y) << 16, 0xffffffff, f(8)},
                {(untouched & ~255u) | codes});
        }
      }
    }
  // the random bits decide between neighbours: 1.25 is half way between 1 and 1.5; the second
  // number takes the next random number
  const format& fp4 = formats[2];
  add(gfx950, "v_cvt_scalef32_sr_pk_fp4_f32 v20, v[2:3], v4, v5",
      {f(1.25f), f(1.25f), 0x80000000, f(1)},
      {(untouched & ~255u) | nearest(fp4, 1.5) | nearest(fp4, 1) << 4});
  add(gfx950, "v_cvt_scalef32_sr_pk_fp4_f32 v20, v[2:3], v4, v5",
      {f(1.25f), f(-1.25f), 0x40000000, f(1)},
      {(untouched & ~255u) | nearest(fp4, 1) | nearest(fp4, -1.5) << 4});
}

/// 32 elements of six bits in six registers.
void blocks() {
  for (const format& t : formats) {
    if (t.bits != 6) continue;
    u32 codes[32], packed[7] = {};
    for (u32 i = 0; i < 32; ++i) {
      codes[i] = tame(t, i * 0x2b + 1);
      packed[6 * i / 32] |= codes[i] << 6 * i % 32;
      if (6 * i % 32 > 26) packed[6 * i / 32 + 1] |= codes[i] >> (32 - 6 * i % 32);
    }
    const auto at = [](const char* r, u32 first, u32 n) {
      return std::string(r) + "[" + literal(first) + ":" + literal(first + n - 1) + "]";
    };
    const std::vector<u32> in(packed, packed + 6);
    for (u32 w = 0; w < 3; ++w) {
      const u32 registers = w ? 16 : 32;
      const auto word = [&](u32 r) {
        return w == 0 ? f(static_cast<float>(4 * value(t, codes[r])))
                      : encode(w, 4 * value(t, codes[2 * r])) |
                            encode(w, 4 * value(t, codes[2 * r + 1])) << 16;
      };
      // to wide: looked at in fours
      for (u32 r = 0; r < registers; r += 4) {
        std::string code = "v_mov_b32 v18, 4.0\nv_cvt_scalef32_pk32_" + std::string(wides[w]) +
                           "_" + t.name + " " + at("v", 32, registers) + ", v[2:7], v18";
        for (u32 i = 0; i < 4; ++i)
          code += "\nv_mov_b32 v" + literal(20 + i) + ", v" + literal(32 + r + i);
        add(gfx950, code, in, {word(r), word(r + 1), word(r + 2), word(r + 3)});
      }
      // to narrow, out of what was just made wide
      for (u32 r : {0u, 2u}) {
        std::string code = "v_mov_b32 v18, 4.0\nv_cvt_scalef32_pk32_" + std::string(wides[w]) +
                           "_" + t.name + " " + at("v", 32, registers) + ", v[2:7], v18\n";
        std::vector<u32> want(packed + r, packed + r + 4);
        if (w == 0) {
          // even elements from the first source, odd ones from the second
          for (u32 i = 0; i < 16; ++i)
            code += "v_mov_b32 v" + literal(64 + i) + ", v" + literal(32 + 2 * i) +
                    "\nv_mov_b32 v" + literal(80 + i) + ", v" + literal(33 + 2 * i) + "\n";
          code += "v_cvt_scalef32_2xpk16_" + std::string(t.name) +
                  "_f32 v[100:105], v[64:79], v[80:95], v18";
        } else {
          code += "v_cvt_scalef32_pk32_" + std::string(t.name) + "_" + wides[w] +
                  " v[100:105], v[32:47], v18";
        }
        for (u32 i = 0; i < 4; ++i)
          code += "\nv_mov_b32 v" + literal(20 + i) + ", v" + literal(100 + r + i);
        add(gfx950, code, in, want);
      }
    }
  }
}

/// Transposing LDS reads: 16 lanes bring a block of 64 (or 96) bits each; as a matrix whose rows
/// are `16 / (elements a lane holds)` lanes long, lane i of the 16 gets column i.
void transposed() {
  for (const int bits : {16, 8, 4, 6}) {
    const u32 bytes = bits == 6 ? 12 : 8, per = 8 * bytes / static_cast<u32>(bits),
              words = bytes / 4;
    const auto inputs = lane_inputs("iii");
    const auto element = [=](u32 lane, u32 i) {
      u32 v = 0;
      for (u32 k = 0; k < static_cast<u32>(bits); ++k) {
        const u32 at = i * static_cast<u32>(bits) + k;
        v |= (inputs[64 * (at / 32) + lane] >> at % 32 & 1) << k;
      }
      return v;
    };
    const std::string data = words == 3 ? "v[2:4]" : "v[2:3]",
                      to = words == 3 ? "v[20:22]" : "v[20:21]";
    const std::string code =
        "v_lshlrev_b32 v25, 4, v1\nds_write_" + std::string(words == 3 ? "b96" : "b64") + " v25, " +
        data + " offset:16\ns_waitcnt lgkmcnt(0)\nds_read_" +
        (bits == 6 ? "b96_tr_b6 " : "b64_tr_b" + literal(static_cast<u32>(bits)) + " ") + to +
        ", v25 offset:16";
    cases().push_back({gfx950,
                       code,
                       {},
                       [=](u32 l, u32 r) {
                         if (r >= words) return untouched;
                         const u32 first = l & ~15u, column = l & 15, row_lanes = 16 / per;
                         u32 v = 0;
                         for (u32 k = 0; k < 32; ++k) {  // bit k of the result's word r
                           const u32 at = 32 * r + k, row = at / static_cast<u32>(bits);
                           v |= (element(first + row * row_lanes + column / per, column % per) >>
                                     at % static_cast<u32>(bits) &
                                 1)
                                << k;
                         }
                         return v;
                       },
                       4,
                       inputs});
  }
}

/// gfx12's transposing loads: 32 lanes bring a matrix of 16 by 16, lane l the half l / 16 of row l
/// % 16; lane l gets half of column l % 16.
void transposed_loads() {
  for (const u32 bits : {16u, 8u}) {
    const u32 bytes = bits, per = 8, words = bytes / 4;  // eight elements a lane
    // memory holds its own offsets: row r of the matrix stands 64 bytes after the row before it
    const std::string code =
        "v_and_b32 v25, 15, v1\nv_lshlrev_b32 v25, 6, v25\nv_lshrrev_b32 v26, 4, "
        "v1\nv_lshl_add_u32 v25, v26, " +
        literal(bits == 16 ? 4 : 3) + ", v25\nglobal_load_tr_b" + literal(8 * bytes) +
        (bits == 16 ? " v[20:23]" : " v[20:21]") + ", v25, s[24:25]";
    const auto byte = [](u32 at) { return (at & ~3u) >> 8 * (at & 3) & 255; };
    add_lanes(
        gfx12, code, {},
        [=](u32 l, u32 r) {
          if (r >= words) return untouched;
          u32 v = 0;
          for (u32 k = 0; k < 4; ++k) {  // byte k of the word
            const u32 at = 4 * r + k, e = at / (bits / 8), row = per * (l / 16) + e,
                      column = l % 16;
            v |= byte(64 * row + column * (bits / 8) + at % (bits / 8)) << 8 * k;
          }
          return v;
        },
        4);
  }
}

}  // namespace

void scaled_conversions() {
  pairs();
  blocks();
  transposed();
  transposed_loads();
}

}  // namespace assembly
