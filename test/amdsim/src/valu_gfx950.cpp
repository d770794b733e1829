// gfx950: three-input logic, random numbers, bf16 and scaled conversions.
#include <algorithm>
#include <tuple>
#include <utility>

#include "lanes.hpp"
#include "math.hpp"
#include "small_float.hpp"
#include "valu.hpp"

namespace amdsim {
namespace {

// ---- three-input logic: bit i of the table is the result for inputs a b c = i

void bitop3(wave& w, const op& o) {
  const u64 mask = w.exec();
  if (!mask) return;
  alignas(32) u32 room[3][row_lanes], result[row_lanes];
  const u32 *a = fetch(w, o.src[0], room[0]), *b = fetch(w, o.src[1], room[1]),
            *c = fetch(w, o.src[2], room[2]);
  const u32 table = static_cast<u32>(o.imm);
  for (u32 l = 0; l < w.lanes; ++l) {
    u32 r = 0;
    for (u32 i = 0; i < 8; ++i)
      if (table >> i & 1)
        r |= (i & 4 ? a[l] : ~a[l]) & (i & 2 ? b[l] : ~b[l]) & (i & 1 ? c[l] : ~c[l]);
    result[l] = o.flags ? r & 0xffffu : r;
  }
  retire(w, o, result, mask);
}
void build_bitop3(binder& b, const void* payload) {
  const type t = payload ? type::b16 : type::b32;
  const type types[] = {t, t, t};
  bind_sources(b, 1, types, 3);
  bind_destination(b, 0, t);
  b.o.imm = b.in.number("bitop3");
  b.o.flags = payload != nullptr;
  b.o.run = bitop3;
}

/// A linear feedback shift register step.
inline u32 next_random(u32 x) { return (x << 1) ^ (x >> 31 ? 0xc5u : 0u); }

inline u32 sat_pk(i32 a, i32 b, u32 shift, i32 low, i32 high) {
  const i32 x = std::clamp(a >> (shift & 31), low, high),
            y = std::clamp(b >> (shift & 31), low, high);
  return (static_cast<u32>(x) & 255u) | (static_cast<u32>(y) & 255u) << 8;
}

const valu_def table[] = {
    def<next_random, b32, b32>("v_prng_b32"),
};

// ---- results that fill half of the destination: the other half is kept. flags: kind

enum narrow : u8 { ashr_i8, ashr_u8, sr_f16, sr_bf16 };

/// Rounds to 16 bits after adding random bits below the ones that stay.
u32 random_half(float x, u32 random) {
  const u32 b = bits_as<u32>(x);
  if ((b & 0x7f800000u) == 0x7f800000u) return float_to_half(x);
  return float_to_half_rtz(bits_as<float>(b + (random >> 19)));
}
u32 random_bfloat(float x, u32 random) {
  const u32 b = bits_as<u32>(x);
  if ((b & 0x7f800000u) == 0x7f800000u) return float_to_bfloat(x);
  return (b + (random >> 16)) >> 16;
}
void to_half(wave& w, const op& o) {
  const u64 mask = w.exec();
  if (!mask) return;
  alignas(32) u32 room[3][row_lanes], result[row_lanes];
  const u32* s[3] = {};
  for (u32 i = 0; i < o.sources; ++i) s[i] = fetch(w, o.src[i], room[i]);
  const u32* old = w.row(o.dst.reg);
  const u32 shift = 16 * o.x->data[0];
  for (u32 l = 0; l < w.lanes; ++l) {
    u32 v = 0;
    switch (o.flags) {
      case ashr_i8:
        v = sat_pk(static_cast<i32>(s[0][l]), static_cast<i32>(s[1][l]), s[2][l], -128, 127);
        break;
      case ashr_u8:
        v = sat_pk(static_cast<i32>(s[0][l]), static_cast<i32>(s[1][l]), s[2][l], 0, 255);
        break;
      case sr_f16: v = random_half(bits_as<float>(s[0][l]), s[1][l]); break;
      default: v = random_bfloat(bits_as<float>(s[0][l]), s[1][l]); break;
    }
    result[l] = (old[l] & ~(0xffffu << shift)) | (v & 0xffffu) << shift;
  }
  write_rows(w, o.dst.reg, 1, result, mask);
}
struct narrow_form {
  const char* name;
  narrow kind;
};
constexpr narrow_form narrow_table[] = {{"v_ashr_pk_i8_i32", ashr_i8},
                                        {"v_ashr_pk_u8_i32", ashr_u8},
                                        {"v_cvt_sr_f16_f32", sr_f16},
                                        {"v_cvt_sr_bf16_f32", sr_bf16}};
void build_narrow(binder& b, const void* payload) {
  const auto& f = *static_cast<const narrow_form*>(payload);
  const bool sr = f.kind >= sr_f16;
  const type types[] = {sr ? type::f32 : type::i32, sr ? type::u32 : type::i32, type::u32};
  bind_sources(b, 1, types, sr ? 2 : 3);
  b.o.sources = sr ? 2 : 3;
  b.o.dst = b.write(0, 1);
  b.x.writes.back().half = true;
  b.x.data[0] = b.in.raw[0] >> 14 & 1;
  b.o.flags = f.kind;
  b.o.run = to_half;
}

// ---- conversions with a scale: the exponent of a float source is a power of two that divides (to
// narrow) or multiplies (to wide)

enum class wide_kind : u8 { f32, f16, bf16 };
struct scale_form {
  const char* name;
  const small_format* narrow;
  wide_kind wide;
  u8 count;  ///< elements converted
  bool to_narrow;
  bool random;
  bool two;  ///< two sources of 16 floats, interleaved
};
constexpr scale_form scale_table[] = {
    {"v_cvt_scalef32_pk_fp8_f32", &e4m3_ocp, wide_kind::f32, 2, true, false, false},
    {"v_cvt_scalef32_pk_bf8_f32", &e5m2_ocp, wide_kind::f32, 2, true, false, false},
    {"v_cvt_scalef32_pk_fp8_f16", &e4m3_ocp, wide_kind::f16, 2, true, false, false},
    {"v_cvt_scalef32_pk_bf8_f16", &e5m2_ocp, wide_kind::f16, 2, true, false, false},
    {"v_cvt_scalef32_pk_fp8_bf16", &e4m3_ocp, wide_kind::bf16, 2, true, false, false},
    {"v_cvt_scalef32_pk_bf8_bf16", &e5m2_ocp, wide_kind::bf16, 2, true, false, false},
    {"v_cvt_scalef32_pk_fp4_f32", &e2m1, wide_kind::f32, 2, true, false, false},
    {"v_cvt_scalef32_pk_fp4_f16", &e2m1, wide_kind::f16, 2, true, false, false},
    {"v_cvt_scalef32_pk_fp4_bf16", &e2m1, wide_kind::bf16, 2, true, false, false},
    {"v_cvt_scalef32_pk_f32_fp8", &e4m3_ocp, wide_kind::f32, 2, false, false, false},
    {"v_cvt_scalef32_pk_f32_bf8", &e5m2_ocp, wide_kind::f32, 2, false, false, false},
    {"v_cvt_scalef32_pk_f32_fp4", &e2m1, wide_kind::f32, 2, false, false, false},
    {"v_cvt_scalef32_pk_f16_fp8", &e4m3_ocp, wide_kind::f16, 2, false, false, false},
    {"v_cvt_scalef32_pk_f16_bf8", &e5m2_ocp, wide_kind::f16, 2, false, false, false},
    {"v_cvt_scalef32_pk_f16_fp4", &e2m1, wide_kind::f16, 2, false, false, false},
    {"v_cvt_scalef32_pk_bf16_fp8", &e4m3_ocp, wide_kind::bf16, 2, false, false, false},
    {"v_cvt_scalef32_pk_bf16_bf8", &e5m2_ocp, wide_kind::bf16, 2, false, false, false},
    {"v_cvt_scalef32_pk_bf16_fp4", &e2m1, wide_kind::bf16, 2, false, false, false},
    {"v_cvt_scalef32_f32_fp8", &e4m3_ocp, wide_kind::f32, 1, false, false, false},
    {"v_cvt_scalef32_f32_bf8", &e5m2_ocp, wide_kind::f32, 1, false, false, false},
    {"v_cvt_scalef32_f16_fp8", &e4m3_ocp, wide_kind::f16, 1, false, false, false},
    {"v_cvt_scalef32_f16_bf8", &e5m2_ocp, wide_kind::f16, 1, false, false, false},
    {"v_cvt_scalef32_sr_fp8_f32", &e4m3_ocp, wide_kind::f32, 1, true, true, false},
    {"v_cvt_scalef32_sr_bf8_f32", &e5m2_ocp, wide_kind::f32, 1, true, true, false},
    {"v_cvt_scalef32_sr_fp8_f16", &e4m3_ocp, wide_kind::f16, 1, true, true, false},
    {"v_cvt_scalef32_sr_bf8_f16", &e5m2_ocp, wide_kind::f16, 1, true, true, false},
    {"v_cvt_scalef32_sr_fp8_bf16", &e4m3_ocp, wide_kind::bf16, 1, true, true, false},
    {"v_cvt_scalef32_sr_bf8_bf16", &e5m2_ocp, wide_kind::bf16, 1, true, true, false},
    {"v_cvt_scalef32_sr_pk_fp4_f32", &e2m1, wide_kind::f32, 2, true, true, false},
    {"v_cvt_scalef32_sr_pk_fp4_f16", &e2m1, wide_kind::f16, 2, true, true, false},
    {"v_cvt_scalef32_sr_pk_fp4_bf16", &e2m1, wide_kind::bf16, 2, true, true, false},
    {"v_cvt_scalef32_pk32_f32_fp6", &e2m3, wide_kind::f32, 32, false, false, false},
    {"v_cvt_scalef32_pk32_f32_bf6", &e3m2, wide_kind::f32, 32, false, false, false},
    {"v_cvt_scalef32_pk32_f16_fp6", &e2m3, wide_kind::f16, 32, false, false, false},
    {"v_cvt_scalef32_pk32_f16_bf6", &e3m2, wide_kind::f16, 32, false, false, false},
    {"v_cvt_scalef32_pk32_bf16_fp6", &e2m3, wide_kind::bf16, 32, false, false, false},
    {"v_cvt_scalef32_pk32_bf16_bf6", &e3m2, wide_kind::bf16, 32, false, false, false},
    {"v_cvt_scalef32_pk32_fp6_f16", &e2m3, wide_kind::f16, 32, true, false, false},
    {"v_cvt_scalef32_pk32_bf6_f16", &e3m2, wide_kind::f16, 32, true, false, false},
    {"v_cvt_scalef32_pk32_fp6_bf16", &e2m3, wide_kind::bf16, 32, true, false, false},
    {"v_cvt_scalef32_pk32_bf6_bf16", &e3m2, wide_kind::bf16, 32, true, false, false},
    {"v_cvt_scalef32_2xpk16_fp6_f32", &e2m3, wide_kind::f32, 32, true, false, true},
    {"v_cvt_scalef32_2xpk16_bf6_f32", &e3m2, wide_kind::f32, 32, true, false, true},
};
const scale_form& form_of(const op& o) {
  return *reinterpret_cast<const scale_form*>(
      static_cast<std::uintptr_t>(join(o.x->data[0], o.x->data[1])));
}

float wide_value(wide_kind k, u32 raw) {
  return k == wide_kind::f32   ? bits_as<float>(raw)
         : k == wide_kind::f16 ? half_to_float(raw & 0xffffu)
                               : bfloat_to_float(raw & 0xffffu);
}

void convert_scaled(wave& w, const op& o) {
  const u64 mask = w.exec();
  if (!mask) return;
  const scale_form& f = form_of(o);
  const bool half = f.wide != wide_kind::f32;
  const u32 bits = f.narrow->bits, narrow_bits = bits * f.count,
            narrow_rows = (narrow_bits + 31) / 32, wide_rows = half ? (f.count + 1u) / 2 : f.count;
  const float* values = small_values(*f.narrow);
  alignas(32) u32 room[3][row_lanes];
  const source& scale_source = o.src[3];
  const u32* scale = fetch(w, scale_source, room[0]);
  u32 rows[32];
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    const i32 power = static_cast<i32>(scale[l] >> 23 & 255) - 127;
    const bool nan_scale = power == 128;
    for (u32& r : rows) r = 0;
    if (f.to_narrow) {
      const auto input = [&](u32 i) -> float {
        if (f.two) return bits_as<float>(w.row(o.src[i & 1].reg + i / 2)[l]);
        if (f.count == 32)
          return wide_value(f.wide, w.row(o.src[0].reg + i / 2)[l] >> (16 * (i & 1)));
        if (half) {
          const u32 x = o.src[0].k == source::vgpr ? w.row(o.src[0].reg)[l] : read32(w, o.src[0]);
          return wide_value(f.wide, x >> (16 * i));
        }
        // a register pair
        if (f.random && f.count == 2) return bits_as<float>(w.row(o.src[0].reg + i)[l]);
        u32 x = o.src[i].k == source::vgpr ? w.row(o.src[i].reg)[l] : read32(w, o.src[i]);
        if (o.src[i].abs) x &= 0x7fffffffu;
        if (o.src[i].neg) x ^= 0x80000000u;
        return bits_as<float>(x);
      };
      for (u32 i = 0; i < f.count; ++i) {
        const float x = nan_scale
                            ? bits_as<float>(0x7fc00000u)
                            : static_cast<float>(std::ldexp(static_cast<double>(input(i)), -power));
        u32 code;
        if (f.random) {
          const u32 r = o.src[1].k == source::vgpr ? w.row(o.src[1].reg)[l] : read32(w, o.src[1]);
          code = float_to_small_random(*f.narrow, x, i ? next_random(r) : r, true);
        } else {
          code = float_to_small(*f.narrow, x, true);
        }
        const u32 at = i * bits;
        rows[at / 32] |= code << (at % 32);
        if (at % 32 + bits > 32) rows[at / 32 + 1] |= code >> (32 - at % 32);
      }
      if (narrow_rows == 1) {  // part of one register, the rest is kept
        const u32 shift = o.x->data[2],
                  keep = narrow_bits == 32 ? 0 : ~(((1u << narrow_bits) - 1) << shift);
        u32& d = w.row(o.dst.reg)[l];
        d = (d & keep) | rows[0] << shift;
      } else {
        for (u32 r = 0; r < narrow_rows; ++r) w.row(o.dst.reg + r)[l] = rows[r];
      }
      continue;
    }
    for (u32 i = 0; i < f.count; ++i) {
      const u32 at = i * bits + (narrow_rows == 1 ? o.x->data[2] : 0);
      const auto word = [&](u32 r) {
        return o.src[0].k == source::vgpr ? w.row(o.src[0].reg + r)[l] : read32(w, o.src[0]);
      };
      u32 code = word(at / 32) >> (at % 32);
      if (at % 32 + bits > 32) code |= word(at / 32 + 1) << (32 - at % 32);
      const float v = nan_scale
                          ? bits_as<float>(0x7fc00000u)
                          : static_cast<float>(std::ldexp(
                                static_cast<double>(values[code & ((1u << bits) - 1)]), power));
      if (half) {
        const u32 h = f.wide == wide_kind::f16 ? float_to_half(v) : float_to_bfloat(v);
        rows[i / 2] |= h << (16 * (i & 1));
      } else {
        rows[i] = bits_as<u32>(v);
      }
    }
    if (f.count == 1 && half) {
      u32& d = w.row(o.dst.reg)[l];
      const u32 shift = o.x->data[3];
      d = (d & ~(0xffffu << shift)) | rows[0] << shift;
    } else {
      for (u32 r = 0; r < wide_rows; ++r) w.row(o.dst.reg + r)[l] = rows[r];
    }
  }
}

void build_scaled(binder& b, const void* payload) {
  const auto& f = *static_cast<const scale_form*>(payload);
  const u64 a = reinterpret_cast<std::uintptr_t>(&f);
  b.x.data[0] = low32(a);
  b.x.data[1] = high32(a);
  op& o = b.o;
  const bool half = f.wide != wide_kind::f32;
  const u32 bits = f.narrow->bits, narrow_rows = (bits * f.count + 31) / 32,
            wide_rows = half ? (f.count + 1u) / 2 : f.count;
  const auto take = [&](std::size_t n, u32 rows, type t) {
    source s = b.read(n, t);
    if (s.k == source::vgpr && rows > 1) {
      s.rows = static_cast<u8>(rows);
      b.x.reads.back().count = s.rows;
    }
    return s;
  };
  std::size_t n = 1;
  if (!f.to_narrow) {
    o.src[0] = take(n++, narrow_rows, type::b32);
  } else if (f.two) {
    o.src[0] = take(n++, 16, type::b32);
    o.src[1] = take(n++, 16, type::b32);
  } else if (f.count == 32) {
    o.src[0] = take(n++, wide_rows, type::b32);
  } else {
    const bool from_pair = f.count == 2 && f.random && !half;
    o.src[0] = take(n++, from_pair ? 2 : 1, type::b32);
    if (from_pair && o.src[0].k != source::vgpr) b.refuse("a pair that is no vector register");
    if (f.count == 2 && !half && !from_pair) o.src[1] = take(n++, 1, type::b32);
    if (f.random) o.src[1] = take(n++, 1, type::b32);
  }
  o.src[3] = take(n, 1, type::f32);
  if (o.src[3].k == source::imm) b.spread(o.src[3]);
  o.dst = b.write(0, f.to_narrow ? narrow_rows : wide_rows);
  const u32 sel = b.in.raw[0] >> 11 & 15;
  if (f.to_narrow && narrow_rows == 1) {
    // The last two bits choose a byte; two 8-bit results take a half.
    b.x.data[2] = bits * f.count == 16 ? 16 * (sel >> 3 & 1) : 8 * (sel >> 2 & 3);
    b.x.writes.back().half = true;
  }
  if (!f.to_narrow && narrow_rows == 1)
    b.x.data[2] = bits * f.count == 16 ? 16 * (sel & 1) : 8 * ((sel & 1) | (sel & 2));
  if (!f.to_narrow && f.count == 1 && half) {
    b.x.data[3] = 16 * (sel >> 3 & 1);
    b.x.writes.back().half = true;
  }
  o.run = convert_scaled;
}

}  // namespace

void define_valu_gfx950(definitions& d) {
  static const int yes = 1;
  d.add(std::begin(table), std::end(table));
  d.add("v_bitop3_b32", build_bitop3);
  d.add("v_bitop3_b16", build_bitop3, &yes);
  for (const narrow_form& f : narrow_table) d.add(f.name, build_narrow, &f);
  for (const scale_form& f : scale_table) d.add(f.name, build_scaled, &f);
}

}  // namespace amdsim
